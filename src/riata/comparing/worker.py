"""One training in a process of its own, so that its time and memory are its own.

Standard input holds pickles from the process that compares: the training, and the data. Standard output gets lines of JSON:
`{"text": …}` on the way, and at the end `{"result": …}` or `{"failed": …}`.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from riata.comparing.cell import measured
from riata.comparing.folds import Indices
from riata.comparing.plan import split
from riata.errors import RiataError
from riata.learning.events import Epoch, Event
from riata.measuring.cost import Meter


class Job(NamedTuple):
    estimator: Any
    part: Indices | None  # of the data, to score; None: the test data
    parent: int  # whoever wants the result


def main() -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints does not print among the answers

    def answer(**message: Any) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    source = sys.stdin.buffer
    job: Job = pickle.load(source)
    try:
        answer(result=_run(job, source, answer))
    except RiataError as error:
        answer(failed=str(error))
    except MemoryError:
        answer(failed="out of memory")


def _run(job: Job, source: Any, answer: Callable[..., None]) -> dict[str, Any]:
    meter = Meter()
    given, given_test = pickle.load(source)
    data, test = split(given, given_test, job.part)
    del given, given_test

    def listener(event: Event) -> None:
        if os.getppid() != job.parent:  # nobody waits any more
            os._exit(1)
        if isinstance(event, Epoch):
            answer(text=f"epoch {event.epoch}")

    return measured(job.estimator, data, test, listener, meter.peak_rss_mb)
