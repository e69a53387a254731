"""A column of documents on the command line: it is read by every command, and is neither input nor unknown."""

import json
from dataclasses import replace

import numpy as np
import pytest

import riata
from checks import refused
from riata import RiataError
from samples import for_rows

TRAIN = riata.load("embedded", "train")[:240]
COLUMN = ["--documents", "1"]  # word, document, tag, chunk label


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    column, lines, plain = "", "", ""
    for number, sentence in enumerate(TRAIN):
        lines += "-DOCSTART- O O\n\n" if number % 20 == 0 else ""
        for word, tag, label in sentence:
            column += f"{word} d{number // 20} {tag} {label}\n"
            lines += f"{word} {tag} {label}\n"
            plain += f"{word} {tag} {label}\n"
        column, lines, plain = column + "\n", lines + "\n", plain + "\n"
    for name, text in (("column.txt", column), ("lines.txt", lines), ("plain.txt", plain)):
        (folder / name).write_text(text, encoding="utf-8")
    last = "\n".join(
        " ".join([*(row := line.split())[:1], *row[2:], row[1]]) if line else "" for line in column.split("\n")
    )
    (folder / "last.txt").write_text(last, encoding="utf-8")
    return folder


@pytest.fixture
def folder(files, monkeypatch, tmp_path):
    monkeypatch.chdir(files)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return files


@pytest.fixture
def trained(folder, run):
    """By a column, and by lines: the same models but for the numbers of their columns."""
    if not (folder / "lines.riata").exists():
        train = ["train", "chunk", "--epochs", "1", "--dev-fraction", "0.1"]
        assert run(*train, "--train", "column.txt", *COLUMN, "--model", "column.riata")[0] == 0
        assert run(*train, "--train", "lines.txt", "--model", "lines.riata")[0] == 0
    return folder


def test_training_holds_out_the_same_by_a_column_as_by_lines(trained, run):
    one, other = riata.load_model("column.riata"), riata.load_model("lines.riata")
    assert (one.inputs_, one.outputs_) == ((0, 2), (3,))
    assert one.state_features_ == other.state_features_
    train = ["train", "chunk", "--epochs", "1", "--dev-fraction", "0.1", "--model", "x.riata"]
    for source in (["lines.txt", "--stream"], ["column.txt", *COLUMN], ["last.txt", "--documents", "-1", "--stream"]):
        status, _, err = run(*train, "--train", *source)
        assert status == 0
        assert "The last 20 of 240 sentences (1 document) are held out" in err


def test_evaluate_resamples_documents(trained, run):
    found = []
    for model, *source in (
        ("lines", "lines.txt"),
        ("column", "column.txt", *COLUMN),
        ("lines", "last.txt", "--documents", "3"),
    ):
        _, out, _ = run("evaluate", "--model", f"{model}.riata", *source, "--json")
        facts = json.loads(out)
        assert facts["resampled"] == "12 documents"
        found.append((facts["metrics"], facts["interval"]))
    assert found[0] == found[1] == found[2]
    facts = json.loads(run("evaluate", "--model", "lines.riata", "plain.txt", "--json")[1])
    assert facts["resampled"] == "sentences" and facts["metrics"] == found[0][0] and facts["interval"] != found[0][1]
    assert "(bootstrap over 12 documents)" in run("evaluate", "--model", "lines.riata", "lines.txt")[1]


def test_files_are_compared_by_document(trained, run):
    (trained / "one.txt").write_text(run("predict", "--model", "column.riata", "column.txt", *COLUMN)[1])
    (trained / "other.txt").write_text(
        run("predict", "--model", "column.riata", "column.txt", *COLUMN, "--given", "3")[1]
    )
    (trained / "gold.txt").write_text((trained / "column.txt").read_text())
    asked = ["evaluate", "--gold", "gold.txt", "--predicted", "one.txt", "--against", "other.txt"]
    _, out, _ = run(*asked, *COLUMN)
    assert "paired approximate randomisation of 12 documents" in " ".join(out.split())
    facts, plain = json.loads(run(*asked, *COLUMN, "--json")[1]), json.loads(run(*asked, "--json")[1])
    assert facts["metrics"] == plain["metrics"]
    assert facts["against"]["difference"] == plain["against"]["difference"]
    assert (facts["resampled"], plain["resampled"]) == ("12 documents", "sentences")
    last = json.loads(
        run("evaluate", "--gold", "last.txt", "--predicted", "last.txt", "--documents", "-1", "--json")[1]
    )
    assert last["metrics"]["f1"] == 100 and last["task"] == "chunk"


