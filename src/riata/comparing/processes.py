"""Trainings in processes of their own: what comes back, and what went wrong where nothing does."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import IO, Any

from riata.comparing.plan import Cell, Plan
from riata.comparing.worker import Job

# Not `-m`, which would look for modules in the folder where the user happens to be.
PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from riata.comparing.worker import main; main()"


class FailedError(Exception):
    """A training that gave no result; its text is the reason."""


class Processes:
    """Runs cells of a plan, each in a new process, from any number of threads."""

    def __init__(self, plan: Plan) -> None:
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
        job = Job(self._plan.estimator(cell), self._plan.part(cell), os.getpid())
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
