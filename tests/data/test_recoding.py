"""From one encoding to another, whole corpora at once: against `convert`, sentence by sentence."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riata.data.chunk_labels import shown_encodings
from riata.data.encodings.base import Encoding, convert
from riata.data.recoding import Recoder, Tags, answering
from riata.data.types import Column, Span

ENCODINGS: dict[str, Encoding] = shown_encodings()
TYPES = ("X", "Y-Z")
PAIRS = list(itertools.product(ENCODINGS.values(), repeat=2))
every_pair = pytest.mark.parametrize(("source", "target"), PAIRS, ids=lambda encoding: encoding.name)


@st.composite
def sentences(draw):
    """Spans and lengths of a few sentences; some are empty, and chunks often touch."""
    made = []
    for _ in range(draw(st.integers(0, 4))):
        spans, at = [], 0
        for _ in range(draw(st.integers(0, 5))):
            at += draw(st.integers(0, 1))
            end = at + draw(st.integers(1, 4))
            spans.append(Span(at, end, draw(st.sampled_from(TYPES))))
            at = end
        made.append((spans, at + draw(st.integers(0, 1))))
    return made


def column_of(tags):
    return Column.of([tag for sentence in tags for tag in sentence]), np.cumsum([0, *map(len, tags)]).astype(np.int64)


@every_pair
@given(sentences())
def test_it_converts_as_sentence_by_sentence_and_back(source, target, given):
    tags = [source.encode(spans, length) for spans, length in given]
    column, starts = column_of(tags)
    learnt = Tags(source, target).learnt_column(column, starts)
    assert learnt.texts() == [tag for sentence in tags for tag in convert(sentence, source, target)]
    assert Tags(target, source).learnt_column(learnt, starts).texts() == column.texts()


@every_pair
@given(st.lists(st.lists(st.integers(0, 8), max_size=6), max_size=4))
def test_illegal_tags_become_tags_too(source, target, given):
    labels = ["O", *(f"{prefix}-{type_}" for prefix in source.prefixes for type_ in TYPES)]
    recoder = Recoder.of(labels, source, target)
    ids = np.array([i % len(labels) for sentence in given for i in sentence], np.int32)
    found = recoder.ids(ids, np.cumsum([0, *map(len, given)]).astype(np.int64))
    for before, after in zip(ids, found, strict=True):
        assert target.is_tag(recoder.labels[after])
        assert target.split(recoder.labels[after])[1] == source.split(labels[before])[1]


@every_pair
def test_a_label_alone_decides_where_the_target_says_no_more_than_the_source(source, target):
    labels = ["O", *(f"{prefix}-{type_}" for prefix in source.prefixes for type_ in TYPES)]
    says = {"iob1": 0, "iob2": 1, "bioes": 2, "bilou": 2}
    decided = source is target or (target.name != "iob1" and says[source.name] >= says[target.name])
    recoder = Recoder.of(labels, source, target)
    assert (recoder.table is not None) == decided
    assert len(set(recoder.labels)) == len(recoder.labels)
    assert all(map(target.is_tag, recoder.labels))


def test_which_prefixes_answer_which():
    iob2, iob1, bioes, bilou = (ENCODINGS[name] for name in ("iob2", "iob1", "bioes", "bilou"))
    assert answering(iob2, bioes) == {"B": ("B", "S"), "I": ("I", "E")}
    assert answering(bioes, iob2) == {"B": ("B",), "I": ("I",), "E": ("I",), "S": ("B",)}
    assert answering(bioes, bilou) == {"B": ("B",), "I": ("I",), "E": ("L",), "S": ("U",)}
    assert answering(iob2, iob1) == {"B": ("I", "B"), "I": ("I",)}


def test_what_is_no_tag_stands_for_itself():
    """An alphabet may hold texts that no token has."""
    recoder = Recoder.of(["NN", "B-X", "O"], ENCODINGS["iob2"], ENCODINGS["bioes"])
    assert recoder.labels == ["NN", "B-X", "S-X", "O"]
    assert recoder.ids(np.array([1, 2, 0, 1], np.int32), np.array([0, 4])).tolist() == [2, 3, 0, 2]


def test_classes_of_the_data_bring_every_tag_of_their_types():
    tags = Tags(ENCODINGS["iob2"], ENCODINGS["bioes"])
    assert tags.learnt_classes(["O", "B-X", "I-X", "odd"]) == ("O", "B-X", "I-X", "E-X", "S-X", "odd")
    assert Tags(tags.data, tags.data).learnt_classes(["B-X"]) == ("B-X",)
