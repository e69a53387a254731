"""Texts and numbers in the arrays of model files: numbers have the narrowest type, and are checked when they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet
from riata.errors import ModelFileError
from riata.models.container import Arrays


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """The numbers in the narrowest unsigned type that can hold them."""
    top = int(array.max()) if array.size else 0
    return array.astype(np.uint8 if top < 1 << 8 else np.uint16 if top < 1 << 16 else np.uint32)


def _wrong_array(name: str) -> ModelFileError:
    return ModelFileError(
        f"the model's array {name!r} is missing or of the wrong type.",
        remedy="If another version of Riata made the file, train the model again with this one.",
    )


def read_array(arrays: Arrays, name: str, *, real: bool = False) -> NDArray[Any]:
    array = arrays.get(name)
    if array is None or (array.dtype.kind == "f") != real:
        raise _wrong_array(name)
    return array


def read_counts(arrays: Arrays, name: str) -> NDArray[Any]:
    """Integers as they are stored, unsigned and of 8, 16 or 32 bits, without copying."""
    array = read_array(arrays, name)
    if array.dtype.kind != "u" or array.dtype.itemsize > 4:
        raise _wrong_array(name)
    return array


def store_texts(arrays: Arrays, name: str, texts: Sequence[str]) -> None:
    encoded = [text.encode("utf-8") for text in texts]
    arrays[f"{name}/bytes"] = np.frombuffer(b"".join(encoded), np.uint8)
    arrays[f"{name}/lengths"] = narrow(np.array([len(text) for text in encoded], np.int64))


def read_alphabet(arrays: Arrays, name: str) -> Alphabet:
    lengths = read_array(arrays, f"{name}/lengths")
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, dtype=np.int64, out=offsets[1:])
    try:
        return Alphabet(read_array(arrays, f"{name}/bytes").tobytes(), offsets)
    except ModelFileError as error:
        raise ModelFileError(f"the model's {name!r}: {error.message}.") from None


def read_strings(header: Mapping[str, Any], key: str) -> list[str]:
    values = header.get(key)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ModelFileError(f"the model's {key} are missing or inconsistent")
    return values
