"""What changed between two outputs, against counting by hand, token by token and span by span."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis_problems import PLAIN, joint_outputs, labellings, outputs
from riata.analysis.changes import by_type, errors_by_sentence, levels
from riata.data.chunk_boundaries import spans_of

CASES = ("both_right", "fixed", "broken", "wrong_alike", "wrong_differently")


def case_of(gold, a, b):
    if a == gold:
        return "both_right" if b == gold else "broken"
    if b == gold:
        return "fixed"
    return "wrong_alike" if a == b else "wrong_differently"


def tally(cases):
    cases = list(cases)
    return {case: cases.count(case) for case in CASES}


def flat(sentences):
    return [x for sentence in sentences for x in sentence]


@given(labellings(3))
def test_sentences_tokens_and_spans_are_counted_as_by_hand(three):
    gold, a, b = three
    found = {level.name: level.to_dict() for level in levels(outputs(gold, a, b))}
    assert found["sentence"] == tally(map(case_of, gold, a, b))
    assert found["token"] == tally(map(case_of, flat(gold), flat(a), flat(b)))
    spans = []
    wrong = {"fixed": 0, "broken": 0, "wrong_alike": 0}
    for s in range(len(gold)):
        of_gold, of_a, of_b = (spans_of(labels[s]) for labels in three)
        for span in of_gold:
            tokens = set(range(span.start, span.end))
            place_a, place_b = ({x for x in of if tokens & set(range(x.start, x.end))} for of in (of_a, of_b))
            spans.append(case_of({span}, place_a, place_b))
        for span in {*of_a, *of_b} - {*of_gold}:
            wrong["wrong_alike" if span in of_a and span in of_b else "fixed" if span in of_a else "broken"] += 1
    assert found["gold span"] == tally(spans)
    assert found["wrong span"] == {"both_right": None, **wrong, "wrong_differently": None}


@given(labellings(3), labellings(3, labels=tuple(PLAIN)))
def test_of_two_outputs_a_sentence_is_right_when_both_are(chunks, tags):
    size = min(len(chunks[0]), len(tags[0]))
    lengths = [min(len(chunks[0][s]), len(tags[0][s])) for s in range(size)]
    chunks, tags = ([[one[s][:n] for s, n in enumerate(lengths)] for one in three] for three in (chunks, tags))
    found = {level.name: level.to_dict() for level in levels(joint_outputs({"tag": tags, "chunk": chunks}))}
    pairs = [
        [list(zip(t, c, strict=True)) for t, c in zip(*both, strict=True)] for both in zip(tags, chunks, strict=True)
    ]
    assert found["sentence"] == tally(map(case_of, *pairs))
    assert found["token (tag)"] == tally(map(case_of, *map(flat, tags)))
    assert found["token (chunk)"] == tally(map(case_of, *map(flat, chunks)))


@given(labellings(3), st.booleans())
def test_types_are_counted_as_by_hand(three, chunks):
    def things(labels):
        if not chunks:
            return list(enumerate(flat(labels)))
        return [(s, span) for s, sentence in enumerate(labels) for span in spans_of(sentence)]

    rows = by_type(outputs(*three, kind="chunk" if chunks else "tag").main)
    gold, a, b = map(things, three)
    type_of = (lambda thing: thing[1].type) if chunks else (lambda thing: thing[1])
    assert {row.type for row in rows} == {type_of(thing) for thing in (*gold, *a, *b)}
    for row in rows:
        mine = [[thing for thing in every if type_of(thing) == row.type] for every in (gold, a, b)]
        right = [sum(thing in mine[0] for thing in found) for found in mine[1:]]
        assert (row.gold, row.found_a, row.found_b, row.correct_a, row.correct_b) == (*map(len, mine), *right)
        assert row.fixed == sum(thing in mine[2] and thing not in mine[1] for thing in mine[0])
        assert row.broken == sum(thing in mine[1] and thing not in mine[2] for thing in mine[0])
        assert row.fixed - row.broken == right[1] - right[0]
        for f1, correct, found in ((row.f1_a, right[0], mine[1]), (row.f1_b, right[1], mine[2])):
            assert f1 == pytest.approx(200 * correct / (len(found) + len(mine[0])) if found or mine[0] else 0)
    net = [abs(row.correct_b - row.correct_a) for row in rows]
    assert net == sorted(net, reverse=True)


@given(labellings(2))
def test_errors_of_a_sentence_are_wrong_and_missed_spans(two):
    found = errors_by_sentence(outputs(*two), 0)
    expected = [len(set(spans_of(g)) ^ set(spans_of(f))) for g, f in zip(*two, strict=True)]
    assert found.tolist() == expected
    tokens = errors_by_sentence(outputs(*two, kind="tag"), 0)
    assert tokens.tolist() == [sum(x != y for x, y in zip(g, f, strict=True)) for g, f in zip(*two, strict=True)]
