"""What a model asks of its structure: labels and codes of outputs, whether exact search can find them, blank weights, parts of a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances
from riata._core import Weights as SingleWeights
from riata._core import Weights64 as DoubleWeights
from riata.data.types import Column, Corpus, Ids, KnownLabels, Starts
from riata.errors import UnsupportedError
from riata.features.attributes import Attribute
from riata.features.compile import Features
from riata.features.templates import Template
from riata.inference.rules.legality import Legality, Mask
from riata.inference.structure import SPANS, Risk
from riata.models.container import Arrays

if TYPE_CHECKING:
    from riata.data.encodings.base import Encoding
    from riata.inference.rules.rules import Rules
    from riata.inference.rules.slots import LabelNames
    from riata.models.model import FoldedModel, Model, NamedModel

Weights: TypeAlias = SingleWeights | DoubleWeights  # of any structure
WeightsKind: TypeAlias = type[SingleWeights] | type[DoubleWeights]
Values = NDArray[np.float64]
NO_CODES: Ids = np.empty(0, np.int32)
NO_CHUNKS: tuple[Ids, Mask] = (NO_CODES, np.empty(0, np.uint8))


class Refusal(NamedTuple):
    """Why dynamic programming cannot find the best output."""

    reason: str
    template: Template | None  # the template that is the reason; None: the structure is
    remedy: str


class BestKept(NamedTuple):
    """The best output that keeps rules; by how much the best may be better; whether there is none if codes is None."""

    codes: Ids | None
    gap: float = 0.0
    complete: bool = True


class Outputs(ABC):
    """All outputs that a model can give. In `structures`, one file per structure, with its name, defines OUTPUTS, a subclass of this."""

    structure: ClassVar[str]
    precisions: ClassVar[tuple[type[SingleWeights], type[DoubleWeights]]]  # classes of the core
    columns: ClassVar[int] = 1  # labels per token
    chosen: tuple[str, ...] = ()  # tags that are chosen beside the labels
    # Whether all states of one position are the same number of steps away from the start.
    levelled: ClassVar[bool] = True

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The texts of labels, by their ids."""

    @abstractmethod
    def new_weights(self, features: Features, kind: WeightsKind, **sizes: int) -> Weights:
        """Weights that are all zero. kind: one of `precisions`; sizes: further sizes of the weights."""

    def codes(self, labels: Ids, starts: Starts) -> Ids:
        """Label ids of all tokens as codes of the core."""
        return labels

    def label_ids(self, codes: Ids, starts: Starts) -> Ids:
        """Codes of the core as label ids of all tokens."""
        return codes

    def chosen_tags(self, codes: Ids) -> Column:
        """The tags that codes of the core say, where tags are chosen."""
        raise NotImplementedError  # for structures that do not offer chosen tags

    def with_tags(self, codes: Ids, tags: Column) -> Ids:
        """Codes whose tags are open, with these tags; a tag that the model does not have stays open. Where tags are chosen."""
        raise NotImplementedError

    def with_tags_open(self, codes: Ids, like: Ids) -> Ids:
        """The codes, with tags left open where these others leave them open. Where tags are chosen."""
        raise NotImplementedError

    @abstractmethod
    def exact_refusal(self, features: Features) -> Refusal | None:
        """Why dynamic programming cannot find the best output; None: it can."""

    def exact_is_cheap(self, features: Features, longest: int) -> bool:
        """Whether exact search for a sentence of this length takes little time."""
        return self.exact_refusal(features) is None

    def impossible(self, model: Model, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """[N] whether the given label of a token cannot be given by any search. Labels that may not follow each other already have the
        score -inf.
        """
        return np.zeros(len(labels), bool)

    def as_known(self, weights: Weights, known: KnownLabels) -> KnownLabels:
        """The known labels as sets of codes of the core. A structure whose search does not use them refuses."""
        raise UnsupportedError(
            f"the structure {self.structure!r} cannot keep to labels that are given.", remedy="Leave out given."
        )

    # Whether lists of the best outputs are what a search has ended with, since nothing finds them exactly.
    lists_searched: ClassVar[bool] = False
    may_lose_given: ClassVar[bool] = (
        False  # whether a search may leave the ways to outputs that agree with known labels
    )

    def stuck(self, weights: Weights, starts: Starts, known: KnownLabels) -> NDArray[np.int64]:
        """For sentences without an output that agrees with the known labels, the first token at which none is left."""
        return np.empty(0, np.int64)

    def chunk_flags(self, chunks: bool) -> tuple[Ids, Mask]:
        """The chunks that labels stand for, in the form of the core. chunks: whether labels stand for chunks."""
        return NO_CHUNKS

    def least_risk(
        self, model: Model, instances: Instances, risk: Risk, progress: Callable[[int], None] | None = None
    ) -> tuple[Ids, Values]:
        """The codes of least expected loss; and for every sentence, [S, 3], how many labels or chunks are expected to be right, how many
        there are, and how many the truth is expected to have.
        """
        index, flags = model.features.index, self.risk_flags(risk)
        codes, expected = model.weights.least_risk(index, instances, vars(risk), *flags, progress)
        return codes, expected.reshape(-1, 3)

    def risk_flags(self, risk: Risk) -> tuple[Ids, Mask]:
        """The chunks that labels stand for, if chunks are counted."""
        return self.chunk_flags(True) if risk.decode == SPANS else NO_CHUNKS

    def probabilities(self, model: Model, instances: Instances, temperature: float) -> tuple[Values, Values]:
        """log Z of every sentence, and the probability of every label at every token, by dynamic programming."""
        raise UnsupportedError(
            f"The structure {self.structure!r} has no probabilities: nothing sums over all of its outputs.",
            remedy="predict gives the best output, and predict_nbest the best few.",
        )

    def summed_confidences(
        self, model: Model, instances: Instances, codes: Ids, temperatures: Sequence[float], *, chunks: bool
    ) -> Values | None:
        """The model's confidence in these outputs, by dynamic programming, [temperatures, columns, N]; None: there is no such program."""
        return None

    def is_local(self, weights: Weights) -> bool:
        """Whether the scores of every step are normalised or truncated by themselves, so that the model is not linear."""
        return False

    def fast_form(self, model: Model) -> FoldedModel | NamedModel | None:
        """The model in its fastest form (FoldedModel); None: there is none."""
        return None

    @property
    def are_free(self) -> bool:
        """Whether every label may follow every other even though labels are chunk labels: models of other tools give illegal sequences."""
        return False

    def label_names(self, encoding: Encoding | None) -> LabelNames:
        """What the names in constraints stand for: the labels of slots, numbered as parts of the core are. encoding: of chunk labels, as
        they are learnt; None: labels stand for no chunks.
        """
        raise UnsupportedError(
            f"the structure {self.structure!r} cannot be decoded under constraints: nothing searches it step by step.",
            remedy="Leave out constraints, or use structure='joint' for tags with chunk labels.",
        )

    # What constraints become in dynamic programs (models/masked.py).
    takes_sets: ClassVar[bool] = False  # whether decoding takes sets of labels that tokens may have
    labels_every_slot: ClassVar[bool] = True  # whether every slot has a label

    @property
    def is_complete(self) -> bool:
        """Whether a sentence of any length has an output, as far as neighbouring labels say."""
        return True

    def stuck_alone(self, starts: Starts) -> NDArray[np.int64]:
        """For sentences that neighbouring labels leave no output, the first token at which none is left."""
        return np.empty(0, np.int64)

    def limited(self, model: Model, columns: Sequence[Legality]) -> Model | None:
        """The same model, whose labels also follow each other only so, output column by output column; None: it knows no such masks."""
        return None

    def tag_sets(self, sets: Mask, *, everywhere: bool) -> Mask | None:
        """Sets of parts, [M, labels of slots], as sets of labels of tokens, [M, labels]; None: these do not say it.

        everywhere: whether they hold for all tokens.
        """
        return None

    def slot_labels(self, codes: Ids) -> NDArray[np.int32]:
        """The labels of the slots of one sentence, [T] or [T, 2], numbered as `label_names` does; -1: a slot without a label."""
        return codes

    def all_slot_labels(self, codes: Ids, starts: Starts) -> NDArray[np.int32]:
        """The labels of the slots of all sentences, as many at every token, -1 for none."""
        return self.slot_labels(codes)

    def with_slot(self, labels: NDArray[np.int32], other: NDArray[np.int32], slot: int) -> NDArray[np.int32]:
        """Labels of slots, with those of one slot as in another output of the sentence."""
        found = labels.copy()
        found[slot] = other[slot]
        return found

    scored_by_parts: ClassVar[bool] = (
        False  # whether outputs are explained part by part, since there is no search to show
    )
    branches: ClassVar[bool] = (
        False  # whether it has a search of its own for the best output that keeps rules, best_kept
    )

    def best_kept(self, model: Model, alone: Corpus, rules: Rules, seconds: float) -> BestKept:
        """The best output of one sentence that keeps rules."""
        raise NotImplementedError

    def slot_scores(self, model: Model, instances: Instances, sentence: int) -> tuple[Values, Values | None] | None:
        """The scores of labels, [T, L], and of neighbouring labels, [L, L] or [T, L, L], or None if they have none; minus infinity forbids.
        None: outputs are not scored so.
        """
        return None

    def chunk_labels(self) -> Sequence[str]:
        """The labels that are chunk labels, if there are any."""
        return self.labels

    @abstractmethod
    def memory(self, features: Features) -> tuple[str, int]:
        """What the weights are for, in words, and their size in bytes."""

    def trained_with(self) -> dict[str, Any]:
        """Settings of training without which its outputs mean nothing, so that predictions cannot have others."""
        return {}

    def functions(self) -> dict[str, Callable[..., Any]]:
        """The user's functions that are values of settings, by their role in a model file: SETTING and the name of the setting."""
        return {}

    @abstractmethod
    def to_parts(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without features that have no weight."""

    @classmethod
    @abstractmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, functions: Mapping[str, Attribute]) -> Model:
        """The model from header and arrays. Raises ModelFileError if anything is inconsistent."""