def test_predict_reads_past_a_column_of_documents_and_keeps_it(trained, run):
    expected = [
        line.split()[-1] for line in run("predict", "--model", "lines.riata", "plain.txt")[1].split("\n") if line
    ]
    for model, *source in (
        ("column", "column.txt", *COLUMN),
        ("column", "column.txt"),
        ("lines", "last.txt", "--documents", "3"),
    ):
        out = run.silent("predict", "--model", f"{model}.riata", *source)
        rows = [line.split() for line in out.split("\n") if line]
        assert [row[-1] for row in rows] == expected
        assert {len(row) for row in rows} == {5}
    assert "found 4 columns, and the model knows 3" in run("predict", "--model", "lines.riata", "last.txt")[2]


def test_other_commands_take_a_column_of_documents(trained, run):
    for verb, *more in (("errors",), ("explain",), ("errors", "--json"), ("calibrate", "--output", "y.riata")):
        source = "lines.txt" if verb == "calibrate" else "plain.txt"  # documents are halves
        without = run(verb, "--model", "lines.riata", source, *more)
        by_column = run(verb, "--model", "lines.riata", "last.txt", "--documents", "-1", *more)
        assert without[0] == by_column[0] == 0
        assert without[1].replace(source, "last.txt").split() == by_column[1].split()
    found = run("compare-models", "lines.riata", "lines.riata", "last.txt", "--documents", "-1", "--json")
    assert json.loads(found[1])["resampled"] == "12 documents"


def test_compare_deals_and_resamples_documents(trained, run):
    asked = ["compare", "chunk", "--recipes", "perceptron", "--epochs", "1", "--folds", "2"]
    one = run(*asked, "--train", "last.txt", "--documents", "-1", "--json")[1]
    facts, lines = json.loads(one), json.loads(run(*asked, "--train", "lines.txt", "--json")[1])
    assert facts["resampled"] == "12 documents"
    assert "2 folds of last.txt, 240 sentences dealt in whole documents at random" in facts["scored"]
    assert facts["rows"][0]["metrics"] == lines["rows"][0]["metrics"]
    assert lines["trainings"] == {"kept": 2, "trained": 0}  # the same documents, so the same trainings
    plain = json.loads(run(*asked, "--train", "plain.txt", "--json")[1])
    assert plain["trainings"] == {"kept": 0, "trained": 2}
    assert plain["resampled"] == "sentences" and "dealt at random" in plain["scored"]


@for_rows(
    "arguments, told",
    (["evaluate", "--model", "lines.riata", "lines.txt", "--documents", "1"], "column 1 names documents here, and the model"),
    (["predict", "--model", "lines.riata", "lines.txt", "--documents", "1"], "--inputs"),
    (["predict", "--model", "lines.riata", "lines.txt", "--documents", "-1"], "counted from 0"),
    (["predict", "--model", "lines.riata", "lines.txt", "--documents", "7"], "column 7, which should name documents"),
    (["predict", "--model", "lines.riata", "lines.txt", "--text", "--documents", "3"], "has no columns"),
    (["errors", "--model", "lines.riata", "lines.txt", "--documents", "3,4"], "names 2 columns; expected one"),
    (["errors", "--model", "lines.riata", "lines.txt", "--documents", "first"], "'first' is a name, and this is a file of columns"),
    (["errors", "--model", "lines.riata", "lines.txt", "--documents", "misc"], "tab-separated columns of CoNLL-U"),
    (["errors", "--model", "lines.riata", "lines.txt", "--documents", "misc", "--format", "columns"], "is a field of CoNLL-U"),
)  # fmt: skip
def test_what_cannot_be_a_column_of_documents_is_refused(trained, run, arguments, told):
    err = run.refused(*arguments)
    assert told in err


