"""Learning by search on structures whose weights are one long vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from riata.errors import SettingError
from riata.features.compile import Features
from riata.learning.diagnostics import Run
from riata.learning.loop import Trainer


class FlatTrainer(Trainer):
    """Takes one example after another; the search itself says what to learn from it. Its models have features and weights, and can be copied with others."""

    single: ClassVar[Any]  # weights in single precision
    levelled: ClassVar[bool]  # whether states of one position have equally many steps behind them

    def __init__(self, features: Features, settings: Mapping[str, Any], start: Any) -> None:
        """start: a model to go on from, or None."""
        self.features = features
        self.settings = dict(settings)
        self._start = None if start is None else start_weights(start, settings, self.single)
        self._single = settings["precision"] == "single"
        self._native: Any = None  # made at the first epoch, when the features are complete

    def model_of(self, weights: Any) -> Any:
        """The model that these weights make."""
        raise NotImplementedError

    def model(self) -> Any:
        weights = self._native.averaged() if self.settings["average"] else self._native.last()
        self.dropped = self._native.dropped
        return self.model_of(weights)

    def next_model(self, old: Any) -> Any:
        if old is None or not self.settings["average"]:
            return self.model()
        self._native.average_into(old.weights)
        self.dropped = self._native.dropped
        return old

    def account(self, examples: int, epochs: int) -> Run | None:
        """Learning ends with it: the weights are handed over."""
        stats, margins = self._native.stats(), self._native.recorded_margins()
        return Run(
            self.model_of(self._native.untruncated()),
            stats,
            margins,
            self.settings,
            examples,
            epochs,
            from_zero=self._start is None,
            levelled=self.levelled,
        )


def start_weights(start: Any, settings: Mapping[str, Any], single: Any) -> Any:
    """The weights of a model to go on from, which must have the precision that is asked for. single: the kind in single precision."""
    if (settings["precision"] == "single") != isinstance(start.weights, single):
        raise SettingError(
            f"precision is {settings['precision']!r}, but the model that training goes on from has another one.",
            remedy="Models from files have single precision; leave out precision, or train anew.",
        )
    return start.weights
