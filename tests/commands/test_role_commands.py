"""The command line on files of roles."""

import json

import pytest

import riata
from samples import for_each, for_rows


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for split in ("train", "test"):
        riata.write_propbank(riata.load("embedded-roles", split), tmp_path / f"{split}.txt")
    return tmp_path


TRAIN = ("train", "srl", "--train", "train.txt", "--model", "m.riata", "--recipe", "perceptron")


def test_train_predict_and_evaluate_agree(folder, run):
    out = run.ok(*TRAIN, "--dev", "test.txt", "--json")
    assert json.loads(out)["metrics"]["accuracy"] > 80
    out = run.ok("predict", "--model", "m.riata", "test.txt")
    (folder / "found.txt").write_text(out, encoding="utf-8")
    model = riata.load_model("m.riata")
    test = riata.read_propbank("test.txt")
    assert riata.read_propbank("found.txt").propositions == tuple(map(tuple, model.predict(test)))
    by_model = json.loads(run("evaluate", "--model", "m.riata", "test.txt", "--json")[1])
    by_files = json.loads(
        run("evaluate", "--gold", "test.txt", "--predicted", "found.txt", "--task", "srl", "--json")[1]
    )
    assert by_model["metrics"] == by_files["metrics"]
    assert {"precision", "recall", "f1"} <= set(by_model["metrics"])
    assert by_model["types"] == by_files["types"] and "ARG0" in by_model["types"]
    assert by_model["tokens"] == test.tokens
    against = ("--predicted", "found.txt", "--against", "test.txt", "--task", "srl")
    assert "found.txt minus test.txt" in run("evaluate", "--gold", "test.txt", *against)[1]


def test_given_boundaries(folder, run):
    run.ok(*TRAIN, "--boundaries", "given")
    facts = json.loads(run("evaluate", "--model", "m.riata", "test.txt", "--json")[1])
    assert facts["metrics"]["span_f1"] == 100
    bare = "\n".join("\t".join(line.split("\t")[:10]) for line in (folder / "test.txt").read_text().splitlines())
    (folder / "bare.txt").write_text(bare)
    err = run.refused("predict", "--model", "m.riata", "bare.txt")
    assert "bare.txt:2: labelling arguments whose boundaries are given" in err


@for_rows(
    "arguments, message",
    (
        ("train", "tag", "--train", "train.txt", "--model", "t.riata", "--boundaries", "given"),
        "--boundaries is for predicates",
    ),
    ((*TRAIN, "--boundaries", "gven"), "Did you mean 'given'?"),
    ((*TRAIN, "--inputs", "1"), "a file of roles has its own columns"),
    ((*TRAIN, "--format", "conllu"), "files of the task 'srl' are in the format propbank"),
    ((*TRAIN, "--stream"), "files of roles are read whole"),
    (
        ("evaluate", "--gold", "test.txt", "--predicted", "train.txt", "--task", "srl"),
        "found 12 sentences, but test.txt has 4",
    ),
    (("compare", "srl", "--data", "embedded", "--recipes", "perceptron"), "has no column for the task 'srl'"),
    (("compare", "tag", "--data", "embedded-roles", "--recipes", "perceptron"), "has no column for the task 'tag'"),
)
def test_what_is_wrong_is_told_in_one_message(folder, run, arguments, message):
    err = run.refused(*arguments)
    assert message in err and "Traceback" not in err


@for_each(option=[("--nbest", "2"), ("--confidence",), ("--text",), ("--given", "1"), ("--inputs", "1")])
def test_options_of_labels_of_tokens_are_refused(folder, run, option):
    assert run(*TRAIN)[0] == 0
    err = run.refused("predict", "--model", "m.riata", *option, "test.txt")
    assert "roles" in err


def test_constraints_of_roles_on_the_command_line(folder, run):
    run.ok(*TRAIN, "--constraint", "roles")
    model = riata.load_model("m.riata")
    assert "requires('R-ARG0', 'ARG0')" in map(repr, model.constraints)
    out = run.ok("predict", "--model", "m.riata", "test.txt")
    (folder / "found.txt").write_text(out, encoding="utf-8")
    found = riata.read_propbank("found.txt").propositions
    assert found == tuple(map(tuple, model.predict(riata.read_propbank("test.txt"))))
    off = run.ok("predict", "--model", "m.riata", "--constraints", "off", "test.txt")
    assert off != out
    (folder / "tags.txt").write_text("a A\nb B\n")
    err = run.fails("train", "tag", "--train", "tags.txt", "--model", "t.riata", "--constraint", "roles")
    assert "'roles' is no constraint" in err


def test_learners_are_compared_by_f1_of_arguments(folder, run):
    arguments = ("compare", "srl", "--data", "embedded-roles", "--recipes", "perceptron", "--json", "--final")
    (row,) = (facts := json.loads(run(*arguments)[1]))["rows"]
    made = riata.RoleLabeler("perceptron").fit(riata.read_propbank("train.txt"))
    assert facts["metric"] == "f1" and row["score"] == pytest.approx(100 * made.score(riata.read_propbank("test.txt")))
    assert (
        run("compare", "srl", "--train", "train.txt", "--folds", "3", "--recipes", "mira", "--boundaries", "given")[0]
        == 0
    )


def test_other_commands_look_at_slots(folder, run):
    assert run(*TRAIN)[0] == 0
    for arguments in (
        ("explain", "--model", "m.riata", "test.txt"),
        ("errors", "--model", "m.riata", "test.txt", "--train", "train.txt"),
        ("calibrate", "--model", "m.riata", "test.txt", "--output", "c.riata"),
        ("compare-models", "m.riata", "m.riata", "test.txt"),
        ("inspect", "m.riata"),
        ("curve", "srl", "--train", "train.txt", "--test", "test.txt", "--boundaries", "given"),
        (*TRAIN, "--resume"),
    ):
        run.ok(*arguments)
