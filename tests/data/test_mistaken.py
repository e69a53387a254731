"""Files that are no columns are told by name; characters that nobody sees are told once, with a line, or cleaned."""

import json
import os
import unicodedata
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata import RiataWarning, Tagger
from riata.commands import main
from riata.data.columns import cleaned_text, is_cleaning, looked_through, stream
from riata.errors import DataError
from samples import for_rows

pytestmark = pytest.mark.filterwarnings("default::riata.RiataWarning")  # commands show them


def put(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "file.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (json.dumps({"tokens": ["a"], "tags": ["O"]}) + "\n", "file.txt:1: this is JSON; .*\n.*read_jsonl"),
        ("\n\n" + json.dumps({"text": "a"}), "file.txt:3: this is JSON"),
        (json.dumps([{"text": "a"}], indent=2), "file.txt:1: this is JSON"),
        (json.dumps([{"text": "a"}]), "file.txt:1: this is JSON"),
        (json.dumps(["a b", {"entities": []}]) + "\n", "file.txt:1: this is JSON"),
        ('{"text": "cut', "file.txt:1: this is JSON"),
        ("\ufeff" + '{"text": "a"}\n', "file.txt:1: this is JSON"),
        ("token,label\nParis,B-LOC\n", "file.txt:1: this is CSV, 2 values between ','"),
        ('1,"The bus",O\n1,stopped,O\n2,"a ""b"" c",O\n', "file.txt:1: this is CSV, 3 values"),
        ("Sentence #;Word;Tag\n1;Anna;B-PER\n;left;O\n", "file.txt:1: this is CSV, 3 values between ';'"),
        ("word\ttag\nAnna\tB-PER\n", r"file.txt:1: the first line names the columns .word, tag."),
        ("Token Label\n\nAnna B-PER\n", r"file.txt:1: the first line names the columns .Token, Label."),
        ("Sentence #\tWord\tPOS\tTag\n1\tAnna\tNNP\tB-PER\n", "the first line names the columns"),
    ],
)
def test_files_of_another_kind_are_refused_with_a_remedy(tmp_path, text, said):
    refused(DataError, said, riata.read_columns, put(tmp_path, text))
    refused(DataError, said, list, stream(put(tmp_path, text)))


@for_rows(
    "text",
    '{ (\n" ``\nword NN\n',
    "[ O\n{ O\n",
    '["\n',
    "{ -LRB-\n\" ''\n",
    '{"a O\nb O\n',
    "1,000 CD\n2,000 CD\n3,000 CD\n",
    "word NN\ntag NN\n",
    "The DT\nword tag\n",
    "\nword tag\nAnna B-PER\n",
    "tag\nword\n",
    "id x\n",
)
def test_columns_are_taken_for_columns(tmp_path, text):
    assert riata.read_columns(put(tmp_path, text)).tokens


@given(st.lists(st.binary(max_size=30), max_size=6))
def test_bytes_are_passed_on_as_they_are(pieces):
    try:
        found = b"".join(looked_through(iter(pieces)))
    except DataError:
        return
    assert found == b"".join(pieces)


def test_no_corpus_is_taken_for_another_kind_of_file():
    folder = os.environ.get("RIATA_DATA")
    if not folder:
        pytest.skip("needs RIATA_DATA")
    from riata.data.columns import pieces

    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and path.suffix in (
            ".txt",
            ".conll",
            ".conllu",
            ".gz",
            ".esp",
            ".data",
            ".train",
            ".testa",
            ".testb",
        ):
            part = next(iter(pieces(path)))
            first = part.decode("utf-8", errors="replace").lstrip()[:1]
            if first not in ("{", "[") and "csv" not in path.name and "tsv" not in path.name:
                assert next(looked_through(iter([part]))) == part, path


# --- characters that nobody sees: told once per file, with a line, or cleaned ----------------------------------------
CAFE = unicodedata.normalize("NFD", "café")
PLAIN = "The\tDT\tB-NP\ncafé\tNN\tI-NP\nclosed\tVBD\tO\n\n"


def written(tmp_path, text, name="d.txt"):
    (tmp_path / name).write_bytes(text.encode())
    return tmp_path / name


