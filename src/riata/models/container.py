"""The container of a model file: one file of named arrays behind a JSON header. Data only, nothing is executed.

    bytes   0-7   the magic number
            8-11  version of the container (little endian, like every number)
           12-15  zero
           16-23  length of the header
           24-31  length of the file
           32-35  CRC-32 of bytes 0-31 and of everything from byte 64 on; 36-63 zero
           64-    header (JSON, UTF-8), then the arrays, each at a multiple of 64 bytes

Arrays are used as they stand. The file is written beside its final place and moved there when it is complete.
"""

from __future__ import annotations

import json
import os
import stat
import struct
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, TypeGuard

import numpy as np
from numpy.typing import NDArray

from riata._core import fast_crc32, has_fast_crc32
from riata.errors import ModelFileError
from riata.registry import qualified_name as qualified_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


MAGIC = b"RIATA\r\n\x1a"
VERSION = 2  # files of version 1 have BLAKE2b-256 in bytes 32-63
_FIXED = struct.Struct("<8sIIQQ")
_PROLOGUE = 64
_ALIGN = 64
_SUM = struct.Struct("<I28x")
LARGE = 1 << 28  # bytes of a file whose header is read before the rest
_MAKES = "`riata train` makes models."
_ELSEWHERE = "Make room, or choose another place."
_DTYPES = {name: np.dtype(f"<{name}") for name in ("u1", "u2", "u4", "i4", "i8", "f4", "f8")}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}

Arrays = dict[str, NDArray[Any]]


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a model file."""
    places: list[dict[str, Any]] = []
    offset = 0
    for name, array in arrays.items():
        places.append(
            {"name": name, "dtype": _NAMES[array.dtype.newbyteorder("<")], "size": int(array.size), "offset": offset}
        )
        offset = _aligned(offset + array.nbytes)
    whole = {"arrays": places, **header}
    text = json.dumps(whole, ensure_ascii=False, sort_keys=True, default=plain).encode("utf-8")
    body = bytearray(text.ljust(_aligned(len(text)), b" "))
    for place, array in zip(places, arrays.values(), strict=True):
        body += np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
        body += bytes(_aligned(len(body)) - len(body))
        assert place["offset"] + array.nbytes <= len(body)
    fixed = _FIXED.pack(MAGIC, VERSION, 0, len(text), _PROLOGUE + len(body))
    return fixed + _digest(fixed, body) + bytes(body)


def write(path: str | Path, content: bytes) -> None:
    """Writes a file completely or not at all; the old file stays until the new one is complete."""
    from riata.data.atomic_file import whole_file

    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise ValueError("this is no regular file")
        with whole_file(path, durable=True) as file:
            file.write(content)
    except (OSError, ValueError) as error:
        raise _not_written(path, error) from None


def read(path: str | Path) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a model file, checked. The arrays are views of bytes that are read once, so later changes of the file do not
    matter.
    """
    try:
        return unpack(content_of(path))
    except ModelFileError as error:
        raise error.located(path) from None


def content_of(path: str | Path) -> memoryview:
    """The bytes of a model file. Nothing but its start is read unless that is one of a model with as many bytes as the file has."""
    if isinstance(path, int):  # open() would take it for the number of an open file
        raise ModelFileError(f"found the number {path} in place of the path of a model file.", remedy="Give a path.")
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            start = file.read(_PROLOGUE)
            if not stat.S_ISREG(status.st_mode):  # a pipe does not say how much it will give
                size = _sizes(start, None)[-1]
                return memoryview(_read_up_to(file, bytearray(start), size + 1))
            _, _, header_size, size = _sizes(start, max(status.st_size, len(start)))
            if size > LARGE:
                _places(_header(file.read(min(header_size, LARGE))), size - _PROLOGUE - _aligned(header_size))
                file.seek(_PROLOGUE)
            content = np.empty(status.st_size, np.uint8)
            content[: len(start)] = np.frombuffer(start, np.uint8)
            return content[: len(start) + file.readinto(content[len(start) :].data)].data
    except FileNotFoundError:
        raise ModelFileError("no such file.", remedy=_MAKES, file=path) from None
    except MemoryError:
        raise ModelFileError("the model is larger than the memory that is left.", file=path) from None
    except ModelFileError as error:
        raise error.located(path) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL character
        raise ModelFileError(f"cannot be read: {_reason(error)}.", remedy=_MAKES, file=path) from None


def _read_up_to(file: BinaryIO, content: bytearray, most: int) -> bytearray:
    """In parts, so that no more memory is taken than there are bytes."""
    while len(content) < most and (part := file.read(min(most - len(content), 1 << 20))):
        content += part
    return content


