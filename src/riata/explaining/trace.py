"""What a search did, step by step, as plain data: nodes, queue, where the truth was lost, and the update that followed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from riata.explaining.paged import Paged

Plain = str | float | bool | None  # what JSON holds as it is (a float may be an int); other values stand as their repr
Labels = tuple[Plain, ...] | tuple[tuple[str, str], ...]  # one per token; or pairs, a tag and a chunk label


@dataclass(frozen=True)
class Feature:
    """A feature of a step, or of a difference of paths. `value * weight` is how far it pushes."""

    name: str
    label: Plain  # the label, pair of labels or action that the weight belongs to; None: to the name alone
    value: float
    weight: float

    @property
    def push(self) -> float:
        return self.value * self.weight


@dataclass(frozen=True)
class Node:
    """A state on a path. Its number is its place in `Trace.nodes`; the first is the initial one."""

    parent: int | None
    action: Plain  # that led here: a label, or an operator of the problem
    depth: int  # operations so far
    score: float  # g, as it was when the node was made; after a restart it is counted from there
    heuristic: float  # h
    regret: float | None  # the least loss that any completion can reach
    good: bool | None  # y-good: the truth can still be reached; None: the truth is not known
    goal: bool
    features: tuple[Feature, ...] | None = None  # of the step that led here, where they were asked for
    state: str | None = None  # the state in words, where the problem describes it


@dataclass(frozen=True)
class Cut:
    """A step that was scored and became no node: too low for the queue or, if merged, beaten by a path to a state of equal key."""

    parent: int
    action: Plain
    score: float
    heuristic: float
    regret: float | None
    good: bool | None
    merged: bool


@dataclass(frozen=True)
class Update:
    """What training would do here: towards the mean of the siblings, away from the competitors.

    There is no competitor where nothing in the queue outranks the truth: then nothing is changed.
    """

    siblings: tuple[int, ...]
    competitors: tuple[tuple[int, float], ...]  # nodes, with weights that sum to 1
    difference: tuple[
        Feature, ...
    ]  # features of the siblings - features of the competitors, with their present weights


@dataclass(frozen=True)
class Step:
    """The front is taken from the queue, judged, and expanded."""

    front: tuple[int, ...]  # best first
    margin: float  # taken off the rank of y-good nodes (ALMA)
    lost: bool | None  # no y-good node is left, neither here nor in the queue
    lost_by: (
        str | None
    )  # where it has just been lost: "pruned", "merged" (into a better path to an equal state) or "dead end"
    wrong: bool | None  # the front is a goal, and not y-good
    update: Update | None
    restart: tuple[
        tuple[int, float], ...
    ]  # the siblings that the queue was made of anew, with the scores they start from
    enqueued: tuple[int, ...]  # new nodes, and goals that wait for the others of their level
    cut: tuple[Cut, ...]  # candidates that never became nodes
    pruned: tuple[int, ...]  # nodes that the queue dropped before the next front was taken


@dataclass(frozen=True)
class Taken:
    """A step of the truth's own path."""

    action: Plain
    score: float  # g after it, counted from the start
    features: tuple[Feature, ...] | None = None  # of the step, where they were asked for


@dataclass(frozen=True)
class Trace(Paged):
    """One search. Without a truth it is the one that `predict` makes; with one, that of training, but no weight is changed.

    `followed` is what training is set to (recipe, when, update, step), and under `training` whether the search does all that it does in
    training; if not, it goes on as in decoding, and shows the first update that would be made. None: the truth is not known,
    or nothing is trained in this way, and the search goes on as in decoding whatever is lost. `output` is None where the search ended
    without a goal. `true_path` is the best one that leads to the truth, whatever the queue kept of it; None: the truth is not known,
    or no path leads to it. `outputs` are those of all goals in the last front, best first, each with its node.

    str() shows it, to_dict() is ready for JSON and from_dict() its inverse.
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
    learnt_as: str | None = None  # the encoding of chunk labels in the trace, where it is not that of the data
    true_path: tuple[Taken, ...] | None = None
    outputs: tuple[tuple[int, Labels], ...] = ()
    first: Labels | None = None  # of two passes, of which this is the second, what the first one gave

    def path(self, node: int) -> tuple[Plain, ...]:
        """The actions from the start to a node."""
        actions: list[Plain] = []
        at = self.nodes[node]
        while at.parent is not None:
            actions.append(at.action)
            at = self.nodes[at.parent]
        return tuple(reversed(actions))

    def score(self, step: int, node: int) -> float:
        """g of a node at a step: what it was made with or, where the search has restarted from it, what it started from."""
        at, score = self._restarts.get(node, (len(self.steps), 0.0))
        return score if at < step else self.nodes[node].score

    def rank(self, step: int, node: int) -> float:
        """What the queue ordered a node by at a step: g + h, less the margin if it is y-good."""
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
        rows = ("input", "truth", "output")
        head = {name: None if data[name] is None else tuple(map(_label, data[name])) for name in rows}
        made: dict[str, Any] = {"nodes": tuple(map(_node, data["nodes"])), "steps": tuple(map(_step, data["steps"]))}
        path = data.get("true_path")
        made["true_path"] = None if path is None else tuple(map(_taken, path))
        first = data.get("first")
        made["first"] = None if first is None else tuple(map(_label, first))
        made["outputs"] = tuple((node, tuple(map(_label, labels))) for node, labels in data.get("outputs", ()))
        return cls(**{**data, **head, **made})

    def __str__(self) -> str:
        from riata.explaining.trace_text import in_words

        return in_words(self)

    @cached_property
    def _restarts(self) -> dict[int, tuple[int, float]]:
        """The last restart of every node that the queue was made of anew: step and score."""
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
    """What JSON can hold of a value made of data classes and tuples."""
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [as_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return dict(value) if isinstance(value, Mapping) else value


def _label(value: Any) -> Any:
    """JSON has lists for pairs."""
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
