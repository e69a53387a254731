"""Settings of decoding on a trained model; with a limit of seconds the best goal so far, or an error that says so."""

import time

import pytest

from chain_problems import random_model
from checks import refused, stored
from python_problems import LeftToRight, Tagging, with_weights
from riata import Chunker, Predictor, Problem
from riata.errors import SearchError, SettingError, UnknownNameError
from samples import CHUNKS

SHORT = 0.05


class Slow(Tagging):
    """Every step takes its time."""

    def features(self, x, s, a):
        time.sleep(SHORT / 5)
        return super().features(x, s, a)


class Endless(LeftToRight):
    """One can stop at any time, but going on scores higher: a best-first queue never takes a goal out."""

    def __init__(self):
        self.goals = []

    def actions(self, x, s):
        return ("stop", "left", "right")

    def is_goal(self, x, s):
        done = s[-1:] == ("stop",)
        if done:
            self.goals.append(s)
        return done

    def observe(self, x, s):
        time.sleep(SHORT / 10)
        return [f"{len(s) % 2}"]


WEIGHTS = {("0", "left"): 1.0, ("0", "right"): 0.5, ("1", "left"): 0.5, ("1", "right"): 1.0, ("0", "stop"): 0.25}


def score(path):
    return sum(WEIGHTS.get((f"{t % 2}", a), 0.0) for t, a in enumerate(path))


@pytest.mark.parametrize("params", [{"queue": "best-first"}, {"beam": 4}, {"settings": {"beam_by": "pending"}}])
def test_the_best_goal_so_far_is_returned_though_it_was_never_dequeued(params):
    problem = Endless()
    settings = params.get("settings", {}) | {"seconds": SHORT}
    began = time.perf_counter()
    (path,) = with_weights(problem, WEIGHTS, **(params | {"settings": settings})).predict([None])
    assert SHORT < time.perf_counter() - began < 20 * SHORT
    assert len(problem.goals) > 1
    assert score(path) == max(map(score, problem.goals))


def test_without_a_goal_so_far_it_is_an_error_that_names_the_example():
    model = with_weights(Slow(), {}, settings={"seconds": SHORT})
    with pytest.raises(
        SearchError, match=rf"^example 1, state .*: the search reached no goal within {SHORT} seconds"
    ) as caught:
        model.predict(["a", "a" * 1000])
    assert "more seconds" in caught.value.remedy


def test_the_limit_is_for_each_input_alone_and_zero_is_none():
    model = with_weights(Slow(), {}, queue="greedy", settings={"seconds": SHORT})
    assert [len(path) for path in model.predict(["a"] * 4)] == [1] * 4  # together longer than the limit
    assert len(model.set_params(settings={"seconds": 0}).predict(["aaaa"])[0]) == 4


def test_learning_has_no_limit():
    model = Predictor(Slow(), epochs=1, settings={"seconds": 1e-9}).fit(["ab"], [["V", "C"]])
    refused(SearchError, r"^example 0: the search reached no goal within 1e-09 seconds", model.predict, ["ab"])


def test_hill_climbing_returns_the_best_state_so_far():
    class Climb(Problem):
        def initial(self, x):
            return 0

        def actions(self, x, s):
            return (-1, 1)

        def apply(self, x, s, a):
            return s + a

        def is_goal(self, x, s):
            return True

        def features(self, x, s, a):
            time.sleep(SHORT / 10)
            return [("up", a)]

        def output(self, x, s, path):
            return s

    (height,) = with_weights(Climb(), {"up": 1.0}, queue="hill-climb", settings={"seconds": SHORT}).predict([None])
    assert 1 < height < 20


def test_a_chain_out_of_time_names_the_sentence():
    problem, weights = random_model(0)
    assert problem.search(weights, seconds=1e9) == problem.search(weights)
    with pytest.raises(SearchError, match=r"^sentence 0: the search reached no goal within 1e-09 seconds"):
        problem.search(weights, seconds=1e-9)


def test_estimators_take_the_limit_as_a_setting():
    chunker = Chunker("early", epochs=2, settings={"seconds": 1000}).fit(CHUNKS)
    found = chunker.predict(CHUNKS)
    assert found == chunker.set_params(settings=None).predict(CHUNKS)
    with pytest.raises(SearchError, match="sentence 0: the search reached no goal within"):
        chunker.set_params(settings={"seconds": 1e-9}).predict(CHUNKS)
    with pytest.raises(SearchError, match="sentence 0: the search made 2 nodes"):
        chunker.set_params(settings={"max_nodes": 2}).predict(CHUNKS)
    refused(SettingError, "'seconds' has the value -1", chunker.set_params(settings={"seconds": -1}).predict, CHUNKS)


# --- settings of decoding that act on a trained model, whichever recipe trained it -----------------------------------
@pytest.fixture(scope="module")
def fitted():
    return Chunker("perceptron", epochs=3, threads=1).fit(CHUNKS * 9)


def test_settings_of_queues_act_on_a_model_that_learnt_by_exact_search(fitted, tmp_path):
    beam = Chunker("perceptron", epochs=3, threads=1).fit(CHUNKS * 9)
    beam.set_params(queue="beam", beam=3, settings={"merge": False, "max_nodes": 5000})
    assert not beam.predicting.decoder().merge and beam.predicting.decoder().max_nodes == 5000
    assert stored(beam, tmp_path).predict(CHUNKS) == beam.predict(CHUNKS)
    beam.set_params(settings={"max_nodes": 3})
    refused(SearchError, "made 3 nodes", beam.predict, CHUNKS)


def test_exact_search_has_none_of_them(fitted):
    fitted.set_params(settings={"max_nodes": 10})
    try:
        refused(UnknownNameError, "max_nodes", fitted.predict_ids, CHUNKS)
    finally:
        fitted.set_params(settings={})


@pytest.mark.parametrize("value", [True, b"1"])
def test_a_truth_value_is_no_number(value):
    refused(SettingError, "expected a number", Chunker("winnow", settings={"c": value}).fit, CHUNKS)
