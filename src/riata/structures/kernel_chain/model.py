"""Labels of tokens that are scored by a kernel function: what a model asks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riata._core import Instances, KernelWeights, KernelWeights64, feature_count
from riata.data.types import Ids
from riata.errors import ModelFileError
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.features.templates import NUMBER, parse
from riata.inference.kernel_settings import KERNELS, SMALLEST
from riata.models.container import SETTING, Arrays
from riata.models.model import Model, of_kind
from riata.models.outputs import Refusal, Values, Weights, WeightsKind
from riata.models.parts import (
    KEY,
    MOST_LABELS,
    dictionary_header,
    feature_header,
    narrow,
    read_alphabet,
    read_array,
    read_dictionary,
    read_features,
    read_ids,
    read_legality,
    read_strings,
    read_templates,
    read_vectors,
    read_weights,
    row_width,
    store_dictionary,
    store_features,
    store_texts,
    store_vectors,
    store_weights,
)
from riata.models.user_kernel import UserKernel
from riata.structures.chain.model import ChainOutputs
from riata.structures.kernel_chain.structure import check_of_tokens

PRECISIONS = KernelWeights, KernelWeights64
OWN = "own"  # the name of a kernel function of the user in a model file,
ROLE = f"{SETTING}kernel"  # and its role there


@dataclass(frozen=True, eq=False)
class KernelOutputs(ChainOutputs):
    """The labels, which may follow each other as in a chain, and the kernel function. kernel: its name, or a function of the user, in the
    form that the core takes.
    """

    kernel: str | UserKernel
    degree: int
    gamma: float
    coefficient: float
    budget: int = 0  # how many support tokens training keeps; 0: all
    threads: int = 1  # that compute kernel rows

    structure = "kernel-chain"
    precisions: ClassVar[Any] = PRECISIONS

    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        assert issubclass(kind, PRECISIONS)
        start, end, follow = self.legality
        weights = kind(len(self.labels), start, end, follow, self.kernel, self.degree, self.gamma, self.coefficient)
        weights.budget, weights.threads = self.budget, self.threads
        return weights

    def exact_refusal(self, features: Features) -> Refusal | None:
        return None

    def exact_is_cheap(self, features: Features, longest: int) -> bool:
        return True

    def slot_scores(self, model: Model, instances: Instances, sentence: int) -> tuple[Values, Values | None] | None:
        chain, index, tokens = model.weights_as(PRECISIONS).chain(model.features.index, instances)
        return self._scored(chain, index, tokens, sentence)

    def _summed(
        self, model: Model, instances: Instances, codes: Ids, temperatures: Sequence[float], *, chunks: bool
    ) -> list[Any]:
        chain, index, tokens = model.weights_as(PRECISIONS).chain(model.features.index, instances)
        asked = index, tokens, codes, *self.chunk_flags(chunks)
        return [chain.probabilities(*asked, temperature) for temperature in temperatures]

    def is_local(self, weights: Weights) -> bool:
        return False

    def fast_form(self, model: Model) -> None:
        """There is none: types of words have no weights that could be added up beforehand."""

    def memory(self, features: Features) -> tuple[str, int]:
        return f"{len(self.labels):,} labels", 4 * len(self.labels) * row_width(len(self.labels))

    def functions(self) -> dict[str, Callable[..., Any]]:
        return {ROLE: self.kernel.function} if isinstance(self.kernel, UserKernel) else {}

    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without support tokens that have no coefficients."""
        features, weights = model.features, model.weights_as(PRECISIONS).compact()
        header = {
            "structure": self.structure,
            "labels": list(self.labels),
            "kernel": {
                "name": self.kernel if isinstance(self.kernel, str) else OWN,
                "degree": self.degree,
                "gamma": self.gamma,
                "coefficient": self.coefficient,
            },
            **feature_header(features),
        }
        arrays: Arrays = self.legality._asdict()
        if features.dictionary is not None:
            header |= dictionary_header(features.dictionary)
            store_dictionary(features.dictionary, arrays)
        store_features(features, arrays)
        store_vectors(features, arrays)
        store_texts(arrays, "given", features.given.texts())
        counts, ids, values = weights.supports
        arrays |= {"support/counts": narrow(counts), "support/ids": narrow(ids), "support/values": values}
        store_weights(weights.flat(), arrays)
        return header, arrays

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
        labels = read_strings(header, "labels")
        if not labels or len(set(labels)) != len(labels) or len(labels) > MOST_LABELS:
            raise ModelFileError("the model's labels are inconsistent")
        functions = dict(functions)
        kernel = _kernel_in(header, functions.pop(ROLE, None))
        outputs = cls(tuple(labels), read_legality(arrays, len(labels)), *kernel)
        templates, lists = read_templates(header, arrays, parse, {*functions, NUMBER})
        check_of_tokens(templates)
        features = Features(templates, functions, lists)
        features.vectors = read_vectors(arrays)
        if KEY in header:
            features.dictionary = read_dictionary(header, arrays, tuple(labels))
        read_features(features, arrays)
        features.given = read_alphabet(arrays, "given")
        weights = of_kind(outputs.new_weights(features, KernelWeights), KernelWeights)
        counts, ids = read_ids(arrays, "support/counts"), read_ids(arrays, "support/ids")
        values = read_array(arrays, "support/values", real=True).astype(np.float32)
        weights.set_supports(feature_count(features.index, len(features.given)), counts, ids, values)
        weights.set_flat(read_weights(arrays, (len(labels) + len(counts)) * row_width(len(labels))))
        return Model(features, weights, outputs)


def _kernel_in(header: Mapping[str, Any], function: Any) -> tuple[str | UserKernel, int, float, float]:
    """The kernel and its numbers. function: that of the user; None: the model names none."""
    found = header.get("kernel")
    names = KERNELS if function is None else (OWN,)
    if isinstance(found, Mapping) and found.get("name") in names:
        if function is not None and not callable(function):
            raise ModelFileError(
                "the kernel of the model is a function of two arrays; what was supplied cannot be called."
            )
        kernel = str(found["name"]) if function is None else UserKernel(function, _width_in(header))
        degree: Any = found.get("degree")
        gamma: Any = found.get("gamma")
        coefficient: Any = found.get("coefficient")
        numbers = isinstance(degree, int) and isinstance(gamma, float) and isinstance(coefficient, float)
        if numbers and 1 <= degree <= 20 and SMALLEST <= gamma < np.inf and 0 <= coefficient < np.inf:
            return kernel, degree, gamma, coefficient
    raise ModelFileError("the model's kernel is inconsistent")


def _width_in(header: Mapping[str, Any]) -> int | None:
    found = header.get("array_width")
    return found if isinstance(found, int) else None


OUTPUTS = KernelOutputs
