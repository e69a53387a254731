"""Files that are written whole or not at all: what stood there before stays until the new one is complete."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from riata.errors import DataError


@contextlib.contextmanager
def whole_file(path: str | Path, *, durable: bool = False) -> Iterator[IO[bytes]]:
    """A file beside its final place, moved there when everything has been written. A link stays, and leads to the new file.

    durable: not before the disk has it, so that not even a power failure leaves half a file.
    """
    target = os.path.realpath(path)
    handle, temporary = _beside(target)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def problem_with(path: str | Path) -> str | None:
    """Why no file could be written there, tried out before the work and not after it; None: one can."""
    try:
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.path.isfile(target):
            return "this is a directory" if os.path.isdir(target) else "this is no regular file"
        if not os.path.isdir(os.path.dirname(target)):
            return "its folder does not exist"
        handle, temporary = _beside(target)
    except PermissionError:
        return "its folder may not be written to"
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL character
        return f"its folder cannot be written to: {getattr(error, 'strerror', None) or error}"
    os.close(handle)
    os.unlink(temporary)
    return None


def check_target(path: str | Path, what: str, remedy: str) -> None:
    """Raises DataError if no file could be written there. what: it would contain."""
    problem = problem_with(path)
    if problem is not None:
        raise DataError(f"{what} cannot be written: {problem}.", remedy=remedy, file=path)


def _beside(target: str) -> tuple[int, str]:
    """A new file in the same folder: its handle and its path."""
    import tempfile

    folder, name = os.path.split(target)
    return tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=folder)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
