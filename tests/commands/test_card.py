"""riata card"""

import pytest

import riata
from samples import CHUNKS, TAGS, WORDS, as_text, quietly, treebank


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "chunker.riata"
    quietly(riata.Chunker("perceptron", epochs=3, constraints=[riata.constraints.at_most(9, "NP")]), CHUNKS).save(path)
    return path


def test_the_card_says_what_the_file_stores(run, model):
    status, out, _ = run("card", model)
    assert status == 0
    assert out.startswith("# chunker\n")
    for head in ("Intended use", "How to use it", "Training data", "Figures", "The model", "Limits"):
        assert f"## {head}\n" in out
    for said in (
        "task `chunk`",
        "`perceptron`",
        "4 sentences, 16 tokens",
        "| `B-NP` |",
        "at_most(9, 'NP')",
        "2 columns",
        'load_model("chunker.riata")',
        "not calibrated",
    ):
        assert said in out
    assert out.count("*Not stated.*") == 3


def test_what_is_told_takes_the_places(run, model, tmp_path):
    gold = tmp_path / "gold.txt"
    gold.write_text(as_text())
    card = tmp_path / "CARD.md"
    told = ("--use", "Chunks of news.", "--data", "Ours.", "--evaluate", gold, "--output", card)
    assert run("card", model, *told)[:2] == (0, "")
    text = card.read_text(encoding="utf-8")
    assert "Not stated" not in text
    for said in ("Chunks of news.", "Ours.", "precision", "accuracy"):
        assert said in text


def test_every_task_has_a_card(run, tmp_path):
    made = {
        "tag": quietly(riata.Tagger("perceptron", epochs=1), WORDS, TAGS),
        "joint": quietly(riata.JointTagger("max-violation", epochs=1), CHUNKS),
        "parse": quietly(riata.DependencyParser("perceptron", epochs=1), treebank()),
        "srl": quietly(riata.RoleLabeler("perceptron", epochs=1), riata.load("embedded-roles")),
    }
    for name, model in made.items():
        model.save(tmp_path / f"{name}.riata")
        status, out, err = run("card", tmp_path / f"{name}.riata")
        assert (status, f"`{name}`" in out) == (0, True), err


def test_what_has_no_card_is_refused(run, tmp_path, model):
    assert run("card", tmp_path / "none.riata")[0] == 2
    status, _, err = run("card", model, "--output", tmp_path / "no" / "CARD.md")
    assert status == 2
    assert "cannot be written" in err
