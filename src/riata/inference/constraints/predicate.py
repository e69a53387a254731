"""A function of the user's own says whether a finished output is legal."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from riata.errors import SettingError, printed
from riata.inference.constraints.base import Constraint
from riata.inference.rules.rule import Ids, Predicate
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots
from riata.registry import qualified_name


class predicate(Constraint):
    """A function of finished outputs: true if one is legal.

    It gets the labels of slots as a list, and, if it needs a second argument or has one called `slots`, the Slots. It returns True or
    False. Slots without a label have None, slots with several labels a tuple of them. `repr` and model files have the function's name, as
    module.name; a text that is read back has no function, and must be given one (`supplied`).

    >>> def starts_well(labels):
    ...     return labels[0] != "I-NP"
    ...
    >>> rule = riata.constraints.predicate(starts_well)
    >>> rule.function(["B-NP", "I-NP"])
    True
    """

    name = "predicate"
    summary = "a function of yours says whether a finished output is legal"

    def __init__(self, function: Callable[..., Any] | str, *, penalty: float | None = None) -> None:
        super().__init__(penalty=penalty)
        if not callable(function) and not (isinstance(function, str) and function):
            raise self.refused(
                printed(function), "a function of a finished output, or the name of one that is supplied later"
            )
        self.function = None if isinstance(function, str) else function
        self.function_name = function if isinstance(function, str) else qualified_name(function)
        self._with_slots = False
        if self.function is not None:
            needed, self._with_slots = _arguments(self.function)
            if needed > 2:
                raise self.refused(
                    f"{self.function_name}, which needs {needed} arguments",
                    "a function of labels, or of labels and slots",
                )

    @property
    def is_shared(self) -> bool:
        return False

    def supplied(self, using: Iterable[Any]) -> predicate:
        """With its function, found by name among those given; itself if it has one or none fits."""
        if self.function is None:
            for function in using:
                if callable(function) and qualified_name(function) == self.function_name:
                    return predicate(function, penalty=self.penalty)
        return self

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        if self.function is None:
            raise SettingError(
                f"The function {self.function_name} of a constraint is not there.",
                remedy="Supply it: load_model(path, using=[function]), or declare predicate(function).",
            )
        function, names = self.function, slots.names
        more = (slots,) if self._with_slots else ()

        def is_legal(output: Ids) -> bool:
            answer = function(names.texts(output), *more)
            if not isinstance(answer, (bool, np.bool_)):
                raise SettingError(
                    f"The function {self.function_name} of a constraint returned {printed(answer):.200}; expected True or False.",
                    remedy="Its `return` may be missing." if answer is None else "Say bool(...) where you return.",
                )
            return bool(answer)

        return [Predicate(is_legal, self.cost, origin)]

    def said(self) -> str:
        return f"the function {self.function_name} accepts the output"

    def named(self) -> list[str]:
        return []

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [self.function_name], {}


def _arguments(function: Callable[..., Any]) -> tuple[int, bool]:
    """How many arguments a function needs, and whether it gets the slots. A second one with a value of its own is the user's own."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return 1, False
    by_place = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = sum(
        one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters
    )
    takes_more = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    return needed, needed == 2 or takes_more or (len(by_place) > 1 and by_place[1].name == "slots")


CONSTRAINT = predicate
