"""Runs a plan: what is finished already comes from the store, the rest is trained, one failure does not stop the others."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from riata.choosing.options import choice_of
from riata.comparing.planning import Cell, ComparisonPlan, Indices, Keys, split
from riata.data.atomic_file import whole_file
from riata.errors import DataError, RiataError, SettingError
from riata.estimators.model_file import to_bytes
from riata.learning.events import Epoch, Event, Listener
from riata.measuring.cost import Meter
from riata.models.weights_by_name import by_name
from riata.parallel import all_done
from riata.problems.predictor import Predictor

Watcher = Callable[[str, bool], None]  # what happens in words, and whether a cell is done with it


@dataclass
class Grid:
    """What came of the cells of a plan."""

    results: dict[Cell, Result] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)  # by contestant: the first reason
    kept: int = 0  # cells that were finished before
    trained: int = 0


def run(
    plan: ComparisonPlan,
    watch: Watcher,
    *,
    store: Store | None = None,
    fresh: bool = False,
    isolated: bool = True,
    jobs: int = 1,
) -> Grid:
    """Trains what the store does not hold. isolated: each in a process of its own; jobs: how many of those at once.

    Ctrl-C raises KeyboardInterrupt; what is finished is in the store.
    """
    at_once = jobs if isolated else 1
    keys = _keys(plan, store)
    if store is not None and fresh:
        store.forget(keys.values())
    return _Run(plan, watch, store, keys, isolated, at_once).all()


def _keys(plan: ComparisonPlan, store: Store | None) -> Mapping[Cell, str]:
    if store is None:
        return {cell: str(i) for i, cell in enumerate(plan.cells)}
    keys = Keys(plan)
    return {cell: keys.of(cell) for cell in plan.cells}


class _Run:
    def __init__(
        self,
        plan: ComparisonPlan,
        watch: Watcher,
        store: Store | None,
        keys: Mapping[Cell, str],
        isolated: bool,
        at_once: int,
    ) -> None:
        self._at_once = at_once
        self._plan, self._watch, self._store, self._keys = plan, watch, store, keys
        self._processes = Processes(plan) if isolated else None
        self.grid = Grid()

    def all(self) -> Grid:
        waiting = [cell for cell in self._plan.cells if not self._was_kept(cell)]
        # Equal settings under two names are trained once.
        first = {self._keys[cell]: cell for cell in reversed(waiting)}
        to_train = [cell for cell in waiting if first[self._keys[cell]] == cell]
        stop = (lambda: None) if self._processes is None else self._processes.stop
        all_done(self._train, to_train, self._at_once, stop)
        for cell in waiting:
            self._share(cell, first[self._keys[cell]])
        return self.grid

    def _was_kept(self, cell: Cell) -> bool:
        found = None if self._store is None else self._store.get(self._keys[cell])
        if found is None:
            return False
        self.grid.results[cell] = found
        self.grid.kept += 1
        self._watch(f"{self._plan.name(cell)}: finished before, {_score(found)}", True)
        return True

    def _train(self, cell: Cell) -> None:
        name = self._plan.name(cell)
        if cell.contestant in self.grid.failures:
            self._watch(f"{name}: left out", True)
            return
        self._watch(f"{name}: begins", False)
        try:
            result = self._result(cell, lambda text: self._watch(f"{name}: {text}", False))
        except (FailedError, RiataError) as error:
            self.grid.failures.setdefault(cell.contestant, str(error))
            self._watch(f"{name}: failed: {error}", True)
            return
        result["at_once"] = self._at_once
        if self._store is not None:
            self._store.put(self._keys[cell], result)
        self.grid.results[cell] = result
        self.grid.trained += 1
        self._watch(f"{name}: {_score(result)}, {result['seconds_train']:.2f} s", True)

    def _result(self, cell: Cell, tell: Callable[[str], None]) -> dict[str, Any]:
        if self._processes is not None:
            return self._processes(cell, tell)

        def listener(event: Event) -> None:
            if isinstance(event, Epoch):
                tell(f"epoch {event.epoch}")

        data, test = split(self._plan.data, self._plan.test, self._plan.part(cell))
        return measured(self._plan.estimator(cell), data, test, listener)

    def _share(self, cell: Cell, same: Cell) -> None:
        """Gives a cell what came of another with the same settings."""
        if cell == same:
            return
        if same in self.grid.results:
            self.grid.results[cell] = self.grid.results[same]
            self._watch(f"{self._plan.name(cell)}: the same as {self._plan.name(same)}", True)
        else:
            reason = self.grid.failures[same.contestant]
            self.grid.failures.setdefault(cell.contestant, reason)
            self._watch(f"{self._plan.name(cell)}: failed: {reason}", True)


def _score(result: Result) -> str:
    return f"{result['main']} {result['metrics'][result['main']]:.2f}"


# Not `-m`, which would look for modules in the folder where the user happens to be.
PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from riata.comparing.run import main; main()"


class FailedError(Exception):
    """A training that gave no result; its text is the reason."""


class Processes:
    """Runs cells of a plan, each in a new process, from any number of threads."""

    def __init__(self, plan: ComparisonPlan) -> None:
        self._plan = plan
        self._data = pickle.dumps((plan.data, plan.test), protocol=pickle.HIGHEST_PROTOCOL)
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def __call__(self, cell: Cell, tell: Callable[[str], None]) -> dict[str, Any]:
        with tempfile.TemporaryFile() as said, self._started(said) as process:
            result = None
            try:
                self._send(cell, process)
                assert process.stdout is not None
                for line in process.stdout:
                    message = json.loads(line)
                    if "failed" in message:
                        raise FailedError(message["failed"])
                    if "text" in message:
                        tell(message["text"])
                    result = message.get("result", result)
                status = process.wait()
            finally:
                process.kill()
                with self._lock:
                    self._running.discard(process)
            if result is None:
                if self._stopped:
                    raise KeyboardInterrupt
                raise FailedError(_reason(status, said))
            return dict(result)

    def stop(self) -> None:
        """Ends all that run, and lets no other begin."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.kill()

    def _started(self, said: IO[bytes]) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise KeyboardInterrupt
            # A session of its own: Ctrl-C is for the process that compares, which then ends this one.
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", PROGRAM, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                start_new_session=True,
            )
            self._running.add(process)
            return process

    def _send(self, cell: Cell, process: subprocess.Popen[bytes]) -> None:
        job = TrainingJob(self._plan.estimator(cell), self._plan.part(cell), os.getpid())
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin:  # it died: its exit status tells why
            for piece in (pickle.dumps(job), self._data):
                process.stdin.write(piece)


