"""IO, types alone: chunks that do not touch one of their type are kept, and nothing is taken for IO that does not say so."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from riata import registry
from riata.data.encodings.base import are_chunk_labels, convert
from riata.data.recoding import Recoder
from riata.data.types import Column, Span
from riata.errors import LabelError, UnsupportedError
from samples import embedded

IO, IOB2 = registry.get("encoding", "io"), registry.get("encoding", "iob2")
TAGS = ["O", "PER", "LOC", "person-actor", "person-other"]

pytestmark = pytest.mark.filterwarnings("ignore::riata.RiataWarning")


def bare(split="train"):
    """The embedded entities, in IO."""
    corpus = embedded(("word", "entity"), split)
    recoder = Recoder.of(corpus.columns[-1].alphabet.texts(), IOB2, IO)
    column = recoder.column(corpus.columns[-1].ids, corpus.starts)
    return [list(zip(*pair, strict=True)) for pair in zip(corpus.sentences_of(0), texts(column, corpus), strict=True)]


def texts(column: Column, corpus: riata.Corpus) -> list[list[str]]:
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
        riata.EntityRecognizer().fit(data)
    with pytest.raises(LabelError) as caught:
        riata.Chunker().fit([[("Anna", "NNP"), ("left", "VBD")]])
    assert "encoding" not in str(caught.value)
    with pytest.raises(
        LabelError, match=r"label 'B-PER' is no chunk label; expected O or a type of two letters.*\n.*leave it out"
    ):
        riata.EntityRecognizer(encoding="io").fit([[("Anna", "B-PER"), ("left", "O")]])


@pytest.mark.parametrize(
    "options",
    [{}, {"learn_as": "iob2"}, {"learn_as": "bioes"}, {"recipe": "laso-perceptron"}, {"recipe": "perceptron"}],
)
def test_entities_are_learnt_from_io_and_written_so(options, tmp_path):
    model = riata.EntityRecognizer(encoding="io", epochs=5, **options).fit(bare())
    assert model.encoding_ == "io"
    assert set(model.classes_) == {"O", "PER", "LOC", "ORG", "MISC"}
    found = model.evaluate(bare("test"))
    reference = riata.EntityRecognizer(epochs=5, **options).fit(embedded(("word", "entity")))
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
        riata.Chunker(learn_as="io").fit(embedded(("word", "chunk")))
