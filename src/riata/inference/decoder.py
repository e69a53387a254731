"""How the best output of a sentence is found."""

from __future__ import annotations

from dataclasses import dataclass

from riata._core import unbounded


@dataclass(frozen=True)
class Decoder:
    """Exactly, or by search with a queue."""

    queue: str = "exact"
    beam: int = unbounded
    beam_by: str = "operations"
    merge: bool = True  # whether only the best of the states with the same continuations is kept
    max_nodes: int = 1_000_000  # nodes of one search; exceeding it is an error
    seconds: float = 0.0  # time limit of one search, which then returns the best output so far; 0: no limit


EXACT = Decoder()