def _sizes(start: bytes | memoryview, length: int | None) -> tuple[int, int, int, int]:
    """Version, reserved bytes, length of the header and of the file. start: its first bytes; length: how many it has, if that is known."""
    if not len(start):
        raise ModelFileError("the file is empty; expected a Riata model.", remedy=_MAKES)
    if len(start) < len(MAGIC) and MAGIC.startswith(bytes(start)):
        raise _damaged("the file is cut short")
    if start[: len(MAGIC)] != MAGIC:
        raise ModelFileError("this is not a Riata model.", remedy=_MAKES)
    if len(start) < _PROLOGUE:
        raise _damaged("the file is cut short")
    _, version, zero, header_size, size = _FIXED.unpack(start[: _FIXED.size])
    if version > VERSION:
        raise ModelFileError(
            f"the file has version {version} of the model format; this Riata reads up to {VERSION}.",
            remedy="Update Riata, or train the model again.",
        )
    if length is not None and size != length:
        raise _damaged(f"expected {size:,} bytes, found {length:,}")
    return version, zero, header_size, size


def unpack(content: memoryview) -> tuple[dict[str, Any], Arrays]:
    version, zero, header_size, _ = _sizes(content[:_PROLOGUE], len(content))
    body = content[_PROLOGUE:]
    if zero != 0 or _digest(content[: _FIXED.size], body, version) != content[_FIXED.size : _PROLOGUE]:
        raise _damaged("the checksum does not match")
    if header_size > len(body):
        raise _damaged("the header is longer than the file")
    header = _header(bytes(body[:header_size]))
    return header, _arrays(header, body[min(_aligned(header_size), len(body)) :])


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("utf-8"))
        if b"\\u" in text:
            json.dumps(header, ensure_ascii=False).encode("utf-8")  # "\\ud800" is valid JSON but not a text
    except (ValueError, RecursionError):
        raise _damaged("the header is not JSON") from None
    if not isinstance(header, dict):
        raise _damaged("the header is not an object")
    return header


def _arrays(header: dict[str, Any], data: memoryview) -> Arrays:
    return {
        name: np.frombuffer(data, kind, count=size, offset=offset) if size else np.empty(0, kind)
        for name, (kind, size, offset) in _places(header, len(data)).items()
    }


def _places(header: dict[str, Any], length: int) -> dict[str, tuple[np.dtype[Any], int, int]]:
    """The kind, size and offset of every array, checked: they fill the bytes after the header, of which there are so many."""
    found: dict[str, tuple[np.dtype[Any], int, int]] = {}
    end = 0
    places = header.pop("arrays", None)
    if not isinstance(places, list):
        raise _damaged("the header lists no arrays")
    for place in places:
        if not isinstance(place, dict):
            raise _damaged("an array is described wrongly")
        name, dtype, size, offset = place.get("name"), place.get("dtype"), place.get("size"), place.get("offset")
        if not isinstance(name, str) or not isinstance(dtype, str) or dtype not in _DTYPES:
            raise _damaged("an array is described wrongly")
        if not _is_count(size) or not _is_count(offset):
            raise _damaged("an array is described wrongly")
        kind = _DTYPES[dtype]
        # In order and without overlap, so that no file asks for more memory than it has bytes.
        if name in found or offset % _ALIGN or offset < end or offset + size * kind.itemsize > length:
            raise _damaged(f"array {name!r} lies outside the file or on another array")
        end = offset + size * kind.itemsize
        found[name] = (kind, size, offset)
    if length - end >= _ALIGN:
        raise _damaged(f"{length - end:,} bytes follow the last array")
    return found


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _digest(fixed: bytes | memoryview, body: bytes | bytearray | memoryview, version: int = VERSION) -> bytes:
    """A checksum against accidental damage. It must be fast, since the whole file is read for it before anything else."""
    if version > 1:
        before = zlib.crc32(fixed)
        fast = has_fast_crc32 and len(body) > 0
        return _SUM.pack(fast_crc32(np.frombuffer(body, np.uint8), before) if fast else zlib.crc32(body, before))
    import hashlib

    digest = hashlib.blake2b(fixed, digest_size=_PROLOGUE - _FIXED.size)
    digest.update(body)
    return digest.digest()


def plain(value: Any) -> Any:
    """NumPy numbers and arrays, such as a setting's, as Python numbers and lists, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"a model file holds no {type(value).__name__}")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _damaged(what: str) -> ModelFileError:
    return ModelFileError(
        f"the model file is damaged: {what}.", remedy="Copy the file again, or train the model again."
    )


def _not_written(path: str | Path, error: Exception) -> ModelFileError:
    kept = "The file that was there is untouched." if os.path.exists(path) else "Nothing was written."
    return ModelFileError(
        f"the model could not be written: {_reason(error)}.", remedy=f"{kept} {_ELSEWHERE}", file=path
    )


FORMAT = "riata model"
SETTING = "setting "  # before the name of a setting whose value is a function: its role among the functions of a model
TAGGER = "tag"  # the task of the taggers that a model with tags of its own stores
STRUCTURE = "structure"  # used instead of a task's name, by predictors of structures in Python
PROBLEM = "problem"  # used instead of a task's name, by predictors of problems in Python
