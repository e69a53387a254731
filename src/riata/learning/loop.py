"""The loop of all trainers: epochs, a development score after each, the best one kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riata._core import shuffled

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
        self, trainer: Trainer, seed: int, number: int, progress: Callable[[int], None] | None = None
    ) -> Epoch: ...


@dataclass(frozen=True)
class Plan:
    """How long to train, and when to stop."""

    epochs: int
    patience: int | None = None  # stop after so many epochs without a better development score
    seed: int = 0
    refit: bool = False
    first_epoch: int = 1  # where a continued training goes on


@dataclass(eq=False)
class Outcome:
    """What training gave. `interrupted`: Ctrl-C came, and the model is that of the last good epoch (None: there was none)."""

    model: Any = None  # of the structure
    best_epoch: int = 0
    best_score: float | None = None
    history: list[Epoch] = field(default_factory=list)
    interrupted: bool = False
    run: Run | None = None  # of learners that search
    chosen: Mapping[str, float] = field(default_factory=dict)  # settings that were left to held-out data


class Trainer:
    """A learner that takes one example after another, over a set of features that may grow before it starts."""

    features: Any  # of the structure, where it has such
    settings: Mapping[str, Any]
    threads = 1  # that may work at once
    finished: str | None = None  # why another epoch would change nothing
    steady = False  # an epoch that is broken off changes nothing: the model is that of the one before
    dropped = 0  # weights that truncation left out of the model made last

    def epoch(self, data: Any, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        """One pass over the sentences, in the order that seed and number give."""
        from riata.learning.events import Epoch

        order = self.order(data.sentences, seed, number)
        began = time.perf_counter()
        result = self.run(data, order, progress)
        return Epoch(epoch=number, seconds=time.perf_counter() - began, **result)

    def order(self, sentences: int, seed: int, number: int) -> NDArray[np.int64]:
        """The order in which an epoch visits so many sentences."""
        return shuffled(sentences, seed, number) if self.settings["shuffle"] else np.arange(sentences, dtype=np.int64)

    def run(self, data: Any, order: NDArray[np.int64], progress: Callable[[int], None] | None) -> dict[str, Any]:
        raise TypeError("a base class: use the trainer of a recipe")

    def model(self) -> Any:
        raise TypeError("a base class: use the trainer of a recipe")

    def final_model(self) -> Any:
        """The model, after which the learner is not used again."""
        return self.model()

    def next_model(self, old: Any) -> Any:
        """The model, maybe in the memory of an old one that is not used again."""
        return self.model()

    def seed_scores(self, dev_score: Callable[[Any], float]) -> tuple[float, ...]:
        """The scores of single seeds, where the model is a sum of several; after `model` was called."""
        return ()

    def account(self, examples: int, epochs: int) -> Run | None:
        """What the theory of search asks about the training so far."""
        return None


def train(
    trainer: Trainer,
    data: Examples,
    plan: Plan,
    dev_score: Callable[[Any], float] | None,
    listener: Listener,
) -> Outcome:
    """Trains for the planned epochs; with a development score, keeps the best epoch, the earliest of equals."""
    from riata.learning.events import Note, Progressed, Started

    outcome = Outcome()
    last = plan.first_epoch + plan.epochs - 1
    try:
        for number in range(plan.first_epoch, last + 1):
            listener(Started(number, last, data.sentences, data.tokens, plan.refit))
            done = data.epoch(trainer, plan.seed, number, lambda sentences: listener(Progressed(sentences)))
            score: float | None = None
            seed_scores: tuple[float, ...] = ()
            if dev_score is not None:
                model = trainer.model()
                score, seed_scores = dev_score(model), trainer.seed_scores(dev_score)
                if outcome.best_score is None or score > outcome.best_score:
                    outcome.model, outcome.best_epoch, outcome.best_score = model, number, score
            elif number == last or trainer.finished:
                outcome.model, outcome.best_epoch = trainer.final_model(), number
            elif trainer.steady:
                outcome.best_epoch = number
            else:  # for the case of an interrupt
                outcome.model, outcome.best_epoch = trainer.next_model(outcome.model), number
            outcome.history.append(
                replace(done, dev_score=score, seed_scores=seed_scores, refit=plan.refit, dropped=trainer.dropped)
            )
            listener(outcome.history[-1])
            if trainer.finished and number < last:
                listener(Note(f"Stopped after {number:,} steps: {trainer.finished}."))
                break
            if plan.patience is not None and dev_score is not None and number - outcome.best_epoch >= plan.patience:
                break
    except KeyboardInterrupt:
        outcome.interrupted = True
        if outcome.model is None and outcome.best_epoch:
            outcome.model = trainer.model()
    if outcome.model is not None:
        outcome.run = trainer.account(data.sentences, len(outcome.history) + outcome.interrupted)
    return outcome
