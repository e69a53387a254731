"""How much of a search is recorded and shown, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


class GivenUp(Exception):
    """Nobody waits for the result any more."""


@dataclass(frozen=True)
class Bounds:
    """Bounds of one trace, explanation or page.

    A search with more states is refused. Of the steps that it drops, and of those that constraints forbid, at most as many are recorded
    as states. Features are recorded for the output first, and for all other states as long as there are no more of them than `features`.
    """

    states: int = 20_000
    features: int = 100_000
    wanted: Callable[[], bool] = lambda: True  # whether anybody still waits; asked at intervals

    def check(self) -> None:
        if not self.wanted():
            raise GivenUp


_USUAL = Bounds()
_present: ContextVar[Bounds] = ContextVar("bounds")


def bounds() -> Bounds:
    """Those that hold now."""
    return _present.get(_USUAL)


@contextmanager
def bounded(by: Bounds) -> Iterator[None]:
    """A context in which traces, explanations and pages keep these bounds.

    >>> from riata.explaining.bounds import Bounds, bounded
    >>> tagger = riata.Tagger("perceptron", beam=2, epochs=1).fit([["a", "b"]], [["X", "Y"]])
    >>> with bounded(Bounds(states=2)):
    ...     tagger.trace(["a", "b"])
    Traceback (most recent call last):
    riata.errors.SearchError: sentence 0: ...
    """
    token = _present.set(by)
    try:
        yield
    finally:
        _present.reset(token)
