"""The steps of a search as plain data: nodes, queue, where the truth was lost, and the update that followed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from riata.explaining.paged import Paged

# What JSON can express directly (a float may be an int); other values are given as their repr.
Plain = str | float | bool | None
# One per token; or several parts, such as a tag and a chunk label.
Labels = tuple[Plain, ...] | tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Feature:
    """A feature of a step, or of a difference of paths. `value * weight` is its push."""

    name: str
    label: Plain  # the label, pair of labels or action that the weight belongs to; None: the name alone
    value: float
    weight: float

    @property
    def push(self) -> float:
        return self.value * self.weight


@dataclass(frozen=True)
class Node:
    """A state on a path. Its number is its place in `Trace.nodes`; the first is the initial one."""

    parent: int | None
    action: Plain  # the action that led here: a label, or an operator of the problem
    depth: int  # number of operations so far
    score: float  # g when the node was created; after a restart it counts from there
    heuristic: float  # h
    regret: float | None  # the least loss that any completion can reach
    good: bool | None  # y-good: the truth can still be reached; None: the truth is unknown
    goal: bool
    features: tuple[Feature, ...] | None = None  # of the step that led here, if they were asked for
    state: str | None = None  # the state in words, if the problem describes it


@dataclass(frozen=True)
class Cut:
    """A step that was scored but did not become a node: too low for the queue or, if merged, beaten by a path to a state of equal key."""

    parent: int
    action: Plain
    score: float
    heuristic: float
    regret: float | None
    good: bool | None
    merged: bool


@dataclass(frozen=True)
class Update:
    """The update that training would make: towards the mean of the siblings, away from the competitors.

    If nothing in the queue outranks the truth, there are no competitors, and nothing is changed.
    """

    siblings: tuple[int, ...]
    competitors: tuple[tuple[int, float], ...]  # nodes, with weights that sum to 1
    # Features of the siblings - features of the competitors, with their present weights.
    difference: tuple[Feature, ...]


@dataclass(frozen=True)
class Step:
    """The front is taken from the queue, judged, and expanded."""

    front: tuple[int, ...]  # best first
    margin: float  # subtracted from the rank of y-good nodes (ALMA)
    lost: bool | None  # whether no y-good node is left, neither here nor in the queue
    # If it has just been lost: "pruned", "merged" (into a better path to an equal state) or "dead end".
    lost_by: str | None
    wrong: bool | None  # whether the front is a goal and not y-good
    update: Update | None
    restart: tuple[tuple[int, float], ...]  # the siblings that became the new queue, with the scores they start from
    enqueued: tuple[int, ...]  # new nodes, and goals that wait for the rest of their level
    cut: tuple[Cut, ...]  # candidates that never became nodes
    pruned: tuple[int, ...]  # nodes that the queue dropped before the next front was taken


@dataclass(frozen=True)
class Taken:
    """A step of the truth's own path."""

    action: Plain
    score: float  # g after it, counted from the start
    features: tuple[Feature, ...] | None = None  # of the step, if they were asked for


@dataclass(frozen=True)
class Forbidden:
    """A step that constraints forbid: it never became a candidate."""

    parent: int
    action: Plain
    score: float  # g after it
    heuristic: float
    constraint: str  # one that forbids it, as text that can be read back


