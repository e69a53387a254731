"""Models of CRFsuite label as CRFsuite does, and score as it does."""

import math
import random
import struct
from pathlib import Path

import pytest

import riata
from checks import refused, stored
from riata import Chunker
from riata.data.memory import as_corpus
from riata.errors import DataError, ModelFileError
from riata.importing.items import from_strings, read_items
from samples import for_rows

DATA = Path(__file__).parent / "data"
MODELS = pytest.mark.parametrize("name", ["toy.crfsuite", "toy.dump"])


def features(sentence):
    """As the toy model was trained: every kind of value that python-crfsuite takes, and names that are hard to read in a dump."""
    return [
        {
            "word": word,
            "bias": 1.0,
            "length": len(word) / 10,
            "title": word.istitle(),
            "near": {"before": sentence[i - 1][0] if i else "", "tags": [tag]},
            "a --> b": i % 2,
            "é: 1": i == 0,
        }
        for i, (word, tag, *_) in enumerate(sentence)
    ]


def toy():
    corpus = riata.read_columns(DATA / "toy.txt")
    return [features(sentence) for sentence in corpus], corpus.sentences_of(3)


@MODELS
def test_the_labels_are_those_of_crfsuite(name, tmp_path):
    data, expected = toy()
    found = riata.import_model(DATA / name)
    assert isinstance(found, Chunker)
    assert found.predict(data) == expected
    assert found.score(data, expected) == 1
    loaded = stored(found, tmp_path)
    assert loaded.predict(data) == expected
    assert str(loaded.explain(data[0]))
    assert all(0 <= p <= 1 for sentence in loaded.predict_confidence(data) for p in sentence)


def test_the_dump_and_the_file_hold_the_same_weights():
    (exact, rounded), (data, _) = (riata.import_model(DATA / name) for name in ("toy.crfsuite", "toy.dump")), toy()
    assert exact.classes_ == rounded.classes_
    for a, b in zip(exact.predict_nbest(data, 3), rounded.predict_nbest(data, 3), strict=True):
        assert [score for _, score in a] == pytest.approx([score for _, score in b], abs=1e-4)


def test_differences_of_scores_are_ratios_of_probabilities():
    tagger = pytest.importorskip("pycrfsuite").Tagger()
    tagger.open(str(DATA / "toy.crfsuite"))
    chain, rng = riata.import_model(DATA / "toy.crfsuite").model_, random.Random(1)
    for sentence in toy()[0]:
        tagger.set(sentence)
        one, other = ([rng.choice(chain.labels) for _ in sentence] for _ in range(2))
        instances = chain.features.instances(as_corpus([sentence]))
        scores = [chain.scores_of(instances, chain_labels(chain, labelling))[0] for labelling in (one, other)]
        expected = math.log(tagger.probability(one)) - math.log(tagger.probability(other))
        assert scores[0] - scores[1] == pytest.approx(expected, abs=1e-4)


def chain_labels(chain, labelling):
    import numpy as np

    return np.array([chain.labels.index(label) for label in labelling], np.int32)


def chunk_features(sentence):
    """What many scripts do: the word, its shape and ending, and the neighbours."""
    found = []
    for i, (word, tag, *_) in enumerate(sentence):
        one = {
            "bias": 1.0,
            "word": word.lower(),
            "tag": tag,
            "suffix": word[-3:],
            "upper": word.isupper(),
            "n": len(word) / 7,
        }
        for step in (-2, -1, 1, 2):
            if 0 <= i + step < len(sentence):
                one[str(step)] = {"word": sentence[i + step][0], "tag": sentence[i + step][1]}
            else:
                one[f"outside {step}"] = True
        found.append(one)
    return found


