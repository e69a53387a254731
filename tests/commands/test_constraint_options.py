"""riata train --constraint and --inference; and every command on a model that has learnt its chunks in another encoding."""

import json

import pytest

import riata
from riata import Chunker
from samples import CHUNKS, as_text, for_rows

TRAIN = ["train", "chunk", "--train", "train.txt", "--model", "m.riata", "--recipe", "perceptron"]
RULE = 'at_most(1, "NP")'


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(as_text(), encoding="utf-8")
    (tmp_path / "rules.txt").write_text(f"# no more than one\n{RULE}\n", encoding="utf-8")


@pytest.mark.parametrize("rule", [RULE, "rules.txt"])
def test_models_are_trained_with_constraints_and_predictions_say_how_they_were_kept(run, rule):
    run.ok(*TRAIN, "--constraint", rule)
    status, out, err = run("predict", "--model", "m.riata", "train.txt")
    assert status == 0, err
    assert "Constraints: 4 sentences, 2 kept them already, 2 by search." in err
    sentences = [block.splitlines() for block in out.strip().split("\n\n")]
    assert all(sum(line.endswith(" B-NP") for line in sentence) <= 1 for sentence in sentences)
    status, free, err = run("predict", "--model", "m.riata", "--constraints", "off", "train.txt")
    assert "Constraints" not in err
    assert free != out
    assert run("predict", "--model", "m.riata", "--constraints", "0.000001", "train.txt")[1] == free
    assert run("predict", "--model", "m.riata", "--constraints", "some", "train.txt")[0] == 2


def test_inference_during_training(run):
    assert run(*TRAIN, "--inference", "during", "--constraint", RULE)[0] == 0
    err = run.fails(*TRAIN[:-1], "crf", "--inference", "during", "--constraint", RULE)
    assert "learns from more than the best output" in err


def test_wrong_constraints_are_refused(run, tmp_path):
    err = run.fails(*TRAIN, "--constraint", "at_most")
    assert "neither a constraint nor a file" in err
    err = run.fails(*TRAIN, "--constraint", "at_most(")
    assert "is no constraint" in err
    (tmp_path / "none.txt").write_text("# nothing yet\n")
    err = run.fails(*TRAIN, "--constraint", "none.txt")
    assert "none.txt: there are no constraints in it" in err
    (tmp_path / "wrong.txt").write_text("\nat_mots(1, 'NP')\n")
    err = run.fails(*TRAIN, "--constraint", "wrong.txt")
    assert "wrong.txt:2" in err
    assert "at_most" in err
    run(*TRAIN)
    err = run.fails("predict", "--model", "m.riata", "--constraints", "on", "train.txt")
    assert "this one has none" in err


def test_explanations_say_what_constraints_changed(run):
    assert run(*TRAIN, "--constraint", RULE)[0] == 0
    out = run.ok("explain", "--model", "m.riata", "--sentence", "constrained", "train.txt")
    assert "Without them, the output breaks at_most(1, 'NP'): at most 1 NP." in " ".join(out.split())
    out = run.ok("explain", "--model", "m.riata", "--sentence", "constrained", "--json", "train.txt")
    found = json.loads(out)
    assert found["sentence"] == 2
    assert found["constrained"]["broken"][0]["constraint"] == "at_most(1, 'NP')"
    err = run.fails("explain", "--model", "m.riata", "--sentence", "constrained", "--constraints", "off", "train.txt")
    assert "keeps no constraints" in err
    assert run(*TRAIN, "--constraint", 'at_most(9, "NP")')[0] == 0
    err = run.fails("explain", "--model", "m.riata", "--sentence", "constrained", "train.txt")
    assert "change no sentence" in err


def test_rules_that_cannot_be_kept_name_the_line_of_the_sentence(run, tmp_path):
    rules = ("at_least(2, 'VP')", "at_most(99, 'NP')", "excludes('VP', 'NP')")
    assert run(*TRAIN, *(word for rule in rules for word in ("--constraint", rule)))[0] == 0
    (tmp_path / "long.txt").write_text("\n".join(["The DT\ncat NN\n"] * 3000 + ["The DT\n"]), encoding="utf-8")
    err = run.fails("predict", "--model", "m.riata", "long.txt")
    assert "long.txt:9001: No output of this sentence keeps the constraint at_least(2, 'VP')." in err


def test_true_outputs_that_break_a_constraint_are_counted_and_training_goes_on(run, tmp_path):
    status, _, err = run(*TRAIN, "--constraint", RULE)
    assert status == 0
    assert "2 of 4 true outputs break constraints (the first: sentence 1, from 0, breaks at_most(1, 'NP'))" in err
    assert (tmp_path / "m.riata").exists()


