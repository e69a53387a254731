"""Where a model goes wrong: confusions, kinds of span errors, hard parts of the data, and whose fault it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riata.analysis.beams import BeamResult, by_beam, check_beams
from riata.analysis.changes import errors_by_sentence
from riata.analysis.examples import Example, check_number
from riata.analysis.outputs import JudgedOutputs, outputs_of
from riata.analysis.slices import Slice, Vocabulary, by_frequency, by_seen, by_sentence_length, by_span_length
from riata.analysis.span_errors import (
    KINDS,
    Confusion,
    KindCount,
    SpanError,
    by_kind,
    label_confusions,
    most_frequent,
    span_errors,
    type_confusions,
)
from riata.scoring.search_errors import SearchErrors
from riata.showing.notebook import page
from riata.showing.table import Cell, InParts, Table

if TYPE_CHECKING:
    from collections import Counter

MOST = 10  # rows of a table of confusions
EXAMPLES = 1
CONFUSED = 5  # confusions of tags that get examples
EASY = 10  # tokens of a sentence that is soon read and yet has some context
NONE = "no such span"
WRONG_HEAD = "relation right, head wrong"
OUTPUT = "output"  # the name of what the model found, in examples
_NAMES = {
    "seen": "Seen and unseen words",
    "frequency": "By how often a word was in the training data",
    "sentence_length": "By the length of the sentence",
    "span_length": "By the length of the span",
}


@dataclass(frozen=True, eq=False)
class ErrorAnalysis(InParts):
    """What a model gets wrong on some sentences. `str()` and notebooks show it; `to_dict()` is ready for JSON; `plot` draws it."""

    task: str
    data: str
    sentences: int
    tokens: int
    metrics: Mapping[str, float]  # per cent
    kinds: tuple[KindCount, ...]  # of span errors; empty for plain tags
    # By what is confused: "type", "tag", "chunk label", "relation".
    confusions: Mapping[str, Counter[tuple[str | None, str | None]]]
    slices: Mapping[str, tuple[Slice, ...]]  # "seen", "frequency", "sentence_length", "span_length", as far as known
    seen_in: str | None  # what tells seen words from unseen ones; None: nothing does
    search: SearchErrors
    beams: tuple[BeamResult, ...]
    examples: Mapping[str, tuple[Example, ...]]  # by kind of error

    def most_confused(self, of: str) -> tuple[Confusion, ...]:
        """The confusions of types, tags or chunk labels, most frequent first."""
        return most_frequent(self.confusions[of])

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "data": self.data,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "metrics": dict(self.metrics),
            "kinds": {count.kind: count.to_dict() for count in self.kinds},
            "confusions": {of: [list(c) for c in self.most_confused(of)] for of in self.confusions},
            "seen_in": self.seen_in,
            "slices": {name: {part.name: part.to_dict() for part in parts} for name, parts in self.slices.items()},
            "search": self.search.counts,
            "beams": [result.to_dict() for result in self.beams],
            "examples": {kind: [example.to_dict() for example in each] for kind, each in self.examples.items()},
        }

    def plot(self, path: str | Path) -> None:
        """Draws it to a file, .svg or .png. Needs matplotlib, the extra `plots`."""
        from riata.analysis.error_plots import plot

        plot(self, Path(path))

    def tables(self) -> list[Table]:
        found = [self._scores_table()] + ([self._kinds_table()] if self.kinds else [])
        found += [self._confusion_table(of) for of in self.confusions]
        found += [self._slice_table(name) for name in self.slices]
        return [*found, self._search_table()]

    def _scores_table(self) -> Table:
        names = tuple(name.replace("_", " ") for name in self.metrics)
        title = f"{self.data}: {self.sentences:,} sentences, {self.tokens:,} tokens"
        unknown = "which words were seen is not known: the model keeps none (give the training data)"
        return Table(title, names, [tuple(self.metrics.values())], unknown if self.seen_in is None else "")

    def _kinds_table(self) -> Table:
        rows: list[tuple[Cell, ...]] = [
            (k.kind, k.errors, k.missed, k.wrong, k.f1_without, KINDS[k.kind]) for k in self.kinds
        ]
        totals = [sum(getattr(k, name) for k in self.kinds) for name in ("errors", "missed", "wrong")]
        note = "an error: missed and wrong spans that overlap each other; each span is in one error"
        columns = ("kind", "errors", "missed", "wrong", "F1 if mended", "")
        return Table("Span errors", columns, rows, note, ("all", *totals, 100.0, ""))

    def _confusion_table(self, of: str) -> Table:
        wrong = self.most_confused(of)
        total = sum(c.times for c in wrong)
        rows = [
            (c.gold or NONE, c.found or NONE, c.times, 100 * c.times / total, self._share(of, c)) for c in wrong[:MOST]
        ]
        things = "spans of the same borders" if of == "type" else "tokens"
        rest = sum(c.times for c in wrong[MOST:])
        note = f"{total:,} in all; {rest:,} of them in {len(wrong) - MOST:,} rarer confusions" if rest else ""
        columns = (f"gold {of}", f"found {of}", "count", "% of errors", "% of gold")
        return Table(f"Confusions of {of}s, {things}", columns, rows, note)

    def _share(self, of: str, confusion: Confusion) -> float | None:
        """Per cent of the gold ones; None where gold has none."""
        if confusion.gold is None:
            return None
        gold = sum(count for (label, _), count in self.confusions[of].items() if label == confusion.gold)
        return 100 * confusion.times / gold

    def _slice_table(self, name: str) -> Table:
        parts = self.slices[name]
        has_tokens, has_spans = parts[0].tokens is not None, parts[0].gold is not None
        outputs = list(parts[0].right)
        columns = ["", *(["tokens"] if has_tokens else [])]
        columns += ["accuracy"] if len(outputs) == 1 else [f"accuracy of {kind}s" for kind in outputs]
        columns += ["gold spans", "found", "correct", "F1"] if has_spans else []
        rows = []
        for part in parts:
            row: list[Cell] = [part.name, *([part.tokens] if has_tokens else [])]
            row += [part.accuracy(kind) for kind in outputs]
            row += [part.gold, part.found, part.correct, part.f1] if has_spans else []
            rows.append(tuple(row))
        note = {
            "seen": f"seen: {self.seen_in}" + ("; a span with an unseen word is unseen" if has_spans else ""),
            "frequency": "a span counts by its rarest word" if has_spans else "",
        }
        return Table(_NAMES[name], tuple(columns), rows, note.get(name, ""))

    def _search_table(self) -> Table:
        names = list(self.metrics)
        main = "las" if "las" in names else names[2] if self.kinds else names[0]
        rows: list[tuple[Cell, ...]] = [("as it is", self.metrics[main], *_faults(self.search))]
        rows += [(f"beam {result.beam}", result.metrics[main], *_faults(result.errors)) for result in self.beams]
        tests = {each.test for each in (self.search, *(result.errors for result in self.beams))}
        note = (
            "search: it alone, as it missed the best output, which is the truth; both: it missed it, and it is not the truth; "
            "model: it alone, as the best output was found, and is not the truth; lucky: right, though the best output was missed"
        )
        if "truth" in tests:
            note += (
                ". Exact search is too costly for this model: search counts outputs that score below the truth, a lower bound, "
                "and model those that score above it; the rest is not known"
            )
        columns = ("decoding", main, "wrong sentences", "search", "both", "model", "ties", "lucky")
        return Table("Whose fault wrong sentences are", columns, rows, note)

    def _parts(self) -> list[Any]:
        parts: list[Any] = [*self.tables()]
        for examples in self.examples.values():
            parts += ["", *examples] if examples else []
        return parts

    def _repr_html_(self) -> str:
        shown = [example.to_html() for examples in self.examples.values() for example in examples]
        return page(*(table.to_html() for table in self.tables()), *(["<h4>Examples</h4>"] if shown else []), *shown)


def error_analysis(
    estimator: Any, X: Any, y: Any = None, *, train: Any = None, beams: Iterable[float] = (), examples: int = EXAMPLES
) -> ErrorAnalysis:
    """Where a trained model goes wrong on sentences whose labels are known. X, y: as for `evaluate`.

    train: the training data, which tell seen words from unseen ones and how often each was seen; without them, the words that the model's
    features know, if it keeps any. beams: decode with each of these widths too. examples: sentences for each kind of error.
    """
    check_number(examples)
    beams = tuple(beams)
    check_beams(estimator, X, beams)
    data = outputs_of([estimator], X, y)
    vocabulary = Vocabulary.of_model(estimator) if train is None else Vocabulary.of_training(estimator, train)
    chunks = data.output("chunk")
    errors = [] if chunks is None else span_errors(chunks)
    spans = [] if chunks is None else [sum(map(len, each)) for each in (chunks.gold_spans, chunks.found_spans[0])]
    return ErrorAnalysis(
        estimator.task_name,
        data.name,
        len(data.words),
        data.tokens,
        estimator.evaluate(X, y).metrics,
        by_kind(errors, *spans) if spans else (),
        _confusions(data),
        _slices(data, vocabulary),
        None if vocabulary is None else vocabulary.source,
        estimator.search_errors(X, y),
        by_beam(estimator, X, y, beams),
        _examples(data, errors, examples),
    )


def _faults(errors: SearchErrors) -> tuple[int | None, ...]:
    return errors.wrong, errors.search, errors.both, errors.model, errors.ties, errors.lucky


def _confusions(data: JudgedOutputs) -> dict[str, Any]:
    found: dict[str, Any] = {}
    chunks, tags = data.output("chunk"), data.plain
    if chunks is not None:
        found |= {"type": type_confusions(chunks), "chunk label": label_confusions(chunks)}
    if tags is not None:
        found[tags.kind] = label_confusions(tags)
    return found


def _slices(data: JudgedOutputs, vocabulary: Vocabulary | None) -> dict[str, tuple[Slice, ...]]:
    found = {}
    if vocabulary is not None:
        found["seen"] = by_seen(data, vocabulary)
        if vocabulary.counts is not None:
            found["frequency"] = by_frequency(data, vocabulary)
    found["sentence_length"] = by_sentence_length(data)
    if data.output("chunk") is not None:
        found["span_length"] = by_span_length(data)
    return {name: parts for name, parts in found.items() if parts}


def _examples(data: JudgedOutputs, errors: Sequence[SpanError], most: int) -> dict[str, tuple[Example, ...]]:
    """Sentences with little else wrong, for each kind of span error, the most frequent confusions of tags, and wrong heads."""
    wanted: dict[str, Iterable[int]] = {}
    for kind in KINDS:
        wanted[kind] = {error.sentence for error in errors if error.kind == kind}
    tags, heads = data.plain, data.output("head")
    sentence = np.repeat(np.arange(len(data.words)), data.lengths)
    if tags is not None:
        for confusion in most_frequent(label_confusions(tags))[:CONFUSED]:
            gold, found = tags.labels.index(str(confusion.gold)), tags.labels.index(str(confusion.found))
            there = (tags.gold == gold) & (tags.found[0] == found)
            wanted[f"{confusion.gold} taken for {confusion.found}"] = set(sentence[there].tolist())
        if heads is not None:
            wanted[WRONG_HEAD] = set(sentence[tags.right(0) & ~heads.right(0)].tolist())
    amount = errors_by_sentence(data, 0)
    chosen = {}
    for name, sentences in wanted.items():
        order = sorted(sentences, key=lambda s: (amount[s], abs(int(data.lengths[s]) - EASY), s))[:most]
        if order:
            chosen[name] = tuple(Example.of(data, s, (OUTPUT,), name) for s in order)
    return chosen
