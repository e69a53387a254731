"""Learners that differ in nothing but their seeds, side by side on the cores; the model is the sum of theirs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from riata._core import normalised_sum
from riata.learning.events import Epoch
from riata.learning.online import OnlineTrainer, TrainingSet
from riata.models.chain import ChainModel
from riata.parallel import cores

Found = TypeVar("Found")
LOOK = 0.1  # seconds between two looks at how far the learners have come
SEED_RANGE = 2**63


class _StoppedError(Exception):
    """Ends a learner whose companions have ended."""


class SeedsTrainer(OnlineTrainer):
    """Trains its members, who share features and examples, one epoch at a time. What they learn does not depend on `threads`.

    The weights are those of all members, each divided by its norm, added up (native/models/weights_sum.hpp).
    """

    def __init__(self, members: Sequence[OnlineTrainer], threads: int | None) -> None:
        first = members[0]
        self.features, self.labels, self.legality = first.features, first.labels, first.legality
        self.settings, self.initial = first.settings, first.initial
        self.members = members
        self.threads = min(threads or cores(), len(members))
        self._weights: list[Any] = []  # of the members, after the last epoch

    def epoch(self, data: TrainingSet, seed: int, number: int, progress: Callable[[int], None] | None = None) -> Epoch:
        began = time.perf_counter()
        self._weights = []
        stop, done = threading.Event(), [0] * len(self.members)

        def run(m: int) -> Epoch:
            def progressed(sentences: int) -> None:
                if stop.is_set():
                    raise _StoppedError
                done[m] = sentences

            return self.members[m].epoch(data, (seed + m) % SEED_RANGE, number, progressed)

        def tell() -> None:
            if progress is not None:
                progress(sum(done) // len(done))

        results = self._side_by_side(run, tell, stop)
        wrong = [result.wrong_tokens for result in results if result.wrong_tokens is not None]
        return Epoch(
            epoch=number,
            updates=sum(result.updates for result in results),
            sentences=data.instances.sentences,
            tokens=sum(result.tokens for result in results),
            wrong_tokens=sum(wrong) if wrong else None,
            seconds=time.perf_counter() - began,
        )

    def weights(self) -> Any:
        self._weights = self._side_by_side(lambda m: self.members[m].weights())
        self.dropped = sum(member.dropped for member in self.members)
        return normalised_sum(self._weights)

    def seed_scores(self, dev_score: Callable[[ChainModel], float]) -> tuple[float, ...]:
        models = [ChainModel(self.features, weights, self.labels, self.legality) for weights in self._weights]
        return tuple(self._side_by_side(lambda m: dev_score(models[m])))

    def _side_by_side(
        self,
        work: Callable[[int], Found],
        tell: Callable[[], None] = lambda: None,
        stop: threading.Event | None = None,
    ) -> list[Found]:
        """What the work gives for every member. Ctrl-C reaches this thread alone, which then stops the others."""
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
