"""Why an output came out: how it beats another one, feature by feature, and the search that found it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from riata.explaining.paged import Paged
from riata.inference.trace import Feature, Labels, Plain, Trace, as_json

FAULTS: Mapping[str, str] = {
    "right": "the output is right",
    "search": "search error: the search missed an output that scores higher",
    "model": "model error: the weights prefer the wrong output",
    "tie": "tie: the truth scores as high as the output",
}


@dataclass(frozen=True)
class Side:
    """An output, with the path that leads to it and its score under the weights: the sum of what its features contribute."""

    name: str  # "output", "truth", "runner-up" or "given"
    labels: Labels
    actions: tuple[Plain, ...]
    score: float


@dataclass(frozen=True)
class Decision:
    """Two outputs of one input, and every feature in which they differ.

    The value of a feature is that of the chosen output minus that of the other; `push` is how far it speaks for the chosen one.
    """

    chosen: Side
    other: Side | None  # None: there is no other output to compare with
    contributions: tuple[
        Feature, ...
    ]  # the strongest push first; without another output, all features of the chosen one

    @property
    def difference(self) -> float:
        """The score of the chosen output less that of the other: the sum of all pushes, rounded once."""
        return math.fsum(feature.push for feature in self.contributions)


@dataclass(frozen=True)
class Explanation(Paged):
    """Of one input: the decision, whose fault a wrong one is, and the search, where there was one to watch.

    str() shows it, to_dict() is ready for JSON, to_html() is a page that needs nothing else.
    """

    input: tuple[Plain, ...]
    truth: Labels | None
    decision: Decision
    fault: str | None  # a key of FAULTS; None: the truth is not known
    trace: Trace | None
    note: str | None = None  # how the search that is shown differs from the one that predicts

    def to_dict(self) -> dict[str, Any]:
        """Lists, dictionaries, texts, numbers and None: what JSON can hold."""
        plain: dict[str, Any] = as_json(self)
        plain["decision"]["difference"] = self.decision.difference
        return plain

    def __rich__(self) -> Any:
        """What a console of rich prints."""
        from riata.explaining.text import render

        return render(self)

    def __str__(self) -> str:
        from riata.explaining.text import in_plain_words

        return in_plain_words(self)
