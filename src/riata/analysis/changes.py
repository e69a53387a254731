"""What changed between the outputs of two models, A and B, counted against gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.analysis.outputs import JudgedOutputs, Output
from riata.scoring.counts import f1, sums_by_sentence

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Level:
    """Things of one size, each in one of five cases; None where a case cannot be."""

    name: str
    both_right: int | None
    fixed: int  # wrong in A, right in B
    broken: int  # right in A, wrong in B
    wrong_alike: int  # wrong in both, in the same way
    wrong_differently: int | None

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "name"}


@dataclass(frozen=True)
class TypeChange:
    """What became of one chunk type or label. fixed and broken count gold ones, which B found and A missed, or the reverse."""

    type: str
    gold: int
    found_a: int
    found_b: int
    correct_a: int
    correct_b: int
    fixed: int
    broken: int

    @property
    def f1_a(self) -> float:
        return float(f1(self.correct_a, self.found_a, self.gold))

    @property
    def f1_b(self) -> float:
        return float(f1(self.correct_b, self.found_b, self.gold))


def _level(name: str, right_a: Flags, right_b: Flags, same: Flags) -> Level:
    wrong = ~right_a & ~right_b
    cases = (right_a & right_b, ~right_a & right_b, right_a & ~right_b, wrong & same, wrong & ~same)
    return Level(name, *(int(np.count_nonzero(case)) for case in cases))


def levels(data: JudgedOutputs) -> list[Level]:
    """Sentences, tokens and spans. Two outputs of a sentence or token are alike when their labels are equal.

    A gold span is wrong alike when both models have the same spans in its place: those that overlap it. Wrong spans are those found that
    are not gold:
    fixed when only A has one, broken when only B has it, wrong alike when both have it.
    """
    found = [_sentences(data)]
    for output in data.outputs:
        name = "token" if len(data.outputs) == 1 else f"token ({output.kind})"
        found.append(_level(name, output.right(0), output.right(1), np.asarray(output.found[0] == output.found[1])))
    chunks = data.output("chunk")
    return found if chunks is None else [*found, _gold_spans(chunks), _wrong_spans(chunks)]


def _sentences(data: JudgedOutputs) -> Level:
    wrong_a, wrong_b, differ = (
        sum(
            (sums_by_sentence(flags, data.starts) for flags in flags_by_output),
            np.zeros(len(data.words), np.int64),
        )
        for flags_by_output in (
            [~output.right(0) for output in data.outputs],
            [~output.right(1) for output in data.outputs],
            [output.found[0] != output.found[1] for output in data.outputs],
        )
    )
    return _level("sentence", wrong_a == 0, wrong_b == 0, differ == 0)


def _gold_spans(output: Output) -> Level:
    rows = []
    for gold, a, b in zip(output.gold_spans, *output.found_spans, strict=True):
        for span in gold:
            there = [
                [other for other in spans if other.start < span.end and other.end > span.start] for spans in (a, b)
            ]
            rows.append((span in there[0], span in there[1], there[0] == there[1]))
    flags = np.array(rows, bool).reshape(-1, 3)
    return _level("gold span", *flags.T)


def _wrong_spans(output: Output) -> Level:
    fixed = broken = alike = 0
    for gold, a, b in zip(output.gold_spans, *output.found_spans, strict=True):
        wrong_a, wrong_b = set(a) - set(gold), set(b) - set(gold)
        fixed, broken, alike = (
            fixed + len(wrong_a - wrong_b),
            broken + len(wrong_b - wrong_a),
            alike + len(wrong_a & wrong_b),
        )
    return Level("wrong span", None, fixed, broken, alike, None)


def by_type(output: Output) -> list[TypeChange]:
    """Chunk types, or labels; those whose number of right ones changed most come first, then the frequent ones."""
    if output.chunks:
        gold, a, b = (
            [(s, span) for s, spans in enumerate(sentences) for span in spans]
            for sentences in (output.gold_spans, *output.found_spans)
        )
        counts = [Counter(span.type for _, span in each) for each in _cases(gold, a, b)]
    else:
        labelled = [list(enumerate(ids.tolist())) for ids in (output.gold, *output.found)]
        counts = [Counter(output.labels[label] for _, label in each) for each in _cases(*labelled)]
    found = [TypeChange(type_, *(each[type_] for each in counts)) for type_ in set().union(*counts)]
    return sorted(found, key=lambda row: (-abs(row.correct_b - row.correct_a), -row.gold, row.type))


def _cases(*outputs: Iterable[Any]) -> tuple[set[Any], ...]:
    """Gold, found by A, by B, correct of A, of B, fixed and broken things, from gold ones and those of A and B."""
    gold, a, b = map(set, outputs)
    return gold, a, b, gold & a, gold & b, (gold & b) - a, (gold & a) - b


def errors_by_sentence(data: JudgedOutputs, model: int) -> NDArray[np.int64]:
    """[S] wrong tags, and wrong and missed spans."""
    total = np.zeros(len(data.words), np.int64)
    for output in data.outputs:
        if output.chunks:
            pairs = zip(output.gold_spans, output.found_spans[model], strict=True)
            total += np.array([len(set(gold) ^ set(found)) for gold, found in pairs], np.int64)
        else:
            total += sums_by_sentence(~output.right(model), output.starts)
    return total
