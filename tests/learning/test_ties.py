"""While learning a tie counts against the truth, also one that only rounding decides; and the one exception."""

import pytest

import riata
from laso_comparison import WHEN

AHEAD = 0.1 + 0.2  # which is more than 0.3, by rounding


class Pair(riata.Problem):
    """One of two, whose ranks are given."""

    def __init__(self, right, wrong):
        self.ranks = {("right",): right, ("wrong",): wrong}

    def initial(self, x):
        return ()

    def actions(self, x, s):
        return ("right", "wrong")

    def apply(self, x, s, a):
        return (*s, a)

    def is_goal(self, x, s):
        return len(s) == 1

    def features(self, x, s, a):
        return [a]

    def heuristic(self, x, s):
        return self.ranks.get(s, 0.0)

    def regret(self, x, s, y):
        return float(s[:1] == ("wrong",))


def updates(problem, when, queue):
    model = riata.Predictor(problem, "laso-perceptron", queue=queue, epochs=1, settings={"when": when})
    return model.fit([""], ["right"]).stats_["updates"]


@pytest.mark.parametrize("queue", ["beam", "greedy", "best-first"])
@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize(("right", "wrong"), [(0.0, 0.0), (0.3, 0.3), (AHEAD, 0.3), (1e6 * AHEAD, 1e6 * 0.3)])
def test_what_is_equal_up_to_rounding_is_a_tie_and_counts_against_the_truth(right, wrong, when, queue):
    assert right >= wrong
    assert updates(Pair(right, wrong), when, queue) == 1


@pytest.mark.parametrize("queue", ["beam", "greedy", "best-first"])
@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("right", [0.3 + 1e-12, 0.4, 1.0])
def test_what_is_ahead_by_more_is_ahead(right, when, queue):
    assert updates(Pair(right, 0.3), when, queue) == 0


def test_exact_search_with_perceptron_steps_learns_nothing_from_a_tie_that_it_wins():
    words, labels = [["a", "b"]], [["X", "X"]]

    def first_epoch(recipe, **params):
        made = riata.Tagger(recipe, structure="chain", epochs=1, **params)
        with pytest.warns(riata.RiataWarning):  # of labels seen once
            return made.fit([*words, ["c"]], [*labels, ["Y"]]).history_[0]["updates"]

    settings = {"shuffle": False}
    assert first_epoch("perceptron", settings=settings) == 1  # of c alone: at zero weights X is the first of equals
    assert first_epoch("standard", beam=float("inf"), settings=settings) == 2