def test_a_model_may_read_the_column_of_documents_where_it_is_named(trained, run):
    train = [
        "train",
        "chunk",
        "--epochs",
        "1",
        "--train",
        "column.txt",
        "--inputs",
        "0,1",
        *COLUMN,
        "--model",
        "z.riata",
    ]
    assert run(*train)[0] == 0
    for verb in ("evaluate", "predict"):
        assert run(verb, "--model", "z.riata", "column.txt", *COLUMN)[0] == 2
        assert run(verb, "--model", "z.riata", "column.txt", *COLUMN, "--inputs", "0,1")[0] == 0


def test_conllu_has_documents_by_comments_or_by_a_field(folder, run, tmp_path):
    riata.write_conllu(replace(TRAIN.select([0, 1]), document=None), tmp_path / "a.conllu")
    rows = (tmp_path / "a.conllu").read_text().strip().split("\n\n")
    by_comment = "\n\n".join(("# newdoc\n" if n % 20 == 0 else "") + row for n, row in enumerate(rows)) + "\n\n"
    (tmp_path / "comments.conllu").write_text(by_comment)
    by_field = "\n\n".join(row.replace("\t_\n", f"\td{n // 20}\n") + "" for n, row in enumerate(r + "\n" for r in rows))
    (tmp_path / "fields.conllu").write_text(by_field + "\n\n")
    train = ["train", "tag", "--epochs", "1", "--model", str(tmp_path / "t.riata"), "--dev-fraction", "0.1", "--train"]
    for source in ([str(tmp_path / "comments.conllu")], [str(tmp_path / "fields.conllu"), "--documents", "misc"]):
        status, _, err = run(*train, *source)
        assert status == 0 and "(1 document)" in err
        _, out, _ = run("evaluate", "--model", str(tmp_path / "t.riata"), *source, "--json")
        assert json.loads(out)["resampled"] == "12 documents"
        assert run("predict", "--model", str(tmp_path / "t.riata"), *source)[0] == 0


def test_python_and_the_command_line_agree(trained, run):
    data = riata.in_documents(riata.read_columns("plain.txt"), np.arange(240) // 20)
    interval = riata.load_model("lines.riata").evaluate(data).interval()
    facts = json.loads(run("evaluate", "--model", "lines.riata", "lines.txt", "--json")[1])
    assert facts["interval"] == [interval.low, interval.high]


def test_two_passes_vote_within_documents_of_a_column_as_within_those_of_lines(folder, run):
    train = ["train", "chunk", "--epochs", "1", "--passes", "2", "--folds", "2", "--model"]
    assert run(*train, "two.riata", "--train", "lines.txt")[0] == 0
    labels = []
    for source in (["lines.txt"], ["last.txt", "--documents", "3"]):
        _, out, _ = run("predict", "--model", "two.riata", *source)
        labels.append([line.split()[-1] for line in out.split("\n") if line and not line.startswith("-DOCSTART-")])
    assert labels[0] == labels[1]
    model = riata.load_model("two.riata")
    model.predict_file("last.txt", "two.txt", documents=3)
    assert [line.split()[-1] for line in (folder / "two.txt").read_text().split("\n") if line] == labels[0]
    by_column = riata.in_documents(riata.read_columns("last.txt"), np.arange(240) // 20)
    assert np.concatenate(model.predict(by_column)).tolist() == labels[0]


def test_predict_file_refuses_what_cannot_be_a_column_of_documents(trained):
    model = riata.load_model("lines.riata")
    for documents, told in ((0, "the model reads it"), (-1, "counted from 0"), (9, "out of range")):
        refused(RiataError, told, model.predict_file, "lines.txt", "x.txt", documents=documents)
    refused(RiataError, "no column of documents", model.predict_file, "lines.txt", "x.txt", documents=3, text=True)


def test_a_model_that_looks_at_documents_says_if_a_file_marks_none(folder, run):
    train = ["train", "chunk", "--epochs", "1", "--passes", "2", "--folds", "2", "--recipe", "perceptron"]
    assert run(*train, "--train", "column.txt", *COLUMN, "--model", "passes.riata")[0] == 0
    for command in ("predict", "evaluate", "errors"):
        status, _, err = run(command, "--model", "passes.riata", "column.txt")
        assert status == 0 and "column.txt marks no documents" in err and "--documents" in err, command
        for marked in (COLUMN, ["--context", "file"]):
            assert "marks no documents" not in run(command, "--model", "passes.riata", *marked, "column.txt")[2], (
                command
            )
