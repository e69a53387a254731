"""Searching a problem of the user's own: cycles, dead ends, no merging, and states that are described in words."""

import json
from itertools import chain, product

import pytest

from checks import refused
from packed_pages import data_of, trace_of
from python_problems import (
    RECIPES,
    TAGS,
    WORDS,
    Admissible,
    Keyed,
    Observing,
    Tagging,
    best_of_all,
    random_weights,
    score,
    with_weights,
)
from riata import Predictor, Problem, Trace, registry
from riata.errors import SearchError, UnsupportedError
from samples import for_each


@for_each(problem=[Observing(), Keyed()], seed=range(5))
def test_an_unbounded_beam_is_enumeration(problem, seed):
    weights = random_weights(seed)
    for x in ("x", "zyx", "xyzz", "yyxzx"):
        found = with_weights(problem, weights, beam=None).predict([x])
        assert found == [best_of_all(problem, weights, x)]


@pytest.mark.parametrize("problem", [Observing(), Keyed()])
def test_a_beam_of_one_is_greedy(problem):
    for seed in range(5):
        weights = random_weights(seed)
        path = []
        for _ in "xyzzyx":
            steps = {a: score(problem, weights, "xyzzyx", [*path, a]) for a in problem.labels}
            path.append(max(steps, key=steps.get))
        narrow = with_weights(problem, weights, beam=1)
        assert narrow.predict(["xyzzyx"]) == [path]
        assert narrow.set_params(queue="greedy", beam=9).predict(["xyzzyx"]) == [path]


@pytest.mark.parametrize("width", [2, 3, 4, 80])
def test_merging_by_key_keeps_the_best_path_to_every_key(width):
    """A beam with keys of width b, done by hand: the best path per key, then the best b of them."""
    problem = Keyed()
    for seed in range(8):
        weights, x = random_weights(seed), "xyzzyx"
        level = [((), 0.0)]
        for _ in x:
            best = {}
            for path, _ in level:
                for a in problem.labels:
                    longer = (*path, a)
                    value = score(problem, weights, x, longer)
                    key = problem.key(x, longer)
                    if key not in best or value > best[key][1]:
                        best[key] = (longer, value)
            level = sorted(best.values(), key=lambda node: -node[1])[:width]
        assert with_weights(problem, weights, beam=width).predict([x]) == [list(level[0][0])]


@pytest.mark.parametrize("seed", range(5))
def test_a_star_with_an_admissible_heuristic_returns_the_best_goal(seed):
    weights = {name: value - 2 for name, value in random_weights(seed).items()}  # every step costs something
    counts = {}
    for slack in (0.0, 0.5):
        problem = Admissible(weights, slack)
        for x in ("x", "zyx", "xyzz", "yyxzx"):
            assert with_weights(problem, weights, queue="a-star").predict([x]) == [best_of_all(problem, weights, x)]
        counts[slack] = problem.expanded
    counting = Admissible(weights)
    counting.heuristic = lambda x, s: 0.0
    with_weights(counting, weights, queue="best-first").predict(["x", "zyx", "xyzz", "yyxzx"])
    assert counts[0.0] <= counts[0.5] <= counting.expanded


def test_a_heuristic_counts_in_a_beam_too():
    class Lean(Observing):
        def heuristic(self, x, s):
            return float(s.count("B") == 1)

    assert with_weights(Lean(), {("w=x", "A"): 0.5}).predict(["xx"]) in ([["A", "B"]], [["B", "A"]])


# --- cycles and dead ends -------------------------------------------------------------------------------------------------
class Ring(Problem):
    """Rooms in a ring, one exit. Turning round and round is possible, and may even score best."""

    def initial(self, x):
        return 0

    def actions(self, x, s):
        return ("left", "right")

    def apply(self, x, s, a):
        return (s + (1 if a == "right" else -1)) % x

    def is_goal(self, x, s):
        return s == x // 2

    def observe(self, x, s):
        return ["here"]


