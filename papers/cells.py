"""Cells of a table as JSON lines, so that a table can be run piece by piece. A cell is one training of a row, with one seed."""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
import math
import threading
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from papers.reproduction import Samples
from riata.errors import DataError
from riata.measuring.provenance import append
from riata.scoring.evaluation import STATISTICS
from riata.scoring.figures import Sample

Line = dict[str, Any]


@dataclass(eq=False)
class Cells:
    """The file of cells. A line is found again by its key: everything that a training depends on, without the program's version."""

    path: Path
    lines: dict[str, Line] = field(default_factory=dict)  # by digest of the key
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, path: Path) -> Cells:
        """The cells of a file, which need not exist yet; DataError names the line that is none."""
        found = cls(path)
        if not path.parent.is_dir():
            remedy = "Make the folder, or name another file."
            raise DataError(f"there is no folder {str(path.parent)!r} to write to.", remedy=remedy, file=path)
        try:
            path.open("ab").close()  # now, not after hours of training, is the time to refuse it
            content = path.read_bytes()
            text = (lzma.decompress(content) if content and _is_packed(path) else content).decode("utf-8")
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror}.", remedy="Choose another file.", file=path) from None
        except (UnicodeDecodeError, lzma.LZMAError):
            what = "no xz file" if _is_packed(path) else "not valid UTF-8"
            raise DataError(f"{what}.", remedy="Choose a file of cells.", file=path) from None
        for number, line in enumerate(text.splitlines(), 1):
            try:
                cell = json.loads(line)
                _check(cell)
                found.lines[cell["digest"]] = cell
            except (ValueError, KeyError, TypeError, AttributeError, zlib.error):
                remedy = "Remove the line; its cell is then trained again."
                raise DataError(
                    "expected one cell of a table as JSON.", remedy=remedy, file=path, line=number
                ) from None
        return found

    def get(self, key: Mapping[str, Any]) -> Line | None:
        return self.lines.get(digest(key))

    def add(self, row: str, key: Mapping[str, Any], samples: Samples, about: Mapping[str, Any]) -> Line:
        """Appends a line to the file, at once. row: the name, for readers."""
        line = {
            "row": row,
            **key,
            "digest": digest(key),
            **about,
            "measured": {name: packed(one, raw=_is_packed(self.path)) for name, one in samples.items()},
        }
        with self.lock:
            self.lines[line["digest"]] = line
            if _is_packed(self.path):
                with lzma.open(self.path, "at", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            else:
                append([line], self.path)
        return line


def _is_packed(path: Path) -> bool:
    """Whether a file of cells is compressed as a whole. Cells of a table are much alike, so that it takes a fifteenth of the space."""
    return path.suffix == ".xz"


def _check(cell: Line) -> None:
    """Raises an error of any kind unless the line has what a table reads of a cell: finite numbers, and counts that can be unpacked."""
    samples = measured(cell)
    if not samples or not all(math.isfinite(one.value) for one in samples.values()):
        raise ValueError
    if "epoch" in samples and not (
        samples["epoch"].value.is_integer() and 1 <= samples["epoch"].value <= cell["epochs"]
    ):
        raise ValueError
    _ = cell["commit"], cell["cpu"]


def digest(key: Any) -> str:
    """A short name of anything that JSON can write."""
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]


def measured(line: Line) -> dict[str, Sample]:
    return {name: unpacked(one) for name, one in line["measured"].items()}


def packed(sample: Sample, *, raw: bool = False) -> dict[str, Any]:
    """A number; of a score, with the counts of every sentence: compressed, or raw, where the whole file is compressed."""
    if sample.counts is None or sample.statistic is None:
        return {"value": sample.value}
    name = next(name for name, statistic in STATISTICS.items() if statistic is sample.statistic)
    small = sample.counts.astype(np.min_scalar_type(int(sample.counts.max(initial=0))))
    known = {"value": sample.value, "statistic": name, "shape": small.shape, "type": small.dtype.str}
    if raw:
        return {**known, "raw": small.tobytes().hex()}
    return {**known, "counts": base64.b64encode(zlib.compress(small.tobytes(), 9)).decode()}


def unpacked(stored: Mapping[str, Any]) -> Sample:
    if "raw" in stored:
        content = bytes.fromhex(stored["raw"])
    elif "counts" in stored:
        content = zlib.decompress(base64.b64decode(stored["counts"]))
    else:
        return Sample(float(stored["value"]))
    counts = np.frombuffer(content, stored["type"]).reshape(stored["shape"]).astype(np.int64)
    return Sample(float(stored["value"]), counts, STATISTICS[stored["statistic"]])
