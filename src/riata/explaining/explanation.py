"""Why an output was chosen: how it beats another one, feature by feature, and the search that found it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from riata.explaining.paged import Paged
from riata.explaining.trace import Feature, Labels, Plain, Trace, as_json

if TYPE_CHECKING:
    from riata.explaining.arcs import ArcChoice
    from riata.explaining.constrained import KeptAndFree

FAULTS: Mapping[str, str] = {
    "right": "the output is right",
    "lucky": "right by luck: the search missed an output that scores higher, and that one is wrong",
    "search": "search error: the search missed the best output, which is the truth",
    "both": "search and model error: the search missed the best output, and that is not the truth either",
    "model": "model error: the search found the best output, and it is not the truth",
    "tie": "tie: the truth is one of several best outputs",
}
BY_TRUTH: Mapping[str, str] = {  # if the best output is not known
    "search": "search error: the search missed the truth, which scores higher than the output; which output is best of all is not known",
    "model": "model error: the output scores higher than the truth, or no search can give the truth; which output "
    "is best of all, and whether the search missed it, is not known",
    "tie": "tie: the truth scores as high as the output",
}


OF_EXACT: Mapping[str, str] = {"model": "model error: the best output is not the truth"}  # there was no search


@dataclass(frozen=True)
class Side:
    """An output, with the path that leads to it and its score, the sum of the contributions of its features."""

    name: str  # "output", "truth", "runner-up", "best", "given" or "without constraints"
    labels: Labels
    actions: tuple[Plain, ...]
    score: float


@dataclass(frozen=True)
class Decision:
    """Two outputs of one input, and every feature in which they differ.

    The value of a feature is that of the chosen output minus that of the other; `push` is how much it counts for the chosen output.
    """

    chosen: Side
    other: Side | None  # None: there is no other output to compare with
    # The strongest push first; without another output, all features of the chosen one.
    contributions: tuple[Feature, ...]

    @property
    def difference(self) -> float:
        """The score of the chosen output minus that of the other: the sum of all pushes, rounded once."""
        return math.fsum(feature.push for feature in self.contributions)


@dataclass(frozen=True)
class Explanation(Paged):
    """The explanation of one input: the decision, the cause of a wrong output, and the search, if there was one to record.

    str() shows it, to_dict() is ready for JSON, to_html() is a page that needs no other files.
    """

    input: tuple[Plain, ...]
    truth: Labels | None
    decision: Decision
    fault: str | None  # as SearchErrors.of; None: the truth is unknown
    trace: Trace | None
    note: str | None = None  # how the search that is shown differs from the search of predict
    best: Side | None = (
        None  # what the search missed: the best output or, if that is unknown, a truth that scores higher
    )
    test: str | None = None  # as SearchErrors.test: "exact" or "truth"
    first: Labels | None = None  # with two passes, the labels of the first
    constrained: KeptAndFree | None = None  # what constraints changed; None: the model keeps none
    exact: bool = False  # whether prediction is exact, so that the search only shows what a beam would have done
    arcs: tuple[ArcChoice, ...] | None = None  # of trees that are not searched, what was chosen for every token

    @property
    def missed(self) -> Side | None:
        """The output that the search missed, if it is not the truth."""
        return None if self.best is None or self.best.labels == self.truth else self.best

    @property
    def sides(self) -> tuple[Side, ...]:
        """All outputs that are shown: the output found, the one that the search missed, and the one to compare with."""
        shown = (self.decision.chosen, self.missed, self.decision.other)
        return tuple({side.name: side for side in shown if side is not None}.values())

    @property
    def kind(self) -> str | None:
        """A key of FAULTS; None: the truth is unknown."""
        return "lucky" if self.fault == "right" and self.best is not None else self.fault

    def to_dict(self) -> dict[str, Any]:
        """Lists, dictionaries, texts, numbers and None: what JSON can hold."""
        plain: dict[str, Any] = as_json(self)
        plain["decision"]["difference"] = self.decision.difference
        plain["kind"] = self.kind
        return plain

    def __rich__(self) -> Any:
        """What a console of rich prints."""
        from riata.explaining.text import render

        return render(self)

    def __str__(self) -> str:
        from riata.explaining.text import in_plain_words

        return in_plain_words(self)
