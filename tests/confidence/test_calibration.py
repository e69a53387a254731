"""Calibration: the best temperature, the rising curve, judging out of sample, and what of it goes into files."""

import copy
import json
import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from checks import refused, stored
from oracle import confidence as oracle
from riata import Chunker, JointTagger, Tagger
from riata.confidence.calibration import (
    BINS,
    COLDEST,
    HOTTEST,
    UNCALIBRATED,
    Calibrated,
    Calibration,
    CalibrationReport,
    CarriedFit,
    JudgedUnits,
    best_fit,
    best_temperature,
    carried,
    fitted,
    log_loss,
    partners,
    reliability,
    smoothed,
    units,
)
from riata.errors import DataError, ModelFileError, SettingError
from riata.estimators.confidence import _calibrated
from riata.estimators.model_file import from_bytes, to_bytes
from riata.models import container
from samples import CHUNKS, TAGS, WORDS, embedded, tried


# --- fitting ---------------------------------------------------------------------------------------------------------
def two_way(margins):
    """Of two outputs with these margins between their scores, how probable the first is."""

    def judge(temperatures):
        return np.stack([1 / (1 + np.exp(np.clip(-margins / t, -700, 700))) for t in temperatures])

    return judge


@tried(20, st.integers(0, 10**6), st.floats(-2.5, 2.5))
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


