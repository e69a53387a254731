"""Real-valued arrays, one [T, d] per sentence, and vectors of tokens: they learn what dictionaries of their numbers learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import riata
from checks import refused, stored
from riata import RiataWarning, Tagger
from riata.data.memory import as_corpus, label_column, with_column
from riata.errors import DataError, ModelFileError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.models import container
from samples import for_rows, tried

numbers = st.sampled_from([0.0, 1.0, -2.5, 1e9, 1e-3])
sentences_of_arrays = st.integers(1, 3).flatmap(
    lambda d: st.lists(
        st.integers(0, 4).flatmap(lambda t: arrays(np.float64, (t, d), elements=numbers)), min_size=1, max_size=5
    ).filter(lambda some: any(len(a) for a in some))
)


def features(corpus):
    """Every token's features, as a dictionary."""
    rows = corpus.vectors.rows(np.arange(corpus.tokens))
    return [{f"x{j}": float(value) for j, value in enumerate(row) if value} for row in rows]


@given(sentences_of_arrays)
def test_every_column_is_a_feature_with_its_value_and_zeros_are_none(sentences):
    corpus = as_corpus(sentences)
    rows = [row for sentence in sentences for row in sentence]
    assert features(corpus) == [{f"x{j}": float(np.float32(v)) for j, v in enumerate(row) if v} for row in rows]
    assert (len(corpus), corpus.tokens, corpus.array_width) == (len(sentences), len(rows), sentences[0].shape[1])


@given(sentences_of_arrays, st.data())
def test_parts_of_a_corpus_have_the_arrays_of_their_sentences(sentences, data):
    chosen = data.draw(st.lists(st.integers(0, len(sentences) - 1), max_size=4))
    part = as_corpus(sentences)[np.array(chosen, int)]
    assert features(part) == [f for s in chosen if len(sentences[s]) for f in features(as_corpus([sentences[s]]))]
    assert part.array_width == sentences[0].shape[1]


def made(count=12, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(int(rng.integers(1, 6)), d)) for _ in range(count)]
    return X, [["up" if row[0] + row[1] > 0 else "down" for row in sentence] for sentence in X]


@pytest.mark.parametrize("recipe", ["perceptron", "laso-perceptron"])
def test_arrays_train_the_model_that_their_dictionaries_train(recipe):
    X, y = made()
    tables = [[{f"x{j}": v for j, v in enumerate(row)} for row in sentence] for sentence in X]
    by_array, by_table = (Tagger(recipe, epochs=3).fit(some, y) for some in (X, tables))
    assert by_array.predict(X) == by_table.predict(tables)
    assert by_array.score(X, y) > 0.8


def test_integers_bools_and_one_array_of_all_sentences_are_taken():
    for kind in (np.int8, np.uint16, bool, np.float32):
        X = np.array([[[0, 1], [1, 0]], [[1, 1], [0, 0]]], kind)
        assert features(as_corpus(X)) == [{"x1": 1}, {"x0": 1}, {"x0": 1, "x1": 1}, {}]


def test_a_saved_model_predicts_alike_and_knows_how_many_columns_it_reads(tmp_path):
    X, y = made()
    tagger = Tagger(epochs=3).fit(X, y)
    tagger.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    assert loaded.predict(X) == tagger.predict(X)
    assert loaded.array_width_ == 3
    assert to_bytes(loaded) == (tmp_path / "m.riata").read_bytes()
    assert loaded.predict([np.empty((0, 3))]) == [[]]
    for wrong in ([np.ones((2, 4))], [[{"x0": 1.0}]], [["word"]]):
        refused(DataError, "the model reads arrays of 3 columns; found", loaded.predict, wrong)


def test_models_of_words_and_of_dictionaries_refuse_arrays():
    words = Tagger(epochs=1).fit([["a", "b"]], [["X", "Y"]])
    tables = Tagger(epochs=1).fit([[{"a": 1}, {"b": 1}]], [["X", "Y"]])
    refused(DataError, "reads column 0", words.predict, [np.ones((1, 2))])
    refused(DataError, "reads dictionaries of features; found arrays of 2 columns", tables.predict, [np.ones((1, 2))])


