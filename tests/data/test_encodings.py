"""Chunk encodings: legality is pinned by enumeration, everything else by going there and back, also for whole corpora."""

import itertools
import pickle
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import refused
from riata.data.encodings import bilou, bioes, iob1, iob2
from riata.data.encodings.base import Encoding, Tags, convert, detect, read_as_conlleval, shown_encodings
from riata.data.recoding import Recoder, answering
from riata.data.types import Column, Ids, Span, Starts
from riata.errors import LabelError
from samples import for_rows

ENCODINGS = {module.ENCODING.name: module.ENCODING for module in (bilou, bioes, iob1, iob2)}
TYPES = ("X", "Y-Z")
LONGEST = 4

every_encoding = pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS.keys())


def tags_of(encoding: Encoding) -> list[str]:
    return ["O", *(f"{prefix}-{type_}" for prefix in encoding.prefixes for type_ in TYPES)]


def all_tag_sequences(tags: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for length in range(LONGEST + 1):
        yield from itertools.product(tags, repeat=length)


def all_segmentations(length: int, start: int = 0) -> Iterator[list[Span]]:
    """Every way to mark spans in tokens start to length - 1: skip a token, or put a span there and go on."""
    if start == length:
        yield []
        return
    yield from all_segmentations(length, start + 1)
    for end in range(start + 1, length + 1):
        for rest in all_segmentations(length, end):
            for type_ in TYPES:
                yield [Span(start, end, type_), *rest]


def legal_sequences(encoding: Encoding) -> set[tuple[str, ...]]:
    return {
        tuple(encoding.encode(spans, length)) for length in range(LONGEST + 1) for spans in all_segmentations(length)
    }


def corpus(sentences: Sequence[Sequence[str]]) -> tuple[list[str], Ids, Starts]:
    labels = sorted({tag for sentence in sentences for tag in sentence})
    ids = np.array([labels.index(tag) for sentence in sentences for tag in sentence], np.int32)
    starts = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    return labels, ids, starts


def illegal_tokens(encoding: Encoding, tags: Sequence[str]) -> list[int]:
    """Token by token, what `violations` does with arrays."""
    return [
        index
        for index, tag in enumerate(tags)
        if not (encoding.may_follow(tags[index - 1], tag) if index else encoding.may_start(tag))
        or (index == len(tags) - 1 and not encoding.may_end(tag))
    ]


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[Span], int]:
    """Spans and a length: chunks of some tokens, each after a gap that is often empty."""
    chunks = st.tuples(st.integers(0, 2), st.integers(1, 4), st.sampled_from(["NP", "VP", "B-I", "O"]))
    spans, end = [], 0
    for gap, size, type_ in draw(st.lists(chunks, max_size=6)):
        spans.append(Span(end + gap, end + gap + size, type_))
        end += gap + size
    return spans, end + draw(st.integers(0, 2))


# What each encoding looks like


@for_rows(
    "name, tags",
    ("iob1", "O I-X I-X I-X B-X I-Y O I-Y I-Y B-Y I-Y I-Y"),
    ("iob2", "O B-X I-X I-X B-X B-Y O B-Y I-Y B-Y I-Y I-Y"),
    ("bioes", "O B-X I-X E-X S-X S-Y O B-Y E-Y B-Y I-Y E-Y"),
    ("bilou", "O B-X I-X L-X U-X U-Y O B-Y L-Y B-Y I-Y L-Y"),
)
def test_one_sentence_is_written_as_the_books_have_it(name: str, tags: str) -> None:
    spans = [Span(1, 4, "X"), Span(4, 5, "X"), Span(5, 6, "Y"), Span(7, 9, "Y"), Span(9, 12, "Y")]
    assert ENCODINGS[name].encode(spans, 12) == tags.split()


@every_encoding
def test_a_type_is_all_that_comes_after_the_first_hyphen(encoding: Encoding) -> None:
    assert encoding.split("B-work-of-art") == ("B", "work-of-art")
    assert encoding.split("O") == ("O", "")


@every_encoding
@pytest.mark.parametrize("tag", ["", "-", "NN", "X", "B-", "-X", "O-", "O-X", "X-NP", "BI-X", "b-X", "o"])
def test_a_tag_without_known_prefix_and_type_is_legal_nowhere(encoding: Encoding, tag: str) -> None:
    assert not encoding.is_tag(tag)
    assert not encoding.may_start(tag)
    assert not encoding.may_end(tag)
    assert not any(encoding.may_follow(previous, tag) for previous in [*tags_of(encoding), tag])


