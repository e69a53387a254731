"""Predicting only what the model is sure of: chunks and tags that are left out, what stays, and what is refused."""

import itertools
import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import strategies as st

from checks import refused
from riata import Chunker, JointTagger, RiataWarning, Tagger, registry
from riata.confidence.calibration import Calibration
from riata.data.encodings.base import spans_of
from riata.data.types import Span
from riata.errors import DataError, NotFittedError, SettingError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from samples import (
    FEATURES,
    INPUTS,
    TAGS,
    UNSEEN,
    WORDS,
    embedded,
    feature_tagger,
    for_each,
    hashed_chunker,
    history_chunker,
    recoded_chunker,
    segment_chunker,
    tagger,
    tried,
)

ENCODINGS = ["iob1", "iob2", "bioes", "bilou"]


def trusted(made):
    """The estimator, with confidences that are taken for calibrated at temperature 1 if nothing calibrated them."""
    if made.confidence.believable:
        return made
    made = made.twin()
    made.calibration_ = (Calibration(),) * len(made.labels.chunk_outputs)
    return made


def surely(made, X, least):
    return trusted(made).predict(X, min_confidence=least)


@cache
def embedded_chunker(structure="chain", learn_as=None, encoding="auto"):
    recipe = "laso-perceptron"
    return Chunker(recipe, structure=structure, beam=5, epochs=1, learn_as=learn_as).fit(in_encoding(encoding))


@cache
def in_encoding(encoding, split="train", most=80):
    """The embedded corpus as lists, in an encoding."""
    data = [[tuple(map(str, token)) for token in sentence] for sentence in embedded(split=split)[:most]]
    if encoding == "auto":
        return data
    target = registry.get("encoding", encoding)
    return [
        [(*t[:-1], y) for t, y in zip(s, target.encode(spans_of([t[-1] for t in s]), len(s)), strict=True)]
        for s in data
    ]


@cache
def joint():
    return JointTagger("laso-perceptron", beam=4, epochs=1, calibrated=False).fit(in_encoding("auto"))


def words_of(data, columns=2):
    return [[token[:columns] if columns > 1 else token[0] for token in sentence] for sentence in data]


def check_chunks(labels, sure, confidences, least):
    """Those of enough confidence stay, and only those."""
    whole = spans_of(labels)
    for span in whole:
        assert len(set(confidences[span.start : span.end])) == 1
    assert spans_of(sure) == [span for span in whole if confidences[span.start] >= least]


# --- chunks ----------------------------------------------------------------------------------------------------------
@for_each(made=[history_chunker, recoded_chunker, segment_chunker], least=[0, 0.2, 0.5, 0.8, 0.999, 1])
def test_unsure_chunks_are_left_out(made, least):
    estimator = made()
    predicted, sure = estimator.predict(INPUTS), surely(estimator, INPUTS, least)
    for row in zip(predicted, sure, estimator.predict_confidence(INPUTS), strict=True):
        check_chunks(*row, least)
    if least == 0:
        assert sure == predicted


@for_each(structure=["chain", "segments"], encoding=ENCODINGS)
def test_what_is_left_is_legal(encoding, structure):
    """In IOB1, a chunk says that it touches the one before it, which may have been left out."""
    made, test = embedded_chunker(structure, None, encoding), words_of(in_encoding("auto", "test"))
    legal, dropped = registry.get("encoding", encoding), 0
    confidences, predicted = made.predict_confidence(test), made.predict(test)
    for least in (0.3, 0.7, 0.95):
        for labels, sure, values in zip(predicted, surely(made, test, least), confidences, strict=True):
            assert all(itertools.starmap(legal.may_follow, itertools.pairwise(["O", *sure, "O"])))
            check_chunks(labels, sure, values, least)
            dropped += labels != sure
    assert dropped > 5


@tried(
    60,
    st.sampled_from(ENCODINGS),
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from("OXXY"), st.booleans()), min_size=1, max_size=8),
)
def test_any_chunks_may_be_left_out(encoding, drawn):
    """Touching ones too, whichever are dropped."""
    made, legal = touching(encoding), registry.get("encoding", encoding)
    spans, keep, at = [], [], 0
    for size, kind, kept in drawn:
        if kind != "O":
            spans.append((at, at + size + 1, kind))
            keep.append(kept)
        at += size + 1
    labels = legal.encode([Span(*span) for span in spans], at)
    values = np.full((1, at), 0.9)
    for (start, end, _), kept in zip(spans, keep, strict=True):
        values[0, start:end] = 0.9 if kept else 0.1
    ids = np.array([made.classes_.index(label) for label in labels], np.int32)
    found = made.confidence.abstaining(ids, values, 0.5)
    kept = [Span(*span) for span, stays in zip(spans, keep, strict=True) if stays]
    assert found == [legal.encode(kept, at)]


@cache
def touching(encoding):
    """A chunker that knows every tag of two types."""
    prefixes = registry.get("encoding", encoding).prefixes
    classes = ["O", *(f"{prefix}-{kind}" for prefix in prefixes for kind in "XY")]
    words = [[("a", "O")], [("b", "I-X" if encoding == "iob1" else "O")]]
    made = Chunker(encoding=encoding, template=parse("word[0]"))
    return made.partial_fit(words, classes=classes)


