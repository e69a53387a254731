"""What readers make of files: types alone (IO), bytes as they come, and lines that start with #."""

import gzip
import itertools
import os
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata import Chunker, Corpus, EntityRecognizer, Tagger, registry
from riata.data import columns as source
from riata.data.columns import stream
from riata.data.encodings.base import are_chunk_labels, convert
from riata.data.recoding import Recoder
from riata.data.types import Column, Span
from riata.errors import DataError, LabelError, UnsupportedError
from samples import embedded, for_each, for_rows

IO, IOB2 = registry.get("encoding", "io"), registry.get("encoding", "iob2")
TAGS = ["O", "PER", "LOC", "person-actor", "person-other"]


def bare(split="train"):
    """The embedded entities, in IO."""
    corpus = embedded(("word", "entity"), split)
    recoder = Recoder.of(corpus.columns[-1].alphabet.texts(), IOB2, IO)
    column = recoder.column(corpus.columns[-1].ids, corpus.starts)
    return [list(zip(*pair, strict=True)) for pair in zip(corpus.sentences_of(0), texts(column, corpus), strict=True)]


def texts(column: Column, corpus: Corpus) -> list[list[str]]:
    found = column.texts()
    return [found[low:high] for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)]


@given(st.lists(st.sampled_from(TAGS), max_size=8))
def test_all_tags_are_legal_and_runs_are_the_spans(tags):
    spans = IO.spans(tags)
    assert IO.encode(spans, len(tags)) == tags
    assert riata.spans(tags) == spans
    for before, after in itertools.pairwise(spans):
        assert before.end < after.start or before.type != after.type
    assert convert(convert(tags, IO, IOB2), IOB2, IO) == tags


def test_chunks_of_a_type_that_touch_become_one():
    assert IO.encode([Span(0, 1, "PER"), Span(1, 3, "PER")], 3) == ["PER"] * 3


@pytest.mark.parametrize("tag", ["", "-", "X", "B-PER", "I-PER", "I", "S", "-PER", "."])
def test_other_tags_are_none(tag):
    assert not IO.is_tag(tag)


def test_nothing_is_taken_for_io_that_does_not_say_so():
    assert not are_chunk_labels(["PER", "O"])
    data = [[("Anna", "PER"), ("Lee", "PER"), ("left", "O")]]
    with pytest.raises(
        LabelError, match=r"label 'PER' is no chunk label.*\n.*types alone, pass encoding=\"io\" \(--encoding io\)"
    ):
        EntityRecognizer().fit(data)
    assert "encoding" not in str(refused(LabelError, "", Chunker().fit, [[("Anna", "NNP"), ("left", "VBD")]]))
    with pytest.raises(
        LabelError, match=r"label 'B-PER' is no chunk label; expected O or a type of two letters.*\n.*leave it out"
    ):
        EntityRecognizer(encoding="io").fit([[("Anna", "B-PER"), ("left", "O")]])


@for_each(
    options=[{}, {"learn_as": "iob2"}, {"learn_as": "bioes"}, {"recipe": "laso-perceptron"}, {"recipe": "perceptron"}]
)
def test_entities_are_learnt_from_io_and_written_so(options, tmp_path):
    model = EntityRecognizer(encoding="io", epochs=5, **options).fit(bare())
    assert model.encoding_ == "io"
    assert set(model.classes_) == {"O", "PER", "LOC", "ORG", "MISC"}
    found = model.evaluate(bare("test"))
    reference = EntityRecognizer(epochs=5, **options).fit(embedded(("word", "entity")))
    best = reference.evaluate(embedded(("word", "entity"), "test")).metrics["f1"]
    assert abs(found.metrics["f1"] - best) < 15
    model.save(tmp_path / "m.riata")
    sentence = [["She", "lives", "in", "Harwick", "."]]
    assert riata.load_model(tmp_path / "m.riata").predict(sentence) == [["O", "O", "O", "LOC", "O"]]
    assert [span.label for span in model.predict_spans(["She lives in Harwick."])[0]] == ["LOC"]
    assert {row.type for row in found.report.rows} == {"PER", "LOC", "ORG", "MISC"}


def test_scores_count_runs():
    gold, found = [["PER", "PER", "O", "LOC"]], [["PER", "O", "O", "LOC"]]
    assert riata.metrics.span_f1_score(gold, found) == 0.5


def test_chunks_are_not_learnt_as_io():
    with pytest.raises(UnsupportedError, match="IO cannot keep two chunks of a type apart"):
        Chunker(learn_as="io").fit(embedded(("word", "chunk")))


# --- the bytes of a file, as they come: pipes that have nothing to read do not hold anybody --------------------------
CONTENT = b"The DT\n\n" * 3000