def test_training_goes_on_and_chooses_epochs_with_as_many_columns_only():
    X, y = made()
    other, its = made(d=2)
    tagger = Tagger(epochs=1, warm_start=True).fit(X, y).fit(X, y)
    tagger.partial_fit(X, y)
    refused(DataError, "arrays of 3 columns; found arrays of 2", tagger.partial_fit, other, its)
    refused(DataError, "arrays of 3 columns; found arrays of 2", tagger.fit, other, its)
    dev = as_corpus(other)
    with pytest.raises(DataError, match="arrays of 3 columns; found arrays of 2"):
        Tagger(dev=with_column(dev, label_column(its, dev))).fit(X, y)
    assert Tagger(dev=0.25, refit=True, epochs=2).fit(X, y).array_width_ == 3


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2e9])
def test_a_value_that_is_no_finite_number_is_refused_with_its_place(value):
    X, _ = made()
    X[3] = np.ones((4, 3))
    X[3][2, 1] = value
    refused(DataError, r"sentence 3, token 2, column 1 is .*expected a finite number up to 1e\+09", as_corpus, X)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_half_numbers_are_checked_alike_and_without_warnings_of_numpy(value):
    X = [array.astype(np.float16) for array in made()[0]]
    as_corpus(X)
    X[3][0, 1] = value
    refused(DataError, r"sentence 3, token 0, column 1 is .*expected a finite number up to 1e\+09", as_corpus, X)


@for_rows(
    "X, part",
    ([np.ones((1, 2)), np.ones((1, 3))], "sentence 1 has 3 columns, sentence 0 has 2"),
    ([np.ones((1, 2)), np.ones(2)], "sentence 1 is an array of shape [2]"),
    ([np.ones((1, 2)), ["a"]], "sentence 1 is a list"),
    ([["a"], np.ones((1, 2))], "sentence 0 is a list"),
    ([np.ones((1, 2)), np.ones((1, 2), complex)], "sentence 1 is a ndarray"),
    ([np.array(3.0)], "sentence 0 is a ndarray"),
    (np.ones((3, 2)), "sentence 0 is an array of shape [2]"),
    ([[[0.5, 1.0]]], "NumPy array [T, d]"),
    ([np.empty((0, 2))], "no tokens"),
)
def test_what_is_no_list_of_tables_of_one_width_is_refused(X, part):
    assert part in str(refused(DataError, "", as_corpus, X))


def test_columns_without_a_number_are_columns_all_the_same():
    X = [np.zeros((2, 3))]
    assert Tagger(epochs=1).fit(X, [["X", "Y"]]).array_width_ == 3
    refused(DataError, "shape", as_corpus, [np.ones(4)])


def test_a_broken_width_in_a_model_is_refused():
    X, y = made()
    header, parts = container.unpack(memoryview(to_bytes(Tagger(epochs=1).fit(X, y))))
    for width in (-1, 2.0, "3", True):
        refused(ModelFileError, "array_width", from_bytes, container.pack({**header, "array_width": width}, parts))


texts = st.text("abc:=é", max_size=3)
values = st.recursive(
    st.one_of(texts, st.booleans(), st.integers(-3, 3), st.floats(-2, 2, width=32), st.lists(texts, max_size=2)),
    lambda inner: st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)


@tried(60, st.dictionaries(texts, values, max_size=4))
def test_dictionaries_mean_what_they_mean_to_crfsuite(token):
    crfsuite = pytest.importorskip("pycrfsuite")
    theirs: dict[str, float] = {}
    for name, value in crfsuite.ItemSequence([token]).items()[0].items():
        theirs[name] = value
    ours: dict[str, float] = {}
    of = as_corpus([[token]]).given
    for i, value in zip(of.ids, of.values, strict=True):
        ours[of.alphabet.text(int(i))] = float(value)  # of repeated names, the last: as items() tells them
    assert {name: value for name, value in ours.items() if value} == pytest.approx(
        {name: value for name, value in theirs.items() if value}
    )


@pytest.mark.parametrize("recipe", ["perceptron", "crf", "laso-perceptron"])
def test_an_empty_template_leaves_every_label_to_itself(recipe, tmp_path):
    random = np.random.default_rng(0)
    arrays = [random.normal(size=(5, 3)) for _ in range(20)]
    labels = [["+" if row[0] > 0 else "-" for row in array] for array in arrays]
    tagger = Tagger(recipe, template=[], epochs=5).fit(arrays, labels)
    alone = [[tagger.predict([row[None]])[0][0] for row in array] for array in arrays[:4]]
    assert tagger.predict(arrays[:4]) == alone
    assert stored(tagger, tmp_path).predict(arrays[:4]) == alone


