"""docs/ecosystem.md: its blocks run where the libraries are installed, and print what the page says."""

import contextlib
import io
import warnings
from pathlib import Path

import pytest

from printed import FENCE, difference

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