def _reason(status: int, said: IO[bytes]) -> str:
    """Why a process ended without a result."""
    if status == -signal.SIGKILL:
        return "killed, most likely because memory ran out"
    if status < 0:
        return f"ended by signal {-status} ({signal.strsignal(-status)})"
    said.seek(0)
    lines = said.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"ended with exit status {status}"


class TrainingJob(NamedTuple):
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
    job: TrainingJob = pickle.load(source)
    try:
        answer(result=_run(job, source, answer))
    except RiataError as error:
        answer(failed=str(error))
    except MemoryError:
        answer(failed="out of memory")


def _run(job: TrainingJob, source: Any, answer: Callable[..., None]) -> dict[str, Any]:
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


Result = Mapping[str, Any]  # as JSON keeps it
EXAMPLE_SCORE = "score"  # the main score of problems: the mean over examples


class _Clock:
    """Wall time and processor time, of all threads, since it was made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self._wall, time.process_time() - self._cpu


def measured(
    estimator: Any, train: Any, test: Any, listener: Listener, peak: Callable[[], float | None] = lambda: None
) -> dict[str, Any]:
    """Trains and scores. peak: the memory so far in MB, where it is this training's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the data deserve was told before
        measure = _problem if isinstance(estimator, Predictor) else _sequences
        return measure(estimator, train, test, listener, peak)