@for_rows(
    "before, after, says",
    ("B-NP", "B-NP ", r"column 2 has 'B-NP ', with a blank at its beginning or end"),
    ("DT", "\u00a0DT", r"column 1 has '\\xa0DT', with a blank"),
    ("B-NP", "B-NP\u200b", r"column 2 has 'B-NP\\u200b', with the invisible character U\+200B"),
    ("VBD", "\ufeffVBD", r"d.txt:3: column 1 .* U\+FEFF"),
    ("café", CAFE, r"d.txt:2: column 0 .*NFC"),
    ("closed", "clo\u00adsed", r"d.txt:3: column 0 .* U\+00AD"),
    ("\tO\n", "\tO\r\r\n", r"d.txt:3: column 2 has 'O\\r', with a carriage return"),
)
def test_what_nobody_sees_is_told_with_its_line_and_cleaned(tmp_path, before, after, says):
    path = written(tmp_path, PLAIN.replace(before, after))
    with pytest.warns(RiataWarning, match=says) as told:
        read = riata.read_columns(path)
    assert len(told) == 1
    assert "--clean" in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clean = riata.read_columns(path, clean=True)
        expected = riata.read_columns(written(tmp_path, PLAIN, "plain.txt"))
    assert list(clean) == list(expected)
    assert list(read) != list(expected)


def test_it_is_told_once_with_the_number_of_texts(tmp_path):
    text = "".join(f"w{i}\u200b\tX\n" for i in range(5)) + "\n"
    with pytest.warns(RiataWarning, match=r"d.txt:1: .*4 more texts are like it") as told:
        riata.read_columns(written(tmp_path, text))
    assert len(told) == 1


@pytest.mark.parametrize("text", ["Größe", "漢字", "می‌خواهم", "👩‍🚀", "a b", "naïve", "-", "½", "ﬁ"])
def test_texts_of_all_languages_are_clean(tmp_path, text):
    assert cleaned_text(text) == text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert riata.read_columns(written(tmp_path, f"{text}\tX\n\n"))[0].column(0) == [text]


def test_a_text_of_nothing_visible_becomes_an_underscore(tmp_path):
    read = riata.read_columns(written(tmp_path, "\u200b\tX\na\tX\n\n"), clean=True)
    assert read[0].column(0) == ["_", "a"]


def test_texts_that_differ_by_it_alone_become_one(tmp_path):
    read = riata.read_columns(written(tmp_path, "a\tX\nb\tX\u200b\n\n"), clean=True)
    assert read[0].column(1) == ["X", "X"]
    assert read.columns[1].alphabet.texts() == ["X"]


def test_a_file_that_is_read_in_parts_tells_it_once(tmp_path):
    path = written(tmp_path, "a\u200b\tX\n\n" * 50)
    with pytest.warns(RiataWarning) as told:
        assert len(list(stream(path, size=40))) > 5
    assert len(told) == 1


def test_conllu_is_cleaned(tmp_path):
    rows = [f"1\t{CAFE}\t_\tNOUN\tNN\u200b\t_\t0\troot\t_\t_"]
    path = written(tmp_path, "\n".join(rows) + "\n\n", "d.conllu")
    assert list(riata.read_conllu(path, clean=True)[0]) == [("café", "NN")]
    with pytest.warns(RiataWarning, match="d.conllu:1: column 1 has"):
        riata.read_conllu(path)


def test_commands_clean_what_they_read_and_only_that_time(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, PLAIN.replace("café", CAFE).replace("B-NP", "B-NP\u200b") * 3)
    for more in ((), ("--clean",)):
        with pytest.raises(SystemExit) as ended:
            main(["train", "tag", "--train", "d.txt", "--model", "m.riata", "--epochs", "1", *more])
        assert ended.value.code == 0
        said = capsys.readouterr().err
        assert ("d.txt:1: column 2 has 'B-NP\\u200b'" in said) is not bool(more)
        assert "3 labels" in said
        assert ("B-NP" in riata.load_model("m.riata").classes_) is bool(more)
        assert not is_cleaning()


def test_labels_in_memory_are_looked_at_too():
    with pytest.warns(RiataWarning, match=r"column 1 has 'X ', with a blank at its beginning or end.*str.strip"):
        Tagger("perceptron", epochs=1).fit([["a", "b"]], [["X ", "Y"]])
