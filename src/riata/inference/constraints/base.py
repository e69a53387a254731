"""What all constraints have: a condition on slots, a penalty, and a text that can be read back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from riata.errors import SettingError, UnsupportedError, printed
from riata.inference.rules.rule import HARD, Flags, Ids, Parts
from riata.inference.rules.rules import Grounded
from riata.inference.rules.slots import Slots

Where = Mapping[str | int, Any]  # by column the value, or the values, that a slot must have there
Labels = str | Iterable[str]  # a label, or several
HEAD = "head"  # the value of per


class Constraint:
    """A rule that a user declares. `repr` gives a text that `riata.constraints.parse` reads.

    penalty: what breaking it takes off the score, once per rule that it becomes on an input; None: it must not be broken.
    where: only slots count whose columns have these values, such as {"pos": ["VB", "VBD"]}; None: all slots count.
    per: "head", if it is asked of the children of every token of a tree by themselves; where is then about the head.
    """

    name: ClassVar[str]  # its file's, with - for _
    summary: ClassVar[str]
    paper: ClassVar[str] = ""

    def __init__(self, *, where: Where | None = None, per: str | None = None, penalty: float | None = None) -> None:
        self.where = _checked_where(where, self.word)
        if per not in (None, HEAD):
            raise self.refused(f"per={printed(per)}", f"{HEAD!r}, in trees, or None")
        self.per = per
        self.penalty = _checked_penalty(penalty, self.word)

    @property
    def word(self) -> str:
        """How it is called."""
        return self.name.replace("-", "_")

    @property
    def is_shared(self) -> bool:
        """Whether it becomes the same rules on every input."""
        return self.where is None and self.per is None

    def ground(self, slots: Slots, origin: int = 0) -> list[Grounded]:
        """The rules that it becomes on an input. origin: its number among the declared constraints."""
        raise NotImplementedError

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """What it was called with: by place, and by name. Values that are the default are left out."""
        raise NotImplementedError

    def named(self) -> list[str]:
        """The labels that it names."""
        raise NotImplementedError

    def said(self) -> str:
        """What it asks for, in words, without its condition and penalty."""
        return self.summary

    def in_words(self) -> str:
        """What it asks for, in words."""
        conditions = [
            f"{column_in_words(column)} is {either(_listed(values))}" for column, values in (self.where or {}).items()
        ]
        said = self.said() if self.per is None else f"{self.said()} per {self.per}"
        return said if not conditions else f"{said}, where {' and '.join(conditions)}"

    def __repr__(self) -> str:
        by_place, by_name = self.arguments()
        by_name = {**by_name, "where": self.where, "per": self.per, "penalty": self.penalty}
        named = [f"{name}={value!r}" for name, value in by_name.items() if value is not None and value is not False]
        return f"{self.word}({', '.join([*map(repr, by_place), *named])})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constraint) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    # What grounding needs.

    @property
    def cost(self) -> float:
        """The penalty of its rules."""
        return HARD if self.penalty is None else self.penalty

    def parts(self, labels: Flags, slots: Slots) -> Parts:
        """The parts with these labels in the slots that count."""
        return Parts(labels, self.slots_that_count(slots))

    def groups(self, slots: Slots) -> list[Callable[[Flags], Parts]]:
        """What makes the parts with some labels, for every group of parts of which it is asked: all parts, or the children of a head."""
        if self.per is None:
            return [lambda labels: self.parts(labels, slots)]
        names = slots.names
        if not names.tree:
            raise UnsupportedError(
                f"{self!r} is about heads, and outputs of this task are no trees.", remedy=f"Leave out per={HEAD!r}."
            )
        heads = self.slots_that_count(slots)
        return [
            lambda labels, head=head: Parts(names.of_children(labels), np.array([head], np.int32))  # type: ignore[misc]
            for head in (range(slots.count) if heads is None else heads.tolist())
        ]

    def slots_that_count(self, slots: Slots) -> Ids | None:
        """None: all."""
        if self.where is None:
            return None
        kept = np.ones(slots.count, bool)
        for column, values in self.where.items():
            wanted = set(_listed(values))
            kept &= np.fromiter((str(value) in wanted for value in slots.column(column)), bool, slots.count)
        return np.flatnonzero(kept).astype(np.int32)

    def refused(self, found: str, expected: str) -> SettingError:
        """An error about what it was called with."""
        return wrong(self.word, found, expected)


def wrong(word: str, found: str, expected: str) -> SettingError:
    return SettingError(
        f"The constraint {word} has {found}; expected {expected}.", remedy="docs/constraints.md tells more."
    )


def check_single(constraint: Constraint, slots: Slots) -> None:
    """Refuses slots with several labels, for constraints that read one label per slot."""
    if slots.names.per_slot > 1:
        raise UnsupportedError(f"{constraint.word}(...) reads one label per slot, and slots of this task have several.")


def needed_spans(constraint: Constraint, slots: Slots) -> Any:
    """The spans of slots; refused where slots are no spans."""
    if slots.spans is None:
        raise UnsupportedError(
            f"{constraint!r} needs slots that are spans, and those of this task are not.",
            remedy="Outputs of this task cannot overlap: leave the constraint out.",
        )
    return slots.spans


def label_names(given: Any, word: str) -> tuple[str, ...]:
    """One label or several, checked."""
    names = (
        (given,)
        if isinstance(given, str)
        else tuple(given)
        if isinstance(given, (list, tuple, set, frozenset))
        else None
    )
    if isinstance(given, (set, frozenset)):
        names = tuple(sorted(map(str, given)))
    if names is None or not all(isinstance(name, str) for name in names):
        raise wrong(word, f"{printed(given)} for labels", "the name of a label, or a list of names")
    if not names or "" in names:
        raise wrong(word, "no label" if not names else "a label without a name", "at least one label")
    return tuple(dict.fromkeys(names))


def several_labels(given: tuple[Any, ...], word: str) -> tuple[str, ...]:
    """Labels that are given one after the other, or as one list."""
    return label_names(given[0] if len(given) == 1 else given, word)


def shown(labels: tuple[str, ...]) -> Any:
    """Labels as `repr` writes them: a single one without its list."""
    return labels[0] if len(labels) == 1 else list(labels)


def column_in_words(column: str | int) -> str:
    return column if isinstance(column, str) else f"column {column}"


def either(labels: Iterable[str]) -> str:
    """Labels of which one is meant, in words."""
    return " or ".join(labels)


def whole_number(given: Any, word: str, low: int = 0) -> int:
    if isinstance(given, bool) or not isinstance(given, Integral) or int(given) < low or int(given) > 10**6:
        raise wrong(word, f"the number {printed(given)}", f"a whole number from {low} to 1,000,000")
    return int(given)


def column_name(given: Any, word: str) -> str | int:
    if isinstance(given, bool) or not isinstance(given, (str, int)):
        raise wrong(word, f"{printed(given)} for a column", "its name or its number")
    return given


def _listed(values: Any) -> list[str]:
    return [values] if isinstance(values, str) else list(values)


def _checked_penalty(penalty: Any, word: str) -> float | None:
    if penalty is None:
        return None
    if isinstance(penalty, bool) or not isinstance(penalty, Real) or not 0 < float(penalty) < 1e12:
        remark = " (None: it must not be broken)" if isinstance(penalty, Real) and math.isinf(float(penalty)) else ""
        raise wrong(word, f"the penalty {printed(penalty)}", f"a number above 0 and below 1e12{remark}")
    return float(penalty)


def _checked_where(where: Any, word: str) -> dict[str | int, Any] | None:
    if where is None:
        return None
    if not isinstance(where, Mapping) or not where:
        raise wrong(
            word, f"where={printed(where)}", 'columns with values, such as {"pos": "VB"} or {"pos": ["VB", "VBD"]}'
        )
    found: dict[str | int, Any] = {}
    for column, values in where.items():
        listed = [values] if isinstance(values, str) else values
        if not isinstance(listed, (list, tuple)) or not listed or not all(isinstance(value, str) for value in listed):
            raise wrong(word, f"where={printed(where)}", "a text, or a list of texts, for every column")
        found[column_name(column, word)] = values if isinstance(values, str) else list(listed)
    return found
