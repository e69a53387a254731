"""A trained model of any structure: features, weights, and the outputs that they score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata._core import (
    Alphabet,
    ChainWeights,
    FeatureIndex,
    Folded,
    Instances,
    NamedChain,
    Rules,
    StoredChain,
    allow,
    unbounded,
)
from riata.data.types import Column, Corpus, Ids, KnownLabels
from riata.errors import DataError, ModelFileError, UnsupportedError
from riata.features.attributes import builtin, teach
from riata.features.compile import Features
from riata.inference.rules.legality import Mask
from riata.inference.structure import EXACT, SPACE, Decoder, Risk
from riata.models.container import Arrays
from riata.models.outputs import NO_CODES, Outputs, Values, Weights
from riata.models.parts import LARGEST_WEIGHT, ngram_sizes, weight_bytes

Of = TypeVar("Of")
Or = TypeVar("Or")


def of_kind(value: object, kind: type[Of]) -> Of:
    """A value as an object of this class, for files of a structure that know its class."""
    assert isinstance(value, kind)
    return value


def of_precision(weights: Weights, precisions: tuple[type[Of], type[Or]]) -> Of | Or:
    """Weights as an object of one of these two classes, for files of a structure that know their classes."""
    assert isinstance(weights, precisions)
    return weights


@dataclass(frozen=True, eq=False)
class Model:
    """Immutable. What differs between structures is asked of the outputs."""

    features: Features
    held: Weights | StoredWeights
    outputs: Outputs

    @classmethod
    def blank(cls, features: Features, outputs: Outputs, *, single: bool = True, **sizes: int) -> Model:
        """A model that has learnt nothing. sizes: further sizes of its weights, such as the longest segment."""
        return cls(features, outputs.new_weights(features, outputs.precisions[not single], **sizes), outputs)

    def with_weights(self, weights: Weights, features: Features | None = None) -> Model:
        """The same model with other weights and, if they are given, other features."""
        return Model(features or self.features, weights, self.outputs)

    def features_as(self, kind: type[Of]) -> Of:
        """The features as an object of this class, for files of a structure that know their class."""
        return of_kind(self.features, kind)

    def outputs_as(self, kind: type[Of]) -> Of:
        """The outputs as an object of this class, for files of a structure that know their class."""
        return of_kind(self.outputs, kind)

    def weights_as(self, precisions: tuple[type[Of], type[Or]]) -> Of | Or:
        """The weights as an object of one of these two classes, for files of a structure that know their classes."""
        return of_precision(self.weights, precisions)

    @cached_property
    def weights(self) -> Weights:
        return self.held.unfolded() if isinstance(self.held, StoredWeights) else self.held

    @property
    def single(self) -> bool:
        """Whether its weights are in single precision."""
        return isinstance(self.weights, self.outputs.precisions[0])

    @property
    def structure(self) -> str:
        """The name of its structure."""
        return self.outputs.structure

    @property
    def labels(self) -> tuple[str, ...]:
        return self.outputs.labels

    @property
    def local(self) -> bool:
        """Whether the scores of every step are normalised or truncated by themselves, so that the model is not linear."""
        return self.outputs.is_local(self.weights)

    def decode(
        self, instances: Instances, decoder: Decoder = EXACT, progress: Callable[[int], None] | None = None
    ) -> Ids:
        """The label ids of every token."""
        return self._label_ids(self._codes(instances, decoder, progress), instances)

    def _codes(self, instances: Instances, decoder: Decoder, progress: Callable[[int], None] | None = None) -> Ids:
        if decoder.risk is not None:
            return self._least_risk(instances, decoder.risk, progress)[0]
        if decoder.queue == EXACT.queue and self.outputs.exact_refusal(self.features) is not None:
            decoder = _unbounded(decoder, "operations")
        codes: Ids = self.weights.decode(self.features.index, instances, vars(decoder), progress)
        return codes

    def _least_risk(
        self, instances: Instances, risk: Risk, progress: Callable[[int], None] | None = None
    ) -> tuple[Ids, Values]:
        self._check_exact(f"decode={risk.decode!r} asks for probabilities over all outputs", "Set decode=best")
        return self.outputs.least_risk(self, instances, risk, progress)

    def expected(self, corpus: Corpus, risk: Risk) -> Values:
        """What the outputs of least expected loss are expected to have right: [S, 3], see Outputs.least_risk."""
        return self._least_risk(self.instances(corpus), risk)[1]

    def _label_ids(self, codes: Ids, instances: Instances) -> Ids:
        return self.outputs.label_ids(codes, instances.starts())

    @cached_property
    def folded(self) -> FoldedModel | NamedModel | None:
        """The model in its fastest form, if there is one."""
        return self.outputs.fast_form(self)

    def takes_few(self, sentences: list[Any]) -> bool:
        """Whether these are so few tokens that they are labelled sooner without the fastest form, which takes long to make."""
        if not isinstance(self.held, StoredWeights) or "weights" in vars(self):
            return False
        return all(isinstance(each, (list, tuple)) for each in sentences) and self.held.takes(sum(map(len, sentences)))

    def predict(self, corpus: Corpus, decoder: Decoder = EXACT, threads: int = 1) -> Ids:
        """The label ids of every token, computed in the fastest way."""
        if decoder.kept is None and decoder.queue == EXACT.queue and corpus.known is None:
            found = self._predict_fast(corpus, threads, decoder.risk)
            if found is not None:
                return found
        return self.outputs.label_ids(self._predict_codes(corpus, decoder, threads), corpus.starts)

    def predict_codes(self, corpus: Corpus, decoder: Decoder = EXACT, threads: int = 1) -> Ids:
        """The codes of what `predict` gives. Where tags are chosen, they say these too."""
        if self.outputs.chosen:
            return self._predict_codes(corpus, decoder, threads)
        return self.outputs.codes(self.predict(corpus, decoder, threads), corpus.starts)

    def _predict_codes(self, corpus: Corpus, decoder: Decoder, threads: int) -> Ids:
        if decoder.kept is not None:
            from riata.models.constrained import predicted

            return predicted(self, corpus, decoder, threads)
        if corpus.known is not None and self.outputs.may_lose_given:
            from riata.models.searched_lists import with_known

            return with_known(self, corpus, decoder, threads)
        return self._codes(self.instances(corpus, threads), decoder)

    def chosen(self, corpus: Corpus, decoder: Decoder, threads: int = 1) -> tuple[Ids, Column]:
        """The label ids of every token, and the tags that were chosen with them."""
        codes = self._predict_codes(corpus, decoder, threads)
        return self.outputs.label_ids(codes, corpus.starts), self.outputs.chosen_tags(codes)

    @cached_property
    def unlimited(self) -> Model | None:
        """The model without its dictionary of words; None: nothing limits it."""
        dictionary = self.features.dictionary
        limited = dictionary is not None and dictionary.least > 0
        return self.with_weights(self.weights, self.features.unlimited()) if limited else None

    def made_to_keep(
        self, corpus: Corpus, labels: Ids, decoder: Decoder, threads: int = 1, *, lenient: bool = False
    ) -> Ids:
        """These labels, where they keep the decoder's constraints; elsewhere the best that do. lenient: where none do, they stay."""
        from riata.models.constrained import made_to_keep

        return made_to_keep(self, corpus, labels, decoder, threads, lenient=lenient)

    def _predict_fast(self, corpus: Corpus, threads: int, risk: Risk | None) -> Ids | None:
        if risk is not None:
            flags = self.outputs.risk_flags(risk)
            return None if self.folded is None else self.folded.least_risk(corpus, threads, (vars(risk), *flags))
        found: Ids | None = None
        if isinstance(self.held, StoredWeights) and "weights" not in vars(self):
            found = self.held.predict_few(corpus)
        return self.folded.predict(corpus, threads) if found is None and self.folded is not None else found

    def instances(self, corpus: Corpus, threads: int = 1) -> Instances:
        """The instances of a corpus, with the known labels that decoding must keep."""
        instances: Instances = self.features.instances(corpus, threads)
        if corpus.known is not None:
            known = self.outputs.as_known(self.weights, corpus.known)
            allow(instances, known.sets, known.of)
            self.check_known(corpus)
        return instances

    def check_known(self, corpus: Corpus) -> None:
        """Refuses known labels that no output has."""
        assert corpus.known is not None
        stuck = self.stuck(corpus, corpus.known)
        if len(stuck):
            raise self.outputs.as_known(self.weights, corpus.known).impossible(corpus, int(stuck[0]))

    def stuck(self, corpus: Corpus, known: KnownLabels) -> NDArray[np.int64]:
        """For sentences without an output that agrees with these labels, the first token at which none is left."""
        return self.outputs.stuck(self.weights, corpus.starts, self.outputs.as_known(self.weights, known))

    def confidences(
        self, corpus: Corpus, decoder: Decoder, temperatures: Sequence[float], *, chunks: bool
    ) -> tuple[Ids, Values]:
        """The label ids of every token, [N], and the confidence in them at every temperature, [temperatures, columns, N].

        For chunks, a token has the confidence of its chunk. With exact decoding, the confidence is summed over all outputs; if dynamic
        programming cannot do that, by a beam without a limit.
        """
        if decoder.kept is not None and decoder.queue == EXACT.queue:
            from riata.models.constrained_lists import confident

            return confident(self, corpus, decoder, temperatures, chunks=chunks)
        return self._confidences(corpus, decoder, temperatures, NO_CODES, chunks=chunks)

    def given_confidences(
        self, corpus: Corpus, decoder: Decoder, temperatures: Sequence[float], labels: Ids, *, chunks: bool
    ) -> tuple[Ids, Values]:
        """`confidences` of these label ids."""
        codes = self.outputs.codes(labels, corpus.starts)
        return self._confidences(corpus, decoder, temperatures, codes, chunks=chunks)

    def _confidences(
        self, corpus: Corpus, decoder: Decoder, temperatures: Sequence[float], given: Ids, *, chunks: bool
    ) -> tuple[Ids, Values]:
        """given: the codes of the outputs; empty: they are looked for."""
        instances = self.instances(corpus)
        if decoder.queue == EXACT.queue:
            if not len(given):
                given = self._codes(instances, decoder)  # among outputs of equal score, the beam may find another one
            summed = self.outputs.summed_confidences(self, instances, given, temperatures, chunks=chunks)
            if summed is not None:
                return self._label_ids(given, instances), summed
            self.check_searched("confidences come from sums over all outputs or from a search")
            decoder = _unbounded(decoder, "operations" if self.outputs.levelled else "prefix")
        elif decoder.kept is not None:
            exact = EXACT.queue in registry.get("structure", self.structure).queues
            raise UnsupportedError(
                f"The confidence of what the queue {decoder.queue!r} keeps does not look at constraints.",
                remedy="Leave out constraints" + (", or set_params(queue='exact', beam=None)." if exact else "."),
            )
        index, at, flags = self.features.index, np.array(temperatures, np.float64), self.outputs.chunk_flags(chunks)
        codes, values = self.weights.confidences(index, instances, vars(decoder), *flags, at, given)
        return self._label_ids(codes, instances), values.reshape(len(temperatures), self.outputs.columns, -1)

    def probabilities(self, corpus: Corpus, temperature: float) -> tuple[Values, Values]:
        """The probability of every label at every token, over all outputs, [N, labels]; and log Z of every sentence. Scores are divided by
        the temperature.
        """
        self._check_exact(
            "Probabilities are summed over all outputs", "predict_confidence gives that of what was predicted"
        )
        log_z, rows = self.outputs.probabilities(self, self.instances(corpus), temperature)
        return rows.reshape(-1, len(self.labels)), log_z

    def masked(self, corpus: Corpus, decoder: Decoder, what: str) -> tuple[Model, Corpus]:
        """The model and the corpus for what looks at all outputs, so that it looks only at those that keep constraints.

        Refuses constraints that dynamic programs cannot keep. what: what looks at all outputs, in words.
        """
        if decoder.kept is None:
            return self, corpus
        from functools import partial

        from riata.models.masked import masked
        from riata.models.nothing_legal import nothing_legal

        found = masked(self, decoder)
        if found is None:
            raise UnsupportedError(
                f"{what}; it keeps constraints only where a dynamic program finds the best output, with queue='exact'.",
                remedy="constraints=False leaves them out.",
            )
        return found.model, found.only_masks(corpus, partial(nothing_legal, self, decoder, corpus), what)

    def nbest(self, corpus: Corpus, n: int, decoder: Decoder = EXACT) -> list[list[tuple[Ids, float]]]:
        """For every sentence the n best outputs, as label ids, with their scores; fewer if there are fewer."""
        if self.outputs.lists_searched:
            from riata.models.searched_lists import searched_labels

            return searched_labels(self, corpus, n, decoder)
        if decoder.kept is not None:
            from riata.models.constrained_lists import listed

            return listed(self, corpus, n, decoder)
        counts, codes, scores = self.weights.nbest(self.features.index, self.instances(corpus), n)
        lengths = np.repeat(np.diff(corpus.starts), counts)
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        ids = self.outputs.label_ids(codes, starts)
        each = [(ids[low:high], score) for low, high, score in zip(starts, starts[1:], scores.tolist(), strict=False)]
        ends = np.cumsum(counts).tolist()
        return [each[end - count : end] for count, end in zip(counts.tolist(), ends, strict=True)]

    def searched_lists(self, corpus: Corpus, n: int, decoder: Decoder) -> list[list[tuple[Ids, float]]]:
        """For every sentence the codes of the n best outputs that the search has ended with, and their scores."""
        from riata.models.searched_lists import searched

        return searched(self, corpus, n, decoder)

    def plainly_kept(self, decoder: Decoder) -> tuple[Model | None, Rules | None]:
        """For constraints that are the same for all sentences: a form of the model that keeps some of them, and the rules that are left.

        The form is None if it is the model, or if sentences of some lengths have no output in it.
        """
        if decoder.kept is None:
            return None, None
        from riata.models.masked import masked

        found = masked(self, decoder)
        if found is None or found.model is self or not found.model.outputs.is_complete:
            return None, decoder.kept.same
        return found.model, None if found.rest is None else found.rest.same

    def check_nbest(self, decoder: Decoder) -> None:
        """Refuses lists of the best outputs if they would not be exact, unless no list of the structure is."""
        if self.outputs.lists_searched:
            return
        self._check_exact("The n best outputs are found exactly", "Use predict")
        if decoder.queue != EXACT.queue:
            raise UnsupportedError(
                f"The n best outputs are found exactly; the queue {decoder.queue!r} keeps what a search happens to meet.",
                remedy="set_params(queue='exact', beam=None).",
            )
        if decoder.risk is not None:
            raise UnsupportedError(
                f"The n best outputs are the most probable ones; decode={decoder.risk.decode!r} chooses one output by the probabilities of "
                "its parts.",
                remedy="Set decode=best, or leave out the list.",
            )

    def _check_exact(self, what: str, instead: str) -> None:
        refusal = self.outputs.exact_refusal(self.features)
        if refusal is not None:
            raise UnsupportedError(f"{what}: {refusal.reason}.", remedy=f"{instead}; or {refusal.remedy}.")

    @property
    def is_searched(self) -> bool:
        """Whether its structure is searched step by step."""
        return SPACE in registry.get("structure", self.structure).offers

    def check_searched(self, what: str) -> None:
        """Refuses what needs a search, if the structure has none. what: the thing that needs it, in words."""
        if not self.is_searched:
            raise UnsupportedError(
                f"The structure {self.structure!r} is not searched step by step; {what}.",
                remedy="explain shows what speaks for every part of the output."
                if self.outputs.scored_by_parts
                else "predict gives the best output, and state_features_ the weights behind it.",
            )

    def exact_is_cheap(self, longest: int) -> bool:
        """Whether exact search for a sentence of this length takes little time."""
        return self.outputs.exact_is_cheap(self.features, longest)

    def scores_of(self, instances: Instances, labels: Ids) -> Values:
        """The score of given label ids, sentence by sentence: [S]."""
        codes = self.outputs.codes(labels, instances.starts())
        scores: Values = self.weights.scores_of(self.features.index, instances, codes)
        return scores

    def impossible(self, corpus: Corpus, labels: Ids) -> NDArray[np.bool_]:
        """[N] whether the given label of a token cannot be given by any search."""
        return self.outputs.impossible(self, corpus, labels)

    def margins(
        self, instances: Instances, truth: Ids, settings: Mapping[str, Any], tags: Column | None = None
    ) -> dict[str, Any]:
        """The margins of a search with the queue of these settings. truth: the true label ids, [N]. tags: the true ones, where they are
        chosen; None: any tag is right.
        """
        codes = self.outputs.codes(truth, instances.starts())
        codes = codes if tags is None else self.outputs.with_tags(codes, tags)
        found: dict[str, Any] = self.weights.margins(self.features.index, instances, codes, dict(settings))
        return found

    def rounded(self, array_width: int | None) -> Model:
        """The model as a file stores it: in single precision, so that it predicts the same after loading."""
        if self.single:
            return self
        header, arrays = self.to_parts()
        functions = {**self.features.functions, **self.outputs.functions()}
        return type(self.outputs).from_parts({**header, "array_width": array_width}, arrays, functions)

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """The model as header and arrays, without features that have no weight."""
        self._check_weights()
        return self.outputs.to_parts(self)

    def _check_weights(self) -> None:
        flat = self.weights.flat()
        largest = float(max(flat.max(initial=0.0), -flat.min(initial=0.0)))
        if not largest <= LARGEST_WEIGHT:
            raise DataError(
                f"training has led to a weight of {largest:g}; a model file has numbers up to {LARGEST_WEIGHT:g}.",
                remedy="Divide the values of features, or the weights of sentences or classes, by a large number.",
            )


