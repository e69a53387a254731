"""Mistakes in problems of the user's own that learning would go on with in silence, or blame on something else."""

import collections
import dataclasses
import functools
import types
import warnings

import numpy as np
import pytest

import riata
from checks import refused
from python_problems import TAGS, WORDS, Observing, Tagging, WordSet, with_weights
from riata import Predictor
from riata.errors import DataError, RiataError, RiataWarning, SearchError


# --- features -----------------------------------------------------------------------------------------------------------
class Frozen(collections.abc.Mapping):
    """A mapping that is no dict."""

    def __init__(self, pairs):
        self.pairs = dict(pairs)

    def __getitem__(self, name):
        return self.pairs[name]

    def __iter__(self):
        return iter(self.pairs)

    def __len__(self):
        return len(self.pairs)


MAPPINGS = [dict, collections.Counter, collections.OrderedDict, types.MappingProxyType, collections.ChainMap, Frozen]


@pytest.mark.parametrize("give", MAPPINGS)
def test_every_mapping_from_observe_keeps_its_values(give):
    class Valued(Observing):
        def observe(self, x, s):
            return give({"size": x[len(s)], "bias": 1})

    model = with_weights(Valued(), {("size", "B"): 1.0, ("bias", "A"): 0.5})
    assert model.predict([[3.0], [-2.0], [0.4], [0.6]]) == [["B"], ["A"], ["A"], ["B"]]
    riata.check_problem(Valued(), [[3.0, 1.0]], [["B", "A"]])


@pytest.mark.parametrize("give", MAPPINGS)
def test_every_mapping_from_features_keeps_its_values(give):
    class Valued(Tagging):
        def features(self, x, s, a):
            return give({f"size|{a}": x[len(s)]})

    assert with_weights(Valued(), {"size|V": 1.0}).predict([[3.0], [-2.0]]) == [["V"], ["C"]]


def test_a_pandas_series_of_features_keeps_its_values():
    pandas = pytest.importorskip("pandas")

    class Valued(Tagging):
        def features(self, x, s, a):
            return pandas.Series({f"size|{a}": x[len(s)]})

    assert with_weights(Valued(), {"size|V": 1.0}).predict([[3.0], [-2.0]]) == [["V"], ["C"]]


def test_a_text_as_value_belongs_into_the_name():
    class Valued(Observing):
        def observe(self, x, s):
            return {"word": x[len(s)]}

    with pytest.raises(DataError, match="feature 'word' has the value 'x'; expected a finite number") as caught:
        Predictor(Valued()).fit(["xy"], [["A", "B"]])
    assert 'f"{name}={value}"' in caught.value.remedy


class Deaf(Tagging):
    """Features do not mention the action."""

    def features(self, x, s, a):
        return [f"w={x[len(s)]}"]


class Mute(Observing):
    def observe(self, x, s):
        return []


@pytest.mark.parametrize("problem", [Deaf(), Mute(("V", "C"))])
def test_features_that_do_not_tell_actions_apart_are_told_of(problem):
    with pytest.warns(RiataWarning, match=r"the actions cannot be told apart: (features|observe)\(x, s") as caught:
        Predictor(problem).fit(WORDS, TAGS)
    (warning,) = caught
    assert "Put the action into the names" in str(warning.message)
    assert warning.filename == __file__
    with pytest.raises(SearchError, match=r"in each of the 3 states that have several") as error:
        riata.check_problem(problem, ["ab"], [["V", "C"]])
    assert "observe(x, s)" in error.value.remedy


def test_features_that_tell_some_actions_apart_are_not_told_of():
    class Both(Deaf):
        def observe(self, x, s):
            return [f"w={x[len(s)]}"]

    class Late(Tagging):
        def features(self, x, s, a):
            return [f"{a}"] if x == "aeon" else []

    class Single(Tagging):
        def actions(self, x, s):
            return ("V",)

        def features(self, x, s, a):
            return []

    class Valued(Tagging):
        def features(self, x, s, a):
            return [("size", 1.0 if a == "V" else 2.0)]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Predictor(Both()).fit(WORDS, TAGS)
        Predictor(Late()).fit(WORDS, TAGS)
        Predictor(Single()).fit(["ab"], [["V", "V"]])
        Predictor(Valued()).fit(WORDS, TAGS)
        Predictor(WordSet()).fit([["a"]], [frozenset("a")])
    riata.check_problem(Single(), ["ab"], [["V", "V"]])
    riata.check_problem(Valued(), ["ab"], [["V", "V"]])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "big", None])
