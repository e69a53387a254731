"""The integer program and brute force find what enumeration finds, under any rules."""

import numpy as np
import pytest
from hypothesis import strategies as st

from checks import refused
from oracle import rules as twin
from riata.errors import DataError, SearchError
from riata.inference.rules.brute_force import brute_force
from riata.inference.rules.integer_program import LIMIT, SECONDS, IntegerProgram, _Search, integer_program
from riata.inference.rules.rule import HARD, Automaton, Parts, Predicate, Rule
from riata.inference.rules.rules import Rules
from rule_problems import rule_sets
from samples import tried

SCORES = st.integers(-6, 6).map(lambda number: number / 2) | st.floats(-3, 3, width=16) | st.just(-np.inf)


def arrays(*shape):
    size = int(np.prod(shape))
    return st.lists(SCORES, min_size=size, max_size=size).map(lambda drawn: np.array(drawn, float).reshape(shape))


@st.composite
def problems(draw, with_predicates=True):
    slots, labels = draw(st.integers(0, 4)), draw(st.integers(1, 3))
    edges = {"none": st.none(), "one": arrays(labels, labels), "each": arrays(slots, labels, labels)}
    edge = draw(edges[draw(st.sampled_from(["none", "none", "one", "each"]))])
    return draw(arrays(slots, labels)), edge, draw(rule_sets(max(slots, 1), labels, with_predicates))


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


@tried(600, problems(), st.booleans(), st.sampled_from([0, 0, 1, 3, 64]))
def test_the_integer_program_finds_what_enumeration_finds(problem, shortcut, listed):
    node, edge, rules = problem
    if fits(rules, len(node)):
        agrees(integer_program(node, rules, edge, shortcut=shortcut, listed=listed), node, edge, rules)


@tried(100, problems())
def test_brute_force_finds_what_enumeration_finds(problem):
    node, edge, rules = problem
    if fits(rules, len(node)):
        agrees(brute_force(node, rules, edge), node, edge, rules)


def flags(*numbers, of=2):
    return np.isin(np.arange(of), numbers)


AT_MOST_ONE = Rules.of(2, [Rule(None, Parts(flags(1)), high=1)])
NODE = np.array([[0.0, 2.0], [0.0, 1.0], [0.0, 3.0]])


def test_no_solver_is_called_where_the_best_output_is_legal():
    program = IntegerProgram()
    free = program.solve(-NODE, AT_MOST_ONE)
    assert not free.called and free.output.tolist() == [0, 0, 0] and free.optimal
    listed = program.solve(NODE, AT_MOST_ONE)
    assert not listed.called and listed.output.tolist() == [0, 0, 1] and listed.optimal
    solved = IntegerProgram(listed=0).solve(NODE, AT_MOST_ONE)
    assert solved.called and solved.output.tolist() == [0, 0, 1] and solved.value == 3.0
    counts = (program.inputs, program.legal, program.found_in_list, program.called, program.limited)
    assert counts == (2, 1, 1, 0, 0)


def test_a_soft_rule_is_broken_where_this_pays():
    rules = AT_MOST_ONE.softened(1.5)
    found = integer_program(NODE, rules, listed=0)
    assert found.output.tolist() == [1, 1, 1] and found.penalty == 1.5 and found.value == 4.5


@tried(60, st.integers(2, 4), st.integers(0, 10**6), st.booleans(), st.data())
def test_long_inputs_are_pruned_to_the_same_optimum(labels, seed, with_edges, data):
    """What is hopeless is left out; the list and the repair do not change the optimum. Against the solver alone."""
    slots = 9
    random = np.random.default_rng(seed)
    rules = data.draw(rule_sets(slots, labels, with_predicates=False))
    node = random.normal(size=(slots, labels))
    edge = random.normal(size=(labels, labels)) if with_edges else None
    alone = integer_program(node, rules, edge, listed=0)
    pruned = integer_program(node, rules, edge, listed=2)
    assert (alone is None) == (pruned is None)
    assert alone is None or pruned.value == pytest.approx(alone.value, abs=1e-5)


