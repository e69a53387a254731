"""Chains scored by a kernel function: against a slow twin, against linear models, within the budget, with any number of threads."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from checks import refused
from oracle import kernel as twin
from riata import Chunker, Tagger
from riata.errors import DataError, ModelFileError, RiataError, SettingError, TemplateError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.models.container import pack, unpack
from samples import for_rows

PLAIN = {"shuffle": False, "precision": "double"}
KERNELS = {
    "linear": ({"kernel": "linear"}, twin.linear),
    "poly": ({"kernel": "poly", "degree": 3, "gamma": 0.5, "coefficient": 2.0}, twin.poly(3, 0.5, 2.0)),
    "rbf": ({"kernel": "rbf", "gamma": 0.7}, twin.rbf(0.7)),
}
EVERY_KERNEL = pytest.mark.parametrize("kernel", KERNELS)
EVERY_RECIPE = pytest.mark.parametrize("recipe", ["kernel-perceptron", "laso-perceptron", "laso-alma", "m3n"])


def signals(seed, sentences=14, width=3, longest=5):
    """Arrays whose labels depend on the product of two columns: no linear model learns them."""
    random = np.random.default_rng(seed)
    X = [random.normal(size=(random.integers(1, longest), width)) for _ in range(sentences)]
    return X, [["up" if row[0] * row[1] > 0 else "down" if row[2] > 0 else "rest" for row in x] for x in X]


def trained(recipe, data, threads=1, epochs=4, structure="kernel-chain", **chosen):
    if recipe == "m3n":
        chosen = {"C": 0.3, **chosen}
    model = Tagger(recipe, structure=structure, epochs=epochs, threads=threads, settings=chosen)
    return model.fit(*data)


def listed(model, X, n):
    """The n best outputs, by exact search, whatever the model was trained with."""
    return model.set_params(queue="exact", beam=None).predict_nbest(X, n)


@EVERY_KERNEL
def test_the_model_is_that_of_the_textbook(kernel):
    chosen, function = KERNELS[kernel]
    X, Y = signals(1)
    model = trained("kernel-perceptron", (X, Y), epochs=3, **PLAIN, **chosen)
    labels = model.model_.labels
    slow = twin.perceptron(function, [x.astype(np.float32).astype(float) for x in X], Y, labels, 3)
    others, _ = signals(2, 6)
    for tokens in X + others:
        (best, score), *_ = model.predict_nbest([tokens], 1)[0]
        assert score == pytest.approx(slow.score(tokens.astype(np.float32).astype(float), best), rel=1e-6, abs=1e-9)
        assert best == slow.best(tokens.astype(np.float32).astype(float), labels)


@given(seed=st.integers(0, 10_000), labels=st.integers(2, 4))
@settings(max_examples=15, deadline=None)
def test_the_linear_kernel_predicts_what_the_linear_perceptron_does(seed, labels):
    random = np.random.default_rng(seed)
    X = [random.integers(-3, 4, size=(random.integers(1, 6), 3)).astype(float) for _ in range(8)]
    Y = [[f"L{label}" for label in random.integers(0, labels, len(x))] for x in X]
    for average in (False, True):
        kernel = trained("kernel-perceptron", (X, Y), kernel="linear", average=average, **PLAIN)
        linear = trained("perceptron", (X, Y), structure="chain", average=average, **PLAIN)
        if not average:  # all numbers are whole: no rounding decides between outputs of equal score
            assert kernel.predict(X) == linear.predict(X)
        for model in (kernel, linear):  # as learnt: fit rounds averages, each in its own way, to single precision
            model.model_ = model._exact or model.model_
        for mine, plain in zip(kernel.predict_nbest(X, 3), linear.predict_nbest(X, 3), strict=True):
            assert [score for _, score in mine] == pytest.approx([score for _, score in plain], rel=1e-5, abs=1e-5)


@EVERY_RECIPE
def test_a_kernel_of_degree_two_is_a_linear_model_of_the_features_written_out(recipe):
    X, Y = signals(3)
    X = [x.astype(np.float32).astype(float) for x in X]
    wide = [np.array([twin.expanded(row) for row in x]) for x in X]
    options = {"kernel": "poly", "degree": 2, "gamma": 1.0}
    plain = "perceptron" if recipe == "kernel-perceptron" else recipe
    kernel = trained(recipe, (X, Y), **PLAIN, **options)
    linear = trained(plain, (wide, Y), structure="chain", **PLAIN)
    assert kernel.predict(X) == linear.predict(wide)
    for mine, written in zip(listed(kernel, X, 2), listed(linear, wide, 2), strict=True):
        assert [score for _, score in mine] == pytest.approx([score for _, score in written], rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("solver", ["pairwise", "frank-wolfe"])
def test_m3n_certifies_the_same_optimum_as_with_the_features_written_out(solver):
    X, Y = signals(4)
    wide = [np.array([twin.expanded(row) for row in x]) for x in X]
    options = {"C": 0.2, "gap": 0.01, "solver": solver}
    kernel = trained("m3n", (X, Y), epochs=300, kernel="poly", gamma=1.0, **PLAIN, **options)
    linear = trained("m3n", (wide, Y), epochs=300, structure="chain", **PLAIN, **options)
    one, other = ([e for e in m.history_ if e["objective"] is not None][-1] for m in (kernel, linear))
    assert one["gap"] <= 0.01
    assert one["objective"] == pytest.approx(other["objective"], rel=0.02)
    assert one["dual"] <= other["objective"] and other["dual"] <= one["objective"]


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_m3n_comes_to_the_optimum_that_cutting_planes_find_with_the_features_written_out(C):
    X, Y = signals(4)
    wide = [np.array([twin.expanded(row) for row in x]) for x in X]
    kernel = trained("m3n", (X, Y), epochs=2000, kernel="poly", gamma=1.0, C=C, gap=1e-4, **PLAIN).history_[-1]
    linear = trained(
        "svmstruct-margin",
        (wide, Y),
        epochs=2000,
        structure="chain",
        C=C,
        epsilon=1e-5,
        slacks="each",
        precision="double",
    ).history_[-1]
    assert kernel["gap"] <= 1e-4 and linear["gap"] <= 1e-4
    assert kernel["objective"] == pytest.approx(linear["objective"], rel=2e-4)


@EVERY_RECIPE
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_the_number_of_threads_changes_nothing(recipe, kernel):
    data = signals(5, 60)
    one, many = (trained(recipe, data, threads=threads, kernel=kernel) for threads in (1, 3))
    assert to_bytes(one) == to_bytes(many)


@EVERY_KERNEL
@pytest.mark.parametrize("average", [True, False])
def test_no_more_tokens_are_kept_than_the_budget_allows(kernel, average):
    data = signals(6, 40)
    chosen = {**KERNELS[kernel][0], "average": average}
    most = trained("kernel-perceptron", data, **chosen).model_.weights.compact().size
    for budget in (1, 5, 12):
        model = trained("kernel-perceptron", data, budget=budget, **chosen)
        assert 0 < model.model_.weights.size <= budget < most


def test_a_budget_that_is_never_reached_changes_nothing():
    data = signals(6, 40)
    one, other = trained("kernel-perceptron", data, budget=10**6), trained("kernel-perceptron", data)
    assert one.predict_nbest(data[0], 2) == other.predict_nbest(data[0], 2)


@EVERY_RECIPE
def test_a_stored_model_gives_the_same_scores(recipe):
    X, Y = signals(7)
    model = trained(recipe, (X, Y), kernel="rbf")
    loaded = from_bytes(to_bytes(model))
    assert to_bytes(loaded) == to_bytes(model)
    assert loaded.predict_confidence(X) == model.predict_confidence(X)
    assert listed(loaded, X, 3) == listed(model, X, 3)


def test_confidences_and_lists_are_those_of_enumeration():
    X, Y = signals(8)
    model = trained("kernel-perceptron", (X, Y), **PLAIN)
    for x in X[:5]:
        everything = model.predict_nbest([x], 3 ** len(x))[0]
        assert len(everything) == len({tuple(labels) for labels, _ in everything}) == 3 ** len(x)
        weights = np.exp([score for _, score in everything])
        weights /= weights.sum()
        for t, row in enumerate(model.predict_proba([x])[0]):
            for label, found in zip(model.classes_, row, strict=True) if not isinstance(row, dict) else row.items():
                sure = sum(w for w, (labels, _) in zip(weights, everything, strict=True) if labels[t] == label)
                assert found == pytest.approx(sure, abs=1e-6)


@pytest.mark.parametrize("queue", ["beam", "greedy", "best-first"])
def test_other_searches_decode(queue):
    X, Y = signals(9)
    model = trained("kernel-perceptron", (X, Y))
    exact = model.predict(X)
    model.set_params(queue=queue, **({"beam": 50} if queue == "beam" else {}))
    found = model.predict(X)
    assert queue != "beam" or found == exact


def test_words_and_dictionaries_are_compared_by_their_features():
    corpus = riata.load("embedded", "train")[:60]
    chunker = Chunker("kernel-perceptron", epochs=5).fit(corpus)
    assert chunker.score(corpus) > 0.9
    assert from_bytes(to_bytes(chunker)).predict(corpus) == chunker.predict(corpus)
    X = [[{"w": word, "n": 1.5} for word in "abab"], [{"w": "b"}, {"w": "c", "z": 1}]]
    Y = [["A", "B", "A", "B"], ["B", "C"]]
    model = Tagger("kernel-perceptron").fit(X, Y)
    assert model.predict(X) == Y
    assert from_bytes(to_bytes(model)).predict([[{"w": "never seen"}]]) == model.predict([[{"w": "never seen"}]])


def test_a_function_of_the_user_is_the_kernel():
    X, Y = signals(10)
    mine = trained("kernel-perceptron", (X, Y), kernel=lambda x, z: (x @ z.T + 1.0) ** 2, **PLAIN)
    built_in = trained("kernel-perceptron", (X, Y), kernel="poly", gamma=1.0, **PLAIN)
    assert mine.predict(X) == built_in.predict(X)
    D = [[{f"x{j}": value for j, value in enumerate(row)} for row in x] for x in X]
    sparse = trained("kernel-perceptron", (D, Y), kernel=lambda x, z: ((x @ z.T).toarray() + 1.0) ** 2, **PLAIN)
    assert sparse.predict(D) == mine.predict(X)


def of_degree_two(x, z):
    return (x @ z.T + 1.0) ** 2


@EVERY_RECIPE
def test_a_function_of_the_user_is_given_again_at_loading(recipe, tmp_path):
    X, Y = signals(10)
    model = trained(recipe, (X, Y), kernel=of_degree_two)
    model.save(tmp_path / "own.riata")
    refused(ModelFileError, r"code that is not stored in it: .*of_degree_two", riata.load_model, tmp_path / "own.riata")
    loaded = riata.load_model(tmp_path / "own.riata", using=[of_degree_two])
    assert listed(loaded, X, 2) == listed(model, X, 2) and loaded.settings["kernel"] is of_degree_two
    assert to_bytes(loaded.set_params(**model.get_params(deep=False))) == to_bytes(model)
    assert pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X) == copy.deepcopy(model).predict(X)
    for wrong in ([], [raising], 3):
        refused(ModelFileError, "of_degree_two", from_bytes, to_bytes(model), using=wrong)


def test_a_model_file_that_names_another_kernel_is_refused():
    X, Y = signals(10)
    header, arrays = unpack(memoryview(to_bytes(trained("kernel-perceptron", (X, Y), kernel=of_degree_two))))
    for kernel in ({**header["kernel"], "name": "poly"}, {**header["kernel"], "degree": 0}):
        with pytest.raises(ModelFileError, match="kernel is inconsistent"):
            from_bytes(pack({**header, "kernel": kernel}, arrays), using=[of_degree_two])
    with pytest.raises(ModelFileError, match="kernel is inconsistent"):
        from_bytes(pack({**header, "functions": {}, "params": {**header["params"], "settings": {}}}, arrays))


def raising(x, z):
    raise ZeroDivisionError("no")


@for_rows(
    "function, reason",
    (lambda x, z: (x @ z.T) + x[:, :1], "not symmetric"),
    (raising, "failed: ZeroDivisionError"),
    (lambda x, z: np.full((len(x), len(z)), np.nan), "NaN or infinity"),
    (lambda x, z: x @ x.T if len(x) == 1 else x, "of shape"),
    (lambda x, z: 1.0, "of shape"),
    (lambda x, z: (x @ z.T) * 1j, "complex"),
    (lambda x, z: -(x @ z.T), "for a token and itself"),
    (lambda x, z: 1e40 * (x @ z.T), "expected at most"),
    (lambda x, z: "text", "failed"),
    (lambda x: 1.0, "failed: TypeError"),
)
def test_a_bad_function_is_refused(function, reason):
    refused(DataError, reason, trained, "kernel-perceptron", signals(11), kernel=function)


@pytest.mark.parametrize("recipe", ["kernel-perceptron", "laso-alma", "m3n"])
def test_kernels_that_single_precision_does_not_hold_are_refused(recipe):
    refused(DataError, r"above 1e\+30", trained, recipe, signals(11), kernel="poly", degree=20, gamma=1e6)


def test_a_function_that_fails_later_is_an_error_too():
    X, Y = signals(12)
    model = trained(
        "kernel-perceptron", (X, Y), kernel=lambda x, z: x @ z.T if abs(x).max() < 100 else np.full((1, len(z)), np.inf)
    )
    refused(DataError, "NaN or infinity", model.predict, [np.full((2, 3), 1e6)])


@for_rows(
    "chosen",
    {"degree": 0},
    {"degree": 1.5},
    {"gamma": 0},
    {"gamma": -1},
    {"gamma": float("nan")},
    {"coefficient": -1},
    {"budget": 0},
    {"budget": -3},
    {"budget": 2.5},
    {"kernel": "cubic"},
    {"kernel": 3},
    {"kernel": "rbf", "degree": 3},
    {"kernel": "linear", "gamma": 2.0},
)
def test_a_bad_setting_is_refused(chosen):
    refused(SettingError, next(reversed(chosen)), trained, "kernel-perceptron", signals(13), **chosen)


def test_bad_arrays_are_refused():
    X, Y = signals(14)
    with pytest.raises(DataError, match="sentence 0, token 0, column 1 is nan"):
        Tagger("kernel-perceptron").fit([np.array([[0.0, np.nan]])], [["a"]])
    with pytest.raises(DataError, match="columns, sentence 0 has 3"):
        Tagger("kernel-perceptron").fit([*X, np.zeros((1, 2))], [*Y, ["up"]])
    refused(DataError, "arrays of 3 columns", trained("kernel-perceptron", (X, Y)).predict, [np.zeros((1, 2))])


def test_what_needs_weights_of_features_is_refused_with_the_reason():
    X, Y = signals(15)
    model = trained("kernel-perceptron", (X, Y))
    for question in (lambda: model.state_features_, lambda: model.explain(X[0])):
        refused(UnsupportedError, "no feature has a weight of its own", question)
    assert model.transition_features_
    refused(UnsupportedError, "does not go on from a model", model.partial_fit, X, Y)
    for name in ("seeds", "shards"):
        refused(UnsupportedError, "support tokens of its own", Tagger("kernel-perceptron", **{name: 2}).fit, X, Y)
    refused(UnsupportedError, "needs support tokens", Tagger("kernel-perceptron", structure="chain").fit, X, Y)
    for recipe in ("mira", "svmstruct-margin", "svm-subgradient", "crf"):
        refused(UnsupportedError, "kernel-chain", Tagger(recipe, structure="kernel-chain").fit, X, Y)
    for recipe in ("m3n", "laso-alma"):
        refused(UnsupportedError, "'budget' is 5", trained, recipe, (X, Y), budget=5)
    refused(UnsupportedError, "weights of features", trained, "laso-alma", (X, Y), p=4.0)
    with pytest.raises(SettingError, match="belongs to the structure 'kernel-chain'"):
        trained("m3n", (X, Y), structure="chain", kernel="poly")
    words = [[("the",), ("dog",)]], [["D", "N"]]
    with pytest.raises(TemplateError, match="reads a label"):
        Tagger("kernel-perceptron", template=riata.features.templates.parse("edge word[0]")).fit(*words)


def test_damaged_files_are_refused():
    from riata.models.container import pack, unpack

    header, arrays = unpack(memoryview(to_bytes(trained("kernel-perceptron", signals(16)))))
    for change in (
        {"kernel": {**header["kernel"], "gamma": -1.0}},
        {"kernel": {**header["kernel"], "name": "other"}},
        {"kernel": None},
    ):
        refused(RiataError, "kernel is inconsistent", from_bytes, pack({**header, **change}, dict(arrays)))
    for name, array in (
        ("support/ids", arrays["support/ids"] + 100),
        ("support/counts", arrays["support/counts"][:-1]),
    ):
        refused(RiataError, "inconsistent", from_bytes, pack(header, {**arrays, name: np.ascontiguousarray(array)}))
