"""What constraints are grounded on: the slots of one input, and the labels by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.errors import UnknownNameError
from riata.inference.rules.rule import Flags


@dataclass(frozen=True)
class LabelNames:
    """The labels that slots can have, and what the names in constraints stand for."""

    labels: tuple[str, ...]
    # Names of several labels, such as chunk types: "PER" for the labels that begin a PER. They go before labels of the same name.
    groups: Mapping[str, Flags] = field(default_factory=dict, hash=False, compare=False)
    # Labels that say "nothing here"; None: there are none.
    outside: Flags | None = field(default=None, hash=False, compare=False)
    # Slots have one label of each column; the column of each label. None: there is one column.
    columns: NDArray[np.int32] | None = field(default=None, hash=False, compare=False)
    # Whether slots are the tokens of a tree and labels are relations: after its own relation, a slot has those of its children, which are
    # numbered after the others, and are the last column.
    tree: bool = False

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.labels)}

    def __len__(self) -> int:
        """How many labels there are, those of children counted apart."""
        return len(self.labels) * (2 if self.tree else 1)

    def flags(self, names: Iterable[str]) -> Flags:
        """The labels that these names stand for, as flags; UnknownNameError with the nearest name where one stands for none."""
        found = np.zeros(len(self), bool)
        for name in names:
            group = self.groups.get(name)
            if group is not None:
                found |= group
            elif name in self._numbers:
                found[self._numbers[name]] = True
            else:
                known = {*self.groups, *self.labels}
                raise UnknownNameError.of(
                    "label", name, known, remedy="A constraint names it; these are the labels of the task."
                )
        return found

    def shared(self, a: Flags, b: Flags) -> str | None:
        """The name of a label that is flagged in both; None: there is none."""
        both = np.flatnonzero(a & b)
        return self.labels[both[0]] if len(both) else None

    def inside(self) -> Flags:
        """The labels that do not say "nothing here"."""
        return np.ones(len(self), bool) if self.outside is None else ~self.outside

    def of_children(self, labels: Flags) -> Flags:
        """The same relations, as those of children."""
        return np.roll(labels, len(self.labels))

    def texts(self, output: NDArray[np.int32]) -> list[Any]:
        """The labels of an output by slot: a text, or None; a tuple of them if slots have several; in a tree, head and relation."""
        if self.tree:
            child, head = np.nonzero(output[:, 1:].T >= 0)
            heads = np.zeros(len(output), np.int32)
            heads[child] = head + 1
            return [
                (head, self.labels[label]) for head, label in zip(heads.tolist(), output[:, 0].tolist(), strict=True)
            ]
        if output.ndim == 1:
            return [self._text(label) for label in output.tolist()]
        return [tuple(map(self._text, slot)) for slot in output.tolist()]

    def _text(self, label: int) -> str | None:
        return self.labels[label] if label >= 0 else None

    @property
    def per_slot(self) -> int:
        """How many labels a slot has."""
        return 1 if self.columns is None else int(self.columns.max()) + 1


class ColumnsOfSlots(Mapping[str | int, Sequence[str]]):
    """The columns of one input among those of a corpus, whose texts are made when a constraint asks for them.

    known: the texts of all slots that were made so far, for all inputs. make: makes those of a column.
    """

    def __init__(
        self,
        names: Sequence[str | int],
        known: dict[str | int, Sequence[str]],
        make: Callable[[str | int], Sequence[str]],
        within: tuple[int, int],
    ) -> None:
        self._names, self._known, self._make, self._within = names, known, make, within

    def __getitem__(self, name: str | int) -> Sequence[str]:
        if name not in self._known:
            if name not in self._names:
                raise KeyError(name)
            self._known[name] = self._make(name)
        low, high = self._within
        return self._known[name][low:high]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str | int]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True)
class Slots:
    """The slots of one input."""

    count: int
    names: LabelNames
    spans: NDArray[np.int32] | None = (
        None  # [slot][2]: first token, and the one after the last; None: slots are no spans
    )
    columns: Mapping[str | int, Sequence[str]] | None = None  # values of slots by the name or number of a column

    def column(self, name: str | int) -> Sequence[str]:
        """The values of a column, one per slot."""
        known = {} if self.columns is None else self.columns
        if name not in known:
            raise UnknownNameError.of(
                "column", name, map(str, known), remedy="A constraint reads it; these are the columns of slots."
            )
        return known[name]
