"""Documents: numbered alike by lines, comments, columns and names, in one piece and in parts, and never cut by accident."""

import copy
import gzip
import io
import pickle
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from checks import refused
from riata.data.columns import read, stream
from riata.data.documents import Marking, bounds_of, by_column, cut_near, in_documents
from riata.data.files import ColumnFile, read_roles
from riata.data.memory import joined
from riata.errors import DataError

# Documents as a list of lists of sentences; a sentence is its number of tokens, and a document may be empty.
documents = st.lists(st.lists(st.integers(1, 3), max_size=4), min_size=1, max_size=6).filter(any)
SENTENCES = [[("a", "X")], [("b", "Y"), ("c", "X")], [("d", "X")], [("e", "Y")], [("f", "X")]]


def as_lines(of: list[list[int]], *, mark_first: bool) -> str:
    text = ""
    for number, sentences in enumerate(of):
        text += "-DOCSTART- X O\n\n" if number or mark_first else ""
        text += "".join("".join(f"w{t} T\n" for t in range(length)) + "\n" for length in sentences)
    return text


def as_column(of: list[list[int]]) -> str:
    rows = (f"d{number}" for number, sentences in enumerate(of) for _ in sentences)
    lengths = [length for sentences in of for length in sentences]
    return "".join(f"w {name} T\n" * length + "\n" for name, length in zip(rows, lengths, strict=True))


def as_conllu(of: list[list[int]]) -> str:
    text = ""
    for number, sentences in enumerate(of):
        for place, length in enumerate(sentences):
            text += f"# newdoc id = {number}\n# text = x\n" if place == 0 else "# text = x\n"
            text += "".join(f"{t}\tw\t_\t_\tT\t_\t_\t_\t_\t_\n" for t in range(1, length + 1)) + "\n"
    return text


def numbered(of: list[list[int]]) -> list[int]:
    """The document of each sentence, without empty documents."""
    return [number for number, sentences in enumerate(filter(None, of)) for _ in sentences]


def ranks(document: np.ndarray | None) -> list[int]:
    assert document is not None
    return np.unique(document, return_inverse=True)[1].tolist()


def put(folder: Path, text: str, name: str = "file.txt") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@given(documents, st.booleans())
def test_lines_comments_and_columns_tell_the_same_documents(tmp_path_factory, of, mark_first):
    folder = tmp_path_factory.mktemp("d")
    expected = numbered(of)
    if mark_first or (len(of) > 1 and any(of[1:])):
        assert ranks(riata.read_columns(put(folder, as_lines(of, mark_first=mark_first))).document) == expected
    assert ranks(read(put(folder, as_conllu(of), "f.conllu"), conllu=True).document) == expected
    column = put(folder, as_column(of), "column.txt.gz")
    assert ranks(read(column, conllu=False, documents=1).document) == expected
    assert ranks(by_column(riata.read_columns(column), -2).document) == expected
    assert ranks(read_roles(column, documents=1).document) == expected


@given(documents, st.integers(1, 40), st.sampled_from(["lines", "first", "column", "conllu"]))
def test_parts_of_any_size_have_the_documents_of_the_whole(tmp_path_factory, of, size, kind):
    folder = tmp_path_factory.mktemp("d")
    text = {
        "lines": as_lines(of, mark_first=False),
        "first": as_lines(of, mark_first=True),
        "column": as_column(of),
        "conllu": as_conllu(of),
    }[kind]
    path = put(folder, text)
    options = {"conllu": kind == "conllu", "documents": 1 if kind == "column" else None}
    whole = read(path, **options)
    parts = list(stream(path, size=size, **options))
    numbers = [np.zeros(len(part), np.int32) if part.document is None else part.document for part in parts]
    if whole.document is None:
        assert not np.concatenate(numbers).any()
    else:
        assert np.concatenate(numbers).tolist() == whole.document.tolist()


def test_a_file_without_marks_has_no_documents(tmp_path):
    assert riata.read_columns(put(tmp_path, "a X\n\nb Y\n")).document is None
    assert all(part.document is None for part in stream(put(tmp_path, "a X\n\nb Y\n"), size=1))


