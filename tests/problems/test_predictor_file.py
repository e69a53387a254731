"""Predictors in model files: the same weights come back, the problem is supplied by the user, and mangled files do no harm."""

import enum
import math
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from checks import refused
from mangling import HOSTILE, mangled_arrays, mangled_bytes, mangled_header, mangled_places, places_in, try_mangled
from python_problems import TAGS, WORDS, Keyed, Tagging, WordSet
from riata import Predictor, _core
from riata.entry import main
from riata.errors import ModelFileError, NotFittedError, RiataError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.models import container
from samples import for_each, for_rows, tried

DATA = [list("xyzzy"), list("zyx"), list("xxz"), list("ézé")]
TRUTH = [["ABC"["xyzé".index(c) % 3] for c in x] for x in DATA]


@cache
def tagger():
    """Names alone."""
    return Predictor(Tagging(), epochs=5, seed=3).fit(WORDS, TAGS)


@cache
def observer():
    """Names with actions, and settings of every type."""
    chosen = {"when": "early", "seconds": np.float32(500), "average": True, "max_nodes": 5000}
    return Predictor(Keyed(), "laso-perceptron", beam=np.int64(3), epochs=5, settings=chosen).fit(DATA, TRUTH)


@cache
def shopper():
    return Predictor(WordSet(), beam=None, epochs=5, queue="best-first").fit([["a", "b"]] * 3, [frozenset("a")] * 3)


MODELS = {"tagger": (tagger, WORDS), "observer": (observer, DATA), "shopper": (shopper, [["a", "b", "new"], []])}
EVERY_MODEL = pytest.mark.parametrize(("model", "probe"), MODELS.values(), ids=MODELS)


def test_files_of_version_0_1_are_read(tmp_path):
    """Which have neither the parameters of development data nor what training chose by them."""
    file = Path(__file__).parent / "predictor-0.1.riata"
    loaded = riata.load_model(file, using=[Keyed()])
    assert (loaded.recipe, loaded.beam, loaded.epochs, loaded.settings) == ("laso-perceptron", 3, 2, {"when": "early"})
    assert (loaded.dev, loaded.patience, loaded.refit, loaded.warm_start) == (None, None, False, False)
    assert (loaded.best_epoch_, loaded.best_score_) == (2, None)
    assert loaded.facts_ == {"examples": 2, "unreachable": 0, "epochs": 2, "deepest": 2}
    data, truth = [list("xyz"), list("zy")], [list("ABC"), list("CB")]
    assert loaded.predict(data) == truth
    same = Predictor(Keyed(), "laso-perceptron", beam=3, epochs=2, settings={"when": "early"}).fit(data, truth)
    assert loaded.weights() == same.weights()
    loaded.save(tmp_path / "new.riata")
    assert riata.load_model(tmp_path / "new.riata", using=[Keyed()]).weights() == same.weights()


# --- there and back -----------------------------------------------------------------------------------------------------
@EVERY_MODEL
def test_a_loaded_predictor_predicts_as_before_and_saves_the_same_bytes(tmp_path, model, probe):
    first, second = tmp_path / "first.riata", tmp_path / "second.riata"
    model().save(first)
    loaded = riata.load_model(first, using=[model().problem])
    loaded.save(second)
    assert second.read_bytes() == first.read_bytes()
    assert isinstance(loaded, Predictor)
    assert loaded.weights() == model().weights() != {}
    assert loaded.predict(probe) == model().predict(probe)
    assert loaded.facts_ == model().facts_
    assert loaded.get_params() | {"settings": None} == model().get_params() | {"settings": None}
    resolved = [predictor._checked(learning=True) for predictor in (loaded, model())]
    assert resolved[0] == resolved[1]


def test_actions_come_back_with_their_types():
    problem = Keyed(("text", 7, -1.5, None, (1, ("a", (True, None))), math.inf, (-math.inf, 2**200), ()))
    model = Predictor(problem)
    names = [f"w={c}" for c in "abcdefgh"]
    model.model_ = _core.ProblemModel(names, list(problem.labels), list(range(8)), [1.0] * 8)
    model.facts_ = {"examples": 1, "unreachable": 0, "epochs": 1}
    loaded = from_bytes(to_bytes(model), using=[problem])
    assert list(map(repr, loaded.weights())) == list(map(repr, model.weights()))


def test_only_what_carries_a_weight_is_stored():
    """Features alone: the actions, whatever they are, play no part."""

    class Odd(Tagging):
        def actions(self, x, s):
            return frozenset({"V"}), frozenset({"C"})

        def regret(self, x, s, y):
            return sum(a != {b} for a, b in zip(s, y, strict=False))

    model = Predictor(Odd(), epochs=5).fit(WORDS, TAGS)
    header, arrays = container.unpack(memoryview(to_bytes(model)))
    assert header["actions"] == []
    assert arrays["weights/values"].size == len(model.weights()) and (arrays["weights/values"] != 0).all()
    loaded = from_bytes(to_bytes(model), using=[model.problem])
    assert loaded.predict(WORDS) == model.predict(WORDS)


