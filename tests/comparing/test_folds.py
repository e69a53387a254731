"""Folds are dealt once, for all: disjoint, covering, of nearly equal size, and the same for the same seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riata.comparing.folds import folds, others
from riata.errors import SettingError


@given(st.integers(2, 200), st.data(), st.integers(0, 2**32))
def test_every_sentence_is_in_one_fold(size, data, seed):
    number = data.draw(st.integers(2, size))
    parts = folds(size, number, seed)
    assert len(parts) == number
    assert sorted(np.concatenate(parts)) == list(range(size))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert all((np.diff(part) > 0).all() for part in parts)
    for part in parts:
        assert sorted([*part, *others(part, size)]) == list(range(size))


@given(st.integers(2, 50), st.integers(0, 100))
def test_the_seed_decides(size, seed):
    assert all((a == b).all() for a, b in zip(folds(size, 2, seed), folds(size, 2, seed), strict=True))


def test_another_seed_deals_otherwise():
    assert any((a != b).any() for a, b in zip(folds(100, 4, 0), folds(100, 4, 1), strict=True))


@pytest.mark.parametrize("number", [1, 0, -3, True, 2.5, "5", None])
def test_a_number_that_is_none_is_refused(number):
    with pytest.raises(SettingError, match="folds is"):
        folds(10, number, 0)


def test_more_folds_than_sentences_are_refused():
    with pytest.raises(SettingError, match="only 3 sentences"):
        folds(3, 4, 0)
