"""Ctrl-C, for certain: an interrupt that Python loses or turns into another error is one all the same."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself imports much before Ctrl-C can be answered
import _thread
import sys
import time

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any

SOON = 0.005  # seconds after which an interrupt that Python has lost comes again


class Interrupts:
    """Knows whether Ctrl-C came, from the moment it is made."""

    def __init__(self) -> None:
        self.came = False
        self._listens = (
            signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )  # neither ignored nor somebody else's
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


class AsInterrupt:
    """A context that raises KeyboardInterrupt where one was turned into another error,
    as by a lock of Python's that it took by surprise.
    """

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if isinstance(error, RuntimeError) and isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None


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