def scaled(times, sentences=30):
    """The first three columns tell the label; others are noise, times a number."""
    random = np.random.default_rng(0)
    arrays = [random.normal(size=(8, 7)) * np.array([1.0] * 3 + [times] * 3 + [0.0]) for _ in range(sentences)]
    return arrays, [["ABC"[int(np.argmax(row[:3]))] for row in array] for array in arrays]


@pytest.mark.parametrize("recipe", ["mira", "perceptron", "laso-perceptron", "m3n"])
def test_columns_of_very_different_scale_are_told_of(recipe):
    for times in (1000.0, 1e-3):
        with pytest.warns(
            RiataWarning, match=r"differ in scale: .* column [3-5] are about .*standard deviation"
        ) as told:
            Tagger(recipe, epochs=1).fit(*scaled(times))
        assert repr(recipe) in str(told[0].message)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Columns of the arrays", RiataWarning)
        Tagger(recipe, epochs=1).fit(*scaled(20.0))
        Tagger("crf", epochs=1).fit(*scaled(1000.0))


def test_recipes_with_probabilities_learn_columns_of_any_scale():
    assert Tagger("crf", c2=0.1).fit(*scaled(1000.0, 200)).score(*scaled(1000.0, 200)) > 0.97


# --- vectors of tokens: arrays are borrowed, and learn what dictionaries of their numbers learn ----------------------
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


def made_with_vectors(count=12, d=3, seed=0, kind=np.float32):
    rng = np.random.default_rng(seed)
    X = [rng.integers(-8, 9, (int(rng.integers(1, 6)), d)).astype(kind) / 4 for _ in range(count)]
    return X, [["up" if row[0] + row[1] > 0 else "down" for row in sentence] for sentence in X]


def tables(X):
    return [[{f"x{j}": float(v) for j, v in enumerate(row) if v} for row in sentence] for sentence in X]


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_learner_learns_from_arrays_what_it_learns_from_dictionaries(recipe):
    X, y = made_with_vectors()
    structure = "kernel-chain" if recipe == "kernel-perceptron" else "chain"
    settings = {"c2": 1.0} if recipe.startswith("crf") else {}
    by_array, by_table = (
        Tagger(recipe, structure=structure, epochs=4, settings=settings).fit(some, y) for some in (X, tables(X))
    )
    Z, _ = made_with_vectors(seed=1)
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
    X, y = made_with_vectors(40, 70)
    one, three = (to_bytes(Tagger(recipe, epochs=3, threads=n).fit(X, y)) for n in (1, 3))
    assert one == three


@pytest.mark.parametrize("recipe", ["crf", "perceptron", "laso-perceptron"])
def test_half_precision_is_read_as_its_numbers(recipe):
    X, y = made_with_vectors()
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
    X, y = made_with_vectors()
    lengths = np.cumsum([len(array) for array in X])[:-1]
    np.save(tmp_path / "rows.npy", np.concatenate(X))
    mapped = np.split(np.load(tmp_path / "rows.npy", mmap_mode="r"), lengths)
    corpus = as_corpus(mapped)
    assert all(np.shares_memory(ours, theirs) for ours, theirs in zip(corpus.vectors.arrays, mapped, strict=True))
    part = corpus[np.array([2, 0])]
    assert np.shares_memory(part.vectors.arrays[1], mapped[0])
    assert to_bytes(Tagger(epochs=2).fit(mapped, y)) == to_bytes(Tagger(epochs=2).fit(X, y))


def test_columns_without_weights_are_left_out_of_a_model_and_come_back_in_training(tmp_path):
    X, y = made_with_vectors(d=4)
    for array in X:
        array[:, [0, 2]] = 0
    y = [["up" if row[1] > 0 else "down" for row in array] for array in X]
    tagger = Tagger("perceptron", epochs=3).fit(X, y)
    loaded = stored(tagger, tmp_path)
    assert loaded.model_.features.given.texts() == ["x1", "x3"]
    full, its = made_with_vectors(d=4, seed=3)
    assert loaded.predict(X) == tagger.predict(X)
    assert loaded.predict(full) == tagger.predict(full)
    loaded.set_params(warm_start=True, epochs=5).fit(full, its)
    assert set(loaded.model_.features.given.texts()) == {"x0", "x1", "x2", "x3"}
    assert loaded.score(full, its) > 0.8


def test_hashed_models_read_arrays():
    X, y = made_with_vectors()
    tagger = Tagger("perceptron", bits=12, epochs=4).fit(X, y)
    assert tagger.predict(X) == Tagger("perceptron", bits=12, epochs=4).fit(tables(X), y).predict(tables(X))
