"""How does the cost of training grow with the data and with the beam? Instructions counted by callgrind, so the answer has no noise.

    python -m benchmarks.growth      counts, and writes results/growth.json and docs/benchmarks.md

One epoch of laso-perceptron over the tagged sentences of the embedded corpus (40 labels), from zero weights. Features are looked up
before; only the native epoch is counted. Callgrind counts in a process of its own, switched on when the data are read,
and set to zero before each epoch.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULT = HERE / "results" / "growth.json"
BEAM = 5
DATA = (1, 2, 4)  # quarters of the corpus
BEAMS = (1, 5, 10, 20, 40)
CASES = [("nothing", 0, BEAM), *(("data", part, BEAM) for part in DATA), *(("beam", DATA[-1], beam) for beam in BEAMS)]


def missing() -> str:
    """Why nothing can be counted here; empty where it can."""
    tools = [tool for tool in ("valgrind", "callgrind_control") if shutil.which(tool) is None]
    return f"{' and '.join(tools)} not found" if tools else ""


def measure() -> dict[str, Any]:
    """Instructions (and updates) by data and by beam."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=counts"]
        command += [sys.executable, "-m", "benchmarks.growth", "--inside"]
        paths = [str(HERE.parent), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        counts = [_instructions(Path(folder) / f"counts.{number}") for number in range(1, len(CASES) + 1)]
    facts = json.loads(done.stdout)
    rows = [
        {"by": by, "sentences": fact["sentences"], "tokens": fact["tokens"], "beam": beam, "updates": fact["updates"]}
        | {"instructions": count - counts[0]}
        for (by, _, beam), fact, count in zip(CASES, facts, counts, strict=True)
    ]
    return {"recipe": "laso-perceptron", "data": "embedded", "labels": facts[-1]["labels"], "rows": rows[1:]}


def _instructions(dump: Path) -> int:
    found = re.search(r"^(?:summary|totals): (\d+)", dump.read_text(errors="replace"), re.MULTILINE)
    assert found is not None, dump
    return int(found[1])


def inside() -> None:
    """Runs every case under callgrind, and prints what they were."""
    import numpy as np

    import riata
    from riata._core import ChainWeights, OnlineTrainer
    from riata.features.attributes import builtin
    from riata.features.compile import Features
    from riata.features.templates import load
    from riata.learning.search import SEARCH_SETTINGS

    corpus = riata.load("embedded", "train", ("word", "tag"))
    labels = corpus.columns[-1].alphabet.texts()
    inputs = corpus.select([0])
    features = Features(load("tag"), builtin())
    features.extend(inputs)
    instances = features.instances(inputs)
    instances.set_labels(corpus.columns[-1].ids, len(labels))
    free = [np.ones(size, np.uint8) for size in (len(labels), len(labels), len(labels) ** 2)]
    settings = {setting.name: setting.default for setting in SEARCH_SETTINGS} | {"queue": "beam"}
    facts = []
    _control("--instr=on")
    for _, part, beam in CASES:
        order = np.arange(len(corpus) * part // DATA[-1], dtype=np.int64)
        trainer = OnlineTrainer("search", ChainWeights(len(labels), *free), {**settings, "beam": beam})
        _control("--zero")
        result = trainer.epoch(features.index, instances, None, order, np.empty(0), np.empty(0))
        _control("--dump")
        facts.append({**result, "labels": len(labels), "updates": trainer.stats()["updates"]})
    print(json.dumps(facts))


def _control(what: str) -> None:
    if os.system(f"callgrind_control {what} {os.getpid()} >/dev/null") != 0:
        sys.exit(f"callgrind_control {what} failed")


def section(result: dict[str, Any]) -> list[str]:
    """The part of docs/benchmarks.md."""
    lines = [
        "",
        "## Growth of the cost of training",
        "",
        "How does the cost of training grow with the data and with the beam? The table shows the instructions of one epoch of "
        f"`{result['recipe']}` (callgrind; {result['data']} corpus, {result['labels']} labels).",
        f"`python -m benchmarks.growth` measured them at commit {result['commit']}, {result['date']}.",
        "",
        "| by | sentences | tokens | beam | updates | million instructions | per token | × the first |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    first: dict[str, int] = {}
    for row in result["rows"]:
        count = row["instructions"]
        ratio = count / first.setdefault(row["by"], count)
        lines.append(
            f"| {row['by']} | {row['sentences']} | {row['tokens']} | {row['beam']} | {row['updates']} | {count / 1e6:.1f} "
            f"| {count / row['tokens']:,.0f} | {ratio:.2f} |"
        )
    return lines


def main() -> None:
    if "--inside" in sys.argv:
        inside()
        return
    from benchmarks.run import about, write_page

    if missing():
        sys.exit(missing())
    result = {**about(), **measure()}
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    write_page()
    print("\n".join(section(result)))


if __name__ == "__main__":
    main()
