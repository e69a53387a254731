"""Files as the command line takes them: format by name, columns by number, two files side by side."""

from pathlib import Path

import pytest

from checks import refused
from riata.data.files import aligned, format_of_file, output_column, read_file, read_roles
from riata.errors import DataError, UnknownNameError
from samples import for_rows

CONLLU = "\n".join(
    "\t".join([str(i), w, "l", "U", t, *"_____"]) for i, (w, t) in enumerate([("a", "X"), ("b", "Y")], 1)
)


def file(tmp_path: Path, text: str, name: str = "file.txt") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@for_rows(
    "name, format_, expected",
    ("a.conllu", "auto", "conllu"),
    ("a.conllu.gz", "auto", "conllu"),
    ("a.conll", "auto", "columns"),
    ("a.gz", "auto", "columns"),
    ("-", "auto", "columns"),
    ("-", "conllu", "conllu"),
    ("a.conllu", "columns", "columns"),
    ("a.jsonl", "auto", "jsonl"),
    ("a.ndjson.gz", "auto", "jsonl"),
    ("a.json", "auto", "jsonl"),
    ("-", "jsonl", "jsonl"),
    ("a.jsonl", "columns", "columns"),
)
def test_the_format_is_told_by_the_name_or_by_the_user(name: str, format_: str, expected: bool) -> None:
    assert format_of_file(name, format_).name == expected
    assert format_of_file(Path(name), format_).name == expected


def test_an_unknown_format_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"format 'conll'. Did you mean 'conllu'\? Known: auto, columns, conllu"):
        format_of_file("a", "conll")


@for_rows(
    "inputs, output, expected",
    (None, None, (0, 1, 2, 3)),
    (None, 1, (0, 2, 3, 1)),
    (None, -2, (0, 1, 3, 2)),
    ([0], None, (0, 3)),
    ([2, 0], 1, (2, 0, 1)),
    ([-2], -1, (2, 3)),
)
def test_the_output_is_the_last_column_and_inputs_are_the_others_unless_told(
    tmp_path: Path, inputs: list[int] | None, output: int | None, expected: tuple[int, ...]
) -> None:
    corpus = read_roles(file(tmp_path, "a b c d\ne f g h\n"), inputs=inputs, output=output)
    assert list(corpus[0]) == [tuple("abcd"[i] for i in expected), tuple("efgh"[i] for i in expected)]
    assert corpus.origin == expected


def test_of_conllu_the_words_are_the_input_and_penn_tags_the_output(tmp_path: Path) -> None:
    path = file(tmp_path, CONLLU, "file.conllu")
    assert list(read_roles(path)[0]) == [("a", "X"), ("b", "Y")]
    assert list(read_roles(path, inputs=[1, 2], output=3)[0]) == [("a", "l", "U"), ("b", "l", "U")]
    assert list(read_roles(path, inputs=["form", "lemma"], output="upos")[0]) == [("a", "l", "U"), ("b", "l", "U")]
    assert list(read_roles(path, inputs=[1], output=["upos"])[0]) == [("a", "U"), ("b", "U")]
    assert output_column(read_file(path)).texts() == ["X", "Y"]
    assert output_column(read_file(path), ["form"]).texts() == ["a", "b"]
    assert read_file(path, "columns").width == 10


@for_rows(
    "text, inputs, output, parts",
    ("a b c\n", [0, 2], None, ["column 2 is both input and output", "--inputs and --outputs"]),
    ("a b c\n", [0, -1], None, ["column 2 is both input and output"]),
    ("a b c\n", [0], -3, ["column 0 is both input and output"]),
    ("a\n", None, None, ["one column", "expected at least one input column"]),
    ("a b\n", [5], None, ["column 5 is out of range", "2 columns, 0 to 1"]),
    ("a b\n", None, 2, ["column 2 is out of range", "2 columns, 0 to 1"]),
)
def test_roles_that_do_not_fit_are_refused(
    tmp_path: Path, text: str, inputs: list[int] | None, output: int | None, parts: list[str]
) -> None:
    caught = refused(DataError, "", read_roles, file(tmp_path, text), inputs=inputs, output=output)
    for part in parts:
        assert part in str(caught)


