"""The integer program finds what enumeration finds, under any rules."""

from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st

from checks import refused
from oracle import rules as twin
from riata.errors import DataError, SearchError
from riata.inference.rules.integer_program import LIMIT, SECONDS, IntegerProgram, _Search, integer_program
from riata.inference.rules.rule import HARD, Automaton, Parts, Rule
from riata.inference.rules.rules import Rules
from rule_problems import rule_sets
from samples import tried

SCORES = st.integers(-6, 6).map(lambda number: number / 2) | st.floats(-3, 3, width=16) | st.just(-np.inf)


def arrays(*shape):
    size = int(np.prod(shape))
    return st.lists(SCORES, min_size=size, max_size=size).map(lambda drawn: np.array(drawn, float).reshape(shape))


@st.composite
def problems(draw):
    slots, labels = draw(st.integers(0, 4)), draw(st.integers(1, 3))
    edges = {"none": st.none(), "one": arrays(labels, labels), "each": arrays(slots, labels, labels)}
    edge = draw(edges[draw(st.sampled_from(["none", "none", "one", "each"]))])
    return draw(arrays(slots, labels)), edge, draw(rule_sets(max(slots, 1), labels, with_predicates=False))


def agrees(found, node, edge, rules):
    """With what enumeration finds, within rounding; the output itself may be another one of the same value."""
    expected = twin.best(node, edge, rules)
    if expected is None:
        assert found is None
        return
    assert found.value == pytest.approx(expected[1], abs=1e-5)
    assert twin.score(node, edge, found.output) == pytest.approx(found.score)
    assert twin.penalty(rules, found.output) == found.penalty < HARD
    assert found.optimal and found.gap == 0


def fits(rules, slots):
    return all(
        side is None or side.slots is None or not len(side.slots) or side.slots[-1] < slots
        for rule in rules.rules
        for side in (rule.when, rule.count)
    )


@tried(600, problems())
def test_the_integer_program_finds_what_enumeration_finds(problem):
    node, edge, rules = problem
    if fits(rules, len(node)):
        agrees(integer_program(node, rules, edge), node, edge, rules)


@tried(200, problems(), st.randoms(use_true_random=False))
def test_it_finds_the_same_beside_any_legal_output_that_is_known(problem, draw):
    node, edge, rules = problem
    if not fits(rules, len(node)):
        return
    outputs = [np.array(one, np.int32) for one in product(range(node.shape[1]), repeat=len(node))]
    legal = [one for one in outputs if twin.score(node, edge, one) > -np.inf and rules.is_legal(one)]
    if legal:
        agrees(IntegerProgram().solve(node, rules, edge, draw.choice(legal)), node, edge, rules)


def flags(*numbers, of=2):
    return np.isin(np.arange(of), numbers)


AT_MOST_ONE = Rules.of(2, [Rule(None, Parts(flags(1)), high=1)])
NODE = np.array([[0.0, 2.0], [0.0, 1.0], [0.0, 3.0]])


def test_no_solver_is_called_where_the_best_output_is_legal():
    program = IntegerProgram()
    free = program.solve(-NODE, AT_MOST_ONE)
    assert not free.called and free.output.tolist() == [0, 0, 0] and free.optimal
    solved = program.solve(NODE, AT_MOST_ONE)
    assert solved.called and solved.output.tolist() == [0, 0, 1] and solved.value == 3.0
    assert (program.inputs, program.legal, program.called, program.limited) == (2, 1, 1, 0)


def test_a_soft_rule_is_broken_where_this_pays():
    rules = AT_MOST_ONE.softened(1.5)
    found = integer_program(NODE, rules)
    assert found.output.tolist() == [1, 1, 1] and found.penalty == 1.5 and found.value == 4.5


@tried(60, st.integers(2, 4), st.integers(0, 10**6), st.booleans(), st.data())
def test_long_inputs_are_pruned_to_the_same_optimum(labels, seed, with_edges, data):
    """What is hopeless is left out, and does not change the optimum. Against the solver alone."""
    slots = 9
    random = np.random.default_rng(seed)
    rules = data.draw(rule_sets(slots, labels, with_predicates=False))
    node = random.normal(size=(slots, labels))
    edge = random.normal(size=(labels, labels)) if with_edges else None
    alone = integer_program(node, rules, edge)
    if alone is None:
        return
    for known in (alone.output, integer_program(random.normal(size=node.shape), rules, edge).output):
        pruned = IntegerProgram().solve(node, rules, edge, known)
        assert pruned.value == pytest.approx(alone.value, abs=1e-5)


def test_scores_of_any_size_are_solved():
    random = np.random.default_rng(3)
    for size in (1e-8, 1e-3, 1.0, 1e5, 1e12):
        node = random.normal(size=(6, 2)) * size
        rules = AT_MOST_ONE + Rules.of(2, [Rule(None, Parts(flags(0)), low=2, penalty=size / 2)])
        expected = twin.best(node, None, rules)
        assert integer_program(node, rules).value == pytest.approx(expected[1], rel=1e-6)


