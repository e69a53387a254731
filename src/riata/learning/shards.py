"""One model from parts of the data: every epoch, each part is learnt from by itself, then the weights are mixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import average_of_all, mix
from riata.errors import SettingError
from riata.learning.events import Epoch
from riata.learning.members import Members
from riata.learning.online import SentenceTrainer, TrainingSet

CUT = 0  # the number of the shuffle that cuts the data; those of epochs start from 1


class ShardsTrainer(Members[SentenceTrainer]):
    """Iterative parameter mixing: McDonald, Hall & Mann 2010, Fig. 3, with a uniform mixture.

    A shard holds the same sentences in every epoch, and visits them in the order that one learner would. The average is over the
    weights that all shards start with, and those of every shard after each of its examples.
    """

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        done = super().epoch(data, seed, number, progress)
        mix(self._learners(), self._shares(), self.threads)
        return done

    def _learners(self) -> list[Any]:
        return [member.native for member in self.members]

    def _shares(self) -> list[float]:
        """The figure's mu."""
        return [1 / len(self.members)] * len(self.members)

    def member_epoch(
        self, member: int, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None]
    ) -> Epoch:
        order = self.order(data.instances.sentences, seed, number)
        mine = self._shard_of(len(order), seed)[order] == member
        result = self.members[member].run(data, order[mine], progress)
        return Epoch(epoch=number, seconds=0.0, **result)

    def _shard_of(self, sentences: int, seed: int) -> NDArray[np.int64]:
        """[sentences] The shard of each. They are equally large, give or take a sentence."""
        if sentences < len(self.members):
            raise SettingError(
                f"shards is {len(self.members)}, but there {'is' if sentences == 1 else 'are'} only {sentences:,} "
                f"sentence{'s' * (sentences != 1)} to train on.",
                remedy="Use as many shards as there are cores, and no more than sentences.",
            )
        shard = np.empty(sentences, np.int64)
        shard[self.order(sentences, seed, CUT)] = np.arange(sentences) * len(self.members) // sentences
        return shard

    def sentences_done(self, done: Sequence[int]) -> int:
        return sum(done)

    def model(self) -> Any:
        learners = self._learners()  # their last weights are those of all
        weights = average_of_all(learners, self.threads) if self.settings["average"] else learners[0].last()
        return self.members[0].model().with_weights(weights)
