"""The check of a user's problem: what is right passes, and every kind of mistake is found and named."""

import ast
import itertools
from pathlib import Path

import pytest
from hypothesis import strategies as st

import riata
from checks import refused
from python_problems import Keyed, KeyedSet, Observing, Tagging, WordSet
from riata import Predictor, Problem
from riata.errors import DataError, SearchError, SettingError
from samples import for_rows, tried

EXAMPLES = Path(__file__).parents[2] / "examples"


class Hamming(Tagging):
    """With its loss in steps."""

    def loss_increment(self, x, s, a, y):
        return a != y[len(s)]

    def loss(self, x, y, y_hat):
        return sum(a != b for a, b in zip(y, y_hat, strict=True)) / max(len(x), 1)


class CountedSet(KeyedSet):
    def loss_increment(self, x, s, a, y):
        return len(y - s[0]) if a == "." else a not in y


def fails(problem, x, y, match):
    with pytest.raises(SearchError, match=match) as caught:
        riata.check_problem(problem, ["", x] if isinstance(x, str) else [x], ["", y] if isinstance(x, str) else [y])
    return caught.value


# --- what is right --------------------------------------------------------------------------------------------------------
def test_it_counts_what_it_visits():
    checked = riata.check_problem(Hamming(), ["", "ab", "abc"], [[], ["V", "C"], ["V", "C", "C"]])
    assert (checked.examples, checked.states, checked.goals, checked.unreachable) == (3, 1 + 7 + 15, 1 + 4 + 8, 0)
    assert riata.check_problem(Tagging(), ["ab"]).states == 7  # without the truth


def test_an_unreachable_truth_is_counted():
    class Reach(Tagging):
        def regret(self, x, s, y):
            return super().regret(x, s, y) + y[len(s) :].count("?")

    assert riata.check_problem(Reach(), ["ab", "ab"], [["V", "?"], ["V", "C"]]).unreachable == 1


@pytest.mark.parametrize("problem", [WordSet(), KeyedSet(), CountedSet()])
def test_sets_pass(problem):
    data = [["a", "b", "c", "d"], ["b", "e"]]
    riata.check_problem(problem, data, [frozenset("ac"), frozenset()])


@pytest.mark.parametrize("problem", [Observing(), Keyed()])
def test_chains_pass(problem):
    riata.check_problem(problem, ["xyz"], [["A", "B", "A"]])


def definitions(example):
    """What a worked problem defines, without the training that follows."""
    tree = ast.parse((EXAMPLES / f"{example}.py").read_text(encoding="utf-8"))
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    constants = [node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper()]
    tree.body = [node for node in tree.body if isinstance(node, kept) or node in constants]
    names = {}
    exec(compile(tree, example, "exec"), names)
    return names


def test_the_worked_problem_of_who_is_who_passes():
    names = definitions("entity_tracking")
    X, Y = names["stories"](5, seed=0)
    riata.check_problem(names["Tracking"](), [x[:5] for x in X], [y[:5] for y in Y])


def test_the_worked_problem_of_sets_passes():
    names = definitions("word_set")
    X, Y = names["lists"](20, seed=0)
    short = [i for i, x in enumerate(X) if len(x) <= 5]
    assert len(short) > 3
    riata.check_problem(names["WordSet"](), [X[i] for i in short], [Y[i] for i in short])


def test_the_worked_puzzle_passes():
    names = definitions("eight_puzzle")
    names["MOST"] = 6  # so that there are few states
    boards = [board for board, steps in names["distances"](4).items() if steps == 4][:3]
    assert riata.check_problem(names["EightPuzzle"](names["distances"](16)), boards, [None] * 3).states > 100


