"""Structures offer operations; recipes name those they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from riata.errors import UnsupportedError
from riata.settings import Setting


@dataclass(frozen=True)
class Structure:
    name: str
    summary: str
    paper: str
    offers: frozenset[str]  # operations
    queues: frozenset[str]  # by which it can be searched
    refused: Mapping[str, str] = field(
        default_factory=dict, hash=False
    )  # queues that make no sense here, with the reason
    settings: tuple[Setting, ...] = ()
    outputs: int = 1  # columns that it predicts


@dataclass(frozen=True)
class Queue:
    """What is kept and what comes out next. `decode_only`: why nothing can be learnt with it (empty: it trains)."""

    name: str
    summary: str
    paper: str
    has_beam: bool = False
    searches: bool = True  # false: the structure's own dynamic program takes its place
    decode_only: str = ""
    settings: tuple[Setting, ...] = ()

    def check_trains(self) -> None:
        if self.decode_only:
            raise UnsupportedError(
                f"The queue {self.name!r} is decode only: {self.decode_only}.",
                remedy=f"Train with another one, such as beam; then set_params(queue={self.name!r}).",
            )


@dataclass(frozen=True)
class Loss:
    name: str
    summary: str
    paper: str
    adds_up_over: str  # tokens, edges, segments or the whole output
    settings: tuple[Setting, ...] = ()
