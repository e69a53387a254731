"""What the tables of Altun, Johnson & Hofmann (2003) have in common: losses, feature sets, columns and claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from papers.claims import Claim, Measured, Statistic, between
from papers.measures import size_key
from papers.reproduction import Column, Row
from riata.scoring.figures import Figure

PAPER = "altun2003"
LOSSES = {
    "sequential log": "crf",
    "sequential exp": "crf-exp",
    "pointwise log": "crf-pointwise",
    "pointwise exp": "crf-pointwise-exp",
}
STEPS = 500  # of L-BFGS, at most; development data choose the step, as they choose the epoch of the perceptron
SIZES = (300, 1000, 3000)  # sentences

BUDGET = (
    "Each loss has its own prior: of five or six values of c2, a factor of about 3 apart, the best on development data with the largest "
    "set of features. Learning starts from weights of 0 and takes at most 500 steps of L-BFGS, of which development data choose the best."
)
CURVES = "Columns with a number of sentences: the score after learning in the same way from the first so many."
DECODING = (
    "All models are decoded by Viterbi search; the paper does not say how it decodes (docs/decoding.md has the others)."
)


def columns(score: str, sizes: Sequence[int] = SIZES) -> tuple[Column, ...]:
    return (
        Column("seconds_train", "train", "{:.0f} s".format),
        Column("epoch", "step", "{:.0f}".format),
        Column("weights", "weights", "{:,.0f}".format),
        *(Column(size_key(size), f"{size:,}") for size in sizes),
        Column("score", score, show_paper="{:.2f}".format, interval=True),
    )


def named(loss: str, features: str) -> str:
    return f"{loss}, {features}"


def row(
    loss: str,
    features: str,
    c2: float,
    paper: float | None,
    *,
    more: Mapping[str, Any] | None = None,
    noise: float = 0.0,
) -> Row:
    """A field learnt with a loss and a set of features. more: other settings."""
    setting = {"recipe": LOSSES[loss], "template": features, "settings": {"c2": c2, **(more or {})}}
    name = named(loss, features) + (f", {noise:.0%} noise" if noise else "")
    return Row(name, setting, {} if paper is None else {"paper": {"score": paper}}, epochs=STEPS, noise=noise)


def features_matter_more(text: str, small: str, large: str) -> Claim:
    """The claim that going from one set of features to the other gains more, in the mean of the losses, than any loss does over another."""
    rows = tuple(named(loss, features) for features in (small, large) for loss in LOSSES)

    def statistics(measured: Measured) -> list[Statistic]:
        gain = mean_score(measured, large).minus(mean_score(measured, small))
        found = []
        for features in (small, large):
            a, b = max(combinations(LOSSES, 2), key=lambda pair: abs(_difference(measured, features, *pair).mean))
            apart = _difference(measured, features, a, b)
            if apart.mean < 0:
                (a, b), apart = (b, a), _difference(measured, features, b, a)
            said = f"{large} over {small} {gain.mean:+.2f}; with {features}, {a} over {b} {apart.mean:+.2f}"
            found.append(between(said, gain.minus(apart), low=0.0))
        return found

    return Claim(text, rows, statistics)


def mean_score(measured: Measured, features: str) -> Figure:
    return Figure.mean_of([measured[named(loss, features)]["score"] for loss in LOSSES])


def _difference(measured: Measured, features: str, a: str, b: str) -> Figure:
    return measured[named(a, features)]["score"].minus(measured[named(b, features)]["score"])
