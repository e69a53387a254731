"""Series and frames of pandas as sentences; files of semantic roles: read, refused with their lines, written as they were."""

import gzip
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from checks import refused
from riata import Chunker, Tagger
from riata.data.propbank import (
    COLUMNS,
    Proposition,
    RoleCorpus,
    cells,
    formatted,
    read_propbank,
    stream,
    write_propbank,
)
from riata.data.types import Corpus, Span
from riata.errors import DataError
from samples import for_each, for_rows, tried

pandas = pytest.importorskip("pandas")

CORPUS = riata.load("embedded", "train")[:60]
LABELS = CORPUS.sentences_of(2)


@pytest.fixture(scope="module")
def frame() -> Any:
    rows = [(number, *token) for number, sentence in enumerate(CORPUS) for token in sentence]
    return pandas.DataFrame(rows, columns=["sentence", "word", "pos", "chunk"])


@pytest.fixture(scope="module")
def sentences(frame: Any) -> list[Any]:
    return [part for _, part in frame.groupby("sentence")]


def test_a_series_of_words_per_sentence_is_a_list_of_words(sentences: list[Any]) -> None:
    X, y = [part.word for part in sentences], [part.chunk for part in sentences]
    lists = [list(part.word) for part in sentences]
    chunker = Chunker(epochs=2).fit(X, y)
    expected = Chunker(epochs=2).fit(lists, LABELS)
    assert chunker.predict(X) == expected.predict(lists)
    assert chunker.predict_confidence(X) == expected.predict_confidence(lists)
    assert chunker.score(X, y) == expected.score(lists, LABELS)


def test_a_series_of_lists_is_a_list_of_sentences(frame: Any) -> None:
    X, y = frame.groupby("sentence").word.apply(list), frame.groupby("sentence").chunk.apply(list)
    chunker = Chunker(epochs=2).fit(X, y)
    assert chunker.predict(X) == chunker.predict(list(X))


def test_a_frame_per_sentence_gives_its_columns(sentences: list[Any]) -> None:
    X = [part[["word", "pos"]] for part in sentences]
    tuples = [[token[:2] for token in sentence] for sentence in CORPUS]
    chunker = Chunker(epochs=2).fit(X, LABELS)
    expected = Chunker(epochs=2).fit(tuples, LABELS)
    assert chunker.state_features_ == expected.state_features_
    assert chunker.predict(X) == expected.predict(tuples)
    assert chunker.predict(X + X[:0]) == chunker.predict(X)


def test_a_frame_of_numbers_per_sentence_is_an_array() -> None:
    random = np.random.default_rng(0)
    arrays = [random.normal(size=(n, 3)) for n in (3, 4, 2)]
    y = [["A" if row[0] > 0 else "B" for row in array] for array in arrays]
    tagger = Tagger(epochs=2).fit([pandas.DataFrame(array) for array in arrays], y)
    assert tagger.array_width_ == 3
    assert tagger.predict([pandas.DataFrame(array) for array in arrays]) == tagger.predict(arrays)


def test_one_frame_with_a_column_of_sentences_is_a_corpus(frame: Any) -> None:
    corpus = riata.from_frame(frame)
    assert [list(sentence) for sentence in corpus] == [list(sentence) for sentence in CORPUS]
    tagging = riata.from_frame(frame, sentence="sentence", columns=["word", "pos"])
    assert tagging.sentences_of(1) == CORPUS.sentences_of(1)
    chunker = Chunker(epochs=2).fit(corpus)
    labels = np.concatenate(chunker.predict(corpus))
    assert len(labels) == len(frame)  # a new column: frame["found"] = labels


def test_one_frame_is_refused_with_the_way_to_a_corpus(frame: Any) -> None:
    assert "riata.from_frame" in refused(DataError, "found a DataFrame", Chunker().fit, frame).remedy
    caught = refused(DataError, "GroupBy", Chunker().fit, frame.groupby("sentence"), LABELS)
    assert "for _, group in groups" in caught.remedy


BAD = {
    "no such column": ({"sentence": "sent"}, None, "no column 'sent'"),
    "another that is not there": ({"columns": ["word", "tag"]}, None, "no column 'tag'"),
    "sentences that are not together": ({}, [0, 1, 0], "row 2 belongs to sentence 0"),
    "a sentence that is not named": ({}, [0, None, 1], "row 1 has no value"),
}


@pytest.mark.parametrize(("options", "numbers", "says"), BAD.values(), ids=BAD)
def test_frames_that_are_no_corpus_are_refused(options: Any, numbers: Any, says: str) -> None:
    frame = pandas.DataFrame({"sentence": numbers or [0, 0, 1], "word": ["a", "b", "c"], "chunk": ["O", "O", "O"]})
    refused(DataError, says, riata.from_frame, frame, **options)