class KeyedRing(Ring):
    def key(self, x, s):
        return s


@pytest.mark.parametrize(
    "queue", [name for name in registry.names("queue") if name not in ("a-star", "hill-climb", "exact")]
)
@pytest.mark.parametrize("by", ["operations", "pending"])
@pytest.mark.parametrize("weight", [-1.0, 0.0, 1.0])
def test_a_cyclic_space_with_keys_ends(weight, by, queue):
    weights = {("here", "left"): weight, ("here", "right"): weight / 2}
    for beam in (1, 3, None):
        model = with_weights(KeyedRing(), weights, queue=queue, beam=beam, settings={"beam_by": by, "max_nodes": 1000})
        (path,) = model.predict([10])
        assert path in (["left"] * 5, ["right"] * 5)


def test_a_cyclic_space_without_keys_stops_at_the_limit():
    weights = {("here", "left"): 1.0, ("here", "right"): 2.0}

    with pytest.raises(SearchError, match=r"^example 1, state \d: the search made 500 nodes") as caught:
        with_weights(Ring(), weights, settings={"max_nodes": 500}).predict([1, 10])  # 1: the start is a goal
    assert "max_nodes" in caught.value.remedy


def test_a_cyclic_space_with_keys_and_no_exit_runs_dry():
    class NoExit(KeyedRing):
        def is_goal(self, x, s):
            return False

    with pytest.raises(SearchError, match=r"^example 0, state \d: the search ended without a goal"):
        with_weights(NoExit(), {}).predict([10])


class Steps(KeyedRing):
    """Reversible, so the loss counts steps: the state carries them, the key does not."""

    def initial(self, x):
        return 0, 0

    def apply(self, x, s, a):
        return (s[0] + (1 if a == "right" else -1)) % x[0], s[1] + 1

    def is_goal(self, x, s):
        return s[0] == x[1]

    def observe(self, x, s):
        return [f"{x} {s[0]}"]

    def regret(self, x, s, y):
        def far(room):
            return min((room - x[1]) % x[0], (x[1] - room) % x[0])

        return s[1] + far(s[0]) - far(0)

    def key(self, x, s):
        return s[0]


@for_each(recipe=RECIPES, beam=[1, 2, 5])
def test_a_reversible_space_learns_the_shortest_way(beam, recipe):
    data = [(9, room) for room in range(9)] + [(8, room) for room in range(8)]  # (8, 4) has two right ways
    model = Predictor(Steps(), recipe, beam=beam, epochs=30).fit(data, [None] * len(data))
    assert [len(path) for path in model.predict(data)] == [min(room, size - room) for size, room in data]


class Traps(Tagging):
    """After "V", nothing goes on."""

    def actions(self, x, s):
        return () if s[-1:] == ("V",) else ("V", "C")


def test_dead_ends_are_left_behind():
    truth = [["C", "C", "C"]]
    for beam in (2, 5, None):
        model = Predictor(Traps(), beam=beam, epochs=3).fit(["xyz"], truth)
        assert model.predict(["xyz"]) == truth


def test_a_queue_that_runs_dry_names_the_example():
    with pytest.raises(SearchError, match=r"^example 1, state \('V',\): the search ended without a goal"):
        with_weights(Traps(), {"w=x|V": 1.0}, beam=1).predict(["y", "xyz"])


def test_goals_at_different_depths_wait_for_each_other():
    class Longer(Tagging):
        def is_goal(self, x, s):
            return len(s) == (1 if s[:1] == ("V",) else 3)

        def features(self, x, s, a):
            return [f"{len(s)}{a}"]

    weights = {"0V": 1.0, "0C": 0.5, "1C": 0.2, "2C": 0.2}
    assert with_weights(Longer(), weights).predict([""]) == [["V"]]
    assert with_weights(Longer(), weights | {"2C": 0.4}).predict([""]) == [["C", "C", "C"]]


