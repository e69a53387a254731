"""A search problem of the user's own: states, operators, a goal test, features, and the regret of a state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from riata.errors import SettingError

REQUIRED = ("initial", "actions", "apply", "is_goal")
STEP = ("features", "observe")  # what is known of a step
OPTIONAL = (*STEP, "regret", "key", "heuristic", "covered", "loss", "loss_increment", "parts", "describe")

Features = Iterable[str | tuple[str, float]]


class Problem:
    """What to search, and what to learn from: subclass it, and give it to `riata.Predictor`.

    An input x has an initial state; operators ("actions") lead from state to state until a goal. The score of a path is the
    sum over its steps of the weights of the step's features; search looks for a path with a high one. Scores are maximised.

    Write initial, actions, apply and is_goal; features or observe (or both); and regret, to learn. The others are optional, and
    count as absent until you write them. States may be of any type; actions and keys must be hashable. States are never
    changed: apply makes a new one.

    >>> class Tagging(riata.Problem):
    ...     def initial(self, x): return ()
    ...     def actions(self, x, s): return ("V", "C")
    ...     def apply(self, x, s, a): return (*s, a)
    ...     def is_goal(self, x, s): return len(s) == len(x)
    ...     def observe(self, x, s): return [f"letter={x[len(s)]}"]
    ...     def regret(self, x, s, y): return sum(a != b for a, b in zip(s, y))
    ...
    >>> riata.check_problem(Tagging(), ["ab", "eg"], ["VC", "VC"])
    Checked(examples=2, states=14, goals=8, unreachable=0)
    """

    def initial(self, x: Any) -> Any:
        """The state where the search starts."""
        raise NotImplementedError

    def actions(self, x: Any, s: Any) -> Iterable[Any]:
        """The operators that can be applied in s. None at all, where s is no goal: a dead end."""
        raise NotImplementedError

    def apply(self, x: Any, s: Any, a: Any) -> Any:
        """The state that action a leads to."""
        raise NotImplementedError

    def is_goal(self, x: Any, s: Any) -> bool:
        """Whether s is complete."""
        raise NotImplementedError

    def features(self, x: Any, s: Any, a: Any) -> Features:
        """Features of the step a from s: names, or (name, value) pairs. Called for every action of an expanded state."""
        raise NotImplementedError

    def observe(self, x: Any, s: Any) -> Features:
        """Features of s, each of which is joined with the action taken. Called once per expanded state: faster than features."""
        raise NotImplementedError

    def regret(self, x: Any, s: Any, y: Any) -> float:
        """The least loss that any completion of s can still reach, y being the truth.

        A step is right as long as the regret stays what it was in the initial state: 0, unless y cannot be reached at all.
        """
        raise NotImplementedError

    def output(self, x: Any, s: Any, path: Sequence[Any]) -> Any:
        """What `predict` returns, from the final state and the actions that led to it. Default: the list of actions."""
        return list(path)

    def key(self, x: Any, s: Any) -> Any:
        """Optional. States of equal key go on alike (same operators, features, goals): only the best path to a key is followed."""
        raise NotImplementedError

    def heuristic(self, x: Any, s: Any) -> float:
        """Optional. An estimate of the best score still to come, added to the score so far. A* is exact if it is never too low."""
        raise NotImplementedError

    def covered(self, x: Any, s: Any) -> int:
        """Optional. How far into the input s reaches: what competes in a beam with beam_by="prefix"."""
        raise NotImplementedError

    def loss(self, x: Any, y: Any, y_hat: Any) -> float:
        """Optional. How bad the output y_hat is, y being the truth; `Predictor.score` is 1 - its mean."""
        raise NotImplementedError

    def loss_increment(self, x: Any, s: Any, a: Any, y: Any) -> float:
        """Optional. What the step a from s adds to the loss: along a path to a goal the sum is the goal's regret."""
        raise NotImplementedError

    def parts(self, a: Any) -> Iterable[Any]:
        """Optional. What action a shares with others: features of `observe` are joined with each part, too, beside the action itself.

        Parts are hashable. An action that equals a part has its weights in common with it.
        """
        raise NotImplementedError

    def describe(self, x: Any, s: Any) -> str:
        """Optional. The state s in words, for traces and pages."""
        raise NotImplementedError


def defined(problem: Problem) -> list[str]:
    """The optional methods that a problem defines."""
    return [name for name in OPTIONAL if overrides(problem, name)]


def same_features(problem: Problem, states: int) -> tuple[str, str]:
    """What is wrong, and the remedy, where features tell no action from another."""
    given = " and ".join(
        {"features": "features(x, s, a)", "observe": "observe(x, s)"}[name] for name in defined(problem) if name in STEP
    )
    return (
        f"the actions cannot be told apart: {given} gave all actions of a state the same features (or none), in each of the {states} "
        "states that have several.",
        "Put the action into the names, as in f'w={word}|{a}', or give names of the state alone in observe(x, s), "
        "which joins them with the action.",
    )


def check(problem: Any, *, learning: bool) -> None:
    """Refuses what cannot be searched, or not be learnt from."""
    if not isinstance(problem, Problem):
        mistake = "the class itself" if isinstance(problem, type) else f"of type {type(problem).__name__!r}"
        raise SettingError(
            f"the problem is {mistake}; expected an object of a subclass of riata.Problem.",
            remedy="riata.Predictor(MyProblem()), where MyProblem is derived from riata.Problem.",
        )
    name = type(problem).__name__
    missing = [method for method in REQUIRED if not overrides(problem, method)]
    if not overrides(problem, "features") and not overrides(problem, "observe"):
        missing.append("features or observe")
    if learning and not overrides(problem, "regret"):
        missing.append("regret")
    if missing:
        raise SettingError(f"the problem {name!r} does not define {', '.join(missing)}.")


def overrides(problem: Problem, method: str) -> bool:
    """Whether a problem defines a method itself."""
    return method in vars(problem) or getattr(type(problem), method) is not getattr(Problem, method)
