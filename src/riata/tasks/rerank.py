"""Reranking: choosing among the best outputs of another model by features of whole outputs."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from riata import registry
from riata.choosing.options import CUTOFF
from riata.choosing.passes import FOLDS
from riata.data.json_lines.reading import objects
from riata.data.types import Corpus
from riata.errors import DataError, SettingError, UnsupportedError
from riata.estimators.model_file import load_model
from riata.estimators.own_files import OwnFiles
from riata.estimators.sequence import SequenceEstimator
from riata.inference.chain import K
from riata.learning.events import Listener, Note, ignore, listening
from riata.parallel import THREADS, cores
from riata.problems.structure_options import options_of
from riata.problems.structure_predictor import StructurePredictor
from riata.reranking.candidates import Candidate, Listed, candidates_in, listed, read_lists
from riata.reranking.features import FeatureSet, default_sets, feature_sets, features_of
from riata.reranking.lists import LOSSES, best_outputs, jackknifed_lists, loss_named
from riata.reranking.model_file import NOT_STORED, set_fitted, to_bytes
from riata.reranking.ranked import Ranker, check_base, choice, ranked
from riata.reranking.ranking import Ranking
from riata.reranking.report import ListScore, RankingReport, list_score, ranking_report
from riata.tasks.base import Task

if TYPE_CHECKING:
    from riata.problems.parts_explained import PartsExplained
    from riata.scoring.evaluation import Evaluation

Self = TypeVar("Self", bound="Reranker")  # typing.Self needs Python 3.11


EPOCHS = 5  # of recipes that learn list by list


class Reranker(OwnFiles):
    """Chooses among the k best outputs of a base by features of whole outputs, which no decoder can search with (docs/reranking.md).

    base: an estimator, such as Chunker("crf"); trained or not. It also labels what the reranker learns from, each fold by a model that has
    not seen it. None: lists come from outside, as riata.read_lists gives them, each candidate with its loss.
    recipe: any that learns from lists. epochs: None is 5, or until nothing changes for recipes such as crf. nbest: the length of lists.
    folds: of the data.
    features: names of sets (agreement, chunks, labels, lengths, ranks, trees), and functions of the input and one output. None: what suits
    the base. cutoff: features that tell candidates apart in fewer lists are left out.
    measure: what an output loses: errors, sentence (1 - F1 or accuracy), zero-one, or a function of the true output and another.

    >>> train, test = riata.load("embedded", "train"), riata.load("embedded", "test")
    >>> reranker = riata.Reranker(riata.Chunker(epochs=5), nbest=5, folds=2).fit(train)
    >>> report = reranker.report(test)
    >>> bool(report.oracle[5] > report.base)
    True
    """

    task_name = "rerank"
    own_structure = "list"
    not_stored = NOT_STORED
    base_: Any  # the estimator that makes lists, trained on all data; None: they come from outside
    ranked_: Any  # the same with its outputs chosen from lists; None as above
    ranker_: Ranker
    facts_: dict[str, Any]

    def __init__(
        self,
        base: SequenceEstimator | None = None,
        recipe: str = "mira",
        *,
        nbest: int = 20,
        features: Sequence[Any] | None = None,
        measure: Any = "errors",
        folds: int = 5,
        cutoff: int = 2,
        epochs: int | None = None,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        threads: int | None = None,
        **named: Any,
    ) -> None:
        self.base = base
        self.recipe = recipe
        self.nbest = nbest
        self.features = features
        self.measure = measure
        self.folds = folds
        self.cutoff = cutoff
        self.epochs = epochs
        self.seed = seed
        self._store_settings(settings, named)
        self.threads = threads

    # ---- learn ----

    def fit(self: Self, X: Any, y: Any = None, *, listener: Listener | None = None) -> Self:
        """Learns from labelled sentences as the base takes them; without a base, from lists of candidates with losses."""
        if self.base is not None:
            check_base(self.base)
        tell, began = listening(listener), time.process_time()
        sets = self._sets()
        if self.base is None:
            if y is not None:
                raise SettingError(
                    "y is given, but lists have losses of their own.", remedy="Leave out y, or give a base."
                )
            base, lists = None, self._from_outside(X, losses=True)
            lists = [replace(one, features=features_of(one, sets)) for one in lists]
        else:
            base, lists = self._own_lists(self.base, X, y, sets, tell)
        _tell_of(lists, tell)
        self.learn_from(lists, tell)
        tokens = sum(len(one.tokens or ()) for one in lists)
        self.facts_ = {"lists": len(lists), "candidates": sum(map(len, lists)), "tokens": tokens}
        self.seconds_ = time.process_time() - began
        self.base_, self.ranked_ = base, None if base is None else ranked(base, self.ranker_, self)
        return self

    def learn_from(self, lists: Sequence[Listed], tell: Listener = ignore) -> None:
        """Learns to choose from lists whose features are known."""
        learnt = self._learn([one for one in lists if len(one) > 1], tell)
        self.ranker_ = Ranker(learnt, self.asked_features(), int(K.parse(self.nbest)))

    def held_out_lists(self, X: Any, y: Any = None) -> list[list[Candidate]]:
        """The lists that fit learns from, each by a base that has not seen the sentence, with features and losses.

        Reranker(None, features=[]) learns from them, so that several recipes can be tried without making lists again.
        """
        if self.base is None:
            raise SettingError("there is no base, whose outputs could be listed.", remedy="Reranker(base, …).")
        check_base(self.base)
        _, lists = self._own_lists(self.base, X, y, self._sets(), ignore, final=False)
        return [
            [
                Candidate(*each)
                for each in zip(one.outputs, one.scores.tolist(), one.features, _known(one).tolist(), strict=True)
            ]
            for one in lists
        ]

    def _own_lists(
        self,
        asked: SequenceEstimator,
        X: Any,
        y: Any,
        sets: Sequence[FeatureSet],
        tell: Listener,
        *,
        final: bool = True,
    ) -> tuple[SequenceEstimator, list[Listed]]:
        """A base of all data, and lists by those of folds. final: whether the former is needed, if there is none."""
        k = int(K.parse(self.nbest))
        if k < 2:
            raise SettingError(
                "nbest is 1: in a list of one output there is nothing to choose.", remedy="Set nbest to 10 or more."
            )
        data: Corpus = asked.columns.with_output(X, y)
        trained = hasattr(asked, "model_")
        base = asked if trained or not final else asked.untrained().fit(data, listener=tell)
        if trained:
            _check_knows(base, data)
        threads = cores() if self.threads is None else int(THREADS.parse(self.threads))
        lists: list[Listed | None] = [None] * len(data)
        for fold, found in zip(
            *jackknifed_lists(asked, data, k, int(FOLDS.parse(self.folds)), threads, tell), strict=True
        ):
            for s, one in zip(fold.tolist(), found.listed(sets, found.losses(self.measure)), strict=True):
                lists[s] = one
        return base, [one for one in lists if one is not None]

    def _learn(self, lists: list[Listed], tell: Listener) -> StructurePredictor:
        if not lists:
            raise DataError("no list has two candidates, between which there would be a choice.")
        often = Counter(name for one in lists for name in {name for features in one.features for name in features})
        rare = {name for name, number in often.items() if number < int(CUTOFF.parse(self.cutoff))}
        lists = [
            replace(one, features=[{n: v for n, v in features.items() if n not in rare} for features in one.features])
            for one in lists
        ]
        return self._predictor().fit(lists, [one.target for one in lists], listener=tell)

    def _predictor(self) -> StructurePredictor:
        whole = registry.get("recipe", self.recipe).whole
        epochs = EPOCHS if self.epochs is None and not whole else self.epochs
        return StructurePredictor(
            Ranking(), self.recipe, epochs, self.seed, dict(self.settings or {}), threads=self.threads
        )

    def _from_outside(self, X: Any, *, losses: bool) -> list[Listed]:
        if isinstance(X, (str, bytes, Corpus)) or not isinstance(X, Iterable):
            raise DataError(
                f"lists of candidates are {type(X).__name__}; expected a list of lists of riata.Candidate.",
                remedy="riata.read_lists(path) reads them; or give a base, whose outputs are listed.",
            )
        return [listed(one, n, losses=losses) for n, one in enumerate(X)]

    def asked_features(self) -> tuple[Any, ...]:
        """The names of sets of features, and functions."""
        if self.features is not None:
            return tuple(self.features)
        return ("ranks",) if self.base is None else default_sets(chunks=self.base.chunks, trees=self.base.trees)

    def _sets(self) -> list[FeatureSet]:
        """Refuses what cannot be learnt before lists are made."""
        loss_named(self.measure)
        options_of(self._predictor(), None)
        return feature_sets(self.asked_features())

    # ---- predict ----

    def predict(self, X: Any, *, min_confidence: float | None = None) -> Any:
        """The chosen output of every sentence, as the base gives its outputs; of every list, without a base.

        min_confidence: labels below it are left out, as by the base's predict.
        """
        self._check_trained()
        if self.ranked_ is not None:
            return self.ranked_.predict(X, min_confidence=min_confidence)
        if min_confidence is not None:
            raise UnsupportedError("min_confidence is of labels of sentences, and this reranker takes lists.")
        return self.ranker_.predictor.predict(self._lists(X))

    def predict_single(self, x: Any) -> Any:
        """The chosen output of one sentence, or of one list."""
        return self.predict([x])[0]

    def calibrate(self, X: Any, y: Any = None) -> Any:
        """Makes confidences believable, by data that were not learnt from: sentences, or without a base lists with losses."""
        self._check_trained()
        if self.ranked_ is not None:
            return self.ranked_.calibrate(X, y)
        lists = self._with_features(self._from_outside(X, losses=True))
        return self.ranker_.predictor.calibrate(lists, [one.target for one in lists])

    def predict_nbest(self, X: Any, k: int, *, probabilities: bool = False) -> list[list[tuple[Any, float]]]:
        """The outputs of every list, best first, with the scores of the reranker or with probabilities; at most k."""
        self._check_trained()
        if self.ranked_ is not None:
            found: list[list[tuple[Any, float]]] = self.ranked_.predict_nbest(X, k, probabilities=probabilities)
            return found
        return self.ranker_.predictor.predict_nbest(self._lists(X), k, probabilities=probabilities)

    def predict_confidence(self, X: Any) -> list[Any]:
        """How sure the choice is: of sentences token by token, as the base gives it; of lists the probability of the chosen output."""
        self._check_trained()
        if self.ranked_ is not None:
            found: list[Any] = self.ranked_.predict_confidence(X)
            return found
        return self.ranker_.predictor.predict_confidence(self._lists(X))

    def _lists(self, X: Any) -> list[Listed]:
        return self._with_features(self._from_outside(X, losses=False))

    def _with_features(self, lists: list[Listed]) -> list[Listed]:
        sets = feature_sets(self.ranker_.features)
        return [replace(one, features=features_of(one, sets)) for one in lists]

    # ---- how good it is ----

    def score(self, X: Any, y: Any = None) -> float:
        """The main score of the base's task, from 0 to 1; of lists, the share of the loss of the base's first outputs that is avoided."""
        self._check_trained()
        if self.ranked_ is not None:
            return float(self.ranked_.score(X, y))
        lists = self._from_outside(X, losses=True)
        found = list_score(
            lists, [int(np.argmax(scores)) for scores in self.ranker_.scores(self._with_features(lists))]
        )
        return 1 - found.loss / found.base if found.base else 1.0

    def evaluate(self, X: Any, y: Any = None) -> Evaluation:
        """As the base evaluates its outputs, with the scores of the base and of the oracle among the metrics."""
        found: Evaluation = self._with_base("evaluate").evaluate(X, y)
        return found

    def report(self, X: Any, y: Any = None) -> RankingReport:
        """What there was to choose from: the oracle by length of the list, the base, and the gain with a paired test."""
        estimator = self._with_base("report")
        data = estimator.columns.sentences(X) if y is None else estimator.columns.with_output(X, y)
        found = choice(estimator, data)
        return ranking_report(found.lists, found.numbers)

    def explain(self, x: Any, y: Any = None, *, against: int | None = None) -> PartsExplained:
        """Why an output was chosen from the list of one input: the features that tell it from another candidate.

        x: a sentence, or without a base a list of candidates. y: the true labels; the output is then compared with the candidate that
        comes closest to them. against: the number of a candidate, from 0, best first by the base. Otherwise it is the runner-up.
        """
        self._check_trained()
        truth: Any = {}
        X = x if isinstance(x, Corpus) else [x]
        if self.ranked_ is None:
            [one] = self._lists([x])
        else:
            found = choice(self.ranked_, X)
            [one] = found.listed
            if y is not None:
                data = self.ranked_.columns.with_output(X, [y])
                [losses] = best_outputs(self.base_, data, self.ranker_.k).losses("errors")
                truth = {"y": int(np.argmin(losses))}
        return self.ranker_.predictor.explain(one, **truth, **({} if against is None else {"against": against}))

    # ---- commands ----

    @classmethod
    def of_options(cls, params: dict[str, Any]) -> Reranker:
        given = dict(params)
        if "base" in given:
            given["base"] = load_model(given["base"])
            check_base(given["base"])
        return cls(**given)

    def read_training(self, file: str, reading: Callable[[Any], Corpus]) -> Any:
        return read_lists(file) if self.base is None else reading(self.base)

    def facts(self) -> dict[str, Any]:
        """What `riata train` reports."""
        predictor = self.ranker_.predictor
        return {
            "recipe": predictor.facts_["recipe"],
            "structure": predictor.model_.structure,
            "seconds_train": self.seconds_,
            "tokens": self.facts_["tokens"],
            "weights": len(self.weights()),
        }

    def answers(self, file: str) -> Iterator[bytes]:
        """The objects of a file with lists, each with its chosen output, its number in the list, from 0, and its score."""
        for batch in objects(file):
            for one in batch:
                [these] = self._lists([candidates_in(one, file)])
                [scores] = self.ranker_.scores([these])
                best = int(np.argmax(scores))
                chosen = {"best": these.places[best], "output": these.outputs[best], "score": float(scores[best])}
                yield (json.dumps({**one.fields, **chosen}, ensure_ascii=False) + "\n").encode("utf-8")

    def judged(self, file: str) -> ListScore:
        lists = self._from_outside(read_lists(file), losses=True)
        if not lists:
            raise DataError("there are no lists to score.", file=file)
        return list_score(lists, [int(np.argmax(scores)) for scores in self.ranker_.scores(self._with_features(lists))])

    def explained(self, file: str, number: int, reading: Callable[[Any], Corpus]) -> PartsExplained:
        one = self.chosen(read_lists(file) if self.base_ is None else reading(self.base_), number)
        return self.explain(one[0] if self.base_ is None else one)

    def weights(self) -> dict[str, float]:
        """Every weight that is not zero, by the name of its feature."""
        self._check_trained()
        return self.ranker_.predictor.weights()

    # ---- keep ----

    def to_bytes(self) -> bytes:
        return to_bytes(self)

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Any, using: Iterable[Any]) -> Reranker:
        """A reranker from its model file."""
        params, measure = cls.params_in(header), header.get("measure")
        made = cls(
            **{**params, "settings": params["settings"] or None, **({"measure": measure} if measure in LOSSES else {})}
        )
        set_fitted(made, header, arrays, using)
        return made

    @property
    def own_functions(self) -> list[Any]:
        return [one for one in self.ranker_.features if callable(one)]

    @property
    def is_fitted(self) -> bool:
        return hasattr(self, "ranker_")

    def _with_base(self, what: str) -> Any:
        self._check_trained()
        if self.ranked_ is None:
            raise UnsupportedError(
                f"{what} is of sentences, and this reranker takes lists.", remedy="score(lists) says how good it is."
            )
        return self.ranked_


def _known(one: Listed) -> Any:
    assert one.losses is not None
    return one.losses


def _check_knows(base: SequenceEstimator, data: Corpus) -> None:
    """Refuses a base of another label set."""
    known = set(base.labels.class_texts())
    if base.trees:
        return
    gold = data.columns[-base.outputs :]
    if base.outputs == 1 and not known & set(gold[0].alphabet.texts_of(gold[0].used())):
        raise DataError(
            f"the base gives none of the labels of the data: {', '.join(sorted(known)[:5])}, …",
            remedy="Give the data that the base has learnt from.",
            file=data.name,
        )


def _tell_of(lists: Sequence[Listed], tell: Listener) -> None:
    """How good the best candidates are."""
    losses = [one.losses for one in lists if one.losses is not None]
    if not losses:
        return
    first, best = sum(float(each[0]) for each in losses), sum(float(each.min()) for each in losses)
    right = 100 * np.mean([each.min() == 0 for each in losses])
    tell(
        Note(
            f"{len(losses):,} lists of up to {max(map(len, losses))} outputs: the truth is in {right:.1f} % of them; the mean loss is "
            f"{first / len(losses):.3f} of the first outputs, {best / len(losses):.3f} of the best."
        )
    )


TASK = Task("rerank", "the best of another model's best outputs, by features of whole outputs", Reranker)
