"""The loop of all trainers: epochs, a development score after each, and the best epoch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, Rules, shuffled
from riata._core import OnlineTrainer as Single
from riata._core import OnlineTrainer64 as Double
from riata.errors import SettingError
from riata.features.compile import Features
from riata.settings import Setting

if TYPE_CHECKING:
    from riata.learning.diagnostics import Run
    from riata.learning.events import Epoch, Listener


class Examples(Protocol):
    """What epochs run over: a TrainingSet, a file that is read in parts, or the examples of a problem written in Python."""

    @property
    def sentences(self) -> int: ...
    @property
    def tokens(self) -> int | None: ...
    def epoch(
        self, trainer: EpochTrainer, seed: int, number: int, progress: Callable[[int], None] | None = None
    ) -> Epoch: ...


@dataclass(frozen=True)
class EpochPlan:
    """How long to train, and when to stop."""

    epochs: int
    patience: int | None = None  # stop after so many epochs without a better development score
    seed: int = 0
    refit: bool = False
    first_epoch: int = 1  # number of the first epoch, if training continues


@dataclass(eq=False)
class Outcome:
    """The result of training. interrupted: Ctrl-C was pressed, and the model is that of the last complete epoch (None: there was none)."""

    model: Any = None  # of the structure
    best_epoch: int = 0
    best_score: float | None = None
    history: list[Epoch] = field(default_factory=list)
    interrupted: bool = False
    apart: Any = None  # after refit: the model that has not learnt from the development data
    run: Run | None = None  # of learners that search
    chosen: Mapping[str, float] = field(default_factory=dict)  # values of settings that were chosen on held-out data


class EpochTrainer:
    """A learner that takes one example after another. Features may be added before it starts."""

    features: Any  # features of the structure, if it has features
    settings: Mapping[str, Any]
    threads = 1  # number of threads that may work at once
    finished: str | None = None  # why another epoch would change nothing
    short: str | None = None  # why more epochs than were planned would be better
    # From how many to how many epochs it usually takes until it stops by itself; 0: it does not, or this is not known.
    usual_steps: tuple[int, int] = (0, 0)
    steady = False  # whether an epoch that is broken off changes nothing, so that the model is that of the epoch before
    dropped = 0  # number of weights that truncation left out of the last model
    _kept: Any = None

    def heed(self, score: float) -> None:
        """Takes the score of the last epoch, which may be a reason to finish."""

    def epoch(self, data: Any, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        """One pass over the sentences, in the order that seed and number determine."""
        from riata.learning.events import Epoch

        order = self.order(data.sentences, seed, number)
        began = time.perf_counter()
        result = self.run(data, order, progress)
        return Epoch(epoch=number, seconds=time.perf_counter() - began, **result)

    def order(self, sentences: int, seed: int, number: int) -> NDArray[np.int64]:
        """The order in which an epoch visits this number of sentences."""
        return shuffled(sentences, seed, number) if self.settings["shuffle"] else np.arange(sentences, dtype=np.int64)

    def run(self, data: Any, order: NDArray[np.int64], progress: Callable[[int], None] | None) -> dict[str, Any]:
        raise TypeError("a base class: use the trainer of a recipe")

    def model(self) -> Any:
        raise TypeError("a base class: use the trainer of a recipe")

    def final_model(self) -> Any:
        """The model. The learner is not used any more afterwards."""
        return self.model()

    def keep(self) -> None:
        """Keeps the model as it is now, in case that the next epoch is broken off."""
        if not self.steady:
            self._kept = self.model()

    def kept(self) -> Any:
        """The model that was kept last. The learner is not used any more afterwards."""
        return self.model() if self.steady else self._kept

    def seed_scores(self, dev_score: Callable[[Any], float]) -> tuple[float, ...]:
        """The scores of single seeds, if the model is a sum of several. Called after `model`."""
        return ()

    def account(self, examples: int, epochs: int) -> Run | None:
        """What the theory of search needs to know about the training so far."""
        return None


TIMED = 3  # epochs after which the time of training is estimated
LONG = 20  # seconds; shorter trainings are not told of


def _estimate(history: Sequence[Epoch], plan: EpochPlan, trainer: EpochTrainer) -> str:
    """How long training may take, by the first steps; empty if that is not long, or not known."""
    low, high = (min(plan.epochs, steps) for steps in trainer.usual_steps)
    seconds = min(epoch.seconds for epoch in history)  # the first one also prepares the data
    if high * seconds < LONG:
        return ""
    unit, name = (1, "s") if high * seconds < 120 else (60, "minutes")
    steps, times = f"{low} to {high}", f"{low * seconds / unit:.0f} to {high * seconds / unit:.0f}"
    if low == high:
        steps, times = f"{high}", f"{high * seconds / unit:.0f}"
    return f"Some {steps} steps are usual, which take about {times} {name}. Ctrl-C keeps the model of the last step."


def train(
    trainer: EpochTrainer,
    data: Examples,
    plan: EpochPlan,
    dev_score: Callable[[Any], float] | None,
    listener: Listener,
    own_score: Callable[[Any], float] | None = None,
) -> Outcome:
    """Trains for the planned epochs; with a development score, keeps the best epoch, the earliest of several.

    own_score: without one, the score on the training data, for learners that heed it.
    """
    from riata.learning.events import Note, Progressed, Started

    outcome = Outcome()
    within = getattr(listener, "within_epochs", True)
    progress = (lambda done: listener(Progressed(done))) if within else None
    last = plan.first_epoch + plan.epochs - 1
    try:
        for number in range(plan.first_epoch, last + 1):
            if within:
                listener(Started(number, last, data.sentences, data.tokens, plan.refit))
            done = data.epoch(trainer, plan.seed, number, progress)
            score: float | None = None
            seed_scores: tuple[float, ...] = ()
            if own_score is not None and not trainer.finished:
                trainer.heed(own_score(trainer.model()))
            if dev_score is not None:
                model = trainer.model()
                score, seed_scores = dev_score(model), trainer.seed_scores(dev_score)
                trainer.heed(score)
                if outcome.best_score is None or score > outcome.best_score:
                    outcome.model, outcome.best_epoch, outcome.best_score = model, number, score
            elif number == last or trainer.finished:
                outcome.model, outcome.best_epoch = trainer.final_model(), number
            else:
                trainer.keep()
                outcome.best_epoch = number
            outcome.history.append(
                replace(done, dev_score=score, seed_scores=seed_scores, refit=plan.refit, dropped=trainer.dropped)
            )
            listener(outcome.history[-1])
            if number - plan.first_epoch + 1 == TIMED and (text := _estimate(outcome.history, plan, trainer)):
                listener(Note(text))
            if trainer.finished and number < last:
                listener(Note(f"Stopped after {number:,} step{'s' * (number != 1)}: {trainer.finished}."))
                break
            if number == last and dev_score is None and not trainer.finished and trainer.short:
                listener(Note(trainer.short, warning=True))
            if plan.patience is not None and dev_score is not None and number - outcome.best_epoch >= plan.patience:
                break
    except KeyboardInterrupt:
        outcome.interrupted = True
        if outcome.model is None and outcome.best_epoch:
            outcome.model = trainer.kept()
    if outcome.model is not None:
        outcome.run = trainer.account(data.sentences, len(outcome.history) + outcome.interrupted)
    return outcome


SETTINGS = (
    Setting("average", True, "average the weights over all examples seen (false: keep the last ones)"),
    Setting("shuffle", True, "visit the sentences of every epoch in a new order"),
    Setting("precision", "single", "arithmetic of the weights while learning", choices=("single", "double")),
)


@dataclass(frozen=True, eq=False)
class TrainingSet:
    instances: Instances
    sentence_weights: NDArray[np.float64]  # [S] or empty
    class_weights: NDArray[np.float64]  # [labels] or empty
    gold: NDArray[np.int32] | None = (
        None  # [N] the true outputs as the structure numbers them; None: the labels of the instances
    )
    rules: Rules | None = None  # what the learner finds must keep them

    @property
    def sentences(self) -> int:
        return self.instances.sentences

    @property
    def tokens(self) -> int:
        return self.instances.tokens

    def epoch(
        self, trainer: EpochTrainer, seed: int, number: int, progress: Callable[[int], None] | None = None
    ) -> Epoch:
        return trainer.epoch(self, seed, number, progress)


class SentenceTrainer(EpochTrainer):
    """A learner of the core, by name, on a model of any structure.

    initial: creates the model to start from, once the features are complete. settings: of the recipe and, if it searches, of the search.
    """

    def __init__(
        self, learner: str, features: Features, initial: Callable[[TrainingSet], Any], settings: Mapping[str, Any]
    ) -> None:
        self.features, self.settings = features, settings
        self._learner, self._initial = learner, initial
        self._start: Any = None  # the model that learning started from,
        self.native: Any = None  # and the native learner; both are created at the first epoch,
        self._index: Any = None  # for which the index of the features is there

    def run(
        self, data: TrainingSet, order: NDArray[np.int64], progress: Callable[[int], None] | None
    ) -> dict[str, Any]:
        if self.native is None:
            self._start, self._index = self._initial(data), self.features.index
            kind: Any = Single if self._start.single else Double
            left_out = self.settings.get("truncate", 0.0)
            self.native = kind(self._learner, self._start.weights, dict(self.settings), left_out)
        weights = (data.sentence_weights, data.class_weights)
        found: dict[str, Any] = self.native.epoch(
            self._index, data.instances, data.gold, order, *weights, progress, data.rules
        )
        if found["updates"] == 0 and not self.settings["average"]:
            self.finished = "no sentence was wrong, so that nothing would change any more"
        return found

    def model(self) -> Any:
        weights = self.native.averaged() if self.settings["average"] else self.native.last()
        self.dropped = self.native.dropped
        return self._start.with_weights(weights)

    def keep(self) -> None:
        self.native.keep(self.settings["average"])
        self.dropped = self.native.dropped

    def kept(self) -> Any:
        return self._start.with_weights(self.native.kept())

    def final_model(self) -> Any:
        return self._finished(and_last=False)

    def _finished(self, *, and_last: bool) -> Any:
        """The model, in the memory of the learner. and_last: whether the last weights will be asked for, too."""
        if not self.settings["average"]:
            return self.model()
        weights = self.native.finish(and_last)
        self.dropped = self.native.dropped
        return self._start.with_weights(weights)


def same_precision(start: Any, settings: Mapping[str, Any]) -> Any:
    """A model to continue from, which must have the requested precision."""
    if (settings["precision"] == "single") != start.single:
        raise SettingError(
            f"precision is {settings['precision']!r}, but the model that training goes on from has another one.",
            remedy="Models from files have single precision; leave out precision, or train anew.",
        )
    return start
