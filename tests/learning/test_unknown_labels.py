"""Sentences whose labels are partly unknown: what is learnt from them, how they are written, and what is refused."""

import itertools

import numpy as np
import pytest

import riata
from checks import refused
from riata import Chunker, Tagger
from riata.data.encodings.base import detect
from riata.errors import DataError, LabelError, UnsupportedError
from riata.features.templates import parse
from riata.inference.rules.legality import Legality
from riata.learning.labels import without_labelling
from riata.registry import all_of, get
from samples import for_each

TEMPLATE = parse("word[0]\nsuffix2[0]\nword[-1]\nedge")


def cyclic(number, rng):
    """Labels that go round in a circle; a word tells its label, but for `x`, which tells nothing."""
    words, labels = [], []
    for _ in range(number):
        first = rng.integers(3)
        labels.append(["abc"[(first + t) % 3] for t in range(8)])
        words.append([label.upper() if rng.random() < 0.5 else "x" for label in labels[-1]])
    return words, labels


@for_each(optimiser=["lbfgs", "sgd"], earlier=["", "\nlabel[-2] label[-1]"])
def test_what_is_summed_over_is_learnt(optimiser, earlier):
    """Every second label is known, so that no pair of neighbours ever is; the pairs are learnt all the same."""
    rng = np.random.default_rng(0)
    words, labels = cyclic(60, rng)
    start = rng.integers(2, size=len(labels))
    hidden = [
        [label if (t + first) % 2 else None for t, label in enumerate(line)]
        for line, first in zip(labels, start, strict=True)
    ]
    crf = Tagger("crf", template=parse("word[0]\nedge" + earlier), settings={"optimiser": optimiser})
    crf.fit(words, hidden)
    more, truth = cyclic(40, rng)
    assert crf.score(more, truth) > 0.95
    assert sorted(crf.classes_) == ["a", "b", "c"]


def test_the_mark_of_files_and_none_are_the_same(tmp_path):
    rng = np.random.default_rng(1)
    words, labels = cyclic(20, rng)
    hidden = [[label if rng.random() < 0.7 else None for label in line] for line in labels]
    file = tmp_path / "partly.txt"
    file.write_text(
        "\n".join(
            "\n".join(f"{w} {label or '_'}" for w, label in zip(s, line, strict=True)) + "\n"
            for s, line in zip(words, hidden, strict=True)
        )
    )
    options = {"template": parse("word[0]\nedge"), "epochs": 15}
    one = Tagger("crf", **options).fit(words, hidden)
    two = Tagger("crf", settings={"unknown": "_"}, **options).fit(riata.read_columns(file))
    assert "_" in Tagger("crf", **options).fit(riata.read_columns(file)).classes_
    assert one.classes_ == two.classes_
    assert one.history_[-1]["objective"] == two.history_[-1]["objective"]


def test_threads_change_nothing():
    rng = np.random.default_rng(2)
    words, labels = cyclic(50, rng)
    hidden = [[label if rng.random() < 0.7 else None for label in line] for line in labels]
    models = [Tagger("crf", epochs=8, threads=n).fit(words, hidden) for n in (1, 3)]
    assert models[0].history_[-1]["objective"] == models[1].history_[-1]["objective"]


def test_chunk_tags_are_legal_beside_unknown_ones():
    encodings = all_of("encoding")
    texts = ["O", "B-NP", "I-NP", ""]
    ids = np.array([3, 2, 2, 0, 1, 2, 3, 2], np.int32)  # _ I I O B I _ I
    assert len(get("encoding", "iob2").violations(texts, ids, np.array([0, 8]))) == 0
    assert detect(encodings, texts, ids, np.array([0, 8])).name == "iob2"
    words = [["the", "old", "man", "sat", "the", "dog", "ran", "off"]]
    tags = [[None if texts[i] == "" else texts[i] for i in ids]]
    chunker = Chunker("crf", epochs=5, template=TEMPLATE).fit(words, tags)
    assert chunker.encoding_ == "iob2"
    with pytest.raises(LabelError, match="follows 'O'"):
        Chunker("crf", epochs=5, encoding="iob2").fit(words * 2, [tags[0], ["O", "I-NP", *[None] * 6]])


def test_sentences_without_a_legal_labelling():
    """By listing all labellings; and in learning they are told of, and change nothing."""
    rng = np.random.default_rng(3)
    labels = ("B-A", "E-A", "O")  # no S-A, no I-A
    legality = Legality(*get("encoding", "bioes").allowed(labels))
    follow = legality.follow.reshape(3, 3)
    for _ in range(100):
        ids = rng.integers(-1, 3, rng.integers(1, 6)).astype(np.int32)
        every = [
            y
            for y in itertools.product(range(3), repeat=len(ids))
            if legality.start[y[0]] and legality.end[y[-1]] and all(follow[a, b] for a, b in itertools.pairwise(y))
        ]
        possible = any(all(k in (-1, j) for k, j in zip(ids, y, strict=True)) for y in every)
        expected = [] if possible or (ids >= 0).all() else [0]
        assert without_labelling(ids, np.array([0, len(ids)]), legality) == expected
    words = [["u", "v", "w"], ["v", "w", "u"]]
    tags = [["B-A", "E-A", "O"], ["O", "B-A", "E-A"]]
    notes = []
    settings = {"constrain": True}
    crf = Chunker("crf", encoding="bioes", template=TEMPLATE, settings=settings)
    crf.fit([*words, ["w", "v", "u"]], [*tags, ["B-A", None, "E-A"]], listener=notes.append)
    assert any("no legal labelling" in getattr(note, "text", "") for note in notes)
    plain = Chunker("crf", encoding="bioes", template=TEMPLATE, settings=settings).fit(words, tags)
    assert crf.predict(words) == plain.predict(words)


def test_what_is_refused():
    words, labels = [["a", "b"], ["b", "a"]], [["X", None], [None, "X"]]
    for recipe in ("perceptron", "memm", "hmm", "laso-alma"):
        refused(DataError, "None", Tagger(recipe).fit, words, labels)
    refused(DataError, "empty", Tagger("crf").fit, words, [["X", ""], ["X", "X"]])
    refused(DataError, "no label is known", Tagger("crf").fit, words, [[None, None]] * 2)
    refused(DataError, "cannot be scored", Tagger("crf", dev=0.5).fit, words, labels)
    tags = [["B-A", None], ["O", "B-A"]]
    refused(UnsupportedError, "learn_as", Chunker("crf", learn_as="bioes").fit, words, tags)
    refused(DataError, "None", Chunker("crf", structure="segments").fit, words, tags)
    with pytest.raises(UnsupportedError, match="needs unknown labels"):
        Chunker("crf", structure="segments", settings={"unknown": "_"}).fit(words, [["B-A", "O"]] * 2)
    crf = Tagger("crf").fit(words, labels)
    refused(DataError, "None", crf.score, words, labels)