class Move(enum.IntEnum):
    LEFT = 1


@for_rows(
    "action, reason",
    (frozenset("a"), "of type frozenset"),
    (b"a", "of type bytes"),
    (Move.LEFT, r"of type .*Move"),
    (np.int64(1), r"of type numpy.int64"),
    (("a", ("b", 1j)), "of type complex"),
    (math.nan, "not a number"),
    ("\ud800", "UTF-8"),
    (1 << 5000, "bits"),
)
def test_actions_that_a_file_cannot_hold_are_refused_with_the_reason(tmp_path, action, reason):
    model = Predictor(Keyed(("A", action)))
    model.model_ = _core.ProblemModel(["w=x"], ["A", action], [1], [1.0])
    model.facts_ = {}
    with pytest.raises(UnsupportedError, match=rf"the action .* is .*{reason}.*; a model file holds") as caught:
        model.save(tmp_path / "m.riata")
    assert "actions(x, s)" in caught.value.remedy
    assert not list(tmp_path.iterdir())


def test_deep_tuples_are_refused():
    action = ()
    for _ in range(60):
        action = (action,)
    model = Predictor(Keyed(("A", action)))
    model.model_ = _core.ProblemModel(["w=x"], [action], [0], [1.0])
    refused(UnsupportedError, "deep", to_bytes, model)


KEYS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=3) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


@tried(
    100,
    st.dictionaries(st.text(max_size=4), st.floats(allow_nan=False, allow_infinity=False), max_size=5),
    st.lists(st.tuples(st.text(max_size=4), KEYS, st.floats(allow_nan=False, allow_infinity=False)), max_size=8),
)
def test_any_names_and_actions_come_back(alone, joined):
    weights = alone | {(name, action): value for name, action, value in joined}
    actions = list(dict.fromkeys(key[1] for key in weights if isinstance(key, tuple)))
    model = Predictor(Keyed())
    names = [key[0] if isinstance(key, tuple) else key for key in weights]
    of = [actions.index(key[1]) if isinstance(key, tuple) else -1 for key in weights]
    model.model_ = _core.ProblemModel(names, actions, of, list(weights.values()))
    model.facts_ = {"examples": 1, "unreachable": 0, "epochs": 1}
    loaded = from_bytes(to_bytes(model), using=[Keyed])
    assert loaded.weights() == {key: value for key, value in weights.items() if value != 0}


def test_an_untrained_one_cannot_be_saved(tmp_path):
    refused(NotFittedError, "has not been trained", Predictor(Tagging()).save, tmp_path / "m.riata")


# --- the user's problem ---------------------------------------------------------------------------------------------------
def test_the_problem_is_stored_by_name_and_must_be_supplied(tmp_path):
    path = tmp_path / "m.riata"
    tagger().save(path)
    for using in ([], [WordSet], [len, WordSet()]):
        caught = refused(ModelFileError, "", riata.load_model, path, using=using)
        assert str(caught).startswith(f"{path}: the model uses code that is not stored in it: python_problems.Tagging.")
        assert "using=[Tagging]" in caught.remedy
    mine = Tagging()
    assert riata.load_model(path, using=[len, mine]).problem is mine
    assert type(riata.load_model(path, using=[Tagging]).problem) is Tagging
    refused(ModelFileError, "two things of one name", riata.load_model, path, using=[Tagging, Tagging()])


def test_a_class_that_needs_arguments_is_refused_with_the_way_out():
    class Needy(Tagging):
        def __init__(self, far):
            self.far = far

    model = Predictor(Needy(1), epochs=1).fit(WORDS, TAGS)
    with pytest.raises(ModelFileError, match=r"the class Needy cannot be called without arguments") as caught:
        from_bytes(to_bytes(model), using=[Needy])
    assert "using=[Needy(...)]" in caught.value.remedy
    assert from_bytes(to_bytes(model), using=[Needy(2)]).problem.far == 2