def _unbounded(decoder: Decoder, beam_by: str) -> Decoder:
    """A beam that keeps everything. Since equal states are merged, it is exact."""
    return replace(decoder, queue="beam", beam=unbounded, beam_by=beam_by, merge=True)


RiskArguments: TypeAlias = tuple[dict[str, Any], Ids, Mask]  # a Risk, and which chunks labels stand for

MOST_BYTES = 64 << 20  # bytes of word types that are stored; above it all are dropped and added again when they occur


class FoldedModel:
    """Gives the same labels as the model, including ties."""

    def __init__(self, features: Features, weights: ChainWeights) -> None:
        self._features, self._weights = features, weights  # the native side refers to them
        known = builtin()
        names = [
            name if features.functions.get(name) is known.get(name, features) else ""
            for name, _ in features.program.attributes
        ]
        dictionary = None if features.dictionary is None else features.dictionary.frequent()
        self._native = Folded(features.index, weights, names, features.alphabets, dictionary)

    def meet_known(self) -> None:
        """Adds the types of training data if that is cheap: if only their texts are read."""
        for c in range(self._native.columns):
            attributes = self._native.attributes(c)
            if [self._features.program.attributes[a][0] for a in attributes] == ["identity"]:
                texts = self._features.alphabets[attributes[0]]
                self._native.resolve(c, texts, np.arange(len(texts), dtype=np.int32))

    def predict(self, corpus: Corpus, threads: int = 1) -> Ids:
        return self._decoded(corpus, threads)

    def least_risk(self, corpus: Corpus, threads: int, risk: RiskArguments) -> Ids | None:
        """The labels of least expected loss."""
        return self._decoded(corpus, threads, risk)

    def _decoded(self, corpus: Corpus, threads: int, risk: RiskArguments | None = None) -> Ids:
        native = self.table()
        types = []
        for c in range(native.columns):
            if not native.attributes(c):
                types.append(np.empty(0, np.int32))
                continue
            column = corpus.columns[c]
            table, missing = native.resolve(c, column.alphabet, column.ids)
            if len(missing):
                table[missing] = self._add(native, c, column.alphabet, missing.tolist())
            types.append(table[column.ids])
        return native.decode(types, corpus.starts, threads, risk)

    def label(
        self, sentences: list[Any], columns: int, labels: list[str], rules: Rules | None = None
    ) -> list[list[str]] | None:
        """The labels of plain sentences, lists of strings or of tuples of strings; None for other input, which must be checked first, and
        if labels break rules.
        """
        return self.table().label(sentences, columns, labels, rules)

    def table(self) -> Folded:
        """The types met so far, or a new table if there are too many. Threads that have the old table can continue to use it."""
        if self._native.bytes > MOST_BYTES:
            self._native = self._native.fresh()
        return self._native

    def _add(self, native: Folded, column: int, alphabet: Alphabet, ids: Iterable[int]) -> list[int]:
        texts = [alphabet.text(i) for i in ids]
        teach(texts)  # next time, the core will find their types
        values = [self._features.look_up(a, texts) for a in native.attributes(column)]
        return [native.add(column, text, row) for text, *row in zip(texts, *values, strict=True)]


