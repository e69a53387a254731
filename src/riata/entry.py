"""Where the command line starts. Imports next to nothing before it can answer Ctrl-C."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself imports much before Ctrl-C can be answered
import _thread
import gc
import os
import sys
import time

from riata.errors import MESSAGE, is_shortage

WRONG = 2
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line. Exit status: 0 done, 2 wrong usage or bad input, 130 interrupted."""
    interrupts = Interrupts()
    # Nothing here multiplies large matrices: threads that NumPy's library starts for that only wait, which takes 40 ms. Where there is no
    # memory for them, it sends an interrupt.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if arguments is None:
        # What is imported stays: to look for garbage in it again and again takes a tenth of a short run.
        gc.set_threshold(100_000)
    try:
        from riata.commands.base import run

        status = run(arguments)
        interrupts.ignore()
    except BaseException as error:
        interrupts.ignore()
        short = is_shortage(error)
        if not interrupts.came and not short:
            raise
        status = WRONG if short else INTERRUPTED
        if short and not interrupts.came:
            sys.stderr.write(MESSAGE)
    if interrupts.came:  # even where Python has lost it, as in a destructor
        status = INTERRUPTED
        print("Interrupted.", file=sys.stderr)
    if arguments is not None:  # called by a program that goes on
        interrupts.leave()
    else:
        gc.freeze()  # nor at the end
    sys.exit(status)


TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

SOON = 0.005  # seconds after which an interrupt that Python has lost comes again


class Interrupts:
    """Knows whether Ctrl-C came, from the moment it is made."""

    def __init__(self) -> None:
        self.came = False
        # Neither ignored nor somebody else's.
        self._listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        self._others = sys.unraisablehook
        self._set(self._answer)
        if self._listens:
            sys.unraisablehook = self._lost

    def _answer(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        raise KeyboardInterrupt

    def _set(self, handler: Any) -> None:
        self._listens = self._listens and _sets(signal.SIGINT, handler)

    def _lost(self, what: sys.UnraisableHookArgs, /) -> None:
        """Python can raise no error from a destructor or the callback of a weak reference, so an interrupt there comes again."""
        if isinstance(what.exc_value, KeyboardInterrupt):
            _thread.start_new_thread(_interrupt_soon, (_thread.get_ident(),))
        else:
            self._others(what)

    def ignore(self) -> None:
        """From now on none is heard: the process ends."""
        self._set(signal.SIG_IGN)

    def leave(self) -> None:
        """From now on Python answers."""
        self._set(signal.default_int_handler)
        sys.unraisablehook = self._others


def _sets(number: int, handler: Any) -> bool:
    """Sets what answers a signal; False if this is not the main thread, which is the one that hears."""
    try:
        signal.signal(number, handler)
    except ValueError:
        return False
    return True


def _interrupt_soon(thread: int) -> None:
    """thread: the one that hears."""
    time.sleep(SOON)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signal.SIGINT)
    else:  # Windows: this does not end a wait for a file or for time
        _thread.interrupt_main()


class Terminated:
    """A context in which SIGTERM, as batch systems send it, is answered as Ctrl-C is, so that work is kept. came: whether one did."""

    STATUS = 143  # of a process that SIGTERM ended

    def __init__(self) -> None:
        self.came = False
        self._listens = hasattr(signal, "SIGTERM") and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL

    def _answer(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        raise KeyboardInterrupt

    def __enter__(self) -> Terminated:
        self._listens = self._listens and _sets(signal.SIGTERM, self._answer)
        return self

    def __exit__(self, *_: object) -> None:
        if self._listens:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
