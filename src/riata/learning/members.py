"""Learners that share features and examples, and train in parallel."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

from riata.learning.events import Epoch
from riata.learning.loop import Trainer
from riata.learning.online import TrainingSet
from riata.parallel import cores

Found = TypeVar("Found")
Member = TypeVar("Member", bound=Trainer)
LOOK = 0.1  # seconds between two checks of the learners' progress


class _StoppedError(Exception):
    """Ends a learner when another one of the group has ended early."""


class Members(Trainer, Generic[Member]):
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
                    raise _StoppedError
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
