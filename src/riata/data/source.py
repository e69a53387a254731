"""Bytes of a file in pieces: plain or gzip, or standard input; every failure as a DataError that names the file."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from riata.errors import DataError

PIECE = 1 << 20
STANDARD_INPUT = "-"


def name_of(path: str | Path) -> str:
    return "<standard input>" if str(path) == STANDARD_INPUT else str(path)


def pieces(path: str | Path) -> Iterator[bytes]:
    """The content of a file (or of standard input, for "-"), unpacked where it is gzip, in pieces as they come."""
    try:
        yield from _raw_pieces(path)
    except FileNotFoundError:
        raise DataError("no such file.", remedy="Check the path.", file=name_of(path)) from None
    except IsADirectoryError:
        raise DataError("this is a directory; expected a file.", file=name_of(path)) from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise DataError(
            f"the gzip file is damaged or cut short: {error}.",
            remedy="Fetch or compress the file again.",
            file=name_of(path),
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL byte
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}.", file=name_of(path)) from None


def _raw_pieces(path: str | Path) -> Iterator[bytes]:
    if str(path) == STANDARD_INPUT:
        yield from _unpacked(sys.stdin.buffer)
        return
    with open(path, "rb", buffering=PIECE) as file:
        yield from _unpacked(file)


def _unpacked(file: IO[bytes]) -> Iterator[bytes]:
    # read1 returns what a pipe has ready, so that a stream is answered line by line and not megabyte by megabyte.
    read = getattr(file, "read1", file.read)
    head = file.peek(2)[:2] if hasattr(file, "peek") else b""
    if head == b"\x1f\x8b":
        read = gzip.GzipFile(fileobj=file).read1
    while piece := read(PIECE):
        yield piece


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
