"""What is held out of training data: the end, in whole documents where these are marked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from riata import Chunker, Tagger
from riata.commands.train import _development
from riata.data import files as streamed
from riata.data.documents import in_documents
from riata.data.files import ColumnFile, read_roles
from riata.learning.development import parted
from riata.learning.events import Note, ignore
from samples import for_each

TRAIN = riata.load("embedded", "train")
PLAIN = riata.data.memory.as_corpus([list(sentence) for sentence in TRAIN])


def notes(made, *data):
    told = []
    made.fit(*data, listener=lambda event: told.append(event.text) if isinstance(event, Note) else None)
    return told


def same_model(a, b):
    return a.state_features_ == b.state_features_ and a.transition_features_ == b.transition_features_


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9).filter(lambda sizes: sum(sizes) > 2), st.floats(0.05, 0.6))
def test_no_document_is_cut_unless_it_is_told(sizes, dev):
    document = np.repeat(np.arange(len(sizes)), sizes)
    data = in_documents([["a"]] * len(document), document)
    told = []
    learnt, held = parted(data, dev, told.append)
    assert len(learnt) + len(held) == len(data) and len(learnt) and len(held)
    (note,) = told
    number = len(set(held.document))
    if set(learnt.document) & set(held.document):
        assert "inside a document" in note.text
        assert len(held) == max(1, round(len(data) * dev))
    else:
        assert f"The last {len(held)} of {len(data)} sentences ({number} document{'s' * (number > 1)}) are" in note.text


def test_without_documents_the_cut_is_that_of_sentences():
    told = []
    learnt, held = parted(PLAIN, 0.1, told.append)
    assert (len(learnt), len(held)) == (317, 35)
    assert told[0].text == "The last 35 of 352 sentences are held out to choose the epoch."


def test_fit_holds_out_whole_documents_and_learns_as_from_the_rest():
    data = in_documents(PLAIN, np.repeat([0, 1, 2, 3], [100, 200, 40, 12]))
    made = Chunker(epochs=3, dev=0.1)
    assert "The last 52 of 352 sentences (2 documents) are held out to choose the epoch." in notes(made, data)
    alone = Chunker(epochs=3).fit(data[:300], X_dev=data[300:])
    assert made.best_score_ == alone.best_score_
    assert same_model(made, alone)


def test_one_document_is_cut_by_sentences_as_before():
    made, plain = Chunker(epochs=1, dev=0.1), Chunker(epochs=1, dev=0.1)
    told = notes(made, in_documents(PLAIN, [0] * len(PLAIN)))
    assert any(text.startswith("The last 35 of 352 sentences are") and "inside a document" in text for text in told)
    notes(plain, PLAIN)
    assert same_model(made, plain)


@for_each(part=[1 << 10, 1 << 22], by=["lines", "column"])
def test_a_file_in_parts_holds_out_what_the_whole_file_does(tmp_path, monkeypatch, part, by):
    """Also where the first document is not marked, and parts before the first mark know of no documents."""
    monkeypatch.setattr(streamed, "PART", part)
    path, text = tmp_path / "file.txt", ""
    for number, sentence in enumerate(PLAIN):
        if number in (150, 290, 330):
            text += "-DOCSTART- O O\n\n" if by == "lines" else ""
        name = f" d{sum(number >= at for at in (150, 290, 330))}" if by == "column" else ""
        text += "".join(f"{' '.join(token)}{name}\n" for token in sentence) + "\n"
    path.write_text(text, encoding="utf-8")
    documents = 3 if by == "column" else None
    streamed_one, whole = Chunker(epochs=1, dev=0.1, stream=True), Chunker(epochs=1, dev=0.1)
    note = "The last 22 of 352 sentences (1 document) are held out to choose the epoch."
    assert note in notes(streamed_one, ColumnFile(path, documents=documents))
    assert note in notes(whole, read_roles(path, documents=documents))
    assert streamed_one.best_score_ == pytest.approx(whole.best_score_, abs=20)


def test_calibration_and_curves_see_the_same_end():
    data = in_documents(PLAIN, np.repeat([0, 1, 2], [100, 200, 52]))
    assert len(_development(Chunker(dev=0.1), data)) == 52
    curve = riata.learning_curve(Chunker(epochs=1), data, at=[1.0])
    assert curve.points[0].sentences == 300
    assert "the last 52 sentences" in curve.test
    assert curve.over == "test sentences; only 1 document"
    many = in_documents(PLAIN[:100], np.arange(100) // 5)
    curve = riata.learning_curve(Chunker(epochs=1), data, many, at=[0.3])
    assert curve.to_dict()["resampled"] == "20 documents"
    assert curve.over == "test 20 documents"


def test_clones_keep_documents_of_development_data():
    sklearn = pytest.importorskip("sklearn.base")
    dev = in_documents(PLAIN[:20], np.arange(20) // 5)
    copied = sklearn.clone(Chunker(dev=dev)).dev
    assert copied.document.tolist() == dev.document.tolist()


def test_scikit_learn_takes_corpora_with_documents():
    selection = pytest.importorskip("sklearn.model_selection")
    data = in_documents(PLAIN[:60], np.arange(60) // 5)
    X, y = data.select([0, 1]), data.sentences_of(2)
    made, by_document = Chunker(epochs=1, dev=0.2), selection.GroupKFold(3)
    scores = selection.cross_val_score(made, X, y, groups=data.document, cv=by_document)
    assert len(scores) == 3 and (scores > 0).all()


def test_reordered_documents_are_never_on_both_sides():
    data = in_documents(PLAIN[:40], np.arange(40) // 4)[np.r_[3, 1, 0:40, 38]]
    learnt, held = parted(data, 0.3, ignore)
    assert not set(learnt.document) & set(held.document) or len(held) == round(0.3 * len(data))
    Chunker(epochs=1, dev=0.3).fit(data)


def test_development_sentences_that_training_has_are_counted():
    data = riata.load("embedded", "train")
    found = []
    Tagger(epochs=1).fit(data[:60], X_dev=data[30:90], listener=found.append)
    said = [event for event in found if getattr(event, "text", "").endswith("promises too much of other text.")]
    long = sum(len(sentence) >= 5 for sentence in data[30:60])
    assert [event.warning for event in said] == [True]
    assert said[0].text.startswith(f"{long} of 60 sentences of the development data are in the training data")
    found.clear()
    Tagger(epochs=1).fit(data[:60], X_dev=data[60:90], listener=found.append)
    assert not [event for event in found if "promises too much" in getattr(event, "text", "")]
