"""Work on several threads, with results in order."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from riata.settings import Setting

if TYPE_CHECKING:
    import queue
    from concurrent.futures import Future

THREADS = Setting("threads", 1, "that work at once; never changes the model", low=1, high=10_000)
T = TypeVar("T")
R = TypeVar("R")
POLL = 0.2  # seconds between looks for Ctrl-C while others work


def cores() -> int:
    """How many threads this process may run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def all_done(work: Callable[[T], R], items: Sequence[T], threads: int, stop: Callable[[], None]) -> list[R]:
    """work(item) for every item. On one thread Ctrl-C reaches the work itself; otherwise `stop` is called, which ends what runs."""
    if threads <= 1:
        return list(map(work, items))
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

    with ThreadPoolExecutor(threads) as pool:
        futures: list[Future[R]] = [pool.submit(work, item) for item in items]
        try:
            pending = set(futures)
            while pending:
                done, pending = wait(pending, POLL, FIRST_COMPLETED)
                for future in done:
                    future.result()  # raises what went wrong
        except BaseException:
            stop()
            for future in futures:
                future.cancel()
            raise
        return [future.result() for future in futures]


def in_order(
    work: Callable[[T], R], items: Iterable[T], threads: int, stopped: threading.Event | None = None
) -> Generator[R]:
    """work(item) for every item, several at once. A result comes as soon as it and those before it are there, even while
    the next item is still waited for; what goes wrong with an item is raised when its turn comes.

    Close it: when it ends, for whatever reason, no thread of it runs. stopped is set when nobody wants more; items that may
    wait for ever have to look at it and end. The first item is waited for by the caller, who can be interrupted.
    """
    if threads <= 1:
        yield from map(work, items)
        return
    import queue
    from concurrent.futures import ThreadPoolExecutor

    results: queue.Queue[Future[R] | BaseException | None] = queue.Queue(2 * threads)
    stopped = threading.Event() if stopped is None else stopped
    rest = iter(items)
    first = list(itertools.islice(rest, 1))

    def read() -> None:
        try:
            for item in itertools.chain(first, rest):
                if stopped.is_set():
                    return
                results.put(pool.submit(work, item))
            results.put(None)
        except BaseException as error:  # told to the reader of the results, whatever it is
            results.put(error)

    with ThreadPoolExecutor(threads) as pool:
        reader = threading.Thread(target=read)
        reader.start()
        try:
            while (result := results.get()) is not None:
                if isinstance(result, BaseException):
                    raise result
                yield result.result()
        finally:
            stopped.set()
            with contextlib.suppress(queue.Empty):  # whoever waits to put something in sees that it is over
                while True:
                    results.get_nowait()
            reader.join()
            pool.shutdown(cancel_futures=True)
