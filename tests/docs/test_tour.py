"""The notebook of the tour is made from its source, and its cells run one after the other, also in Jupyter where that is installed."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "tour.ipynb"
MOST_SECONDS = 120  # of CPU time
sys.path.insert(0, str(ROOT / "tools"))

from notebook import SOURCE, notebook  # noqa: E402


def test_the_notebook_is_that_of_its_source():
    written = NOTEBOOK.read_text(encoding="utf-8")
    assert written == notebook(SOURCE.read_text(encoding="utf-8")), "python tools/notebook.py writes it"


@pytest.mark.filterwarnings("ignore::riata.RiataWarning")
def test_the_cells_run_in_less_than_two_minutes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    start = time.process_time()
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), namespace)
    assert time.process_time() - start < MOST_SECONDS
    assert "F1 95" in capsys.readouterr().out


def test_jupyter_runs_it(tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    loaded = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(loaded)
    nbclient.NotebookClient(loaded, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
