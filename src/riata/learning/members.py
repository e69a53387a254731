"""Several models that become one: seeds that are summed, and shards of the data that are mixed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from riata._core import average_of_all, mix, normalised_sum
from riata.errors import SettingError
from riata.learning.events import Epoch
from riata.learning.loop import EpochTrainer, SentenceTrainer, TrainingSet
from riata.parallel import cores

Found = TypeVar("Found")
Member = TypeVar("Member", bound=EpochTrainer)
LOOK = 0.1  # seconds between two checks of the learners' progress


class _MemberStoppedError(Exception):
    """Ends a learner when another one of the group has ended early."""


class Members(EpochTrainer, Generic[Member]):
    """Trains its members one epoch at a time. The result does not depend on `threads`."""

    def __init__(self, members: Sequence[Member], threads: int | None) -> None:
        self.features, self.settings = members[0].features, members[0].settings
        self.members = members
        self.threads = min(threads or cores(), len(members))

    def member_epoch(
        self, member: int, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None]
    ) -> Epoch:
        raise TypeError("a base class: use one that says what a member sees")

    def sentences_done(self, done: Sequence[int]) -> int:
        """The progress of the epoch, from the progress of each member."""
        raise TypeError("a base class: use one that says what a member sees")

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        began = time.perf_counter()
        stop, done = threading.Event(), [0] * len(self.members)

        def run(m: int) -> Epoch:
            def progressed(sentences: int) -> None:
                if stop.is_set():
                    raise _MemberStoppedError
                done[m] = sentences

            return self.member_epoch(m, data, seed, number, progressed)

        def tell() -> None:
            if progress is not None:
                progress(self.sentences_done(done))

        results = self.side_by_side(run, tell, stop)
        wrong = [result.wrong_tokens for result in results if result.wrong_tokens is not None]
        return Epoch(
            epoch=number,
            updates=sum(result.updates for result in results),
            sentences=data.instances.sentences,
            tokens=sum(result.tokens for result in results),
            wrong_tokens=sum(wrong) if wrong else None,
            seconds=time.perf_counter() - began,
        )

    def side_by_side(
        self,
        work: Callable[[int], Found],
        tell: Callable[[], None] = lambda: None,
        stop: threading.Event | None = None,
    ) -> list[Found]:
        """The result of the work for every member. Ctrl-C only reaches the calling thread, which then stops the others."""
        with ThreadPoolExecutor(self.threads) as pool:
            futures: list[Future[Found]] = [pool.submit(work, m) for m in range(len(self.members))]
            try:
                tell()
                while wait(futures, LOOK, FIRST_EXCEPTION).not_done and not any(map(_failed, futures)):
                    tell()
                for future in filter(_failed, futures):
                    future.result()  # raises
                return [future.result() for future in futures]
            finally:
                if stop is not None:
                    stop.set()
                pool.shutdown(cancel_futures=True)


def _failed(future: Future[Any]) -> bool:
    return future.done() and future.exception() is not None


SEED_RANGE = 2**63


class SeedsTrainer(Members[EpochTrainer]):
    """The weights are the sum of the weights of all members, each divided by its norm (see native/inference/questions.hpp)."""

    def __init__(self, members: Sequence[EpochTrainer], threads: int | None) -> None:
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