def _sequences(
    estimator: Any, train: Any, test: Any, listener: Listener, peak: Callable[[], float | None]
) -> dict[str, Any]:
    clock = _Clock()
    estimator.fit(train, listener=listener)
    training = clock.read()
    clock = _Clock()
    estimator.prepare()
    preparing, _ = clock.read()
    clock = _Clock()
    predicted = estimator.predict_ids(test)
    decoding = clock.read()
    memory = peak()
    evaluation = estimator.evaluate(test, predicted=predicted)
    choice = choice_of(estimator, training=False)
    return {
        "recipe": choice.recipe.name,
        "structure": choice.structure.name,
        "queue": choice.queue,
        **_costs(training, decoding, memory, estimator, by_name(estimator.model_).count()),
        "seconds_prepare": preparing,
        "tokens": test.tokens,
        "best_epoch": estimator.best_epoch_,
        "main": evaluation.main,
        "metrics": evaluation.metrics,
        "counts": evaluation.rows.tolist(),
        "errors": estimator.search_errors(test, predicted=predicted).counts,
    }


def _problem(
    estimator: Any, train: Any, test: Any, listener: Listener, peak: Callable[[], float | None]
) -> dict[str, Any]:
    clock = _Clock()
    estimator.fit(train.inputs, train.outputs)
    training = clock.read()
    clock = _Clock()
    predicted = estimator.predict(test.inputs)
    decoding = clock.read()
    memory = peak()
    scores = estimator.scores_of(test.inputs, test.outputs, predicted)
    return {
        "recipe": estimator.recipe,
        "structure": type(estimator.problem).__name__,
        "queue": estimator.queue or "beam",
        **_costs(training, decoding, memory, estimator, len(estimator.weights())),
        "seconds_prepare": 0.0,
        "tokens": len(test),
        "best_epoch": estimator.epochs,
        "main": EXAMPLE_SCORE,
        "metrics": {EXAMPLE_SCORE: 100 * float(np.mean(scores))},
        "counts": [[score, 1.0] for score in scores],
        "errors": estimator.search_errors(test.inputs, test.outputs).counts,
    }


def _costs(
    training: tuple[float, float],
    decoding: tuple[float, float],
    memory: float | None,
    estimator: Any,
    weights: int,
) -> dict[str, Any]:
    return {
        "seconds_train": training[0],
        "cpu_train": training[1],
        "seconds_decode": decoding[0],
        "cpu_decode": decoding[1],
        "peak_rss_mb": memory,
        "model_mb": _size(estimator),
        "weights": weights,
    }


def _size(estimator: Any) -> float | None:
    """Of the model file in MB; None for a problem whose actions no file can hold."""
    try:
        return len(to_bytes(estimator)) / 1e6
    except RiataError:
        return None


ENDING = ".cell"


class Store:
    """The file of a cell is a line with the digest of what follows, and its JSON. One that is damaged counts as not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.damaged: list[str] = []  # files that could not be used
        self._check()

    def get(self, key: str) -> dict[str, Any] | None:
        path = self._path(key)
        try:
            digest, _, body = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}.", remedy="Choose another --work.", file=path) from None
        if hashlib.sha256(body).hexdigest().encode() != digest:
            self.damaged.append(path.name)
            return None
        found: dict[str, Any] = json.loads(body)
        return found

    def put(self, key: str, result: dict[str, Any]) -> None:
        body = json.dumps(result).encode()
        try:
            with whole_file(self._path(key)) as file:
                file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DataError(
                f"a finished training cannot be kept: {reason}.", remedy="Choose another --work.", file=self.folder
            ) from None

    def forget(self, keys: Iterable[str]) -> None:
        for key in keys:
            with contextlib.suppress(FileNotFoundError):
                self._path(key).unlink()

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{ENDING}"

    def _check(self) -> None:
        """Finds out before training, not after it, that nothing can be kept."""
        problem = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            problem = "it is no folder"
        except OSError as error:
            problem = error.strerror or str(error)
        if problem is None and not os.access(self.folder, os.W_OK | os.X_OK):
            problem = "it may not be written to"
        if problem is not None:
            raise SettingError(
                f"finished trainings cannot be kept in {str(self.folder)!r}: {problem}.",
                remedy="Choose another folder with --work.",
            )
