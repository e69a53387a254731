"""Problems in Python that are searched without merging, though their states have keys."""

from itertools import chain, product

import pytest

import riata
from checks import refused
from problems.test_problem_search import KeyedRing
from python_problems import Keyed, Observing, Tagging, random_weights, score, with_weights
from riata.errors import SearchError, UnsupportedError
from samples import for_each

UNMERGED = {"merge": False}


@for_each(seed=range(4), beam=[1, 3, None])
def test_keys_without_merging_are_as_no_keys(beam, seed):
    weights = random_weights(seed)
    keyed = with_weights(Keyed(), weights, beam=beam, settings=UNMERGED)
    plain = with_weights(Observing(), weights, beam=beam)
    inputs = ["xyzx", "zz", ""]
    assert keyed.predict_nbest(inputs, 9) == plain.predict_nbest(inputs, 9)
    found, expected = (model.predict_confidence(inputs, steps=True) for model in (keyed, plain))
    assert list(chain(*found)) == pytest.approx(list(chain(*expected)))


def test_the_list_of_the_best_has_different_outputs_and_all_of_them():
    weights = random_weights(1)
    [found] = with_weights(Keyed(), weights, beam=None, settings=UNMERGED).predict_nbest(["xyz"], 27)
    every = [list(path) for path in product("ABC", repeat=3)]
    assert sorted(output for output, _ in found) == every
    best = sorted((score(Keyed(), weights, "xyz", path) for path in every), reverse=True)
    assert [number for _, number in found] == pytest.approx(best)
    [merged] = with_weights(Keyed(), weights, beam=None).predict_nbest(["xyz"], 27)
    assert len(merged) == 3


def test_training_is_that_of_the_problem_without_keys():
    inputs, truths = ["xyzx", "zz", "yxz"], [list("ABCA"), list("BC"), list("CCA")]
    settings = {"update": "queue", "average": False}
    keyed, merged, plain = (
        riata.Predictor(kind(), "laso-perceptron", beam=4, epochs=4, settings=given).fit(inputs, truths)
        for kind, given in ((Keyed, settings | UNMERGED), (Keyed, settings), (Observing, settings))
    )
    assert keyed.weights() == plain.weights() != merged.weights()
    assert keyed.diagnose(inputs, truths).survival_margin == plain.diagnose(inputs, truths).survival_margin


def test_a_path_that_comes_back_to_where_it_has_been_goes_no_further():
    """So that a space with cycles still ends, as the paper asks."""
    [found] = with_weights(KeyedRing(), {("here", "left"): 1.0}, beam=None, settings=UNMERGED).predict_nbest([10], 9)
    assert sorted(path for path, _ in found) == [["left"] * 5, ["right"] * 5]

    class NoExit(KeyedRing):
        def is_goal(self, x, s):
            return False

    refused(SearchError, "the search ended without a goal", with_weights(NoExit(), {}, settings=UNMERGED).predict, [10])


def test_a_problem_without_keys_refuses_it():
    with pytest.raises(
        UnsupportedError, match=r"merge=False needs key\(x, s\); the problem 'Tagging' defines none"
    ) as caught:
        riata.Predictor(Tagging(), settings=UNMERGED).fit(["ab"], [["V", "C"]])
    assert "no states are merged" in caught.value.remedy
