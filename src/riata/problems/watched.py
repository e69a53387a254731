"""Sees whether the methods of a problem leave states and inputs as they are."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from riata.errors import SearchError
from riata.problems.problem import Problem

METHODS = (
    "actions",
    "apply",
    "is_goal",
    "features",
    "observe",
    "regret",
    "key",
    "heuristic",
    "covered",
    "loss_increment",
)
FIXED = (str, bytes, int, float, complex, bool, type(None), range)
LONGEST = 200  # of a state in a message


class Watched:
    """A problem whose methods are looked at while they run: SearchError names one that changes its x or s.

    calls: how many are looked at; the others go straight through. numbers: of the examples, in the order of their `initial`.
    """

    def __init__(self, problem: Problem, calls: float, numbers: list[int]) -> None:
        self._problem, self._left = problem, calls
        self._numbers = iter(numbers)
        self._number = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._problem, name)
        return self._watched(name, method) if name in METHODS else method

    def initial(self, x: Any) -> Any:
        self._number = next(self._numbers, self._number)
        return self._problem.initial(x)

    def _watched(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def watched(x: Any, s: Any, *others: Any) -> Any:
            if self._left <= 0:
                return method(x, s, *others)
            self._left -= 1
            before = Look(s), Look(x)
            result = method(x, s, *others)
            if before[0].differs(s):
                raise self._error(name, "the state that it was given", before[0], s)
            if before[1].differs(x):
                raise self._error(name, "the input x", before[1], x)
            return result

        return watched

    def _error(self, name: str, what: str, before: Look, now: Any) -> SearchError:
        after = in_words(now)
        became = f" became {after}" if after != before.words else ""
        remedy = "Return a new state, such as (*s, a), and leave s as it is." if name == "apply" else "Work on a copy."
        return SearchError(f"example {self._number}: {name} changes {what}: {before.words}{became}.", remedy=remedy)


class Look:
    """What an object looked like, for comparison with what it looks like later."""

    def __init__(self, value: Any) -> None:
        self._fixed = _is_fixed(value)
        if self._fixed:
            return
        self._text = _text(value)
        try:
            self._copy = copy.deepcopy(value)
        except Exception:  # whatever the user's own __deepcopy__ raises: the text is left to compare
            self._copy = value

    @property
    def words(self) -> str:
        return _shortened(self._text)

    def differs(self, value: Any) -> bool:
        return not self._fixed and (_text(value) != self._text or not _same(self._copy, value))


def in_words(value: Any) -> str:
    """A Python object in a message."""
    return _shortened(_text(value))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def _is_fixed(value: Any) -> bool:
    """Whether it is of types that cannot change."""
    return type(value) in FIXED or (type(value) in (tuple, frozenset) and all(map(_is_fixed, value)))


def _text(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # of the user's own __repr__
        return f"a {type(value).__name__}"


def _same(before: Any, now: Any) -> bool:
    """True where it cannot be told."""
    if before is now:
        return True
    try:
        if isinstance(now, np.ndarray):
            return bool(before.dtype == now.dtype and before.shape == now.shape and before.tobytes() == now.tobytes())
        if getattr(type(now), "__eq__", None) is not object.__eq__:
            return bool(before == now)
        # An object that is equal to itself alone: its parts. A part that was not there, or None, may be remembered now.
        parts = [(part, vars(now).get(name)) for name, part in vars(before).items() if part is not None]
        return all(_same(*pair) for pair in parts)
    except Exception:
        # Nothing that can be compared: what `==` of the user's own raises, arrays within tuples, no parts.
        return True
