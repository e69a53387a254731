"""The hidden Markov model: counts of labelled words, smoothed, as the weights of a linear chain.

The score of a labelling is log P(words, labels) and a number that depends on the words alone, so that all that is made for
linear chains works for it: exact search, beams, the k best, probabilities, explanations, files.

    P(words, labels) = P(y1 | start) ∏ P(y[t] | y[t-1]) ∏ P(w[t] | y[t]) P(stop | y[T])

A word tells its label by what is known of it, from the general to the special: what rare words are, their case, their last
letters with it, the word itself (as TnT has it: Brants 2000). Each level is smoothed towards the one before,

    P(y | level) = (count(level, y) + k P(y | level before)) / (count(level) + k)

and P(w | y) = P(y | w) P(w) / P(y). A level that training has not seen says nothing, so that unknown words need no care. Since
each level is known from the next, the levels are rows of weights that add up: log(1 + count(level, y) / (k P(y | level before))).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import FeatureIndex, Instances, boundary_reach
from riata.errors import UnsupportedError
from riata.features.compile import Features
from riata.features.templates import Template, parse
from riata.learning.events import Epoch
from riata.learning.loop import EpochTrainer, TrainingSet
from riata.models.model import Model
from riata.settings import Setting
from riata.structures.chain.model import PRECISIONS

Counts = NDArray[np.float64]
Ids = NDArray[np.int32]

TRANSITIONS = "transitions"  # name of a setting
LONGEST = 4  # longest suffix that has an attribute
HALF = 0.5  # added to the count of every label, so that no label is impossible

SETTINGS = (
    Setting(TRANSITIONS, 1.0, "the count that all labels together get beforehand, after each label", low=1e-6),
    Setting("words", 1.0, "the count that what a word's case and ending say has beside the word's own", low=1e-6),
    Setting("suffixes", 3.0, "the count that a shorter ending has beside a longer one", low=1e-6),
    Setting("rare", 10, "words seen up to so often tell what unknown ones are", low=0),
    Setting("longest", LONGEST, "letters of the longest ending", low=0, high=LONGEST),
    Setting("precision", "single", "arithmetic of the weights", choices=("single", "double")),
)


def templates(width: int, settings: Mapping[str, Any]) -> tuple[Template, ...]:
    """The templates of the model: where the sentence begins and ends, and the levels of every column."""
    lines = ["edge", "bias[-1]", "bias[1]"]
    for column in range(width):
        lines += [f"bias({column})[0]", f"case({column})[0]"]
        lines += [f"case({column})[0] suffix{n}({column})[0]" for n in range(1, settings["longest"] + 1)]
        lines += [f"x{column}[0]"]
    return parse("\n".join(lines), "hmm")


def smoothed(counts: Counts, before: Counts, k: float) -> Counts:
    """Smoothed distributions of counts [rows, labels]: each is drawn towards `before`, and equal to it if nothing was counted."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, (counts + k * before) / (total + k), before)


def evidence(counts: Counts, before: Counts, k: float) -> Counts:
    """log smoothed(counts, before, k) - log before, up to a constant that is the same for all labels; zero if nothing was counted."""
    return np.log1p(counts / (k * before))


@dataclass(eq=False)
class ColumnCounts:
    """How often each word of a column had each label, and the levels of each word."""

    # Families of the levels between the first level, which is the same for all words, and the word.
    families: Sequence[int]
    word: int  # family of the word
    labels: int
    counts: Counts = field(init=False)  # [words, labels]
    seen: Counts = field(init=False)  # [words] number of occurrences, each as often as its sentence weighs
    levels: Ids = field(init=False)  # [families, words] n-grams, -1: none

    def __post_init__(self) -> None:
        self.counts = np.zeros((0, self.labels))
        self.seen = np.zeros(0)
        self.levels = np.zeros((len(self.families), 0), np.int32)

    def add(self, index: FeatureIndex, instances: Instances, labels: Ids, weights: Counts) -> None:
        words, size = instances.column(self.word), index.size(self.word)
        more = size - len(self.seen)
        pairs = words.astype(np.int64) * self.labels + labels
        self.counts = np.pad(self.counts, ((0, more), (0, 0)))
        self.counts += np.bincount(pairs, weights, size * self.labels).reshape(size, self.labels)
        self.seen = np.pad(self.seen, (0, more)) + np.bincount(words, weights, size)
        self.levels = np.pad(self.levels, ((0, 0), (0, more)), constant_values=-1)
        for row, family in zip(self.levels, self.families, strict=True):
            row[words] = instances.column(family)

    def rows(self, index: FeatureIndex, general: Counts, settings: Mapping[str, Any]) -> list[Counts]:
        """The weights of the levels, from the first level to the word. general: the distribution of labels."""
        rare = self.counts * (self.seen <= settings["rare"])[:, None]
        first = smoothed(rare.sum(axis=0), general, settings["suffixes"])
        believed = np.tile(first, (len(self.counts), 1))  # [words, labels] distribution by the levels so far
        out = []
        for family, level in zip(self.families, self.levels, strict=True):
            has = np.flatnonzero(level >= 0)
            counts = np.zeros((index.size(family), self.labels))
            np.add.at(counts, level[has], rare[has])
            before = np.ones_like(counts)
            before[level[has]] = believed[has]
            out.append(evidence(counts, before, settings["suffixes"]))
            believed[has] = smoothed(counts, before, settings["suffixes"])[level[has]]
        out.append(evidence(self.counts, believed, settings["words"]))
        share = self.counts.sum(axis=1) / max(self.counts.sum(), 1e-300)
        overall = share @ smoothed(self.counts, believed, settings["words"]) if share.any() else general
        return [(np.log(first) - np.log(overall))[None], *out]


