"""Problems whose methods never end, or give what is no text and no number."""

import itertools

import pytest

import riata
from riata._core import most_actions, most_features
from riata.errors import DataError, RiataError


class Letters(riata.Problem):
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
    return riata.Predictor(problem(**methods), epochs=1).fit(["ab"], ["AB"])


@pytest.mark.parametrize(
    ("method", "endless", "most"),
    [
        ("actions", lambda self, x, s: itertools.count(), most_actions),
        ("observe", lambda self, x, s: (f"f{i}" for i in itertools.count()), most_features),
        ("features", lambda self, x, s, a: itertools.repeat("f"), most_features),
    ],
)
def test_a_method_that_yields_for_ever_is_named_with_the_limit(method, endless, most):
    with pytest.raises(DataError, match=f"{method}.* more than {most:,}"):
        fitted(**{method: endless})
    keyed = problem(**{method: endless, "key": lambda self, x, s: s})
    with pytest.raises(DataError, match=f"{method}.* more than {most:,}"):
        riata.check_problem(keyed, ["ab"], ["AB"])
    trained = fitted()
    trained.problem = problem(**{method: endless})
    with pytest.raises(DataError, match=f"{method}.* more than {most:,}"):
        trained.predict(["ab"])


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

    with pytest.raises(KeyError, match="mine"):
        fitted(actions=failing)
    with pytest.raises(KeyError, match="mine"):
        fitted(observe=failing)


@pytest.mark.parametrize("method", ["observe", "features"])
@pytest.mark.parametrize("given", [["\ud800"], {"a\udfff": 1.0}, [("\ud800", 2)]])
def test_a_feature_name_that_is_no_text_is_refused_and_shown(method, given):
    with pytest.raises(DataError, match=rf"{method} gave .*\\ud.*surrogate"):
        fitted(**{method: lambda self, *_: given})


@pytest.mark.parametrize("loss", [10**400, float("nan"), float("inf"), "much", None])
def test_a_loss_that_is_no_finite_number_is_refused(loss):
    trained = fitted(loss=lambda self, x, y, y_hat: loss)
    with pytest.raises(DataError, match=r"loss returned .*; expected a finite number"):
        trained.score(["ab"], ["AB"])


@pytest.mark.parametrize("method", ["loss", "loss_increment"])
def test_check_problem_refuses_a_number_too_large_for_a_float(method):
    with pytest.raises(RiataError, match=f"{method} returned"):
        riata.check_problem(problem(**{method: lambda self, *_: 10**400}), ["ab"], ["AB"])


@pytest.mark.parametrize("method", ["regret", "heuristic"])
def test_search_refuses_a_number_too_large_for_a_float(method):
    with pytest.raises(DataError, match=f"{method} returned"):
        fitted(**{method: lambda self, *_: 10**400})
