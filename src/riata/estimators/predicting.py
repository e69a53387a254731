"""Labels for sentences: the best, the k best, from memory or from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riata import registry
from riata.data.memory import is_empty
from riata.data.types import Column, Corpus, Ids
from riata.errors import SettingError
from riata.estimators.labels import Part
from riata.inference.structure import DECODE, EXACT, Decoder
from riata.parallel import THREADS, cores

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from riata.choosing.options import Options
    from riata.data.running_text import Tokenizer
    from riata.estimators.labelled_files import Additions, GivenColumns
    from riata.estimators.predictions import Predictions
    from riata.inference.kept import Kept
    from riata.models.model import Model

MOST_LISTED = 1 << 24  # labels in the list of the best labellings of one sentence


def asked_of_search(estimator: Any) -> tuple[Any, ...] | None:
    """The parameters of an estimator that choose its decoder, apart from constraints; None: they cannot be compared."""
    settings = estimator.settings
    if settings is not None and not isinstance(settings, Mapping):
        return None
    plain = tuple((settings or {}).items())
    comparable = all(isinstance(value, (str, int, float, type(None))) for _, value in plain)
    return (estimator.recipe, estimator.structure, estimator.queue, estimator.beam, plain) if comparable else None


class Predicting(Part):
    """Finds the labels of sentences, with the present parameters."""

    def prepare(self) -> None:
        model = self.model
        if self.decoder().queue == EXACT.queue and model.folded is not None:
            model.folded.meet_known()

    def decoder(self) -> Decoder:
        """How to search, from the present parameters: a trained model may be decoded with another queue or beam.

        With the temperature of the calibration, if labels are chosen by probabilities; and with constraints.
        """
        found = self.search()
        self._check_trained_with()
        if self.estimator.constraints is not None and (kept := self.kept()) is not None:
            found = replace(found, kept=kept)
        return found if found.risk is None else found.at(self.estimator.confidence.temperature())

    def kept(self, options: Options | None = None) -> Kept | None:
        """The constraints that decoding keeps; None: there are none. options: the present parameters, if they have been checked already."""
        estimator = self.estimator
        if options is None:
            from riata.choosing.options import checked

            options = checked(estimator, training=False)
        declared = options.constrained.declared
        if declared is None:
            return None
        from riata.inference.kept import Kept

        model = self.model
        functions = tuple(getattr(one, "function", None) for one in declared.constraints)  # several may have one name
        made_of = (id(model), tuple(declared.texts()), functions, estimator._softens)
        if estimator._kept is None or estimator._kept[0] != made_of:
            encoding = None if estimator.learnt_as_ is None else registry.get("encoding", estimator.learnt_as_)
            names = model.outputs.label_names(encoding)
            estimator._kept = made_of, Kept(declared, names, options.constrained.slots, estimator._softens)
        found: Kept = estimator._kept[1]
        return found

    def search(self) -> Decoder:
        """The decoder that the present parameters choose. It is stored with the model, and chosen anew once one of them is set."""
        chosen_by = asked_of_search(self.estimator)
        if chosen_by is None or self.estimator._searched is None or self.estimator._searched[0] != chosen_by:
            from riata.choosing.options import checked

            self.estimator._searched = chosen_by, checked(self.estimator, training=False).decoder
        found: Decoder = self.estimator._searched[1]
        return found

    def _check_trained_with(self) -> None:
        """Refuses settings of training that have been changed since, where the model is nothing without them."""
        model: Model | None = getattr(self.estimator, "model_", None)
        settings = self.estimator.settings
        for name, value in (model.outputs.trained_with() if settings and model is not None else {}).items():
            if (asked := settings.get(name, value)) != value:
                raise SettingError(
                    f"{name} is {asked}, but the model was trained with {value}.",
                    remedy="Set it as it was, or train anew.",
                )

    def predict(
        self,
        X: Any,
        *,
        min_confidence: float | None = None,
        given: Any = None,
        text: bool | Tokenizer = False,
        decode: str | None = None,
        constraints: bool | str | float | None = None,
    ) -> Predictions:
        from riata.estimators.predictions import Predictions

        if constraints is not None or decode is not None:
            other = self._asked(decode, constraints)
            answer: Predictions = other.predict(X, min_confidence=min_confidence, given=given, text=text)
            return answer

        model = self.model
        if text:
            X = self.split_text(X, text)
        elif type(X) is list and X and type(X[0]) is tuple:
            self.columns.check_is_no_sentence(X)
        if min_confidence is not None:
            from riata.estimators.given_labels import check_given

            check_given(given, min_confidence)
            self.estimator.confidence.check_abstains(min_confidence)
        elif given is None and type(X) is list and (found := self._at_once(model, X)) is not None:
            predictions = Predictions(found)
            predictions._about = (X, 0, self.estimator.chunks)
            return predictions
        corpus = self.columns.knowing(X, given)
        if is_empty(X):
            return Predictions([] for _ in X)
        if min_confidence is None:
            labels: list[Any] = self.labels.as_outputs(self.predict_ids(corpus))
        else:
            confidence = self.estimator.confidence
            outputs = confidence.abstaining(*confidence.confidence_ids(corpus), min_confidence)
            labels = self.labels.as_given_out(outputs)
        predictions = Predictions(
            labels[low:high] for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)
        )
        inputs, same = self.estimator.inputs_, corpus.format == self.estimator.format_
        words = corpus.origins.index(inputs[0]) if inputs and same else 0
        predictions._about = (X if isinstance(X, (list, tuple)) else corpus, words, self.estimator.chunks)
        return predictions

    def _asked(self, decode: str | None, constraints: Any) -> Any:
        """The estimator with other constraints or another decision; None: as it has them."""
        found = self.estimator
        if constraints is not None:
            from riata.estimators.constrained import switched

            found = switched(found, constraints)
        if decode is not None:
            from riata.choosing.losses import changed

            found = found.twin(settings=changed(found.settings, {DECODE: decode}))
        return found

    def split_text(self, sentences: Any, text: bool | Tokenizer = True) -> list[list[str]]:
        from riata.data.running_text import text_corpus, tokenizer_of
        from riata.estimators.labelled_files import check_reads_words

        self.estimator._check_fitted()
        check_reads_words(self.estimator)
        return text_corpus(sentences, tokenizer_of(text)).sentences_of(0)

    def _at_once(self, model: Model, sentences: list[Any]) -> list[list[str]] | None:
        """The fast path for a few sentences in plain lists; None if the sentences or the model are not plain."""
        estimator = self.estimator
        asked = (estimator.settings or {}).get(DECODE)
        facts = (
            estimator.recipe,
            estimator.structure,
            estimator.queue,
            estimator.beam,
            estimator.inputs_,
            estimator.format_,
            estimator.array_width_,
            asked,
            estimator.inference,
            tuple(constraints) if isinstance(constraints := estimator.constraints, list) else constraints,
            estimator._softens,
            id(model),
        )
        inputs = estimator.inputs_
        if estimator.__dict__.get("_plain_with") != facts:
            if estimator.format_ == "memory" and inputs != tuple(range(len(inputs))):
                return None
            decoder = self.decoder()
            if decoder.queue != EXACT.queue or decoder.risk is not None or estimator.array_width_ is not None:
                return None
            if decoder.kept is not None and decoder.kept.same is None:
                return None
            estimator._plain_model, estimator._plain_rules = model.plainly_kept(decoder)
            estimator._plain_with = facts
        plain = estimator._plain_model or model
        if plain.takes_few(sentences):
            return None
        folded, texts, check = plain.folded, estimator._texts, estimator._input
        if folded is None or texts is None or estimator.first_ is not None:
            return None
        found: list[list[str]] | None = folded.label(sentences, len(inputs), texts, estimator._plain_rules)
        if found is not None and check is not None and estimator.check_input and check.is_due(sentences):
            check.look_at_lists(sentences, estimator)
        return found

    def predict_ids(self, X: Any) -> Ids:
        """Labels as numbers, indices of `classes_`, of all tokens in one array."""
        self.estimator._check_fitted()
        if is_empty(X):
            return np.empty(0, np.int32)
        return self.labels_of(self.columns.input_columns(self.columns.sentences(X)))

    def labels_of(self, inputs: Corpus) -> Ids:
        """Labels as numbers, from the columns that the model reads."""
        found = self.model.predict(inputs, self.decoder(), self.used_threads())
        return self.labels.as_classes(found, inputs.starts)

    def used_threads(self) -> int:
        """How many threads work at once."""
        return self.asked_threads() or cores()

    def asked_threads(self) -> int | None:
        """The same as the parameter says it; None: as many as there are cores."""
        return None if self.estimator.threads is None else int(THREADS.parse(self.estimator.threads))

    def labeller(self) -> Callable[[Corpus], tuple[Corpus, Sequence[Column]]]:
        """For one corpus after another, `tagged` and the columns to write, on one thread, with the present parameters."""
        model, decoder = self.model, self.decoder()

        def label(corpus: Corpus) -> tuple[Corpus, Sequence[Column]]:
            found = self.columns.tagged(corpus)
            labels = model.predict(self.columns.input_columns(found), decoder)
            ids = self.labels.as_classes(labels, corpus.starts)
            return found, self.labels.output_columns(ids)

        return label

    def predict_file(
        self,
        source: str | Path,
        target: str | Path,
        shown: Additions,
        given: GivenColumns,
        *,
        text: bool | Tokenizer,
        documents: int | None,
    ) -> None:
        from riata.data.columns import write
        from riata.data.files import AUTO, PLAIN, format_of_file
        from riata.estimators.labelled_files import check_documents, labelled

        estimator, threads = self.estimator, self.asked_threads()
        estimator._check_fitted()
        if shown.confidence:
            estimator.confidence.warn()
        format = format_of_file(source, PLAIN if text else AUTO, estimator.format_)
        if documents is not None:
            check_documents(estimator, documents, format, text=bool(text))
        asked: dict[str, Any] = {"shown": shown, "given": given, "text": text, "documents": documents}
        with closing(labelled(estimator, source, format=format, threads=threads, **asked)) as answers:
            write(answers, target)

    def own_answers(self, file: str | Path, shown: Additions, threads: int, **asked: Any) -> Generator[bytes]:
        raise NotImplementedError  # other tasks are not asked

    def predict_nbest(
        self, X: Any, k: int, *, probabilities: bool = False, given: Any = None
    ) -> list[list[tuple[list[str], float]]]:
        self.estimator._check_fitted()
        corpus = self.columns.knowing(X, given)
        if probabilities and corpus.tokens:
            corpus = self.columns.seen_whole(corpus)
        found, tags = self.nbest_and_tags(corpus, k)
        scores = [[score for _, score in sentence] for sentence in found]
        if probabilities and corpus.tokens:
            scores = self.estimator.confidence.nbest_probabilities(corpus, scores)
        chosen = None if tags is None else iter(tags.texts())

        def shown(ids: Ids) -> list[Any]:
            outputs = self.labels.as_outputs(ids)
            return outputs if chosen is None else [(*output, next(chosen)) for output in outputs]

        return [
            [(shown(ids), number) for (ids, _), number in zip(sentence, numbers, strict=True)]
            for sentence, numbers in zip(found, scores, strict=True)
        ]

    def nbest_and_tags(self, X: Any, k: int) -> tuple[list[list[tuple[Ids, float]]], Column | None]:
        """nbest_ids; and the tags of all these outputs one after the other, where tags are chosen with outputs."""
        return self.nbest_ids(X, k), None

    def nbest_ids(self, X: Any, k: int) -> list[list[tuple[Ids, float]]]:
        """predict_nbest with labels as numbers, indices of `classes_`."""
        model, decoder, corpus, k = self.asked_for_best(X, k)
        if corpus.tokens == 0:
            return [[(np.empty(0, np.int32), 0.0)] for _ in range(len(corpus))]
        found = model.nbest(self.columns.input_columns(corpus), k, decoder)
        if self.estimator._recoder is None:
            return found
        as_classes = self.labels.as_classes
        return [[(as_classes(ids, np.array([0, len(ids)])), score) for ids, score in sentence] for sentence in found]

    def asked_for_best(self, X: Any, k: int) -> tuple[Model, Decoder, Corpus, int]:
        """Refuses lists of the best that cannot be made; otherwise what they are made of."""
        from riata.inference.chain import K

        model, k = self.model, int(K.parse(k))
        decoder = self.decoder()
        model.check_nbest(decoder)
        corpus = self.columns.knowing(X, None)
        if corpus.tokens:
            _check_listed(corpus, k, len(model.labels))
        return model, decoder, corpus, k


def _check_listed(corpus: Corpus, k: int, labels: int) -> None:
    """Refuses lists of the best that would fill the memory. labels: number of the model's labels; with few, there are few labellings."""
    lengths = np.diff(corpus.starts)
    longest = int(lengths.max())
    listed = min(k, labels**longest) if longest * math.log2(labels) < 64 else k
    if listed * longest > MOST_LISTED:
        line = corpus.line_of(int(corpus.starts[np.argmax(lengths)])) if corpus.lines is not None else None
        raise SettingError(
            f"{k:,} labellings of a sentence of {longest:,} tokens are asked for; a list holds at most {MOST_LISTED:,} labels.",
            remedy=f"Ask for {MOST_LISTED // longest:,} at most.",
            file=corpus.name if line is not None else None,
            line=line,
        )