@every_encoding
def test_a_foreign_tag_is_one_violation(encoding: Encoding) -> None:
    assert encoding.violations(["O", "NN"], np.array([0, 1, 0], np.int32), np.array([0, 3])).tolist() == [1]


# Legality, by enumeration


@every_encoding
def test_the_legal_sequences_are_those_that_some_chunks_encode_to(encoding: Encoding) -> None:
    legal = {tags for tags in all_tag_sequences(tags_of(encoding)) if not illegal_tokens(encoding, tags)}
    assert legal == legal_sequences(encoding)


@every_encoding
def test_violations_are_the_tokens_that_are_illegal_one_by_one(encoding: Encoding) -> None:
    sentences = list(all_tag_sequences([*tags_of(encoding), "NN"]))
    labels, ids, starts = corpus(sentences)
    expected = [
        start + index
        for start, tags in zip(starts.tolist(), sentences, strict=False)
        for index in illegal_tokens(encoding, tags)
    ]
    found = encoding.violations(labels, ids, starts)
    assert found.dtype == np.int64
    assert found.tolist() == expected


@every_encoding
def test_a_sentence_without_violations_is_one_that_some_chunks_encode_to(encoding: Encoding) -> None:
    sentences = list(all_tag_sequences(tags_of(encoding)))
    labels, ids, starts = corpus(sentences)
    broken = set(np.searchsorted(starts, encoding.violations(labels, ids, starts), side="right") - 1)
    legal = {tags for index, tags in enumerate(sentences) if index not in broken}
    assert legal == legal_sequences(encoding)


@every_encoding
def test_spans_refuses_exactly_the_sequences_that_nothing_encodes_to(encoding: Encoding) -> None:
    legal = legal_sequences(encoding)
    for tags in all_tag_sequences([*tags_of(encoding), "NN"]):
        if tags in legal:
            encoding.spans(tags)
        else:
            refused(LabelError, "", encoding.spans, tags)


@every_encoding
def test_different_chunks_are_written_differently(encoding: Encoding) -> None:
    assert len(legal_sequences(encoding)) == sum(len(list(all_segmentations(n))) for n in range(LONGEST + 1))


@every_encoding
def test_the_flags_for_the_decoder_repeat_what_may_follow_says(encoding: Encoding) -> None:
    labels = [*tags_of(encoding), "NN"]
    start, end, follow = encoding.allowed(labels)
    assert [flags.dtype for flags in (start, end, follow)] == [np.uint8] * 3
    assert start.tolist() == [encoding.may_start(tag) for tag in labels]
    assert end.tolist() == [encoding.may_end(tag) for tag in labels]
    assert follow.tolist() == [encoding.may_follow(a, b) for a in labels for b in labels]


@every_encoding
def test_a_corpus_may_be_empty_and_so_may_its_sentences(encoding: Encoding) -> None:
    assert encoding.violations([], np.array([], np.int32), np.array([0])).tolist() == []
    labels, ids, starts = corpus([[], ["O"], [], [], ["NN"], []])
    assert encoding.violations(labels, ids, starts).tolist() == [1]


# There and back


@every_encoding
@given(sentence=sentences())
def test_spans_come_back_from_their_tags_and_the_tags_are_legal(
    encoding: Encoding, sentence: tuple[list[Span], int]
) -> None:
    spans, length = sentence
    tags = encoding.encode(spans, length)
    assert len(tags) == length
    assert all(encoding.is_tag(tag) for tag in tags)
    assert illegal_tokens(encoding, tags) == []
    assert encoding.violations(*corpus([tags])).tolist() == []
    assert encoding.spans(tags) == spans


@pytest.mark.parametrize("target", ENCODINGS.values(), ids=ENCODINGS.keys())
@every_encoding
@given(sentence=sentences())
def test_converting_there_and_back_changes_nothing(
    encoding: Encoding, target: Encoding, sentence: tuple[list[Span], int]
) -> None:
    tags = encoding.encode(*sentence)
    there = convert(tags, encoding, target)
    assert there == target.encode(*sentence)
    assert convert(there, target, encoding) == tags


@every_encoding
def test_an_encoding_survives_pickling_and_can_be_a_key(encoding: Encoding) -> None:
    copy = pickle.loads(pickle.dumps(encoding))
    assert copy == encoding
    assert {encoding: 1}[copy] == 1


# Which encoding is it?

TELLING = ([Span(1, 2, "X"), Span(3, 5, "X"), Span(5, 8, "X"), Span(8, 9, "Y")], 10)


@every_encoding
@given(others=st.lists(sentences(), max_size=5))
def test_detect_finds_the_encoding_of_varied_chunks(encoding: Encoding, others: list[tuple[list[Span], int]]) -> None:
    data = corpus([encoding.encode(*sentence) for sentence in [TELLING, *others]])
    assert detect(ENCODINGS, *data) is encoding


