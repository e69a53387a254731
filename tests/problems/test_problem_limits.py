"""Problems of the user's own that do not end: how deep a search goes, what it holds in memory, and what it says."""

import itertools
import tracemalloc

import pytest

import riata
from checks import refused
from python_problems import RECIPES, TAGS, WORDS, Keyed, Observing, Tagging, with_weights
from riata import Predictor, Problem, Tagger
from riata._core import most_actions, most_features
from riata.errors import DataError, RiataError, SearchError, SettingError, UnknownNameError
from samples import for_each, for_rows


class Endless(Tagging):
    """No state is a goal."""

    def is_goal(self, x, s):
        return False

    def features(self, x, s, a):
        return [f"w={x[len(s) % len(x)]}|{a}"]


class Walk(Problem):
    """To and fro on a line, up to x."""

    def initial(self, x):
        return 0

    def actions(self, x, s):
        return (1, -1)

    def apply(self, x, s, a):
        return s + a

    def is_goal(self, x, s):
        return s == x

    def features(self, x, s, a):
        return [f"step {a}"]

    def regret(self, x, s, y):
        return 0 if s >= 0 else 1


class Counted(Walk):
    """Steps that are taken back are wrong."""

    def initial(self, x):
        return 0, 0

    def apply(self, x, s, a):
        return s[0] + a, s[1] + 1

    def is_goal(self, x, s):
        return s[0] == x

    def regret(self, x, s, y):
        return (s[1] - s[0]) / 2


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_goal_that_is_never_reached_in_training_is_asked_about(recipe):
    model = Predictor(Endless(), recipe, settings={"max_depth": 50})
    with pytest.raises(SearchError, match=r"^example 0, state .*: no goal was reached within 50 steps") as caught:
        model.fit(["ab"], [["V", "C"]])
    assert "Is is_goal(x, s) ever true?" in caught.value.remedy
    assert "max_depth" in caught.value.remedy


def test_a_goal_that_is_never_reached_ends_by_itself():
    model = Predictor(Deep(), beam=1)
    refused(SearchError, r"^example 0, state 10000: no goal was reached within 10000 steps", model.fit, [-1], [None])


def test_long_histories_are_held_in_bounded_memory():
    class Long(Endless):
        def apply(self, x, s, a):
            return (*s, *[a] * 200)

        def features(self, x, s, a):
            return [a]

        def regret(self, x, s, y):
            return 0

    tracemalloc.start()
    with pytest.raises(SearchError, match="no goal was reached within 1000 steps"):
        Predictor(Long(), beam=1, settings={"max_depth": 1000}).fit(["ab"], [["V", "C"]])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6  # 1,000 steps for two actions hold 200 * 1,000 * 1,000 pointers: 1.6 GB


@pytest.mark.parametrize("queue", ["beam", "greedy"])
def test_a_goal_that_is_never_reached_in_prediction_is_asked_about(queue):
    model = with_weights(Endless(), {}, queue=queue, settings={"max_depth": 30})
    refused(SearchError, r"^example 0, .*no goal was reached within 30 steps", model.predict, ["ab"])


def test_paths_that_are_too_deep_are_given_up_and_the_goal_counts():
    """A beam waits until all in it is complete; what wanders about is given up."""
    weights = {"step 1": -1.0, "step -1": -1.1}
    model = with_weights(Walk(), weights, beam=4, settings={"max_depth": 20})
    assert model.predict([3]) == [[1, 1, 1]]
    assert model.set_params(settings={"max_depth": 3}).predict([3]) == [[1, 1, 1]]
    refused(SearchError, "no goal was reached within 2 steps", model.set_params(settings={"max_depth": 2}).predict, [3])


@for_each(recipe=RECIPES, beam=[1, 3])
def test_training_learns_from_paths_that_never_end(recipe, beam):
    model = Predictor(Counted(), recipe, beam=beam, epochs=10, settings={"max_depth": 30}).fit([3, 5], [None] * 2)
    assert model.predict([4]) == [[1] * 4]


