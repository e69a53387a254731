"""The weights of chains as arrays of a model file and back, and their memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import FeatureIndex, StoredChain
from riata.errors import ModelFileError
from riata.features.compile import Features
from riata.features.frequency import FREQUENCY
from riata.inference.rules.legality import Flags, Legality
from riata.models.arrays import narrow, read_array, read_counts
from riata.models.container import Arrays
from riata.models.feature_parts import refuse_huge, row_width

FEWEST_BITS, MOST_BITS = 10, 30  # of a table of hashed weights
NONE = np.empty(0, np.uint8)
NO_ROWS = (NONE, NONE, np.empty(0, np.float32))


def weight_bytes(features: Features, sizes: Sequence[int], labels: int) -> int:
    """The memory, in bytes, of the weights of these numbers of n-grams, one per family."""
    if features.bits:
        return 4 << features.bits
    slots = [[0, 0] for _ in sizes]
    for family, _, edge in features.program.reads:
        slots[family][edge] += 1
    rows = sum(size * (node + edge * labels) for size, (node, edge) in zip(sizes, slots, strict=True))
    return 4 * row_width(labels) * (rows + labels + len(features.given))


def ngram_sizes(features: Features, index: FeatureIndex | None = None) -> list[int]:
    """The number of n-grams of each family, in this index or in that of the features."""
    index = features.index if index is None else index
    return [index.size(family) for family in range(len(features.program.families))]


def read_bits(header: Mapping[str, Any]) -> int:
    bits = header.get("bits")
    if not isinstance(bits, int) or isinstance(bits, bool) or not (bits == 0 or FEWEST_BITS <= bits <= MOST_BITS):
        raise ModelFileError("the model's bits are missing or inconsistent")
    return bits


def read_table(arrays: Arrays, features: Features, labels: int) -> StoredChain:
    """The weights of a model whose features are hashed."""
    none = {"values": NONE, "parents": NONE, "node": NO_ROWS, "edge": NO_ROWS}
    if any(name == FREQUENCY for name, _ in features.program.attributes):
        raise ModelFileError("the model's templates are inconsistent")
    refuse_huge(weight_bytes(features, [], labels))
    sparse = {
        "families": [none for _ in features.program.families],
        "kept_given": read_counts(arrays, "table/places"),
        "given": read_rows(arrays, "table/rows"),
        "transition": read_rows(arrays, "transition"),
        "history": read_history(arrays, False),
    }
    return StoredChain(features.index, sparse, labels, [0 for _ in features.alphabets], 0)


def store_rows(arrays: Arrays, name: str, rows: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]) -> None:
    counts, columns, values = rows
    arrays[f"{name}/counts"] = narrow(counts)
    arrays[f"{name}/columns"] = narrow(columns)
    arrays[f"{name}/values"] = values


def read_rows(arrays: Arrays, name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    values = read_array(arrays, f"{name}/values", real=True)
    return (
        read_counts(arrays, f"{name}/counts"),
        read_counts(arrays, f"{name}/columns"),
        values.astype(np.float32, copy=False),
    )


def read_history(arrays: Arrays, has: bool) -> dict[str, Any]:
    if not has:
        return {"slots": NONE, "ngrams": NONE, "labels": NONE, "rows": NO_ROWS}
    numbers = {name: read_counts(arrays, f"history/{name}") for name in ("slots", "ngrams", "labels")}
    return {**numbers, "rows": read_rows(arrays, "history/rows")}


def read_family(arrays: Arrays, family: int, *, root: bool) -> dict[str, Any]:
    name = f"family/{family}"
    return {
        "parents": NONE if root else read_counts(arrays, f"{name}/parents"),
        "values": read_counts(arrays, f"{name}/values"),
        "order": read_counts(arrays, f"{name}/order") if f"{name}/order" in arrays else NONE,
        "node": read_rows(arrays, f"{name}/node"),
        "edge": read_rows(arrays, f"{name}/edge"),
    }


def read_legality(arrays: Arrays, labels: int) -> Legality:
    found = Legality(
        _flags(arrays, "start", labels), _flags(arrays, "end", labels), _flags(arrays, "follow", labels**2)
    )
    if not found.is_complete:
        raise ModelFileError("the model's labels are inconsistent: not every sentence has a legal labelling")
    return found


def _flags(arrays: Arrays, name: str, size: int) -> Flags:
    flags = read_array(arrays, name)
    if flags.dtype != np.uint8 or flags.size != size or (flags > 1).any():
        raise ModelFileError(f"the model's array {name!r} is inconsistent")
    return flags.copy()