@every_encoding
def test_detect_bears_a_few_mistakes_in_much_data(encoding: Encoding) -> None:
    mistakes = [["O", "I-X", "O"], ["O", "B-X", "O"], ["NN"], ["E-X"], ["U-X"]]
    data = corpus([encoding.encode(*TELLING)] * 10 + mistakes)
    assert detect(ENCODINGS, *data) is encoding


@for_rows(
    "tags, name",
    ("O O", "iob2"),
    ("", "iob2"),
    ("NN VB", "iob2"),
    ("O B-X I-X", "iob2"),
    ("B-X B-X", "iob2"),
    ("O I-X", "iob1"),
    ("O S-X", "bioes"),
    ("B-X E-X", "bioes"),
    ("O U-X", "bilou"),
    ("B-X L-X", "bilou"),
)
def test_detect_settles_little_data_by_preference(tags: str, name: str) -> None:
    assert detect(ENCODINGS, *corpus([tags.split()])).name == name


# What users are told


@for_rows(
    "name, tags, message",
    (
        "iob2",
        "B-NP O I-NP",
        "token 2: label 'I-NP' follows 'O', but IOB2 expects 'O' or 'B-*' there.\n"
        '  If the file uses IOB1, pass encoding="iob1".',
    ),
    (
        "iob2",
        "B-NP I-VP",
        "token 1: label 'I-VP' follows 'B-NP', but IOB2 expects 'O', 'B-*' or 'I-NP' there.\n"
        '  If the file uses IOB1, pass encoding="iob1".',
    ),
    (
        "iob1",
        "B-NP I-NP",
        "token 0: label 'B-NP' starts the sentence, but IOB1 expects 'O' or 'I-*' there.\n"
        '  If the file uses IOB2, pass encoding="iob2".',
    ),
    (
        "iob2",
        "B-NP E-NP",
        "token 1: label 'E-NP' is no IOB2 tag; expected 'O', 'B-TYPE' or 'I-TYPE'.\n"
        '  If the file uses BIOES, pass encoding="bioes".',
    ),
    (
        "iob1",
        "O NN",
        "token 1: label 'NN' is no IOB1 tag; expected 'O', 'I-TYPE' or 'B-TYPE'.\n"
        "  Check that the column holds IOB1 tags.",
    ),
    (
        "bioes",
        "B-NP O",
        "token 1: label 'O' follows 'B-NP', but BIOES expects 'I-NP' or 'E-NP' there.\n"
        '  If the file uses IOB2, pass encoding="iob2".',
    ),
    (
        "bilou",
        "O B-NP I-NP",
        "token 2: label 'I-NP' ends the sentence, but BILOU expects 'I-NP' or 'L-NP' after it.\n"
        '  If the file uses IOB2, pass encoding="iob2".',
    ),
)
def test_an_illegal_tag_is_named_with_its_place_and_the_way_out(name: str, tags: str, message: str) -> None:
    assert str(refused(LabelError, "", ENCODINGS[name].spans, tags.split())) == message


@every_encoding
@for_rows(
    "spans, message",
    ([Span(0, 2, "X"), Span(1, 3, "Y")], r"span 1 \(1, 3, 'Y'\) starts before .* ends, at 2"),
    ([Span(2, 3, "X"), Span(0, 1, "X")], r"span 1 \(0, 1, 'X'\) starts before .* ends, at 3"),
    ([Span(3, 5, "X")], r"span 0 \(3, 5, 'X'\) is out of range: .* <= 4"),
    ([Span(-1, 1, "X")], r"span 0 \(-1, 1, 'X'\) is out of range"),
    ([Span(0, 1, "X"), Span(2, 2, "X")], r"span 1 \(2, 2, 'X'\) is out of range"),
)
def test_spans_that_cannot_be_written_are_refused_by_name(encoding: Encoding, spans: list[Span], message: str) -> None:
    refused(LabelError, message, encoding.encode, spans, 4)


# Malformed tags, read as conlleval reads them


@every_encoding
@given(sentence=sentences())
def test_reading_as_conlleval_leaves_legal_tags_alone(encoding: Encoding, sentence: tuple[list[Span], int]) -> None:
    tags = encoding.encode(*sentence)
    assert read_as_conlleval(tags, encoding) == tags