def test_models_show_their_constraints_and_are_scored_without_them(run):
    run(*TRAIN, "--constraint", RULE)
    assert json.loads(run("inspect", "m.riata", "--json")[1])["constraints"] == ["at_most(1, 'NP')"]
    assert "at_most(1, 'NP')" in run("inspect", "m.riata")[1]
    kept, free = (
        json.loads(run("evaluate", "--model", "m.riata", "--json", *more, "train.txt")[1])["metrics"]["f1"]
        for more in ((), ("--constraints", "off"))
    )
    assert free > kept
    err = run.fails("evaluate", "--gold", "train.txt", "--predicted", "train.txt", "--constraints", "off")
    assert "--constraints is for --model" in err


def test_a_model_that_cannot_be_calibrated_is_not_lost(run, tmp_path):
    """A sentence of the development data has no legal output: training goes on, predictions are refused."""
    (tmp_path / "dev.txt").write_text(as_text() + "Hello UH O\n", encoding="utf-8")
    rules = ("--constraint", 'at_least(1, "NP")', "--constraint", 'at_least(1, "VP")')
    err = run.fails(*TRAIN, *rules, "--dev", "dev.txt", "--calibrate", "temperature")
    assert "dev.txt:" in err
    assert "keeps these 2 constraints together" in err
    assert run("predict", "--model", "m.riata", "train.txt")[0] == 0


# --- every command on a model that has learnt its chunks in another encoding than that of the file -------------------
CHUNKED = ["train", "chunk", "--train", "train.txt", "--model", "m.riata"]


@pytest.fixture(autouse=True)
def chunk_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(as_text(), encoding="utf-8")


@pytest.fixture
def trained_as(run):
    status, _, err = run(*CHUNKED, "--epochs", "8", "--learn-as", "bioes")
    assert status == 0, err
    assert "labels (as learnt, in BIOES): " in err
    return run


def test_predict_writes_the_tags_of_the_data(trained_as):
    made = Chunker(epochs=8, learn_as="bioes").fit(riata.read_columns("train.txt"))
    status, out, _ = trained_as("predict", "--model", "m.riata", "train.txt")
    assert status == 0
    found = [line.split() for line in out.splitlines() if line]
    gold = [chunk for sentence in CHUNKS for _, _, chunk in sentence]
    assert [row[-1] for row in found] == [label for labels in made.predict(CHUNKS) for label in labels] == gold
    status, out, _ = trained_as("predict", "--model", "m.riata", "--nbest", "2", "train.txt")
    assert status == 0
    assert {line.split()[-1].partition("-")[0] for line in out.splitlines() if line and line[0] != "#"} == set("BIO")


def test_evaluate_scores_in_the_encoding_of_the_data(trained_as):
    status, out, _ = trained_as("evaluate", "--model", "m.riata", "train.txt", "--json")
    facts = json.loads(out)
    assert (status, facts["metrics"]["f1"], facts["metrics"]["accuracy"]) == (0, 100.0, 100.0)
    assert facts["errors"]["wrong"] == 0
    assert trained_as("evaluate", "--model", "m.riata", "train.txt")[0] == 0


def test_inspect_shows_the_labels_that_were_learnt_and_says_so(trained_as):
    status, out, _ = trained_as("inspect", "m.riata", "--json")
    facts = json.loads(out)
    assert (status, facts["encoding"], facts["learnt_as"], facts["labels"]) == (0, "iob2", "bioes", 7)
    assert set(facts["heaviest"]) == {"O", *(f"{prefix}-{type_}" for prefix in "BIES" for type_ in ("NP", "VP", "PP"))}
    status, out, _ = trained_as("inspect", "m.riata", "--label", "S-NP")
    assert status == 0
    assert "the 13 labels that were learnt, in BIOES; the model answers in IOB2." in out
    status, _, err = trained_as("inspect", "m.riata", "--label", "I-NEW")
    assert status == 2
    assert "I-NEW" in err
    trained_as(*CHUNKED, "--epochs", "1")
    assert "learnt" not in trained_as("inspect", "m.riata")[1]


def test_resume_goes_on_in_the_encoding_of_the_model(trained_as):
    status, _, err = trained_as(*CHUNKED, "--epochs", "1", "--resume")
    assert status == 0, err
    again = riata.load_model("m.riata")
    assert (again.encoding_, again.learnt_as_, again.best_epoch_) == ("iob2", "bioes", 9)
    status, _, err = trained_as(*CHUNKED, "--resume", "--learn-as", "bilou")
    assert status == 2
    assert "learnt its chunks as BIOES" in err


def test_streams_seeds_and_shards(run):
    for options in (["--stream"], ["--seeds", "2"], ["--shards", "2"], ["--dev", "train.txt", "--refit"]):
        run.ok(*CHUNKED, "--epochs", "2", "--learn-as", "bilou", *options)
        assert riata.load_model("m.riata").learnt_as_ == "bilou"


@for_rows("task, name, says", ("chunk", "bio", "bioes"), ("tag", "bioes", "plain labels"), ("chunk", "auto", "auto"))
def test_bad_values_are_refused(run, task, name, says):
    arguments = ["train", task, "--train", "train.txt", "--model", "m.riata", "--learn-as", name]
    err = run.refused(*arguments)
    assert says in err
