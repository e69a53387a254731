"""How the best output of a sentence is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from riata._core import unbounded

if TYPE_CHECKING:
    from riata.inference.kept import Kept

DECODE = "decode"  # the setting that says which output is chosen; its values:
SECONDS = 10.0  # time limit of one sentence where search goes on by other means, unless a decoder has one
BEST, MARGINALS, SPANS = "best", "marginals", "spans"  # values of the setting decode


@dataclass(frozen=True)
class Risk:
    """The loss whose expectation an output is chosen by: wrong labels (MARGINALS), or wrong and missed chunks (SPANS).

    Outputs have the probability exp(score / temperature) / Z.
    """

    decode: str
    span_cost: float = 1.0  # the sum of 2 x probability - span_cost over the chunks of an output is maximised
    temperature: float = 1.0


@dataclass(frozen=True)
class Decoder:
    """Exactly, or by search with a queue."""

    queue: str = "exact"
    beam: int = unbounded
    beam_by: str = "operations"
    merge: bool = True  # whether only the best of the states with the same continuations is kept
    max_nodes: int = 1_000_000  # nodes of one search; exceeding it is an error
    seconds: float = 0.0  # time limit of one search, which then returns the best output so far; 0: no limit
    risk: Risk | None = None  # None: the output with the highest score is looked for
    kept: Kept | None = None  # constraints that outputs keep

    def at(self, temperature: float) -> Decoder:
        """The same, with probabilities at this temperature."""
        return self if self.risk is None else replace(self, risk=replace(self.risk, temperature=temperature))


EXACT = Decoder()


def asked_of_search(estimator: Any) -> tuple[Any, ...] | None:
    """The parameters of an estimator that choose its decoder, apart from constraints; None: they cannot be compared."""
    settings = estimator.settings
    if settings is not None and not isinstance(settings, Mapping):
        return None
    plain = tuple((settings or {}).items())
    comparable = all(isinstance(value, (str, int, float, type(None))) for _, value in plain)
    return (estimator.recipe, estimator.structure, estimator.queue, estimator.beam, plain) if comparable else None