def foldable(features: Features) -> bool:
    """Whether templates read nothing but word types and earlier labels."""
    program = features.program
    return bool(program.attributes) and not (
        features.bits or features.lists or program.numbers or len(features.given) or features.vectors
    )


MOST_FEW_TOKENS = 1000  # tokens that a loaded model labels before its weights are unpacked
MOST_FEW_BYTES = 16 << 20  # bytes of the weights of these tokens


class StoredWeights:
    """Checked stored weights. The index and the weights, which take time and memory, are created when they are first needed."""

    def __init__(
        self, features: Features, stored: StoredChain, outputs: Outputs, *, local: bool, truncated: bool
    ) -> None:
        """Whether the scores of every step are normalised by themselves, or truncated."""
        self._features, self._stored, self._outputs = features, stored, outputs
        self._local, self._truncated = local, truncated
        self._left = MOST_FEW_TOKENS
        if stored.ordered:
            features.fill_later(stored.enter)
        else:
            stored.enter(features.index)

    def unfolded(self) -> ChainWeights:
        return self._weights_of(self._features.index, self._stored.weights)

    def takes(self, tokens: int) -> bool:
        """Whether `predict_few` may label so many tokens more."""
        features = self._features
        return tokens <= self._left and self._stored.ordered and foldable(features) and not features.program.history

    def predict_few(self, corpus: Corpus) -> Ids | None:
        """The label ids of the tokens, if there are only few, with the weights of their own n-grams only.

        None if there are more tokens.
        """
        features = self._features
        if not self.takes(corpus.tokens):
            return None
        self._left -= corpus.tokens
        index = features.empty_index()
        instances = features.limited(index.extend(features.values(corpus), corpus.starts, 1, 1), corpus)
        if weight_bytes(features, ngram_sizes(features, index), len(self._outputs.labels)) > MOST_FEW_BYTES:
            return None
        return self._weights_of(index, self._stored.weights_of).decode(index, instances, vars(EXACT))

    def _weights_of(
        self, index: FeatureIndex, unfolded: Callable[[FeatureIndex, ChainWeights], ChainWeights]
    ) -> ChainWeights:
        try:
            blank = of_kind(self._outputs.new_weights(self._features, ChainWeights), ChainWeights)
            weights = unfolded(index, blank)
        except MemoryError:
            raise ModelFileError("the model asks for more memory than there is.") from None
        weights.local, weights.truncated = self._local, self._truncated
        return weights


class NamedModel:
    """Gives the same labels as the model, including ties."""

    def __init__(self, features: Features, weights: ChainWeights) -> None:
        self._features, self._weights = features, weights
        self._native = NamedChain(features.index, weights, features.given)

    def meet_known(self) -> None:
        """Nothing to prepare: names are looked up in the alphabet of training."""

    def predict(self, corpus: Corpus, threads: int = 1) -> Ids:
        return self._weights.decode(self._features.index, self._features.instances(corpus), vars(EXACT))

    def least_risk(self, corpus: Corpus, threads: int, risk: RiskArguments) -> Ids | None:
        """There is no faster way than that of the model."""
        return None

    def label(
        self, sentences: list[Any], columns: int, labels: list[str], rules: Rules | None = None
    ) -> list[list[str]] | None:
        """The labels of plain sentences, lists of dictionaries; None for other input, and under rules, which must be checked first."""
        return None if rules is not None else self._native.label(sentences, labels)


def is_named(features: Features) -> bool:
    """Whether named features are all that is read of the input."""
    program = features.program
    return not (features.bits or features.lists or program.attributes or program.numbers or features.vectors)
