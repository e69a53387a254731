"""Cells of a table as JSON lines, so that a table can be run piece by piece. A cell is one training of a row, with one seed."""

from __future__ import annotations

import base64
import hashlib
import json
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
from riata.measuring.log import append
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
            with open(
                path, "a+", encoding="utf-8"
            ) as file:  # now, not after hours of training, is the time to refuse it
                file.seek(0)
                text = file.read()
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror}.", remedy="Choose another file.", file=path) from None
        except UnicodeDecodeError:
            raise DataError("not valid UTF-8.", remedy="Choose a file of cells.", file=path) from None
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
            "measured": {name: packed(one) for name, one in samples.items()},
        }
        with self.lock:
            self.lines[line["digest"]] = line
            append([line], self.path)
        return line


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


def packed(sample: Sample) -> dict[str, Any]:
    """A number; of a score, with the counts of every sentence, compressed."""
    if sample.counts is None or sample.statistic is None:
        return {"value": sample.value}
    name = next(name for name, statistic in STATISTICS.items() if statistic is sample.statistic)
    small = sample.counts.astype(np.min_scalar_type(int(sample.counts.max(initial=0))))
    text = base64.b64encode(zlib.compress(small.tobytes(), 9)).decode()
    return {"value": sample.value, "statistic": name, "shape": small.shape, "type": small.dtype.str, "counts": text}


def unpacked(stored: Mapping[str, Any]) -> Sample:
    if "counts" not in stored:
        return Sample(float(stored["value"]))
    content = zlib.decompress(base64.b64decode(stored["counts"]))
    counts = np.frombuffer(content, stored["type"]).reshape(stored["shape"]).astype(np.int64)
    return Sample(float(stored["value"]), counts, STATISTICS[stored["statistic"]])
