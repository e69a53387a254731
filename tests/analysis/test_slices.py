"""Scores of parts of a corpus, against adding up token by token and span by span."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis_problems import labellings, outputs
from riata.analysis.slices import Vocabulary, by_frequency, by_seen, by_sentence_length, by_span_length
from riata.data.chunk_boundaries import spans_of

WORDS = st.sampled_from("pqrstu")


@st.composite
def worded(draw):
    two = draw(labellings(2, longest=14))
    return two, [[draw(WORDS) for _ in sentence] for sentence in two[0]]


def check(parts, two, token_name, span_name):
    """token_name(s, i), span_name(s, span): the part that a token or a span belongs to; None: to none."""
    tokens, right, spans = {}, {}, {}
    for s, (gold, found) in enumerate(zip(*two, strict=True)):
        for i, (a, b) in enumerate(zip(gold, found, strict=True)):
            name = token_name(s, i)
            tokens[name] = tokens.get(name, 0) + 1
            right[name] = right.get(name, 0) + (a == b)
        of_gold, of_found = spans_of(gold), spans_of(found)
        for place, each in enumerate((of_gold, of_found, [x for x in of_gold if x in of_found])):
            for span in each:
                spans.setdefault(span_name(s, span), [0, 0, 0])[place] += 1
    assert {part.name for part in parts} == {*tokens, *spans} - {None}
    for part in parts:
        if part.tokens is not None:
            assert part.tokens == tokens.get(part.name, 0)
            assert part.right["chunk"] == right.get(part.name, 0)
            if part.tokens:
                assert part.accuracy("chunk") == pytest.approx(100 * right[part.name] / tokens[part.name])
        gold, found, correct = spans.get(part.name, (0, 0, 0))
        assert (part.gold, part.found, part.correct) == (gold, found, correct)
        assert part.f1 == (pytest.approx(200 * correct / (gold + found)) if gold + found else None)


def length_class(length, ends):
    low = 1
    for end in ends:
        if length <= end:
            return str(low) if low == end else f"{low}–{end}"
        low = end + 1
    return f"{low} or more"


@given(worded())
def test_by_length(given_):
    two, words = given_
    data = outputs(*two, words=words)

    def of_sentence(s, _):
        return length_class(len(words[s]), (5, 10, 20, 30, 40))

    check(by_sentence_length(data), two, of_sentence, of_sentence)
    lengths = (1, 2, 3, 4, 5)
    check(by_span_length(data), two, lambda s, i: None, lambda s, span: length_class(span.end - span.start, lengths))
    assert all(part.tokens is None for part in by_span_length(data))


@given(worded(), st.dictionaries(WORDS, st.integers(1, 9)))
def test_by_seen_and_by_frequency(given_, counts):
    two, words = given_
    data = outputs(*two, words=words)
    vocabulary = Vocabulary(counts, frozenset(counts), "test")

    def seen(some):
        return "seen" if all(word in counts for word in some) else "unseen"

    def often(some):
        fewest = min(counts.get(word, 0) for word in some)
        return {0: "never", 1: "once"}.get(fewest) or next(
            f"{2**k}–{2 * 2**k - 1} times" for k in range(1, 5) if fewest < 2 * 2**k
        )

    for parts, name in ((by_seen(data, vocabulary), seen), (by_frequency(data, vocabulary), often)):
        check(
            parts,
            two,
            lambda s, i, name=name: name([words[s][i]]),
            lambda s, span, name=name: name(words[s][span.start : span.end]),
        )
