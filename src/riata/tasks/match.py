"""Matching: which element of one set goes with which of another, such as words with their translations."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from riata import registry
from riata.errors import DataError, SettingError, printed
from riata.estimators.own_files import OwnFiles
from riata.inference.chain import K
from riata.inference.matching import rooms
from riata.learning.events import Listener
from riata.matching.corpora import LinkStructure, OwnFeatures, width_of
from riata.matching.counts import learnt
from riata.matching.explained import LinkExplained, LinksExplained, features_of
from riata.matching.language import DEFAULT, PairTemplate
from riata.matching.links import in_lines, lines_of, links_for, read_pairs, written
from riata.matching.model_file import NOT_STORED, to_bytes, with_model
from riata.matching.pairs import NONE, Link, LinkedPair, aligners_of, as_pairs, check_linked, with_links
from riata.matching.scoring import LinkScores, score_links
from riata.matching.search import LinkSearcher
from riata.problems.structure_predictor import StructurePredictor
from riata.tasks.base import Task

Self = TypeVar("Self", bound="Matcher")  # typing.Self needs Python 3.11

IGNORED, WRONG, SURE = "ignored", "wrong", "sure"
TO_LEARN, TO_SCORE = "to learn from", "to be scored by"


class Matcher(OwnFiles):
    """Links the elements of two sets, such as the words of a sentence and of its translation (docs/matching.md).

    recipe: any that needs the best output alone; or one that searches, such as laso-alma, with beam: the links before are then features,
    too. template: lines of features, as a text or a list, or a Path of a file with them. features: instead of it, a
    function of a pair and of two numbers that gives the features of a link. fertility: how many links an element may have; two numbers if
    the sides differ. possible: what possible links are in training: ignored, wrong or sure. miss, false: what a missed and a false link
    cost. bitext: pairs of token lists, or the path of a file of them, in which words are counted; None: the training data. part: of files,
    which pairs are read; aligners: a file of what other aligners found.

    >>> X = [(["la", "maison"], ["the", "house"]), (["la", "fleur"], ["the", "flower"])]
    >>> matcher = riata.Matcher().fit(X, ["0-0 1-1", "0-0 1-1"])
    >>> matcher.predict([(["fleur", "la"], ["flower", "the"])])
    [[(0, 0), (1, 1)]]
    """

    task_name = "match"
    own_structure = "matching"
    not_stored = NOT_STORED
    learnt_: StructurePredictor | LinkSearcher

    def __init__(
        self,
        recipe: str = "m3n",
        *,
        template: str | Sequence[str] | Path | None = None,
        features: OwnFeatures | None = None,
        fertility: int | tuple[int, int] = 1,
        possible: str = IGNORED,
        miss: float = 2.0,
        false: float = 1.0,
        bitext: Any = None,
        epochs: int | None = None,
        seed: int = 0,
        beam: float | None = 5,
        settings: Mapping[str, Any] | None = None,
        part: str | None = None,
        aligners: str | Path | None = None,
        **named: Any,
    ) -> None:
        self.recipe = recipe
        self.template = template
        self.features = features
        self.fertility = fertility
        self.possible = possible
        self.miss = miss
        self.false = false
        self.bitext = bitext
        self.epochs = epochs
        self.seed = seed
        self.beam = beam
        self._store_settings(settings, named)
        self.part = part
        self.aligners = aligners

    # ---- learn ----

    def fit(self: Self, X: Iterable[Any], Y: Iterable[Any] | None = None, *, listener: Listener | None = None) -> Self:
        """Learns from pairs and their links. Y: of each pair a list of links, or a text such as "0-0 1-2 2p1"; None: those in X."""
        began = time.process_time()
        template, costs = self._checked()
        linked = check_linked(with_links(as_pairs(X), Y), TO_LEARN)
        pairs = [self._to_learn(pair) for pair in linked]
        if not any(pair.sure for pair in pairs):
            raise DataError(
                f"no pair has sure links {TO_LEARN}, and possible ones are {self.possible}.",
                remedy=f"possible={SURE!r} learns from them.",
            )
        template = None if template is None else template.expanded(aligners_of(pairs))
        words = learnt(self._bitext(pairs)) if template is not None and template.reads_words else None
        structure = LinkStructure(
            fertility=rooms(self._fertility()),
            costs=costs,
            template=template,
            words=words,
            own=self.features,
            width=next(width_of(pair) for pair in pairs if pair.sure),
        )
        made: Any
        if registry.get("recipe", self.recipe).searches:
            made = LinkSearcher.of(structure, self.recipe, self.beam, self.epochs, self.seed, self.settings)
        else:
            made = StructurePredictor(structure, self.recipe, self.epochs, self.seed, self.settings)
        made.fit(pairs, [pair.sure for pair in pairs], listener=listener)
        self.learnt_, self.seconds_ = made, time.process_time() - began
        return self

    def _checked(self) -> tuple[PairTemplate | None, tuple[float, float]]:
        if self.possible not in (IGNORED, WRONG, SURE):
            raise SettingError(f"possible is {self.possible!r}; expected {IGNORED}, {WRONG} or {SURE}.")
        costs = []
        for name in ("miss", "false"):
            cost = getattr(self, name)
            try:
                number = float(cost)
            except (TypeError, ValueError):
                number = math.nan
            if not 0 <= number < 1e6:
                raise SettingError(f"{name} is {printed(cost):.40}; expected what such a link costs, from 0.")
            costs.append(number)
        if self.features is not None:
            if self.template is not None:
                raise SettingError("template and features are both given; expected one of them.")
            return None, (costs[0], costs[1])
        return PairTemplate.parse(self._template()), (costs[0], costs[1])

    def _template(self) -> str:
        given: Any = DEFAULT if self.template is None else self.template
        lines = lines_of(given) if isinstance(given, Path) else given
        if isinstance(lines, (list, tuple)) and all(isinstance(line, str) for line in lines):
            lines = "\n".join(lines)
        if not isinstance(lines, str):
            raise SettingError(f"template is {printed(given):.60}; expected a text, a list of lines, or a Path.")
        return lines

    def _fertility(self) -> Any:
        """Also as the command line has it, `2` or `1,2`."""
        if not isinstance(self.fertility, str):
            return self.fertility
        numbers = [int(one) if one.isdigit() else one for one in self.fertility.split(",")]
        return numbers[0] if len(numbers) == 1 else tuple(numbers)

    def _to_learn(self, pair: LinkedPair) -> LinkedPair:
        """With the links that are learnt as sure ones."""
        if self.possible == SURE:
            return replace(pair, sure=frozenset(pair.sure) | frozenset(pair.possible), possible=NONE)
        left_out = frozenset(pair.possible) if self.possible == IGNORED else NONE
        return replace(pair, forbidden=frozenset(pair.forbidden) | (left_out - frozenset(pair.given)))

    def _bitext(self, pairs: Sequence[LinkedPair]) -> Iterator[tuple[list[str], list[str]]]:
        given = self.bitext
        found = (
            read_pairs(given)
            if isinstance(given, (str, Path))
            else pairs
            if given is None
            else as_pairs(given, "bitext")
        )
        for pair in found:
            yield list(map(str, pair.source)), list(map(str, pair.target))

    # ---- predict ----

    def predict(self, X: Iterable[Any]) -> list[list[Link]]:
        """The links of every pair."""
        return self._check_fitted().predict(X)

    def predict_nbest(self, X: Iterable[Any], k: int) -> list[list[tuple[list[Link], float]]]:
        """The k best matchings of every pair with their scores, best first; fewer if there are fewer."""
        return self._check_fitted().predict_nbest(X, k)

    def predict_scores(self, X: Iterable[Any]) -> list[Any]:
        """The scores of all possible links, [source, target] for every pair; minus infinity for forbidden ones."""
        pairs = as_pairs(X)
        tables = []
        for pair, scores in zip(pairs, self._check_fitted().score_parts(pairs), strict=True):
            table = np.full(pair.shape, -np.inf)
            kept = np.ones(pair.shape, bool)
            for link in pair.forbidden:
                kept[link] = False
            table[kept] = scores
            tables.append(table)
        return tables

    # ---- how good it is ----

    def evaluate(self, X: Iterable[Any], Y: Iterable[Any] | None = None) -> LinkScores:
        """Precision, recall and alignment error rate. Y: as for fit."""
        pairs = with_links(as_pairs(X), Y)
        return score_links(check_linked(pairs, TO_SCORE) if Y is None else pairs, self.predict(pairs))

    def score(self, X: Iterable[Any], Y: Iterable[Any] | None = None) -> float:
        """1 - AER."""
        return 1 - self.evaluate(X, Y).metrics["aer"] / 100

    def explain(self, x: Any, y: Any = None, *, link: Link | None = None) -> LinksExplained:
        """The links of one pair as a picture, and the features of those that are wrong; without wrong ones, of those that were found.

        y: the true links, as for fit. link: another possible link whose features are asked for.
        """
        [pair] = with_links(as_pairs([x]), None if y is None else [y])
        learnt = self._check_fitted()
        [scores], [found] = self.predict_scores([pair]), learnt.predict([pair])
        assert isinstance(learnt, StructurePredictor)
        chosen, sure = frozenset(found), set(pair.sure)
        false = chosen - sure - set(pair.possible) if sure else frozenset()
        kinds = dict.fromkeys(false, "false") | dict.fromkeys(sure - chosen, "missed")
        kinds = kinds or dict.fromkeys(chosen, "found")
        if link is not None:
            [(i, j)] = as_pairs([replace(pair, sure=[link])])[0].sure
            kinds = {(i, j): kinds.get((i, j), "asked for")}
        features = features_of(learnt, pair, sorted(kinds))
        rows = tuple(
            LinkExplained(
                one, kind, (str(pair.source[one[0]]), str(pair.target[one[1]])), float(scores[one]), features[one]
            )
            for one, kind in sorted(kinds.items())
        )
        return LinksExplained(pair, chosen, scores, rows)

    def weights(self) -> dict[str, float]:
        """Every weight that is not zero, by the name of its feature."""
        return self._check_fitted().weights()

    # ---- commands ----

    @classmethod
    def of_options(cls, params: dict[str, Any]) -> Matcher:
        given = dict(params)
        if "template" in given:
            given["template"] = Path(given["template"])
        if "beam" in given:
            given["beam"] = math.inf if given["beam"] == "inf" else int(K.parse(given["beam"]))
        return cls(**given)

    def read_training(self, file: str, reading: Callable[[Any], Any]) -> list[LinkedPair]:
        return check_linked(self._read(file), TO_LEARN, file)

    def _read(self, file: str) -> list[LinkedPair]:
        return read_pairs(file, part=self.part, others=self.aligners)

    def facts(self) -> dict[str, Any]:
        """What `riata train` reports."""
        learnt = self._check_fitted()
        return {
            "recipe": learnt.facts_["recipe"],
            "structure": learnt.facts_.get("structure", "matching"),
            "seconds_train": self.seconds_,
            "tokens": learnt.facts_["parts"],
            "weights": len(learnt.weights()),
        }

    def answers(self, file: str) -> Iterator[bytes]:
        """The lines of a file with the links that were found."""
        pairs, lines = in_lines(file, part=self.part, others=self.aligners)
        for line, links in zip(lines, self.predict(pairs), strict=True):
            yield (line + written(links) + "\n").encode("utf-8")

    def judged(self, file: str) -> LinkScores:
        return self.evaluate(check_linked(self._read(file), TO_SCORE, file))

    @staticmethod
    def compared_files(gold: str, predicted: str, part: str | None) -> LinkScores:
        """The links of one file against those of another, which has the same pairs, or a Pharaoh line for each."""
        truth = check_linked(read_pairs(gold, part=part), TO_SCORE, gold)
        return score_links(truth, links_for(truth, predicted, part))

    def explained(self, file: str, number: int, reading: Callable[[Any], Any]) -> LinksExplained:
        [pair] = self.chosen(self._read(file), number)
        return self.explain(pair)

    # ---- keep ----

    def to_bytes(self) -> bytes:
        return to_bytes(self)

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Any, using: Iterable[Any]) -> Matcher:
        """A matcher from its model file."""
        made: Matcher = with_model(cls, cls.params_in(header), header, arrays, using)
        return made

    @property
    def own_functions(self) -> list[Any]:
        return [] if self.features is None else [self.features]

    @property
    def is_fitted(self) -> bool:
        return hasattr(self, "learnt_")

    def _check_fitted(self) -> StructurePredictor | LinkSearcher:
        self._check_trained()
        return self.learnt_


TASK = Task("match", "links between two sets, such as a sentence and its translation; scored by AER", Matcher)
