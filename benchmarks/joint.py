"""Tags and chunks in one search: `python -m benchmarks.joint` prints the figures of docs/joint.md.

CoNLL-2000 development data, words alone as input, the template joint2005, beam 10, 6 epochs.
"""

from __future__ import annotations

from typing import Any

from benchmarks.contest import Split, conll2000, timed
from riata import JointTagger

EPOCHS, BEAM = 6, 10
ROWS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("max-violation", 0, {"lookahead": True}),
    ("max-violation", 1, {"lookahead": True}),
    ("max-violation", 1, {"lookahead": False}),
    ("laso-perceptron", 0, {"lookahead": True, "update": "best"}),
)


def main() -> None:
    split = conll2000(final=False)
    print("| recipe | look-ahead | seed | F1 | F1 of NP | tags | both | train s |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for recipe, seed, settings in ROWS:
        print(row(recipe, seed, settings, split), flush=True)


def row(recipe: str, seed: int, settings: dict[str, Any], split: Split) -> str:
    made = JointTagger(recipe, beam=BEAM, epochs=EPOCHS, seed=seed, settings=settings)
    tagger, seconds = timed(lambda: made.fit(split.train, listener=lambda event: None))
    found = tagger.evaluate(split.scored)
    nouns = next(row.f1 for row in found.report.rows if row.type == "NP")
    update = f", `update={settings['update']}`" if "update" in settings else ""
    scores = (found.score, nouns, found.metrics["tag_accuracy"], found.metrics["joint_accuracy"])
    columns = " | ".join(f"{score:.2f}" for score in scores)
    return f"| `{recipe}`{update} | {'yes' if settings['lookahead'] else 'no'} | {seed} | {columns} | {seconds:.0f} |"


if __name__ == "__main__":
    main()
