"""Kinds of span errors, against their definitions read off pair by pair; and every wrong or missed span in exactly one error."""

import pytest
from hypothesis import given

from analysis_problems import labellings, outputs
from riata.analysis.confusions import label_confusions, matrix, most_frequent
from riata.analysis.span_errors import KINDS, by_kind, span_errors, type_confusions
from riata.data.chunk_boundaries import spans_of
from riata.data.types import Span
from samples import for_rows


def tags(text):
    """'X X. o Y' is B-X I-X O B-Y: a dot goes on with what is before."""
    return ["O" if t == "o" else f"I-{t[0]}" if t.endswith(".") else f"B-{t}" for t in text.split()]


@for_rows(
    "kind, gold, found",
    ("type", "X X.", "Y Y."),
    ("too long", "o X o", "X X. X."),
    ("too short", "X X.", "o X"),
    ("shifted", "X X. o", "o X X."),
    ("shifted", "X X. Y Y. o", "o X X. Y Y."),
    ("merged", "X Y", "X X."),
    ("merged", "X X", "X X."),
    ("split", "X X.", "Y X"),
    ("type and borders", "X X.", "Y o"),
    ("type and borders", "X X", "Y Y."),
    ("missed", "X", "o"),
    ("invented", "o", "X"),
)
def test_every_kind_by_hand(kind, gold, found):
    (error,) = span_errors(outputs([tags(gold)], [tags(found)]).main)
    assert error.kind == kind
    assert (list(error.gold), list(error.found)) == (spans_of(tags(gold)), spans_of(tags(found)))


def touch(a, b):
    return bool(set(range(a.start, a.end)) & set(range(b.start, b.end)))


def groups(missed, wrong):
    """Connected parts of the graph of overlaps, by growing each from one span."""
    left = [*((0, span) for span in missed), *((1, span) for span in wrong)]
    while left:
        group = [left.pop()]
        while more := [x for x in left if any(touch(x[1], y[1]) for y in group)]:
            group += more
            left = [x for x in left if x not in more]
        yield [s for side, s in group if side == 0], [s for side, s in group if side == 1]


def holds(kind, gold, found):
    """Whether a group is of a kind, each by a rule of its own."""
    one_type = any(touch(g, f) and g.type == f.type for g in gold for f in found)
    single = len(gold) == len(found) == 1
    tokens = [{t for span in spans for t in range(span.start, span.end)} for spans in (gold, found)]
    rules = {
        "missed": not found,
        "invented": not gold,
        "type": single and tokens[0] == tokens[1] and not one_type,
        "too long": single and one_type and tokens[0] < tokens[1],
        "too short": single and one_type and tokens[1] < tokens[0],
        "shifted": one_type
        and (
            min(len(gold), len(found)) > 1 or (single and bool(tokens[0] - tokens[1]) and bool(tokens[1] - tokens[0]))
        ),
        "merged": one_type and len(found) == 1 and len(gold) > 1,
        "split": one_type and len(gold) == 1 and len(found) > 1,
        "type and borders": bool(gold) and bool(found) and not one_type and not (single and tokens[0] == tokens[1]),
    }
    return rules[kind]


@given(labellings(2, longest=9))
def test_every_wrong_and_every_missed_span_is_in_one_error_of_one_kind(two):
    errors = span_errors(outputs(*two).main)
    expected = []
    for s, (gold, found) in enumerate(zip(*two, strict=True)):
        of_gold, of_found = spans_of(gold), spans_of(found)
        missed, wrong = set(of_gold) - set(of_found), set(of_found) - set(of_gold)
        mine = [error for error in errors if error.sentence == s]
        assert sorted(span for error in mine for span in error.gold) == sorted(missed)
        assert sorted(span for error in mine for span in error.found) == sorted(wrong)
        for a, b in groups(missed, wrong):
            (kind,) = [kind for kind in KINDS if holds(kind, a, b)]
            expected.append((kind, s, tuple(sorted(a)), tuple(sorted(b))))
    assert sorted(expected) == sorted((e.kind, e.sentence, e.gold, e.found) for e in errors)


@given(labellings(2, longest=9))
def test_counts_add_up_and_f1_without_a_kind_is_that_of_mended_output(two):
    output = outputs(*two).main
    errors = span_errors(output)
    gold = {(s, span) for s, labels in enumerate(two[0]) for span in spans_of(labels)}
    found = {(s, span) for s, labels in enumerate(two[1]) for span in spans_of(labels)}
    counts = by_kind(errors, len(gold), len(found))
    assert [count.kind for count in counts] == list(KINDS)
    assert sum(count.missed for count in counts) == len(gold - found)
    assert sum(count.wrong for count in counts) == len(found - gold)
    assert sum(count.errors for count in counts) == len(errors)
    for count in counts:
        mended = set(found)
        for error in errors:
            if error.kind == count.kind:
                mended -= {(error.sentence, span) for span in error.found}
                mended |= {(error.sentence, span) for span in error.gold}
        total = len(mended) + len(gold)
        assert count.f1_without == pytest.approx(200 * len(mended & gold) / total if total else 0)


@given(labellings(2))
def test_confusions_are_counted_as_by_hand(two):
    output = outputs(*two).main
    labels = label_confusions(output)
    pairs = [pair for gold, found in zip(*two, strict=True) for pair in zip(gold, found, strict=True)]
    assert dict(labels) == {pair: pairs.count(pair) for pair in pairs}
    types = type_confusions(output)
    expected = {}
    for gold, found in zip(*two, strict=True):
        borders = {span[:2] for span in (*spans_of(gold), *spans_of(found))}
        for border in borders:
            of = [next((s.type for s in spans_of(side) if s[:2] == border), None) for side in (gold, found)]
            expected[tuple(of)] = expected.get(tuple(of), 0) + 1
    assert dict(types) == expected
    wrong = most_frequent(types)
    assert {(c.gold, c.found): c.times for c in wrong} == {k: n for k, n in expected.items() if k[0] != k[1]}
    assert [c.times for c in wrong] == sorted((c.times for c in wrong), reverse=True)
    kept, cells = matrix(types, 2)
    assert len([label for label in kept if label is not None]) <= 2
    assert cells.tolist() == [[expected.get((a, b), 0) for b in kept] for a in kept]


def test_spans_are_those_of_the_labels():
    (error,) = span_errors(outputs([["B-X", "I-X"]], [["B-X", "O"]]).main)
    assert (error.kind, error.gold, error.found) == ("too short", (Span(0, 2, "X"),), (Span(0, 1, "X"),))