def test_what_is_kept_is_more_often_right():
    made, dev = embedded_chunker(), in_encoding("auto", "test", 400)
    test, gold = words_of(dev), [[token[-1] for token in sentence] for sentence in dev]
    precisions, kept = [], []
    for least in (0, 0.6, 0.9, 0.99):
        found = [set(spans_of(labels)) for labels in surely(made, test, least)]
        right = sum(len(a & set(spans_of(b))) for a, b in zip(found, gold, strict=True))
        kept.append(sum(map(len, found)))
        precisions.append(right / kept[-1])
    assert kept == sorted(set(kept), reverse=True)
    assert precisions == sorted(set(precisions))


def test_labels_learnt_in_another_encoding_line_up():
    plain, recoded = embedded_chunker(), embedded_chunker(learn_as="bioes")
    assert recoded.learnt_as_ == "bioes"
    test = words_of(in_encoding("auto", "test"))
    assert {label[0] for s in recoded.predict(test) for label in s} <= set("BIO")
    for made in (plain, recoded):
        for labels, sure, values in zip(
            made.predict(test), surely(made, test, 0.9), made.predict_confidence(test), strict=True
        ):
            assert len(labels) == len(values)
            check_chunks(labels, sure, values, 0.9)


# --- tags and pairs --------------------------------------------------------------------------------------------------
def test_unsure_tags_are_none():
    made = tagger()
    predicted, values = made.predict(UNSEEN), made.predict_confidence(UNSEEN)
    assert len({round(v, 6) for s in values for v in s}) > 3
    for least in sorted({0.0, *(v for s in values for v in s), 1.0}):
        expected = [
            [y if v >= least else None for y, v in zip(*row, strict=True)]
            for row in zip(predicted, values, strict=True)
        ]
        assert surely(made, UNSEEN, least) == expected


def test_of_pairs_either_may_be_missing():
    made, test = joint(), words_of(in_encoding("auto", "test", 30), 1)
    predicted, values = made.predict(test), made.predict_confidence(test)
    least, seen = 0.9, set()
    for pairs, sure, of in zip(predicted, surely(made, test, least), values, strict=True):
        tags, chunks = zip(*pairs, strict=True)
        sure_tags, sure_chunks = zip(*sure, strict=True)
        of_tags, of_chunks = zip(*of, strict=True)
        assert list(sure_tags) == [tag if v >= least else None for tag, v in zip(tags, of_tags, strict=True)]
        check_chunks(chunks, sure_chunks, of_chunks, least)
        seen |= {
            (tag is None, chunk != before) for tag, chunk, before in zip(sure_tags, sure_chunks, chunks, strict=True)
        }
    assert seen >= {(True, False), (False, True), (False, False)}
    assert surely(made, test, 0) == predicted


# --- inputs and refusals ---------------------------------------------------------------------------------------------
def test_arrays_and_dictionaries():
    vectors = [np.array([[len(word) / 10, word.istitle()] for word in s]) for s in WORDS]
    by_array = Tagger(epochs=3).fit(vectors, TAGS)
    for made, X in ((by_array, vectors), (feature_tagger(), FEATURES)):
        values = made.predict_confidence(X)
        assert [len(v) for v in values] == [len(y) for y in TAGS]
        assert all(0 <= v <= 1 for s in values for v in s)
        assert surely(made, X, 0) == made.predict(X)
        assert {label for s in surely(made, X, 1) for label in s} <= {None, *made.classes_}
        assert made.calibrate(X, TAGS).outputs[0].after.number == sum(map(len, TAGS))
        del made.calibration_


@pytest.mark.parametrize("empty", [[], [[]], [[], []], ()])
def test_nothing_gives_nothing(empty):
    for made in (tagger(), history_chunker(), joint()):
        nothing = [[] for _ in empty]
        assert made.predict_confidence(empty) == nothing
        assert surely(made, empty, 0.5) == nothing


def test_empty_sentences_among_others():
    made = tagger()
    X = [[], *WORDS[:1], [], *WORDS[1:2], []]
    assert [len(s) for s in made.predict_confidence(X)] == list(map(len, X))
    assert surely(made, X, 0) == made.predict(X)
    assert made.predict_confidence(X)[1] == made.predict_confidence(WORDS[:1])[0]


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan"), float("inf"), True, False, "0.5", [0.5], 10**400])
def test_what_is_no_confidence_is_refused(least):
    for X in (WORDS, []):
        refused(SettingError, "expected a number from 0 to 1", tagger().predict, X, min_confidence=least)


