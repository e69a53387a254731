"""Why an output of a user's structure was chosen, part by part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.errors import DataError, printed
from riata.problems.structure import kind_of
from riata.showing.table import Table, as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from riata.data.types import Corpus
    from riata.models.model import Model
    from riata.problems.structure_predictor import StructurePredictor

MOST = 8  # features of a part that are shown


@dataclass(frozen=True)
class PartExplained:
    """A part that one output has and the other has not, with the features that make up its score, heaviest first."""

    part: Any
    in_output: bool
    in_truth: bool | None  # None: the truth is not known
    score: float
    features: tuple[tuple[str, float], ...]  # each with its value times its weight


@dataclass(frozen=True)
class PartsExplained:
    """The output, another one, and what makes the difference between their scores."""

    output: Any
    score: float
    other: Any  # None: there is no other output
    other_score: float | None
    compared_with: str  # what the other output is
    parts: tuple[PartExplained, ...]

    def _tables(self) -> list[Table]:
        rows = []
        for one in self.parts:
            marks = "" if one.in_truth is None else "right" if one.in_truth == one.in_output else "wrong"
            shown = ", ".join(f"{name} {value:+.2f}" for name, value in one.features[:MOST])
            more = len(one.features) - MOST
            side = "output" if one.in_output else self.compared_with
            rows.append((side, printed(one.part), marks, one.score, shown + (f", {more} more" if more > 0 else "")))
        title = f"Output {printed(self.output):.100} (score {self.score:.2f})"
        if self.other_score is not None:
            title += f" against the {self.compared_with} {printed(self.other):.100} (score {self.other_score:.2f})"
        return [Table(title, ("only in", "part", "is", "score", "features"), rows)]

    def __str__(self) -> str:
        return as_text(*self._tables())

    def __rich__(self) -> Any:
        return self._tables()[0].__rich__()

    def _repr_html_(self) -> str:
        return self._tables()[0].to_html()


def weighed(model: Model, corpus: Corpus, places: Sequence[int]) -> list[tuple[tuple[str, float], ...]]:
    """The features of places of a corpus, each with its value times its weight, heaviest first."""
    given = corpus.given
    assert given is not None
    flat, ids = model.weights.flat(), model.features.given.find_all(given.alphabet)
    found = []
    for place in places:
        rows = range(given.starts[place], given.starts[place + 1])
        values = [
            (given.alphabet.text(int(given.ids[k])), float(given.values[k] * flat[ids[given.ids[k]]]))
            for k in rows
            if ids[given.ids[k]] >= 0
        ]
        found.append(tuple(sorted(values, key=lambda pair: -abs(pair[1]))))
    return found


def explained(
    predictor: StructurePredictor, x: Any, truth: tuple[Any] | None, against: tuple[Any] | None
) -> PartsExplained:
    """truth, against: an output in a tuple; None: it is not given."""
    structure, made = predictor.structure, predictor._parts
    [x] = made.inputs([x])
    corpus, (parts,) = made.corpus([x])
    model = predictor._check_fitted()
    instances = model.instances(corpus)
    weights: Any = model.weights
    scores, kind = weights.scores(instances), corpus.output_sets[0]
    numbers = {part: number for number, part in enumerate(parts)}
    found = kind.best(scores)
    if not found:
        raise DataError("the input has no output.")
    chosen = set(found[0][0])

    def of(output: tuple[Any] | None) -> set[int] | None:
        return (
            None if output is None else {numbers[part] for part in structure.parts_of(x, output[0]) if part in numbers}
        )

    true, other, name = of(truth), of(against), "other output"
    if other is None and true is not None and true != chosen:
        other, name = true, "truth"
    if other is None and "k best" in predictor._offers:
        second = kind.best(scores, 2)[1:]
        other, name = (set(second[0][0]) if second else None), "runner-up"
    differing = sorted(chosen if other is None else chosen ^ other, key=lambda number: -abs(scores[number]))
    named = dict(zip(differing, weighed(model, corpus, differing), strict=True))
    if kind_of(structure).single and len(named) == 2:  # what both have alike decides nothing
        one, two = ({*found} for found in named.values())
        named = {n: tuple(pair for pair in found if pair not in one & two) for n, found in named.items()}
    explained_parts = tuple(
        PartExplained(parts[n], n in chosen, None if true is None else n in true, float(scores[n]), named[n])
        for n in differing
    )
    both = [None if some is None else structure.output(x, [parts[n] for n in sorted(some)]) for some in (chosen, other)]
    total = None if other is None else float(np.sum(scores[sorted(other)]))
    return PartsExplained(both[0], float(np.sum(scores[sorted(chosen)])), both[1], total, name, explained_parts)
