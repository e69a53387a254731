"""Dependency trees as columns and as codes, what is refused as no tree, and CoNLL-U."""

import gzip
import itertools
import random
from pathlib import Path

import numpy as np
import pytest

import riata
from checks import refused
from riata import Corpus, RiataError
from riata._core import ColumnParser
from riata.data.columns import formatted, read, stream
from riata.data.memory import as_corpus
from riata.data.pairs import paired
from riata.data.trees import check_trees, crossing, heads_and_relations, tree_codes, tree_columns, universal, with_trees
from riata.data.types import FIELDS
from riata.errors import DataError, UnknownNameError
from samples import for_rows, treebank


def trees(*sentences: list[int]) -> Corpus:
    return as_corpus([[("w", str(head), "root" if head == 0 else "dep") for head in heads] for heads in sentences])


def is_tree(heads: list[int]) -> bool:
    """By following heads upwards."""
    n = len(heads)
    if heads.count(0) != 1 or max(heads) > n:
        return False
    for token in range(1, n + 1):
        at = token
        for _ in range(n):
            at = heads[at - 1] if at else 0
        if at:
            return False
    return True


def test_every_sequence_of_heads_is_a_tree_or_is_refused() -> None:
    for n in range(1, 5):
        for heads in map(list, itertools.product(range(n + 2), repeat=n)):
            try:
                check_trees(trees([2, 0], heads, [0]))
                accepted = True
            except DataError as error:
                accepted = False
                assert error.remedy and error.message.startswith("sentence 1: ")
            assert accepted == is_tree(heads)


@for_rows(
    "heads, line, words",
    (["2", "0", "9"], 5, ["head of token 3 is 9", "3 tokens"]),
    (["2", "1", "0"], 3, ["head of token 1 is 2", "cycle"]),
    (["1", "0", "2"], 3, ["head of token 1 is 1", "cycle"]),
    (["0", "0", "1"], 4, ["tokens 1 and 2", "2 roots"]),
    (["2", "3", "2"], 3, ["no root"]),
    (["2", "0", "_"], 5, ["no head", "files to predict"]),
    (["2", "0", "-1"], 5, ["the head is '-1'", "whole number"]),
    (["2", "0", "two"], 5, ["the head is 'two'"]),
    (["2", "0", "1" * 50], 5, ["whole number"]),
)
def test_what_is_no_tree_is_refused_with_file_and_line(
    tmp_path: Path, heads: list[str], line: int, words: list[str]
) -> None:
    path = tmp_path / "bad.conllu"
    rows = [f"{i}\tw\t_\tX\tX\t_\t{head}\tdep\t_\t_" for i, head in enumerate(heads, start=1)]
    path.write_text("# a\n# b\n" + "\n".join(rows) + "\n\n", encoding="utf-8")
    corpus = riata.read_conllu(path, ["form", "head", "deprel"])
    caught = refused(DataError, "", check_trees, corpus)
    assert str(path) in str(caught) and f":{line}" in str(caught) and caught.remedy
    for word in words:
        assert word in str(caught)


def test_a_missing_relation_is_refused() -> None:
    refused(DataError, "no relation", check_trees, as_corpus([[("a", "0", "_")]]))


def test_sentences_of_one_token_and_of_thousands_are_trees() -> None:
    long = [0, *range(1, 5000)]
    check_trees(trees([0], long, [*range(2, 5001), 0]))
    with pytest.raises(DataError, match=r"sentence 1: the head of token 4999 is 5000, .* cycle"):
        check_trees(trees([0], [2, 0, *range(4, 5000), 5000, 4999]))


def test_crossing_arcs_are_those_that_a_loop_finds() -> None:
    draw = random.Random(0)
    for _ in range(200):
        n = draw.randint(1, 8)
        heads = [draw.choice([h for h in range(n + 1) if h != token]) for token in range(1, n + 1)]
        arcs = [(min(h, c), max(h, c)) for c, h in enumerate(heads, start=1)]
        expected = [any(a < b < c < d or b < a < d < c for b, d in arcs) for a, c in arcs]
        found = crossing(np.array([1, 0, *heads], np.int32), np.array([0, 2, 2 + n]))
        assert found[2:].tolist() == expected


