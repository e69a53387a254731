"""Input that looks like sentences and is none: nested without end, sparse, or without dimensions."""

import numpy as np
import pytest

import riata
from riata.errors import DataError
from samples import TAGS, WORDS, quietly

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


@pytest.mark.parametrize("features", [{"a": [Unprintable()]}, {Unprintable(): 1.0}, {"a": {Unprintable()}}])
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