def test_the_check_reads_the_values_of_features(value):
    class Valued(Tagging):
        def features(self, x, s, a):
            return [a, ("length", value)]

    with pytest.raises(SearchError, match=r"features: feature 'length' returned .*; expected a finite number"):
        riata.check_problem(Valued(), ["ab"], [["V", "C"]])


@pytest.mark.parametrize("given", [None, 5, "name", [1], [("a", 1, 2)]])
def test_the_check_reads_the_names_of_features(given):
    problem = Tagging()
    problem.features = lambda x, s, a: given
    with pytest.raises(SearchError, match=r"features (returned|gave the feature) .*; expected "):
        riata.check_problem(problem, ["ab"], [["V", "C"]])


# --- X and Y --------------------------------------------------------------------------------------------------------------
def test_true_outputs_that_are_missing_are_asked_for():
    model = Predictor(Tagging(), epochs=1).fit(WORDS, TAGS)
    for call in (model.fit, model.score, model.search_errors, model.diagnose):
        caught = refused(DataError, r"^Y is None; expected the true output of every input in X", call, WORDS, None)
        assert "[None] * len(X)" in caught.remedy


@pytest.mark.parametrize("X", ["wood", b"wood", {"wood": 1}, 5, None])
def test_what_is_no_list_of_inputs_is_refused(X):
    model = Predictor(Tagging(), epochs=1).fit(WORDS, TAGS)
    calls = [
        lambda: model.predict(X),
        lambda: model.fit(X, TAGS),
        lambda: model.score(X, TAGS),
        lambda: riata.check_problem(Tagging(), X),
    ]
    for call in calls:
        refused(DataError, r"^X is .*; expected a list", call)


def test_a_table_of_pandas_is_refused():
    pandas = pytest.importorskip("pandas")
    caught = refused(DataError, "X is a DataFrame", Predictor(Tagging()).fit, pandas.DataFrame({"word": WORDS}), TAGS)
    assert "itertuples" in caught.remedy
    Predictor(Tagging(), epochs=1).fit(pandas.Series(WORDS), pandas.Series(TAGS))


# --- methods that change what they are given ----------------------------------------------------------------------------------
class Lists(Tagging):
    def initial(self, x):
        return []

    def apply(self, x, s, a):
        return [*s, a]


@dataclasses.dataclass
class Record:
    labels: list


class Plain:
    def __init__(self, labels):
        self.labels = labels


def appended(s, a):
    s.append(a)
    return s


def in_labels(s, a):
    s.labels.append(a)
    return s


def in_shared_labels(s, a):
    made = type(s)(s.labels)
    made.labels.append(a)
    return made


def in_array(s, a):
    s[np.argmin(s)] = 1 + (a == "C")
    return s


STATES = {
    "list": (list, len, appended),
    "dataclass": (lambda: Record([]), lambda s: len(s.labels), in_labels),
    "plain": (lambda: Plain([]), lambda s: len(s.labels), in_labels),
    "shared": (lambda: Plain([]), lambda s: len(s.labels), in_shared_labels),
    "array": (lambda: np.zeros(9), np.count_nonzero, in_array),
    "tuple of a list": (lambda: ([],), lambda s: len(s[0]), lambda s, a: (appended(s[0], a),)),
}


@pytest.mark.parametrize(("start", "length", "step"), STATES.values(), ids=STATES)
def test_an_apply_that_changes_its_state_is_named(start, length, step):
    class Changing(Tagging):
        def initial(self, x):
            return start()

        def apply(self, x, s, a):
            return step(s, a)

        def is_goal(self, x, s):
            return length(s) == len(x)

        def features(self, x, s, a):
            return [f"{x[length(s)]}|{a}"]

        def regret(self, x, s, y):
            return 0

    with pytest.raises(SearchError, match=r"^example 2: apply changes the state that it was given: ") as caught:
        Predictor(Changing(), settings={"shuffle": False}).fit(["", "", "banana"], TAGS[:1] * 3)
    assert "Return a new state" in caught.value.remedy


