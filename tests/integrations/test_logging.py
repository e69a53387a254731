"""Training in Python's logs."""

import contextlib
import io
import logging
import warnings
from pathlib import Path

import pytest

from printed import FENCE, difference
from python_problems import TAGS as LETTERS
from python_problems import WORDS as SPELLED
from python_problems import Tagging
from riata import Predictor, Tagger
from samples import TAGS, WORDS


def test_epochs_and_notes_are_logged(caplog):
    with caplog.at_level(logging.INFO, logger="riata"):
        Tagger("perceptron", epochs=2).fit(WORDS, TAGS)
    said = [record.getMessage() for record in caplog.records if record.name == "riata.training"]
    assert [text.split(",")[0] for text in said if text.startswith("epoch")] == ["epoch 1", "epoch 2"]
    assert any("labels" in text for text in said)
    assert {record.levelname for record in caplog.records} == {"INFO"}


def test_minimisers_log_their_objective(caplog):
    with caplog.at_level(logging.INFO, logger="riata"):
        Tagger("crf", epochs=2).fit(WORDS, TAGS)
    assert "objective" in caplog.text


def test_without_logs_nothing_changes(caplog):
    with caplog.at_level(logging.WARNING, logger="riata"):
        model = Tagger("perceptron", epochs=2).fit(WORDS, TAGS)
    assert not caplog.records
    listening = []
    with caplog.at_level(logging.INFO, logger="riata"):
        same = Tagger("perceptron", epochs=2).fit(WORDS, TAGS, listener=listening.append)
    assert listening
    assert same.predict(WORDS) == model.predict(WORDS)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("kind", ["estimator", "problem"])
def test_a_terminal_shows_a_line_per_epoch_if_nothing_else_listens(kind, monkeypatch, caplog):
    def lines(**options):
        screen = Terminal()
        monkeypatch.setattr("sys.stderr", screen)
        if kind == "estimator":
            Tagger("perceptron", epochs=3).fit(WORDS, TAGS, **options)
        else:
            Predictor(Tagging(), epochs=3).fit(SPELLED, LETTERS, **options)
        return [line.split(",")[0] for line in screen.getvalue().splitlines()]

    caplog.set_level(logging.WARNING, logger="riata")
    assert lines() == ["epoch 1", "epoch 2", "epoch 3"]
    assert lines(listener=lambda event: None) == []
    monkeypatch.setattr(Terminal, "isatty", lambda self: False)
    assert lines() == []
    monkeypatch.setattr(Terminal, "isatty", lambda self: True)
    caplog.set_level(logging.INFO, logger="riata")
    assert lines() == []


# --- docs/ecosystem.md: its blocks run where the libraries are installed, and print what the page says ---------------
PAGE = Path(__file__).parents[2] / "docs" / "ecosystem.md"


def test_the_page_prints_what_it_says(tmp_path, monkeypatch):
    for needed in ("sklearn", "pandas", "datasets", "pyarrow", "spacy", "nltk"):
        pytest.importorskip(needed)
    import riata.integrations.spacy_component  # an installed Riata is found by its entry point

    monkeypatch.chdir(tmp_path)
    names, printed = {"riata": riata}, None
    for block in FENCE.finditer(PAGE.read_text(encoding="utf-8")):
        if block["language"] in ("python", "py"):
            out = io.StringIO()
            with warnings.catch_warnings(), contextlib.redirect_stdout(out):
                warnings.simplefilter("ignore")
                exec(compile(block["body"], str(PAGE), "exec"), names)
            printed = out.getvalue()
        elif block["language"] == "text":
            assert difference(block["body"], printed) is None, printed


def test_the_example_with_optuna_runs(monkeypatch, capsys):
    pytest.importorskip("optuna", reason="optuna is not installed: pip install optuna")
    import importlib.util

    spec = importlib.util.spec_from_file_location("tune", PAGE.parents[1] / "examples" / "tuning" / "with_optuna.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.TRIALS = 3
    monkeypatch.setattr("sys.argv", ["with_optuna.py"])
    module.main()
    assert "3 trials" in capsys.readouterr().out
