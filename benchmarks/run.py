"""Runs every benchmark and writes its results: `python -m benchmarks.run [--final] [QUESTION …]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks import growth

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--final", action="store_true", help="score test data, and keep a record of it")
    parser.add_argument("questions", nargs="*", help="folders to run (default: all)")
    options = parser.parse_args()
    if "RIATA_DATA" not in os.environ:
        sys.exit("RIATA_DATA is not set: name the folder that holds the corpora (`riata data list`).")
    known = sorted({path.parent.name for path in HERE.glob("*/*.py")})
    results = [
        contest(question, contestant, options.final)
        for question in options.questions or known
        for contestant in sorted((HERE / question).glob("*.py"))
    ]
    write(results, options.final)


def contest(question: str, contestant: Path, final: bool) -> dict[str, Any]:
    print(f"{question}: {contestant.stem} …", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", f"benchmarks.{question}.{contestant.stem}"] + ["--final"] * final
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent)
    facts: dict[str, Any] = {"question": question, "contestant": contestant.stem, "data": "test" if final else "dev"}
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}"
        print(f"  did not run: {reason}", file=sys.stderr)
        return {**facts, "error": reason}
    return {**facts, **json.loads(done.stdout)}


def write(results: list[dict[str, Any]], final: bool) -> None:
    facts = about()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{'final' if final else 'latest'}.json").write_text(
        json.dumps({**facts, "results": results}, indent=1) + "\n"
    )
    if final:
        with open(RESULTS / "final.jsonl", "a", encoding="utf-8") as log:
            for result in results:
                log.write(json.dumps({**facts, **result}) + "\n")
    print(page(facts, results))
    if not final:
        write_page()


def about() -> dict[str, str]:
    """Where and when results were made."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE).stdout
    date = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    return {"commit": commit.strip(), "date": date, "cpu": cpu(), "python": platform.python_version()}


def write_page() -> None:
    """docs/benchmarks.md, from the results on file."""
    latest = json.loads((RESULTS / "latest.json").read_text())
    text = page(latest, latest["results"])
    if growth.RESULT.exists():
        text += "\n".join(growth.section(json.loads(growth.RESULT.read_text()))) + "\n"
    PAGE.write_text(text)


def cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def page(facts: dict[str, Any], results: list[dict[str, Any]]) -> str:
    lines = [
        "# Benchmarks",
        "",
        f"Written by `make bench` at commit {facts['commit']}, {facts['date']}, {facts['cpu']}, Python {facts['python']}, one thread.",
        "Scores are of development data; times are CPU seconds of this one run, to be compared within it only.",
        "",
        "| question | contestant | score | seeds | 95 % interval | train s | decode s | peak MB |",
        "|---|---|---:|---|---|---:|---:|---:|",
    ]
    return "\n".join(lines + [row(result) for result in results]) + "\n"


def row(result: dict[str, Any]) -> str:
    head = f"| {result['question']} | {result['contestant']} "
    if "error" in result:
        return head + f"| did not run: {result['error']} | | | | | |"
    scores = result.get("scores") or [result["metrics"].get("f1", result["metrics"]["accuracy"])]
    name = "F1" if "f1" in result["metrics"] else "accuracy"
    seeds = ", ".join(f"{score:.2f}" for score in scores) if len(scores) > 1 else ""
    low, high = result["interval"]
    return (
        head + f"| {name} {sum(scores) / len(scores):.2f} | {seeds} | {low:.2f} to {high:.2f} "
        f"| {result['seconds_train']:.2f} | {result['seconds_decode']:.2f} | {result['peak_mb']:.0f} |"
    )


if __name__ == "__main__":
    main()
