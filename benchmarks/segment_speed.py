"""What chunking by segments costs: `python -m benchmarks.segment_speed [ROUNDS]`. Beside it CRFsuite's L-BFGS, in turn and in the same run.

CoNLL-2000, one thread. All of the training data, from a column file to a saved model, 10 epochs, ALMA, beam 5; then the test data's size of
training text from columns to labelled columns. CPU seconds, least of the rounds; memory is the peak over that after imports.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import riata
from benchmarks.contest import Split, timed

SCORED = 2012  # sentences to label
SETS = ("laso2005", "chunk")
TRAIN = (
    "--recipe",
    "laso-alma",
    "--structure",
    "segments",
    "--beam",
    "5",
    "--epochs",
    "10",
    "--threads",
    "1",
    "--json",
)


def main(rounds: int) -> None:
    train = riata.load("conll2000", "train")
    times: dict[str, list[float]] = {name: [] for name in (*SETS, "CRFsuite L-BFGS")}
    memory, rates = dict.fromkeys(SETS, 0.0), dict.fromkeys(SETS, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        columns, inputs = Path(folder, "train.txt"), Path(folder, "inputs.txt")
        riata.write_columns(train, columns)
        riata.write_columns(train[:SCORED].select([0, 1]), inputs)
        for _ in range(rounds):
            for name in SETS:
                model = Path(folder, f"{name}.riata")
                facts, seconds = learnt(columns, model, name)
                times[name].append(seconds)
                memory[name] = max(memory[name], facts["peak_rss_mb"])
                rates[name] = max(rates[name], rate(model, inputs, train[:SCORED].tokens))
            times["CRFsuite L-BFGS"].append(crfsuite(Split(train, train[:1])))
    print("| features | train s | peak MB | tokens/s from columns to labelled columns |\n|---|---:|---:|---:|")
    for name, found in times.items():
        rest = f"{memory[name]:.0f} | {rates[name]:,.0f}" if name in memory else "| "
        print(f"| {name} | {min(found):.1f} | {rest} |")


def learnt(columns: Path, model: Path, template: str) -> tuple[dict[str, float], float]:
    """What training by the command line tells, and its CPU seconds."""
    given = ["train", "chunk", "--train", str(columns), "--model", str(model), "--template", template, *TRAIN]
    code = f"import time, sys; from riata.commands import main\ntry: main({given!r})\nfinally: print(time.process_time(), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout), float(done.stderr.split()[-1])


def rate(model: Path, inputs: Path, tokens: int) -> float:
    chunker = riata.load_model(model).set_params(threads=1)
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        chunker.predict_file(inputs, inputs.with_suffix(".out"))
        best = min(best, time.process_time() - began)
    return tokens / best


def crfsuite(split: Split) -> float:
    from benchmarks.crfsuite import trained_by

    _, seconds = timed(lambda: trained_by("lbfgs", c1=0.1, c2=0.1, max_iterations=100)(split))
    return seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
