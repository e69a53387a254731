"""`riata predict` starts soon: it imports what predicting needs, and nothing that learns, draws or scores."""

import subprocess
import sys

import pytest

import riata
from samples import CHUNKS, quietly

NOT_NEEDED = (
    "scipy", "sklearn", "rich", "matplotlib", "pandas", "concurrent.futures", "difflib", "gzip", "tempfile", "importlib.resources",
    "riata.commands.console", "riata.confidence.calibration", "riata.data.pairs",
    "riata.structures.joint.templates", "riata.structures.segments.templates",
    "riata.problems.predictor", "riata.explaining.trace", "riata.learning.diagnostics", "riata.learning.events", "riata.learning.fit",
    "riata.learning.search", "riata.structures.joint.model", "riata.structures.segments.model", "riata.public", "riata.scoring",
    "riata.estimators.predictions",
)  # fmt: skip
PROGRAM = """
import sys
from riata.entry import main
try:
    main(sys.argv[1:])
finally:
    print("\\n".join(sys.modules), file=sys.stderr)
"""


def modules_after(*arguments):
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True)
    return done.stdout, set(done.stderr.split())


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "chunker.riata"
    quietly(riata.Chunker(epochs=1), CHUNKS).save(path)
    return path


def test_predict_imports_nothing_that_it_does_not_need(model, tmp_path):
    file = tmp_path / "short.txt"
    file.write_text("The DT\nbus NN\n\n")
    output, modules = modules_after("predict", "--model", str(model), str(file))
    assert [len(line.split()) for line in output.splitlines()] == [3, 3, 0]
    assert sorted(modules.intersection(NOT_NEEDED)) == []


def test_import_riata_imports_nothing_else():
    code = "import sys, riata; print(*(m for m in sys.modules if m.startswith(('riata.', 'numpy', 'rich', 'scipy'))))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""
