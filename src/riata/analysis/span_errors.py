"""Wrong and missed spans, sorted by what went wrong: the type, the borders, both, or that there is a span at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from riata.analysis.outputs import Output
from riata.data.types import Span
from riata.scoring.counts import f1

# In the order in which they are shown, with a few words for each; docs/analysis.md has the definitions, _kind the rules.
KINDS: Mapping[str, str] = {
    "type": "right borders",
    "too long": "holds gold span",
    "too short": "in gold span",
    "shifted": "borders cross",
    "merged": "one for several",
    "split": "several for one",
    "type and borders": "no common type",
    "missed": "nothing found",
    "invented": "nothing in gold",
}


@dataclass(frozen=True)
class SpanError:
    """Gold spans that were missed and found spans that are wrong, which overlap each other, directly or in a chain."""

    kind: str
    sentence: int
    gold: tuple[Span, ...]
    found: tuple[Span, ...]


@dataclass(frozen=True)
class KindCount:
    """Errors of one kind. Summed over kinds, missed and wrong are all missed and all wrong spans."""

    kind: str
    errors: int
    missed: int  # gold spans
    wrong: int  # found spans
    f1_without: float  # F1 if these errors were right

    def to_dict(self) -> dict[str, Any]:
        names = ("errors", "missed", "wrong", "f1_without")
        return {name: getattr(self, name) for name in names}


def span_errors(output: Output, model: int = 0) -> list[SpanError]:
    """Every error of a model. Each missed and each wrong span is in exactly one."""
    sentences = zip(output.gold_spans, output.found_spans[model], strict=True)
    return [
        SpanError(_kind(missed, wrong), s, missed, wrong)
        for s, (gold, found) in enumerate(sentences)
        for missed, wrong in _overlapping(gold, found)
    ]


def _overlapping(gold: Sequence[Span], found: Sequence[Span]) -> Iterator[tuple[tuple[Span, ...], tuple[Span, ...]]]:
    """Groups of missed and wrong spans. Spans of one side never overlap, so a group is a stretch without a gap."""
    right = set(gold) & set(found)
    left = sorted((span, side) for side, spans in enumerate((gold, found)) for span in spans if span not in right)
    group: list[tuple[Span, int]] = []
    end = 0
    for span, side in left:
        if group and span.start >= end:
            yield _sides(group)
            group = []
        group.append((span, side))
        end = max(end, span.end)
    if group:
        yield _sides(group)


def _sides(group: Sequence[tuple[Span, int]]) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    gold, found = (tuple(span for span, side in group if side == wanted) for wanted in (0, 1))
    return gold, found


def _kind(gold: Sequence[Span], found: Sequence[Span]) -> str:
    if not found:
        return "missed"
    if not gold:
        return "invented"
    if len(gold) == len(found) == 1 and gold[0][:2] == found[0][:2]:
        return "type"
    if not any(a.type == b.type and a.start < b.end and b.start < a.end for a in gold for b in found):
        return "type and borders"
    if len(gold) > 1 or len(found) > 1:
        return "merged" if len(found) == 1 else "split" if len(gold) == 1 else "shifted"
    one, other = gold[0], found[0]
    if other.start <= one.start and one.end <= other.end:
        return "too long"
    return "too short" if one.start <= other.start and other.end <= one.end else "shifted"


def by_kind(errors: Sequence[SpanError], gold: int, found: int) -> tuple[KindCount, ...]:
    """All kinds, in their order. gold, found: how many spans there are, right ones included."""
    correct = gold - sum(len(error.gold) for error in errors)
    counts = []
    for kind in KINDS:
        mine = [error for error in errors if error.kind == kind]
        missed, wrong = sum(len(error.gold) for error in mine), sum(len(error.found) for error in mine)
        mended = float(f1(correct + missed, found - wrong + missed, gold))
        counts.append(KindCount(kind, len(mine), missed, wrong, mended))
    return tuple(counts)


def type_confusions(output: Output, model: int = 0) -> Counter[tuple[str | None, str | None]]:
    """(gold type, found type) of spans with the same borders, right ones included; None: the other side has no span with them."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    for gold, found in zip(output.gold_spans, output.found_spans[model], strict=True):
        types = [{span[:2]: span.type for span in spans} for spans in (gold, found)]
        counts.update((types[0].get(borders), types[1].get(borders)) for borders in {**types[0], **types[1]})
    return counts


class Confusion(NamedTuple):
    """How often gold was taken for found. None: there was no such span."""

    gold: str | None
    found: str | None
    times: int


def label_confusions(output: Output, model: int = 0) -> Counter[tuple[str | None, str | None]]:
    """(gold label, found label) of tokens, right ones included."""
    width = len(output.labels)
    codes = output.gold.astype(np.int64) * width + output.found[model]
    labels = output.labels
    cells = zip(*(part.tolist() for part in np.unique(codes, return_counts=True)), strict=True)
    return Counter({(labels[code // width], labels[code % width]): count for code, count in cells})


def most_frequent(counts: Mapping[tuple[str | None, str | None], int]) -> tuple[Confusion, ...]:
    """The wrong ones, most frequent first."""
    wrong = [Confusion(gold, found, count) for (gold, found), count in counts.items() if gold != found]
    return tuple(sorted(wrong, key=lambda c: (-c.times, c.gold or "", c.found or "")))


def matrix(confusions: Mapping[tuple[str | None, str | None], int], most: int) -> tuple[list[str | None], Any]:
    """The labels that are most often confused, and [gold, found] how often each was taken for each."""
    often: Counter[str | None] = Counter()
    for (gold, found), count in confusions.items():
        for label in {gold, found} if gold != found else ():
            often[label] += count
    labels = [label for label, _ in sorted(often.items(), key=lambda item: (item[0] is None, -item[1], item[0] or ""))]
    kept = [label for label in labels if label is not None][:most] + [None] * (None in labels)
    cells = np.array([[confusions.get((gold, found), 0) for found in kept] for gold in kept], np.float64)
    return kept, cells