def test_codes_are_heads_and_relations() -> None:
    corpus = treebank()
    column = paired(corpus).columns[-1]
    heads, relations = heads_and_relations(column)
    names = sorted(set(relations.texts()))
    codes = tree_codes(column, names)
    assert [code // len(names) for code in codes] == heads.tolist() == [int(h) for h in corpus.columns[-2].texts()]
    found = tree_columns(codes, names)
    assert [each.texts() for each in found] == [each.texts() for each in corpus.columns[-2:]]
    assert (tree_codes(column, names[:1])[[text != names[0] for text in relations.texts()]] == -1).all()


def test_trees_given_apart_are_columns() -> None:
    corpus = with_trees(as_corpus([["a", "b"]]), [[(2, "x"), (0, "root")]])
    assert list(corpus[0]) == [("a", "2", "x"), ("b", "0", "root")]
    for wrong in ([[(2, "x"), 0]], [[(2,), (0, "root")]], [[(True, "x"), (0, "root")]], [["x", "y"]]):
        refused(DataError, r"an arc is|expected", with_trees, as_corpus([["a", "b"]]), wrong)


def test_a_relation_has_a_universal_part() -> None:
    assert universal("nmod:poss") == universal("nmod") == "nmod"


@pytest.mark.parametrize("ids", ["1 1", "2 1", "1 3", "0 1", "1 x"])
def test_ids_that_do_not_count_tokens_are_refused(tmp_path, ids):
    lines = [f"{number}\tw\t_\tT\t_\t_\t0\troot\t_\t_\n" for number in ids.split()]
    (tmp_path / "odd.conllu").write_text("".join(lines) + "\n")
    with pytest.raises(DataError, match=r"expected (\d|a number)"):
        riata.read_conllu(tmp_path / "odd.conllu", ["form", "head", "deprel"])


# --- CoNLL-U: words only, comments kept, fields by name --------------------------------------------------------------
def line(*first: str) -> str:
    return "\t".join([*first, *["_"] * (10 - len(first))]) + "\n"


FILE = (
    "# newdoc\n"
    "# text = Vámonos al mar\n"
    + line("1-2", "Vámonos")
    + line("1", "Vamos", "ir", "VERB", "VB")
    + line("2", "nos", "nosotros", "PRON", "PR")
    + line("3-4", "al")
    + line("3", "a", "a", "ADP", "IN")
    + line("4", "el", "el", "DET", "DT")
    + line("5", "mar", "mar", "NOUN", "NN")
    + line("5.1", "vamos")
    + "\n"
    + line("1", "Sí", "sí", "INTJ", "UH")
    + "\n"
    + "# text = New York\n"
    + line("1", "New York", "New York", "PROPN", "NP")
    + "\n"
)
FORMS = [["Vamos", "nos", "a", "el", "mar"], ["Sí"], ["New York"]]
COMMENTS = ["# newdoc\n# text = Vámonos al mar", "", "# text = New York"]
TAGS = [["VB", "PR", "IN", "DT", "NN"], ["UH"], ["NP"]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "file.conllu"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_multiword_tokens_and_empty_nodes_are_left_out(path: Path) -> None:
    corpus = riata.read_conllu(path)
    assert corpus.sentences_of(0) == FORMS
    assert corpus.sentences_of(1) == TAGS
    lines = FILE.split("\n")
    assert [lines[corpus.line_of(t) - 1].split("\t")[1] for t in range(corpus.tokens)] == list(itertools.chain(*FORMS))


def test_comments_stay_with_their_sentences(path: Path) -> None:
    corpus = riata.read_conllu(path)
    assert list(corpus.comments) == COMMENTS
    assert list(corpus[[2, 0]].comments) == [COMMENTS[2], COMMENTS[0]]


def test_a_comment_without_sentence_belongs_to_the_next_one(path: Path) -> None:
    path.write_text("# alone\n\n# two\n" + line("1", "a") + "\n# last\n", encoding="utf-8")
    assert riata.read_conllu(path).comments == ("# alone\n# two",)


@pytest.mark.parametrize("fields", [["form"], ["upos", "form"], ["lemma", "xpos", "upos"], list(FIELDS)])
def test_fields_become_columns_in_the_order_named(path: Path, fields: list[str]) -> None:
    corpus = riata.read_conllu(path, fields)
    words = [row.split("\t") for row in FILE.split("\n") if row[:1].isdigit() and row.split("\t")[0].isdigit()]
    assert [token for sentence in corpus for token in sentence] == [
        tuple(word[FIELDS.index(field)] for field in fields) for word in words
    ]


def test_gzip_crlf_and_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "packed.conllu"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode()))
    corpus = riata.read_conllu(path)
    assert corpus.sentences_of(0) == FORMS
    assert corpus.comments[0] == "# newdoc\n# text = Vámonos al mar"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 1000])