class Climb(Problem):
    """A complete labelling to begin with; an operator changes one label."""

    def initial(self, x):
        return ("A",) * len(x)

    def actions(self, x, s):
        return [(i, label) for i in range(len(x)) for label in "AB" if label != s[i]]

    def apply(self, x, s, a):
        return (*s[: a[0]], a[1], *s[a[0] + 1 :])

    def is_goal(self, x, s):
        return True

    def features(self, x, s, a):
        return [f"{x[a[0]]}{a[1]}", (f"{x[a[0]]}{s[a[0]]}", -1)]

    def regret(self, x, s, y):
        return 0

    def output(self, x, s, path):
        return "".join(s)


def test_hill_climb_goes_on_while_it_gets_better():
    weights = {"xA": 1.0, "yB": 1.0, "zB": 2.0}
    assert with_weights(Climb(), weights, queue="hill-climb").predict(["xyzx", ""]) == ["ABBA", ""]


def test_hill_climb_is_refused_where_the_initial_state_is_not_complete():
    with pytest.raises(UnsupportedError, match="example 0: hill-climb starts from a complete state"):
        with_weights(Tagging(), {}, queue="hill-climb").predict(["ab"])


# --- problems in Python that are searched without merging, though their states have keys -----------------------------
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
        Predictor(kind(), "laso-perceptron", beam=4, epochs=4, settings=given).fit(inputs, truths)
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
        Predictor(Tagging(), settings=UNMERGED).fit(["ab"], [["V", "C"]])
    assert "no states are merged" in caught.value.remedy


# --- A problem that describes its states: its words stand in traces, texts, explanations and pages -------------------
class Described(Tagging):
    def describe(self, x, s):
        return f"{x[: len(s)]}|{x[len(s) :]} as {''.join(s) or 'nothing'}"


@pytest.fixture(scope="module")
def model():
    return Predictor(Described(), beam=2, epochs=3).fit(WORDS, TAGS)


def states(trace):
    return {trace.path(i): node.state for i, node in enumerate(trace.nodes)}


@pytest.mark.parametrize("truth", [(), (["C", "V", "C"],)])
def test_every_node_has_its_state_in_words(model, truth):
    found = states(model.trace("tap", *truth))
    assert found[()] == "|tap as nothing"
    assert all(words == Described().describe("tap", path) for path, words in found.items())


def test_a_trace_with_words_comes_back_from_json(model):
    trace = model.trace("tap", ["C", "V", "C"], features=True)
    assert Trace.from_dict(json.loads(json.dumps(trace.to_dict()))) == trace
    old = trace.to_dict()
    for node in old["nodes"]:
        del node["state"]
    assert {node.state for node in Trace.from_dict(old).nodes} == {None}


def test_the_text_shows_the_states_of_every_front(model):
    text = str(model.trace("tap", ["C", "V", "C"]))
    assert "      * |tap as nothing\n" in text
    assert "      * tap| as CVC\n" in text
    assert str(model.explain("tap")).count("|tap as nothing") == 1


def test_the_page_holds_the_words(model):
    trace = model.trace("tap", ["C", "V", "C"])
    read = trace_of(data_of(trace.to_html()))
    assert [node["state"] for node in read["nodes"]] == [node.state for node in trace.nodes]


def test_without_the_method_nothing_is_said():
    plain = Predictor(Tagging(), beam=2, epochs=3).fit(WORDS, TAGS).trace("tap")
    assert {node.state for node in plain.nodes} == {None}
    assert "state" not in data_of(plain.to_html())["trace"]["nodes"]


def test_what_describe_raises_comes_through_and_other_values_become_texts():
    problem = Keyed()
    model = Predictor(problem, epochs=1).fit(["x"], [["A"]])
    problem.describe = lambda x, s: 7
    assert model.trace("x").nodes[0].state == "7"
    problem.describe = lambda x, s: 1 / 0
    refused(ZeroDivisionError, "", model.trace, "x")
