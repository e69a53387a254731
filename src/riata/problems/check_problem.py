"""Looks for what is wrong with a problem in Python, by visiting every state of small inputs."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from riata._core import most_actions, most_features, most_value
from riata.data.types import is_unicode
from riata.errors import DataError, SearchError
from riata.problems.examples import as_inputs, paired
from riata.problems.outputs import as_number
from riata.problems.problem import STEP, Problem, check, defined, same_features
from riata.problems.watched import Watched, in_words

ROUNDING = 1e-9


@dataclass(frozen=True)
class Checked:
    """What was visited. `unreachable`: examples whose initial regret is above 0."""

    examples: int
    states: int
    goals: int
    unreachable: int


def check_problem(
    problem: Problem, X: Iterable[Any], Y: Iterable[Any] | None = None, *, max_states: int = 10_000
) -> Checked:
    """Visits every state of small inputs, and raises SearchError for the first thing that contradicts itself.

    It checks that:

    - states can be told apart, no method changes them or x, and a goal can be reached;
    - features are names with finite values, and tell some actions apart; parts of actions can be hashed;
    - states of equal key have the same actions, features and goals; covered never falls.

    With the true outputs Y, it also checks that:

    - the regret of a state is the least that any goal in its reach has, and no dead end looks right;
    - loss_increment adds up to the regret of the goal, on every path;
    - a goal of lower regret has no higher loss.

    Whether a heuristic is never too low depends on the weights, and is not checked. An input with more than max_states states is refused.

    >>> class Walk(riata.Problem):
    ...     def initial(self, x): return 0
    ...     def actions(self, x, s): return (1, 2)
    ...     def apply(self, x, s, a): return s + a
    ...     def is_goal(self, x, s): return s >= x
    ...     def observe(self, x, s): return ["a step"]
    ...
    >>> riata.check_problem(Walk(), [3])
    Checked(examples=1, states=5, goals=2, unreachable=0)
    """
    check(problem, learning=Y is not None)
    inputs = as_inputs(X)
    inputs, outputs = paired(inputs, [None] * len(inputs) if Y is None else Y)
    states = goals = unreachable = choices = 0
    tells_apart = False
    for number, x in enumerate(inputs):
        example = _Example(problem, number, x, max_states)
        example.visit()
        example.check_goals()
        choices += example.choices()
        tells_apart = example.check_features() or tells_apart
        example.check_parts()
        example.check_keys()
        example.check_covered()
        if Y is not None:
            unreachable += example.check_truth(outputs[number])
        states += len(example.nodes)
        goals += sum(node.goal for node in example.nodes)
    if choices and not tells_apart:
        message, remedy = same_features(problem, choices)
        raise SearchError(message, remedy=remedy)
    return Checked(len(inputs), states, goals, unreachable)


@dataclass(eq=False)
class _Node:
    state: Any
    goal: bool
    path: list[Any]  # one that leads here
    steps: list[tuple[Any, _Node]] = field(default_factory=list)  # (action, where it leads); none behind a goal
    parents: list[_Node] = field(default_factory=list)


class _Example:
    """The graph of the states of one input, and what must hold in it."""

    def __init__(self, problem: Problem, number: int, x: Any, max_states: int) -> None:
        self.problem: Any = Watched(problem, math.inf, [number])
        self.number, self.x, self.max_states = number, x, max_states
        self.has = set(defined(problem))
        self.nodes: list[_Node] = []  # the initial one first, parents before children
        self._at: dict[Any, _Node] = {}

    def visit(self) -> None:
        line = deque([self._node(self.problem.initial(self.x), [])])
        while line:
            node = line.popleft()
            for action in () if node.goal else self._actions(node):
                _hash(action, "action", self._error(node))
                made = [self.problem.apply(self.x, node.state, action) for _ in range(2)]
                known = len(self.nodes)
                child = self._node(made[0], [*node.path, action])
                if made[0] != made[1]:
                    raise self._error(node)(
                        f"the action {action!r} leads to another state the second time.",
                        "apply(x, s, a) always makes the same state.",
                    )
                node.steps.append((action, child))
                child.parents.append(node)
                if len(self.nodes) > known:
                    line.append(child)

    def _node(self, state: Any, path: list[Any]) -> _Node:
        node = _Node(state, False, path)
        _hash(state, "state", self._error(node))
        if state in self._at:
            return self._at[state]
        if len(self.nodes) == self.max_states:
            goals = any(node.goal for node in self.nodes)
            raise SearchError(
                f"example {self.number} has more than {self.max_states:,} states, too many to visit all of "
                f"them{'' if goals else ', and no goal among those'}.",
                remedy=("" if goals else "Is is_goal(x, s) ever true? If so: ")
                + "Check a smaller input, or raise max_states.",
            )
        node.goal = self._is_goal(node)
        self._at[state] = node
        self.nodes.append(node)
        return node

    def _is_goal(self, node: _Node) -> bool:
        answer = self.problem.is_goal(self.x, node.state)
        try:
            return bool(answer)
        except (TypeError, ValueError):  # of an array
            raise self._error(node)(
                f"is_goal returned {in_words(answer)}, which is neither true nor false.",
                "Return True or False; of an array, all() or any().",
            ) from None

    def _actions(self, node: _Node) -> tuple[Any, ...]:
        return self._listed(node, "actions", self.problem.actions(self.x, node.state), "a list of actions")

    def _listed(self, node: _Node, method: str, answer: Any, expected: str) -> tuple[Any, ...]:
        """The items that a method returned; a text, which would read as a list of letters, is none where names are expected."""
        try:
            items = None if isinstance(answer, str) and method != "actions" else iter(answer)
        except TypeError:  # also of an array without dimensions
            items = None
        if items is None:
            raise self._error(node)(f"{method} returned {in_words(answer)}; expected {expected}.")
        return _bounded(answer.items() if isinstance(answer, Mapping) and method in STEP else items, method)

    def check_goals(self) -> None:
        if not any(node.goal for node in self.nodes):
            raise self._error(self.nodes[0])("no goal can be reached from it.", "Some actions must lead to a goal.")

    def choices(self) -> int:
        return sum(len(node.steps) > 1 for node in self.nodes)

    def check_features(self) -> bool:
        """Whether the features of some state are not the same for all its actions."""
        tells_apart = False
        for node in self.nodes:
            if "observe" in self.has and not node.goal:
                tells_apart |= bool(self._read(node, "observe") and len(node.steps) > 1)
            if "features" in self.has:
                given = [self._read(node, "features", action) for action, _ in node.steps]
                tells_apart |= any(features != given[0] for features in given)
        return tells_apart

    def _read(self, node: _Node, method: str, *action: Any) -> list[tuple[str, float]]:
        """The features that count, in an order of their own."""
        given = getattr(self.problem, method)(self.x, node.state, *action)
        out = []
        for item in self._listed(node, method, given, "names, or (name, value) pairs"):
            name, value = item if isinstance(item, tuple) and len(item) == 2 else (item, 1)
            if not isinstance(name, str):
                raise self._error(node)(
                    f"{method} gave the feature {in_words(item)}; expected a name, or a (name, value) pair."
                )
            if not is_unicode(name):
                raise self._error(node)(
                    f"{method} gave the feature {in_words(name)}, which holds a lone surrogate and is no text."
                )
            number = self._number(node, f"{method}: feature {name!r}", value)
            if abs(number) > most_value:
                raise self._error(node)(
                    f"{method}: feature {name!r} has the value {number:g}; expected a finite number up to {most_value:.0e}."
                )
            out.append((name, number))
        return sorted((name, value) for name, value in out if value)

    def check_parts(self) -> None:
        if "parts" not in self.has:
            return
        for node in self.nodes:
            for action, _ in node.steps:
                for part in self._listed(node, "parts", self.problem.parts(action), "a list of parts"):
                    _hash(part, "part", self._error(node))

    def check_keys(self) -> None:
        """States that gave up (no actions, no goal) may share a key with others: a search takes whichever is better."""
        if "key" not in self.has:
            return
        first: dict[Any, tuple[_Node, dict[str, Any]]] = {}
        for node in self.nodes:
            key = self.problem.key(self.x, node.state)
            _hash(key, "key", self._error(node))
            if not node.goal and not node.steps:
                continue
            other, known = first.setdefault(key, (node, self._onward(node)))
            here = known if other is node else self._onward(node)
            for what, value in here.items():
                if value != known[what]:
                    raise self._error(node)(
                        f"it has the key {key!r} of state {in_words(other.state)}, but not the same {what}: {value!r} and {known[what]!r}.",
                        "States of equal key must go on alike.",
                    )

    def _onward(self, node: _Node) -> dict[str, Any]:
        """How a state goes on, for comparison with another one."""
        x = self.x
        out: dict[str, Any] = {"answer of is_goal": node.goal, "actions": {action for action, _ in node.steps}}
        if "observe" in self.has and not node.goal:
            out["observed features"] = self._read(node, "observe")
        if "features" in self.has:
            out["features"] = {a: self._read(node, "features", a) for a, _ in node.steps}
        out["keys behind it"] = {a: self.problem.key(x, child.state) for a, child in node.steps}
        return out

    def check_covered(self) -> None:
        if "covered" not in self.has:
            return
        for node in self.nodes:
            covered = self._covered(node)
            for action, child in node.steps:
                after = self._covered(child)
                if after < covered:
                    raise self._error(node)(
                        f"covered falls from {covered:g} to {after:g} with the action {action!r}.",
                        "covered(x, s) is how far into the input s reaches; no step takes anything back.",
                    )

    def _covered(self, node: _Node) -> float:
        return self._number(node, "covered", self.problem.covered(self.x, node.state))

    def check_truth(self, y: Any) -> bool:
        """Whether the truth cannot be reached: the initial regret is above 0."""
        regret = {node: self._number(node, "regret", self.problem.regret(self.x, node.state, y)) for node in self.nodes}
        self._check_regret(regret)
        if "loss_increment" in self.has:
            self._check_increments(regret, y)
        if "loss" in self.has:
            self._check_loss(regret, y)
        return regret[self.nodes[0]] > ROUNDING

    def _check_regret(self, regret: dict[_Node, float]) -> None:
        least = self._least(regret)
        start = self.nodes[0]
        for node in self.nodes:
            if least[node] == math.inf and regret[node] <= regret[start] + ROUNDING:
                raise self._error(node)(
                    f"no goal can be reached from it, but its regret is {regret[node]:g}, and {regret[start]:g} at the start.",
                    "Where no goal can be reached, the regret must be higher: a large number will do.",
                )
            if least[node] < math.inf and abs(regret[node] - least[node]) > ROUNDING:
                raise self._error(node)(
                    f"regret is {regret[node]:g}, but the least that a goal in its reach has is {least[node]:g}.",
                    "regret(x, s, y) must be the least loss that any completion of s can reach.",
                )

    def _least(self, regret: dict[_Node, float]) -> dict[_Node, float]:
        """The least regret of the goals that can be reached from every state: from the best goal backwards."""
        least = dict.fromkeys(self.nodes, math.inf)
        for goal in sorted((node for node in self.nodes if node.goal), key=regret.__getitem__):
            if regret[goal] < -ROUNDING:
                raise self._error(goal)(f"it is a goal of regret {regret[goal]:g}; a loss is never below 0.")
            line = [goal]
            while line:
                node = line.pop()
                if least[node] == math.inf:
                    least[node] = regret[goal]
                    line.extend(node.parents)
        return least

    def _check_increments(self, regret: dict[_Node, float], y: Any) -> None:
        """On every path to a goal. States that no goal can be reached from have no loss to add up to."""
        alive = {node for node, least in self._least(regret).items() if least < math.inf}
        total = {self.nodes[0]: 0.0}
        for node in self.nodes:  # a parent on a shortest path comes before its child
            for action, child in node.steps if node in alive else ():
                if child not in alive:
                    continue
                added = self._number(node, "loss_increment", self.problem.loss_increment(self.x, node.state, action, y))
                if abs(total.setdefault(child, total[node] + added) - (total[node] + added)) > ROUNDING:
                    raise self._error(child)(
                        f"loss_increment adds up to {total[child]:g} or to {total[node] + added:g}, depending on the path.",
                        "Along every path to a goal the sum must be the regret of the goal.",
                    )
        for node in self.nodes:
            if node.goal and abs(total[node] - regret[node]) > ROUNDING:
                raise self._error(node)(
                    f"loss_increment adds up to {total[node]:g}, but the regret of this goal is {regret[node]:g}.",
                    "Along every path to a goal the sum must be the regret of the goal.",
                )

    def _check_loss(self, regret: dict[_Node, float], y: Any) -> None:
        """The loss may be on another scale, so only the order is compared."""

        def loss(goal: _Node) -> float:
            found = self.problem.output(self.x, goal.state, goal.path)
            return self._number(goal, "loss", self.problem.loss(self.x, y, found))

        losses = sorted(((regret[node], loss(node), i) for i, node in enumerate(self.nodes) if node.goal))
        worst, at = -math.inf, 0
        for group in _groups(losses):
            lowest, i = min((value, i) for _, value, i in group)
            if lowest < worst - ROUNDING:
                raise self._error(self.nodes[i])(
                    f"its regret is {regret[self.nodes[i]]:g} and its loss {lowest:g}, but state {in_words(self.nodes[at].state)} "
                    f"has the regret {regret[self.nodes[at]]:g} and the loss {worst:g}.",
                    "A goal of lower regret has no higher loss.",
                )
            highest, i = max((value, i) for _, value, i in group)
            if highest > worst:
                worst, at = highest, i

    def _number(self, node: _Node, method: str, value: Any) -> float:
        if not math.isfinite(number := as_number(value)):
            raise self._error(node)(f"{method} returned {in_words(value)}; expected a finite number.")
        return number

    def _error(self, node: _Node) -> Callable[..., SearchError]:
        def error(what: str, remedy: str = "") -> SearchError:
            path = f" (by the actions {in_words(node.path)})" if node.path else ""
            return SearchError(f"example {self.number}, state {in_words(node.state)}{path}: {what}", remedy=remedy)

        return error


def _groups(losses: list[tuple[float, float, int]]) -> Iterator[list[tuple[float, float, int]]]:
    """Goals of equal regret, by regret."""
    group: list[tuple[float, float, int]] = []
    for entry in losses:
        if group and entry[0] > group[0][0] + ROUNDING:
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def _hash(value: Any, what: str, error: Callable[..., SearchError]) -> None:
    try:
        hash(value)
    except TypeError:
        raise error(f"the {what} {in_words(value)} cannot be hashed.", "Use a tuple, a text or a number.") from None


def _bounded(items: Iterable[Any], method: str) -> tuple[Any, ...]:
    """All of the items; a method that yields for ever is refused."""
    most = most_features if method in STEP else most_actions
    found = tuple(islice(items, most + 1))
    if len(found) > most:
        raise DataError(
            f"{method} gave more than {most:,} items for one state.", remedy="Does it yield for ever? Let it end."
        )
    return found