@pytest.fixture
def pipe(tmp_path):
    """A named pipe, and its end to write to: (path, file)."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    keep = os.open(path, os.O_RDWR)  # so that opening either end does not wait for the other
    with open(path, "wb", buffering=0) as end:
        yield path, end
    os.close(keep)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_pipe_is_read_as_it_comes_and_left_when_nobody_wants_more(pipe, pack):
    path, end = pipe
    stopped = threading.Event()
    read = source.pieces(path, stopped)
    end.write(pack(CONTENT))
    seen = next(read)
    while len(seen) < len(CONTENT):
        seen += next(read)
    assert seen == CONTENT
    timer = threading.Timer(0.1, stopped.set)
    timer.start()
    began = time.monotonic()
    assert list(read) == []
    assert 0.05 < time.monotonic() - began < 30
    timer.join()


def test_nothing_is_left_out_when_nobody_stops(pipe, tmp_path):
    path, end = pipe
    (tmp_path / "file").write_bytes(CONTENT)
    assert b"".join(source.pieces(tmp_path / "file", threading.Event())) == CONTENT
    read = source.pieces(path, threading.Event())
    for word in (b"one", b"two", b"three"):
        end.write(word)
        assert next(read) == word


def test_what_the_buffer_of_standard_input_holds_is_read_too(pipe, monkeypatch):
    path, end = pipe
    end.write(b"first line\nrest")
    with open(path) as given:
        monkeypatch.setattr("sys.stdin", given)
        assert given.buffer.readline() == b"first line\n"
        assert next(source.pieces("-", threading.Event())) == b"rest"


@pytest.mark.parametrize("size", [2, 3, 7, 1 << 20])
def test_gzip_members_are_unpacked_wherever_the_pieces_end(tmp_path, monkeypatch, size):
    monkeypatch.setattr(source, "PIECE", size)
    packed = gzip.compress(b"one\n" * 50) + gzip.compress(b"") + gzip.compress(b"two\n") + b"\0" * 5
    (tmp_path / "file").write_bytes(packed)
    assert b"".join(source.pieces(tmp_path / "file")) == gzip.decompress(packed)
    (tmp_path / "file").write_bytes(packed[:-6])
    refused(source.DataError, "cut short", list, source.pieces(tmp_path / "file"))


# --- lines that start with # in files of columns: comments where they cannot be tokens -------------------------------
def read(tmp_path, text):
    (tmp_path / "d.txt").write_text(text)
    return riata.read_columns(tmp_path / "d.txt")


def sentences(corpus):
    return [list(sentence) for sentence in corpus]


@pytest.mark.parametrize("blank", ["", "\n"])
def test_comments_before_sentences_are_left_out_and_kept(tmp_path, blank):
    text = f"# a corpus of two sentences\n{blank}# id 1 of many\nThe DT\n# NN\n\n# more about it\nIt PRP\n\n"
    corpus = read(tmp_path, text)
    assert sentences(corpus) == [[("The", "DT"), ("#", "NN")], [("It", "PRP")]]
    assert corpus.comments == ("# a corpus of two sentences\n# id 1 of many", "# more about it")
    assert list(corpus.lines) == [3 + len(blank), 4 + len(blank), 7 + len(blank)]


def test_a_sentence_without_a_comment_may_come_first(tmp_path):
    corpus = read(tmp_path, "a X\n\nb X\n\n# the third one\nc X\n\nd X\n")
    assert corpus.comments == ("", "", "# the third one", "")
    assert len(corpus) == 4


@for_rows(
    "text, expected",
    ("# NN\nb X\n\n", [[("#", "NN"), ("b", "X")]]),
    ("# NN\n\n#x Y\nb X\n\n", [[("#", "NN")], [("#x", "Y"), ("b", "X")]]),
    ("# NN\n\n# NN\n", [[("#", "NN")], [("#", "NN")]]),
    ("#\tNN\nb c\tX\n", [[("#", "NN"), ("b c", "X")]]),
    ("-DOCSTART- O\n\n#tag X\na Y\n", [[("#tag", "X"), ("a", "Y")]]),
)
def test_lines_that_can_be_tokens_are_tokens(tmp_path, text, expected):
    assert sentences(read(tmp_path, text)) == expected


def test_a_comment_within_a_sentence_is_refused_with_the_remedy(tmp_path):
    caught = refused(DataError, "found 3: '# a comment'", read, tmp_path, "The DT\n# a comment\ndog NN\n\n")
    assert caught.line == 2
    assert "before the first token of a sentence" in caught.remedy


def test_ragged_lines_are_not_hidden_by_comments(tmp_path):
    assert refused(DataError, "expected 2 columns", read, tmp_path, "# c\na X\nb\n").line == 3


def test_comments_are_read_in_parts_as_in_one(tmp_path):
    text = "# one two three\na X\n\n" * 3 + "b X\n\n" * 5 + "# last one here\nc X\n\n"
    whole = read(tmp_path, text)
    for size in (1, 7, 20, 1000):
        parts = list(stream(tmp_path / "d.txt", size=size))
        assert [each for part in parts for each in sentences(part)] == sentences(whole)
        said = [text for part in parts for text in (part.comments or ("",) * len(part))]
        assert tuple(said) == whole.comments


def test_predictions_keep_comments(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Tagger("perceptron", epochs=1).fit([["a", "b"]] * 9, [["X", "Y"]] * 9).save("m.riata")
    (tmp_path / "new.txt").write_text("# of the first sentence\na\nb\n\n")
    refused(SystemExit, "", riata.commands.main, ["predict", "--model", "m.riata", "new.txt"])
    assert capsys.readouterr().out.splitlines()[:2] == ["# of the first sentence", "a X"]
