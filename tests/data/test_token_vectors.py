"""Vectors of tokens: arrays are borrowed, and learn what dictionaries of their numbers learn."""

import numpy as np
import pytest
from hypothesis import strategies as st

from checks import stored
from riata import Tagger
from riata.data.memory import as_corpus
from riata.estimators.model_file import to_bytes
from samples import tried

pytestmark = pytest.mark.filterwarnings("ignore")
RECIPES = (
    "perceptron",
    "mira",
    "laso-perceptron",
    "laso-alma",
    "early",
    "max-violation",
    "crf",
    "crf-exp",
    "crf-pointwise",
    "m3n",
    "svm-subgradient",
    "svmstruct-margin",
    "memm",
    "kernel-perceptron",
    "boost",
    "winnow",
)


def made(count=12, d=3, seed=0, kind=np.float32):
    rng = np.random.default_rng(seed)
    X = [rng.integers(-8, 9, (int(rng.integers(1, 6)), d)).astype(kind) / 4 for _ in range(count)]
    return X, [["up" if row[0] + row[1] > 0 else "down" for row in sentence] for sentence in X]


def tables(X):
    return [[{f"x{j}": float(v) for j, v in enumerate(row) if v} for row in sentence] for sentence in X]


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_learner_learns_from_arrays_what_it_learns_from_dictionaries(recipe):
    X, y = made()
    structure = "kernel-chain" if recipe == "kernel-perceptron" else "chain"
    settings = {"c2": 1.0} if recipe.startswith("crf") else {}
    by_array, by_table = (
        Tagger(recipe, structure=structure, epochs=4, settings=settings).fit(some, y) for some in (X, tables(X))
    )
    Z, _ = made(seed=1)
    assert by_array.predict(Z) == by_table.predict(tables(Z))
    if recipe in ("memm", "winnow", "boost"):
        return
    for tagger in (by_array, by_table):
        tagger.set_params(queue="exact", beam=None)
    ours, theirs = by_array.predict_nbest(Z, 2), by_table.predict_nbest(tables(Z), 2)
    for a, b in zip(ours, theirs, strict=True):
        assert [score for _, score in a] == pytest.approx([score for _, score in b], rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("recipe", ["crf", "perceptron", "m3n"])
def test_the_number_of_threads_changes_no_byte(recipe):
    X, y = made(40, 70)
    one, three = (to_bytes(Tagger(recipe, epochs=3, threads=n).fit(X, y)) for n in (1, 3))
    assert one == three


@pytest.mark.parametrize("recipe", ["crf", "perceptron", "laso-perceptron"])
def test_half_precision_is_read_as_its_numbers(recipe):
    X, y = made()
    half = [array.astype(np.float16) for array in X]
    assert as_corpus(half).vectors.arrays[0].dtype == np.float16
    one, other = (Tagger(recipe, epochs=3).fit(some, y) for some in (X, half))
    assert to_bytes(one) == to_bytes(other)
    assert one.predict(half) == one.predict(X)


@tried(100, st.lists(st.integers(0, 2**16 - 1), min_size=1, max_size=8))
def test_every_finite_half_number_is_widened_exactly(bits):
    row = np.array(bits, np.uint16).view(np.float16)
    row = row[np.isfinite(row)]
    if len(row):
        X = [np.vstack([row, row])]
        tagger = Tagger("perceptron", epochs=1, template=[]).fit(X, [["A", "B"]])
        wide = [X[0].astype(np.float32)]
        assert tagger.predict_nbest(X, 2) == tagger.predict_nbest(wide, 2)


def test_arrays_are_borrowed_also_from_a_mapped_file(tmp_path):
    X, y = made()
    lengths = np.cumsum([len(array) for array in X])[:-1]
    np.save(tmp_path / "rows.npy", np.concatenate(X))
    mapped = np.split(np.load(tmp_path / "rows.npy", mmap_mode="r"), lengths)
    corpus = as_corpus(mapped)
    assert all(np.shares_memory(ours, theirs) for ours, theirs in zip(corpus.vectors.arrays, mapped, strict=True))
    part = corpus[np.array([2, 0])]
    assert np.shares_memory(part.vectors.arrays[1], mapped[0])
    assert to_bytes(Tagger(epochs=2).fit(mapped, y)) == to_bytes(Tagger(epochs=2).fit(X, y))


def test_columns_without_weights_are_left_out_of_a_model_and_come_back_in_training(tmp_path):
    X, y = made(d=4)
    for array in X:
        array[:, [0, 2]] = 0
    y = [["up" if row[1] > 0 else "down" for row in array] for array in X]
    tagger = Tagger("perceptron", epochs=3).fit(X, y)
    loaded = stored(tagger, tmp_path)
    assert loaded.model_.features.given.texts() == ["x1", "x3"]
    full, its = made(d=4, seed=3)
    assert loaded.predict(X) == tagger.predict(X)
    assert loaded.predict(full) == tagger.predict(full)
    loaded.set_params(warm_start=True, epochs=5).fit(full, its)
    assert set(loaded.model_.features.given.texts()) == {"x0", "x1", "x2", "x3"}
    assert loaded.score(full, its) > 0.8


def test_hashed_models_read_arrays():
    X, y = made()
    tagger = Tagger("perceptron", bits=12, epochs=4).fit(X, y)
    assert tagger.predict(X) == Tagger("perceptron", bits=12, epochs=4).fit(tables(X), y).predict(tables(X))
