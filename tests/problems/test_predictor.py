"""The estimator of a user's own problem: its conventions, and what it says about what users get wrong."""

import math
import pickle
import signal

import pytest

from checks import refused
from python_problems import TAGS, WORDS, Admissible, Keyed, Observing, Tagging, WordSet, with_weights
from riata import Predictor, Problem
from riata.errors import DataError, NotFittedError, SettingError, UnknownNameError, UnsupportedError
from riata.problems.problem import defined
from samples import for_each, for_rows


# --- what users get wrong --------------------------------------------------------------------------------------------------------
class Mine(Exception):
    pass


@for_each(method=["initial", "actions", "apply", "is_goal", "features", "observe", "regret", "key", "heuristic"])
def test_exceptions_of_the_user_come_through_as_they_are(method):
    def fail(*given):
        raise error

    error = Mine("here")
    problem = Keyed() if method in ("observe", "key") else Tagging()
    model = with_weights(problem, {})
    setattr(problem, method, fail)
    assert refused(Mine, "", Predictor(problem).fit, ["ab"], [["V", "C"]]) is error
    if method != "regret":
        refused(Mine, "", model.predict, ["ab"])


def test_exceptions_of_generators_come_through():
    class Failing(Tagging):
        def features(self, x, s, a):
            yield "fine"
            raise TypeError("mine")

    refused(TypeError, "mine", Predictor(Failing()).fit, ["ab"], [["V", "C"]])


def test_a_failure_in_a_later_epoch_leaves_the_estimator_as_it_was():
    class Tired(Tagging):
        calls = 0

        def apply(self, x, s, a):
            self.calls += 1
            if self.calls > 100:
                raise Mine
            return super().apply(x, s, a)

    model = Predictor(Tired(), epochs=100)
    refused(Mine, "", model.fit, WORDS, TAGS)
    refused(NotFittedError, "", model.predict, WORDS)


@pytest.mark.usefixtures("answers_ctrl_c")
def test_ctrl_c_keeps_the_model_of_the_last_complete_epoch():
    class Interrupted(Tagging):
        epochs = -1

        def initial(self, x):
            self.epochs += x == WORDS[0]
            if self.epochs == 2:
                signal.raise_signal(signal.SIGINT)
            return ()

    model = Predictor(Interrupted(), epochs=9, settings={"shuffle": False})
    refused(KeyboardInterrupt, "", model.fit, WORDS, TAGS)
    assert [epoch["epoch"] for epoch in model.history_] == [1, 2]
    two = Predictor(Tagging(), epochs=2, settings={"shuffle": False}).fit(WORDS, TAGS)
    assert model.weights() == two.weights()


@pytest.mark.parametrize("value", [math.nan, math.inf, "much", None])
def test_a_regret_that_is_no_number_is_refused(value):
    problem = Tagging()
    problem.regret = lambda x, s, y: value
    with pytest.raises(DataError, match=r"example 0: regret returned .*; expected a finite number"):
        Predictor(problem).fit(["ab"], [["V", "C"]])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "big", None])
def test_a_value_that_is_no_finite_number_is_refused_with_the_name(value):
    class Valued(Observing):
        def observe(self, x, s):
            return ["fine", ("length", value if x == "bad" else 1.0)]

    with pytest.raises(
        DataError, match=f"example 1: feature 'length' has the value {value!r}; expected a finite number"
    ):
        Predictor(Valued(), settings={"shuffle": False}).fit(["ok", "bad"], [["A", "A"], ["A", "A", "A"]])


@pytest.mark.parametrize("given", [None, 5, "name", [1], [("a", 1, 2)], [(1, "a")]])
def test_what_are_no_features_is_refused(given):
    problem = Tagging()
    problem.features = lambda x, s, a: given
    with pytest.raises(DataError, match=r"example 0: features (returned|gave)|feature 1 has the value 'a'"):
        Predictor(problem).fit(["ab"], [["V", "C"]])


def test_actions_and_keys_must_be_hashable():
    problem = Tagging()
    problem.actions = lambda x, s: [["V"], ["C"]]
    refused(DataError, r"the action \['V'\] cannot be hashed", Predictor(problem).fit, ["ab"], [["V", "C"]])
    problem = Keyed()
    problem.key = lambda x, s: {}
    refused(DataError, r"the key \{\} cannot be hashed", with_weights(problem, {}).predict, ["x"])


