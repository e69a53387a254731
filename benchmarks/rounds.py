"""Runs the contestants of `peers` in turn, several times over: machines drift, so ratios hold within a round only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.comparison import QUESTION, best
from benchmarks.contest import conll2000, scores
from benchmarks.plain import read
from riata.data.types import Corpus

HERE = Path(__file__).parent


def run(rounds: int, final: bool) -> list[dict[str, Any]]:
    names = sorted(path.stem for path in (HERE / QUESTION).glob("*.py"))
    split = conll2000(final)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        write_columns(split.train, 3, Path(folder) / "train.txt")
        write_columns(split.scored, 2, Path(folder) / "scored.txt")
        for number in range(1, rounds + 1):
            for name in names:
                if any("error" in result for result in found[name]):
                    continue  # it will not run the next time either
                print(f"{QUESTION}: {name}, round {number} of {rounds} …", file=sys.stderr, flush=True)
                found[name].append(one(name, Path(folder), split.scored))
    facts = {"question": QUESTION, "data": "test" if final else "dev", "rounds": rounds}
    return [{**facts, "contestant": name, **best(results)} for name, results in found.items()]


def write_columns(corpus: Corpus, width: int, path: Path) -> None:
    """Words and tags, and the labels too, one space between."""
    with open(path, "w", encoding="utf-8") as file:
        for sentence in corpus:
            file.writelines(" ".join(token[:width]) + "\n" for token in sentence)
            file.write("\n")


def one(name: str, folder: Path, scored: Corpus) -> dict[str, Any]:
    """One contestant in a process of its own, and its score."""
    command = [sys.executable, "-m", f"benchmarks.{QUESTION}.{name}", str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent, env=environment)
    if done.returncode != 0:
        return {"error": failure(done)}
    labels = [list(sentence[-1]) for sentence in read(folder / f"{name}.labels")]
    return {**json.loads(done.stdout), **scores(scored, labels, chunks=True), "tokens_scored": scored.tokens}


def failure(done: subprocess.CompletedProcess[str]) -> str:
    """Why a contestant did not run, in one line; it is told at once."""
    reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}"
    print(f"  did not run: {reason}", file=sys.stderr)
    return reason
