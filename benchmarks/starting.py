"""How long a start takes: loading a model, and `riata predict` of one short file as a whole process, beside a process that imports NumPy.

`python -m benchmarks.starting [ROUNDS]` writes results/starting.json and its part of docs/benchmarks.md.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import riata
from riata.measuring.provenance import about, commit

RESULT = Path(__file__).parent / "results" / "starting.json"
ROUNDS = 10
MOST_MS, MOST_RATIO = 5.0, 1.5  # of loading; of the process against one that imports NumPy
SENTENCE = "The DT\nbus NN\nstopped VBD\n. .\n\n"


def measure(rounds: int) -> dict[str, Any]:
    """CPU seconds, the least of several; processes in turn."""
    with tempfile.TemporaryDirectory() as folder:
        model, short = Path(folder) / "chunker.riata", Path(folder) / "short.txt"
        riata.Chunker().fit(riata.load("conll2000", "train")).save(model)
        short.write_text(SENTENCE)
        riata.load_model(model)
        loading = min(_seconds(lambda: riata.load_model(model)) for _ in range(2 * rounds))
        predicting = min(_first_prediction(model) for _ in range(rounds))
        commands = {
            "numpy": [sys.executable, "-c", "import numpy"],
            "predict": [sys.executable, "-m", "riata", "predict", "--model", str(model), str(short)],
        }
        least = dict.fromkeys(commands, float("inf"))
        for _ in range(rounds):
            for name, command in commands.items():
                least[name] = min(least[name], _child_seconds(command))
        size = model.stat().st_size
    return {
        **about(),
        "commit": commit(RESULT.parents[2]),
        "model_mb": size / 1e6,
        "load_s": loading,
        "load_and_label_s": predicting,
        **least,
    }


def section(result: dict[str, Any]) -> list[str]:
    ratio = result["predict"] / result["numpy"]
    rows = [
        (
            "loading a model",
            f"{1000 * result['load_s']:.1f} ms",
            f"≤ {MOST_MS:g} ms",
            1000 * result["load_s"] <= MOST_MS,
        ),
        ("loading a model and labelling a sentence with it", f"{1000 * result['load_and_label_s']:.1f} ms", "", None),
        (
            "`riata predict` of one sentence, whole process",
            f"{ratio:.2f} × `import numpy` ({1000 * result['predict']:.0f} against {1000 * result['numpy']:.0f} ms)",
            f"≤ {MOST_RATIO:g} ×",
            ratio <= MOST_RATIO,
        ),
    ]
    return [
        "",
        "## Starting",
        "",
        f"How long does a start take? The default `Chunker`, trained on all of `conll2000` ({result['model_mb']:.1f} MB), at commit "
        f"{result['commit']}, {result['date']}, {result['cpu']}.",
        "Times are CPU time, the least of several runs in turn.",
        "",
        "| what | takes | floor | |",
        "|---|---|---|---|",
        *(f"| {what} | {takes} | {floor} | {_verdict(reached)} |" for what, takes, floor, reached in rows),
    ]


def run(rounds: int = ROUNDS) -> None:
    result = measure(rounds)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    print("\n".join(section(result)))


def _verdict(reached: bool | None) -> str:
    return "" if reached is None else "reached" if reached else "missed"


def _seconds(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _first_prediction(model: Path) -> float:
    sentence = [tuple(line.split()) for line in SENTENCE.split("\n") if line]
    return _seconds(lambda: riata.load_model(model).predict([sentence]))


def _child_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    from benchmarks.run import write_page

    run(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
    write_page()