def test_take_between_pieces_gives_the_sentences_and_comments_of_the_whole(size: int) -> None:
    parser, forms, comments, others = ColumnParser(conllu=True), [], [], []
    content = FILE.encode()
    for at in [*range(0, len(content), size), None]:
        parser.feed(content[at : at + size]) if at is not None else parser.finish()
        batch = parser.take()
        others += [text.split("\t")[0] for text, _ in batch["others"]]
        if batch["ids"]:
            texts = [batch["alphabets"][1].text(int(i)) for i in batch["ids"][1]]
            starts = batch["starts"]
            forms += [texts[low:high] for low, high in itertools.pairwise(starts)]
        comments += batch["comments"]
    assert forms == FORMS
    assert comments == COMMENTS
    assert others == ["1-2", "3-4", "5.1"]


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_a_stream_of_pieces_is_written_as_the_whole(path: Path, size: int) -> None:
    assert b"".join(b"".join(formatted(part)) for part in stream(path, conllu=True, size=size)).decode() == FILE


def test_a_stream_reads_conllu_too(path: Path) -> None:
    assert [s.column(1) for batch in stream(path, conllu=True) for s in batch] == FORMS


def test_writing_and_reading_gives_the_same(path: Path, tmp_path: Path) -> None:
    fields = ["form", "lemma", "upos", "xpos"]
    corpus = riata.read_conllu(path, fields)
    riata.write_conllu(corpus, tmp_path / "out.conllu", fields)
    again = riata.read_conllu(tmp_path / "out.conllu", fields)
    assert list(again) == list(corpus)
    assert again.comments == corpus.comments
    assert again.others == corpus.others
    assert [place for _, place in corpus.others] == [0, 2, 5]
    assert riata.read_conllu(tmp_path / "out.conllu", ["id", "deprel"])[0].column(0) == ["1", "2", "3", "4", "5"]
    assert set(riata.read_conllu(tmp_path / "out.conllu", ["deprel"]).columns[0].texts()) == {"_"}


def test_a_file_that_was_read_whole_is_written_as_it_was(path: Path) -> None:
    corpus = read(path, conllu=True)
    assert b"".join(formatted(corpus)).decode() == FILE
    sentences = [text + "\n\n" for text in FILE.split("\n\n")[:-1]]
    for chosen in ([0], [1, 0], [2, 0, 0, 1]):
        assert b"".join(formatted(corpus[chosen])).decode() == "".join(sentences[s] for s in chosen)


def test_lines_that_are_no_words_belong_to_their_sentence_or_to_none(path: Path) -> None:
    empty = line("1-2", "al") + "\n"
    path.write_text(empty + FILE + empty + FILE + empty, encoding="utf-8")
    assert b"".join(formatted(read(path, conllu=True))).decode() == FILE * 2