def test_nothing_is_imported_by_name(tmp_path, monkeypatch):
    (tmp_path / "evil_module.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    header, arrays = container.unpack(memoryview(to_bytes(tagger())))
    header["functions"] = {"problem": "evil_module.Tagging"}
    refused(ModelFileError, r"evil_module\.Tagging", from_bytes, container.pack(header, arrays), using=[Tagging])


def test_what_has_the_name_but_is_no_problem_is_refused():
    def impostor():
        raise SystemExit

    impostor.__module__, impostor.__qualname__ = "python_problems", "Tagging"
    with pytest.raises(ModelFileError, match="has the name of the model's problem, but is none"):
        from_bytes(to_bytes(tagger()), using=[impostor])


@for_each(command=["inspect m.riata", "predict --model m.riata x.txt", "evaluate --model m.riata x.txt"])
def test_the_command_line_says_what_is_missing(tmp_path, monkeypatch, capsys, command):
    tagger().save(tmp_path / "m.riata")
    (tmp_path / "x.txt").write_text("a V\n")
    monkeypatch.chdir(tmp_path)
    assert refused(SystemExit, "", main, command.split()).code == 2
    assert "m.riata: the model uses code that is not stored in it: python_problems.Tagging" in capsys.readouterr().err


# --- mangled files --------------------------------------------------------------------------------------------------------
@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "m.riata"
    path.write_bytes(to_bytes(observer()))
    return path


def test_a_file_cut_or_changed_anywhere_is_refused(saved):
    whole = saved.read_bytes()
    rng = random.Random(0)
    cuts = [whole[:length] for length in [0, 1, 8, 63, 64, len(whole) - 1, *rng.sample(range(len(whole)), 100)]]
    flips = []
    for position in [*range(64), *rng.sample(range(64, len(whole)), 200)]:
        changed = bytearray(whole)
        changed[position] ^= 1 << (position % 8)
        flips.append(bytes(changed))
    for content in [*cuts, *flips, whole + b"\0"]:
        saved.write_bytes(content)
        assert str(refused(ModelFileError, "", riata.load_model, saved, using=[Keyed])).startswith(f"{saved}: ")


def check_mangled(content, model, probe):
    """Refused with one error, or as good as any other model."""
    try:
        loaded = from_bytes(content, using=[model().problem])
    except ModelFileError as error:
        assert str(error)
        return False
    if not isinstance(loaded, Predictor):
        return True
    try:
        first = loaded.predict(probe)
    except RiataError:  # another queue, or a limit of nodes: an error of the search
        first = None
    again = from_bytes(to_bytes(loaded), using=[model().problem])
    assert again.weights() == loaded.weights()
    assert first is None or again.predict(probe) == first
    return True


@pytest.mark.parametrize("mangled", [mangled_bytes, mangled_header, mangled_places, mangled_arrays])
@EVERY_MODEL
def test_mangled_files_are_refused_or_work(model, probe, mangled):
    try_mangled(mangled, to_bytes(model()), lambda file: check_mangled(file, model, probe), times=200, most_mb=500)


def test_every_value_of_the_header_may_be_anything():
    whole, arrays = container.unpack(memoryview(to_bytes(observer())))
    paths = [path for path in places_in(whole) if 0 < len(path) <= 2]
    assert len(paths) > 15
    bad = 0
    hostile = [
        *HOSTILE,
        {"float": "nan"},
        {"float": "inf"},
        [[["A"]]],
        {"problem": 1},
        "hill-climb",
        "a-star",
        "prefix",
    ]
    for path in paths:
        for value in hostile:
            header = {
                key: dict(v) if isinstance(v, dict) else list(v) if isinstance(v, list) else v
                for key, v in whole.items()
            }
            parent = header if len(path) == 1 else header[path[0]]
            parent[path[-1]] = value
            bad += not check_mangled(container.pack(header, arrays), observer, DATA)
    assert bad > len(paths) * len(hostile) / 2


@for_rows(
    "array, values",
    ("weights/values", [math.nan]),
    ("weights/values", [math.inf]),
    ("weights/values", [0.0]),
    ("weights/names", [1 << 31]),
    ("weights/actions", [99]),
)
def test_weights_that_fit_nothing_are_refused(array, values):
    header, arrays = container.unpack(memoryview(to_bytes(observer())))
    changed = arrays[array].astype(np.float64 if array.endswith("values") else np.int64)
    changed[: len(values)] = values
    with pytest.raises(ModelFileError, match="weights are inconsistent"):
        from_bytes(container.pack(header, arrays | {array: changed}), using=[Keyed])


def test_weights_and_actions_that_are_there_twice_are_refused():
    header, arrays = container.unpack(memoryview(to_bytes(observer())))
    doubled = {
        name: np.concatenate([array, array[:1]]) for name, array in arrays.items() if name.startswith("weights/")
    }
    with pytest.raises(ModelFileError, match="weights are inconsistent"):
        from_bytes(container.pack(header, arrays | doubled), using=[Keyed])
    header["actions"][0] = header["actions"][1]
    refused(ModelFileError, "not all different", from_bytes, container.pack(header, arrays), using=[Keyed])
