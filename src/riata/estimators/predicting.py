"""Labels for sentences: the best, the k best, from memory or from a file."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.data.memory import is_empty
from riata.data.types import Column, Corpus, Ids
from riata.errors import SettingError
from riata.estimators.by_label import ByLabel
from riata.estimators.confident import Confident
from riata.estimators.constrained import Constrained
from riata.inference.decoder import DECODE, EXACT, Decoder, asked_of_search
from riata.parallel import THREADS, cores

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from riata.data.running_text import Tokenizer
    from riata.estimators.found_spans import FoundSpan
    from riata.estimators.labelled_files import Shown
    from riata.estimators.predictions import Predictions
    from riata.models.model import Model

MOST_LISTED = 1 << 24  # labels in the list of the best labellings of one sentence


class Predicting(Confident, ByLabel, Constrained):
    """Finds the labels of sentences, with the present parameters."""

    # Of the fast path: rules, and the form of the model that keeps others; None: the model itself.
    _searched: tuple[Any, Decoder] | None = None  # the parameters of a search, and the decoder that they choose
    _plain_rules: Any = None
    _plain_model: Model | None = None

    def prepare(self) -> None:
        """Folds the model, which otherwise the first prediction does (docs/speed.md)."""
        model = self._check_fitted()
        if self.decoder().queue == EXACT.queue and model.folded is not None:
            model.folded.meet_known()

    def decoder(self) -> Decoder:
        """How to search, from the present parameters: a trained model may be decoded with another queue or beam.

        With the temperature of the calibration, if labels are chosen by probabilities; and with constraints.
        """
        found = self._search()
        self._check_trained_with()
        if self.constraints is not None and (kept := self.kept()) is not None:
            found = replace(found, kept=kept)
        return found if found.risk is None else found.at(self._temperature())

    def _search(self) -> Decoder:
        """The decoder that the present parameters choose. It is stored with the model, and chosen anew once one of them is set."""
        chosen_by = asked_of_search(self)
        if chosen_by is None or self._searched is None or self._searched[0] != chosen_by:
            from riata.choosing.options import checked

            self._searched = chosen_by, checked(self, training=False).decoder
        return self._searched[1]

    def _check_trained_with(self) -> None:
        """Refuses settings of training that have been changed since, where the model is nothing without them."""
        model: Model | None = getattr(self, "model_", None)
        for name, value in ({} if model is None else model.outputs.trained_with()).items():
            if (asked := (self.settings or {}).get(name, value)) != value:
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
        """The labels of every sentence: a list, which notebooks show as labelled text.

        Below min_confidence, from 0 to 1, it abstains: a chunk is left out (O), a tag is None. Refused if the model is not calibrated.
        given: labels that are known, a list per sentence, with None where any will do; the best labelling that has them is found.
        text: X is a list of sentences, each a string, which are split at spaces; or a function from a sentence to its words,
        to split them by.
        decode: how labels are chosen this time (docs/decoding.md): best, marginals or spans; None: as the settings say.
        constraints: whether labels keep the constraints this time (docs/constraints.md); "soft": broken ones cost 1, a number: so much.
        """
        from riata.estimators.predictions import Predictions

        if constraints is not None:
            other = self.switched(constraints)
            return other.predict(X, min_confidence=min_confidence, given=given, text=text, decode=decode)
        if decode is not None:
            from riata.choosing.decoding import changed

            other = self.twin(settings=changed(self.settings, {DECODE: decode}))
            return other.predict(X, min_confidence=min_confidence, given=given, text=text)

        model = self._check_fitted()
        if text:
            X = self.split_text(X, text)
        if min_confidence is not None:
            from riata.estimators.kept_labels import check_given

            check_given(given, min_confidence)
            self.check_abstains(min_confidence)
        elif given is None and type(X) is list and (found := self._predict_at_once(model, X)) is not None:
            predictions = Predictions(found)
            predictions._about = (X, 0, self.chunks)
            return predictions
        corpus = self._knowing(X, given)
        if is_empty(X):
            return Predictions([] for _ in X)
        if min_confidence is None:
            labels: list[Any] = self._as_outputs(self.predict_ids(corpus))
        else:
            outputs = self.abstaining(*self.confidence_ids(corpus), min_confidence)
            labels = self._as_given_out(outputs)
        predictions = Predictions(
            labels[low:high] for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)
        )
        words = corpus.origins.index(self.inputs_[0]) if self.inputs_ and corpus.format == self.format_ else 0
        predictions._about = (X if isinstance(X, (list, tuple)) else corpus, words, self.chunks)
        return predictions

    def predict_spans(
        self, X: Any, *, tokenizer: Tokenizer | None = None, confidence: bool | None = None
    ) -> list[list[FoundSpan]]:
        """The spans of every sentence: start, end, label, text and confidence. Plain tags are spans of one token each.

        X: texts, each a string, or sentences as predict takes them. Places are counted in characters for texts, in tokens otherwise.
        tokenizer: a function from a text to its words; None: words and marks of punctuation. confidence: whether it is to be found;
        None: if the model is calibrated.
        """
        from riata.estimators.found_spans import found_spans

        self._check_fitted()
        return found_spans(self, X, tokenizer, confidence)

    def _as_outputs(self, ids: Ids) -> list[Any]:
        """Numbers that predict_ids gives, as users see them."""
        return [self.classes_[i] for i in ids]

    def _as_given_out(self, outputs: list[list[str | None]]) -> list[Any]:
        """The labels that `abstaining` leaves, as users see them."""
        return outputs[0] if len(outputs) == 1 else list(zip(*outputs, strict=True))

    def split_text(self, sentences: Any, text: bool | Tokenizer = True) -> list[list[str]]:
        """The words of sentences that are strings: what predict reads and labels with text=True."""
        from riata.data.running_text import text_corpus, tokenizer_of
        from riata.estimators.labelled_files import check_reads_words

        self._check_fitted()
        check_reads_words(self)
        return text_corpus(sentences, tokenizer_of(text)).sentences_of(0)

    def _predict_at_once(self, model: Model, sentences: list[Any]) -> list[list[str]] | None:
        """The fast path for a few sentences in plain lists; None if the sentences or the model are not plain."""
        asked = (self.settings or {}).get(DECODE)
        facts = (
            self.recipe,
            self.structure,
            self.queue,
            self.beam,
            self.inputs_,
            self.format_,
            self.array_width_,
            asked,
            self.inference,
            tuple(self.constraints) if isinstance(self.constraints, list) else self.constraints,
            self._softens,
            id(model),
        )
        if self.__dict__.get("_plain_with") != facts:
            if self.format_ == "memory" and self.inputs_ != tuple(range(len(self.inputs_))):
                return None
            decoder = self.decoder()
            if decoder.queue != EXACT.queue or decoder.risk is not None or self.array_width_ is not None:
                return None
            if decoder.kept is not None and decoder.kept.same is None:
                return None
            self._plain_model, self._plain_rules = model.plainly_kept(decoder)
            self._plain_with = facts
        plain = self._plain_model or model
        if plain.takes_few(sentences):
            return None
        folded = plain.folded
        if folded is None or self._texts is None or self.first_ is not None:
            return None
        found: list[list[str]] | None = folded.label(sentences, len(self.inputs_), self._texts, self._plain_rules)
        if found is not None and self._input is not None and self.check_input and self._input.is_due(sentences):
            self._input.look_at_lists(sentences, self)
        return found

    def predict_ids(self, X: Any) -> Ids:
        """Labels as numbers, indices of `classes_`, of all tokens in one array."""
        self._check_fitted()
        if is_empty(X):
            return np.empty(0, np.int32)
        return self.labels_of(self.input_columns(self.sentences(X)))

    def labels_of(self, inputs: Corpus) -> Ids:
        """Labels as numbers, from the columns that the model reads."""
        found = self._check_fitted().predict(inputs, self.decoder(), self.used_threads())
        return self._as_classes(found, inputs.starts)

    def used_threads(self) -> int:
        """How many threads work at once."""
        return cores() if self.threads is None else int(THREADS.parse(self.threads))

    def labeller(self) -> Callable[[Corpus], tuple[Corpus, Sequence[Column]]]:
        """For one corpus after another, `tagged` and the columns to write, on one thread, with the present parameters."""
        model, decoder = self._check_fitted(), self.decoder()

        def label(corpus: Corpus) -> tuple[Corpus, Sequence[Column]]:
            found = self.tagged(corpus)
            ids = self._as_classes(model.predict(self.input_columns(found), decoder), corpus.starts)
            return found, self.output_columns(ids)

        return label

    def predict_file(
        self,
        source: str | Path,
        target: str | Path,
        *,
        nbest: int | None = None,
        confidence: bool = False,
        min_confidence: float | None = None,
        given: int | None = None,
        given_tags: int | None = None,
        text: bool | Tokenizer = False,
        documents: int | None = None,
    ) -> None:
        """Writes a file with a column of predictions more, as `riata predict` does; each may be compressed (.gz).

        CoNLL-U (.conllu) goes out as CoNLL-U, JSON lines (.jsonl) as JSON lines. text: the file holds a sentence per line, as for
        predict. nbest: every sentence so many times, best labelling first. confidence: one more column with it. Below min_confidence a
        chunk is O, and a tag is _. given: the number of a column that holds labels to keep, _ elsewhere; given_tags: of tags to keep,
        where a parser chooses tags.
        documents: the number of a column that names the document of each sentence; None: lines of the file mark documents.
        """
        from riata.data.columns import write
        from riata.data.files import AUTO, PLAIN, format_of_file
        from riata.estimators.labelled_files import GivenColumns, Shown, check_documents, labelled

        self._check_fitted()
        threads = self.used_threads()
        shown = Shown(nbest, confidence, min_confidence)
        if confidence:
            self._warn_of_confidences()
        chosen = format_of_file(source, PLAIN if text else AUTO, self.format_)
        if documents is not None:
            check_documents(self, documents, chosen, text=bool(text))
        known = GivenColumns(given, given_tags)
        answers = labelled(
            self, source, format=chosen, threads=threads, shown=shown, given=known, text=text, documents=documents
        )
        with closing(answers):
            write(answers, target)

    def own_answers(self, file: str | Path, shown: Shown, threads: int, **asked: Any) -> Generator[bytes]:
        """`labelled` of labelled_files.py, for tasks whose files have a format of their own."""
        raise NotImplementedError  # other tasks are not asked

    def predict_nbest(
        self, X: Any, k: int, *, probabilities: bool = False, given: Any = None
    ) -> list[list[tuple[list[str], float]]]:
        """The k best labellings of every sentence with their scores, best first; fewer where fewer are legal. The first is predict's.

        probabilities: with these instead of scores, among all legal labellings (see predict_proba).
        They are exact, so they need the queue `exact` and templates that read no label further back than label[-2]. Trees that are built
        by moves are those that the beam has ended with (docs/parsing.md).
        given: as predict takes it; then among labellings that have these labels.
        """
        self._check_fitted()
        corpus = self._knowing(X, given)
        if probabilities and corpus.tokens:
            corpus = self.seen_whole(corpus)
        found, tags = self.nbest_and_tags(corpus, k)
        scores = [[score for _, score in sentence] for sentence in found]
        if probabilities and corpus.tokens:
            scores = self.nbest_probabilities(corpus, scores)
        chosen = None if tags is None else iter(tags.texts())

        def shown(ids: Ids) -> list[Any]:
            outputs = self._as_outputs(ids)
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
        model, decoder, corpus, k = self._asked_for_best(X, k)
        if corpus.tokens == 0:
            return [[(np.empty(0, np.int32), 0.0)] for _ in range(len(corpus))]
        found = model.nbest(self.input_columns(corpus), k, decoder)
        if self._recoder is None:
            return found
        return [
            [(self._as_classes(ids, np.array([0, len(ids)])), score) for ids, score in sentence] for sentence in found
        ]

    def _asked_for_best(self, X: Any, k: int) -> tuple[Model, Decoder, Corpus, int]:
        """Refuses lists of the best that cannot be made; otherwise what they are made of."""
        from riata.inference.chain import K

        model, k = self._check_fitted(), int(K.parse(k))
        decoder = self.decoder()
        model.check_nbest(decoder)
        corpus = self._knowing(X, None)
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
