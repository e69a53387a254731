"""CoNLL-U, trees and roles on the command line: fields by name, and every line that goes in comes out."""

import io
import json
import sys

import pytest

import riata
from riata import DependencyParser, RoleLabeler
from samples import as_text, chunker, for_each, for_rows, treebank


def row(*first):
    return "\t".join([*first, *["_"] * (10 - len(first))]) + "\n"


SENTENCE = (
    "# sent_id = 1\n"
    "# text = The dogs don't bark\n"
    + row("1", "The", "the", "DET", "DT")
    + row("2", "dogs", "dog", "NOUN", "NNS")
    + row("3-4", "don't")
    + row("3", "do", "do", "AUX", "VBP")
    + row("4", "n't", "not", "PART", "RB")
    + row("5", "bark", "bark", "VERB", "VB")
    + row("5.1", "bark")
    + "\n"
)
SECOND = row("1", "Cats", "cat", "NOUN", "NNS") + row("2", "sit", "sit", "VERB", "VBP") + "\n"
FILE = SENTENCE + SECOND
WITHOUT_XPOS = "".join(
    "\t".join([*line.split("\t")[:4], "_", *line.split("\t")[5:]]) + "\n" if "\t" in line else line + "\n"
    for line in FILE.split("\n")[:-1]
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.conllu").write_text(FILE, encoding="utf-8")
    (tmp_path / "plain.txt").write_text("The DET\ndogs NOUN\nbark VERB\n\nCats NOUN\nsit VERB\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def tagger(folder, run):
    names = ["--inputs", "form", "--outputs", "upos"]
    run.ok("train", "tag", "--train", "train.conllu", *names, "--model", "t.riata", "--epochs", "5")
    return "t.riata"


def typed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_names_and_numbers_of_fields_give_the_same_model(tagger, folder, run):
    run.ok(
        *("train", "tag", "--train", "train.conllu", "--inputs", "1", "--outputs", "3"),
        *("--model", "n.riata", "--epochs", "5"),
    )
    assert (folder / "n.riata").read_bytes() == (folder / tagger).read_bytes()


@pytest.mark.parametrize("threads", ["1", "2"])
def test_standard_input_is_conllu_for_a_model_of_conllu_and_all_lines_come_out(tagger, run, monkeypatch, threads):
    typed(monkeypatch, FILE.replace("NOUN", "X").replace("VERB", "_"))
    assert run("predict", "--model", tagger, "--threads", threads, "-") == (0, FILE, "")
    typed(monkeypatch, "Cats\nsit\n")
    assert run("predict", "--model", tagger, "--format", "columns", "-") == (0, "Cats NOUN\nsit VERB\n\n", "")
    typed(monkeypatch, "Cats\nsit\n")
    err = run.refused("predict", "--model", tagger, "-")
    assert "10 tab-separated columns of CoNLL-U" in err
    assert "--format columns" in err


def test_n_best_lists_of_conllu_repeat_all_lines(tagger, run):
    out = run.ok("predict", "--model", tagger, "--nbest", "2", "train.conllu")
    assert [out.count(line) for line in ("3-4\tdon't", "5.1\tbark", "# sent_id = 1\n")] == [2, 2, 2]


def test_n_best_lists_begin_a_document_once(tagger, folder, run):
    (folder / "documents.conllu").write_text(f"# newdoc id = a\n{SENTENCE}# newdoc\n{SECOND}{SECOND}")
    out = run.ok("predict", "--model", tagger, "--nbest", "3", "documents.conllu")
    assert out.count("# newdoc") == 2 and out.count("# sent_id = 1\n") == 3
    lines = out.split("\n")
    assert [lines[lines.index(mark) - 1][:3] for mark in ("# newdoc id = a", "# newdoc")] == ["# 0", "# 0"]


def test_evaluate_reads_the_field_of_the_model_and_two_files_by_name(tagger, folder, run):
    out = run.ok("evaluate", "--model", tagger, "train.conllu", "--json")
    assert json.loads(out)["metrics"]["accuracy"] == 100
    (folder / "other.conllu").write_text(FILE.replace("NOUN", "X"), encoding="utf-8")
    files = ["--gold", "train.conllu", "--predicted", "other.conllu"]
    out = run.ok("evaluate", *files, "--outputs", "upos", "--json")
    assert json.loads(out)["metrics"]["accuracy"] == pytest.approx(100 * 5 / 7)
    assert json.loads(run("evaluate", *files, "--json")[1])["metrics"]["accuracy"] == 100


def test_a_model_of_columns_reads_conllu_where_it_is_told_which_fields(folder, run):
    run("train", "tag", "--train", "plain.txt", "--model", "p.riata", "--epochs", "5")
    err = run.fails("predict", "--model", "p.riata", "train.conllu")
    assert "--inputs form --outputs upos" in err
    named = ["--model", "p.riata", "train.conllu", "--inputs", "form", "--outputs", "upos"]
    out = run.ok("predict", *named)
    assert out.count("\n") == FILE.count("\n")
    assert "2\tdogs\tdog\tNOUN\tNNS" in out
    assert json.loads(run("evaluate", *named, "--json")[1])["tokens"] == 7


def test_compare_takes_names_too(folder, run):
    files = ["--train", "train.conllu", "--test", "train.conllu"]
    out = run.ok(
        *("compare", "tag", *files, "--inputs", "form", "--outputs", "upos"),
        *("--recipes", "perceptron", "--epochs", "2", "--work", "work", "--json"),
    )
    assert json.loads(out)["rows"][0]["metrics"]["accuracy"] > 50


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_a_field_with_one_label_is_refused_and_those_with_more_are_named(folder, run, stream):
    (folder / "train.conllu").write_text(WITHOUT_XPOS, encoding="utf-8")
    err = run.refused("train", "tag", "--train", "train.conllu", "--model", "x.riata", *stream)
    assert "train.conllu: every label in the output column, xpos, is '_': there is nothing to learn." in err
    assert "upos (5 values: NOUN, VERB, DET, …)" in err
    assert "--outputs" in err
    assert not (folder / "x.riata").exists()


def test_names_are_refused_where_columns_have_none(folder, run):
    err = run.fails("train", "tag", "--train", "plain.txt", "--outputs", "upos", "--model", "x.riata")
    assert "plain.txt:1: expected the 10 tab-separated columns of CoNLL-U" in err
    assert "columns by number" in err
    err = run.fails("train", "tag", "--train", "train.conllu", "--outputs", "pos", "--model", "x.riata")
    assert "train.conllu: Unknown CoNLL-U field 'pos'" in err
    err = run.fails("train", "tag", "--train", "train.conllu", "--outputs", "4-5", "--model", "x.riata")
    assert "not a list of column numbers such as 0,1, or of names such as form,upos" in err


def test_more_columns_than_the_model_knows_are_refused_with_a_way_out(folder, run, monkeypatch, tmp_path):
    chunker().save("c.riata")
    typed(monkeypatch, "The old bus stopped again .\n")
    err = run.refused("predict", "--model", "c.riata", "-")
    assert "<standard input>:1: found 6 columns, and the model knows 3" in err
    assert "--text" in err
    assert "--inputs 0,1" in err
    (folder / "wide.txt").write_text(as_text([[("The", "DT", "x", "y", "z"), ("dog", "NN", "x", "y", "z")]]))
    assert run("predict", "--model", "c.riata", "wide.txt")[0] == 2
    status, out, err = run("predict", "--model", "c.riata", "wide.txt", "--inputs", "0,1")
    assert (status, out) == (0, "The DT x y z B-NP\ndog NN x y z I-NP\n\n"), err


def test_all_columns_of_the_training_file_are_known(folder, run):
    wide = as_text([[("x", "The", "DET", "y"), ("x", "dog", "NOUN", "y")]] * 3)
    (folder / "wide.txt").write_text(wide)
    run("train", "tag", "--train", "wide.txt", "--inputs", "1", "--outputs", "2", "--model", "w.riata", "--epochs", "2")
    out = run.ok("predict", "--model", "w.riata", "wide.txt")
    assert out.startswith("x The DET y DET\n")
    assert run("predict", "--model", "w.riata", "plain.txt")[0] == 0


def test_names_of_fields_make_pipes_and_files_of_any_name_conllu(tagger, folder, run, monkeypatch):
    (folder / "train.txt").write_text(FILE, encoding="utf-8")
    names = ["--inputs", "form", "--outputs", "upos"]
    for source in ("train.txt", "-"):
        typed(monkeypatch, FILE)
        run.ok("train", "tag", "--train", source, *names, "--model", "u.riata", "--epochs", "5")
    status, out, err = run("evaluate", "--gold", "train.txt", "--predicted", "train.conllu", "--outputs", "upos")
    assert (status, "100.00 of 7 tokens" in out) == (0, True), err
    assert run("predict", "--model", tagger, "--inputs", "form", "train.txt")[0] == 0


def test_a_file_that_is_no_conllu_is_named(tagger, folder, run):
    (folder / "train.txt").write_text(FILE, encoding="utf-8")
    status, _, err = run("predict", "--model", tagger, "train.txt")
    assert (status, "If this is CoNLL-U, add --format conllu" in err) == (2, True)
    status, _, err = run("predict", "--model", tagger, "--inputs", "form", "--format", "columns", "train.txt")
    assert (status, "train.txt: 'form' is a field of CoNLL-U" in err) == (2, True)


def test_gold_labels_that_say_nothing_are_warned_of(tagger, folder, run):
    (folder / "empty.conllu").write_text(WITHOUT_XPOS, encoding="utf-8")
    by_model = ["--model", tagger, "empty.conllu"]
    by_file = ["--gold", "empty.conllu", "--predicted", "empty.conllu"]
    for arguments in (by_model, by_file):
        status, _, err = run("evaluate", *arguments, "--outputs", "xpos")
        assert status == 0
        assert "Every gold label in empty.conllu is '_', an empty value, so the score says nothing." in err
        assert "upos (5 values" in err
        assert run("evaluate", *arguments, "--outputs", "upos")[2] == ""
    (folder / "other.txt").write_text("The Q\nQ Q\n")
    status, _, err = run("evaluate", "--model", tagger, "--inputs", "0", "--outputs", "1", "other.txt")
    assert "is 'Q', which the model does not know, so" in err
    (folder / "one.txt").write_text("The DET\n")
    assert run("evaluate", "--model", tagger, "--inputs", "0", "--outputs", "1", "one.txt")[2] == ""


# --- commands with models of trees: compare, errors and explain ------------------------------------------------------
@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, part in (("train.txt", treebank()[:20]), ("test.txt", treebank()[20:])):
        text = "\n\n".join("\n".join("\t".join(token) for token in sentence) for sentence in part)
        (tmp_path / name).write_text(text + "\n\n", encoding="utf-8")
    DependencyParser("perceptron", structure="projective", epochs=1).fit(riata.read_columns("train.txt")).save(
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


# --- the command line on files of roles ------------------------------------------------------------------------------
@pytest.fixture
def role_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for split in ("train", "test"):
        riata.write_propbank(riata.load("embedded-roles", split), tmp_path / f"{split}.txt")
    return tmp_path


TRAIN = ("train", "srl", "--train", "train.txt", "--model", "m.riata", "--recipe", "perceptron")


def test_train_predict_and_evaluate_agree(role_folder, run):
    out = run.ok(*TRAIN, "--dev", "test.txt", "--json")
    assert json.loads(out)["metrics"]["accuracy"] > 80
    out = run.ok("predict", "--model", "m.riata", "test.txt")
    (role_folder / "found.txt").write_text(out, encoding="utf-8")
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


def test_given_boundaries(role_folder, run):
    run.ok(*TRAIN, "--boundaries", "given")
    facts = json.loads(run("evaluate", "--model", "m.riata", "test.txt", "--json")[1])
    assert facts["metrics"]["span_f1"] == 100
    bare = "\n".join("\t".join(line.split("\t")[:10]) for line in (role_folder / "test.txt").read_text().splitlines())
    (role_folder / "bare.txt").write_text(bare)
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
def test_what_is_wrong_is_told_in_one_message(role_folder, run, arguments, message):
    err = run.refused(*arguments)
    assert message in err and "Traceback" not in err


@for_each(option=[("--nbest", "2"), ("--confidence",), ("--text",), ("--given", "1"), ("--inputs", "1")])
def test_options_of_labels_of_tokens_are_refused(role_folder, run, option):
    assert run(*TRAIN)[0] == 0
    err = run.refused("predict", "--model", "m.riata", *option, "test.txt")
    assert "roles" in err


def test_constraints_of_roles_on_the_command_line(role_folder, run):
    run.ok(*TRAIN, "--constraint", "roles")
    model = riata.load_model("m.riata")
    assert "requires('R-ARG0', 'ARG0')" in map(repr, model.constraints)
    out = run.ok("predict", "--model", "m.riata", "test.txt")
    (role_folder / "found.txt").write_text(out, encoding="utf-8")
    found = riata.read_propbank("found.txt").propositions
    assert found == tuple(map(tuple, model.predict(riata.read_propbank("test.txt"))))
    off = run.ok("predict", "--model", "m.riata", "--constraints", "off", "test.txt")
    assert off != out
    (role_folder / "tags.txt").write_text("a A\nb B\n")
    err = run.fails("train", "tag", "--train", "tags.txt", "--model", "t.riata", "--constraint", "roles")
    assert "'roles' is no constraint" in err


def test_learners_are_compared_by_f1_of_arguments(role_folder, run):
    arguments = ("compare", "srl", "--data", "embedded-roles", "--recipes", "perceptron", "--json", "--final")
    (row,) = (facts := json.loads(run(*arguments)[1]))["rows"]
    made = RoleLabeler("perceptron").fit(riata.read_propbank("train.txt"))
    assert facts["metric"] == "f1" and row["score"] == pytest.approx(100 * made.score(riata.read_propbank("test.txt")))
    assert (
        run("compare", "srl", "--train", "train.txt", "--folds", "3", "--recipes", "mira", "--boundaries", "given")[0]
        == 0
    )


def test_other_commands_look_at_slots(role_folder, run):
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