@dataclass(frozen=True)
class Trace(Paged):
    """One search. Without a truth, it is the search of `predict`; with a truth, that of training, but no weight is changed.

    `followed` contains the training settings (recipe, when, update, step) and, under `training`, whether the search does everything
    that it does in training. If not, it continues as in decoding, and shows the first update that would be made. `followed` is None if
    the truth is unknown, or if nothing is trained in this way; the search then continues as in decoding whatever is lost. `output` is
    None if the search ended without a goal. `true_path` is the best path to the truth, whatever the queue kept of it; None: the truth
    is unknown, or no path leads to it. `outputs` are those of all goals in the last front, best first, each with its node. With
    constraints, the search is the one under them.

    str() shows it, to_dict() is ready for JSON and from_dict() is its inverse.

    >>> tagger = riata.Tagger("laso-perceptron", beam=2, epochs=1).fit([["a", "b"]], [["X", "Y"]])
    >>> trace = tagger.trace(["a", "b"])
    >>> trace.output
    ('X', 'Y')
    >>> len(trace.steps)
    3
    """

    input: tuple[Plain, ...]
    truth: Labels | None
    queue: str
    beam: int | None  # None: no limit
    beam_by: str | None
    followed: Mapping[str, Any] | None
    nodes: tuple[Node, ...]
    steps: tuple[Step, ...]
    goal: int | None  # the node that was returned
    output: Labels | None
    learnt_as: str | None = None  # the encoding of chunk labels in the trace, if it is not that of the data
    true_path: tuple[Taken, ...] | None = None
    outputs: tuple[tuple[int, Labels], ...] = ()
    first: Labels | None = None  # if this is the second of two passes, the labels of the first
    merge: bool = True  # whether only the best of the states with the same continuations was kept
    forbidden: tuple[Forbidden, ...] | None = None  # by constraints; None: the search does not look at any
    predicted: Labels | None = (
        None  # what predict gives, where the search restarted from the truth or stopped at an update
    )
    left_out: str | None = None  # what the search had too much of to be recorded (see `riata.explaining.bounds`)

    @property
    def restarted(self) -> bool:
        """Whether the search did not go on as in prediction: it restarted from the truth, or stopped at an update."""
        stopped = bool(self.steps) and self.goal is None and self.steps[-1].update is not None
        return stopped or any(step.restart for step in self.steps)

    def save_svg(self, path: str | Path, *, title: str | None = None) -> None:
        """Writes the search as a picture, SVG: a column per step, with the states of the front and where the truth was lost."""
        from riata.explaining.page import save
        from riata.explaining.picture import picture

        save(picture(self, title), path, "the picture")

    def path(self, node: int) -> tuple[Plain, ...]:
        """The actions from the start to a node."""
        actions: list[Plain] = []
        at = self.nodes[node]
        while at.parent is not None:
            actions.append(at.action)
            at = self.nodes[at.parent]
        return tuple(reversed(actions))

    def is_whole(self, node: int) -> bool:
        """Whether the features of all steps to a node were recorded."""
        at = self.nodes[node]
        while at.parent is not None and at.features is not None:
            at = self.nodes[at.parent]
        return at.parent is None

    def score(self, step: int, node: int) -> float:
        """g of a node at a step: its first score or, if the search has restarted from it, the score at the restart."""
        at, score = self._restarts.get(node, (len(self.steps), 0.0))
        return score if at < step else self.nodes[node].score

    def rank(self, step: int, node: int) -> float:
        """By what the queue ordered a node at a step: g + h, minus the margin if it is y-good."""
        at = self.nodes[node]
        return self.score(step, node) + at.heuristic - (self.steps[step].margin if at.good else 0.0)

    def waiting(self, step: int) -> tuple[int, ...]:
        """The nodes in the queue when the front of a step has been taken from it, oldest first."""
        held: set[int] = set()
        for s in self.steps[:step]:
            held -= {*s.front}
            held = {node for node, _ in s.restart} if s.restart else held | {*s.enqueued}
            held -= {*s.pruned}
        return tuple(sorted(held - {*self.steps[step].front}))

    @property
    def losses(self) -> tuple[int, ...]:
        """The steps at which the truth was found to be lost."""
        return tuple(i for i, step in enumerate(self.steps) if step.lost_by is not None)

    def to_dict(self) -> dict[str, Any]:
        """Lists, dictionaries, texts, numbers and None: what JSON can hold."""
        plain: dict[str, Any] = as_json(self)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trace:
        """The inverse of to_dict, also by way of JSON."""
        rows = ("input", "truth", "output", "predicted")
        head = {name: None if data.get(name) is None else tuple(map(_label, data[name])) for name in rows}
        made: dict[str, Any] = {"nodes": tuple(map(_node, data["nodes"])), "steps": tuple(map(_step, data["steps"]))}
        path = data.get("true_path")
        made["true_path"] = None if path is None else tuple(map(_taken, path))
        first = data.get("first")
        made["first"] = None if first is None else tuple(map(_label, first))
        forbidden = data.get("forbidden")
        made["forbidden"] = None if forbidden is None else tuple(Forbidden(**one) for one in forbidden)
        made["outputs"] = tuple((node, tuple(map(_label, labels))) for node, labels in data.get("outputs", ()))
        return cls(**{**data, **head, **made})

    def __str__(self) -> str:
        from riata.explaining.trace_text import in_words

        return in_words(self)

    @cached_property
    def _restarts(self) -> dict[int, tuple[int, float]]:
        """The last restart of every node that became part of a new queue: step and score."""
        return {node: (i, score) for i, step in enumerate(self.steps) for node, score in step.restart}


def plain(value: Any) -> Plain:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value if value is None or isinstance(value, (str, int, float)) else repr(value)


def plain_row(value: Any) -> tuple[Plain, ...]:
    """A list element by element; anything else as one element."""
    return tuple(map(plain, value)) if isinstance(value, (list, tuple)) else (plain(value),)


def as_json(value: Any) -> Any:
    """The parts of a value made of data classes and tuples that JSON can express."""
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [as_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return dict(value) if isinstance(value, Mapping) else value


def _label(value: Any) -> Any:
    """Turns lists of JSON back into pairs."""
    return tuple(value) if isinstance(value, list) else value


def _node(data: Mapping[str, Any]) -> Node:
    return Node(**{**data, "features": _said(data)})


def _taken(data: Mapping[str, Any]) -> Taken:
    return Taken(**{**data, "features": _said(data)})


def _said(data: Mapping[str, Any]) -> tuple[Feature, ...] | None:
    return None if data["features"] is None else _features(data["features"])


def _step(data: Mapping[str, Any]) -> Step:
    update = data["update"]
    rows = {name: tuple(data[name]) for name in ("front", "enqueued", "pruned")}
    return Step(
        **{
            **data,
            **rows,
            "update": None if update is None else _update(update),
            "restart": _pairs(data["restart"]),
            "cut": tuple(Cut(**cut) for cut in data["cut"]),
        }
    )


def _update(data: Mapping[str, Any]) -> Update:
    return Update(tuple(data["siblings"]), _pairs(data["competitors"]), _features(data["difference"]))


def _pairs(rows: Any) -> tuple[tuple[int, float], ...]:
    return tuple((node, number) for node, number in rows)


def _features(rows: Any) -> tuple[Feature, ...]:
    return tuple(Feature(**row) for row in rows)
