"""Where does winnow win, and can its scores be believed? `python -m benchmarks.winnow` prints what docs/winnow.md shows, and its picture.

CoNLL-2000 development data, CRFsuite's template, one thread. Attributes that say nothing are columns of symbols drawn at random.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest import Split, conll2000, timed
from riata import Chunker
from riata.confidence.calibration import Reliability, reliability
from riata.data.memory import as_corpus
from riata.data.types import Corpus, inputs_of
from riata.features.templates import parse
from riata.learning.recipes.winnow import step_confidences
from riata.showing import plotting

SENTENCES = 1000  # to learn from, where attributes are added
NOISE = (0, 10, 50)  # attributes per token that say nothing
SYMBOLS = 1000  # of each
RECIPES: dict[str, dict[str, Any]] = {
    "perceptron": {"epochs": 10},
    "mira": {"epochs": 10},
    "crf": {"settings": {"c2": 1.0}},
    "crf, L1": {"recipe": "crf", "settings": {"c1": 0.3, "c2": 0.01}},
    "winnow": {},
    "winnow, mu = 0.005": {"recipe": "winnow", "settings": {"mu": 0.005}},
}
PICTURE = Path(__file__).parent.parent / "docs" / "winnow.svg"
WIDTH = 10  # bins of the picture, of equal width


def main() -> None:
    split = conll2000(final=False)
    for part in sys.argv[1:] or ("noise", "belief"):
        {"noise": noise, "belief": belief}[part](split)


def noise(split: Split) -> None:
    """F1 by the number of attributes that say nothing."""
    print("| attributes | " + " | ".join(RECIPES) + " |", "|---:|" + "---|" * len(RECIPES), sep="\n")
    base = Path(__file__).parent.parent / "src" / "riata" / "features" / "builtin" / "classic.template"
    for number in NOISE:
        train, dev = (
            with_noise(part, number, seed) for seed, part in enumerate((split.train[:SENTENCES], split.scored))
        )
        lines = "".join(f"\nx{2 + column}[0]" for column in range(number))
        template = parse(base.read_text(encoding="utf-8") + lines, "noise")
        cells = []
        for name, parameters in RECIPES.items():
            made = Chunker(**{"recipe": name, **parameters}, template=template, threads=1)
            _, seconds = timed(lambda made=made, train=train: made.fit(train, listener=lambda event: None))
            cells.append(f"{100 * made.score(dev):.2f} ({seconds:.1f} s)")
        print(f"| {number} | " + " | ".join(cells) + " |", flush=True)


def with_noise(data: Corpus, number: int, seed: int) -> Corpus:
    """The sentences with so many more columns before the labels."""
    rng = np.random.default_rng(seed)
    rows = []
    for sentence in data:
        drawn = rng.integers(0, SYMBOLS, (len(sentence), number)).astype(str)
        rows.append([(*token[:-1], *more, token[-1]) for token, more in zip(sentence, drawn.tolist(), strict=True)])
    return as_corpus(rows)


def belief(split: Split) -> None:
    """Confidences in predicted labels: steps of winnow as the paper reads them, and posteriors."""
    found = {}
    winnow = Chunker("winnow", template="classic", threads=1).fit(split.train)
    found["winnow: steps, (score + 1) / 2"] = of_steps(winnow, split.scored)
    found["crf: posteriors"] = of_labels(
        Chunker("crf", template="classic", settings={"c2": 1.0}).fit(split.train), split.scored
    )
    found["memm: posteriors"] = of_labels(
        Chunker("memm", template="classic", settings={"c2": 1.0}).fit(split.train), split.scored
    )
    print("| confidences | right, % | ECE | Brier | log loss |", "|---|---:|---:|---:|---:|", sep="\n")
    for name, (values, right) in found.items():
        judged: Reliability = reliability(values, right)
        cells = f"{100 * judged.accuracy:.2f} | {judged.ece:.4f} | {judged.brier:.4f} | {judged.log_loss:.4f}"
        print(f"| {name} | {cells} |")
    draw(found)


def of_steps(made: Chunker, data: Corpus) -> tuple[Any, Any]:
    """Of each label that is predicted, given the predicted ones before it."""
    inputs = made.columns.input_columns(inputs_of(data))
    ids = made.model_.predict(inputs)
    values = step_confidences(made.model_, inputs, ids)[np.arange(len(ids)), ids]
    return values, right(made, ids, data)


def of_labels(made: Chunker, data: Corpus) -> tuple[Any, Any]:
    inputs = made.columns.input_columns(inputs_of(data))
    ids = made.model_.predict(inputs)
    rows, _ = made.model_.probabilities(inputs, 1.0)
    return rows[np.arange(len(ids)), ids], right(made, ids, data)


def right(made: Chunker, ids: Any, data: Corpus) -> Any:
    return np.array([made.model_.labels[i] for i in ids]) == np.array(data.columns[-1].texts())


def draw(found: dict[str, tuple[Any, Any]]) -> None:
    """Confidence against the share that is right, in bins of equal width."""
    canvas = plotting.canvas(4.8, 4.8)
    axes = canvas.subplots()
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1, linestyle=":")
    for marker, (name, (values, correct)) in zip("osv", found.items(), strict=True):
        bins = np.minimum((values * WIDTH).astype(int), WIDTH - 1)
        full = [b for b in range(WIDTH) if (bins == b).sum() >= 20]
        places = [values[bins == b].mean() for b in full], [correct[bins == b].mean() for b in full]
        axes.plot(*places, marker=marker, markersize=4, linewidth=1, label=name)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence", ylabel="share that is right")
    axes.set_aspect("equal")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", fontsize=8)
    canvas.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
