"""Commands with models of trees: compare, errors and explain."""

import json

import pytest

import riata
from samples import quietly, treebank


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, part in (("train.txt", treebank()[:20]), ("test.txt", treebank()[20:])):
        text = "\n\n".join("\n".join("\t".join(token) for token in sentence) for sentence in part)
        (tmp_path / name).write_text(text + "\n\n", encoding="utf-8")
    quietly(
        riata.DependencyParser("perceptron", structure="projective", epochs=1), riata.read_columns("train.txt")
    ).save("m.riata")
    return tmp_path


def test_recipes_are_compared_by_las(files, run):
    arguments = ["compare", "parse", "--train", "train.txt", "--test", "test.txt", "--recipes", "perceptron,mira"]
    status, out, err = run(*arguments, "--epochs", "2", "--work", "kept", "--json")
    assert status == 0, err
    rows = json.loads(out)["rows"]
    assert [row["status"] for row in rows] == ["done", "done"]
    assert all(0 < row["score"] <= 100 for row in rows)


def test_errors_count_confused_relations_and_say_whose_fault(files, run):
    status, out, err = run("errors", "--model", "m.riata", "--train", "train.txt", "test.txt", "--json")
    assert status == 0, err
    facts = json.loads(out)
    assert set(facts["metrics"]) == {"uas", "las", "las_universal"} and set(facts["confusions"]) == {"relation"}
    assert set(next(iter(facts["slices"]["sentence_length"].values()))["accuracy"]) == {"head", "relation"}
    assert facts["search"]["search"] == 0  # exact search finds the best tree
    status, out, err = run("errors", "--model", "m.riata", "test.txt")
    assert status == 0 and "las" in out, err


def test_exact_trees_are_explained_arc_by_arc(files, run):
    status, out, err = run("explain", "--model", "m.riata", "--sentence", "1", "test.txt")
    assert status == 0 and "why every token has its head" in out, err
    status, out, err = run("explain", "--model", "m.riata", "--sentence", "1", "--json", "test.txt")
    found = json.loads(out)
    assert status == 0 and len(found["arcs"]) == len(found["input"]), err
    status, _, err = run("explain", "--model", "m.riata", "--sentence", "1", "--against", "0/root", "test.txt")
    assert status == 2 and "tokens" in err
