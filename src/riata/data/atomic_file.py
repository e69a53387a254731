"""Files that are written whole or not at all: what stood there before stays until the new one is complete."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def whole_file(path: str | Path, *, durable: bool = False) -> Iterator[IO[bytes]]:
    """A file beside its final place, moved there when everything has been written. A link stays, and leads to the new file.

    durable: not before the disk has it, so that not even a power failure leaves half a file.
    """
    import tempfile

    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=folder)
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
    """Why no file could be written there, found out before the work and not after it; None: one can."""
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.exists(path) and not os.path.isfile(path):
        return "this is a directory" if os.path.isdir(path) else "this is no regular file"
    if not os.path.isdir(folder):
        return "its folder does not exist"
    return None if os.access(folder, os.W_OK) else "its folder may not be written to"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
