"""Calibration: the best temperature, the rising curve, judging out of sample, and what of it goes into files."""

import copy
import json
import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import riata
from oracle import confidence as oracle
from riata import Chunker, JointTagger, Tagger
from riata.confidence.calibration import (
    COLDEST,
    HOTTEST,
    UNCALIBRATED,
    Calibration,
    Units,
    fitted,
    log_loss,
    reliability,
)
from riata.errors import DataError, ModelFileError, SettingError
from riata.estimators.confidence import _calibrated
from riata.estimators.model_file import from_bytes, to_bytes
from riata.models import container
from samples import CHUNKS, TAGS, WORDS, draws, embedded, quietly

# --- fitting ---------------------------------------------------------------------------------------------------------


def two_way(margins):
    """Of two outputs with these margins between their scores, how probable the first is."""

    def judge(temperatures):
        return np.stack([1 / (1 + np.exp(np.clip(-margins / t, -700, 700))) for t in temperatures])

    return judge


@settings(max_examples=draws(20), deadline=None)
@given(st.integers(0, 10**6), st.floats(-2.5, 2.5))
def test_the_temperature_is_that_of_the_least_log_loss(seed, scale):
    """Outputs are drawn at a temperature that is not 1, which is to be found again."""
    rng = np.random.default_rng(seed)
    margins = np.abs(rng.normal(size=300)) * 10**scale * 2
    judge = two_way(margins)
    true = 10**scale
    right = rng.random(300) < judge([true])[0]
    assume(not right.all())
    found = fitted(judge, right, "temperature")
    grid = np.geomspace(true / 20, true * 20, 500)
    losses = np.array([log_loss(values, right) for values in judge(grid)])
    best = grid[losses.argmin()]
    assume(1.001 * grid[0] < best < grid[-1] / 1.001)
    loss = log_loss(judge([found.temperature])[0], right)
    assert loss <= losses.min() * 1.01
    assert abs(math.log(found.temperature / best)) < 0.025
    assert found.knots == ()


def test_the_temperature_stays_in_its_range():
    for right, expected in ((np.ones(4, bool), None), (np.zeros(4, bool), HOTTEST)):
        found = fitted(two_way(np.array([1e-3, 1.0, 2.0, 1e9])), right, "temperature")
        assert COLDEST <= found.temperature <= HOTTEST
        assert expected in (None, found.temperature)


CONFIDENCES = st.sampled_from([0.0, 1e-9, 0.2, 0.5, 0.7, 1 - 2**-51, 1 - 2**-52, 1 - 2**-53, 1.0])


