"""What a first pass says of tokens, against a twin that follows the definitions word by word."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from riata.data.chunk_boundaries import spans_of
from riata.data.types import Column
from riata.features.context import NOTHING, Votes
from riata.features.templates import names

LABELS = ["B-A", "B-B", "I-A", "I-B", "O"]
sentence = st.lists(
    st.tuples(st.sampled_from(["Ann", "ann", "of", "York", "New"]), st.sampled_from(LABELS)), min_size=1, max_size=6
)
texts = st.lists(sentence, min_size=1, max_size=6)


def most_frequent(votes):
    most = max(votes.values(), default=0)
    return min((label for label in votes if votes[label] == most), key=LABELS.index) if most > 0 else NOTHING


def chunks_of(tokens):
    labels = [label for _, label in tokens]
    return [(span.start, span.end, span.type) for span in spans_of(labels, extended=False)]


def told(sentences, at, seen):
    """What sentence `at` is told by the sentences `seen`, which it is one of."""
    tokens, own = sentences[at], chunks_of(sentences[at])
    words = [word for word, _ in tokens]
    voters = [(s, t) for s in seen for t in range(len(sentences[s]))]
    chunks = [
        (s, begin, end, type_, tuple(word for word, _ in sentences[s][begin:end]))
        for s in seen
        for begin, end, type_ in chunks_of(sentences[s])
    ]

    def same(t, form):
        others = ((s, u) for s, u in voters if (s, u) != (at, t) and form(sentences[s][u][0]) == form(words[t]))
        return most_frequent(Counter(sentences[s][u][1] for s, u in others))

    def of_type(votes):
        most = max(votes.values(), default=0)
        order = [label.partition("-")[2] for label in LABELS]
        return min((type_ for type_ in votes if votes[type_] == most), key=order.index) if most > 0 else None

    def whole(begin, end):
        return of_type(Counter(c[3] for c in chunks if c[:3] != (at, begin, end) and c[4] == tuple(words[begin:end])))

    samechunk, longer = [NOTHING] * len(tokens), [NOTHING] * len(tokens)
    begin = 0
    while begin < len(tokens):
        ends = [end for end in range(len(tokens), begin, -1) if whole(begin, end)]
        for t in range(begin, ends[0] if ends else begin):
            samechunk[t] = ("B-" if t == begin else "I-") + whole(begin, ends[0])
        begin = ends[0] if ends else begin + 1
    for begin, end, _ in own:
        short, votes = tuple(words[begin:end]), Counter()
        for *_, type_, long in chunks:
            places = range(len(long) - len(short) + 1) if len(long) > len(short) else ()
            votes[type_] += sum(long[i : i + len(short)] == short for i in places)
        for t in range(begin, end):
            if of_type(votes):
                longer[t] = ("B-" if t == begin else "I-") + of_type(votes)
    return [(label, same(t, str), same(t, str.lower), samechunk[t], longer[t]) for t, (_, label) in enumerate(tokens)]


def votes_of(sentences, *, chunks=True):
    votes = Votes(LABELS, LABELS if chunks else None)
    for tokens in sentences:
        labels = np.array([LABELS.index(label) for _, label in tokens], np.int32)
        votes.add(Column.of([word for word, _ in tokens]), labels, np.array([0, len(tokens)]))
    return votes


def rows(columns):
    return list(zip(*(column.texts() for column in columns), strict=True))


@given(texts, st.integers(0, 3))
def test_a_window_tells_what_its_definition_says(sentences, window):
    expected = [row for s in range(len(sentences)) for row in told(sentences, s, range(max(0, s - window), s + 1))]
    assert rows(votes_of(sentences).columns(None, window)) == expected


@given(texts, st.data(), st.booleans())
def test_documents_tell_what_their_definition_says(sentences, data, scattered):
    drawn = data.draw(st.lists(st.integers(0, 1), min_size=len(sentences), max_size=len(sentences)))
    groups = np.array(drawn if scattered else np.cumsum(drawn), np.int32)
    expected = [row for s in range(len(sentences)) for row in told(sentences, s, np.flatnonzero(groups == groups[s]))]
    assert rows(votes_of(sentences).columns(groups, 0)) == expected


@given(texts, st.data())
def test_sentences_before_the_first_only_vote(sentences, data):
    first = data.draw(st.integers(0, len(sentences)))
    tokens = sum(map(len, sentences[:first]))
    for groups in (None, np.zeros(len(sentences), np.int32), np.arange(len(sentences), dtype=np.int32) % 2):
        assert (
            rows(votes_of(sentences).columns(groups, 2, first)) == rows(votes_of(sentences).columns(groups, 2))[tokens:]
        )


@given(texts, st.data())
def test_forgotten_sentences_have_no_vote(sentences, data):
    gone = data.draw(st.integers(0, len(sentences) - 1))
    votes = votes_of(sentences)
    votes.forget(gone)
    whole = np.zeros(len(sentences) - gone, np.int32)
    assert rows(votes.columns(whole, 0)) == rows(votes_of(sentences[gone:]).columns(whole, 0))


def test_plain_labels_have_no_chunks():
    sentences = [[("New", "B-A"), ("York", "I-A")], [("York", "O")]]
    columns = votes_of(sentences, chunks=False).columns(None, 1)
    assert len(columns) == len(names(chunks=False)) == 3
    assert rows(columns) == [("B-A", NOTHING, NOTHING), ("I-A", NOTHING, NOTHING), ("O", "I-A", "I-A")]


def test_words_that_nobody_says_any_more_are_forgotten(monkeypatch):
    monkeypatch.setattr("riata.features.context.MOST_WORDS", 4)
    votes = Votes(LABELS, LABELS)
    for number in range(50):
        votes.add(Column.of([f"w{number}", "Ann"]), np.array([4, 0], np.int32), np.array([0, 2]))
        votes.forget(max(0, len(votes) - 1))
    assert len(votes.words) <= 6
    assert rows(votes.columns(None, 1)) == [("O", "_", "_", "_", "_"), ("B-A", "_", "_", "_", "_")]
