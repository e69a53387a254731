"""Weights stay what they are: of pairs of a structure and a recipe, three numbers beside those of golden.json.

`python tests/helpers/golden_weights.py` renews the file after a change that is meant to alter weights.
"""

import json

import pytest

from golden_weights import PAIRS, STORED, told

GOLDEN = json.loads(STORED.read_text(encoding="utf-8"))


def test_the_file_has_every_pair_and_no_other():
    assert list(GOLDEN) == list(PAIRS)
    assert len(PAIRS) >= 12


@pytest.mark.parametrize("name", PAIRS)
def test_the_weights_are_those_of_the_golden_file(name):
    expected, found = GOLDEN[name], told(name)
    close = 1e-4 * expected["norm"]  # exponentials and logarithms differ in their last bits from machine to machine
    assert found["norm"] == pytest.approx(expected["norm"], abs=close)
    assert found["not zero"] == expected["not zero"]
    assert found["sum"] == pytest.approx(expected["sum"], abs=10 * close)
