"""Input that looks like sentences and is none: nested without end, sparse, or without dimensions."""

import itertools

import numpy as np
import pytest

import riata
from riata.data import named_features as given
from riata.errors import DataError
from samples import TAGS, WORDS, feature_tagger, quietly

sparse = pytest.importorskip("scipy.sparse")


def nested(depth):
    features = {"a": 1.0}
    for _ in range(depth):
        features = {"a": features}
    return features


def endless():
    features = {}
    features["again"] = features
    return features


class Unprintable:
    def __str__(self):
        raise RuntimeError("no text")


SPARSE = [sparse.csr_matrix, sparse.coo_matrix, sparse.csr_array, sparse.csc_matrix, sparse.lil_matrix]
SCALARS = [np.array(1.0), np.array("a"), np.array(None, dtype=object)]


@pytest.mark.parametrize("features", [nested(200), nested(100_000), endless(), {"a": endless()}])
def test_dictionaries_nested_too_deep_are_refused_with_their_token(features):
    with pytest.raises(DataError, match=r"sentence 0, token 1: .*dictionaries within dictionaries"):
        riata.Tagger().fit([[{"a": 1.0}, features]], [["A", "B"]])


def test_dictionaries_may_be_nested_as_deep_as_people_nest_them():
    tagger = quietly(riata.Tagger(epochs=1), [[nested(20), {"b": 1}]], [["A", "B"]])
    assert tagger.model_.features.given.texts()[0] == ":".join(["a"] * 21)


@pytest.mark.parametrize("features", [{Unprintable(): 1.0}, {"a": {Unprintable(): "b"}}])
def test_features_that_cannot_be_printed_are_refused_with_their_token(features):
    with pytest.raises(DataError, match=r"sentence 0, token 0: .*cannot be printed"):
        riata.Tagger().fit([[features, {"b": 1}]], [["A", "B"]])


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_matrices_are_refused_in_words(kind):
    matrix, trained = kind(np.eye(3)), quietly(riata.Tagger(epochs=1), [np.eye(3)], [["A", "B", "A"]])
    for X in (matrix, [matrix], [[matrix]]):
        with pytest.raises(DataError):
            riata.Tagger().fit(X, [["A", "B", "A"]])
        with pytest.raises(DataError):
            trained.predict(X)


def test_a_sparse_matrix_is_told_the_way_out():
    with pytest.raises(DataError, match=r"toarray\(\)"):
        riata.Tagger().fit([sparse.csr_matrix(np.eye(3))], [["A", "B", "A"]])


@pytest.mark.parametrize("scalar", SCALARS)
def test_arrays_without_dimensions_are_refused_in_words(scalar):
    trained = quietly(riata.Tagger(epochs=1), WORDS, TAGS)
    for X in (scalar, [scalar], [[scalar]]):
        with pytest.raises(DataError):
            riata.Tagger().fit(X, [["A"]])
        with pytest.raises(DataError):
            trained.predict(X)
    for y in (scalar, [scalar], [[scalar]]):
        with pytest.raises(DataError):
            riata.Tagger().fit([["a"]], y)
        with pytest.raises(DataError):
            trained.score([["a"]], y)
        with pytest.raises(DataError):
            trained.predict([["a"]], given=y)


class Endless(dict):
    def items(self):
        return (("a", 1.0) for _ in itertools.count())


def shared(levels, width):
    features = {"a": 1.0}
    for _ in range(levels):
        features = {str(i): features for i in range(width)}
    return features


@pytest.mark.parametrize("features", [shared(40, 2), shared(12, 10), Endless(), {"a": Endless()}], ids=range(4))
def test_features_without_end_are_refused_with_their_token(monkeypatch, features):
    monkeypatch.setattr(given, "MOST_ITEMS", 10_000)
    with pytest.raises(DataError, match=r"sentence 0, token 1: .*more than 10,000 items"):
        riata.Tagger().fit([[{"a": 1.0}, features]], [["A", "B"]])
    with pytest.raises(DataError, match=r"sentence 0, token 0: .*more than 10,000 items"):
        feature_tagger().predict([[features]])


def test_an_exception_while_features_are_read_is_not_taken_for_one_of_theirs():
    class Late(dict):
        def items(self):
            raise TimeoutError

    with pytest.raises(TimeoutError):
        riata.Tagger().fit([[Late(a=1)]], [["A"]])


@pytest.mark.parametrize("value", [[1], ["a", None], [float("nan")], [["z"]], {1, 2}, [Unprintable()]])
def test_lists_of_other_things_than_strings_are_refused(value):
    with pytest.raises(
        DataError, match=r"sentence 0, token 0: feature 'v' has .* in its list; expected a list of strings"
    ):
        riata.Tagger().fit([[{"v": value}, {"b": 1}]], [["A", "B"]])


def test_masked_arrays_and_arrays_without_columns_are_refused():
    masked = np.ma.masked_array(np.eye(2), mask=np.ones((2, 2)))
    with pytest.raises(DataError, match=r"sentence 1 .*masked values"):
        riata.Tagger().fit([np.eye(2), masked], [["A", "B"]] * 2)
    assert quietly(riata.Tagger(epochs=1), [np.ma.masked_array(np.eye(2))], [["A", "B"]])
    with pytest.raises(DataError, match="no columns"):
        riata.Tagger().fit([np.empty((2, 0))], [["A", "B"]])


def test_lone_surrogates_are_named_with_their_place():
    with pytest.raises(DataError, match=r"sentence 1, token 1: the text '.udc80' holds a lone surrogate"):
        riata.Tagger().fit([["a"], ["b", "\udc80"]], [["A"], ["B", "A"]])
    with pytest.raises(DataError, match="sentence 1, token 0: the text"):
        riata.Tagger().fit([["a"], ["b", "c"]], [["A"], ["\udc80", "A"]])
    with pytest.raises(DataError, match="sentence 1, token 1: the text"):
        riata.Tagger().fit([[{"a": 1}], [{}, {"b": "\udc80"}]], [["A"], ["B", "A"]])
