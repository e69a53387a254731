"""Trainings that take minutes or gigabytes say so before they begin."""

import pytest

import riata
from riata.errors import DataError
from riata.learning.events import Note, Started
from riata.learning.loop import Trainer
from samples import TAGS, WORDS, quietly


class Stopped(Exception):
    pass


def told(labels, sentences, **params):
    """The warnings before the first epoch begins, which never does."""
    words = [[f"w{(7 * s + t) % 500}" for t in range(20)] for s in range(sentences)]
    tags = [[f"L{(20 * s + t) % labels}" for t in range(20)] for s in range(sentences)]
    notes = []

    def listen(event):
        if isinstance(event, Started):
            raise Stopped
        if isinstance(event, Note) and event.warning and "GiB" in event.text:
            notes.append(event.text)

    params = {"template": riata.features.templates.parse("word[0]\nedge"), **params}
    with pytest.raises(Stopped):
        riata.Tagger(**params).fit(words, tags, listener=listen)
    return notes


def test_thousands_of_labels_are_told_with_an_estimate_before_training_begins():
    (note,) = told(3000, 200)
    assert "3,000 labels" in note
    assert "9 seconds of one core" in note  # 4,000 tokens, 9,000,000 pairs of labels, 0.25 ns each
    assert "another column" in note
    assert "beam" in note


def test_trainings_as_people_have_them_say_nothing():
    assert told(50, 200) == []
    assert told(50, 200, recipe="crf") == []


def test_a_beam_compares_no_pairs_of_labels():
    assert told(3000, 200, recipe="laso-perceptron", beam=5) == []


def test_gigabytes_are_told_even_where_time_is_short(monkeypatch):
    monkeypatch.setattr("riata.learning.cost.MUCH", 1 << 20)
    (note,) = told(200, 200, recipe="laso-perceptron", beam=5)
    assert "about 0 seconds" in note
    assert "about 0.0 GiB" in note


def test_a_training_from_a_file_in_parts_is_told_of_too(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("".join(f"w{t % 50} L{t}\n" + "\n" * (t % 20 == 19) for t in range(4000)))
    notes = []

    def listen(event):
        if isinstance(event, Started):
            raise Stopped
        notes.append(getattr(event, "text", ""))

    with pytest.raises(Stopped):
        riata.Tagger(stream=True).fit(path, listener=listen)
    assert any("4,000 labels: every pass" in note for note in notes)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_training_that_runs_out_of_memory_is_an_error_with_a_way_out(monkeypatch, method):
    def full(*_):
        raise MemoryError

    made = quietly(riata.Tagger(epochs=1), WORDS, TAGS)
    before = made.predict(WORDS)
    monkeypatch.setattr(Trainer, "epoch", full)
    with pytest.raises(DataError, match=r"out of memory(.|\n)*number of labels"):
        getattr(made, method)(WORDS, TAGS)
    assert made.predict(WORDS) == before
