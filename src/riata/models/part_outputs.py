"""Outputs that are sets of parts: what a model asks of them, and its part of a model file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riata._core import OutputSet, PartWeights, PartWeights64
from riata.errors import DataError, ModelFileError, RiataError, printed
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.features.parts import PartFeatures
from riata.models.container import Arrays
from riata.models.model import Model
from riata.models.outputs import Outputs, Refusal, Weights, WeightsKind
from riata.models.parts import LARGEST_WEIGHT, read_alphabet, read_strings, read_weights, store_texts, store_weights

ABSENT, PRESENT = "absent", "present"  # labels of places


@dataclass(frozen=True, eq=False)
class PartOutputs(Outputs):
    """texts: what a place may be; the first stands for no part there."""

    texts: tuple[str, ...]

    precisions: ClassVar = (PartWeights, PartWeights64)
    written: ClassVar[str | None] = None  # the method in which users say which sets of parts are outputs
    solver: ClassVar[str | None] = None  # or what they name instead (riata.Structure.solver)
    single: ClassVar[bool] = False  # whether every output has one part

    @classmethod
    def set_of(cls, structure: Any, x: Any, parts: list[Any], n: int) -> OutputSet:
        """Which sets of the parts of input n are outputs. structure: the user's (riata.Structure)."""
        raise NotImplementedError

    @property
    def labels(self) -> tuple[str, ...]:
        return self.texts

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        made: Weights = kind(len(self.texts) - 1, len(features.given))  # type: ignore[call-arg]
        return made

    def exact_refusal(self, features: Features) -> Refusal | None:
        return None

    def memory(self, features: Features) -> tuple[str, int]:
        return f"{len(features.given):,} features", 4 * len(features.given) * (len(self.texts) - 1)

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without features whose weights are all zero."""
        rows = model.weights.flat().reshape(-1, len(self.texts) - 1)
        kept = np.flatnonzero(rows.any(axis=1))
        arrays: Arrays = {}
        store_texts(arrays, "features", model.features.given.texts_of(kept.astype(np.int32)))
        store_weights(rows[kept].ravel(), arrays)
        return {"structure": self.structure, "labels": list(self.texts)}, arrays

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
        labels = read_strings(header, "labels")
        if len(labels) < 2 or len(set(labels)) < len(labels):
            raise ModelFileError("the model's labels are missing or inconsistent")
        outputs, features = cls(tuple(labels)), PartFeatures()
        features.given = read_alphabet(arrays, "features")
        weights: Any = outputs.new_weights(features, PartWeights)
        flat = read_weights(arrays, len(weights.flat()))
        if not (np.abs(flat) <= LARGEST_WEIGHT).all():
            raise ModelFileError("the model's weights are too large")
        weights.set_flat(flat)
        return Model(features, weights, outputs)


@contextmanager
def asking(place: str, part: Callable[[], Any] | None = None) -> Iterator[None]:
    """While a method of the user's runs: what it raises becomes a DataError. place: which method, and of what input; part: of what part."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        found = error if isinstance(error, RiataError) else DataError(f"raised {type(error).__name__}: {error}")
        where = place if part is None else f"{place} of the part {printed(part()):.60}"
        raise found.located(where) from (None if found is error else error)


def listed(found: Any, what: str, expected: str = "a list of parts") -> list[Any]:
    """What a method of the user's gave, as a list."""
    if not isinstance(found, Iterable):
        raise DataError(f"{what} {printed(found):.60}; expected {expected}.")
    return list(found)


def numbered(numbers: Mapping[Any, int], parts: Iterable[Any], what: str) -> list[int]:
    """The numbers of parts. what: who gives them, for the error about a part that there is not."""
    found = []
    for part in listed(parts, what):
        try:
            found.append(numbers[part])
        except (KeyError, TypeError):
            raise DataError(
                f"{what} the part {printed(part):.60}, which parts(x) does not give.",
                remedy="Let parts(x) give every part that an output may have.",
            ) from None
    return found