class HmmTrainer(EpochTrainer):
    """Counts. Data that come later are added to the counts."""

    finished = "everything is counted"
    local = False  # steps are not normalised by themselves

    def __init__(self, structure: Any, features: Features) -> None:
        """structure: a LearntStructure."""
        if structure.start is not None:
            raise UnsupportedError(
                "The recipe 'hmm' cannot go on from a model, which holds probabilities and not the counts behind them.",
                remedy="Train anew on all data, or give all portions to partial_fit, from the first one on.",
            )
        labels = structure.outputs.labels
        self.features, self.settings = features, structure.options.settings
        self._blank = Model.blank(features, structure.outputs, single=structure.single)
        program, size = features.program, len(labels)
        node = [
            (family, str(template)) for (family, _, _), template in zip(program.reads, program.templates, strict=True)
        ]
        self.bias = node[0][0]  # its n-grams outside the sentence tell where it begins and ends
        width = max(read.column for template in program.templates for read in template.reads) + 1
        levels, last = [family for family, _ in node[2:]], (len(node) - 2) // width
        self.columns = [
            ColumnCounts(levels[at + 1 : at + last - 1], levels[at + last - 1], size)
            for at in range(0, len(levels), last)
        ]
        self.pairs = np.zeros((size, size))
        self.firsts, self.lasts, self.all = np.zeros(size), np.zeros(size), np.zeros(size)

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        began = time.perf_counter()
        labels, starts = data.instances.labels(), data.instances.starts()
        lengths = np.diff(starts)
        of_sentences = data.sentence_weights if len(data.sentence_weights) else np.ones(len(lengths))
        weights = np.repeat(of_sentences, lengths)
        for column in self.columns:
            column.add(self.features.index, data.instances, labels, weights)
        some, size = lengths > 0, len(self.all)
        first, last = starts[:-1][some], starts[1:][some] - 1
        inner = np.ones(len(labels), bool)
        inner[first] = False
        into = np.flatnonzero(inner)
        pairs = labels[into - 1].astype(np.int64) * size + labels[into]
        self.pairs += np.bincount(pairs, weights[into], size * size).reshape(size, size)
        self.firsts += np.bincount(labels[first], of_sentences[some], size)
        self.lasts += np.bincount(labels[last], of_sentences[some], size)
        self.all += np.bincount(labels, weights, size)
        return Epoch(
            epoch=number,
            updates=data.sentences,
            sentences=data.sentences,
            tokens=data.tokens,
            wrong_tokens=None,
            seconds=time.perf_counter() - began,
        )

    def model(self) -> Model:
        index, k, labels = self.features.index, self.settings[TRANSITIONS], len(self.all)
        general = (self.all + HALF) / (self.all.sum() + HALF * labels)
        stop = (self.lasts.sum() + HALF) / (self.all.sum() + 2 * HALF)  # probability of the end after any label
        before = np.append((1 - stop) * general, stop)
        # The last column is the end of the sentence.
        after = np.log(smoothed(np.column_stack([self.pairs, self.lasts]), before, k))
        ends = [np.zeros((index.size(self.bias), labels)) for _ in range(2)]
        values = index.pairs(self.bias)[1]
        ends[0][values == 0] = np.log(smoothed(self.firsts, general, k))
        ends[1][values == boundary_reach] = after[:, -1]
        rows = [*ends]
        for number, column in enumerate(self.columns):
            levels = column.rows(index, general, self.settings)
            if number == 0:  # the first level also has n-grams outside the sentence
                inside = np.zeros_like(ends[0])
                inside[values > boundary_reach] = levels[0]
                levels[0] = inside
            rows += levels
        matrix = np.ascontiguousarray(after[:, :-1])
        weights = self._blank.weights_as(PRECISIONS).from_rows(
            index, matrix, [np.ascontiguousarray(row) for row in rows]
        )
        return self._blank.with_weights(weights)
