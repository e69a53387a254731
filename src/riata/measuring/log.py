"""Every look at test data is on record: a line per row, with the commit."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from riata.data.datasets import cache_folder
from riata.measuring.provenance import CHECKOUT, in_checkout


def place() -> Path:
    """In the repository the log of its benchmarks; for an installed package, the user's cache."""
    folder = CHECKOUT / "benchmarks" / "results" if in_checkout() else cache_folder()
    return folder / "final.jsonl"


def append(found: Iterable[Mapping[str, Any]], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab+") as log:
        if log.tell() > 0:
            log.seek(-1, os.SEEK_END)
            if log.read() != b"\n":  # its last line was written by another program
                log.write(b"\n")
        for line in found:
            log.write(json.dumps(line).encode() + b"\n")
