"""Folds are dealt once, for all: disjoint, covering, of nearly equal size, and the same for the same seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riata.comparing.planning import deals_documents, folds, others
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


@given(st.lists(st.integers(0, 12), min_size=2, max_size=60), st.data(), st.integers(0, 2**32))
def test_whole_documents_are_dealt_where_there_are_enough(document, data, seed):
    """Their sentences need not be neighbours. No fold is empty."""
    number = data.draw(st.integers(2, len(document)))
    parts = folds(len(document), number, seed, np.array(document, np.int32))
    assert sorted(np.concatenate(parts)) == list(range(len(document)))
    assert all((np.diff(part) > 0).all() and len(part) for part in parts)
    if deals_documents(np.array(document), number):
        held = [{document[i] for i in part} for part in parts]
        assert sum(map(len, held)) == len(set(document))
        sizes = sorted(map(len, parts))
        assert sizes[-1] - sizes[0] <= max(document.count(name) for name in document)
    else:
        assert all((a == b).all() for a, b in zip(parts, folds(len(document), number, seed), strict=True))


def test_another_seed_deals_otherwise():
    assert any((a != b).any() for a, b in zip(folds(100, 4, 0), folds(100, 4, 1), strict=True))


@pytest.mark.parametrize("number", [1, 0, -3, True, 2.5, "5", None])
def test_a_number_that_is_none_is_refused(number):
    with pytest.raises(SettingError, match="folds is"):
        folds(10, number, 0)


def test_more_folds_than_sentences_are_refused():
    with pytest.raises(SettingError, match="only 3 sentences"):
        folds(3, 4, 0)
