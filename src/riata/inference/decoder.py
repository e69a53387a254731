"""How the best output of a sentence is looked for."""

from __future__ import annotations

from dataclasses import dataclass

from riata._core import unbounded


@dataclass(frozen=True)
class Decoder:
    """Exactly, or by search with a queue."""

    queue: str = "exact"
    beam: int = unbounded
    beam_by: str = "operations"
    max_nodes: int = 1_000_000  # of one search; past it the search is an error
    seconds: float = 0.0  # of one search, then it gives the best so far; 0: no limit


EXACT = Decoder()