def test_the_worked_problem_of_sorting_passes_where_swaps_are_limited():
    names = definitions("sorting")

    class Limited(names["Sorting"]):
        most = 5

        def actions(self, x, s):
            return super().actions(x, s) if s[1] < self.most else ["done"]

        def regret(self, x, s, y):
            stuck = max(0, names["inversions"](s[0]) - (self.most - s[1]))  # these cost double, as after "done"
            return super().regret(x, s, y) + (0 if s[2] else stuck)

    with pytest.raises(SearchError, match="not the same actions"):  # what is left to do depends on the swaps made
        riata.check_problem(Limited(), ["czq"], ["qzc"])
    Limited.key = lambda self, x, s: s
    assert riata.check_problem(Limited(), ["czq", "wq"], ["qzc", "qw"]).states > 20


# --- every kind of mistake ----------------------------------------------------------------------------------------------
@tried(60, st.data())
def test_one_wrong_regret_anywhere_is_found(data):
    """All states but one have the right regret, and the check finds the one (or a state that it contradicts)."""
    y = data.draw(st.tuples(*[st.sampled_from("VC")] * 3))
    every = [s for n in range(4) for s in itertools.product("VC", repeat=n)]
    wrong = data.draw(st.sampled_from(every))
    by = data.draw(st.sampled_from([-1, -0.5, 0.25, 1, 10]))

    class Wrong(Tagging):
        def regret(self, x, s, y):
            return super().regret(x, s, y) + (by if s == wrong else 0)

    riata.check_problem(Tagging(), ["abc"], [y])
    if len(wrong) == 3:  # a goal defines its loss: it is wrong where the states before it then are
        siblings = [Tagging().regret("abc", (*wrong[:2], a), y) for a in "VC" if (*wrong[:2], a) != wrong]
        before = Tagging().regret("abc", wrong[:2], y)
        if min(siblings[0], Wrong().regret("abc", wrong, y)) == before and Wrong().regret("abc", wrong, y) >= 0:
            return
    refused(SearchError, r"^example 0, state ", riata.check_problem, Wrong(), ["abc"], [y])


def test_a_regret_too_high_or_too_low_is_named_with_state_and_path():
    class High(Tagging):
        def regret(self, x, s, y):
            return super().regret(x, s, y) + (s == ("V",))

    error = fails(
        High(), "ab", "VC", r"^example 1, state \('V',\) \(by the actions \['V'\]\): regret is 1, but the least"
    )
    assert "least loss" in error.remedy

    class Low(Tagging):
        def regret(self, x, s, y):
            return super().regret(x, s, y) if len(s) == len(x) else 0

    fails(
        Low(), "ab", "VC", r"^example 1, state \('C',\) .*regret is 0, but the least that a goal in its reach has is 1"
    )


def test_a_regret_below_zero_or_no_number_is_refused():
    problem = Tagging()
    problem.regret = lambda x, s, y: -1
    fails(problem, "ab", "VC", r"a goal of regret -1; a loss is never below 0")
    problem.regret = lambda x, s, y: float("nan")
    fails(problem, "ab", "VC", r"regret returned nan; expected a finite number")


def test_a_dead_end_that_looks_right_is_found():
    class Trap(Tagging):
        def actions(self, x, s):
            return () if s == ("V",) else ("V", "C")

        def regret(self, x, s, y):
            return super().regret(x, s, y) + (y[:1] == "V" and not s)  # the truth is out of reach, and "V" a dead end

    fails(Trap(), "ab", "VC", r"state \('V',\).*no goal can be reached from it, but its regret is 0")
    assert riata.check_problem(Trap(), ["ab"], ["CC"]).unreachable == 0  # here its regret is 1

    class Nowhere(Tagging):
        def actions(self, x, s):
            return ()

    fails(Nowhere(), "ab", "VC", r"state \(\): no goal can be reached from it")


def test_increments_that_do_not_add_up_are_found():
    class Short(Hamming):
        def loss_increment(self, x, s, a, y):
            return a != y[len(s)] and len(s) == 0

    fails(Short(), "ab", "VC", r"state \('V', 'V'\).*loss_increment adds up to 0, but the regret of this goal is 1")

    class ByOrder(CountedSet):
        def loss_increment(self, x, s, a, y):
            return super().loss_increment(x, s, a, y) + (a == "a" and not s[0])

    fails(ByOrder(), ["a", "b"], frozenset("ab"), r"loss_increment adds up to 1 or to 0, depending on the path")