@tried(100, st.lists(st.tuples(CONFIDENCES | st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
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
    refused(SettingError, "method is 'platt'", fresh().calibrate, CHUNKS, method="platt")


# --- out of sample ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_after_is_judged_on_what_was_not_fitted(method):
    """Even sentences are always right, odd ones never: a fit to one half is as wrong as can be on the other."""
    number = 40
    sentences = np.repeat(np.arange(number), 2)
    right = sentences % 2 == 0
    judge = two_way(np.linspace(0.5, 2, len(sentences)))
    report = _calibrated(judge, JudgedUnits(np.arange(len(sentences)), right, sentences), method, "tags")
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
    judge, judged = two_way(np.linspace(0.5, 2, 24)), JudgedUnits(np.arange(24), right, sentences)
    document = np.array([0, 0, 0, 4, 4, 4, 5, 5, 5, 9, 9, 9], np.int32)
    by_document = JudgedUnits(np.arange(24), right, np.searchsorted([0, 4, 5, 9], document)[sentences])
    found = _calibrated(judge, judged, "temperature", "tags", document)
    assert found == _calibrated(judge, by_document, "temperature", "tags")
    assert found.after != _calibrated(judge, judged, "temperature", "tags").after
    for one_sided in (np.zeros(12, np.int32), np.array([0] * 11 + [1])):
        found = _calibrated(judge, judged, "temperature", "tags", one_sided)
        assert found == _calibrated(judge, judged, "temperature", "tags")


def test_one_sentence_is_too_little():
    made = fresh()
    refused(DataError, "too little to calibrate on", made.calibrate, CHUNKS[:1])
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
    made = Chunker(epochs=2).fit([[("a", "B-X")], [("b", "O")], [("b", "O")]])
    for judge in (made.calibrate, made.reliability):
        refused(DataError, "no chunk is predicted", judge, [[("b", "O")], [("b", "B-X")]])


# --- files -----------------------------------------------------------------------------------------------------------
def fresh():
    return Chunker(epochs=2).fit(CHUNKS)


def embedded_chunker(**params):
    return Chunker("laso-perceptron", beam=5, epochs=2, **params).fit(embedded()[:150])


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
    refused(ModelFileError, "calibration is inconsistent", Calibration.from_dict, data)


@tried(
    50,
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
    yield (Tagger(epochs=2).fit(WORDS, TAGS), [list(zip(w, t, strict=True)) for w, t in zip(WORDS, TAGS, strict=True)])
    yield JointTagger("laso-perceptron", beam=3, epochs=2).fit(CHUNKS), CHUNKS
    yield Chunker("laso-perceptron", structure="segments", beam=3, epochs=2).fit(CHUNKS), CHUNKS


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
        for again in (stored(made, tmp_path), pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
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
        refused(ModelFileError, "", from_bytes, container.pack({**header, "calibration": bad}, arrays))
    assert from_bytes(container.pack({**header, "calibration": []}, arrays)).calibration_ == ()


@pytest.mark.parametrize("again", ["fit", "partial_fit", "warm_start"])
def test_training_anew_forgets_it(again):
    made = fresh()
    made.calibrate(CHUNKS)
    assert made.calibration_
    if again == "partial_fit":
        made.partial_fit(CHUNKS)
    else:
        made.set_params(warm_start=again == "warm_start").fit(CHUNKS)
    assert made.calibration_ == ()


# --- the temperature that few searches find, ceilings, and what carries both to another model ------------------------
@tried(40, st.integers(0, 10**6), st.floats(-2, 2), st.floats(-3, 3))
def test_few_searches_find_the_temperature_of_least_loss(seed, scale, off):
    """Wherever the search begins: a grid of 2,000 temperatures has no better one."""
    rng = np.random.default_rng(seed)
    margins = np.abs(rng.normal(size=400)) * 10**scale * 2
    judge, asked = two_way(margins), []
    right = rng.random(400) < judge([10**scale])[0]
    assume(not right.all())

    def counted(temperatures):
        asked.extend(temperatures)
        return judge(temperatures)

    found = best_temperature(counted, right, 10 ** (scale + off), smoothed)
    grid = np.geomspace(10**scale / 50, 10**scale * 50, 2000)
    losses = [smoothed(values, right) for values in judge(grid)]
    assert smoothed(judge([found])[0], right) <= min(losses) * 1.005
    assert len(asked) <= (20 if abs(off) < 2 else 40)


@tried(50, st.lists(st.tuples(st.floats(0.001, 0.999), st.booleans()), min_size=1, max_size=30))
def test_the_loss_is_that_of_its_definition(pairs):
    values, right = zip(*pairs, strict=True)
    assert smoothed(np.array(values), np.array(right)) == pytest.approx(oracle.smoothed(values, right))


def test_few_predictions_that_are_all_right_make_no_model_certain():
    judge = two_way(np.full(8, 1.0))
    found = best_temperature(judge, np.ones(8, bool), 1.0, smoothed)
    assert judge([found])[0] == pytest.approx(np.full(8, 9 / 10), abs=0.02)


def test_a_search_without_alternatives_has_no_temperature():
    assert best_fit(lambda temperatures: np.ones((len(temperatures), 40)), np.arange(40) % 4 > 0, 1.0) is None


def test_a_ceiling_is_for_what_is_wrong_at_any_temperature():
    """Every second prediction has no alternative, and every fifth of these is wrong."""
    rng = np.random.default_rng(0)
    margins = np.abs(rng.normal(size=2000)) * 2
    alone = np.arange(2000) % 2 == 0
    of_margins = two_way(margins)
    right = rng.random(2000) < np.where(alone, 1.0, of_margins([1.0])[0])
    assert best_fit(of_margins, rng.random(2000) < of_margins([1.0])[0], 1.0).ceiling == 1

    def judge(temperatures):
        return np.where(alone, 1.0, of_margins(temperatures))

    right &= rng.random(2000) < 0.8
    found = best_fit(judge, right, 1.0)
    assert found.ceiling == pytest.approx(0.8, abs=0.04)
    assert math.log(found.temperature) == pytest.approx(0, abs=0.3)


def test_partners_have_the_same_length():
    lengths = np.array([3, 2, 3, 0, 5, 3, 2, 0])
    found = partners(lengths)
    assert found.tolist() == [2, 6, 5, 3, 4, 0, 1, 7]
    assert partners(np.array([], int)).tolist() == []


def test_what_is_carried_follows_the_scale_of_scores():
    same = carried(CarriedFit(2.0, 0.9), (3.0, 3.0), (100, 100), 0.08)
    assert same == CarriedFit(2.0, pytest.approx(0.9))
    assert carried(CarriedFit(2.0), (3.0, 6.0), (100, 100), 0.22) == CarriedFit(4.0)
    more = carried(CarriedFit(2.0, 0.9), (3.0, 3.0), (100, 1000), 0.08)
    assert more.temperature < 2.0
    assert 0.9 < more.ceiling < 1
    for fit, spreads in ((CarriedFit(HOTTEST), (1.0, 9.0)), (CarriedFit(COLDEST), (9.0, 1.0))):
        assert COLDEST <= carried(fit, spreads, (1, 1), 0.08).temperature <= HOTTEST


# --- how far confidences are from what is right, against plain loops; and what is judged -----------------------------
JUDGED = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=80)


def arrays(pairs):
    return np.array([v for v, _ in pairs], np.float64), np.array([r for _, r in pairs], bool)


@tried(150, JUDGED)
def test_errors_are_those_of_plain_loops(pairs):
    values, right = arrays(pairs)
    found = reliability(values, right)
    expected = oracle.judged(values.tolist(), right.tolist())
    assert [found.ece, found.brier, found.log_loss] == pytest.approx(expected, abs=1e-9)
    assert (found.number, found.accuracy) == (len(pairs), pytest.approx(right.mean()))
    json.dumps(found.to_dict(), allow_nan=False)


@tried(60, JUDGED)
def test_bins_are_of_equal_mass_and_rise(pairs):
    bins = reliability(*arrays(pairs)).bins
    sizes = [each.number for each in bins]
    assert sum(sizes) == len(pairs)
    assert len(bins) == min(BINS, len(pairs))
    assert max(sizes) - min(sizes) <= 1
    means = [each.confidence for each in bins]
    assert all(a <= b + 1e-12 for a, b in pairwise(means))


def test_what_can_be_believed_has_no_error():
    values = np.repeat([0.25, 0.75], 15 * 4)
    right = np.tile([True, False, False, False], 15).tolist() + np.tile([True, True, True, False], 15).tolist()
    assert reliability(values, np.array(right), bins=30).ece == 0
    assert reliability(values, ~np.array(right), bins=30).ece == 0.5
    assert reliability(np.ones(4), np.ones(4, bool)).brier == 0


def test_nothing_to_judge():
    refused(DataError, "nothing is predicted", reliability, np.empty(0), np.empty(0, bool))


def test_a_chunk_is_right_as_a_whole():
    predicted = ["B-X", "I-X", "O", "B-Y", "B-X", "I-X", "B-X"]
    gold = ["B-X", "I-X", "B-X", "B-X", "B-X", "O", "B-X"]
    found = units(predicted, gold, np.array([0, 4, 4, 7]), chunks=True)
    assert found.tokens.tolist() == [0, 3, 4, 6]
    assert found.right.tolist() == [True, False, False, True]
    assert found.sentences.tolist() == [0, 0, 2, 2]
    plain = units(predicted, gold, np.array([0, 4, 4, 7]), chunks=False)
    assert plain.tokens.tolist() == list(range(7))
    assert plain.right.tolist() == [True, True, False, False, True, False, True]
    assert plain.sentences.tolist() == [0] * 4 + [2] * 3


def test_a_chunk_ends_with_its_sentence():
    found = units(["I-X", "I-X"], ["I-X", "I-X"], np.array([0, 1, 2]), chunks=True)
    assert found.tokens.tolist() == [0, 1]
    assert found.right.all()
    assert len(units(["O"], ["B-X"], np.array([0, 1]), chunks=True).tokens) == 0


def test_a_report_is_a_table_and_a_dictionary():
    judged = reliability(np.array([0.5, 1.0]), np.array([True, True]))
    report = CalibrationReport("temperature", (Calibrated("tags", Calibration(2.0), judged, judged),))
    lines = str(report).splitlines()
    for when in ("before", "after"):
        row = next(line for line in lines if f"tags, {when}" in line)
        assert all(figure in row for figure in ("100.00", f"{judged.ece:.4f}", f"{judged.brier:.4f}"))
    assert json.loads(json.dumps(report.to_dict()))["outputs"][0]["calibration"]["temperature"] == 2