def test_an_endless_climb_is_an_error():
    class Climb(Walk):
        def is_goal(self, x, s):
            return True

    model = with_weights(Climb(), {"step 1": 1.0}, queue="hill-climb", settings={"max_depth": 50})
    refused(SearchError, "hill-climbing still goes up after 50 steps", model.predict, [3])


def test_the_limit_grows_with_the_input():
    x = "ab" * 6000  # 12,000 steps
    found = with_weights(Counting(), {("odd", "B"): 1.0}, beam=1).predict([x])
    assert found == ["AB" * 6000]


class Counting(Observing):
    """States of constant size."""

    def initial(self, x):
        return 0

    def apply(self, x, s, a):
        return s + 1

    def is_goal(self, x, s):
        return s == len(x)

    def observe(self, x, s):
        return ["odd" if s % 2 else "even"]

    def output(self, x, s, path):
        return "".join(path)


class Deep(Walk):
    """x is a number, so only the truth tells how deep outputs are."""

    def actions(self, x, s):
        return (1,)


def test_the_limit_grows_with_the_truth_and_is_kept_with_the_model(tmp_path):
    model = Predictor(Deep(), beam=1, epochs=1).fit([2000], [None])
    assert model.facts_["deepest"] == 2000
    model.save(tmp_path / "deep.riata")
    loaded = riata.load_model(tmp_path / "deep.riata", using=[Deep()])
    assert loaded.facts_ == model.facts_
    for known in (model, loaded):
        assert len(known.predict([15_000])[0]) == 15_000
        refused(SearchError, "no goal was reached within 20000 steps", known.predict, [20_001])
    with pytest.raises(SearchError, match="no goal was reached within 10000 steps"):
        Predictor(Deep(), beam=1, epochs=1).fit([10_001], [None])
    assert len(Predictor(Deep(), settings={"max_depth": 10_001}).fit([10_001], [None]).predict([10_001])[0]) == 10_001


def test_the_limit_is_a_setting_that_is_checked():
    with pytest.raises(SettingError, match="'max_depth' has the value -1"):
        Predictor(Tagging(), settings={"max_depth": -1}).fit(WORDS, TAGS)
    refused(UnknownNameError, "max_depth", Tagger("laso-alma", settings={"max_depth": 5}).fit, [["a"]], [["A"]])


# --- memory -------------------------------------------------------------------------------------------------------------------
@for_each(recipe=RECIPES, queue=["beam", "best-first"], problem=[Observing, Keyed])
def test_states_that_are_dropped_and_made_again_change_nothing(problem, queue, recipe):
    """Large states are dropped early, so that most are made again; small ones never are."""

    class Padded(problem):
        made = 0

        def initial(self, x):
            return Large()

        def apply(self, x, s, a):
            Padded.made += 1
            return Large((*s, a))

    data = [list("xyzzyxxyzx"), list("zyxyx"), list("xxzzyz")]
    truth = [["ABC"["xyz".index(c)] for c in x] for x in data]
    small = Predictor(problem(), recipe, queue=queue, epochs=2, beam=3).fit(data, truth)
    large = Predictor(Padded(), recipe, queue=queue, epochs=2, beam=3).fit(data, truth)
    assert large.weights() == small.weights()
    assert large.predict(data) == small.predict(data)


class Large(tuple):
    """Says that it is larger than all that is held in memory at once."""

    def __sizeof__(self):
        return 1 << 26


@pytest.mark.parametrize("recipe", ["standard", "max-violation"])
def test_recipes_that_wait_for_the_end_learn_from_dead_ends(recipe):
    class Traps(Tagging):
        def actions(self, x, s):
            return () if s[-1:] == ("V",) else ("V", "C")

    model = Predictor(Traps(), recipe, beam=1, epochs=5).fit(["xyz"], [["C", "C", "C"]])
    assert model.predict(["xyz"]) == [["C", "C", "C"]]