def test_what_is_not_calibrated_is_warned_about_once_and_leaves_nothing_out():
    made = Tagger(epochs=2).fit(WORDS, TAGS)
    with pytest.warns(RiataWarning, match="not calibrated .there was too little data") as caught:
        made.predict_confidence(WORDS)
        made.predict_confidence(WORDS)
    assert len(caught) == 1
    for X in (WORDS, []):
        assert "calibrate(dev)" in refused(UnsupportedError, "not calibrated", made.predict, X, min_confidence=0).remedy
    made.fit(WORDS, TAGS)
    with pytest.warns(RiataWarning, match="not calibrated"):
        made.predict_confidence(WORDS)
    made.calibrate(WORDS, TAGS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made.predict(WORDS, min_confidence=0) == made.predict(WORDS)
        made.predict_confidence(WORDS)


def test_a_recipe_that_is_set_after_training_has_not_learnt_the_probabilities():
    made = Tagger(epochs=2).fit(WORDS, TAGS).set_params(recipe="crf")
    refused(UnsupportedError, "not calibrated", made.predict, WORDS, min_confidence=0)
    loaded = from_bytes(to_bytes(made))
    assert loaded.facts_["recipe"] == "mira"
    refused(UnsupportedError, "not calibrated", loaded.predict, WORDS, min_confidence=0)


def test_a_bound_that_no_confidence_reaches_is_warned_of_once(run, tmp_path):
    made = Tagger(epochs=2).fit(WORDS, TAGS)
    made.calibration_ = (Calibration(1.0, ((0.0, 0.0), (1.0, 0.8))),)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.predict(WORDS, min_confidence=0.8)
    with pytest.warns(RiataWarning, match=r"the confidence of tags is never above 0\.8, .* lower bound") as caught:
        assert {tag for tags in made.predict(WORDS, min_confidence=0.9) for tag in tags} == {None}
        made.predict(WORDS, min_confidence=0.9)
    assert [warning.filename for warning in caught] == [__file__]
    made.save(tmp_path / "m.riata")
    (tmp_path / "in.txt").write_text("the\n")
    status, _, err = run("predict", "--model", tmp_path / "m.riata", "--min-confidence", "0.9", tmp_path / "in.txt")
    assert (status, err.count("never above 0.8")) == (0, 1)


def test_another_beam_than_the_calibrated_one_is_warned_of_once():
    made = embedded_chunker()
    words = words_of(in_encoding("auto", "test"))[:3]
    assert made.calibration_[0].search == "beam, 5 wide"
    other = from_bytes(to_bytes(made)).set_params(beam=25)
    with pytest.warns(
        RiataWarning, match=r"another search .beam, 5 wide. than the present one .beam, 25 wide."
    ) as caught:
        other.predict_confidence(words)
        other.predict(words, min_confidence=0.5)
    assert [warning.filename for warning in caught] == [__file__]
    other.calibrate(in_encoding("auto", "test"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other.predict_confidence(words)
        made.predict_confidence(words)


def test_files_are_warned_about_and_refused_alike(run, tmp_path):
    made = Tagger(epochs=2).fit(WORDS, TAGS)
    made.save(tmp_path / "m.riata")
    (tmp_path / "in.txt").write_text("the\n")
    status, _, err = run("predict", "--model", tmp_path / "m.riata", "--confidence", tmp_path / "in.txt")
    assert (status, err.count("not calibrated")) == (0, 1)
    status, out, err = run("predict", "--model", tmp_path / "m.riata", "--min-confidence", "0.5", tmp_path / "in.txt")
    assert (status, out, err.count("not calibrated")) == (2, "", 1)
    with pytest.warns(RiataWarning, match="not calibrated") as caught:
        made.predict_file(tmp_path / "in.txt", tmp_path / "out.txt", confidence=True)
    assert len(caught) == 1
    with pytest.raises(UnsupportedError, match="not calibrated"):
        made.predict_file(tmp_path / "in.txt", tmp_path / "none.txt", min_confidence=0.5)
    assert not (tmp_path / "none.txt").exists()


def test_untrained_estimators_are_not_sure_of_anything():
    for ask in (
        Tagger().predict_confidence,
        Tagger().calibrate,
        Tagger().reliability,
        lambda X: Tagger().predict(X, min_confidence=1),
    ):
        for X in (WORDS, []):
            refused(NotFittedError, "", ask, X)


@pytest.mark.parametrize("queue", ["best-first", "depth-first", "breadth-first", "hill-climb"])
def test_queues_without_levels_are_refused(queue):
    for made in (history_chunker().twin(queue=queue), segment_chunker().twin(queue=queue)):
        for ask in (made.predict_confidence, made.confidence.confidence_ids, lambda X, made=made: surely(made, X, 0.5)):
            assert queue in str(refused((UnsupportedError, SettingError), "", ask, INPUTS))


def test_beams_over_all_that_is_pending_are_refused():
    made = hashed_chunker().twin(settings={"beam_by": "pending"})
    refused(UnsupportedError, "pending", made.predict_confidence, [[("a", "0.5")]])


def test_inputs_that_do_not_fit_are_refused():
    refused(DataError, "", history_chunker().predict_confidence, WORDS)
    refused(DataError, "", feature_tagger().predict_confidence, WORDS)
    refused(DataError, "", tagger().calibrate, WORDS)
    refused(DataError, "", tagger().calibrate, WORDS, TAGS[:-1])
