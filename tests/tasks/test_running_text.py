"""Running text, whole files from Python, and lists of the best labellings in bounded memory."""

import gzip
import io
import re
import sys

import pytest

import riata
from checks import refused
from riata import Chunker, errors
from riata.errors import SettingError
from riata.estimators import labelled_files as labelled
from riata.estimators import predicting
from samples import CHUNKS, INPUTS, WORDS, as_text, chunker, feature_tagger, for_rows, tagger

LINES = [" ".join(words) for words in WORDS]


def split(sentence):
    return re.findall(r"\w+|[^\w\s]", sentence)


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tagger().save("t.riata")
    return "t.riata"


def typed(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_sentences_that_are_strings_are_split_and_labelled():
    assert tagger().predict(LINES, text=True) == tagger().predict(WORDS)
    assert tagger().predict(["The dog barks.", ""], text=split) == tagger().predict([["The", "dog", "barks", "."], []])
    assert tagger().split_text(["a b", "c"]) == [["a", "b"], ["c"]]


def test_strings_are_not_taken_for_anything_else():
    refused(errors.DataError, r"sentence 0 is a str; expected a list of tokens.\n.*text=True", tagger().predict, LINES)
    with pytest.raises(errors.DataError, match="expected a list of sentences, each a string, found str"):
        tagger().predict(LINES[0], text=True)
    refused(errors.DataError, "sentence 0 is a list; with text=True", tagger().predict, WORDS, text=True)
    refused(errors.SettingError, "expected True, or a function", tagger().predict, LINES, text="spaces")
    refused(errors.DataError, r"the tokenizer str\.strip gave 'The", tagger().predict, LINES, text=str.strip)


def test_a_model_that_reads_more_than_words_refuses_text():
    refused(errors.UnsupportedError, r"2 columns for every word(.|\n)*--inputs 0", chunker().predict, LINES, text=True)
    refused(errors.UnsupportedError, "features, or numbers", feature_tagger().predict, LINES, text=True)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_command_gives_a_line_per_word(model, run, monkeypatch, threads):
    expected = "".join(
        "".join(f"{word} {tag}\n" for word, tag in zip(words, tags, strict=True)) + "\n"
        for words, tags in zip(WORDS, tagger().predict(WORDS), strict=True)
    )
    typed(monkeypatch, ("\ufeff" + "\r\n\n".join(LINES)).encode())
    assert run("predict", "--model", model, "--text", "--threads", threads) == (0, expected, "")


def test_the_command_takes_a_function_of_the_users(model, run, tmp_path):
    (tmp_path / "my_words_of_text.py").write_text(
        "def words(sentence):\n    return sentence.replace('.', ' .').split()\n"
    )
    (tmp_path / "in.txt").write_text("The dog barks.\n")
    out = run.ok("predict", "--model", model, "--text", "--tokenizer", "my_words_of_text:words", "in.txt")
    assert [line.split(" ")[0] for line in out.splitlines()] == ["The", "dog", "barks", ".", ""]


@for_rows(
    "arguments, content, says",
    (["--tokenizer", "re:split"], b"a", "Add --text"),
    (["--text", "--tokenizer", "re:none"], b"a", "there is no such function"),
    (["--text", "--tokenizer", "no_such_module:f"], b"a", "cannot be imported"),
    (["--text", "--tokenizer", "json:loads"], b"[1]", "<standard input>:1: the tokenizer loads gave [1]"),
    (["--text", "--format", "conllu"], b"a", "running text has no columns"),
    (["--text", "--given", "0"], b"a", "no column of labels"),
    (["--text"], b" \n\n", "<standard input>: the input holds no words"),
    (["--text"], b"good\nb\xe4d\n", "<standard input>:2: byte 2 of the line is 0xE4"),
)
def test_what_is_wrong_is_told(model, run, monkeypatch, arguments, content, says):
    typed(monkeypatch, content)
    err = run.refused("predict", "--model", model, *arguments)
    assert says in err


def test_whole_files_of_text(model, tmp_path):
    (tmp_path / "in.txt").write_text("\n".join(LINES))
    tagger().predict_file("in.txt", "out.txt", text=True)
    rows = [line.split(" ") for line in (tmp_path / "out.txt").read_text().splitlines()]
    assert [row[0] for row in rows if len(row) == 2] == [word for words in WORDS for word in words]


def raises(sentence):
    raise RuntimeError("boom")


def ends(sentence):
    sys.exit(0)


def joins(sentence):
    return ["a\nb"]


def breaks(sentence):
    return ["\ud800"]


WRONG = {
    raises: "failed on 'a b': RuntimeError('boom').",
    ends: "failed on 'a b': SystemExit(0).",
    joins: "gave the word 'a\\nb', which a column file cannot hold",
    breaks: "gave ['\\ud800']; it holds a lone surrogate",
}


@pytest.mark.parametrize("function", WRONG)
def test_what_a_tokenizer_does_wrong_is_told_with_its_name_and_the_line(model, run, tmp_path, function):
    (tmp_path / "in.txt").write_text("a b\n")
    says = f"the tokenizer {function.__name__} {WRONG[function]}"
    err = run.refused("predict", "--model", model, "--text", "--tokenizer", f"{__name__}:{function.__name__}", "in.txt")
    assert f"in.txt:1: {says}" in err
    if function is not joins:  # words in memory may hold line ends
        refused(errors.DataError, re.escape(says), tagger().predict, ["a b"], text=function)


def test_a_module_that_ends_the_program_is_no_tokenizer(model, run, tmp_path):
    (tmp_path / "ends_the_program.py").write_text("import sys; sys.exit(0)")
    status, _, err = run("predict", "--model", model, "--text", "--tokenizer", "ends_the_program:f", "-")
    assert (status, "cannot be imported: SystemExit(0)" in err) == (2, True)


# --- whole files from Python: what `riata predict` writes, and nothing where something is wrong ----------------------
@pytest.fixture
def fitted_chunker():
    return Chunker(epochs=3).fit(CHUNKS)


def test_a_file_is_labelled_as_its_sentences_are(fitted_chunker, tmp_path):
    (tmp_path / "in.txt").write_text(as_text())
    fitted_chunker.predict_file(tmp_path / "in.txt", tmp_path / "out.txt")
    out = riata.read_columns(tmp_path / "out.txt")
    assert out.sentences_of(-1) == fitted_chunker.predict(CHUNKS)
    assert out.select([0, 1, 2]).sentences_of(0) == [[word for word, _, _ in s] for s in CHUNKS]


def test_compressed_files_and_one_file_for_both(fitted_chunker, tmp_path):
    (tmp_path / "in.txt").write_text(as_text())
    with gzip.open(tmp_path / "in.txt.gz", "wt") as file:
        file.write(as_text())
    fitted_chunker.predict_file(tmp_path / "in.txt.gz", tmp_path / "out.txt.gz")
    fitted_chunker.predict_file(tmp_path / "in.txt", tmp_path / "in.txt")  # the input is read before it is replaced
    assert gzip.decompress((tmp_path / "out.txt.gz").read_bytes()) == (tmp_path / "in.txt").read_bytes()
    assert b"The DT B-NP" in (tmp_path / "in.txt").read_bytes()


def test_n_best_lists(fitted_chunker, tmp_path):
    (tmp_path / "in.txt").write_text(as_text())
    fitted_chunker.predict_file(tmp_path / "in.txt", tmp_path / "out.txt", nbest=2)
    assert (tmp_path / "out.txt").read_text().count("# 1 ") == len(CHUNKS)


def test_what_goes_wrong_leaves_what_was_there(fitted_chunker, tmp_path):
    (tmp_path / "bad.txt").write_text(as_text() * 3 + "one too many columns\n")
    (tmp_path / "out.txt").write_text("as it was")
    refused(
        errors.DataError, "expected 3 columns", fitted_chunker.predict_file, tmp_path / "bad.txt", tmp_path / "out.txt"
    )
    assert (tmp_path / "out.txt").read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "out.txt"]
    with pytest.raises(errors.DataError, match="cannot be written"):
        fitted_chunker.predict_file(tmp_path / "bad.txt", tmp_path / "none" / "out.txt")
    refused(errors.NotFittedError, "", Chunker().predict_file, tmp_path / "bad.txt", tmp_path / "out.txt")


