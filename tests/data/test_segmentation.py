"""Chunk labels to segments and back, in every encoding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riata import registry
from riata.data.encodings.base import shown_encodings
from riata.data.segmentation import Segmentation
from riata.data.types import Span

TYPES = ("NP", "VP", "O-x")


@st.composite
def sentences(draw):
    """Spans, and how many tokens there are."""
    spans, at = [], 0
    for _ in range(draw(st.integers(0, 5))):
        at += draw(st.integers(0, 2))
        size = draw(st.integers(1, 4))
        spans.append(Span(at, at + size, draw(st.sampled_from(TYPES))))
        at += size
    return spans, at + draw(st.integers(0, 2))


@pytest.mark.parametrize("encoding", sorted(shown_encodings()))
@given(st.lists(sentences(), max_size=4))
def test_there_and_back(encoding, given_sentences):
    encoding = registry.get("encoding", encoding)
    tags = [encoding.encode(spans, length) for spans, length in given_sentences]
    starts = np.cumsum([0, *map(len, tags)]).astype(np.int64)
    texts = tuple(sorted({tag for sentence in tags for tag in sentence}))
    ids = np.array([texts.index(tag) for sentence in tags for tag in sentence], np.int32)
    segmentation = Segmentation.of(dict.fromkeys(texts, 1), encoding)
    codes = segmentation.codes(texts, ids, starts)
    found = [segmentation.tags[i] for i in segmentation.tag_ids(codes, starts)]
    assert found == [tag for sentence in tags for tag in sentence]
    kinds = len(segmentation.types)
    for (spans, length), start in zip(given_sentences, starts.tolist(), strict=False):
        here = codes[start : start + length].tolist()
        segments = [Span(t, t + c // kinds + 1, segmentation.types[c % kinds]) for t, c in enumerate(here) if c >= 0]
        assert [span for span in segments if span.type != "O"] == spans
        assert sum(span.end - span.start for span in segments) == length
        assert all(span.end - span.start == 1 for span in segments if span.type == "O")
    sizes = [span.end - span.start for spans, _ in given_sentences for span in spans]
    assert segmentation.longest(codes) == max([1, *sizes])


def test_frequent_types_come_first():
    found = Segmentation.of({"B-NP": 3, "I-NP": 2, "B-VP": 4, "O": 1}, registry.get("encoding", "iob2"))
    assert found.types == ("NP", "VP", "O")
    assert found.outside == 2
    assert found.tags == ("B-NP", "I-NP", "B-VP", "I-VP", "O")
