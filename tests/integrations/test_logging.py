"""Training in Python's logs."""

import logging

import riata
from samples import TAGS, WORDS, quietly


def test_epochs_and_notes_are_logged(caplog):
    with caplog.at_level(logging.INFO, logger="riata"):
        quietly(riata.Tagger("perceptron", epochs=2), WORDS, TAGS)
    said = [record.getMessage() for record in caplog.records if record.name == "riata.training"]
    assert [text.split(",")[0] for text in said if text.startswith("epoch")] == ["epoch 1", "epoch 2"]
    assert any("labels" in text for text in said)
    assert {record.levelname for record in caplog.records} == {"INFO"}


def test_minimisers_log_their_objective(caplog):
    with caplog.at_level(logging.INFO, logger="riata"):
        quietly(riata.Tagger("crf", epochs=2), WORDS, TAGS)
    assert "objective" in caplog.text


def test_without_logs_nothing_changes(caplog):
    with caplog.at_level(logging.WARNING, logger="riata"):
        model = quietly(riata.Tagger("perceptron", epochs=2), WORDS, TAGS)
    assert not caplog.records
    heard = []
    with caplog.at_level(logging.INFO, logger="riata"):
        same = quietly(riata.Tagger("perceptron", epochs=2), WORDS, TAGS, listener=heard.append)
    assert heard
    assert same.predict(WORDS) == model.predict(WORDS)
