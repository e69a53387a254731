"""How far confidences are from what is right, against plain loops; and what is judged."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import confidence as oracle
from riata.confidence.calibration import BINS, Calibrated, Calibration, CalibrationReport, reliability, units
from riata.errors import DataError
from samples import draws

JUDGED = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=80)


def arrays(pairs):
    return np.array([v for v, _ in pairs], np.float64), np.array([r for _, r in pairs], bool)


@settings(max_examples=draws(150), deadline=None)
@given(JUDGED)
def test_errors_are_those_of_plain_loops(pairs):
    values, right = arrays(pairs)
    found = reliability(values, right)
    expected = oracle.judged(values.tolist(), right.tolist())
    assert [found.ece, found.brier, found.log_loss] == pytest.approx(expected, abs=1e-9)
    assert (found.number, found.accuracy) == (len(pairs), pytest.approx(right.mean()))
    json.dumps(found.to_dict(), allow_nan=False)


@settings(max_examples=draws(60), deadline=None)
@given(JUDGED)
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
    with pytest.raises(DataError, match="nothing is predicted"):
        reliability(np.empty(0), np.empty(0, bool))


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
