"""Segments with the features of LaSO's chunking: `python -m benchmarks.segments` prints a table of docs/structures-measured.md.

CoNLL-2000 development data, the template laso2005, 10 epochs, one seed.
"""

from __future__ import annotations

from typing import Any

from benchmarks.contest import Split, conll2000, timed
from riata import Chunker

EPOCHS = 10
ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("laso-alma", {"beam": 1}),
    ("laso-alma", {"beam": 5}),
    ("laso-alma", {"beam": 5, "settings": {"beam_by": "prefix"}}),
    ("laso-perceptron", {"beam": 5}),
    ("max-violation", {"beam": 5}),
    ("perceptron", {}),
    ("laso-alma", {"queue": "exact"}),
    ("laso-perceptron", {"queue": "exact", "settings": {"update": "lattice"}}),
    ("laso-alma", {"queue": "exact", "settings": {"update": "lattice"}}),
)


def main() -> None:
    split = conll2000(final=False)
    print(
        "| recipe | queue | F1 | wrong: search, both, model | right by luck | train s |",
        "|---|---|---:|---:|---:|---:|",
        sep="\n",
    )
    for recipe, given in ROWS:
        print(row(recipe, given, split), flush=True)


def row(recipe: str, given: dict[str, Any], split: Split) -> str:
    made = Chunker(recipe, structure="segments", template="laso2005", epochs=EPOCHS, **given)
    chunker, seconds = timed(lambda: made.fit(split.train))
    errors = chunker.search_errors(split.scored)
    queue = f"beam {given['beam']}" if "beam" in given else "exact"
    settings = given.get("settings", {})
    by = (
        f", by {settings['beam_by']}"
        if "beam_by" in settings
        else "".join(f", {update}" for update in settings.values())
    )
    score = 100 * chunker.score(split.scored)
    faults = f"{errors.wrong}: {errors.search}, {errors.both}, {errors.model}"
    return f"| `{recipe}` | {queue}{by} | {score:.2f} | {faults} | {errors.lucky} | {seconds:.1f} |"


if __name__ == "__main__":
    main()
