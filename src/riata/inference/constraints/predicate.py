"""A function of the user's own says whether a finished output is legal."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from riata.errors import SettingError, printed
from riata.inference.constraints.base import Constraint
from riata.inference.rules.rule import Ids, Predicate
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots
from riata.registry import qualified_name


class predicate(Constraint):
    """A function of finished outputs: true if one is legal.

    It gets the labels of slots as a list, and, if it takes two arguments, the Slots. Slots without a label have None, slots with several
    labels a tuple of them, tokens of a tree (head, relation). `repr` and model files have the function's name, as module.name; a text
    that is read back has no function, and must be given one (`supplied`).

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
        self._with_slots = self.function is not None and _takes_two(self.function)

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
            return bool(function(names.texts(output), *more))

        return [Predicate(is_legal, self.cost, origin)]

    def said(self) -> str:
        return f"the function {self.function_name} accepts the output"

    def named(self) -> list[str]:
        return []

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        return [self.function_name], {}


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except (TypeError, ValueError):
        return False
    return True


CONSTRAINT = predicate
