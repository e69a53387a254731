"""An estimator whose outputs are chosen from lists of its best ones. Everything else about it stays as it is."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riata import registry
from riata.data.types import Column, Corpus, Ids
from riata.errors import UnsupportedError
from riata.estimators.confidence import Confidence
from riata.estimators.evaluating import Evaluating
from riata.estimators.explaining import Explaining
from riata.estimators.labels import Has
from riata.estimators.predicting import Predicting
from riata.estimators.sequence import SequenceEstimator
from riata.estimators.trees import JOINT
from riata.problems.structure_predictor import StructurePredictor
from riata.reranking.candidates import Listed
from riata.reranking.features import feature_sets
from riata.reranking.lists import BestOutputs, Values, best_outputs
from riata.reranking.report import base_and_oracle
from riata.scoring.search_errors import SearchErrors

if TYPE_CHECKING:
    from riata.scoring.evaluation import Evaluation


@dataclass(frozen=True, eq=False)
class Ranker:
    """What chooses: weights of features of whole outputs. features: names of sets, and functions."""

    predictor: StructurePredictor
    features: tuple[Any, ...]
    k: int

    def scores(self, lists: Sequence[Listed]) -> list[Values]:
        """The score of every candidate of every list."""
        return self.predictor.score_parts(lists)


@dataclass(frozen=True, eq=False)
class FromLists:
    """Lists of sentences, with the scores by which one output of each was chosen."""

    lists: BestOutputs
    listed: Sequence[Listed]
    scores: Sequence[Values]

    @property
    def numbers(self) -> list[int]:
        return [int(np.argmax(scores)) for scores in self.scores]

    @property
    def ids(self) -> Ids:
        """The outputs that were chosen, one after the other, as numbers of classes."""
        chosen = [found[number] for found, number in zip(self.lists.ids, self.numbers, strict=True)]
        return np.concatenate(chosen or [np.empty(0, np.int32)])


def choice(estimator: Any, X: Any) -> FromLists:
    """The last choice is remembered as long as its corpus exists: a command asks for labels, scores and errors of the same one. Another
    search, as of a twin, makes other lists.
    """
    ranker: Ranker = estimator.ranker_
    search = estimator.predicting.decoder()
    last, searched, found = estimator.__dict__.get("_last_choice", (None, None, None))
    if found is not None and last() is X and searched == search:
        return found  # type: ignore[no-any-return]
    lists = best_outputs(unranked(estimator), X, ranker.k)
    listed = lists.listed(feature_sets(ranker.features))
    made = FromLists(lists, listed, ranker.scores(listed))
    if isinstance(X, Corpus):
        estimator._last_choice = weakref.ref(X), search, made
    return made


class RankedPredicting(Predicting):
    def predict_ids(self, X: Any) -> Ids:
        self.estimator._check_fitted()
        return choice(self.estimator, X).ids

    def labels_of(self, inputs: Corpus) -> Ids:
        return self.predict_ids(inputs)

    def labeller(self) -> Callable[[Corpus], tuple[Corpus, Sequence[Column]]]:
        def label(corpus: Corpus) -> tuple[Corpus, Sequence[Column]]:
            found = choice(self.estimator, corpus)
            return found.lists.corpus, self.labels.output_columns(found.ids)

        return label

    def nbest_and_tags(self, X: Any, k: int) -> tuple[list[list[tuple[Ids, float]]], Column | None]:
        """The candidates, best first by their scores."""
        found, made = choice(self.estimator, X), []
        for ids, scores in zip(found.lists.ids, found.scores, strict=True):
            made.append([(ids[i], float(scores[i])) for i in np.argsort(-scores, kind="stable")[:k]])
        return made, None

    def _at_once(self, model: Any, sentences: list[Any]) -> None:
        """Lists are not on the fast path."""


class RankedConfidence(Confidence):
    """Shares of the candidates: how probable those are that have the same chunk, or the same label, at the same place."""

    @property
    def believable(self) -> bool:
        recipe = registry.get("recipe", self.estimator.ranker_.predictor.facts_["recipe"])
        return bool(self.estimator.calibration_) or bool(recipe.probabilistic)

    def weighed(self, corpus: Corpus, temperatures: list[float]) -> tuple[Ids, Values]:
        found = choice(self.estimator, corpus)
        outputs = len(self.labels.chunk_outputs)
        values = np.ones((len(temperatures), outputs, found.lists.corpus.tokens))
        at = 0
        for ids, scores, number in zip(found.lists.ids, found.scores, found.numbers, strict=True):
            same = self._same(ids, number)  # [outputs, candidates, tokens]
            for t, temperature in enumerate(temperatures):
                shares = np.exp((scores - scores.max()) / temperature)
                values[t, :, at : at + len(ids[0])] = np.einsum("c,oct->ot", shares / shares.sum(), same)
            at += len(ids[0])
        return self.labels.as_labels(found.ids, found.lists.corpus.starts), values

    def _same(self, ids: Sequence[Ids], number: int) -> Values:
        """[outputs, candidates, tokens] whether a candidate has the chunk or label of the chosen one."""
        from riata.data.encodings.base import spans_of

        length = len(ids[0])
        columns = self.labels.output_columns(np.concatenate(ids))
        found = np.zeros((len(columns), len(ids), length))
        for output, (column, chunks) in enumerate(zip(columns, self.labels.chunk_outputs, strict=True)):
            rows = np.asarray(column.ids).reshape(len(ids), length)
            found[output] = rows == rows[number]
            if not chunks:
                continue
            texts = column.texts()
            spans = [set(spans_of(texts[i * length : (i + 1) * length])) for i in range(len(ids))]
            for span in spans[number]:
                found[output, :, span.start : span.end] = np.array([[span in one] for one in spans])
        return found

    def nbest_probabilities(self, X: Any, scores: Sequence[Sequence[float]]) -> list[list[float]]:
        at, made = self.temperature(), []
        for found, asked in zip(choice(self.estimator, X).scores, scores, strict=True):
            shares = np.exp((np.asarray(asked) - found.max()) / at)
            made.append((shares / np.exp((found - found.max()) / at).sum()).tolist())
        return made


class RankedExplaining(Explaining):
    """Outputs are chosen from lists, so that one search for one output does not explain them."""

    def explain(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedError(
            "The output was chosen from a list by features of whole outputs.",
            remedy="Reranker.explain tells which (riata explain).",
        )

    def trace(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedError("The output was chosen from a list.", remedy="Trace the base: reranker.base_.trace(…).")


class RankedEvaluating(Evaluating):
    def learnt_by(self) -> dict[str, str]:
        predictor = self.estimator.ranker_.predictor
        return {"recipe": predictor.facts_["recipe"], "structure": predictor.model_.structure}

    def evaluate(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> Evaluation:
        """With the scores of the base and of the best outputs of all lists."""
        data = self.columns.sentences(X) if y is None else self.columns.with_gold(X, y)
        lists = choice(self.estimator, data).lists
        found = super().evaluate(data, predicted=self.estimator.predict_ids(data) if predicted is None else predicted)
        return replace(found, more={**found.more, **base_and_oracle(lists)})

    def search_errors(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> SearchErrors:
        """Truths that are in no list are lost by the search; the others, by the choice."""
        found = choice(self.estimator, self.columns.sentences(X) if y is None else self.columns.with_gold(X, y))
        judged, starts = found.lists.judged()
        wrong = judged.errors() > 0
        faults, missed = [], []
        for low, high, number in zip(starts, starts[1:], found.numbers, strict=False):
            lost = bool(wrong[low:high].all())
            faults.append("right" if not wrong[low + number] else "search" if lost else "model")
            missed.append(lost)
        return SearchErrors.counted(faults, missed, "exact")


def _save(self: Any, path: str | Path) -> None:
    self._reranker.save(path)


@cache
def _ranked_class(cls: Any) -> Any:
    """The class with other parts."""
    parts: dict[str, Any] = {
        name: Has(type(part.__name__, (part, getattr(cls, name)), {}))
        for name, part in (
            ("predicting", RankedPredicting),
            ("confidence", RankedConfidence),
            ("evaluating", RankedEvaluating),
            ("explaining", RankedExplaining),
        )
    }
    return type(
        f"Ranked{cls.__name__}", (cls,), {**parts, "__module__": __name__, "task_name": "rerank", "save": _save}
    )


def ranked(base: SequenceEstimator, ranker: Ranker, reranker: Any = None) -> Any:
    """The base, with its outputs chosen by the ranker. Nothing is copied. reranker: what is saved in its place."""
    of: Any = type(base)
    cls = _ranked_class(of)
    made = cls.__new__(cls)
    made.__dict__.update(
        base.__dict__,
        ranker_=ranker,
        _base=base,
        _reranker=reranker,
        calibration_=(),
        uncalibrated_="it chooses from lists",
    )
    return made


def unranked(estimator: Any) -> Any:
    """The base of a ranked estimator, with its present parameters."""
    cls: Any = type(estimator).__bases__[0]
    made = cls.__new__(cls)
    made.__dict__.update(estimator.__dict__, calibration_=estimator._base.calibration_)
    return made


def check_base(base: Any) -> None:
    """Refuses bases whose outputs cannot be listed, or not be compared."""
    if not isinstance(base, SequenceEstimator):
        raise UnsupportedError(
            f"the base is a {type(base).__name__}, which gives no lists of labels or trees.",
            remedy="Give a Tagger, Chunker, EntityRecognizer, JointTagger or DependencyParser; or lists from outside (base=None).",
        )
    if base.file_format is not None or getattr(base, "tags", None) == JOINT:
        raise UnsupportedError(
            f"the outputs of {base!r:.60} are more than one label per token.",
            remedy="Give lists from outside (base=None).",
        )
