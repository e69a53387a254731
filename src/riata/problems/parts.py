"""Inputs of a user's structure as a corpus: the parts of an input are the tokens of a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.named_features import Given
from riata.data.types import Column, Corpus
from riata.errors import DataError, RiataError, printed
from riata.models.part_outputs import ABSENT, PRESENT, asking, listed, numbered
from riata.problems.examples import as_inputs, paired
from riata.problems.structure import Structure, kind_of, overrides

MOST_SHAPES = 1000  # recursions that are kept


@dataclass(eq=False)
class PartCorpora:
    """Makes corpora of inputs, which are what the structure's `context` returns. Recursions are kept by shape."""

    structure: Structure
    kept: dict[Any, tuple[int, Any]] = field(default_factory=dict)  # by shape: number of parts, which sets are outputs

    def __post_init__(self) -> None:
        self.kind = kind_of(self.structure)
        self._has_shape = overrides(self.structure, "shape")

    def inputs(self, X: Iterable[Any]) -> list[Any]:
        return [self.structure.context(x) for x in as_inputs(X)]

    def paired(self, X: Any, Y: Any, names: tuple[str, str] = ("X", "Y")) -> tuple[list[Any], list[Any]]:
        inputs, outputs = paired(X, Y, names)
        return self.inputs(inputs), outputs

    def corpus(self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None) -> tuple[Corpus, list[list[Any]]]:
        """The corpus, and the parts of every input. outputs: the true ones; then the corpus has a column with them."""
        parts = self._parts(inputs)
        starts = np.concatenate([[0], np.cumsum([len(of) for of in parts])]).astype(np.int64)
        sets = tuple(self._outputs(n, x, of) for n, (x, of) in enumerate(zip(inputs, parts, strict=True)))
        columns: tuple[Column, ...] = ()
        costs = None
        if outputs is not None:
            columns = (self._truth(inputs, outputs, parts, starts),)
            if overrides(self.structure, "loss"):
                costs = self._costs(inputs, outputs, parts)
        return Corpus(columns, starts, given=self._given(inputs, parts), output_sets=sets, costs=costs), parts

    def _parts(self, inputs: Sequence[Any]) -> list[list[Any]]:
        parts = []
        for n, x in enumerate(inputs):
            with asking(f"input {n}: parts(x)"):
                parts.append(listed(self.structure.parts(x), "returned"))
            _check_parts(n, parts[-1])
        return parts

    def _given(self, inputs: Sequence[Any], parts: list[list[Any]]) -> Given:
        """The features of all parts."""
        found = [self._weighed(n, x, of) for n, (x, of) in enumerate(zip(inputs, parts, strict=True))]
        return Given.of(found, "<memory>")

    def _weighed(self, n: int, x: Any, parts: list[Any]) -> list[Any]:
        features, found = self.structure.features, list[Any]()
        with asking(f"input {n}: features", lambda: parts[len(found)]):
            for part in parts:
                found.append(_weighed(features(x, part)))
        return found

    def _outputs(self, n: int, x: Any, parts: list[Any]) -> Any:
        """Which sets of these parts are outputs."""
        shape = self.structure.shape(x) if self._has_shape else None
        if not self._has_shape or shape not in self.kept:
            try:
                made = self.kind.set_of(self.structure, x, parts, n)
            except RiataError as error:
                raise error.located(f"input {n}") from None
            if not self._has_shape:
                return made
            if len(self.kept) >= MOST_SHAPES:
                self.kept.clear()
            self.kept[shape] = len(parts), made
        number, found = self.kept[shape]
        if number != len(parts):
            raise DataError(
                f"input {n} has {len(parts)} parts, and an earlier one of the same shape {printed(shape):.40} has {number}."
            )
        return found

    def _truth(
        self, inputs: Sequence[Any], outputs: Sequence[Any], parts: list[list[Any]], starts: NDArray[np.int64]
    ) -> Column:
        ids = np.zeros(starts[-1], np.int32)
        for n, (x, y, of) in enumerate(zip(inputs, outputs, parts, strict=True)):
            numbers = {part: number for number, part in enumerate(of)}
            with asking(f"output {n}: parts_of(x, y)"):
                true_parts = self.structure.parts_of(x, y)
            ids[starts[n] + np.array(numbered(numbers, true_parts, f"output {n} has"), np.int64)] = 1
        column = Column.of([ABSENT, PRESENT])
        return Column(column.alphabet, ids)

    def _costs(self, inputs: Sequence[Any], outputs: Sequence[Any], parts: list[list[Any]]) -> NDArray[np.float32]:
        found = [
            self.structure.loss(x, y, part) for x, y, of in zip(inputs, outputs, parts, strict=True) for part in of
        ]
        costs = np.array(found, np.float32)
        if not (np.isfinite(costs) & (costs >= 0)).all():
            odd = found[int(np.argmin(np.isfinite(costs) & (costs >= 0)))]
            raise DataError(f"loss(x, y, part) returned {odd}; expected a number of at least 0.")
        return costs


def corpora_of(structure: Structure) -> PartCorpora:
    """Structures of Riata's own may make their corpora in another way."""
    made: PartCorpora = getattr(structure, "corpora", PartCorpora)(structure)
    return made


def _check_parts(n: int, parts: list[Any]) -> None:
    seen = set()
    for part in parts:
        try:
            if part in seen:
                raise DataError(f"input {n}: parts(x) gave the part {printed(part):.60} twice.")
            seen.add(part)
        except TypeError:
            raise DataError(
                f"input {n}: parts(x) gave {printed(part):.60}, which cannot be hashed.",
                remedy="Use a tuple, or a name.",
            ) from None


def _weighed(features: Any) -> Any:
    """Features as a corpus takes them: a dictionary, or a list of names."""
    if isinstance(features, (Mapping, str)):
        return features
    found = listed(features, "returned", "names, (name, value) pairs, or a dictionary")
    if not any(isinstance(one, tuple) for one in found):
        return found
    values: dict[str, float] = {}
    for one in found:
        name, value = one if isinstance(one, tuple) else (one, 1.0)
        values[name] = values.get(name, 0.0) + value
    return values
