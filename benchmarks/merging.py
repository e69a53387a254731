"""What merging does to learning by search: `python -m benchmarks.merging` prints the table for docs/learning-to-search.md.

CoNLL-2000: the first 300 sentences of the training data, scored on development data; segments with the template laso2005, which reads no
earlier label; laso-perceptron, 5 epochs, two seeds.
"""

from __future__ import annotations

from benchmarks.contest import Split, conll2000
from riata import Chunker

BEAMS = (1, 5, 25)
UPDATES = ("best", "mean", "queue")
SEEDS = (0, 1)
EPOCHS, SENTENCES = 5, 300


def main() -> None:
    whole = conll2000(final=False)
    split = Split(whole.train[:SENTENCES], whole.scored)
    columns = [(update, merge) for update in UPDATES for merge in (True, False)]
    names = (f"`{update}`, {'merged' if merge else 'unmerged'}" for update, merge in columns)
    print(f"| beam | {' | '.join(names)} |", "|---:|" + "---:|" * len(columns), sep="\n")
    for beam in BEAMS:
        cells = (score(split, beam, update, merge) for update, merge in columns)
        print(f"| {beam} | {' | '.join(cells)} |", flush=True)


def score(split: Split, beam: int, update: str, merge: bool) -> str:
    """The mean F1 over the seeds, and how far they are apart."""
    found = [100 * trained(split, seed, beam, update, merge).score(split.scored) for seed in SEEDS]
    return f"{sum(found) / len(found):.2f} ± {(max(found) - min(found)) / 2:.2f}"


def trained(split: Split, seed: int, beam: int, update: str, merge: bool) -> Chunker:
    return Chunker(
        "laso-perceptron",
        structure="segments",
        beam=beam,
        template="laso2005",
        epochs=EPOCHS,
        seed=seed,
        settings={"update": update, "merge": merge},
    ).fit(split.train)


if __name__ == "__main__":
    main()
