"""Problems with many right derivations: what is followed of them, what it costs, and what updates after the search are against."""

import random
from typing import ClassVar

import pytest

from checks import refused
from python_problems import KeyedSet, LeftToRight, WordSet, with_weights
from riata import Predictor
from riata.errors import SettingError
from samples import for_each


def counting(kind):
    class Counting(kind):
        expansions = 0

        def actions(self, x, s):
            self.expansions += 1
            return super().actions(x, s)

    return Counting()


def noise(count):
    """Lists of words and sets that nothing tells of, so that most searches go wrong."""
    draw = random.Random(0)
    data = [draw.sample("abcdefghijklmnop", draw.randint(4, 12)) for _ in range(count)]
    return data, [frozenset(draw.sample(x, len(x) * 2 // 3)) for x in data]


@for_each(beam=[1, 5], recipe=["max-violation", "standard"], kind=[WordSet, KeyedSet])
def test_recipes_that_search_to_the_end_expand_few_states_more_than_laso(kind, recipe, beam):
    """Both searches come to the end: that of LaSO by its restarts. The right states beside them may double it."""
    X, Y = noise(40)
    expansions = []
    for name in (recipe, "laso-perceptron"):
        problem = counting(kind)
        Predictor(problem, name, beam=beam, epochs=2, seed=0).fit(X, Y)
        expansions.append(problem.expansions)
    assert expansions[0] <= 3 * expansions[1]


@pytest.mark.parametrize("recipe", ["max-violation", "standard"])
def test_the_setting_says_how_many_are_followed(recipe):
    X, Y = noise(20)
    expansions = []
    for siblings in (1, 4, 64):
        problem = counting(WordSet)
        Predictor(problem, recipe, beam=1, epochs=1, settings={"siblings": siblings}).fit(X, Y)
        expansions.append(problem.expansions)
    assert expansions == sorted(expansions)
    assert 5 * expansions[0] < expansions[-1]


def test_the_number_followed_must_not_be_negative():
    refused(SettingError, "'siblings' has the value -1", Predictor(WordSet(), settings={"siblings": -1}).fit, *noise(1))


class Choice(LeftToRight):
    """One of many, each with a weight of its own; a right one is any that is in the truth."""

    def actions(self, x, s):
        return x

    def is_goal(self, x, s):
        return len(s) == 1

    def features(self, x, s, a):
        return [a]

    def heuristic(self, x, s):
        return {"b": 0.5, "c": 1.0, "d": 2.0, "f": 3.0}.get(s[0], 0.0) if s else 0.0

    def regret(self, x, s, y):
        return float(s[0] not in y) if s else 0.0


def learnt(problem, data, truth, **settings):
    chosen = {"average": False, "step": "perceptron", **settings}
    return Predictor(problem, "laso-perceptron", beam=9, epochs=1, settings=chosen).fit([data], [truth]).weights()


@pytest.mark.parametrize("when", ["laso", "early", "standard"])
def test_of_the_right_states_the_best_are_followed(when):
    found = learnt(Choice(), "abcdf", "abcd", when=when, siblings=2, update="best")
    assert found == {"c": 0.5, "d": 0.5, "f": -1.0}


# 0: as the beam is wide.
@pytest.mark.parametrize(("siblings", "towards"), [(2, {"c": 0.5, "d": 0.5}), (1, {"d": 1.0}), (0, {"d": 1.0})])
def test_where_a_search_ends_without_a_goal_the_best_right_states_are_followed(siblings, towards):
    class DeadEnd(Choice):
        def actions(self, x, s):
            return () if s else x

        def is_goal(self, x, s):
            return s != () and s != ("f",)

    chosen = {"when": "standard", "siblings": siblings, "average": False}
    model = Predictor(DeadEnd(), "laso-perceptron", beam=1, epochs=1, settings=chosen).fit(["abcdf"], ["abcd"])
    assert model.weights() == {**towards, "f": -1.0}


class Ways(LeftToRight):
    """Three steps of any letters; what is right has the letters of the truth in any order. Ranks are given by h alone."""

    ranks: ClassVar = {}  # of letters

    def actions(self, x, s):
        return [a for a in x if a not in s]

    def is_goal(self, x, s):
        return len(s) == 3

    def features(self, x, s, a):
        return ["".join((*s, a))]  # a feature per state: an update shows which states it is towards

    def heuristic(self, x, s):
        return sum(self.ranks[a] * (10 - i) for i, a in enumerate(s))

    def covered(self, x, s):
        return len(s)

    def regret(self, x, s, y):
        return float(sum(a not in y for a in s))


def right_states(problem, x, y, level, depth, most):
    """What is to be followed, by definition: level by level the best of all right ways on."""
    while len(level[0]) < depth:
        ways = [(*s, a) for s in level for a in problem.actions(x, s) if a in y]
        level = sorted(ways, key=lambda s: -problem.heuristic(x, s))[:most]
    return level


QUEUES = [
    {"queue": "greedy"},
    {"beam": 2},
    {"beam": 3, "settings": {"beam_by": "prefix"}},
    {"beam": 3, "settings": {"beam_by": "pending"}},
    {"queue": "best-first"},
    {"queue": "a-star"},
]


@for_each(order=["abcdz", "dazbc"], most=[1, 2, 3], when=["laso", "max-violation", "standard"], params=QUEUES)
def test_beyond_the_cap_it_is_the_best_that_are_followed_under_every_queue(params, when, most, order):
    problem = Ways()
    problem.ranks = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "z": 5.0}  # z is wrong, and comes first
    settings = {**params.get("settings", {}), "when": when, "siblings": most, "update": "best"}
    trace = with_weights(problem, {}, **{**params, "settings": settings}).trace(order, "abcd")
    step = next(step for step in trace.steps if step.update is not None)
    found = [trace.path(i) for i in step.update.siblings]
    node = step.front[0]
    while not trace.nodes[node].good:
        node = trace.nodes[node].parent
    start = () if when == "max-violation" else trace.path(node)
    expected = right_states(problem, order, "abcd", [start], len(found[0]), most)
    assert sorted(found) == sorted(expected[:1] if when == "max-violation" else expected)


# Ranks: f 3, d 2, c 1, b 0.5, a 0. Only b is right; f, d and c outrank it.
AGAINST = {
    "best": {"b": 1, "f": -1},
    "mean": {"b": 1, "f": -1 / 3, "d": -1 / 3, "c": -1 / 3},
    "queue": {"b": 1 - 1 / 5, "f": -1 / 5, "d": -1 / 5, "c": -1 / 5, "a": -1 / 5},
    "loss-weighted": {"b": 1, "f": -3 / 6, "d": -2 / 6, "c": -1 / 6},
}


class Lossy(Choice):
    def regret(self, x, s, y):
        return float({"f": 3, "d": 2}.get(s[0], 1) * (s[0] not in y)) if s else 0.0


@for_each(update=AGAINST, when=["laso", "early", "max-violation", "standard"])
def test_every_moment_to_update_heeds_what_to_move_away_from(when, update):
    assert learnt(Lossy(), "abcdf", "b", when=when, update=update) == pytest.approx(AGAINST[update])


def test_after_the_whole_search_only_the_best_output_is_learnt_from_without_a_violation():
    # Greedily, f comes before the right b, but b e outranks f d: the search is to blame, and the weights are right.
    class Two(Choice):
        def is_goal(self, x, s):
            return len(s) == 2

        def heuristic(self, x, s):
            return {("f",): 1.0, ("b", "e"): 5.0, ("f", "d"): 2.0}.get(s, 0.0)

        def regret(self, x, s, y):
            return float(sum(a != b for a, b in zip(s, y, strict=False)))

    def found(update):
        settings = {"average": False, "when": "standard", "update": update}
        model = Predictor(Two(), "laso-perceptron", queue="greedy", epochs=1, settings=settings)
        return model.fit(["bdef"], ["be"]).weights()

    assert found("best") == {"b": 1, "e": 1, "f": -1, "d": -1}
    assert found("mean") == found("loss-weighted") == {}
