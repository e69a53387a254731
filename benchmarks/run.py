"""Runs every benchmark and writes its results: `python -m benchmarks.run [--final] [--rounds N] [QUESTION[/CONTESTANT] …]`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks import comparison, growth, rounds, side_by_side, starting
from riata.measuring.provenance import about, commit

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
BY_NAME = {("parsing", "udpipe")}  # contestants that take more than an hour, and run only where they are named
NAMES = {"f1": "F1", "las": "LAS", "accuracy": "accuracy"}  # main scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--final", action="store_true", help="score test data, and keep a record of it")
    parser.add_argument("--rounds", type=int, default=3, help="how often the peers are run in turn (default: 3)")
    parser.add_argument("questions", nargs="*", help="folders to run, or contestants of them (default: all)")
    options = parser.parse_args()
    if "RIATA_DATA" not in os.environ:
        sys.exit("RIATA_DATA is not set: name the folder that holds the corpora (`riata data list`).")
    known = sorted({path.parent.name for path in HERE.glob("*/*.py")})
    contestants = {f"{path.parent.name}/{path.stem}" for path in HERE.glob("*/*.py")}
    unknown = sorted(set(options.questions) - set(known) - contestants)
    if unknown:
        parser.error(f"no question {unknown[0]!r}; there are {', '.join(known)}")
    for question in options.questions:
        if question.partition("/")[0] in (comparison.QUESTION, side_by_side.QUESTION) and "/" in question:
            parser.error(
                f"{question}: its contestants run in turn, so name the whole question, {question.partition('/')[0]}"
            )
    for question in options.questions or known:
        write(ask(question, options.rounds, options.final), options.final, whole="/" not in question)
    if not options.questions and not options.final:
        starting.run()
        write_page()


def ask(question: str, times: int, final: bool) -> list[dict[str, Any]]:
    if question == comparison.QUESTION:
        return rounds.run(times, final)
    if question == side_by_side.QUESTION:
        return side_by_side.run(times, final)
    folder, _, chosen = question.partition("/")
    found = sorted((HERE / folder).glob(f"{chosen or '*'}.py"))
    return [contest(folder, one, final) for one in found if chosen or (folder, one.stem) not in BY_NAME]


def contest(question: str, contestant: Path, final: bool) -> dict[str, Any]:
    print(f"{question}: {contestant.stem} …", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", f"benchmarks.{question}.{contestant.stem}"] + ["--final"] * final
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent)
    facts: dict[str, Any] = {"question": question, "contestant": contestant.stem, "data": "test" if final else "dev"}
    if done.returncode != 0:
        return {**facts, "error": rounds.failure(done)}
    return {**facts, **json.loads(done.stdout)}


def write(results: list[dict[str, Any]], final: bool, *, whole: bool = True) -> None:
    """Puts the results of a question on file, in the place of its last ones; results of other questions stay."""
    facts = {**about(), "commit": commit(HERE.parent)}
    results = [{**facts, **result} for result in results]
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{'final' if final else 'latest'}.json"
    old = json.loads(path.read_text())["results"] if path.exists() else []
    stay = [one for one in old if whole and (one["question"], one["contestant"]) in BY_NAME]
    new = [*results, *(one for one in stay if one["question"] in {result["question"] for result in results})]
    path.write_text(json.dumps({"results": comparison.merged(old, new, whole=whole)}, indent=1) + "\n")
    if final:
        with open(RESULTS / "final.jsonl", "a", encoding="utf-8") as log:
            for result in results:
                log.write(json.dumps(result) + "\n")
    print(page(results))
    if not final:
        write_page()


def write_page() -> None:
    """docs/benchmarks.md, from the results on file."""
    text = page(json.loads((RESULTS / "latest.json").read_text())["results"])
    if growth.RESULT.exists():
        text += "\n".join(growth.section(json.loads(growth.RESULT.read_text()))) + "\n"
    if starting.RESULT.exists():
        text += "\n".join(starting.section(json.loads(starting.RESULT.read_text()))) + "\n"
    PAGE.write_text(text)


def page(results: list[dict[str, Any]]) -> str:
    lines = [
        "# Benchmarks",
        "",
        "This page shows how good and how fast Riata is, beside other tools. `make bench` measures with one thread and writes it.",
        "[benchmarks/README.md](../benchmarks/README.md) explains the questions and how to run them again.",
        "",
        "All scores are on development data. Times are CPU seconds. Compare times only within one question and one commit.",
    ]
    apart = (comparison.QUESTION, side_by_side.QUESTION)
    rows = [row(result) for result in results if result["question"] not in apart]
    if rows:
        lines += [
            "",
            *machines(results),
            "",
            "A question is a folder of `benchmarks`, a contestant a file in it; scores are means over seeds:",
            "",
        ]
        lines += ["| question | contestant | score | 95 % interval | train s | decode s | peak MB | commit |"]
        lines += ["|---|---|---:|---|---:|---:|---:|---|", *rows]
    return "\n".join(lines + comparison.section(results) + side_by_side.section(results)) + "\n"


def machines(results: list[dict[str, Any]]) -> list[str]:
    """Where and when."""
    days = sorted({result["date"] for result in results})
    told = sorted({f"{result['cpu']}, Python {result['python']}" for result in results})
    return [f"Measured on {'; '.join(told)}, {days[0]} to {days[-1]}."]


def row(result: dict[str, Any]) -> str:
    head = f"| {result['question']} | {result['contestant']} "
    if "error" in result:
        return head + f"| did not run: {result['error']} | | | | | {result['commit']} |"
    name = next(name for name in NAMES if name in result["metrics"])
    scores = result.get("scores") or [result["metrics"][name]]
    low, high = result["interval"]
    return (
        head + f"| {NAMES[name]} {sum(scores) / len(scores):.2f} | {low:.2f} to {high:.2f} "
        f"| {result['seconds_train']:.2f} | {result['seconds_decode']:.2f} | {result['peak_mb']:.0f} | {result['commit']} |"
    )


if __name__ == "__main__":
    main()
