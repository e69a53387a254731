"""Answers of a problem that are none: fit, predict and check_problem refuse the same ones, in words."""

import numpy as np
import pytest

import riata
from python_problems import Tagging
from riata.errors import DataError, RiataError, SearchError

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
    with pytest.raises(RiataError, match=says):
        riata.Predictor(odd(method, answer), beam=2, epochs=1).fit(X, Y)
    with pytest.raises(SearchError, match=says):
        riata.check_problem(odd(method, answer), X, Y)
    if method not in ("regret", "parts"):  # which prediction does not ask for
        trained = riata.Predictor(Tagging(), beam=2, epochs=1).fit(X, Y)
        trained.problem = odd(method, answer)
        with pytest.raises(RiataError, match=says):
            trained.predict(X)


@pytest.mark.parametrize("answer", [None, np.array([1, 2]), "1", float("nan")])
def test_check_problem_refuses_a_cover_that_is_no_number(answer):
    with pytest.raises(SearchError, match="covered returned"):
        riata.check_problem(odd("covered", answer), X, Y)


@pytest.mark.parametrize("loss", [1e308, "0"])
def test_a_loss_that_no_mean_can_be_taken_of_is_refused(loss):
    trained = riata.Predictor(odd("loss", loss), beam=2, epochs=1).fit(X, Y)
    with pytest.raises(DataError, match=r"loss returned .*; expected a finite number up to 1e\+100"):
        trained.score(X, Y)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_problem_that_runs_out_of_memory_is_an_error_with_a_way_out(method):
    class Full(Tagging):
        def apply(self, x, s, a):
            raise MemoryError

    with pytest.raises(DataError, match=r"out of memory(.|\n)*smaller beam"):
        getattr(riata.Predictor(Full()), method)(X, Y)
