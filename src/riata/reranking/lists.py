"""The best outputs of a model as lists of candidates, and how wrong each of them is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.documents import Indices
from riata.data.types import Corpus, Ids
from riata.errors import DataError, UnknownNameError, printed
from riata.inference.structure import EXACT
from riata.learning.events import Listener, Note, ignore
from riata.learning.jackknife import folds_of, jackknifed
from riata.reranking.candidates import Listed
from riata.reranking.features import FeatureSet, features_of
from riata.scoring.evaluation import Evaluation

Values = NDArray[np.float64]
Loss = Callable[[Evaluation], Values]  # of every output


def sentence_loss(found: Evaluation) -> Values:
    """One minus the score of every output: F1, accuracy or LAS."""
    wrong = found.errors()
    return np.where(wrong > 0, 1 - found.statistic(found.rows.astype(np.float64)) / 100, 0.0)


BEAM = "beam"

LOSSES: dict[str, Loss] = {
    "errors": lambda found: found.errors(),
    "sentence": sentence_loss,
    "zero-one": lambda found: (found.errors() > 0).astype(np.float64),
}


def loss_named(asked: Any) -> Loss | None:
    """A loss by name; None: it is a function of users, from the true output and another."""
    if callable(asked):
        return None
    if asked not in LOSSES:
        raise UnknownNameError.of(
            "loss of whole outputs", str(asked), LOSSES, remedy="Or give a function of the true output and another."
        )
    return LOSSES[asked]


@dataclass(frozen=True, eq=False)
class BestOutputs:
    """The k best outputs of every sentence, as numbers of classes, with their scores: logarithms of probabilities, up to a constant, as
    far as the model is calibrated.
    """

    estimator: Any
    corpus: Corpus
    ids: Sequence[Sequence[Ids]]
    scores: Sequence[Values]

    def judged(self) -> tuple[Evaluation, NDArray[np.int64]]:
        """All outputs against the gold labels of the corpus, one after another; and where those of each sentence begin."""
        gold = self.estimator.columns.with_gold(self.corpus, None)
        repeated = gold[[s for s, found in enumerate(self.ids) for _ in found]]
        all_ids = np.concatenate([one for found in self.ids for one in found] or [np.empty(0, np.int32)])
        judged = self.estimator.labels.evaluated(repeated.columns[-1], all_ids, repeated.starts)
        return judged, np.concatenate([[0], np.cumsum([len(found) for found in self.ids])])

    def losses(self, asked: Any) -> list[Values]:
        """How wrong every output is."""
        loss = loss_named(asked)
        if loss is not None:
            judged, starts = self.judged()
            return np.split(loss(judged), starts[1:-1])
        as_outputs = self.estimator.labels.as_outputs
        gold = self.estimator.columns.with_gold(self.corpus, None)
        truths = list(zip(*(column.texts() for column in self.estimator.columns.gold_columns(gold)), strict=True))
        return [
            np.array([_own_loss(asked, _as_output(self.estimator, truths[low:high]), as_outputs(one)) for one in found])
            for low, high, found in zip(gold.starts, gold.starts[1:], self.ids, strict=False)
        ]

    def listed(self, sets: Sequence[FeatureSet], losses: Sequence[Values] | None = None) -> list[Listed]:
        """The lists with the features of every output."""
        as_outputs = self.estimator.labels.as_outputs
        made = []
        for s, (tokens, found) in enumerate(zip(self._tokens(), self.ids, strict=True)):
            these = Listed(tokens, list(map(as_outputs, found)), self.scores[s], None if losses is None else losses[s])
            made.append(replace(these, features=features_of(these, sets)))
        return made

    def _tokens(self) -> list[list[tuple[str, ...]]]:
        """Of every token the columns that the model reads."""
        inputs = self.estimator.columns.input_columns(self.corpus)
        columns = [column.texts() for column in inputs.columns]
        rows: list[Any] = list(zip(*columns, strict=True)) if columns else [()] * inputs.tokens
        return [rows[low:high] for low, high in zip(inputs.starts, inputs.starts[1:], strict=False)]


def _as_output(estimator: Any, texts: list[tuple[str, ...]]) -> list[Any]:
    """Gold labels as predictions are given to users."""
    if estimator.trees:
        return [(int(head), relation) for head, relation in texts]
    return texts if estimator.outputs > 1 else [text for (text,) in texts]


def _own_loss(function: Callable[[Any, Any], Any], truth: Any, output: Any) -> float:
    try:
        found = function(truth, output)
    except Exception as error:
        raise DataError(f"the measure of an output raised {type(error).__name__}: {error}") from error
    if isinstance(found, (int, float, np.number)) and np.isfinite(found) and found >= 0:
        return float(found)
    raise DataError(f"the loss of an output is {printed(found):.40}; expected a number of at least 0.")


def best_outputs(estimator: Any, X: Any, k: int) -> BestOutputs:
    """The k best outputs of sentences, behind what predict gives; fewer where there are fewer. Searches end with a beam of at least k
    outputs, which are the list.
    """
    base, model, decoder = estimator, estimator._check_fitted(), estimator.predicting.decoder()
    if decoder.queue != EXACT.queue and (decoder.queue != BEAM or decoder.beam < k):
        estimator = estimator.twin(queue=BEAM, beam=k)
    corpus = estimator.columns.before_lists(estimator.columns.seen_whole(estimator.columns.sentences(X)))
    if decoder.queue == EXACT.queue or model.outputs.lists_searched:
        found, _ = estimator.predicting.nbest_and_tags(corpus, k)
    else:
        found = _of_beam(estimator, corpus, k)
    if estimator is not base:
        found = [outputs[:k] for outputs in _behind(np.split(base.predict_ids(corpus), corpus.starts[1:-1]), found)]
    at = estimator.confidence.temperature()
    ids = [[one for one, _ in outputs] for outputs in found]
    return BestOutputs(estimator, corpus, ids, [np.array([score / at for _, score in outputs]) for outputs in found])


def _behind(own: Sequence[Ids], found: Sequence[list[tuple[Ids, float]]]) -> list[list[tuple[Ids, float]]]:
    """Lists that begin with the outputs of a narrower beam. One that the wider beam has not ended with gets the best score."""
    made = []
    for ids, outputs in zip(own, found, strict=True):
        score = next((score for other, score in outputs if np.array_equal(other, ids)), outputs[0][1])
        made.append([(ids, score), *((o, s) for o, s in outputs if not np.array_equal(o, ids))])
    return made


def _of_beam(estimator: Any, corpus: Corpus, k: int) -> list[list[tuple[Ids, float]]]:
    """The outputs that a beam has ended with, where there is no exact list."""
    model, made = estimator.model_, []
    for listed in model.searched_lists(estimator.columns.input_columns(corpus), k, estimator.predicting.decoder()):
        known: dict[bytes, tuple[Ids, float]] = {}
        for codes, score in listed:
            starts = np.array([0, len(codes)])
            ids = estimator.labels.as_classes(model.outputs.label_ids(codes, starts), starts)
            known.setdefault(ids.tobytes(), (ids, score))
        made.append(list(known.values()))
    return made


def jackknifed_lists(
    base: Any, data: Corpus, k: int, number: int, threads: int, tell: Listener
) -> tuple[list[Indices], list[BestOutputs]]:
    """The sentences of every fold, and their best outputs by a model that has learnt neither from them nor from their documents.

    One fold: by a model of all sentences, to see what that does.
    """
    if number == 1:
        text = "With folds=1, lists are made by a model that has seen the sentences, which are nearly all right there."
        tell(Note(text, warning=True))
        return [np.arange(len(data))], [best_outputs(base.untrained().fit(data, listener=ignore), data, k)]
    folds = folds_of(data, number, tell, "the base")

    def labels(learnt: Indices, asked: Indices, listener: Listener) -> BestOutputs:
        made = base.untrained(threads=1).fit(data[learnt], listener=listener)
        return best_outputs(made, data[asked], k)

    return folds, [found for _, found in jackknifed(data, folds, labels, threads, tell, "Lists")]
