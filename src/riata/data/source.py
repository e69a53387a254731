"""Bytes of a file in pieces: plain or gzip, or standard input; every failure as a DataError that names the file."""

from __future__ import annotations

import select
import sys
import zlib
from typing import IO, TYPE_CHECKING

from riata.errors import DataError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from pathlib import Path

PIECE = 1 << 20
STANDARD_INPUT = "-"
GZIP = 16 + zlib.MAX_WBITS  # of zlib: what has the head and the end of a gzip file
POLL = 50  # milliseconds between looks whether more is wanted


def name_of(path: str | Path) -> str:
    return "<standard input>" if str(path) == STANDARD_INPUT else str(path)


def pieces(path: str | Path, stopped: threading.Event | None = None) -> Iterator[bytes]:
    """The content of a file (or of standard input, for "-"), unpacked where it is gzip, in pieces as they come.

    stopped: set by another thread when no more are wanted; they end soon, also while a pipe has nothing to read.
    """
    try:
        yield from _raw_pieces(path, stopped)
    except FileNotFoundError:
        raise DataError("no such file.", remedy="Check the path.", file=name_of(path)) from None
    except IsADirectoryError:
        raise DataError("this is a directory; expected a file.", file=name_of(path)) from None
    except (zlib.error, EOFError) as error:
        raise DataError(
            f"the gzip file is damaged or cut short: {error}.",
            remedy="Fetch or compress the file again.",
            file=name_of(path),
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL byte
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}.", file=name_of(path)) from None


def _raw_pieces(path: str | Path, stopped: threading.Event | None) -> Iterator[bytes]:
    if str(path) == STANDARD_INPUT:
        yield from _content(sys.stdin.buffer, stopped)
        return
    with open(path, "rb", buffering=PIECE) as file:
        yield from _content(file, stopped)


def _content(file: IO[bytes], stopped: threading.Event | None) -> Iterator[bytes]:
    head = file.peek(2)[:2] if hasattr(file, "peek") else b""
    return _unpacked(_ready(file, stopped)) if head == b"\x1f\x8b" else _ready(file, stopped)


def _ready(file: IO[bytes], stopped: threading.Event | None) -> Iterator[bytes]:
    """What the file has ready, again and again, so that a stream is answered line by line and not megabyte by megabyte.

    No thread waits inside of a read where it cannot be stopped: an interpreter that ends meanwhile would abort.
    """
    read: Callable[[int], bytes] = getattr(file, "read1", file.read)
    poll = None if stopped is None else _poll_of(file)
    while piece := read(
        PIECE
    ):  # for the first time without asking: a buffer may hold something that the system does not know of
        yield piece
        while poll is not None and stopped is not None and not poll(POLL):
            if stopped.is_set():
                return


def _unpacked(packed: Iterator[bytes]) -> Iterator[bytes]:
    """The content of gzip members, one after another, so far as it can be told from the bytes that have come."""
    unpacker = None
    for piece in packed:
        while piece:
            if unpacker is None:
                piece = piece.lstrip(b"\0")  # members may be padded
                unpacker = zlib.decompressobj(GZIP) if piece else None
                continue
            yield unpacker.decompress(piece, PIECE)
            piece = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            unpacker = None if unpacker.eof else unpacker
    if unpacker is not None:
        raise EOFError("the end is missing")


def _poll_of(file: IO[bytes]) -> Callable[[int], object] | None:
    """Whether there is something to read, or an end, within so many milliseconds; None for what cannot be asked."""
    try:
        number = file.fileno()
    except (OSError, AttributeError):  # OSError: a file in memory
        return None
    if not hasattr(select, "poll"):
        return None
    asked = select.poll()
    asked.register(number, select.POLLIN)
    return asked.poll


def resized(given: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of this size, the last one apart."""
    held = bytearray()
    for piece in given:
        held += piece
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
    if held:
        yield bytes(held)