@settings(max_examples=draws(100), deadline=None)
@given(st.lists(st.tuples(CONFIDENCES | st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_the_curve_is_that_of_pooling_adjacent_violators(pairs):
    values, right = np.array([v for v, _ in pairs]), np.array([r for _, r in pairs], bool)
    found = fitted(lambda temperatures: np.tile(values, (len(temperatures), 1)), right, "isotonic")
    expected, slack = oracle.rising(values.tolist(), right.tolist()), 1 / (len(pairs) + 2)
    assert np.array(found.knots) == pytest.approx(
        np.array([(at, min(max(share, slack), 1 - slack)) for at, share in expected]), abs=1e-9
    )
    before, after = zip(*found.knots, strict=True)
    assert all(a < b for a, b in pairwise(before))
    assert all(a <= b for a, b in pairwise(after))
    assert Calibration.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    every = found.corrected(np.linspace(0, 1, 101))
    assert ((every > 0) & (every < 1) & (np.diff(every, prepend=0) >= 0)).all()


def test_confidences_that_differ_by_the_last_bit_stay_apart():
    """Rounded means of neighbouring stretches might be equal, and no file could be read again."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        values, right = 1 - rng.integers(0, 4, 20) * 2.0**-53, rng.random(20) < 0.5
        found = fitted(lambda temperatures, values=values: np.tile(values, (len(temperatures), 1)), right, "isotonic")
        assert Calibration.from_dict(found.to_dict()) == found


def test_equal_confidences_are_one_point():
    values, right = np.array([0.5] * 4 + [0.9] * 2), np.array([True, False, True, True, True, True])
    found = fitted(lambda temperatures: np.tile(values, (len(temperatures), 1)), right, "isotonic")
    assert np.array(found.knots) == pytest.approx(np.array([(0.5, 0.75), (0.9, 1 - 1 / 8)]))
    assert found.corrected(np.array([0.1, 0.5, 0.7, 1.0])) == pytest.approx([0.75, 0.75, 0.8125, 0.875])


def test_without_a_curve_nothing_is_corrected():
    values = np.array([0.1, 0.9])
    assert UNCALIBRATED.corrected(values) is values


def test_unknown_methods_are_refused():
    with pytest.raises(SettingError, match="expected one of: temperature, isotonic"):
        fitted(two_way(np.ones(2)), np.ones(2, bool), "platt")
    with pytest.raises(SettingError, match="method is 'platt'"):
        fresh().calibrate(CHUNKS, method="platt")


# --- out of sample ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_after_is_judged_on_what_was_not_fitted(method):
    """Even sentences are always right, odd ones never: a fit to one half is as wrong as can be on the other."""
    number = 40
    sentences = np.repeat(np.arange(number), 2)
    right = sentences % 2 == 0
    judge = two_way(np.linspace(0.5, 2, len(sentences)))
    report = _calibrated(judge, Units(np.arange(len(sentences)), right, sentences), method, "tags")
    halves = []
    for half in (right, ~right):
        fit = fitted(lambda temperatures, half=half: judge(temperatures)[:, half], right[half], method)
        halves.append(fit.corrected(judge([fit.temperature])[0]))
    expected = np.where(right, halves[1], halves[0])
    assert report.after == reliability(expected, right)
    whole = fitted(judge, right, method)
    assert report.calibration == whole
    inside = reliability(whole.corrected(judge([whole.temperature])[0]), right)
    assert report.after.log_loss > inside.log_loss + 0.1
    assert report.before == reliability(judge([1.0])[0], right)


def test_halves_are_whole_documents_where_these_are_marked():
    sentences, right = np.repeat(np.arange(12), 2), np.arange(24) % 3 > 0
    judge, judged = two_way(np.linspace(0.5, 2, 24)), Units(np.arange(24), right, sentences)
    document = np.array([0, 0, 0, 4, 4, 4, 5, 5, 5, 9, 9, 9], np.int32)
    by_document = Units(np.arange(24), right, np.searchsorted([0, 4, 5, 9], document)[sentences])
    found = _calibrated(judge, judged, "temperature", "tags", document)
    assert found == _calibrated(judge, by_document, "temperature", "tags")
    assert found.after != _calibrated(judge, judged, "temperature", "tags").after
    for one_sided in (np.zeros(12, np.int32), np.array([0] * 11 + [1])):
        found = _calibrated(judge, judged, "temperature", "tags", one_sided)
        assert found == _calibrated(judge, judged, "temperature", "tags")


def test_one_sentence_is_too_little():
    made = fresh()
    with pytest.raises(DataError, match="too little to calibrate on"):
        made.calibrate(CHUNKS[:1])
    assert made.calibration_ == ()


def test_calibration_on_data_makes_confidences_more_reliable():
    made = embedded_chunker(calibrated=False)
    test = embedded(split="test")
    before = made.reliability(test)[0]
    report = made.calibrate(test)
    after = made.reliability(test)[0]
    assert report.outputs[0].before == before
    assert after.log_loss < before.log_loss
    assert after.brier < before.brier
    assert report.outputs[0].after.log_loss < before.log_loss
    assert made.predict(test) == embedded_chunker().predict(test)
    assert "chunks, after" in str(report)
    again = embedded_chunker()
    before = again.reliability(test)[0]
    assert again.calibrate(test).outputs[0].before == before  # that of training


def test_isotonic_calibration_fits_its_own_data():
    made, test = embedded_chunker(), embedded(split="test")
    made.calibrate(test, method="isotonic")
    assert made.calibration_[0].knots
    assert made.reliability(test)[0].ece < 0.05


def test_no_chunk_is_nothing_to_judge():
    made = quietly(Chunker(epochs=2), [[("a", "B-X")], [("b", "O")], [("b", "O")]])
    for judge in (made.calibrate, made.reliability):
        with pytest.raises(DataError, match="no chunk is predicted"):
            judge([[("b", "O")], [("b", "B-X")]])


# --- files -----------------------------------------------------------------------------------------------------------


def fresh():
    return quietly(Chunker(epochs=2), CHUNKS)


def embedded_chunker(**params):
    return quietly(Chunker("laso-perceptron", beam=5, epochs=2, **params), embedded()[:150])


GOOD = {"temperature": 2.5, "knots": [[0.1, 0.2], [0.5, 0.2], [1.0, 0.9]]}
HOSTILE = [
    None,
    [],
    "x",
    {},
    {"temperature": 1.0},
    {**GOOD, "more": 1},
    *({**GOOD, "temperature": t} for t in (0, -1, 0.0, 1e-5, 5e-324, 1e5, 1e308, 10**400, -(10**400), math.inf, -math.inf)),
    *({**GOOD, "temperature": t} for t in (math.nan, True, False, None, "1", [1.0], {})),
    *({**GOOD, "knots": k} for k in (None, "x", {}, 1, [1], [[]], [[0.5]], [[0.1, 0.2, 0.3]], [(0.1, 0.2)], ["ab"], ((0.1, 0.2),))),
    *({**GOOD, "search": s} for s in (None, 1, "x" * 101, ["beam"])),
    *({**GOOD, "knots": [[x, 0.5]]} for x in (-0.1, 1.1, math.nan, math.inf, 10**400, True, None, "0.5", [0.5])),
    *({**GOOD, "knots": [[0.5, x]]} for x in (-0.1, 1.1, math.nan, math.inf, 10**400, False, None, "0.5")),
    {**GOOD, "knots": [[0.2, 0.5], [0.1, 0.6]]},
    {**GOOD, "knots": [[0.2, 0.5], [0.2, 0.6]]},
    {**GOOD, "knots": [[0.1, 0.5], [0.2, 0.4]]},
    {**GOOD, "knots": [[i / 200_000, 0.5] for i in range(100_001)]},
]  # fmt: skip


@pytest.mark.parametrize("data", HOSTILE, ids=lambda data: f"{data!r:.40}")
def test_hostile_calibrations_are_refused(data):
    with pytest.raises(ModelFileError, match="calibration is inconsistent"):
        Calibration.from_dict(data)


@settings(max_examples=draws(50), deadline=None)
@given(
    st.floats(COLDEST, HOTTEST),
    st.lists(st.floats(0, 1), unique=True, max_size=8),
    st.lists(st.floats(0, 1), min_size=8, max_size=8),
)
def test_a_calibration_comes_back_from_its_dictionary(temperature, before, after):
    knots = tuple(zip(sorted(before), sorted(after), strict=False))
    made = Calibration(temperature, knots, search="beam, 5 wide" if knots else "")
    assert Calibration.from_dict(json.loads(json.dumps(made.to_dict(), allow_nan=False))) == made
    assert Calibration.from_dict({"temperature": 1, "knots": [[0, 0], [1, 1]]}) == Calibration(
        1.0, ((0.0, 0.0), (1.0, 1.0))
    )


def taggers():
    yield fresh(), CHUNKS
    yield (
        quietly(Tagger(epochs=2), WORDS, TAGS),
        [list(zip(w, t, strict=True)) for w, t in zip(WORDS, TAGS, strict=True)],
    )
    yield quietly(JointTagger("laso-perceptron", beam=3, epochs=2), CHUNKS), CHUNKS
    yield quietly(Chunker("laso-perceptron", structure="segments", beam=3, epochs=2), CHUNKS), CHUNKS


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_a_model_file_keeps_the_calibration(method, tmp_path):
    for made, data in taggers():
        without = to_bytes(made)
        assert b"calibration" not in without
        assert from_bytes(without).calibration_ == ()
        made.calibrate(data, method=method)
        assert len(made.calibration_) == made.outputs
        content = to_bytes(made)
        made.calibrate(data, method=method)
        assert to_bytes(made) == content
        made.save(tmp_path / "model")
        for again in (riata.load_model(tmp_path / "model"), pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
            assert again.calibration_ == made.calibration_
            assert to_bytes(again) == content
            ids, values = again.confidence.confidence_ids(data)
            expected = made.confidence.confidence_ids(data)
            assert (ids.tolist(), values.tolist()) == (expected[0].tolist(), expected[1].tolist())


def test_a_file_with_a_hostile_calibration_is_refused():
    made = next(iter(taggers()))[0]
    made.calibrate(CHUNKS)
    header, arrays = container.unpack(to_bytes(made))
    good = header["calibration"][0]
    for bad in ("x", {}, [good, good], [None], [{**good, "temperature": 0}], None, 1):
        with pytest.raises(ModelFileError):
            from_bytes(container.pack({**header, "calibration": bad}, arrays))
    assert from_bytes(container.pack({**header, "calibration": []}, arrays)).calibration_ == ()


@pytest.mark.parametrize("again", ["fit", "partial_fit", "warm_start"])
def test_training_anew_forgets_it(again):
    made = fresh()
    made.calibrate(CHUNKS)
    assert made.calibration_
    if again == "partial_fit":
        made.partial_fit(CHUNKS)
    else:
        quietly(made.set_params(warm_start=again == "warm_start"), CHUNKS)
    assert made.calibration_ == ()
