"""Predictions as spans, of characters and of tokens."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from riata.data.chunk_boundaries import spans_of
from riata.errors import DataError, UnsupportedError
from samples import embedded, treebank

pytestmark = pytest.mark.filterwarnings("ignore::riata.RiataWarning")


@pytest.fixture(scope="module")
def recognizer():
    return riata.EntityRecognizer().fit(embedded(("word", "entity")))


def test_spans_of_text_are_counted_in_characters(recognizer):
    text = "Near e\u0301t\u00e9 \U0001f469\u200d\U0001f467, she lives in Harwick."
    (spans,) = recognizer.predict_spans([text])
    place = text.index("Harwick")
    assert (place, place + 7, "LOC", "Harwick") in [(span.start, span.end, span.label, span.text) for span in spans]
    assert all(text[span.start : span.end] == span.text for span in spans)


def test_spans_of_tokens_are_those_of_the_predicted_labels(recognizer):
    corpus = embedded(("word", "entity"), "test")[:20]
    labels = recognizer.predict(corpus)
    for sentence, tags, spans in zip(corpus, labels, recognizer.predict_spans(corpus), strict=True):
        assert [(span.start, span.end, span.label) for span in spans] == [tuple(each) for each in riata.spans(tags)]
        assert all(span.text == " ".join(sentence.column(0)[span.start : span.end]) for span in spans)


def test_confidences_come_where_they_are_asked_for_or_can_be_believed(recognizer):
    sentence = [["She", "lives", "in", "Harwick", "."]]
    (span,) = recognizer.predict_spans(sentence)[0]
    assert span.confidence == recognizer.predict_confidence(sentence)[0][3]
    assert recognizer.predict_spans(sentence, confidence=False)[0][0].confidence is None
    other = riata.EntityRecognizer(calibrated=False).fit(embedded(("word", "entity")))
    assert other.predict_spans(sentence)[0][0].confidence is None
    assert other.predict_spans(sentence, confidence=True)[0][0].confidence > 0


def test_spans_below_a_confidence_are_left_out(recognizer):
    corpus = embedded(("word", "entity"), "test")[:40]
    spans = [span for found in recognizer.predict_spans(corpus) for span in found]
    least = sorted(span.confidence for span in spans)[len(spans) // 2]
    kept = [span for found in recognizer.predict_spans(corpus, min_confidence=least) for span in found]
    assert kept == [span for span in spans if span.confidence >= least]


def test_tags_are_spans_of_one_token_and_chunks_of_joint_taggers_are_found():
    tagger = riata.Tagger(epochs=1).fit(embedded(("word", "tag")))
    assert [(span.start, span.end) for span in tagger.predict_spans(["Go home."])[0]] == [(0, 2), (3, 7), (7, 8)]
    joint = riata.JointTagger(epochs=1).fit(embedded(("word", "tag", "chunk")))
    labels = [chunk for _, chunk in joint.predict([["The", "bus", "stopped"]])[0]]
    found = joint.predict_spans([["The", "bus", "stopped"]])[0]
    assert [(span.start, span.end, span.label) for span in found] == [tuple(span) for span in spans_of(labels)]


def test_a_tagger_of_chunk_labels_finds_chunks(recognizer):
    tagger = riata.Tagger().fit(embedded(("word", "entity")))
    assert [span.label for span in tagger.predict_spans(["She lives in Harwick."])[0]] == ["LOC"]


def test_input_without_words_has_no_spans(recognizer):
    assert recognizer.predict_spans([]) == []
    assert recognizer.predict_spans(["", "  "]) == [[], []]
    assert recognizer.predict_spans([[], []]) == [[], []]


def test_what_is_no_list_of_texts_is_refused(recognizer):
    with pytest.raises(DataError, match=r"found one.\n.*predict_spans"):
        recognizer.predict_spans("She lives in Harwick.")
    with pytest.raises(DataError, match="the word 'SHE' is not the next one"):
        recognizer.predict_spans(["She"], tokenizer=lambda text: text.upper().split())
    parser = riata.DependencyParser(epochs=1, tags="given").fit(treebank())
    with pytest.raises(UnsupportedError, match="Spans are for tags and chunks"):
        parser.predict_spans([["a"]])


@given(st.lists(st.sampled_from(["O", "B-A", "I-A", "I-B", "S-A", "E-B"]), max_size=8))
def test_spans_are_ordered_and_do_not_overlap(tags):
    found = riata.spans(tags)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert all(span.label == span.type for span in found)


@pytest.mark.parametrize("tags", ["B-PER", [["O"]], 3, [1]])
def test_tags_that_are_none_are_refused(tags):
    with pytest.raises(DataError, match="expected a list of strings"):
        riata.spans(tags)