def test_standard_input_has_documents(monkeypatch):
    text = b"-DOCSTART- O\n\na X\n\n-DOCSTART- O\n\n-DOCSTART- O\n\nb Y\n\nc Y\n"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    assert ranks(riata.read_columns("-").document) == [0, 1, 1]


def test_names_mark_documents_and_the_same_name_elsewhere_is_another_document():
    corpus = riata.in_documents(SENTENCES, ["x", "x", None, "x", ("y", 1)])
    assert corpus.document.tolist() == [0, 0, 1, 2, 3]
    assert [list(sentence) for sentence in corpus] == SENTENCES
    assert in_documents(corpus, np.zeros(5)).document.tolist() == [0] * 5
    assert in_documents(corpus[:0], []).document.tolist() == []


@pytest.mark.parametrize(("given_", "told"), [([1, 2], "2 documents for 5"), ("abcde", "a str"), (3, "a int")])
def test_names_that_do_not_fit_are_refused(given_, told):
    refused(DataError, told, in_documents, SENTENCES, given_)


def test_a_column_that_cannot_name_documents_is_refused():
    corpus = riata.in_documents(SENTENCES, range(5))
    for column in (2, -3):
        refused(DataError, rf"column {column}, .* 2 columns, 0 to 1(.|\n)*--documents", by_column, corpus, column)
    refused(DataError, "without tokens", Marking(0), riata.in_documents([["a"], [], ["b"]], [1, 2, 3]))


def test_documents_stay_with_their_sentences():
    corpus = in_documents(SENTENCES, [1, 1, 2, 3, 3])
    assert corpus[1:4].document.tolist() == [0, 1, 2]
    assert corpus[[3, 1, 3]].document.tolist() == [2, 0, 2]
    assert corpus[np.array([True, False, True, False, True])].document.tolist() == [0, 1, 2]
    assert corpus.select([1]).document.tolist() == corpus.document.tolist()
    assert joined(corpus[:2], corpus[2:]).document.tolist() == [0, 0, 2, 3, 3]
    for copied in (copy.deepcopy(corpus), pickle.loads(pickle.dumps(corpus))):
        assert copied.document.tolist() == [0, 0, 1, 2, 2]


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12), st.data())
def test_a_cut_is_the_nearest_that_leaves_every_document_on_one_side(numbers, data):
    """Also where sentences of a document are not neighbours; inside a document only where the cut says so."""
    document, size = np.array(numbers, np.int32), len(numbers)
    wanted = data.draw(st.integers(1, size - 1))
    bounds = bounds_of(document)
    whole = [at for at in range(1, size) if not set(numbers[:at]) & set(numbers[at:])]
    assert bounds.between.tolist() == whole
    assert bounds.first.tolist() == [at for at in range(size) if numbers[at] not in numbers[:at]]
    cut = bounds.cut(wanted, size)
    near = [at for at in whole if 2 * at >= wanted and 2 * (size - at) >= size - wanted]
    assert 0 < cut.first < size
    if near:
        assert cut == (min(near, key=lambda at: (abs(at - wanted), at)), len(set(numbers[cut.first :])), False)
    else:
        assert cut == (wanted, 0, True)


def test_without_documents_data_are_cut_where_they_should_be():
    corpus = in_documents(SENTENCES, [1, 1, 2, 3, 3])
    assert cut_near(corpus, 4) == (3, 1, False)
    assert cut_near(riata.data.memory.as_corpus(SENTENCES), 4) == (4, 0, False)


def test_a_column_of_documents_is_neither_input_nor_output_unless_it_is_named(tmp_path):
    path = put(tmp_path, "a 1 T X\n\nb 1 U Y\n\nc 2 T X\n")
    last = put(tmp_path, "a T X 1\n\nb U Y 1\n\nc T X 2\n", "last.txt")
    assert [list(sentence) for sentence in read_roles(path, documents=1)] == [
        [("a", "T", "X")],
        [("b", "U", "Y")],
        [("c", "T", "X")],
    ]
    assert list(read_roles(last, documents=-1)[0]) == [("a", "T", "X")]
    assert list(read_roles(last, documents=3, number=2)[0]) == [("a", "T", "X")]
    assert list(read_roles(path, documents=1, inputs=[0, 1])[0]) == [("a", "1", "X")]
    refused(DataError, "both the output and the column of documents", read_roles, path, documents=1, output=1)
    with pytest.raises(DataError, match="one column, which is the output, beside that of documents"):
        read_roles(put(tmp_path, "X 1\n", "narrow.txt"), documents=1)
    parts = list(ColumnFile(path, documents=1).parts())
    assert [list(sentence) for part in parts for sentence in part] == [list(s) for s in read_roles(path, documents=1)]
    fields = read_roles(put(tmp_path, as_conllu([[1], [1, 1]])), documents="xpos", output="upos")
    assert (fields.format, fields.document.tolist()) == ("conllu", [0, 0, 0])


