"""Sums of the features along paths, and how much each counts for one output and against another."""

from __future__ import annotations

import math
from collections.abc import Iterable

from riata.explaining.explanation import Decision, Side
from riata.explaining.trace import Feature, Labels, Plain, Trace

Step = tuple[Plain, tuple[Feature, ...]]  # an action, and the features of the step
Key = tuple[str, Plain, float]  # a weight; features with equal names and weights need not be distinguished


class Path:
    """An output and the steps that lead to it."""

    def __init__(self, name: str, labels: Labels, steps: Iterable[tuple[Plain, tuple[Feature, ...] | None]]) -> None:
        self.name, self.labels = name, labels
        self.steps: list[Step] = [(action, features or ()) for action, features in steps]

    @property
    def side(self) -> Side:
        score = math.fsum(feature.push for _, features in self.steps for feature in features)
        return Side(self.name, self.labels, tuple(action for action, _ in self.steps), score)

    def values(self) -> dict[Key, float]:
        """How many times, or with what value, each feature occurs."""
        found: dict[Key, float] = {}
        for _, features in self.steps:
            for feature in features:
                key = (feature.name, feature.label, feature.weight)
                found[key] = found.get(key, 0.0) + feature.value
        return found


def path_to(trace: Trace, node: int, labels: Labels, name: str) -> Path:
    """The path to a node of a trace that has features."""
    steps = []
    at = trace.nodes[node]
    while at.parent is not None:
        steps.append((at.action, at.features))
        at = trace.nodes[at.parent]
    return Path(name, labels, reversed(steps))


def true_path(trace: Trace, labels: Labels, name: str) -> Path | None:
    """The path to the truth in a trace that has features; None if no path leads to it."""
    if trace.true_path is None:
        return None
    return Path(name, labels, ((taken.action, taken.features) for taken in trace.true_path))


def decision(chosen: Path, other: Path | None) -> Decision:
    """The features for and against the chosen output, the strongest first. Features without weight are left out."""
    values = chosen.values()
    for key, value in (other.values() if other is not None else {}).items():
        values[key] = values.get(key, 0.0) - value
    features = [Feature(name, label, value, weight) for (name, label, weight), value in values.items()]
    pushing = sorted((f for f in features if f.push), key=lambda f: (-abs(f.push), f.name, str(f.label)))
    return Decision(chosen.side, None if other is None else other.side, tuple(pushing))
