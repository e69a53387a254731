"""What other norms than the Euclidean one do to laso-alma: `python -m benchmarks.p_norms` prints the figures of docs/learning-to-search.md.

CoNLL-2000 development data, beam 5, CRFsuite's template, 5 epochs, two seeds; all but F1 is of the first seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contest import Split, conll2000, timed
from riata import Chunker

NORMS = (2, 3, 4, 8, 30)  # 30 is about 2 ln(number of weights)
SEEDS = (0, 1)
EPOCHS, MORE_EPOCHS = 5, 20
SMALL = 0.01  # of the largest weight


def main() -> None:
    split = conll2000(final=False)
    print(
        f"| p | F1 | after {MORE_EPOCHS} epochs | weights | carry 99 % of the sum | above 1 % of the largest | F1 of those | train s |",
        "|---:|---|---:|---:|---:|---:|---|---:|",
        sep="\n",
    )
    for p in NORMS:
        print(row(p, split), flush=True)


def row(p: float, split: Split) -> str:
    runs = [timed(lambda seed=seed: trained(split, seed, p=p)) for seed in SEEDS]
    longer = trained(split, SEEDS[0], MORE_EPOCHS, p=p)
    cut = [trained(split, seed, p=p, truncate=SMALL) for seed in SEEDS]
    first, seconds = runs[0]
    sizes = weight_sizes(first)
    heavy = (np.cumsum(sizes) < 0.99 * sizes.sum()).sum()
    above = (sizes >= SMALL * sizes[0]).sum()
    return (
        f"| {p} | {scores([run for run, _ in runs], split)} | {scores([longer], split)} | {len(sizes):,} | "
        f"{100 * heavy / len(sizes):.1f} % "
        f"| {100 * above / len(sizes):.1f} % | {scores(cut, split)} | {seconds:.1f} |"
    )


def trained(split: Split, seed: int, epochs: int = EPOCHS, **settings: float) -> Chunker:
    chunker = Chunker("laso-alma", beam=5, template="classic", epochs=epochs, seed=seed, settings=settings)
    return chunker.fit(split.train)


def scores(models: list[Chunker], split: Split) -> str:
    return ", ".join(f"{100 * model.score(split.scored):.2f}" for model in models)


def weight_sizes(model: Any) -> NDArray[np.float64]:
    """|weight| of every weight that is not zero, the largest first."""
    _, arrays = model.model_.to_parts()
    values = np.concatenate([array for name, array in arrays.items() if array.dtype == np.float32])
    return np.sort(np.abs(values.astype(np.float64)))[::-1]


if __name__ == "__main__":
    main()
