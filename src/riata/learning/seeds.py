"""Learners that differ only in their seeds; the model is the sum of their models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from riata._core import normalised_sum
from riata.learning.events import Epoch
from riata.learning.loop import Trainer
from riata.learning.members import Members
from riata.learning.online import TrainingSet

SEED_RANGE = 2**63


class SeedsTrainer(Members[Trainer]):
    """The weights are the sum of the weights of all members, each divided by its norm (see native/inference/questions.hpp)."""

    def __init__(self, members: Sequence[Trainer], threads: int | None) -> None:
        super().__init__(members, threads)
        self._models: list[Any] = []  # models of the members after the last epoch

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        self._models = []
        return super().epoch(data, seed, number, progress)

    def member_epoch(
        self, member: int, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None]
    ) -> Epoch:
        return self.members[member].epoch(data, (seed + member) % SEED_RANGE, number, progress)

    def sentences_done(self, done: Sequence[int]) -> int:
        return sum(done) // len(done)

    def model(self) -> Any:
        self._models = self.side_by_side(lambda m: self.members[m].model())
        self.dropped = sum(member.dropped for member in self.members)
        return self._models[0].with_weights(normalised_sum([model.weights for model in self._models]))

    def seed_scores(self, dev_score: Callable[[Any], float]) -> tuple[float, ...]:
        return tuple(self.side_by_side(lambda m: dev_score(self._models[m])))
