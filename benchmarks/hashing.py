"""What hashing costs: `python -m benchmarks.hashing` prints the table of docs/hashing.md.

CoNLL-2000 development data, the default template of chunks and CRFsuite's, 10 epochs, two seeds; all but F1 is of the first seed.
"""

from __future__ import annotations

from benchmarks.contest import Split, conll2000
from riata import Chunker
from riata.estimators.model_file import to_bytes
from riata.models.weights_by_name import by_name

BITS = (None, 24, 22, 20, 18, 16)
SEEDS = (0, 1)
EPOCHS = 10


def main() -> None:
    split = conll2000(final=False)
    print(
        "| template | bits | table MB | F1 | weights that are not zero | model MB | tokens/s of an epoch |",
        "|---|---|---:|---|---:|---:|---:|",
        sep="\n",
    )
    for template in ("chunk", "classic"):
        for bits in BITS:
            print(row(template, bits, split), flush=True)


def row(template: str, bits: int | None, split: Split) -> str:
    made = [
        Chunker("perceptron", template=template, bits=bits, epochs=EPOCHS, seed=seed).fit(split.train) for seed in SEEDS
    ]
    scores = ", ".join(f"{100 * chunker.score(split.scored):.2f}" for chunker in made)
    table = "" if bits is None else f"{4 * 2**bits / 1e6:.1f}"
    speed = max(epoch["tokens"] / epoch["seconds"] for epoch in made[0].history_)
    return (
        f"| `{template}` | {bits or 'exact'} | {table} | {scores} | {by_name(made[0].model_).count():,} "
        f"| {len(to_bytes(made[0])) / 1e6:.1f} | {round(speed, -3):,.0f} |"
    )


if __name__ == "__main__":
    main()
