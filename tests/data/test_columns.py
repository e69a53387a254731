"""Column files: the reader equals a slow twin however its bytes are cut, and says what is wrong with bad input."""

import gzip
import io
import itertools
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import riata
from checks import refused
from oracle.columns import Malformed, read_text
from riata import Corpus, RiataError
from riata._core import ColumnParser
from riata.data.columns import formatted, stream, with_texts
from riata.data.memory import as_corpus
from riata.data.types import Column
from riata.errors import DataError
from samples import draws, for_each, for_rows

PATIENCE = 5_000  # milliseconds; an example that takes longer has hung
PLAIN = b"The DT B-NP\ncat NN I-NP\n\nsat VBD B-VP\n"
SENTENCES = [[("The", "DT", "B-NP"), ("cat", "NN", "I-NP")], [("sat", "VBD", "B-VP")]]


def rows(corpus: Corpus) -> list[list[tuple[str, ...]]]:
    return [list(sentence) for sentence in corpus]


def write(tmp_path: Path, content: bytes, name: str = "file.conll") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def read_bytes(content: bytes, *, conllu: bool = False) -> Corpus:
    """Through a file, for tests that cannot take a fixture because hypothesis calls them many times."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), content)
        return riata.read_conllu(path, ["id", "form"]) if conllu else riata.read_columns(path)


def collect(batches: list[dict]) -> SimpleNamespace:
    """What several take() calls gave, joined: sentences of (row, line) pairs and documents by their sentence."""
    sentences, documents = [], []
    for batch in batches:
        documents += [(text, len(sentences) + sentence) for text, sentence in batch["documents"]]
        columns = [[a.text(int(i)) for i in ids] for a, ids in zip(batch["alphabets"], batch["ids"], strict=True)]
        tokens = list(zip(zip(*columns, strict=True), batch["lines"].tolist(), strict=True))
        starts = batch["starts"].tolist()
        assert starts[0] == 0
        assert starts[-1] == len(tokens)
        sentences += [tokens[low:high] for low, high in itertools.pairwise(starts)]
    return SimpleNamespace(sentences=sentences, documents=documents)


def cut(content: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(content) + 1) for place in places), len(content)]
    return [content[low:high] for low, high in itertools.pairwise(edges)]


# Lines in which everything the reader looks at is frequent.
pieces_of_text = st.sampled_from(
    [
        "a",
        "b",
        "é",
        "😀",
        " ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "-DOCSTART-",
        "-DOCSTART- x",
        "\n-DOCSTART- O\n\n",
    ]
)
texts = st.tuples(st.sampled_from(["", "\ufeff"]), st.lists(pieces_of_text, max_size=30).map("".join)).map("".join)


@st.composite
def well_formed(draw: st.DrawFn) -> str:
    """Several sentences, some at the start of documents, with blank lines and line ends of any kind between them."""
    separator, width, end = draw(st.sampled_from(" \t")), draw(st.integers(1, 3)), draw(st.sampled_from(["\n", "\r\n"]))
    token = st.lists(st.sampled_from(["a", "bc", "é", "😀"]), min_size=width, max_size=width).map(separator.join)
    document = st.sampled_from([[], [], ["-DOCSTART-"], ["-DOCSTART- x", "", "-DOCSTART- y", ""]])
    blank = st.sampled_from([[""], ["", " ", ""], ["\t"]])
    lines = []
    for _ in range(draw(st.integers(1, 5))):
        lines += [*draw(document), *draw(st.lists(token, min_size=1, max_size=3)), *draw(blank)]
    return draw(st.sampled_from(["", "\ufeff"])) + end.join(lines)


cuts = st.lists(st.integers(0, 200), max_size=8)


@given(texts | well_formed(), cuts, st.booleans())
@settings(max_examples=draws(500), deadline=PATIENCE)
@example("a b\n", [0, 1, 2, 3, 4], True)
@example("\ufeffa\tb\r\n\r\n-DOCSTART- -X- O\n\nc\td", [1, 2, 5, 6, 7, 8, 9, 10, 11], True)
@example("a\n-DOCSTART-\nb\n", [13], True)
@example("a\n\ufeffb\n", [], False)
def test_pieces_of_any_size_give_what_the_twin_reads_at_once(text: str, places: list[int], take_often: bool) -> None:
    parser, batches = ColumnParser(), []
    try:
        expected = read_text(text)
    except Malformed as error:
        with pytest.raises(DataError) as caught:
            for piece in cut(text.encode(), places):
                parser.feed(piece)
            parser.finish()
        assert caught.value.line == error.args[0]
        return
    for piece in cut(text.encode(), places):
        parser.feed(piece)
        if take_often:
            batches.append(parser.take())
    parser.finish()
    batches.append(parser.take())
    found = collect(batches)
    assert found.sentences == expected[0]
    assert found.documents == expected[1]


@given(texts | well_formed())
@settings(deadline=PATIENCE)
def test_a_whole_file_reads_as_the_twin_reads_it(text: str) -> None:
    try:
        sentences, documents = read_text(text)
    except Malformed:
        sentences = []
    if not sentences:
        refused(DataError, "", read_bytes, text.encode())
        return
    corpus = read_bytes(text.encode())
    assert rows(corpus) == [[row for row, _ in sentence] for sentence in sentences]
    assert [corpus.line_of(t) for t in range(corpus.tokens)] == [line for sentence in sentences for _, line in sentence]
    assert list(corpus.documents) == documents


def test_take_hands_over_only_complete_sentences_and_forgets_them() -> None:
    parser = ColumnParser()
    parser.feed(b"a X\nb Y\n\nc Z\nd ")
    first = parser.take()
    assert collect([first]).sentences == [[(("a", "X"), 1), (("b", "Y"), 2)]]
    assert collect([parser.take()]).sentences == []
    parser.feed(b"W")
    parser.finish()
    last = parser.take()
    assert collect([last]).sentences == [[(("c", "Z"), 4), (("d", "W"), 5)]]
    assert last["alphabets"][0].texts() == ["c", "d"]


def test_a_document_line_stays_with_the_sentence_that_follows_it() -> None:
    parser = ColumnParser()
    parser.feed(b"a\n\n-DOCSTART- one\n\nb\n")
    assert parser.take()["documents"] == []
    parser.feed(b"\nc\n\n-DOCSTART- two\n\nd\n\n")
    parser.finish()
    assert parser.take()["documents"] == [("-DOCSTART- one", 0), ("-DOCSTART- two", 2)]


@for_rows(
    "content",
    PLAIN,
    PLAIN.rstrip(b"\n"),
    PLAIN + b"\n\n\n",
    b"\n \n\t\n\n" + PLAIN.replace(b"\n\n", b"\n\n \n\t \n\n"),
    PLAIN.replace(b"\n", b"\r\n"),
    b"\xef\xbb\xbf" + PLAIN,
    PLAIN.replace(b" ", b"\t"),
    PLAIN.replace(b" ", b"   ").replace(b"cat", b"  cat").replace(b"NP\n", b"NP  \n"),
    b"-DOCSTART- -X- O\n\n" + PLAIN,
    PLAIN.replace(b"\n\n", b"\n-DOCSTART-\n"),
    b"-DOCSTART- -X- O\n\n" + PLAIN.replace(b" ", b"\t").replace(b"\n\n", b"\n\n-DOCSTART- -X- O\n\n"),
    ids=[
        "plain",
        "no newline at the end",
        "blank lines at the end",
        "many blank lines",
        "CRLF",
        "byte order mark",
        "tabs",
        "runs of spaces",
        "document first",
        "document between",
        "spaces in the document lines of a tab file",
    ],
)
@pytest.mark.parametrize("packed", [False, True], ids=["as it is", "gzip"])
def test_every_spelling_of_a_file_reads_the_same(tmp_path: Path, content: bytes, packed: bool) -> None:
    path = write(tmp_path, gzip.compress(content) if packed else content)
    assert rows(riata.read_columns(path)) == SENTENCES
    assert rows(riata.read_columns(str(path))) == SENTENCES


@for_each(width=[1, 2, 40], separator=[" ", "\t"])
def test_any_number_of_columns_is_read(tmp_path: Path, width: int, separator: str) -> None:
    token = tuple(f"c{i}" for i in range(width))
    corpus = riata.read_columns(write(tmp_path, f"{separator.join(token)}\n".encode() * 3))
    assert corpus.width == width
    assert rows(corpus) == [[token] * 3]
    assert corpus.separator == (separator if width > 1 else " ")


def test_a_tab_file_may_hold_spaces_in_its_columns(tmp_path: Path) -> None:
    assert rows(riata.read_columns(write(tmp_path, b"New York\tB\nis\tO\n"))) == [[("New York", "B"), ("is", "O")]]


def test_gzip_is_known_by_its_content_and_not_by_its_name(tmp_path: Path) -> None:
    assert rows(riata.read_columns(write(tmp_path, gzip.compress(PLAIN), "packed.txt"))) == SENTENCES
    assert rows(riata.read_columns(write(tmp_path, PLAIN, "plain.gz"))) == SENTENCES


def test_gzip_of_several_members_is_read_whole(tmp_path: Path) -> None:
    packed = gzip.compress(PLAIN[:10]) + gzip.compress(PLAIN[10:])
    assert rows(riata.read_columns(write(tmp_path, packed))) == SENTENCES


def test_lines_and_documents_are_those_of_the_file(tmp_path: Path) -> None:
    corpus = riata.read_columns(
        write(tmp_path, b"-DOCSTART- one\r\n\r\n\r\na X\r\nb Y\r\n\r\n-DOCSTART- two\r\nc Z\r\n")
    )
    assert [corpus.line_of(t) for t in range(corpus.tokens)] == [4, 5, 8]
    assert corpus.documents == (("-DOCSTART- one", 0), ("-DOCSTART- two", 1))


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_read_under_the_name_of_a_dash(packed: bool) -> None:
    program = "import riata; c = riata.read_columns('-'); print(c.name, [list(s) for s in c])"
    content = gzip.compress(PLAIN) if packed else PLAIN
    answer = subprocess.run([sys.executable, "-c", program], input=content, capture_output=True, check=True)
    assert answer.stdout.decode().strip() == f"<standard input> {SENTENCES}"


def test_an_error_in_standard_input_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"a b\nc\n"))))
    refused(DataError, "<standard input>:2: expected 2 columns", riata.read_columns, "-")


def test_a_stream_answers_before_its_input_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    late = threading.Event()

    def give_up() -> None:
        late.set()
        os.close(writing)

    timer = threading.Timer(20, give_up)
    timer.start()
    with open(reading) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        os.write(writing, b"a X\n\nb Y\n")
        batches = stream("-")
        assert rows(next(batches)) == [[("a", "X")]]
        assert not late.is_set()
        os.write(writing, b"c Z\n\n")
        assert rows(next(batches)) == [[("b", "Y"), ("c", "Z")]]
        timer.cancel()
        os.close(writing)
        assert list(batches) == []


def test_a_stream_of_small_pieces_equals_the_file_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riata.data.columns.PIECE", 7)
    path = write(tmp_path, (b"-DOCSTART- x\n\n" + PLAIN + b"\n") * 20)
    whole, batches = riata.read_columns(path), list(stream(path))
    assert len(batches) > 20
    assert [sentence for batch in batches for sentence in rows(batch)] == rows(whole) == SENTENCES * 20
    assert [line for batch in batches for line in batch.lines] == list(whole.lines)
    assert b"".join(text for batch in batches for text in formatted(batch)) == b"".join(formatted(whole))


def test_an_empty_stream_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"empty\.conll: the input holds no tokens"):
        list(stream(write(tmp_path, b"\n\n", "empty.conll")))


# Bad input: content, the line at fault, and what the message must say.
BAD = {
    "ragged, too few": (b"a X\nb Y\n\nc\n", 4, ["expected 2 columns", "spaces", "line 1", "found 1", "'c'"]),
    "ragged, too many": (b"\na\tX\nb\tY\tZ\n", 3, ["expected 2 columns", "tabs", "line 2", "found 3"]),
    "a tab among spaces": (b"a X\nb Y\tZ\n", 2, ["found a tab", "separated by spaces", "line 1"]),
    "one column, then tabs": (b"a\nb\tY\n", 2, ["found a tab", "separated by spaces", "line 1"]),
    "empty column": (b"a\tX\tO\nb\t\tO\n", 2, ["an empty column", "write _"]),
    "empty first column": (b"\tX\n", 1, ["an empty column"]),
    "empty last column": (b"a\tX\nb\t\n", 2, ["an empty column"]),
    "empty file": (b"", None, ["no tokens", "one token per line"]),
    "only blank lines": (b"\n \n\r\n\t\n", None, ["no tokens", "blank lines"]),
    "only a document": (b"-DOCSTART- O\n\n", None, ["no tokens"]),
    "only a byte order mark": (b"\xef\xbb\xbf", None, ["no tokens"]),
    "Latin-1": ("a X\nMüller Y\n".encode("latin-1"), 2, ["byte 2", "0xFC", "not valid UTF-8", "iconv -f ISO-8859-1"]),
    "cut inside a character": ("a X\né".encode()[:-1], 2, ["byte 1", "0xC3", "not valid UTF-8"]),
    "a surrogate in UTF-8": (b"a \xed\xa0\x80\n", 1, ["byte 3", "0xED", "not valid UTF-8"]),
    "an over-long slash": (b"\xc0\xaf\n", 1, ["byte 1", "0xC0"]),
    "UTF-16 little-endian": (
        b"\xff\xfe" + "a X\n".encode("utf-16-le"),
        1,
        ["UTF-16", "expected UTF-8", "iconv -f UTF-16"],
    ),
    "UTF-16 big-endian": (
        b"\xfe\xff" + "a X\n".encode("utf-16-be"),
        1,
        ["UTF-16", "expected UTF-8", "iconv -f UTF-16"],
    ),
    "UTF-16 without a mark": ("a X\nb Y\n".encode("utf-16-le"), 1, ["NUL", "expected UTF-8", "iconv -f UTF-16"]),
    "NUL byte": (b"a X\nb\0 Y\n", 2, ["NUL", "text file"]),
    "damaged gzip": (gzip.compress(PLAIN)[:-6] + b"\0\0\0\0\0\0", None, ["gzip", "damaged", "again"]),
    "cut gzip": (gzip.compress(PLAIN)[:-9], None, ["gzip", "cut short", "again"]),
    "gzip of two bytes": (b"\x1f\x8b", None, ["gzip", "cut short"]),
    "gzip and then something else": (gzip.compress(PLAIN) + b"xyz", None, ["gzip", "damaged"]),
    "over-long line": (b"a X\n" + b"b" * (17 << 20) + b"\n", 2, ["longer than 16 MiB", "one token per line"]),
    "over-long line at the end": (b"a X\n" + b"b" * (17 << 20), 2, ["longer than 16 MiB"]),
}


@pytest.mark.parametrize(("content", "line", "parts"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused_with_file_line_and_remedy(
    tmp_path: Path, content: bytes, line: int | None, parts: list[str]
) -> None:
    path = write(tmp_path, content)
    caught = refused(DataError, "", riata.read_columns, path)
    message = str(caught)
    assert message.startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert caught.remedy
    assert message.endswith(f"\n  {caught.remedy}")
    assert len(message) - len(str(path)) < 400
    for part in parts:
        assert part in message


def test_an_over_long_line_is_refused_before_it_is_kept_in_memory() -> None:
    parser = ColumnParser()
    with pytest.raises(DataError, match="longer than 16 MiB"):
        for _ in range(17):
            parser.feed(b"a" * (1 << 20))


def test_a_line_of_sixteen_mebibytes_is_still_read() -> None:
    parser = ColumnParser()
    parser.feed(b"a" * (16 << 20) + b"\n")
    parser.finish()
    assert len(parser.take()["alphabets"][0].text(0)) == 16 << 20


def test_a_long_bad_line_is_shown_shortened_at_a_character(tmp_path: Path) -> None:
    line = "x" + "é" * 500
    caught = refused(DataError, "", riata.read_columns, write(tmp_path, f"a X\n{line}\n".encode()))
    shown = caught.message.split("'")[1]
    assert shown.endswith("...")
    assert line.startswith(shown[:-3])
    assert 20 < len(shown) < 70


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refused(DataError, r"nowhere\.txt: no such file", riata.read_columns, tmp_path / "nowhere.txt").remedy


def test_a_directory_is_not_a_file(tmp_path: Path) -> None:
    refused(DataError, "this is a directory; expected a file", riata.read_columns, tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="needs a user that permissions bind")
def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, PLAIN)
    path.chmod(0)
    refused(DataError, r"file\.conll: cannot be read", riata.read_columns, path)


def test_a_path_that_cannot_be_one_is_refused() -> None:
    refused(DataError, "cannot be read", riata.read_columns, "a\0b")


# Fuzz: hypothesis stops any example that runs over its deadline, so a hang is a failure too.
VALID = {
    "columns": "-DOCSTART- O\n\nThe DT\ncafé NN\n\nsat VBD\n".encode(),
    "tabs": b"\xef\xbb\xbfa\tX\r\nb\tY\r\n\r\nc\tZ",
    "conllu": "# text = él\n1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\t_\t_\t_\t_\t_\t_\t_\n1.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n".encode(),
    "gzip": gzip.compress(b"a X\nb Y\n\nc Z\n" * 5),
}
mutations = st.lists(
    st.tuples(
        st.integers(0, 10_000),
        st.integers(0, 3),
        st.binary(max_size=3) | st.sampled_from([b"\n", b"\t", b" ", b"\xff"]),
    ),
    min_size=1,
    max_size=6,
)


def mutated(content: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """At a place, a few bytes are cut out and others put in."""
    for place, length, new in changes:
        at = place % (len(content) + 1)
        content = content[:at] + new + content[at + length :]
    return content


def assert_read_or_refused(content: bytes, *, conllu: bool) -> None:
    try:
        corpus = read_bytes(content, conllu=conllu)
    except RiataError as error:
        assert str(error)
    else:
        assert corpus.tokens > 0
        assert sum(map(len, corpus)) == corpus.tokens


@given(st.binary(max_size=200), st.booleans())
@settings(max_examples=draws(200), deadline=PATIENCE)
def test_any_bytes_are_read_or_refused(content: bytes, conllu: bool) -> None:
    assert_read_or_refused(content, conllu=conllu)


@pytest.mark.parametrize("content", VALID.values(), ids=VALID.keys())
@given(changes=mutations, conllu=st.booleans())
@settings(max_examples=draws(150), deadline=PATIENCE)
def test_damaged_files_are_read_or_refused(content: bytes, changes: list[tuple[int, int, bytes]], conllu: bool) -> None:
    assert_read_or_refused(mutated(content, changes), conllu=conllu)


def assert_utf8_as_python_has_it(line: bytes) -> None:
    """Of the line with a letter in front, so that it is neither blank nor starts with a byte order mark."""
    parser = ColumnParser()
    content = b"x" + line.replace(b" ", b"_").replace(b"\t", b"_").replace(b"\r", b"_")
    try:
        expected = content.decode()
    except UnicodeDecodeError as error:
        with pytest.raises(DataError, match=f"byte {error.start + 1} of the line is 0x{content[error.start]:02X}"):
            parser.feed(content + b"\n")
        return
    parser.feed(content + b"\n")
    parser.finish()
    assert parser.take()["alphabets"][0].texts() == [expected]


@given(st.binary(max_size=60).filter(lambda b: b"\n" not in b and b"\0" not in b))
@settings(deadline=PATIENCE)
def test_utf8_is_what_python_decodes(line: bytes) -> None:
    assert_utf8_as_python_has_it(line)


def test_every_lead_byte_of_utf8_is_read_as_python_reads_it() -> None:
    edges = (0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0)  # where the rules for the second byte change
    for lead, second, length in itertools.product(range(0x80, 0x100), edges, range(5)):
        assert_utf8_as_python_has_it(bytes([lead, second, 0x80, 0xBF])[:length])


# Writers.
words = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters=" \ufeff"), min_size=1, max_size=5
).filter(lambda text: text != "-DOCSTART-")
corpora = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.tuples(*[words] * width), min_size=1, max_size=4), min_size=1, max_size=5)
)


@given(corpora)
@settings(deadline=PATIENCE, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_written_reads_the_same(sentences: list[list[tuple[str, ...]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "out.conll")
        riata.write_columns(as_corpus(sentences), path)
        assert rows(riata.read_columns(path)) == sentences


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_writing_keeps_separator_documents_and_line_ends_of_unix(tmp_path: Path, separator: str) -> None:
    content = b"-DOCSTART- x\n\na X\nb Y\n\n-DOCSTART- y\n\nc Z\n\n".replace(b" ", separator.encode())
    corpus = riata.read_columns(write(tmp_path, content.replace(b"\n", b"\r\n")))
    riata.write_columns(corpus, tmp_path / "out.conll")
    assert (tmp_path / "out.conll").read_bytes() == content


def test_further_columns_stand_after_the_corpus_own(tmp_path: Path) -> None:
    corpus = riata.read_columns(write(tmp_path, PLAIN))
    riata.write_columns(corpus, tmp_path / "out.conll", [[["1", "2"], ["3"]], [["x", "y"], ["z"]]])
    expected = [
        [(*token, *more) for token, more in zip(*pair, strict=True)]
        for pair in zip(SENTENCES, [["1x", "2y"], ["3z"]], strict=True)
    ]
    assert rows(riata.read_columns(tmp_path / "out.conll")) == expected


def test_lists_of_sentences_are_written_as_a_corpus_is(tmp_path: Path) -> None:
    riata.write_columns(SENTENCES, tmp_path / "file.conll")
    assert rows(riata.read_columns(tmp_path / "file.conll")) == SENTENCES
    refused(DataError, "found int", riata.write_columns, 5, tmp_path / "none.conll")


def test_a_dash_writes_to_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    riata.write_columns(riata.read_columns(write(tmp_path, PLAIN)), "-")
    assert capsys.readouterr().out == PLAIN.decode() + "\n"


def test_with_texts_replaces_one_column(tmp_path: Path) -> None:
    corpus = riata.read_columns(write(tmp_path, PLAIN))
    changed = with_texts(corpus, 1, Column.of(["1", "2", "3"]))
    assert changed.sentences_of(1) == [["1", "2"], ["3"]]
    assert changed.sentences_of(0) == corpus.sentences_of(0)
    assert corpus.sentences_of(1) == [["DT", "NN"], ["VBD"]]


@for_each(sentence=[["New York"], ["a\tb"], ["a\nb"], [""], [("a", "New York")], [("a", "")]])
def test_texts_that_would_read_otherwise_are_not_written(tmp_path: Path, sentence: list) -> None:
    path = write(tmp_path, b"as it was")
    refused(DataError, "which a column file cannot", riata.write_columns, as_corpus([sentence]), path)
    assert path.read_bytes() == b"as it was"


def test_a_tab_file_cut_down_to_a_column_with_spaces_is_not_written(tmp_path: Path) -> None:
    corpus = riata.read_columns(write(tmp_path, b"New York\tB\n"))
    riata.write_columns(corpus, tmp_path / "both.conll")
    assert rows(riata.read_columns(tmp_path / "both.conll")) == [[("New York", "B")]]
    refused(DataError, "'New York'", riata.write_columns, corpus.select([0]), tmp_path / "one.conll")


@pytest.mark.parametrize("extra", [[["1"], ["3"]], [["1", "2"]], [["1", "2"], [3]], ["12", "3"]])
def test_further_columns_must_fit_the_corpus(tmp_path: Path, extra: list) -> None:
    corpus = riata.read_columns(write(tmp_path, PLAIN))
    refused(DataError, "", riata.write_columns, corpus, tmp_path / "out.conll", [extra])
