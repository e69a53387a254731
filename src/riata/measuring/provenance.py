"""The machine, versions and commit that a figure comes from, and a log of runs."""

from __future__ import annotations

import importlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from riata import registry
from riata.data.datasets import cache_folder

CHECKOUT = Path(__file__).parents[3]  # where the package lies in its repository; elsewhere, of no meaning


def about() -> dict[str, str | None]:
    date = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    return {
        "version": version("riata"),
        "commit": commit(),
        "date": date,
        "cpu": cpu(),
        "python": platform.python_version(),
    }


def in_checkout(folder: Path | None = None) -> bool:
    """Whether a folder is Riata's repository. None: that of the package, if it is used from there and not installed somewhere else."""
    folder = folder or CHECKOUT
    return (folder / ".git").exists() and (folder / "src" / "riata").is_dir()


def find_papers() -> bool:
    """Imports the tables of papers from a clone of Riata: the working folder, or where the virtual environment lies. False: none."""
    if "reproduction" in registry.KINDS:
        return True
    here = Path.cwd()
    folders = (here, *here.parents, *Path(sys.prefix).parents)
    found = next((one for one in folders if (one / "papers/tables").is_dir() and (one / "src/riata").is_dir()), None)
    if found is not None:
        if str(found) not in sys.path:
            sys.path.append(str(found))
        importlib.import_module("papers")
    return found is not None


def commit(checkout: Path | None = None) -> str | None:
    """The commit of the repository; None for an installed package, which knows only its version."""
    checkout = checkout or CHECKOUT
    if not in_checkout(checkout):
        return None
    try:
        command = ["git", "rev-parse", "--short", "HEAD"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=checkout)
    except OSError:  # no git
        return None
    return done.stdout.strip() or None


def cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


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
