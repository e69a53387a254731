"""One model from parts of the data: in every epoch, a learner learns from each part, then their weights are mixed."""

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

CUT = 0  # number of the shuffle that cuts the data; numbers of epochs start from 1


class ShardsTrainer(Members[SentenceTrainer]):
    """Iterative parameter mixing: McDonald, Hall & Mann 2010, Fig. 3, with a uniform mixture.

    A shard has the same sentences in every epoch, and visits them in the order in which a single learner would. The average is over the
    weights that all shards start with, and the weights of every shard after each of its examples.
    """

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        done = super().epoch(data, seed, number, progress)
        mix(self._learners(), self._shares(), self.threads)
        return done

    def _learners(self) -> list[Any]:
        return [member.native for member in self.members]

    def _shares(self) -> list[float]:
        """The mixture coefficients, mu in the figure."""
        return [1 / len(self.members)] * len(self.members)

    def member_epoch(
        self, member: int, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None]
    ) -> Epoch:
        order = self.order(data.instances.sentences, seed, number)
        mine = self._shard_of(len(order), seed)[order] == member
        result = self.members[member].run(data, order[mine], progress)
        return Epoch(epoch=number, seconds=0.0, **result)

    def _shard_of(self, sentences: int, seed: int) -> NDArray[np.int64]:
        """[sentences] The shard of each sentence. Shards have equal numbers of sentences, up to one."""
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
        learners = self._learners()  # after mixing, all have the same last weights
        weights = average_of_all(learners, self.threads) if self.settings["average"] else learners[0].last()
        return self.members[0].model().with_weights(weights)
