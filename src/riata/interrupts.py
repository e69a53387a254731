"""Ctrl-C, for certain: an interrupt that Python loses or turns into another error is one all the same."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself imports much before Ctrl-C can be answered

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any


class Interrupts:
    """Knows whether Ctrl-C came, from the moment it is made."""

    def __init__(self) -> None:
        self.came = False
        self._listens = (
            signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )  # neither ignored nor somebody else's
        self._set(self._answer)

    def _answer(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        raise KeyboardInterrupt

    def _set(self, handler: Any) -> None:
        if self._listens:
            try:
                signal.signal(signal.SIGINT, handler)
            except ValueError:  # this is not the main thread, which is the one that hears
                self._listens = False

    def ignore(self) -> None:
        """From now on none is heard: the process ends."""
        self._set(signal.SIG_IGN)

    def leave(self) -> None:
        """From now on Python answers."""
        self._set(signal.default_int_handler)


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
