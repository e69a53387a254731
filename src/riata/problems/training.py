"""Training on a problem written in Python, by the loop that trains every estimator."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import ProblemModel, ProblemTrainer
from riata.errors import RiataError, SearchError
from riata.learning.development import held_out, train_again
from riata.learning.diagnostics import Run
from riata.learning.events import Epoch, Listener, Note
from riata.learning.loop import EpochPlan, EpochTrainer, Outcome, train
from riata.problems.options import Development
from riata.problems.outputs import scores_of
from riata.problems.problem import Problem, defined, same_features
from riata.problems.watched import Watched

WATCHED, CALLS = 3, 100  # examples at the start of training, and calls of methods in them, that are looked at closely
FIRST = 100  # examples in which some operators must have features that others do not have


@dataclass(frozen=True)
class ProblemEpoch(Epoch):
    """A pass over examples, which are its `sentences`; they have no tokens."""

    unreachable: int = 0  # true outputs that no path leads to
    skipped: int = 0  # examples whose regret was found not to be exact: a right state has no right step

    def as_dict(self) -> dict[str, Any]:
        """The entry of history_."""
        return {
            "epoch": self.epoch,
            "examples": self.sentences,
            "updates": self.updates,
            "unreachable": self.unreachable,
            "skipped": self.skipped,
            "dropped": self.dropped,
            "seconds": self.seconds,
            "dev_score": self.dev_score,
            "refit": self.refit,
        }


@dataclass(frozen=True, eq=False)
class ProblemExamples:
    """Inputs with their true outputs and weights (one for each, or none)."""

    inputs: list[Any]
    outputs: list[Any]
    weights: NDArray[np.float64]
    tokens = None  # the loop asks; examples of problems have none

    @property
    def sentences(self) -> int:
        return len(self.inputs)

    def epoch(
        self, trainer: EpochTrainer, seed: int, number: int, progress: Callable[[int], None] | None = None
    ) -> Epoch:
        return trainer.epoch(self, seed, number, progress)

    def until(self, end: int) -> ProblemExamples:
        return ProblemExamples(self.inputs[:end], self.outputs[:end], self.weights[:end])

    def with_more(self, inputs: list[Any], outputs: list[Any]) -> ProblemExamples:
        weights = self.weights
        if len(weights):
            weights = np.concatenate([weights, np.ones(len(inputs))])
        return ProblemExamples([*self.inputs, *inputs], [*self.outputs, *outputs], weights)


class ProblemLearner(EpochTrainer):
    """Learns from the searches for examples. watched: whether the first ones are looked at for mistakes of the problem."""

    def __init__(
        self,
        problem: Problem,
        settings: Mapping[str, Any],
        start: ProblemModel | None,
        tell: Listener,
        *,
        watched: bool = True,
    ) -> None:
        self.problem, self.settings, self.tell = problem, settings, tell
        self.native = ProblemTrainer(dict(settings), start)
        self._from_zero = start is None
        self._watched = watched
        self._skipped: tuple[str, str] | None = (
            None  # what is wrong with the first example that was skipped, and the remedy
        )

    def epoch(
        self, data: ProblemExamples, seed: int, number: int, progress: Callable[[int], None] | None = None
    ) -> ProblemEpoch:
        began = time.perf_counter()
        order: list[int] = self.order(data.sentences, seed, number).tolist()
        counts = self._pass(data, order, progress)
        skipped, examples = counts["skipped"], counts["examples"]
        if skipped == examples:
            assert self._skipped is not None
            raise SearchError(self._skipped[0], remedy=self._skipped[1])
        return ProblemEpoch(
            epoch=number,
            updates=counts["updates"],
            sentences=examples,
            tokens=0,
            wrong_tokens=None,
            seconds=time.perf_counter() - began,
            unreachable=counts["unreachable"],
            skipped=skipped,
        )

    def _pass(self, data: ProblemExamples, order: list[int], progress: Callable[[int], None] | None) -> dict[str, int]:
        """One pass; the first is looked at for mistakes that learning would go on with in silence."""
        total = {"examples": 0, "updates": 0, "unreachable": 0, "skipped": 0}

        def run(problem: Any, part: list[int]) -> None:
            done = total["examples"]
            told = None if progress is None else lambda more: progress(done + more)
            parts = (data.inputs, data.outputs, part, data.weights, told)
            counts = self.native.epoch(problem, defined(self.problem), *parts)
            if self._skipped is None and counts["skipped"]:
                self._skipped = counts["first_skipped"]
            for name in total:
                total[name] += counts[name]

        if not self._watched:
            run(self.problem, order)
            return total
        self._watched = False
        run(Watched(self.problem, CALLS, order), order[:WATCHED])
        run(self.problem, order[WATCHED:FIRST])
        self._tell_silence()
        run(self.problem, order[FIRST:])
        return total

    def _tell_silence(self) -> None:
        """Where there is nothing to learn from."""
        if self.native.alike:
            self.tell(Note("\n  ".join(same_features(self.problem, self.native.alike)), warning=True))
        if self.native.all_right:
            text = (
                "every action is right, in each state of the first examples: regret(x, s, y) is the same "
                "everywhere, and nothing can be learnt."
            )
            remedy = "The regret must rise where a step makes the true output y impossible to reach."
            self.tell(Note(f"{text}\n  {remedy}", warning=True))

    def model(self) -> ProblemModel:
        made = self.native.averaged() if self.settings["average"] else self.native.last()
        self.dropped = self.native.dropped
        return made

    def account(self, examples: int, epochs: int) -> Run:
        return Run(
            self.native.untruncated(),
            self.native.stats(),
            self.native.recorded_margins(),
            {**self.settings, "deepest": self.native.deepest},
            examples,
            epochs,
            from_zero=self._from_zero,
            levelled=False,
        )

    def tell_of(self, epochs: list[ProblemEpoch]) -> None:
        """What the counts of a training say about the data and the problem."""
        first, worst = epochs[0], max(epochs, key=lambda epoch: epoch.skipped)
        if first.unreachable:
            text = f"{first.unreachable} of {first.sentences} true outputs cannot be reached: the initial state has a regret above 0."
            self.tell(Note(text, warning=True))
        if worst.skipped and self._skipped is not None:
            what, remedy = self._skipped
            text = (
                f"{worst.skipped} of {worst.sentences} examples were skipped in epoch {worst.epoch}: their "
                f"regret is not exact. The first: {what}"
            )
            self.tell(Note(f"{text}\n  {remedy} riata.check_problem finds such states in small inputs.", warning=True))


@dataclass(frozen=True, eq=False)
class ProblemFit:
    """One training. start: the model to go on from, and how many epochs it has seen."""

    problem: Problem
    settings: Mapping[str, Any]
    epochs: int
    seed: int
    dev: Development
    start: tuple[ProblemModel, int] | None
    tell: Listener

    def run(self, data: ProblemExamples) -> Outcome:
        """Trains; with development data, keeps the best epoch and, if asked, trains again on everything."""
        dev = self.dev.data
        if self.dev.share is not None:
            first = data.sentences - held_out(data.sentences, self.dev.share, None, self.tell, "examples")
            dev = data.inputs[first:], data.outputs[first:]
            both, data = data, data.until(first)
        elif dev is not None:
            both = data.with_more(*dev)
        outcome = self._train(data, dev)
        if outcome.model is None or outcome.interrupted or dev is None or not self.dev.refit:
            return outcome
        before = 0 if self.start is None else self.start[1]
        return train_again(outcome, before, self.tell, lambda epochs: (self._train(both, None, epochs), None))[0]

    def _train(
        self, data: ProblemExamples, dev: tuple[list[Any], list[Any]] | None, again: int | None = None
    ) -> Outcome:
        """One training; `again` is the number of epochs of a second one, on all data."""
        start, before = (None, 0) if self.start is None else self.start
        trainer = ProblemLearner(self.problem, self.settings, start, self.tell, watched=again is None)
        plan = EpochPlan(again or self.epochs, self.dev.patience, self.seed, again is not None, before + 1)
        score = None if dev is None else lambda model: self._score(model, trainer, *dev)
        outcome = train(trainer, data, plan, score, self.tell)
        if not outcome.interrupted:
            trainer.tell_of([epoch for epoch in outcome.history if isinstance(epoch, ProblemEpoch)])
        return outcome

    def _score(self, model: ProblemModel, trainer: ProblemLearner, inputs: list[Any], outputs: list[Any]) -> float:
        """Of the development data, in per cent."""
        settings = {**self.settings, "deepest": trainer.native.deepest}
        try:
            found = model.decode(self.problem, defined(self.problem), inputs, settings)
        except RiataError as error:
            raise error.located("development data") from None
        predicted = [self.problem.output(x, s, path) for x, (path, s) in zip(inputs, found, strict=True)]
        return 100 * float(np.mean(scores_of(self.problem, inputs, outputs, predicted, self.tell)))