@pytest.mark.parametrize("method", ["actions", "is_goal", "features", "regret", "key"])
def test_other_methods_that_change_their_state_are_named(method):
    class Changing(Lists):
        def key(self, x, s):
            return tuple(s)

    def changing(x, s, *others):
        s.append("V")
        return getattr(Changing, method)(problem, x, s, *others)

    problem = Changing()
    setattr(problem, method, changing)
    with pytest.raises(
        SearchError, match=rf"^example 0: {method} changes the state that it was given: \[.*\] became \["
    ):
        Predictor(problem).fit(["banana"], TAGS[2:3])


def test_a_method_that_changes_the_input_is_named():
    class Eating(Tagging):
        def apply(self, x, s, a):
            x.pop()
            return (*s, a)

    for call in (Predictor(Eating()).fit, functools.partial(riata.check_problem, Eating())):
        with pytest.raises(SearchError, match=r"example 0: apply changes the input x: \['a', 'b'\] became \['a'\]"):
            call([["a", "b"]], [["V", "C"]])


def test_the_check_names_an_apply_that_changes_its_state():
    class Box(Plain):
        def __hash__(self):
            return hash(tuple(self.labels))

        def __eq__(self, other):
            return self.labels == other.labels

    class Changing(Tagging):
        def initial(self, x):
            return Box([])

        def apply(self, x, s, a):
            return in_shared_labels(s, a)

        def is_goal(self, x, s):
            return len(s.labels) >= len(x)

        def regret(self, x, s, y):
            return 0

    with pytest.raises(SearchError, match="example 0: apply changes the state that it was given"):
        riata.check_problem(Changing(), ["ab"], [["V", "C"]])


def test_states_of_all_kinds_that_stay_what_they_are_are_learnt_from():
    class Remembering(Plain):
        """Computes something once, when it is first asked for."""

        cached = None

        @functools.cached_property
        def last(self):
            return self.labels[-1:]

    class Objects(Tagging):
        def initial(self, x):
            return Remembering([])

        def apply(self, x, s, a):
            return Remembering([*s.labels, a])

        def is_goal(self, x, s):
            return len(s.labels) == len(x)

        def features(self, x, s, a):
            s.cached = len(s.labels)
            return [f"w={x[s.cached]}|{a}", f"p={s.last}|{a}"]

        def regret(self, x, s, y):
            return sum(a != b for a, b in zip(s.labels, y, strict=False))

    class Arrays(Tagging):
        def initial(self, x):
            return np.array([], dtype="U1")

        def apply(self, x, s, a):
            return np.append(s, a)

    plain = Predictor(Tagging()).fit(WORDS, TAGS).predict(WORDS)
    for problem in (Lists(), Objects(), Arrays()):
        assert Predictor(problem).fit(WORDS, TAGS).predict(WORDS) == plain


def test_the_check_asks_about_goals():
    class Endless(Tagging):
        def is_goal(self, x, s):
            return False

    with pytest.raises(SearchError, match=r"more than 100 states.* no goal among those") as caught:
        riata.check_problem(Endless(), ["ab"], max_states=100)
    assert "Is is_goal(x, s) ever true?" in caught.value.remedy
    Endless.actions = lambda self, x, s: ("V", "C") if len(s) < 2 else ()
    refused(SearchError, "no goal can be reached from it", riata.check_problem, Endless(), ["ab"])


# --- what methods return ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("given", [None, 5, 2.5])
def test_actions_that_are_no_list_are_refused(given):
    problem = Tagging()
    problem.actions = lambda x, s: given
    with pytest.raises(DataError, match=rf"^example 0: actions returned {given}; expected a list of actions") as caught:
        Predictor(problem).fit(["ab"], [["V", "C"]])
    assert "empty list" in caught.value.remedy


