"""Commands with models of trees: compare, errors and explain."""

import json

import pytest

import riata
from samples import treebank


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, part in (("train.txt", treebank()[:20]), ("test.txt", treebank()[20:])):
        text = "\n\n".join("\n".join("\t".join(token) for token in sentence) for sentence in part)
        (tmp_path / name).write_text(text + "\n\n", encoding="utf-8")
    riata.DependencyParser("perceptron", structure="projective", epochs=1).fit(riata.read_columns("train.txt")).save(
        "m.riata"
    )
    return tmp_path


def test_recipes_are_compared_by_las(files, run):
    arguments = ["compare", "parse", "--train", "train.txt", "--test", "test.txt", "--recipes", "perceptron,mira"]
    out = run.ok(*arguments, "--epochs", "2", "--work", "kept", "--json")
    rows = json.loads(out)["rows"]
    assert [row["status"] for row in rows] == ["done", "done"]
    assert all(0 < row["score"] <= 100 for row in rows)


def test_errors_count_confused_relations_and_say_whose_fault(files, run):
    out = run.ok("errors", "--model", "m.riata", "--train", "train.txt", "test.txt", "--json")
    facts = json.loads(out)
    assert set(facts["metrics"]) == {"uas", "las", "las_universal"} and set(facts["confusions"]) == {"relation"}
    assert set(next(iter(facts["slices"]["sentence_length"].values()))["accuracy"]) == {"head", "relation"}
    assert facts["search"]["search"] == 0  # exact search finds the best tree
    out = run.ok("errors", "--model", "m.riata", "test.txt")
    assert "las" in out


def test_exact_trees_are_explained_arc_by_arc(files, run):
    out = run.ok("explain", "--model", "m.riata", "--sentence", "1", "test.txt")
    assert "why every token has its head" in out
    status, out, err = run("explain", "--model", "m.riata", "--sentence", "1", "--json", "test.txt")
    found = json.loads(out)
    assert status == 0 and len(found["arcs"]) == len(found["input"]), err
    err = run.fails("explain", "--model", "m.riata", "--sentence", "1", "--against", "0/root", "test.txt")
    assert "tokens" in err
