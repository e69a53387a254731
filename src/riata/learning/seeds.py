"""Learners that differ in nothing but their seeds; the model is the sum of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from riata._core import normalised_sum
from riata.learning.events import Epoch
from riata.learning.members import Members
from riata.learning.online import OnlineTrainer, TrainingSet
from riata.models.chain import ChainModel

SEED_RANGE = 2**63


class SeedsTrainer(Members[OnlineTrainer]):
    """The weights are those of all members, each divided by its norm, added up (native/models/weights_sum.hpp)."""

    def __init__(self, members: Sequence[OnlineTrainer], threads: int | None) -> None:
        super().__init__(members, threads)
        self._weights: list[Any] = []  # of the members, after the last epoch

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        self._weights = []
        return super().epoch(data, seed, number, progress)

    def member_epoch(
        self, member: int, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None]
    ) -> Epoch:
        return self.members[member].epoch(data, (seed + member) % SEED_RANGE, number, progress)

    def sentences_done(self, done: Sequence[int]) -> int:
        return sum(done) // len(done)

    def weights(self) -> Any:
        self._weights = self.side_by_side(lambda m: self.members[m].weights())
        self.dropped = sum(member.dropped for member in self.members)
        return normalised_sum(self._weights)

    def seed_scores(self, dev_score: Callable[[ChainModel], float]) -> tuple[float, ...]:
        models = [ChainModel(self.features, weights, self.labels, self.legality) for weights in self._weights]
        return tuple(self.side_by_side(lambda m: dev_score(models[m])))