def test_a_goal_test_that_is_neither_true_nor_false_is_refused():
    problem = Tagging()
    problem.is_goal = lambda x, s: np.array([True, False])
    with pytest.raises(DataError, match=r"^example 0: is_goal returned array\(\[ True, False\]\), which is neither"):
        Predictor(problem).fit(["ab"], [["V", "C"]])


@pytest.mark.parametrize("value", [1e101, -1e308])
def test_values_that_no_sum_can_hold_are_refused(value):
    problem = Tagging()
    problem.features = lambda x, s, a: [(a, value)]
    with pytest.raises(DataError, match=r"feature 'V' has the value .*; expected a finite number up to 1e100"):
        Predictor(problem).fit(["ab"], [["V", "C"]])
    problem.features = lambda x, s, a: [(f"{x[len(s)]}|{a}", 1e100)]
    for recipe in ("laso-alma", "laso-perceptron"):
        assert Predictor(problem, recipe).fit(["ab"], [["V", "C"]]).predict(["ab"]) == [["V", "C"]]


def test_a_regret_that_falls_is_refused_with_the_state():
    problem = Tagging()
    problem.regret = lambda x, s, y: -len(s)
    with pytest.raises(SearchError, match=r"regret is 0 at the start, but -1 in the state \('V',\)") as caught:
        Predictor(problem).fit(["ab"], [["V", "C"]])
    assert "no step makes it less" in caught.value.remedy


@pytest.mark.parametrize("value", [-1, 0])
def test_a_regret_that_is_the_same_everywhere_is_told_of(value):
    problem = Tagging()
    problem.regret = lambda x, s, y: value
    with pytest.warns(RiataWarning, match="every action is right, in each state of the first examples") as caught:
        Predictor(problem).fit(["ab"], [["V", "C"]])
    assert caught[0].filename == __file__


def test_rounding_in_a_large_regret_does_not_make_a_step_wrong():
    class Scaled(Tagging):
        def regret(self, x, s, y):
            return 1e7 + sum((a != b) + 1e-9 for a, b in zip(s, y, strict=False))

    with pytest.warns(RiataWarning, match="cannot be reached"):
        model = Predictor(Scaled(), epochs=10).fit(WORDS, TAGS)
    assert model.score(WORDS, TAGS) == 1


@pytest.mark.parametrize("kind", [set, frozenset])
def test_sets_are_read_in_an_order_that_is_the_same_in_every_process(kind):
    class Sets(Tagging):
        def actions(self, x, s):
            return kind(["V", "C", "A", "X", "B"])

        def features(self, x, s, a):
            return kind([f"{name}|{a}" for name in "zyxabc"])

    assert with_weights(Sets(), {}).predict(["ab"]) == [["A", "A"]]  # at a tie, the first
    names = list(Predictor(Sets(), beam=1, epochs=1).fit(["ab"], [["V", "C"]]).weights())
    assert [name for name in names if name.endswith("V")] == [f"{name}|V" for name in "abcxyz"]


# --- outputs ------------------------------------------------------------------------------------------------------------------
def test_outputs_that_are_arrays_are_compared():
    class Arrays(Tagging):
        def output(self, x, s, path):
            return np.array(path)

    model = Predictor(Arrays(), epochs=10).fit(WORDS, TAGS)
    assert model.score(WORDS, TAGS) == model.score(WORDS, [np.array(y) for y in TAGS]) == 1
    assert model.score(["ab"], [["V", "V"]]) == 0


class Cutting(riata.Problem):
    """Cuts a text into pieces: actions are lengths, and true outputs are the places of cuts."""

    def initial(self, x):
        return (0,)

    def actions(self, x, s):
        return range(1, len(x) - s[-1] + 1)

    def apply(self, x, s, a):
        return (*s, s[-1] + a)

    def is_goal(self, x, s):
        return s[-1] == len(x)

    def observe(self, x, s):
        return [x[s[-1]]]

    def regret(self, x, s, y):
        return len(set(s[1:]) - set(y)) + sum(cut <= s[-1] and cut not in s for cut in y)