def test_a_time_limit_gives_a_legal_output_and_its_gap():
    random = np.random.default_rng(0)
    slots, labels = 40, 12
    rules = Rules.of(
        labels,
        [
            Rule(None, Parts(random.random(labels) < 0.3), 1, 2),
            *(Rule(Parts(random.random(labels) < 0.2), Parts(random.random(labels) < 0.3), 2, 5) for _ in range(12)),
        ],
    )
    node, edge = random.normal(size=(slots, labels)), random.normal(size=(labels, labels))
    found = integer_program(node, rules, edge, seconds=1e-3)
    assert found is None or (rules.is_legal(found.output) and found.gap > 0 and not found.optimal)


def test_what_does_not_fit_together_is_refused():
    solve = integer_program
    refused(DataError, "about 2 labels, and there are scores of 3", solve, np.zeros((2, 3)), AT_MOST_ONE)
    with pytest.raises(DataError, match="about slot 5, and there are 2 slots"):
        solve(np.zeros((2, 2)), Rules.of(2, [Rule(None, Parts(flags(0), np.array([5], np.int32)), high=0)]))
    refused(DataError, "expected \\[T, L\\]", solve, np.zeros(3), AT_MOST_ONE)
    refused(DataError, "edge has the shape", solve, np.zeros((2, 2)), AT_MOST_ONE, np.zeros((3, 3)))
    refused(DataError, "NaN", solve, np.full((2, 2), np.nan), AT_MOST_ONE)


def test_nothing_is_found_where_scores_forbid_all():
    assert integer_program(np.full((2, 2), -np.inf), AT_MOST_ONE) is None


def test_an_output_without_slots():
    dies = Automaton(np.zeros((1, 2), np.int32), np.array([False]))
    assert integer_program(np.zeros((0, 2)), AT_MOST_ONE).output.tolist() == []
    assert integer_program(np.zeros((0, 2)), Rules.of(2, [dies])) is None


def test_a_hard_program_ends_at_its_limit():
    """There is a limit unless another one is asked for; the best legal output so far is returned, with its gap."""
    assert 0 < IntegerProgram().seconds == SECONDS
    rng = np.random.default_rng(0)

    def parts(number):
        slots = np.sort(rng.choice(60, number, replace=False)).astype(np.int32)
        return Parts(rng.random(6) < 0.3, slots)

    rules = [Rule(parts(3), parts(int(rng.integers(20, 40))), int(low), int(low) + 3) for low in rng.integers(0, 4, 40)]
    program, all_rules = IntegerProgram(seconds=0.2), Rules.of(6, rules)
    found = program.solve(rng.normal(size=(60, 6)), all_rules)
    assert found.gap > 0
    assert not found.optimal
    assert program.limited == 1
    assert all_rules.is_legal(found.output)


def timed_out(monkeypatch):
    """The solver has no time for the best answer; for any legal one it has."""
    solved = _Search._solved

    def late(self, whole, *, blind=False):
        return solved(self, whole, blind=True) if blind else (None, np.inf, LIMIT)

    monkeypatch.setattr(_Search, "_solved", late)


def test_labels_that_no_rule_tells_apart_at_the_time_limit(monkeypatch):
    """A legal output ends the search."""
    node = np.array([[0.0, 1.0, 2.0, 3.0]] * 3)
    rules = Rules.of(4, [Rule(None, Parts(np.arange(4) == 0), 2, 2)])
    best = integer_program(node, rules)
    timed_out(monkeypatch)
    found = integer_program(node, rules)
    assert best is not None and found is not None
    assert rules.is_legal(found.output)
    assert 0 < best.value - found.value + 1e-9 <= found.gap + 1e-9


def test_rules_without_a_legal_output_at_the_time_limit(monkeypatch):
    """It is said that there is none, not that none was found in time."""
    rules = Rules.of(2, [Rule(None, Parts(np.arange(2) == label), 2, 2) for label in range(2)])
    timed_out(monkeypatch)
    assert integer_program(np.zeros((3, 2)), rules) is None


def test_a_time_limit_that_leaves_nothing_is_an_error(monkeypatch):
    monkeypatch.setattr(_Search, "_solved", lambda *_, **__: (None, np.inf, LIMIT))
    refused(SearchError, "No legal output was found within the time limit", integer_program, NODE, AT_MOST_ONE)
    known = np.array([1, 0, 0], np.int32)
    found = IntegerProgram().solve(NODE, AT_MOST_ONE, None, known)
    assert found.output.tolist() == [1, 0, 0] and found.gap == pytest.approx(4.0)
