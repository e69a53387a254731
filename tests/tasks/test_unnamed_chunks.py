"""Chunk labels that are prefixes alone, B, I and O: chunks of one kind without a name."""

import pytest

import riata
from checks import refused, stored
from riata import Chunker, EntityRecognizer, metrics, registry
from riata.data.encodings.base import convert
from riata.errors import LabelError

WORDS = [["Ann", "Lee", "saw", "Bob"], ["it", "rained"], ["Bob", "met", "Ann", "Lee", "today"], ["Ann", "Bob"]] * 3
BARE = [["B", "I", "O", "B"], ["O", "O"], ["B", "O", "B", "I", "O"], ["B", "B"]] * 3
TYPED = [[label if label == "O" else f"{label}-X" for label in labels] for labels in BARE]


@pytest.mark.parametrize("estimator", [Chunker, EntityRecognizer])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"recipe": "crf"}, {"recipe": "hmm"}, {"structure": "segments"}, {"learn_as": "bioes"}, {"passes": 2}],
    ids=str,
)
def test_they_are_learnt_and_scored_as_with_a_type(tmp_path, estimator, parameters):
    model, typed = (estimator(**parameters).fit(WORDS, y) for y in (BARE, TYPED))
    found = model.predict(WORDS)
    assert found == [[label.removesuffix("-X") for label in labels] for labels in typed.predict(WORDS)]
    assert model.score(WORDS, BARE) == typed.score(WORDS, TYPED) == 1.0
    report = model.evaluate(WORDS, BARE)
    assert "(unnamed)" in str(report)
    assert stored(model, tmp_path).predict(WORDS) == found


@pytest.mark.parametrize("encoding", ["iob1", "iob2", "bioes", "bilou"])
def test_all_encodings_have_them(encoding):
    source, target = registry.get("encoding", "iob2"), registry.get("encoding", encoding)
    for labels, typed in zip(BARE, TYPED, strict=True):
        written = convert(labels, source, target)
        assert written == [label.removesuffix("-X") for label in convert(typed, source, target)]
        assert target.spans(written) == source.spans(labels)
        assert not len(target.violations(*_ids(written)))


def _ids(labels):
    import numpy as np

    known = sorted(set(labels))
    return known, np.array([known.index(label) for label in labels], np.int32), np.array([0, len(labels)], np.int64)


def test_the_encoding_is_detected():
    assert Chunker().fit(WORDS, BARE).encoding_ == "iob2"
    first = [["I", "I", "O", "I"], ["O", "O"], ["I", "O", "I", "I", "O"], ["I", "B"]] * 3
    assert Chunker().fit(WORDS, first).encoding_ == "iob1"


def test_an_illegal_one_is_named():
    encoding = registry.get("encoding", "iob2")
    refused(LabelError, "label 'I' starts the sentence, but IOB2 expects 'O' or 'B", encoding.spans, ["I", "O"])
    refused(LabelError, "label 'I-X' follows 'B', but IOB2 expects 'O', 'B' or 'I' there", encoding.spans, ["B", "I-X"])


def test_one_beside_types_is_refused():
    refused(LabelError, r"label '[BI]' is no chunk label", Chunker().fit, WORDS, [*BARE[:-1], TYPED[-1]])


def test_metrics_score_them():
    assert metrics.span_f1_score(BARE, BARE) == 1.0


def test_integer_labels_are_refused_with_the_remedy():
    with pytest.raises(riata.errors.DataError, match="a label is 0, of type int") as refused:
        riata.Tagger().fit([["a", "b"], ["c"]], [[0, 1], [2]])
    assert "str(label) for label in labels" in refused.value.remedy
