"""Requests are predicted together: whatever waits when the model is free is one batch."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from riata.errors import RiataError
from riata.explaining.bounds import Bounds, GivenUp, bounded
from riata.serving.asking import Question
from riata.serving.measures import Measures
from riata.serving.refusal import HttpRefusal, Limits, busy, late
from riata.serving.served import Served

LOG = logging.getLogger("riata.serving")
PIECE = 2_000  # tokens that are predicted in one call, so that a large request does not hold up small ones
DETAILED = 2  # threads for requests that ask for more than labels
PART = 1_000  # tokens of a request for more than labels, after which it is seen whether anybody still waits

# From the labels of all sentences, or from parts of the question.
Answer = Callable[[list[Any], Iterable[Question]], Any]


@dataclass(eq=False)
class Job:
    """A request that waits. done: the labels found so far."""

    served: Served
    question: Question
    answer: Answer
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop
    done: list[Any] = field(default_factory=list)

    def next_piece(self, tokens: int) -> list[Any]:
        """Sentences to go on with: at least one, and no more than so many tokens otherwise."""
        sentences, start = self.question.sentences, len(self.done)
        if start == 0 and self.question.tokens <= tokens:
            return sentences
        end, room = start, tokens
        while end < len(sentences) and (end == start or len(sentences[end]) <= room):
            room -= len(sentences[end])
            end += 1
        return sentences[start:end]

    def parts(self) -> Iterator[Question]:
        """The question in parts, until nobody waits for the answer. Sentences that say something about each other stay together."""
        for part in [self.question] if self.served.alone else self.question.pieces(PART):
            if self.given_up:
                raise GivenUp
            yield part

    @property
    def given_up(self) -> bool:
        return self.future.done()


class Batcher:
    """Predicts in threads of its own. Plain requests go through one thread, in batches; others are answered one by one."""

    def __init__(self, limits: Limits, measures: Measures) -> None:
        self._limits, self._measures = limits, measures
        self._waiting: dict[bool, deque[Job]] = {True: deque(), False: deque()}  # by whether they are plain
        self._ready = {True: threading.Semaphore(0), False: threading.Semaphore(0)}
        self._threads: list[threading.Thread] = []
        self._stopped = False

    def start(self) -> None:
        works = [self._predict_batches, *[self._answer_in_detail] * DETAILED]
        self._threads = [threading.Thread(target=work, name=f"riata-{i}", daemon=True) for i, work in enumerate(works)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ends the threads once everything that waits is answered."""
        self._stopped = True
        self._ready[True].release()
        for _ in range(DETAILED):
            self._ready[False].release()
        for thread in self._threads:
            thread.join(self._limits.seconds)

    @property
    def length(self) -> int:
        return len(self._waiting[True]) + len(self._waiting[False])

    async def ask(self, served: Served, question: Question, answer: Answer) -> Any:
        """The answer, or a refusal: if too many wait, or if it takes too long."""
        if self.length >= self._limits.waiting:
            raise busy()
        loop = asyncio.get_running_loop()
        plain = question.plain and not served.alone and not served.is_slow(question)
        job = Job(served, question, answer, loop.create_future(), loop)
        timer = loop.call_later(self._limits.seconds, _give_up, job.future, self._limits.seconds)
        self._waiting[plain].append(job)
        self._ready[plain].release()
        try:
            return await job.future
        finally:
            timer.cancel()

    def _predict_batches(self) -> None:
        ready, waiting = self._ready[True], self._waiting[True]
        while True:
            ready.acquire()
            while waiting:
                self._one_batch(self._taken(waiting))
            if self._stopped:
                return

    def _taken(self, waiting: deque[Job]) -> list[tuple[Job, list[Any]]]:
        """Jobs of one model with the sentences to predict now, oldest first."""
        taken: list[tuple[Job, list[Any]]] = []
        room = PIECE
        while waiting and room > 0:
            job = waiting[0]
            if taken and job.served is not taken[0][0].served:
                break
            waiting.popleft()
            if not job.given_up:
                piece = job.next_piece(PIECE)
                taken.append((job, piece))
                room -= sum(map(len, piece))
        return taken

    def _one_batch(self, taken: list[tuple[Job, list[Any]]]) -> None:
        if not taken:
            return
        sentences = [sentence for _, piece in taken for sentence in piece]
        self._measures.batch(len(taken), len(sentences))
        estimator = taken[0][0].served.estimator
        try:
            labels = estimator.predict(sentences)
        except Exception as error:
            if len(taken) > 1:  # the others need not suffer from one that is wrong
                for each in taken:
                    self._one_batch([each])
                return
            _deliver([(taken[0][0], None, error)])
            return
        found: list[tuple[Job, Any, Exception | None]] = []
        start = 0
        for job, piece in taken:
            job.done += labels[start : start + len(piece)]
            start += len(piece)
            if len(job.done) < len(job.question.sentences):
                self._waiting[True].append(job)  # behind the others
            else:
                found.append(_answered(job, job.done, ()))
        _deliver(found)

    def _answer_in_detail(self) -> None:
        ready, waiting = self._ready[False], self._waiting[False]
        while True:
            ready.acquire()
            while waiting:
                try:
                    job = waiting.popleft()
                except IndexError:  # the other thread was faster
                    break
                if not job.given_up:
                    _deliver([self._in_bounds(job)])
            if self._stopped:
                return

    def _in_bounds(self, job: Job) -> tuple[Job, Any, Exception | None]:
        with bounded(Bounds(self._limits.states, self._limits.features, lambda: not job.given_up)):
            return _answered(job, [], job.parts())


def _answered(job: Job, labels: list[Any], parts: Iterable[Question]) -> tuple[Job, Any, Exception | None]:
    try:
        return job, job.answer(labels, parts), None
    except Exception as error:
        return job, None, error


def _deliver(found: list[tuple[Job, Any, Exception | None]]) -> None:
    """Hands answers to the loop that waits for them."""
    if found:
        try:
            found[0][0].loop.call_soon_threadsafe(_set, found)
        except RuntimeError:  # the loop is closed, and so are the connections
            LOG.warning("%d answers came after the end of the server.", len(found))


def _set(found: list[tuple[Job, Any, Exception | None]]) -> None:
    for job, answer, error in found:
        if job.future.done():
            continue
        if error is None:
            job.future.set_result(answer)
        else:
            job.future.set_exception(HttpRefusal.of(error) if isinstance(error, RiataError) else error)


def _give_up(future: asyncio.Future[Any], seconds: float) -> None:
    if not future.done():
        future.set_exception(late(seconds))
