"""Two models on one corpus: which is better, where, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from riata.analysis.changes import Level, TypeChange, by_type, errors_by_sentence, levels
from riata.analysis.examples import Example, check_number
from riata.analysis.outputs import JudgedOutputs, outputs_of
from riata.scoring.accuracy import sentence_accuracy_of
from riata.scoring.counts import Counts, accuracy_of, sums_by_sentence
from riata.scoring.significance import Statistic, paired_test
from riata.scoring.spans import f1_of, precision_of, recall_of
from riata.showing.notebook import page
from riata.showing.table import InParts, SignedNumber, Table

NAMES = ("A", "B")
EXAMPLES = 3
MOST = 15  # rows of a table
_SPAN_SCORES: Mapping[str, Statistic] = {
    "f1": f1_of,
    "precision": precision_of,
    "recall": recall_of,
    "accuracy": accuracy_of,
}
_TAG_SCORES: Mapping[str, Statistic] = {"accuracy": accuracy_of, "sentence_accuracy": sentence_accuracy_of}


@dataclass(frozen=True)
class ScoreChange:
    """A score of both models in per cent, and how often chance alone gives a difference as large (paired test)."""

    name: str
    a: float
    b: float
    p_value: float

    @property
    def difference(self) -> float:
        return self.b - self.a


@dataclass(frozen=True)
class ModelComparison(InParts):
    """What changed from model A to model B. `str()` and notebooks show it; `to_dict()` is ready for JSON."""

    task: str
    data: str
    sentences: int
    tokens: int
    scores: tuple[ScoreChange, ...]  # the main one first
    levels: tuple[Level, ...]
    types: Mapping[str, tuple[TypeChange, ...]]  # by output, "tag" or "chunk"
    better: tuple[Example, ...]  # sentences with fewer errors in B, those that changed most for their length first
    worse: tuple[Example, ...]  # and with more
    resampled: str = "sentences"  # what the paired test deals out, in words

    @property
    def counts(self) -> dict[str, dict[str, int | None]]:
        """By level: both_right, fixed, broken, wrong_alike, wrong_differently."""
        return {level.name: level.to_dict() for level in self.levels}

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "data": self.data,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "resampled": self.resampled,
            "scores": {
                s.name: {"a": s.a, "b": s.b, "difference": s.difference, "p_value": s.p_value} for s in self.scores
            },
            "counts": self.counts,
            "types": {
                kind: {row.type: {**asdict(row), "f1_a": row.f1_a, "f1_b": row.f1_b} for row in rows}
                for kind, rows in self.types.items()
            },
            "examples": {name: [e.to_dict() for e in getattr(self, name)] for name in ("better", "worse")},
        }

    def tables(self, most: int = MOST) -> list[Table]:
        """most: rows of the tables by type."""
        scores = [
            (s.name.replace("_", " "), s.a, s.b, SignedNumber(s.difference), f"{s.p_value:.4f}", _verdict(s))
            for s in self.scores
        ]
        title = f"{self.data}: {self.sentences:,} sentences, {self.tokens:,} tokens"
        note = "p: how often chance alone gives a difference as large (paired approximate randomisation"
        note += ")" if self.resampled == "sentences" else f" of {self.resampled})"
        found = [
            Table(title, ("score", "A", "B", "B − A", "p", ""), scores, note),
            Table(
                "What changed from A to B",
                ("", "both right", "fixed", "broken", "wrong alike", "wrong differently"),
                [(x.name, x.both_right, x.fixed, x.broken, x.wrong_alike, x.wrong_differently) for x in self.levels],
            ),
        ]
        for kind, rows in self.types.items():
            columns = ("gold", "fixed", "broken", "F1 of A", "F1 of B", "B − A")
            shown = [
                (row.type, row.gold, row.fixed, row.broken, row.f1_a, row.f1_b, SignedNumber(row.f1_b - row.f1_a))
                for row in rows[:most]
            ]
            left = f"{len(rows) - most} more changed less" if len(rows) > most else ""
            name = "chunk type" if kind == "chunk" else kind
            found.append(Table(f"By {name}", (name, *columns), shown, left))
        return found

    def _parts(self) -> list[Any]:
        parts: list[Any] = [*self.tables()]
        for title, examples in (("Better with B", self.better), ("Worse with B", self.worse)):
            parts += ["", title, *examples] if examples else []
        return parts

    def _repr_html_(self) -> str:
        parts = [table.to_html() for table in self.tables()]
        for title, examples in (("Better with B", self.better), ("Worse with B", self.worse)):
            if examples:
                parts += [f"<h4>{title}</h4>", *(example.to_html() for example in examples)]
        return page(*parts)


def compare_models(a: Any, b: Any, X: Any, y: Any = None, *, examples: int = EXAMPLES) -> ModelComparison:
    """What changes on these sentences from one trained model to another of the same task: scores, counts, types and examples.

    X, y: as for `evaluate`. The models may differ in everything but the task; each reads its own columns.
    examples: at most so many sentences that B has better, and as many that it has worse.

    >>> train, test = riata.load("embedded", "train"), riata.load("embedded", "test")
    >>> one, other = (riata.Chunker(epochs=epochs).fit(train) for epochs in (1, 10))
    >>> f1 = riata.compare_models(one, other, test).scores[0]
    >>> f1.name, f1.a < f1.b
    ('f1', True)
    """
    check_number(examples)
    data = outputs_of((a, b), X, y)
    better, worse = _examples(data, examples)
    return ModelComparison(
        a.task_name,
        data.name,
        len(data.words),
        data.tokens,
        tuple(_scores(data)),
        tuple(levels(data)),
        {output.kind: tuple(by_type(output)) for output in reversed(data.outputs) if output.kind != "head"},
        better,
        worse,
        str(data.units),
    )


def _scores(data: JudgedOutputs) -> list[ScoreChange]:
    """By the names of the metrics of `evaluate`."""
    units = data.units
    rows = [data.main.evaluation(model).rows for model in range(2)]
    named = _SPAN_SCORES if data.main.chunks else _TAG_SCORES
    found = [_score(name, statistic, *map(units.sums, rows)) for name, statistic in named.items()]
    if len(data.outputs) > 1:
        tags = [data.outputs[0].evaluation(model).rows for model in range(2)]
        both = [_both_rows(data, model) for model in range(2)]
        found.append(_score("tag_accuracy", accuracy_of, *map(units.sums, tags)))
        found.append(_score("joint_accuracy", accuracy_of, *map(units.sums, both)))
    return found


def _both_rows(data: JudgedOutputs, model: int) -> Counts:
    """[S, 2] tokens whose labels are all right, and tokens."""
    right = np.logical_and.reduce([output.right(model) for output in data.outputs])
    return np.stack([sums_by_sentence(right, data.starts), data.lengths], axis=1)


def _score(name: str, statistic: Callable[..., Any], a: Counts, b: Counts) -> ScoreChange:
    values = [float(statistic(rows.sum(axis=0))) for rows in (a, b)]
    return ScoreChange(name, values[0], values[1], paired_test(statistic, b, a).p_value)


def _verdict(score: ScoreChange) -> str:
    if score.difference == 0:
        return "equal"
    return "significant at 0.05, for these training data" if score.p_value <= 0.05 else "may be chance"


def _examples(data: JudgedOutputs, most: int) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """The sentences that changed most for their length: much in few words is easiest to see."""
    errors = [errors_by_sentence(data, model) for model in range(2)]
    change = errors[1] - errors[0]
    order = np.argsort(-np.abs(change) / np.sqrt(np.maximum(data.lengths, 1)), kind="stable")
    chosen = []
    for sign in (-1, 1):
        sentences = [int(s) for s in order if np.sign(change[s]) == sign][:most]
        titles = (f"errors: {errors[0][s]} in A, {errors[1][s]} in B" for s in sentences)
        chosen.append(tuple(Example.of(data, s, NAMES, title) for s, title in zip(sentences, titles, strict=True)))
    return chosen[0], chosen[1]
