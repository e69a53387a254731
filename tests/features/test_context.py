"""What a first pass says of tokens, against a twin that follows the definitions word by word."""

import random
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from riata import Chunker, DependencyParser, EntityRecognizer, JointTagger, Tagger
from riata.data.encodings.base import spans_of
from riata.data.types import Column
from riata.estimators.model_file import to_bytes
from riata.features.context import NOTHING, Votes
from riata.features.templates import names, parse
from riata.learning.events import Note
from samples import embedded, for_each

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


# --- default templates read every column of the input; named sets say which ones they do not read --------------------
MADE = {
    "tag": (Tagger, lambda kind: [kind]),
    "chunk": (Chunker, lambda kind: [f"B-{kind}"]),
    "ner": (EntityRecognizer, lambda kind: [f"B-{kind}"]),
    "joint": (JointTagger, lambda kind: [kind, f"B-{kind}"]),
    "segments": (lambda: Chunker(structure="segments"), lambda kind: [f"B-{kind}"]),
    "factorial": (lambda: JointTagger(structure="factorial", epochs=20, c2=0.1), lambda kind: [kind, f"B-{kind}"]),
    "kernel-chain": (lambda: Tagger(structure="kernel-chain"), lambda kind: [kind]),
}
TREES = ("projective", "tree", "transitions")


def sentences(width, outputs, seed):
    """Only the last column of the input says what the outputs are."""
    draw = random.Random(seed)

    def row(kind):
        others = [f"{column}{draw.randrange(3)}" for column in range(1, width - 1)]
        return (f"w{draw.randrange(400)}", *others, *([f"c{kind}"] if width > 1 else []), *outputs(kind))

    return [[row(draw.choice("XYZ")) for _ in range(6)] for _ in range(30)]


def trees(width, seed):
    draw, found = random.Random(seed), []
    for _ in range(50):
        root = draw.randrange(5)
        rows = sentences(width, lambda kind: [], draw.random())[0][:5]
        heads = [("0", "root") if i == root else (str(root + 1), "d") for i in range(5)]
        roots = ["ROOT" if i == root else "x" for i in range(5)]
        found.append(
            [
                (*row[: max(width - 1, 1)], *([r] if width > 1 else []), *head)
                for row, r, head in zip(rows, roots, heads, strict=True)
            ]
        )
    return found


def columns(estimator):
    return {read.column for template in estimator.model_.features.templates for read in template.reads}


@for_each(width=[1, 2, 3, 5], name=MADE)
def test_every_task_learns_from_every_column(name, width):
    make, outputs = MADE[name]
    made = make().fit(sentences(width, outputs, 1))
    assert columns(made) == set(range(width))
    if width > 1:
        assert made.score(sentences(width, outputs, 2)) > 0.9


@for_each(width=[2, 3, 5], structure=TREES)
def test_parsers_learn_from_every_column(structure, width):
    made = DependencyParser(structure=structure, epochs=5, tags="given").fit(trees(width, 1))
    assert columns(made) == set(range(width))
    assert made.score(trees(width, 2)) > 0.9


def test_columns_that_defaults_know_are_read_as_before():
    """The third column here is the output: words and tags are what the default for chunks was made for."""
    data = embedded()[:40]
    lines = [str(template) for template in Chunker().fit(data).model_.features.templates]
    assert not [line for line in lines if "x2[" in line and "fix" not in line]
    assert lines.count("tag[-1] tag[0]") == 1
    named = Chunker(template="chunk").fit(data)
    assert named.predict(data) == Chunker().fit(data).predict(data)
    assert to_bytes(Chunker().fit(data)) == to_bytes(Chunker().fit(data))


def test_a_named_set_says_which_columns_it_does_not_read():
    data, told = embedded()[:40], []
    Tagger("perceptron", template="tag", epochs=1).fit(data, listener=told.append)
    Tagger("perceptron", template="S1", epochs=1).fit(data, listener=told.append)
    texts = [event.text for event in told if isinstance(event, Note) and "does not read" in event.text]
    assert len(texts) == 2
    assert "template tag does not read column 1" in texts[0]
    assert "x1[0]" in texts[0]
    told.clear()
    Tagger("perceptron", template=parse("word[0]\nedge"), epochs=1).fit(data, listener=told.append)  # asked for
    assert not [event.text for event in told if isinstance(event, Note) and "does not read" in event.text]