def test_actions_come_back_as_they_were_given():
    problem = Tagging()
    problem.actions = lambda x, s: (True, 0) if len(s) == 1 else (1.0, 0)  # 1.0 == True
    (path,) = with_weights(problem, {"w=a|1.0": 1.0, "w=b|True": 1.0}).predict(["ab"])
    assert [type(a) for a in path] == [float, bool]


def test_actions_that_training_never_saw_can_be_taken():
    model = Predictor(WordSet(), epochs=5).fit([["a", "b"]] * 3, [frozenset("a")] * 3)
    assert model.predict([["a", "new"]])[0] >= {"a"}


@pytest.mark.parametrize("name", ["breadth-first", "depth-first", "hill-climb"])
def test_some_queues_are_decode_only(name):
    model = Predictor(Tagging(), queue=name)
    caught = refused(UnsupportedError, f"The queue '{name}' is decode only", model.fit, WORDS, TAGS)
    assert "set_params" in caught.remedy


def test_a_trained_predictor_can_search_in_other_ways():
    model = Predictor(Tagging(), epochs=10).fit(WORDS, TAGS)
    for queue in ("greedy", "best-first", "depth-first", "breadth-first"):
        (path,) = model.set_params(queue=queue).predict(["lean"])
        assert len(path) == 4
    assert model.set_params(queue="depth-first").predict(["lean"]) == [["C", "V", "V", "C"]]


def test_an_infinite_beam_is_none_at_all():
    one, other = (Predictor(Keyed("VC"), beam=beam, epochs=2).fit(WORDS, TAGS) for beam in (None, math.inf))
    assert one.weights() == other.weights()


@for_rows(
    "params, error, message",
    ({"recipe": "laso-alm"}, UnknownNameError, "Unknown recipe 'laso-alm'. Did you mean 'laso-alma'"),
    ({"queue": "beem"}, UnknownNameError, "Unknown queue 'beem'. Did you mean 'beam'"),
    ({"settings": {"stap": "alma"}}, UnknownNameError, "Unknown setting 'stap'. Did you mean 'step'"),
    ({"settings": {"when": "never"}}, SettingError, "expected one of laso"),
    ({"queue": "a-star"}, UnsupportedError, "'a-star' needs heuristic"),
    ({"beam": 0}, SettingError, "beam is 0; expected a whole number of at least 1, or None"),
    ({"beam": 2.5}, SettingError, "beam is 2.5"),
    ({"beam": math.nan}, SettingError, "beam is nan"),
    ({"settings": ["step"]}, SettingError, "settings is ['step']; expected a dictionary"),
    ({"epochs": 0}, SettingError, "epochs is 0"),
    ({"seed": -1}, SettingError, "seed is -1"),
    ({"problem": Tagging}, SettingError, "the class itself"),
    ({"problem": 5}, SettingError, "of type 'int'"),
    ({"problem": Problem()}, SettingError, "does not define initial, actions, apply, is_goal, features or obs"),
)
def test_what_makes_no_sense_is_refused_with_the_reason(params, error, message):
    assert message in str(refused(error, "", Predictor(**{"problem": Tagging(), **params}).fit, WORDS, TAGS))


def test_data_that_do_not_pair_up_are_refused():
    for data in (([], []), (WORDS, TAGS[:2])):
        refused(DataError, "expected one output per input", Predictor(Tagging()).fit, *data)


def test_optional_methods_are_those_that_the_subclass_writes():
    assert defined(Problem()) == []
    assert defined(Tagging()) == ["features", "regret"]
    assert defined(Keyed()) == ["observe", "regret", "key"]
    assert defined(Admissible({})) == ["observe", "regret", "heuristic"]


# --- as an estimator ----------------------------------------------------------------------------------------------------------
def test_it_keeps_the_conventions_of_estimators():
    base = pytest.importorskip("sklearn.base")
    model = Predictor(Tagging(), beam=3, epochs=10).fit(WORDS, TAGS)
    fresh = base.clone(model)
    assert fresh.beam == 3
    assert not hasattr(fresh, "model_")
    assert "beam=3" in repr(model)
    again = pickle.loads(pickle.dumps(model))
    assert again.weights() == model.weights() != {}
    assert again.predict(WORDS) == model.predict(WORDS)


def test_an_untrained_one_says_so():
    for call in (lambda p: p.predict(WORDS), lambda p: p.score(WORDS, TAGS), lambda p: p.weights()):
        refused(NotFittedError, "not been trained", call, Predictor(Tagging()))
