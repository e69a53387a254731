"""Every command on a model that has learnt its chunks in another encoding than that of the file."""

import json

import pytest

import riata
from riata import Chunker
from samples import CHUNKS, as_text, for_rows

TRAIN = ["train", "chunk", "--train", "train.txt", "--model", "m.riata"]


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(as_text(), encoding="utf-8")


@pytest.fixture
def trained(run):
    status, _, err = run(*TRAIN, "--epochs", "8", "--learn-as", "bioes")
    assert status == 0, err
    assert "labels (as learnt, in BIOES): " in err
    return run


def test_predict_writes_the_tags_of_the_data(trained):
    made = Chunker(epochs=8, learn_as="bioes").fit(riata.read_columns("train.txt"))
    status, out, _ = trained("predict", "--model", "m.riata", "train.txt")
    assert status == 0
    found = [line.split() for line in out.splitlines() if line]
    gold = [chunk for sentence in CHUNKS for _, _, chunk in sentence]
    assert [row[-1] for row in found] == [label for labels in made.predict(CHUNKS) for label in labels] == gold
    status, out, _ = trained("predict", "--model", "m.riata", "--nbest", "2", "train.txt")
    assert status == 0
    assert {line.split()[-1].partition("-")[0] for line in out.splitlines() if line and line[0] != "#"} == set("BIO")


def test_evaluate_scores_in_the_encoding_of_the_data(trained):
    status, out, _ = trained("evaluate", "--model", "m.riata", "train.txt", "--json")
    facts = json.loads(out)
    assert (status, facts["metrics"]["f1"], facts["metrics"]["accuracy"]) == (0, 100.0, 100.0)
    assert facts["errors"]["wrong"] == 0
    assert trained("evaluate", "--model", "m.riata", "train.txt")[0] == 0


def test_inspect_shows_the_labels_that_were_learnt_and_says_so(trained):
    status, out, _ = trained("inspect", "m.riata", "--json")
    facts = json.loads(out)
    assert (status, facts["encoding"], facts["learnt_as"], facts["labels"]) == (0, "iob2", "bioes", 7)
    assert set(facts["heaviest"]) == {"O", *(f"{prefix}-{type_}" for prefix in "BIES" for type_ in ("NP", "VP", "PP"))}
    status, out, _ = trained("inspect", "m.riata", "--label", "S-NP")
    assert status == 0
    assert "the 13 labels that were learnt, in BIOES; the model answers in IOB2." in out
    status, _, err = trained("inspect", "m.riata", "--label", "I-NEW")
    assert status == 2
    assert "I-NEW" in err
    trained(*TRAIN, "--epochs", "1")
    assert "learnt" not in trained("inspect", "m.riata")[1]


def test_resume_goes_on_in_the_encoding_of_the_model(trained):
    status, _, err = trained(*TRAIN, "--epochs", "1", "--resume")
    assert status == 0, err
    again = riata.load_model("m.riata")
    assert (again.encoding_, again.learnt_as_, again.best_epoch_) == ("iob2", "bioes", 9)
    status, _, err = trained(*TRAIN, "--resume", "--learn-as", "bilou")
    assert status == 2
    assert "learnt its chunks as BIOES" in err


def test_streams_seeds_and_shards(run):
    for options in (["--stream"], ["--seeds", "2"], ["--shards", "2"], ["--dev", "train.txt", "--refit"]):
        run.ok(*TRAIN, "--epochs", "2", "--learn-as", "bilou", *options)
        assert riata.load_model("m.riata").learnt_as_ == "bilou"


@for_rows("task, name, says", ("chunk", "bio", "bioes"), ("tag", "bioes", "plain labels"), ("chunk", "auto", "auto"))
def test_bad_values_are_refused(run, task, name, says):
    arguments = ["train", task, "--train", "train.txt", "--model", "m.riata", "--learn-as", name]
    err = run.refused(*arguments)
    assert says in err