def test_names_of_fields_are_for_conllu(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"file.txt: 'upos' is a field of CoNLL-U, and this is a file of columns"):
        read_roles(file(tmp_path, "a b\n"), output="upos", format="columns")
    with pytest.raises(DataError, match=r"file.txt:1: expected the 10 .* of CoNLL-U.*\n.*columns by number"):
        read_roles(file(tmp_path, "a b\n"), output="upos")
    with pytest.raises(UnknownNameError, match=r"CoNLL-U field 'pos'. Did you mean 'xpos'|'upos'"):
        read_roles(file(tmp_path, CONLLU, "file.conllu"), output="pos")
    with pytest.raises(DataError, match="column upos is both input and output"):
        read_roles(file(tmp_path, CONLLU, "file.conllu"), inputs=["form", "upos"], output=3)


def test_names_of_fields_say_that_a_file_is_conllu(tmp_path: Path) -> None:
    for path in (file(tmp_path, CONLLU, "plain.txt"), file(tmp_path, "# text = a b\n" + CONLLU, "noted.txt")):
        assert read_roles(path, inputs=["form"], output="xpos").columns[1].texts() == ["X", "Y"]
    assert format_of_file("-", "auto", columns=["form", 3]).name == "conllu"
    assert format_of_file("-", "columns", columns=["form"]).name == "columns"
    assert format_of_file("-", "auto", columns=[1, 3]).name == "columns"


@pytest.mark.parametrize("text", ["# text = a b\n" + CONLLU, "# a\n# b c\n" + CONLLU, CONLLU + "\n\n# a\n" + CONLLU])
def test_comments_in_a_file_of_columns_remind_of_conllu(tmp_path: Path, text: str) -> None:
    refused(DataError, "If this is CoNLL-U, add --format conllu", read_file, file(tmp_path, text))


def test_what_has_no_name_is_in_the_format_of_the_model() -> None:
    assert format_of_file("-", "auto", "conllu").name == "conllu"
    assert format_of_file("-", "auto", "columns").name == "columns"
    assert format_of_file("-", "columns", "conllu").name == "columns"
    assert format_of_file("a.txt", "auto", "conllu").name == "columns"
    assert format_of_file("a.conllu", "auto", "columns").name == "conllu"


def test_files_of_the_same_words_are_aligned(tmp_path: Path) -> None:
    gold, other = (
        file(tmp_path, "a X\nb Y\n\nc Z\n", "gold"),
        file(tmp_path, "\na\tQ\tR\nb\tQ\tR\n\n\nc\tQ\tR", "other"),
    )
    aligned(read_file(gold), read_file(other))
    conllu = file(tmp_path, CONLLU, "gold.conllu")
    plain = file(tmp_path, "a X\nb Q\n", "plain")
    aligned(read_file(conllu), read_file(plain))
    aligned(read_file(plain), read_file(conllu))


@for_rows(
    "other, line, gold_line",
    ("a Q\nx Q\n\nc Q\nd Q\n", 2, 2),
    ("a Q\nb Q\n\nc Q\nx Q\n", 5, 5),
    ("a Q\n\nb Q\nc Q\nd Q\n", 1, 1),
    ("a Q\nb Q\nc Q\n\nd Q\n", 2, 2),
    ("a Q\nb Q\n\nc Q\nd Q\ne Q\n", 5, 5),
    ("a Q\nb Q\n\nc Q\n", 4, 4),
    ids=["word of the first", "word of the last", "earlier end", "later end", "more tokens", "fewer tokens"],
)
def test_files_of_other_sentences_are_refused_where_they_part(
    tmp_path: Path, other: str, line: int, gold_line: int
) -> None:
    gold, predicted = file(tmp_path, "a X\nb Y\n\nc Z\nd X\n", "gold"), file(tmp_path, other, "other")
    caught = refused(DataError, "", aligned, read_file(gold), read_file(predicted))
    assert str(caught).startswith(f"{predicted}:{line}: ")
    assert f"{gold} (line {gold_line} there)" in str(caught)


def test_files_of_different_numbers_of_sentences_are_refused(tmp_path: Path) -> None:
    gold, predicted = file(tmp_path, "a X\n\nb Y\n", "gold"), file(tmp_path, "a X\nb Y\n", "other")
    refused(DataError, r"other: found 1 sentences, but .*gold has 2", aligned, read_file(gold), read_file(predicted))