def test_scores_of_any_size_are_solved():
    random = np.random.default_rng(3)
    for size in (1e-8, 1e-3, 1.0, 1e5, 1e12):
        node = random.normal(size=(6, 2)) * size
        rules = AT_MOST_ONE + Rules.of(2, [Rule(None, Parts(flags(0)), low=2, penalty=size / 2)])
        for listed in (0, 64):
            expected = twin.best(node, None, rules)
            assert integer_program(node, rules, listed=listed).value == pytest.approx(expected[1], rel=1e-6)


def refuses(output):
    return False


def test_predicates_that_refuse_too_many_outputs_end_the_search():
    rules = AT_MOST_ONE + Rules.of(2, [Predicate(lambda output: not output.any())])
    found = integer_program(NODE, rules, listed=0)
    assert found.output.tolist() == [0, 0, 0] and found.cuts == 3 and found.optimal
    with pytest.raises(SearchError, match="No legal output was found after predicates refused 1 outputs"):
        integer_program(NODE, Rules.of(2, [Predicate(refuses)]), listed=0, most_cuts=1)
    assert integer_program(NODE, Rules.of(2, [Predicate(refuses)])) is None  # all eight are in the list
    soft = Rules.of(2, [Predicate(lambda output: output.sum() < 2, penalty=5.0)])
    limited = integer_program(NODE, soft, listed=0, most_cuts=0)
    assert limited.output.tolist() == [1, 1, 1] and limited.value == 1.0
    assert not limited.optimal and limited.gap == pytest.approx(5.0)  # the bound does not know the predicate
    program = IntegerProgram(listed=0, most_cuts=0)
    program.solve(NODE, soft)
    assert program.limited == 1


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
    found = integer_program(node, rules, edge, seconds=1e-3, listed=0)
    assert found is None or (rules.is_legal(found.output) and found.gap > 0 and not found.optimal)


@pytest.mark.parametrize("solve", [brute_force, integer_program])
def test_what_does_not_fit_together_is_refused(solve):
    refused(DataError, "about 2 labels, and there are scores of 3", solve, np.zeros((2, 3)), AT_MOST_ONE)
    with pytest.raises(DataError, match="about slot 5, and there are 2 slots"):
        solve(np.zeros((2, 2)), Rules.of(2, [Rule(None, Parts(flags(0), np.array([5], np.int32)), high=0)]))
    refused(DataError, "expected \\[T, L\\]", solve, np.zeros(3), AT_MOST_ONE)
    refused(DataError, "edge has the shape", solve, np.zeros((2, 2)), AT_MOST_ONE, np.zeros((3, 3)))
    refused(DataError, "NaN", solve, np.full((2, 2), np.nan), AT_MOST_ONE)


def test_brute_force_is_for_few_outputs():
    refused(SearchError, "more than 1,000,000 outputs", brute_force, np.zeros((30, 2)), AT_MOST_ONE)


def test_nothing_is_found_where_scores_forbid_all():
    assert integer_program(np.full((2, 2), -np.inf), AT_MOST_ONE) is None
    assert brute_force(np.full((2, 2), -np.inf), AT_MOST_ONE) is None


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
    """They are one variable, so that no output could be cut off; a legal one ends the search."""
    node = np.array([[0.0, 1.0, 2.0, 3.0]] * 3)
    rules = Rules.of(4, [Rule(None, Parts(np.arange(4) == 0), 2, 2)])
    best = integer_program(node, rules, listed=0)
    timed_out(monkeypatch)
    found = integer_program(node, rules, listed=0)
    assert best is not None and found is not None
    assert rules.is_legal(found.output)
    assert 0 < best.value - found.value + 1e-9 <= found.gap + 1e-9


def test_rules_without_a_legal_output_at_the_time_limit(monkeypatch):
    """It is said that there is none, not that none was found in time."""
    rules = Rules.of(2, [Rule(None, Parts(np.arange(2) == label), 2, 2) for label in range(2)])
    timed_out(monkeypatch)
    assert integer_program(np.zeros((3, 2)), rules, listed=0) is None
    refuses = Rules.of(2, [Predicate(lambda output: False)])
    assert integer_program(np.zeros((3, 2)), refuses, listed=0) is None