def test_a_loss_in_another_order_than_the_regret_is_found():
    class Turned(Hamming):
        def loss(self, x, y, y_hat):
            return 1 - super().loss(x, y, y_hat)

    fails(Turned(), "ab", "VC", r"its regret is \d and its loss .*, but state .* has the regret")


@for_rows(
    "method, differs",
    ("actions", lambda x, s: ("V",) if s[:1] == ("V",) and len(s) == 2 else ("V", "C")),
    ("is_goal", lambda x, s: len(s) in (len(x), 3) or s == ("V", "V")),
    ("features", lambda x, s, a: [f"{s[:1]} {a}"]),
    ("observe", lambda x, s: [f"{s[:1]}"]),
)
def test_keys_of_states_that_go_on_differently_are_found(method, differs):
    problem = Tagging()
    problem.key = lambda x, s: (len(s), s[-1:])
    riata.check_problem(problem, ["abc"])
    setattr(problem, method, differs)
    fails(problem, "abc", "VCV", r"it has the key \(2, \('V',\)\) of state .*, but not the same")


def test_keys_that_lead_to_other_keys_are_found():
    problem = Tagging()
    problem.features = lambda x, s, a: [a]
    problem.key = lambda x, s: (len(s), s[-2:]) if len(s) > 2 else len(s)
    fails(problem, "abc", "VCV", "not the same keys behind it")


def test_what_cannot_be_hashed_is_named():
    problem = Tagging()
    problem.initial = lambda x: []
    fails(problem, "ab", "VC", r"the state \[\] cannot be hashed")
    problem = Tagging()
    problem.apply = lambda x, s, a: [*s, a]
    fails(problem, "ab", "VC", r"example 1, state \['V'\].*: the state \['V'\] cannot be hashed")
    problem = Tagging()
    problem.actions = lambda x, s: [["V"]]
    fails(problem, "ab", "VC", r"state \(\): the action \['V'\] cannot be hashed")
    problem = Tagging()
    problem.key = lambda x, s: {}
    fails(problem, "ab", "VC", r"the key \{\} cannot be hashed")


def test_an_apply_that_answers_differently_is_found():
    counter = itertools.count()
    problem = Tagging()
    problem.apply = lambda x, s, a: (*s, next(counter))
    fails(problem, "ab", "VC", "leads to another state the second time")

    class Box:
        def __init__(self, items):
            self.items = items

        def __hash__(self):
            return hash(tuple(self.items))

        def __eq__(self, other):
            return self.items == other.items

    class Changing(Tagging):
        def initial(self, x):
            return Box([])

        def apply(self, x, s, a):
            s.items.append(a)
            return Box(list(s.items))

        def is_goal(self, x, s):
            return len(s.items) >= len(x)

        def regret(self, x, s, y):
            return 0

    fails(Changing(), "ab", "VC", "example 1: apply changes the state that it was given: <")


def test_a_cover_that_falls_is_found():
    problem = Tagging()
    problem.covered = lambda x, s: -len(s)
    fails(problem, "ab", "VC", r"covered falls from 0 to -1 with the action 'V'")


def test_too_many_states_are_refused():
    with pytest.raises(SearchError, match=r"example 0 has more than 100 states") as caught:
        riata.check_problem(Tagging(), ["a" * 20], ["V" * 20], max_states=100)
    assert "smaller input" in caught.value.remedy


def test_what_makes_no_sense_is_refused():
    refused(DataError, "X has 1 examples and Y has 0", riata.check_problem, Tagging(), ["ab"], [])
    refused(SettingError, "does not define", riata.check_problem, Problem(), ["ab"])
    problem = Hamming()
    Silent = type("Silent", (Hamming,), {"regret": Problem.regret})  # increments alone do not teach
    refused(SettingError, "'Silent' does not define regret", Predictor(Silent()).fit, ["ab"], ["VC"])
    assert riata.check_problem(problem, ["ab"], ["VC"]).goals == 4