def differing(folder, train, test, iterations):
    """Tokens that a model of CRFsuite and the same model imported label differently: from the file, and from its dump."""
    pycrfsuite = pytest.importorskip("pycrfsuite")
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.05, "c2": 0.01, "max_iterations": iterations})
    for sentence in train:
        trainer.append(chunk_features(sentence), sentence.column(2))
    trainer.train(str(folder / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(folder / "model"))
    tagger.dump(str(folder / "dump"))
    data = [chunk_features(sentence) for sentence in test]
    theirs = [label for sentence in data for label in tagger.tag(sentence)]
    counts = []
    for name in ("model", "dump"):
        ours = [label for sentence in riata.import_model(folder / name).predict(data) for label in sentence]
        counts.append(sum(a != b for a, b in zip(theirs, ours, strict=True)))
    return counts


def test_the_embedded_corpus_gets_the_labels_of_crfsuite(tmp_path):
    train, test = (riata.load("embedded", split, ("word", "tag", "chunk")) for split in ("train", "test"))
    assert differing(tmp_path, train, test, 30) == [0, 0]


@pytest.mark.slow
@pytest.mark.corpus
def test_conll2000_gets_the_labels_of_crfsuite(tmp_path):
    train, test = (riata.load("conll2000", split) for split in ("train", "test"))
    assert differing(tmp_path, train[:2000], test, 50) == [0, 0]


def test_tokens_may_be_lists_of_names():
    assert from_strings([[["a", "b", "a"], []]]) == [[{"a": 2.0, "b": 1.0}, {}]]


def test_a_data_file_of_crfsuite_is_read(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("B-NP\tword=a\\:b\tlen:0.5\nO\tx\\\\\tx\\\\:2\n\n\nO\n", encoding="utf-8")
    assert read_items(path) == ([[{"word=a:b": 1.0, "len": 0.5}, {"x\\": 3.0}], [{}]], [["B-NP", "O"], ["O"]])


def test_a_bad_line_of_a_data_file_is_named(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("O\ta\n\nO\ta:b\n")
    refused(DataError, r"data\.txt:3: cannot read 'a:b'", read_items, path)


@for_rows(
    "old, new, line, says",
    ("      0: ", "      1: ", 17, "expected number 0"),
    ("  num_labels: 5", "  num_labels: 6", 2, "num_labels"),
    ("TRANSITIONS = {", "TRANSITION = {", None, "no section TRANSITIONS"),
    ("  (1) ", "  (0) ", None, "expected (1)"),
    (" --> O: ", " --> X: ", None, "no such label"),
    (" --> O: ", " --> O: nan", None, "finite"),
    (" --> O: ", " --> O: 1e99 ", None, "expected"),
    ("      1: ", "      1: O", None, ""),
)  # fmt: skip
def test_a_bad_line_of_a_dump_is_named(tmp_path, old, new, line, says):
    text = (DATA / "toy.dump").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "m.dump"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    caught = refused(ModelFileError, "", riata.import_model, path)
    assert says in str(caught)
    assert caught.line is not None
    assert line in (None, caught.line)


@for_rows(
    "at, value, says",
    (8, b"XXXX", "type 'XXXX'"),
    (12, struct.pack("<I", 7), "version 7"),
    (28, struct.pack("<I", 1 << 31), "features"),
    (48, b"TAEF", "expected b'FEAT'"),
    (48 + 12 + 4, struct.pack("<I", 99), "not there"),
    (48 + 12 + 8, struct.pack("<I", 99), "not there"),
    (48 + 12, struct.pack("<I", 2), "not there"),
    (48 + 12 + 12, struct.pack("<d", math.nan), "finite"),
    (48 + 12 + 12, struct.pack("<d", 1e300), "finite"),
)  # fmt: skip
def test_a_bad_file_is_refused(tmp_path, at, value, says):
    content = bytearray((DATA / "toy.crfsuite").read_bytes())
    content[at : at + len(value)] = value
    path = tmp_path / "m.crfsuite"
    path.write_bytes(content)
    caught = refused(ModelFileError, "", riata.import_model, path)
    assert says in str(caught)
    assert caught.file == str(path)
