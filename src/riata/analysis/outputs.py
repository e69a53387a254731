"""Gold labels of some sentences beside what one or more models predict for them: what every analysis starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata.data.encodings.base import detect, is_extended, shown_encodings, spans_of
from riata.data.recoding import Recoder
from riata.data.types import Column, Ids, Span, Starts
from riata.errors import DataError, UnsupportedError
from riata.scoring.evaluation import Evaluation, evaluate
from riata.scoring.resampling import SampledUnits, units_of

Spans = list[list[Span]]  # by sentence


@dataclass(frozen=True, eq=False)
class Output:
    """One column of labels: gold, and what each model found. Ids are indices of `labels`, the same for all."""

    kind: str  # "tag" or "chunk"; of trees "head" and "relation"
    labels: tuple[str, ...]
    gold: Ids  # [N]
    found: tuple[Ids, ...]  # [N] of each model
    starts: Starts  # [S + 1]

    @property
    def chunks(self) -> bool:
        return self.kind == "chunk"

    def of(self, model: int | None) -> Ids:
        """[N] Of a model by number, or of gold."""
        return self.gold if model is None else self.found[model]

    def texts(self, ids: Ids, sentence: int) -> list[str]:
        low, high = self.starts[sentence], self.starts[sentence + 1]
        return [self.labels[i] for i in ids[low:high]]

    def right(self, model: int) -> NDArray[np.bool_]:
        """[N] whether the label of a token is right."""
        return np.asarray(self.gold == self.found[model])

    def evaluation(self, model: int) -> Evaluation:
        return evaluate(self.labels, self.gold, self.found[model], self.starts, chunks=self.chunks)

    @cached_property
    def gold_spans(self) -> Spans:
        return self._spans(self.gold)

    @cached_property
    def found_spans(self) -> tuple[Spans, ...]:
        return tuple(map(self._spans, self.found))

    def _spans(self, ids: Ids) -> Spans:
        extended = is_extended(self.labels)  # as evaluate reads them
        return [spans_of(self.texts(ids, s), extended=extended) for s in range(len(self.starts) - 1)]


@dataclass(frozen=True, eq=False)
class JudgedOutputs:
    """Sentences with their outputs: one, or of joint models two, the tags and the chunk labels, or of trees the heads and the relations."""

    words: list[list[str]]
    outputs: tuple[Output, ...]
    lines: tuple[int | None, ...]  # [S] where each sentence starts in its file
    name: str
    document: Ids | None = None  # [S] the document of each sentence; None: none are marked

    @property
    def starts(self) -> Starts:
        return self.outputs[0].starts

    @property
    def units(self) -> SampledUnits:
        """What tests resample."""
        return units_of(self.document, len(self.words))

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    @property
    def tokens(self) -> int:
        return int(self.starts[-1])

    @property
    def plain(self) -> Output | None:
        """The output whose confusions are counted token by token: tags, or relations of trees."""
        return self.output("tag") or self.output("relation")

    def output(self, kind: str) -> Output | None:
        return next((output for output in self.outputs if output.kind == kind), None)

    @property
    def main(self) -> Output:
        """The output of the main score."""
        return self.outputs[-1]

    def place(self, sentence: int) -> str:
        line = self.lines[sentence]
        return f"sentence {sentence + 1}" + ("" if line is None else f", line {line}")


def outputs_of(estimators: Sequence[Any], X: Any, y: Any = None) -> JudgedOutputs:
    """What trained models of one task predict for sentences whose gold labels are known."""
    check_sequences(estimators)
    read = [estimator.evaluating.gold_and_found(X, y) for estimator in estimators]
    inputs, golds, _ = read[0]
    for _, other, _ in read[1:]:
        if any(a.texts() != b.texts() for a, b in zip(golds, other, strict=True)):
            raise DataError(
                "the models were trained on different output columns, so there is no one truth to compare them with.",
                remedy="Give the gold labels as y, or models of one column.",
                file=inputs.name,
            )
    kinds = ("tag", "chunk") if len(golds) > 1 else ("chunk" if estimators[0].chunks else "tag",)
    if estimators[0].trees:
        kinds = ("head", "relation")
    encodings = [estimator.encoding_ for estimator in estimators]
    found = [[columns[k] for _, _, columns in read] for k in range(len(golds))]
    if len(set(encodings)) > 1:
        found[-1] = _as_gold(golds[-1], found[-1], [str(name) for name in encodings], inputs.starts)
    words = inputs.columns[0].texts() if inputs.width else [f"[{t}]" for t in range(inputs.tokens)]
    bounds = list(zip(inputs.starts[:-1].tolist(), inputs.starts[1:].tolist(), strict=True))
    return JudgedOutputs(
        [words[low:high] for low, high in bounds],
        tuple(_output(*column, inputs.starts) for column in zip(kinds, golds, found, strict=True)),
        tuple(inputs.line_of(low) if low < high else None for low, high in bounds),
        Path(inputs.name).name,
        inputs.document,
    )


def check_sequences(estimators: Sequence[Any]) -> None:
    """Refuses what is no estimator of sequences, or not of one task."""
    for estimator in estimators:
        if not hasattr(estimator, "evaluating"):
            raise UnsupportedError(
                f"a {type(estimator).__name__} has outputs of its own, with no labels to compare token by token.",
                remedy="Give models of tag, chunk, joint, ner or parse.",
            )
    tasks = [estimator.task_name for estimator in estimators]
    if len(set(tasks)) > 1:
        raise UnsupportedError(
            f"the models are for different tasks, {tasks[0]!r} and {tasks[1]!r}: their labels do not mean the same.",
            remedy="Compare models of one task.",
        )


def _output(kind: str, gold: Column, found: Sequence[Column], starts: Starts) -> Output:
    labels: dict[str, int] = {}
    ids = []
    for column in (gold, *found):
        table = np.array([labels.setdefault(text, len(labels)) for text in column.alphabet.texts()] or [0], np.int32)
        ids.append(table[column.ids])
    return Output(kind, tuple(labels), ids[0], tuple(ids[1:]), starts)


def _as_gold(gold: Column, found: Sequence[Column], encodings: Sequence[str], starts: Starts) -> list[Column]:
    """Chunk labels of models that write them in different encodings, all in that of the gold labels."""
    known = registry.all_of("encoding")
    bare = next((known[name] for name in encodings if known[name].bare), None)
    target = bare or detect(shown_encodings(), gold.alphabet.texts(), gold.ids, starts)
    return [
        Recoder.of(column.alphabet.texts(), known[name], target).column(column.ids, starts)
        for column, name in zip(found, encodings, strict=True)
    ]