def test_a_frame_may_have_a_column_of_documents():
    pandas = pytest.importorskip("pandas")
    rows = [("x", 1, "a", "A"), ("x", 1, "b", "B"), ("x", 2, "c", "A"), ("y", 3, "d", "B")]
    frame = pandas.DataFrame(rows, columns=["text", "sentence", "word", "tag"])
    corpus = riata.from_frame(frame, document="text")
    assert corpus.document.tolist() == [0, 0, 1]
    assert list(corpus[0]) == [("a", "A"), ("b", "B")]
    refused(DataError, "has no column 'nothing'", riata.from_frame, frame, document="nothing")
    for wrong in ("z", None, float("nan")):
        with pytest.raises(DataError, match=r"row 1 has .*\n.* the same document"):
            riata.from_frame(frame.assign(text=["x", wrong, "x", "y"]), document="text")


@settings(deadline=None)  # it writes and reads several files
@given(documents, st.sampled_from(["names", "lines", "conllu", "column"]), st.booleans())
def test_written_files_mark_the_documents_of_the_corpus(tmp_path_factory, of, kind, conllu):
    folder = tmp_path_factory.mktemp("d")
    expected, words = numbered(of), [[("w", "T")] * length for sentences in of for length in sentences]
    if kind == "names":
        corpus = in_documents(words, expected)
    elif kind == "lines":
        corpus = riata.read_columns(put(folder, as_lines(of, mark_first=True)))
    elif kind == "conllu":
        corpus = riata.read_conllu(put(folder, as_conllu(of), "f.conllu"))
    else:
        corpus = read_roles(put(folder, as_column(of)), documents=1)
    file = folder / "out.txt"
    for part in (slice(None), slice(1, None)):
        if expected[part]:
            (riata.write_conllu if conllu else riata.write_columns)(corpus[part], file)
            found = (riata.read_conllu if conllu else riata.read_columns)(file)
            assert ranks(found.document) == ranks(np.array(expected[part]))
            assert [list(sentence) for sentence in found] == [list(sentence) for sentence in corpus[part]]


def test_a_file_is_written_with_its_own_marks(tmp_path):
    text = "a X\n\n-DOCSTART- b\n\n-DOCSTART- c\n\nb Y\n\nc Y\n\n"
    corpus = riata.read_columns(put(tmp_path, text))
    for part, expected in (
        (slice(None), text),
        ([1, 1, 2], text[5:].replace("b Y\n\n", "b Y\n\nb Y\n\n")),
        ([2], "-DOCSTART- O\n\nc Y\n\n"),
    ):
        riata.write_columns(corpus[part], tmp_path / "out.txt")
        assert (tmp_path / "out.txt").read_text() == expected
    riata.write_columns(riata.read_columns(put(tmp_path, "a X\n\n")), tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "a X\n\n"
    path = put(tmp_path, as_conllu([[1], [1, 1]]), "f.conllu")
    riata.write_conllu(riata.read_conllu(path), tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == path.read_bytes()


def test_joined_data_keep_the_documents_of_either():
    marked, plain = in_documents(SENTENCES, [0, 0, 1, 1, 2]), in_documents(SENTENCES, [0] * 5)
    plain = replace(plain, document=None)
    assert joined(marked, marked).document.tolist() == [0, 0, 1, 1, 2, 3, 3, 4, 4, 5]
    assert joined(marked, plain).document.tolist() == [0, 0, 1, 1, 2, 3, 3, 3, 3, 3]
    assert joined(plain, marked).document.tolist() == [0, 0, 0, 0, 0, 1, 1, 2, 2, 3]
    assert joined(plain, plain).document is None
