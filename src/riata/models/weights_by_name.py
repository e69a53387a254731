"""The weights of a model with names that people can read: the questions that every structure answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from riata import registry
from riata._core import boundary_reach, boundary_values
from riata.data.encodings.base import split_tag
from riata.errors import UnsupportedError
from riata.models.model import Model
from riata.models.outputs import Weights


class NamedWeight(NamedTuple):
    feature: str  # "word[-1]=the word[0]=end"
    label: str  # "B-NP", or "B-NP -> I-NP" for a pair of neighbours
    weight: float


class WeightsByName(ABC):
    """In `names`, one file per structure, with its name, defines NAMES."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @abstractmethod
    def heaviest(self, top: int, labels: Sequence[str] | None = None) -> dict[str, list[NamedWeight]]:
        """The features with the largest absolute weight for each label, heaviest first; for segments, for each type, or that of a tag."""

    def all_weights(self) -> list[NamedWeight]:
        """Every weight of a single label that is not zero."""
        return [weight for weights in self.heaviest(self.count()).values() for weight in weights]

    @abstractmethod
    def in_trace(self, weights: Weights) -> Callable[[Any], tuple[str, str]]:
        """A function from an entry of a trace to feature and label. weights: of the trace, which may have more rows than the model."""

    def trace_refusal(self) -> UnsupportedError | None:
        """Why a trace could not name weights of features; None: it could."""
        return None

    def all_transitions(self) -> dict[tuple[str, str], float]:
        """All weights of pairs of neighbouring labels that do not depend on the word; only chains have them."""
        return {}

    def transitions(self, top: int, labels: Sequence[str] | None = None) -> list[NamedWeight]:
        """The heaviest pairs of neighbouring labels; if labels are given, of pairs that contain one of them."""
        return []

    def edges(self, top: int, labels: Sequence[str] | None = None) -> list[NamedWeight]:
        """The heaviest features of label pairs, of templates such as `edge word[0]`. Hashed features have no names and are left out."""
        return []

    def label_names(self) -> tuple[str, ...]:
        """The labels whose weights can be asked for: labels; in joint models, the tags and the chunk labels."""
        return self.model.labels

    def labels_called(self, name: str, *, chunks: bool) -> tuple[str, ...]:
        """The labels that a name means: a label or, if there are chunks, all labels of a type; weights of segments are by type."""
        if name in self.label_names() or not chunks or not name:
            return (name,) if name in self.label_names() else ()
        return tuple(label for label in self.model.outputs.chunk_labels() if split_tag(label)[1] == name)

    def times_seen(self, label: str, counts: Mapping[str, int]) -> int:
        """How many tokens of the training data had the label, or any label of the type of segments. counts: by label."""
        return counts.get(label, 0)

    def count(self) -> int:
        """The number of weights that are not zero."""
        return int(np.count_nonzero(self.model.weights.flat()))


def by_name(model: Model) -> WeightsByName:
    found: WeightsByName = registry.of_structure("weights by name", model.structure)(model)
    return found


def boundary_name(value: int) -> str:
    """CRF++'s names for positions outside the sentence: _B-1 is one before it, _B+1 one after."""
    return f"_B-{value + 1}" if value < boundary_reach else f"_B+{value - boundary_reach + 1}"


def ngram_texts(model: Model, pairs: Sequence[tuple[Any, Any]], family: int, ngram: int) -> list[str]:
    """The texts of an n-gram, first element first. pairs: for every family, the parents and the values of its n-grams."""
    texts: list[str] = []
    while family >= 0:
        parents, values = pairs[family]
        parent, attribute, _ = model.features.program.families[family]
        texts.append(text_of(model, attribute, int(values[ngram])))
        family, ngram = parent, int(parents[ngram])
    return texts[::-1]


def text_of(model: Model, attribute: int, value: int) -> str:
    if value < boundary_values:
        return boundary_name(value)
    return str(model.features.alphabets[attribute].text(value - boundary_values))