def test_outputs_that_are_right_by_regret_and_never_equal_the_truth_are_told_of():
    X, Y = ["aab", "ccb"], [[2, 3], [2, 3]]
    with pytest.warns(RiataWarning, match="no output equals the truth, although the regret of some is 0") as caught:
        made = riata.Predictor(Cutting(), dev=(X, Y), beam=10).fit(X, Y)
    assert "output(x, s, path)" in str(caught[0].message)
    with pytest.warns(RiataWarning, match="regret of some is 0"):
        assert made.score(X, Y) == 0

    class Places(Cutting):
        def output(self, x, s, path):
            return list(s[1:])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert riata.Predictor(Places(), beam=10).fit(X, Y).score(X, Y) == 1
        assert made.scores_of(X, Y, [["x"], None]) == [0, 0]


def test_outputs_of_another_type_than_the_truth_are_told_of():
    class Texts(Tagging):
        def output(self, x, s, path):
            return "".join(path)

    model = Predictor(Texts(), epochs=10).fit(WORDS, TAGS)
    with pytest.warns(RiataWarning, match="outputs are of type 'str', true outputs of type 'list'"):
        assert model.score(WORDS, TAGS) == 0
    assert model.score(WORDS, ["".join(y) for y in TAGS]) == 1


def test_a_single_problem_may_stand_alone_in_using(tmp_path):
    model = Predictor(Tagging(), epochs=2).fit(WORDS, TAGS)
    model.save(tmp_path / "model.riata")
    for using in (Tagging(), Tagging, [Tagging()]):
        assert riata.load_model(tmp_path / "model.riata", using=using).predict(WORDS) == model.predict(WORDS)


def test_fitting_without_true_outputs_asks_for_them():
    refused(DataError, "Y is None", Predictor(Tagging()).fit, WORDS)


# --- answers of a problem that are none: fit, predict and check_problem refuse the same ones, in words ---------------
X, Y = ["ab", "ba"], ["VC", "CV"]
NO_DIMENSIONS = np.array("a")
ODD = [
    ("features", NO_DIMENSIONS, "features returned"),
    ("actions", NO_DIMENSIONS, "actions returned"),
    ("observe", NO_DIMENSIONS, "observe returned"),
    ("parts", NO_DIMENSIONS, "parts returned"),
    ("actions", None, "actions returned None"),
    ("actions", 3, "actions returned 3"),
    ("is_goal", np.array([True, False]), "is_goal returned .*neither true nor false"),
    ("features", ["\ud800"], "lone surrogate"),
    ("features", {"a": 1e200}, "up to 1e"),
    ("features", {"a": "1"}, "feature 'a'"),
    ("regret", "0", "regret returned '0'"),
]


def odd(method, answer):
    return type("Odd", (Tagging,), {method: lambda self, *_: answer})()


@pytest.mark.parametrize(("method", "answer", "says"), ODD, ids=[f"{method} {answer!r}" for method, answer, _ in ODD])
def test_odd_answers_are_refused_wherever_they_are_met(method, answer, says):
    refused(RiataError, says, Predictor(odd(method, answer), beam=2, epochs=1).fit, X, Y)
    refused(SearchError, says, riata.check_problem, odd(method, answer), X, Y)
    if method not in ("regret", "parts"):  # which prediction does not ask for
        trained = Predictor(Tagging(), beam=2, epochs=1).fit(X, Y)
        trained.problem = odd(method, answer)
        refused(RiataError, says, trained.predict, X)


@pytest.mark.parametrize("answer", [None, np.array([1, 2]), "1", float("nan")])
def test_check_problem_refuses_a_cover_that_is_no_number(answer):
    refused(SearchError, "covered returned", riata.check_problem, odd("covered", answer), X, Y)


@pytest.mark.parametrize("loss", [1e308, "0"])
def test_a_loss_that_no_mean_can_be_taken_of_is_refused(loss):
    trained = Predictor(odd("loss", loss), beam=2, epochs=1).fit(X, Y)
    refused(DataError, r"loss returned .*; expected a finite number up to 1e\+100", trained.score, X, Y)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_problem_that_runs_out_of_memory_is_an_error_with_a_way_out(method):
    class Full(Tagging):
        def apply(self, x, s, a):
            raise MemoryError

    refused(DataError, r"out of memory(.|\n)*smaller beam", getattr(Predictor(Full()), method), X, Y)