@for_rows(
    "name, tags, repaired",
    ("iob2", "O I-X I-X I-Y O", "O B-X I-X B-Y O"),
    ("iob1", "B-X I-X B-X B-Y", "I-X I-X B-X I-Y"),
    ("bioes", "B-X O I-X E-X B-Y", "S-X O B-X E-X S-Y"),
)
def test_malformed_tags_are_rewritten_with_the_chunks_conlleval_counts(name: str, tags: str, repaired: str) -> None:
    assert read_as_conlleval(tags.split(), ENCODINGS[name]) == repaired.split()


# --- from one encoding to another, whole corpora at once: against `convert`, sentence by sentence --------------------
RECODED: dict[str, Encoding] = shown_encodings()
KINDS = ("X", "Y-Z")
PAIRS = list(itertools.product(RECODED.values(), repeat=2))
every_pair = pytest.mark.parametrize(("source", "target"), PAIRS, ids=lambda encoding: encoding.name)


@st.composite
def labelled(draw):
    """Spans and lengths of a few sentences; some are empty, and chunks often touch."""
    made = []
    for _ in range(draw(st.integers(0, 4))):
        spans, at = [], 0
        for _ in range(draw(st.integers(0, 5))):
            at += draw(st.integers(0, 1))
            end = at + draw(st.integers(1, 4))
            spans.append(Span(at, end, draw(st.sampled_from(KINDS))))
            at = end
        made.append((spans, at + draw(st.integers(0, 1))))
    return made


def column_of(tags):
    return Column.of([tag for sentence in tags for tag in sentence]), np.cumsum([0, *map(len, tags)]).astype(np.int64)


@every_pair
@given(labelled())
def test_it_converts_as_sentence_by_sentence_and_back(source, target, given):
    tags = [source.encode(spans, length) for spans, length in given]
    column, starts = column_of(tags)
    learnt = Tags(source, target).learnt_column(column, starts)
    assert learnt.texts() == [tag for sentence in tags for tag in convert(sentence, source, target)]
    assert Tags(target, source).learnt_column(learnt, starts).texts() == column.texts()


@every_pair
@given(st.lists(st.lists(st.integers(0, 8), max_size=6), max_size=4))
def test_illegal_tags_become_tags_too(source, target, given):
    labels = ["O", *(f"{prefix}-{type_}" for prefix in source.prefixes for type_ in KINDS)]
    recoder = Recoder.of(labels, source, target)
    ids = np.array([i % len(labels) for sentence in given for i in sentence], np.int32)
    found = recoder.ids(ids, np.cumsum([0, *map(len, given)]).astype(np.int64))
    for before, after in zip(ids, found, strict=True):
        assert target.is_tag(recoder.labels[after])
        assert target.split(recoder.labels[after])[1] == source.split(labels[before])[1]


@every_pair
def test_a_label_alone_decides_where_the_target_says_no_more_than_the_source(source, target):
    labels = ["O", *(f"{prefix}-{type_}" for prefix in source.prefixes for type_ in KINDS)]
    says = {"iob1": 0, "iob2": 1, "bioes": 2, "bilou": 2}
    decided = source is target or (target.name != "iob1" and says[source.name] >= says[target.name])
    recoder = Recoder.of(labels, source, target)
    assert (recoder.table is not None) == decided
    assert len(set(recoder.labels)) == len(recoder.labels)
    assert all(map(target.is_tag, recoder.labels))


def test_which_prefixes_answer_which():
    iob2, iob1, bioes, bilou = (RECODED[name] for name in ("iob2", "iob1", "bioes", "bilou"))
    assert answering(iob2, bioes) == {"B": ("B", "S"), "I": ("I", "E")}
    assert answering(bioes, iob2) == {"B": ("B",), "I": ("I",), "E": ("I",), "S": ("B",)}
    assert answering(bioes, bilou) == {"B": ("B",), "I": ("I",), "E": ("L",), "S": ("U",)}
    assert answering(iob2, iob1) == {"B": ("I", "B"), "I": ("I",)}


def test_what_is_no_tag_stands_for_itself():
    """An alphabet may hold texts that no token has."""
    recoder = Recoder.of(["NN", "B-X", "O"], RECODED["iob2"], RECODED["bioes"])
    assert recoder.labels == ["NN", "B-X", "S-X", "O"]
    assert recoder.ids(np.array([1, 2, 0, 1], np.int32), np.array([0, 4])).tolist() == [2, 3, 0, 2]


def test_classes_of_the_data_bring_every_tag_of_their_types():
    tags = Tags(RECODED["iob2"], RECODED["bioes"])
    assert tags.learnt_classes(["O", "B-X", "I-X", "odd"]) == ("O", "B-X", "I-X", "E-X", "S-X", "odd")
    assert Tags(tags.data, tags.data).learnt_classes(["B-X"]) == ("B-X",)