def test_what_is_no_text_is_refused_with_its_row(frame: Any) -> None:
    with pytest.raises(DataError, match="row 0, column 'sentence' is 0"):
        riata.from_frame(frame.assign(of=frame.sentence), sentence="of", columns=["sentence", "word"])
    refused(DataError, "expected a DataFrame of pandas or polars", riata.from_frame, [["a"]])
    refused(DataError, "0 rows", riata.from_frame, frame[:0])


def test_pandas_is_not_imported() -> None:
    program = (
        "import riata, sys; riata.Tagger(epochs=1).fit([['a', 'b']], [['A', 'B']]); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"


# --- files of semantic roles: read, refused with their lines, and written as they were -------------------------------
ROWS = [
    "1 Ann Ann PROPN NNP 2 nsubj (S(NP*) - - (ARG0*) (ARG0*)",
    "2 came come VERB VBD 0 root (VP* come come.01 (V*) *",
    "3 to to PART TO 4 mark (S* - - (ARGM-PRP* *",
    "4 see see VERB VB 2 advcl *) see see.01 *) (V*)",
    "5 us we PRON PRP 4 obj (NP*))) - - * (ARG1*)",
]
TEXT = "# sent_id = one\n# more\n" + "\n".join(row.replace(" ", "\t") for row in ROWS) + "\n\n"


def written(folder, text, name="roles.txt"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def changed(row, column, value):
    """The text with another value in one cell, or None: without the cell."""
    rows = [line.split(" ") for line in ROWS]
    rows[row][column : column + 1] = [] if value is None else [value]
    return "\n".join("\t".join(each) for each in rows) + "\n"


def test_a_file_is_read_with_all_that_it_says(tmp_path):
    corpus = read_propbank(written(tmp_path, TEXT))
    assert isinstance(corpus, RoleCorpus)
    assert (len(corpus), corpus.tokens, corpus.width, corpus.format) == (1, 5, len(COLUMNS), "propbank")
    assert corpus.comments == ("# sent_id = one\n# more",)
    assert corpus.line_of(0) == 3
    come, see = corpus.propositions[0]
    assert come == Proposition(1, (Span(0, 1, "ARG0"), Span(1, 2, "V"), Span(2, 4, "ARGM-PRP")))
    assert see.predicate == 3 and see.roles == (Span(0, 1, "ARG0"), Span(4, 5, "ARG1"))
    assert "1 sentences, 5 tokens, 2 predicates" in repr(corpus)
    assert b"".join(formatted(corpus)).decode() == TEXT


@for_each(change=[lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t, lambda t: t.rstrip("\n")])
def test_other_ends_of_lines_and_a_mark_at_the_beginning_change_nothing(tmp_path, change):
    corpus = read_propbank(written(tmp_path, change(TEXT)))
    assert b"".join(formatted(corpus)).decode() == TEXT


def test_gzip_and_streams_give_the_same(tmp_path):
    path = tmp_path / "roles.txt.gz"
    write_propbank(read_propbank(written(tmp_path, TEXT * 3)), path)
    assert gzip.decompress(path.read_bytes()).decode() == TEXT * 3
    parts = list(stream(path))
    assert sum(map(len, parts)) == 3
    assert b"".join(content for part in parts for content in formatted(part)).decode() == TEXT * 3


def test_the_columns_of_roles_may_be_missing(tmp_path):
    bare = "\n".join("\t".join(row.split(" ")[:10]) for row in ROWS) + "\n\n"
    corpus = read_propbank(written(tmp_path, bare))
    assert [one.arguments for one in corpus.propositions[0]] == [None, None]
    assert b"".join(formatted(corpus)).decode() == bare
    refused(DataError, r"roles.txt:1: training needs the arguments", corpus.check_labelled, "training")


@for_rows(
    "text, line, message",
    (changed(1, 9, None), 2, "found 11 columns; the first token of the sentence has 12"),
    ("1\tAnn\tAnn\n", 1, "found 3 columns; expected at least 10"),
    ("one column\n", 1, "found 1 column; expected at least 10"),
    (changed(2, 0, "7"), 3, "the token number is '7'; expected 3"),
    (changed(2, 5, "9"), 3, "the head is '9'"),
    (changed(2, 5, "x"), 3, "the head is 'x'"),
    (changed(1, 5, "4"), 1, "circle"),
    (changed(3, 7, "*)))))"), 4, "a bracket closes that was not open"),
    (changed(3, 7, "*"), 5, "1 of the brackets of the sentence do not close"),
    (changed(3, 7, "NP"), 4, "the bracket is 'NP'"),
    (changed(3, 8, "-"), 4, "the predicate is '-' and its roleset 'see.01'"),
    (changed(1, 9, "-"), 2, "the predicate is 'come' and its roleset '-'"),
    (changed(4, 11, "(ARG1*"), 5, "the span of ARG1 does not end"),
    (changed(4, 11, "*)"), 5, "a span ends here, and none is open"),
    (changed(3, 10, "(ARG1*)"), 4, "ARG1 begins inside ARGM-PRP"),
    (changed(3, 10, "ARG1"), 4, "the role is 'ARG1'"),
    (changed(2, 2, ""), 3, "column 3 is empty"),
    ("", None, "no tokens"),
    ("# only a comment\n", None, "no tokens"),
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, line, message):
    path = written(tmp_path, text)
    for read in (read_propbank, lambda path: list(stream(path))):
        caught = refused(DataError, "", read, path)
        assert message in str(caught)
        assert (caught.file, caught.line) == (str(path), line)


def test_predicates_and_columns_of_roles_must_be_as_many(tmp_path):
    fewer = "\n".join("\t".join(row.split(" ")[:11]) for row in ROWS)
    more = "\n".join("\t".join([*row.split(" "), "*"]) for row in ROWS)
    refused(DataError, "a predicate has no column", read_propbank, written(tmp_path, fewer))
    refused(DataError, "a role column has no predicate", read_propbank, written(tmp_path, more))


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(TEXT.encode() + b"1\t\xff\n")
    refused(DataError, r"bad.txt:9: the line is not UTF-8", read_propbank, path)


def test_slices_keep_their_propositions_and_columns_alone_have_none():
    corpus = riata.load("embedded-roles")
    part = corpus[np.array([3, 1])]
    assert part.propositions == (corpus.propositions[3], corpus.propositions[1])
    assert list(part[0]) == list(corpus[3])
    assert corpus.select(range(corpus.width)) is corpus
    words = riata.load("embedded-roles", columns=("word", "xpos"))
    assert type(words) is Corpus and words.width == 2 and len(words) == len(corpus)


def test_propositions_are_replaced_only_by_those_of_the_same_predicates():
    corpus = riata.load("embedded-roles")
    bare = corpus.with_propositions([[one.with_roles(()) for one in each] for each in corpus.propositions])
    assert all(not one.roles and one.arguments for each in bare.propositions for one in each)
    refused(DataError, "other predicates", corpus.with_propositions, [()] * len(corpus))
    refused(DataError, "no Proposition", corpus.with_propositions, [["ARG0"]] * len(corpus))
    refused(DataError, "of 1 sentences for 12", corpus.with_propositions, [()])


def test_spans_that_cannot_be_written_are_refused():
    for spans in ([Span(0, 2, "A"), Span(1, 3, "B")], [Span(2, 4, "A")], [Span(1, 1, "A")], [Span(-1, 1, "A")]):
        refused(DataError, "overlaps another, or is not within", cells, spans, 3)
    for role in ("", "A B", "A*", "(A"):
        refused(DataError, "cannot be written", cells, [Span(0, 1, role)], 3)
    corpus = riata.load("embedded-roles")[6:7]
    mixed = replace(corpus, propositions=((corpus.propositions[0][0], Proposition(6), Proposition(8)),))
    refused(DataError, "with and without arguments", list, formatted(mixed))


@st.composite
def all_sentences(draw):
    """Rows of a sentence, and its propositions."""
    n = draw(st.integers(1, 8))
    texts = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=4).filter(lambda t: t[0] != "#")
    roles = st.sampled_from(["ARG0", "ARG1", "R-ARG0", "C-ARG1", "ARGM-TMP", "V"])
    rows = [[str(i + 1), draw(texts), draw(texts), "X", "Y"] for i in range(n)]
    for i, row in enumerate(rows):  # heads to the left: no circles
        row += [str(draw(st.integers(0, i))), "dep", "*", "-", "-"]
    cuts = sorted(draw(st.sets(st.integers(0, n), max_size=4)))
    for low, high in zip(cuts[::2], cuts[1::2], strict=False):
        rows[low][7] = f"(NP{rows[low][7]}"
        rows[high - 1][7] += ")"
    propositions = []
    for at in sorted(draw(st.sets(st.integers(0, n - 1), max_size=3))):
        rows[at][8:10] = ["do", "do.01"]
        ends = sorted(draw(st.sets(st.integers(0, n), max_size=6)))
        spans = zip(ends[::2], ends[1::2], strict=False)
        propositions.append(Proposition(at, tuple(Span(low, high, draw(roles)) for low, high in spans)))
    return rows, tuple(propositions)


@tried(100, st.lists(all_sentences(), min_size=1, max_size=4))
def test_what_is_written_is_read_again(tmp_path_factory, given):
    lines = []
    for rows, propositions in given:
        columns = [cells(one.arguments, len(rows)) for one in propositions]
        lines += ["\t".join([*row, *(column[i] for column in columns)]) for i, row in enumerate(rows)] + [""]
    text = "\n".join(lines) + "\n"
    path = written(tmp_path_factory.mktemp("roles"), text)
    corpus = read_propbank(path)
    assert corpus.propositions == tuple(propositions for _, propositions in given)
    assert [[list(token) for token in sentence] for sentence in corpus] == [rows for rows, _ in given]
    write_propbank(corpus, path)
    assert path.read_text(encoding="utf-8") == text
