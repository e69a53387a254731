"""What counts as wrong: losses of learners with a margin, and what decoding makes least."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata.errors import DataError, SettingError, UnsupportedError, printed
from riata.inference.structure import (
    ALL_OUTPUTS,
    BEAM,
    BEST,
    CHUNK_LABELS,
    MARGINALS,
    POSTERIORS,
    SIDE_BY_SIDE,
    SPANS,
    STATES,
    Risk,
)
from riata.settings import ANY, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping


AUTO, COST_MATRIX = "auto", "cost-matrix"
LOSS, COSTS = "loss", "costs"
LARGEST = 1e6  # cost of a label
BY_SUMS = ("exponentiated-gradient", "extragradient")  # solvers of m3n that add up over all outputs
WHOLE = "whole output"  # over which losses add up that do not look at labels one by one


@dataclass(frozen=True)
class LossSetting(Setting):
    """A loss by name. unable: losses that the learner cannot take, with the reason."""

    unable: Mapping[str, str] = field(default_factory=dict, hash=False)

    def parse(self, value: Any) -> bool | int | float | str:
        if isinstance(value, str) and value in self.unable:
            raise UnsupportedError(
                f"setting {self.name!r} has the value {value!r}, which this recipe cannot learn with: {self.unable[value]}.",
                remedy=f"Use one of {', '.join(self.choices)}; mira takes {value}.",
            )
        return super().parse(value)


@dataclass(frozen=True)
class CostsSetting(Setting):
    """Costs of labels: a dictionary of dictionaries, a square array, or either as JSON. The parsed value is JSON."""

    def parse(self, value: Any) -> str:
        if isinstance(value, str):
            if not value.strip():
                return ""
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                raise self._refused(value, self.expected()) from None
        if isinstance(value, Mapping):
            return json.dumps(self._by_name(value), sort_keys=True, ensure_ascii=False)
        return json.dumps(self._square(value))

    def expected(self) -> str:
        return "costs by true label and by predicted label, as a dictionary of dictionaries or a square array"

    def _by_name(self, value: Mapping[Any, Any]) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        for true, row in value.items():
            if (
                not isinstance(true, str)
                or not isinstance(row, Mapping)
                or not all(isinstance(key, str) for key in row)
            ):
                raise self._refused(value, self.expected())
            found[true] = {label: self._cost(cost, f"{label} where the truth is {true}") for label, cost in row.items()}
            if found[true].get(true, 0.0) != 0:
                raise SettingError(f"setting {self.name!r} has a cost for {true!r} where it is right; expected 0.")
        return found

    def _square(self, value: Any) -> list[list[float]]:
        try:
            rows = [list(row) for row in value]
        except TypeError:
            raise self._refused(value, self.expected()) from None
        if not rows or any(len(row) != len(rows) for row in rows):
            widths = sorted({len(row) for row in rows})
            raise SettingError(
                f"setting {self.name!r} has {len(rows)} rows of {' or '.join(map(str, widths)) or 'no'} costs; expected a square array.",
                remedy="It has a row per true label and a column per predicted label, both in alphabetical order.",
            )
        found = [[self._cost(cost, f"row {i}, column {j}") for j, cost in enumerate(row)] for i, row in enumerate(rows)]
        if any(found[i][i] != 0 for i in range(len(found))):
            raise SettingError(f"setting {self.name!r} has costs on its diagonal, where labels are right; expected 0.")
        if len(found) > 1 and not any(map(any, found)):
            raise SettingError(
                f"setting {self.name!r} is 0 everywhere, so that there is nothing to learn; expected a cost above 0."
            )
        return found

    def _cost(self, value: Any, where: str) -> float:
        try:
            cost = float(value)
        except (TypeError, ValueError):
            cost = np.nan
        if isinstance(value, (str, bytes)) or not 0 <= cost <= LARGEST:
            given = value.item() if isinstance(value, np.generic) else value
            raise SettingError(
                f"setting {self.name!r} has the cost {printed(given)} ({where}); expected a number from 0 to {LARGEST:g}."
            )
        return cost


def loss_settings(*, searched: bool) -> tuple[Setting, ...]:
    """The settings `costs` and `loss`. searched: whether the learner needs the best output by score and loss together."""
    losses = registry.all_of("loss")
    unable = {
        name: "it does not add up over the parts of an output, so there is no exact search for the best sum of score and loss"
        for name, loss in losses.items()
        if searched and not loss.searched
    }
    able = {name: loss for name, loss in losses.items() if name not in unable}
    return (
        CostsSetting(
            COSTS,
            "",
            "what labels cost, by true label and predicted label; pairs that are left out cost 1",
            needs={ANY: losses[COST_MATRIX].needs},
            only={LOSS: (COST_MATRIX,)},
        ),
        LossSetting(
            LOSS,
            AUTO,
            "what is counted as wrong; auto: wrong labels on a chain, wrong and missed segments on segments",
            choices=(AUTO, *able),
            needs={name: loss.needs for name, loss in able.items()},
            unable=unable,
        ),
    )


def check_loss(settings: Mapping[str, Any], *, weighs_classes: bool) -> None:
    """Refuses a cost matrix without costs, and weights of labels or sums over outputs beside a loss of whole outputs."""
    loss = settings.get(LOSS)
    of_whole = loss in registry.names("loss") and registry.get("loss", loss).adds_up_over == WHOLE
    if loss == COST_MATRIX and not settings[COSTS]:
        raise SettingError(
            f"setting {LOSS!r} has the value {loss!r}, but {COSTS} is empty.",
            remedy=f"Set {COSTS}={{TRUE LABEL: {{PREDICTED LABEL: COST}}}}, or leave out {LOSS}.",
        )
    if of_whole and settings.get("solver") in BY_SUMS:
        raise UnsupportedError(
            f"setting 'solver' has the value {settings['solver']!r}, which needs a loss that adds up over parts; {loss!r} does not.",
            remedy=f"Use solver=frank-wolfe, or leave out {LOSS}.",
        )
    if weighs_classes and of_whole:
        raise UnsupportedError(
            f"class_weight is set, but setting {LOSS!r} has the value {loss!r}, which counts whole outputs, not labels.",
            remedy=f"Leave out class_weight, or {LOSS}; sample_weight weighs sentences.",
        )


def costs_of(settings: Mapping[str, Any], labels: Sequence[str]) -> NDArray[np.float64]:
    """[labels][labels] the costs by true label, in the order of the labels."""
    given: Any = json.loads(settings[COSTS])
    order = np.argsort(np.argsort(labels))  # alphabetical
    if isinstance(given, list):
        square = np.array(given, np.float64)
        if len(square) != len(labels):
            raise DataError(
                f"setting {COSTS!r} has {len(square)} rows and columns, but the data have {len(labels)} labels.",
                remedy=f"Give a row and a column for each of them, in alphabetical order: {', '.join(sorted(labels)[:12])}.",
            )
        return np.ascontiguousarray(square[np.ix_(order, order)])
    found = 1.0 - np.eye(len(labels))
    number = {label: i for i, label in enumerate(labels)}
    for true, row in given.items():
        for label, cost in row.items():
            for name in (true, label):
                if name not in number:
                    raise DataError(
                        f"setting {COSTS!r} names the label {name!r}, which the data do not have.",
                        remedy=f"Their labels are {', '.join(sorted(labels)[:12])}.",
                    )
            found[number[true], number[label]] = cost
    return found


def for_core(settings: Mapping[str, Any], labels: Sequence[str]) -> Mapping[str, Any]:
    """The settings with costs as the core reads them: a list of numbers."""
    if settings.get(LOSS) != COST_MATRIX:
        return settings
    return {**settings, COSTS: costs_of(settings, labels).ravel().tolist()}


LATTICE = "lattice"  # the update that needs sums over all outputs

# Settings of searches by states that may be changed after training.
DECODING = (
    Setting(
        "beam_by",
        "operations",
        "which states compete in a beam",
        choices=("operations", "prefix", "pending"),
        needs={ANY: (BEAM,)},
    ),
    Setting(
        "merge",
        True,
        "keep only the best of the states that go on alike; false: every path is a state of its own, as in Figures 1 and 2 of LaSO",
        needs={ANY: (SIDE_BY_SIDE,)},
    ),
    Setting("max_nodes", 1_000_000, "of one search; past it the search is an error", low=1, needs={ANY: (STATES,)}),
    Setting(
        "seconds",
        0.0,
        "to decode one input, then the best output so far counts; 0 means no limit",
        low=0,
        needs={ANY: (STATES,)},
    ),
)

# Settings of every recipe that may be changed after training: which loss the output is chosen by.
DECODE = Setting(
    "decode",
    BEST,
    "which output is chosen: the most probable one (best); the one whose labels are most probable, token by token (marginals); the one "
    "whose chunks are (spans)",
    choices=(BEST, MARGINALS, SPANS),
    needs={ANY: (POSTERIORS, ALL_OUTPUTS), SPANS: (POSTERIORS, ALL_OUTPUTS, CHUNK_LABELS)},
)
SPAN_COST = Setting(
    "span_cost",
    1.0,
    "what a chunk costs: one that is more probable than half of it pays. 1 means fewest errors; the F1 that is expected, as 0.9, best F1",
    low=0,
    high=2,
    only={DECODE.name: (SPANS,)},
)
RISK = (DECODE, SPAN_COST)


def changed(settings: Mapping[str, Any] | None, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a trained model with these changes. Where they choose another way to decode, the cost of a chunk goes that was set
    for the old one.
    """
    found = {**(settings or {}), **changes}
    if SPAN_COST.name not in changes and changes.get(DECODE.name, SPANS) != SPANS:
        found.pop(SPAN_COST.name, None)
    return found


def risk_of(settings: Mapping[str, Any], *, chunks: bool, task: str) -> Risk | None:
    """The loss by which outputs are chosen; None: the best output is. chunks: whether the labels of the task are chunk labels."""
    decode = settings[DECODE.name]
    if decode == SPANS and not chunks:
        raise UnsupportedError(
            f"setting {DECODE.name!r} has the value {decode!r}, but the task {task!r} has plain labels, no chunks.",
            remedy=f"Set {DECODE.name}={MARGINALS}, or leave out {DECODE.name}.",
        )
    return None if decode == BEST else Risk(decode, float(settings[SPAN_COST.name]))
