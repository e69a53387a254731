"""Tags and chunks in one search: `python -m benchmarks.joint` prints the table of docs/joint.md.

CoNLL-2000 development data, words alone as input, the template joint2005, beam 10, 10 epochs, one seed.
"""

from __future__ import annotations

from typing import Any

from benchmarks.contest import Split, conll2000, timed
from riata import JointTagger

EPOCHS, BEAM = 10, 10
ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("max-violation", {"lookahead": True}),
    ("max-violation", {"lookahead": False}),
    ("laso-perceptron", {"lookahead": True, "update": "best"}),
    ("early", {"lookahead": True}),
)


def main() -> None:
    split = conll2000(final=False)
    print(
        "| recipe | look-ahead | F1 | F1 of NP | tags | both | train s |",
        "|---|---|---:|---:|---:|---:|---:|",
        sep="\n",
    )
    for recipe, settings in ROWS:
        print(row(recipe, settings, split), flush=True)


def row(recipe: str, settings: dict[str, Any], split: Split) -> str:
    tagger, seconds = timed(
        lambda: JointTagger(recipe, beam=BEAM, epochs=EPOCHS, settings=settings).fit(
            split.train, listener=lambda event: None
        )
    )
    found = tagger.evaluate(split.scored)
    nouns = next(row.f1 for row in found.report.rows if row.type == "NP")
    update = f", `update={settings['update']}`" if "update" in settings else ""
    scores = (found.score, nouns, found.metrics["tag_accuracy"], found.metrics["joint_accuracy"])
    columns = " | ".join(f"{score:.2f}" for score in scores)
    return f"| `{recipe}`{update} | {'yes' if settings['lookahead'] else 'no'} | {columns} | {seconds:.0f} |"


if __name__ == "__main__":
    main()