def test_columns_of_a_part_have_no_lines_between(path: Path, tmp_path: Path) -> None:
    riata.write_columns(riata.read_conllu(path), tmp_path / "out.txt")
    assert "1-2" not in (tmp_path / "out.txt").read_text(encoding="utf-8")


def test_a_dash_writes_to_standard_output(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    riata.write_conllu(riata.read_conllu(path), "-")
    assert capsys.readouterr().out.startswith("# newdoc\n# text = Vámonos al mar\n1-2\tVámonos\t")


BAD = {
    "nine columns": (
        "\n" + line("1", "a") + "2\tb\t_\t_\t_\t_\t_\t_\t_\n",
        3,
        ["10 tab-separated columns", "found 9", "--format columns"],
    ),
    "a plain column file": (
        "The DT B-NP\n",
        1,
        ["10 tab-separated columns", "found 1", "'The DT B-NP'", "--format columns"],
    ),
    "a word for a number": (line("1", "a") + line("two", "b"), 2, ["ID", "'two'", "7, 3-4 or 8.1", "CoNLL-U file?"]),
    "a dash for a number": (line("-", "a"), 1, ["ID", "'-'"]),
    "half a range": (line("1-", "a"), 1, ["ID", "'1-'"]),
    "two ranges": (line("1-2-3", "a"), 1, ["ID", "'1-2-3'"]),
    "a negative number": (line("-1", "a"), 1, ["ID", "'-1'"]),
    "an empty number": (line("", "a"), 1, ["empty column", "write _"]),
    "an empty field": (line("1", "a", ""), 1, ["empty column", "write _"]),
}


@pytest.mark.parametrize(("content", "line_number", "parts"), BAD.values(), ids=BAD.keys())
def test_bad_lines_are_refused_with_file_line_and_remedy(
    tmp_path: Path, content: str, line_number: int, parts: list[str]
) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(content, encoding="utf-8")
    caught = refused(DataError, "", riata.read_conllu, path)
    assert str(caught).startswith(f"{path}:{line_number}: ")
    assert caught.remedy
    for part in parts:
        assert part in str(caught)


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment\n", line("1-2", "al") + "\n", line("1.1", "al")])
def test_a_file_without_words_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "empty.conllu"
    path.write_text(content, encoding="utf-8")
    refused(DataError, "no tokens", riata.read_conllu, path)


def test_an_unknown_field_is_named_with_the_nearest(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"CoNLL-U field 'xposs'. Did you mean 'xpos'\?.*deprel"):
        riata.read_conllu(path, ["form", "xposs"])
    with pytest.raises(UnknownNameError, match="CoNLL-U field 'tag'"):
        riata.write_conllu(as_corpus([[("a", "X")]]), tmp_path / "out.conllu", ["form", "tag"])
    assert not (tmp_path / "out.conllu").exists()


def test_fields_and_columns_must_be_as_many(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"2 columns and 1 fields were named \(form\)"):
        riata.write_conllu(as_corpus([[("a", "X")]]), tmp_path / "out.conllu", ["form"])


@pytest.mark.parametrize("word", ["", "a\tb", "a\nb"])
def test_texts_that_would_read_otherwise_are_not_written(tmp_path: Path, word: str) -> None:
    with pytest.raises(DataError, match="which a column file cannot"):
        riata.write_conllu(as_corpus([[(word, "X")]]), tmp_path / "out.conllu")


def test_lists_of_sentences_are_written(tmp_path):
    riata.write_conllu([[("a", "X"), ("b", "Y")]], tmp_path / "one.conllu")
    assert riata.read_conllu(tmp_path / "one.conllu").sentences_of(1) == [["X", "Y"]]
    refused(RiataError, "", riata.write_conllu, 7, tmp_path / "two.conllu")