# --- lists of the best labellings in bounded memory, and columns of files to predict that are not there --------------
@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chunker().save("m.riata")
    (tmp_path / "in.txt").write_text(as_text(INPUTS), encoding="utf-8")
    return tmp_path


def test_lists_of_a_batch_are_made_in_parts_that_change_nothing(files, run, monkeypatch):
    expected = run("predict", "--model", "m.riata", "--nbest", "3", "in.txt")
    assert expected[0] == 0
    parts = []
    monkeypatch.setattr(
        labelled, "_alternatives", lambda *a, f=labelled._alternatives: (parts.append(len(a[0])), f(*a))[1]
    )
    monkeypatch.setattr(labelled, "LISTED", 10)
    assert run("predict", "--model", "m.riata", "--nbest", "3", "in.txt") == expected
    assert len(parts) > 1
    assert sum(parts) == len(INPUTS)


def test_a_list_that_would_fill_the_memory_is_refused(files, run, monkeypatch):
    short, long = [INPUTS[0][:1]], [INPUTS[0] * 20]
    assert len(chunker().predict_nbest(short, 2**40)[0]) <= len(chunker().classes_)  # there are no more
    with pytest.raises(
        SettingError, match=r"1,000,000 labellings of a sentence of 80 tokens .*\n.*Ask for 209,715 at most"
    ):
        chunker().predict_nbest(long, 10**6)
    monkeypatch.setattr(predicting, "MOST_LISTED", 100)
    status, _, err = run("predict", "--model", "m.riata", "--nbest", "1000", "in.txt")
    assert (status, re.search(r"in\.txt:\d+: 1,000 labellings", err) is not None) == (2, True)
    assert run("predict", "--model", "m.riata", "--nbest", 10**30, "in.txt")[0] == 2


def test_columns_that_are_named_must_be_there(files, run):
    status, _, err = run("predict", "--model", "m.riata", "--outputs", "9", "in.txt")
    assert (status, "in.txt: column 9 is out of range" in err) == (2, True)
    assert run("predict", "--model", "m.riata", "in.txt")[0] == 0  # those of training may be missing
