"""How much a reader has to walk through: files that a command passes, ancestors of estimators, names that stand for one thing."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import riata
from riata import registry

ROOT = Path(__file__).parents[2]
# Files that a command passes, and how often it goes from one folder to another (of training, with one epoch); fewer are better.
MOST_PASSED = {"train": (47, 550), "predict": (25, 90)}
MOST_ANCESTORS = 6  # the estimator and `object` among them


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("weight")
    for split in ("train", "test"):
        riata.write_columns(riata.load("embedded", split), path / f"{split}.txt")
    riata.Chunker(epochs=1).fit(riata.read_columns(path / "train.txt")).save(path / "m.riata")
    return path


@pytest.mark.parametrize("verb", MOST_PASSED)
def test_a_command_passes_few_files(verb, folder):
    asked = {
        "train": ["train", "chunk", "--train", folder / "train.txt", "--epochs", "1", "--model", folder / "new.riata"],
        "predict": ["predict", "--model", folder / "m.riata", folder / "test.txt"],
    }[verb]
    program = [sys.executable, ROOT / "tools" / "passed.py", *asked]
    done = subprocess.run(list(map(str, program)), capture_output=True, text=True, check=True)
    files, changes = map(int, re.findall(r"(\d+) files, (\d+) changes of folder", done.stderr)[0])
    assert files <= MOST_PASSED[verb][0]
    assert changes <= MOST_PASSED[verb][1]


@pytest.mark.parametrize("name", registry.names("task"))
def test_estimators_have_few_ancestors(name):
    assert len(registry.get("task", name).estimator.__mro__) <= MOST_ANCESTORS


def test_no_two_classes_have_one_name():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "src").rglob("*.py")]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert not sorted(name for name, number in names.items() if number > 1)