@pytest.mark.parametrize("queue", ["best-first", "depth-first"])
def test_states_that_wait_are_held_in_bounded_memory_too(queue):
    """Endless, and every state is about 1 MB."""

    class Board(Walk):
        def initial(self, x):
            return (0,) * 125_000

        def apply(self, x, s, a):
            return (s[0] + a, *s[1:])

        def is_goal(self, x, s):
            return False

    model = with_weights(Board(), {"step 1": 1.0}, queue=queue, settings={"max_nodes": 1000})
    tracemalloc.start()
    refused(SearchError, "made 1000 nodes", model.predict, [0])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6


# --- problems whose methods never end, or give what is no text and no number -----------------------------------------
class Letters(Problem):
    def initial(self, x):
        return ""

    def actions(self, x, s):
        return ("A", "B")

    def apply(self, x, s, a):
        return s + a

    def is_goal(self, x, s):
        return len(s) == len(x)

    def observe(self, x, s):
        return [x[len(s)]]

    def regret(self, x, s, y):
        return sum(a != b for a, b in zip(s, y, strict=False))


def problem(**methods):
    return type("Letters", (Letters,), methods)()


def fitted(**methods):
    return Predictor(problem(**methods), epochs=1).fit(["ab"], ["AB"])


@for_rows(
    "method, endless, most",
    ("actions", lambda self, x, s: itertools.count(), most_actions),
    ("observe", lambda self, x, s: (f"f{i}" for i in itertools.count()), most_features),
    ("features", lambda self, x, s, a: itertools.repeat("f"), most_features),
)
def test_a_method_that_yields_for_ever_is_named_with_the_limit(method, endless, most):
    refused(DataError, f"{method}.* more than {most:,}", fitted, **{method: endless})
    keyed = problem(**{method: endless, "key": lambda self, x, s: s})
    refused(DataError, f"{method}.* more than {most:,}", riata.check_problem, keyed, ["ab"], ["AB"])
    trained = fitted()
    trained.problem = problem(**{method: endless})
    refused(DataError, f"{method}.* more than {most:,}", trained.predict, ["ab"])


def test_generators_that_end_are_read_whole():
    trained = fitted(
        actions=lambda self, x, s: (a for a in "AB"),
        features=lambda self, x, s, a: ((f"{a}{i}", 1.0) for i in range(3)),
    )
    assert len(trained.model_.parts()[0]) > 3


def test_what_a_generator_raises_is_raised():
    def failing(self, x, s):
        yield "A"
        raise KeyError("mine")

    refused(KeyError, "mine", fitted, actions=failing)
    refused(KeyError, "mine", fitted, observe=failing)


@for_each(method=["observe", "features"], given=[["\ud800"], {"a\udfff": 1.0}, [("\ud800", 2)]])
def test_a_feature_name_that_is_no_text_is_refused_and_shown(method, given):
    refused(DataError, rf"{method} gave .*\\ud.*surrogate", fitted, **{method: lambda self, *_: given})


@pytest.mark.parametrize("loss", [10**400, float("nan"), float("inf"), "much", None])
def test_a_loss_that_is_no_finite_number_is_refused(loss):
    trained = fitted(loss=lambda self, x, y, y_hat: loss)
    refused(DataError, r"loss returned .*; expected a finite number", trained.score, ["ab"], ["AB"])


@pytest.mark.parametrize("method", ["loss", "loss_increment"])
def test_check_problem_refuses_a_number_too_large_for_a_float(method):
    with pytest.raises(RiataError, match=f"{method} returned"):
        riata.check_problem(problem(**{method: lambda self, *_: 10**400}), ["ab"], ["AB"])


@pytest.mark.parametrize("method", ["regret", "heuristic"])
def test_search_refuses_a_number_too_large_for_a_float(method):
    refused(DataError, f"{method} returned", fitted, **{method: lambda self, *_: 10**400})
