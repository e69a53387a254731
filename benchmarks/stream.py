"""Memory and speed of training from files of any length: `python -m benchmarks.stream MEGABYTES...`, such as `200 2000`.

A file is CoNLL-2000's training data again and again, every fifth word replaced by one that was never seen,
so that the vocabulary grows without bound. Each is written to a temporary folder, learnt from in one epoch of `stream=True,
bits=22` in a process of its own, and deleted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import riata

NOISE = 5  # every so many words one is replaced
RIATA = (sys.executable, "-m", "riata")
# Runs a command, and then prints its largest memory in MB and its CPU seconds: imports, checks and saving included.
MEASURED = (
    sys.executable,
    "-c",
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
    "used = resource.getrusage(resource.RUSAGE_CHILDREN); print([used.ru_maxrss / 1e3, used.ru_utime + used.ru_stime])",
)
OPTIONS = ("--template", "classic", "--epochs", "1", "--stream", "--bits", "22", "--json")


def main(sizes: list[int]) -> None:
    print(
        "| file | tokens | peak memory MB | seconds of the epoch | tokens/s | CPU seconds in all | tokens per CPU second |",
        "|---:|---:|---:|---:|---:|---:|---:|",
        sep="\n",
    )
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "train.txt"
            write_noisy(path, size * 10**6)
            print(row(path, size), flush=True)


def row(path: Path, size: int) -> str:
    command = (*RIATA, "train", "chunk", "--train", path, "--model", path.with_suffix(".riata"), *OPTIONS)
    done = subprocess.run([*MEASURED, *map(str, command)], capture_output=True, text=True, check=True)
    facts, (peak, cpu) = map(json.loads, done.stdout.splitlines())
    seconds = next(float(line.split()[-2]) for line in done.stderr.splitlines() if line.startswith("epoch"))
    tokens = facts["tokens"]
    return f"| {size:,} MB | {tokens:,} | {peak:.0f} | {seconds:.0f} | {tokens / seconds:,.0f} | {cpu:.0f} | {tokens / cpu:,.0f} |"


def write_noisy(path: Path, size: int) -> None:
    sentences = [list(sentence) for sentence in riata.load("conll2000", "train")]
    written = fresh = words = 0
    with open(path, "w", encoding="utf-8") as file:
        while written < size:
            lines = []
            for sentence in sentences:
                for word, tag, label in sentence:
                    words += 1
                    fresh += words % NOISE == 0
                    lines.append(f"{word if words % NOISE else f'w{fresh}'} {tag} {label}\n")
                lines.append("\n")
            written += file.write("".join(lines))


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]])
