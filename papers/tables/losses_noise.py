"""Noise in labels (Altun, Johnson & Hofmann 2003, Sec. 3.1): the exponential loss spends its effort on outliers."""

from __future__ import annotations

from papers.altun import BUDGET, LOSSES, PAPER, columns, named, row
from papers.claims import Claim, Measured, Statistic, between
from papers.measures import scores_by_size
from papers.reproduction import Reproduction
from papers.spanish import C2, REMARKS
from papers.tasks import SPANISH

SHARE, FEATURES = 0.05, "S3"
LOG, EXP, POINT_LOG, POINT_EXP = LOSSES


def noisy(loss: str) -> str:
    return f"{named(loss, FEATURES)}, {SHARE:.0%} noise"


def suffers_more(text: str, a: str, b: str) -> Claim:
    """The claim that noise takes more from the first loss than from the second."""

    def statistics(measured: Measured) -> list[Statistic]:
        lost = {loss: measured[named(loss, FEATURES)]["score"].minus(measured[noisy(loss)]["score"]) for loss in (a, b)}
        said = f"{a} loses {lost[a].mean:.2f}, {b} {lost[b].mean:.2f}"
        return [between(said, lost[a].minus(lost[b]), low=0.0)]

    return Claim(text, tuple(name for loss in (a, b) for name in (named(loss, FEATURES), noisy(loss))), statistics)


REPRODUCTION = Reproduction(
    name="losses-noise",
    summary="four losses on Spanish entities, with 5 % of the labels flipped",
    paper=PAPER,
    title="Four losses and wrong labels: Spanish entities, features S3",
    task=SPANISH,
    measure=scores_by_size(()),
    columns=columns("F", ()),
    rows=tuple(row(loss, FEATURES, C2[loss], None, noise=noise) for loss in LOSSES for noise in (0.0, SHARE)),
    claims=(
        suffers_more("Label noise hurts the exp loss of sequences more than their log loss.", EXP, LOG),
        suffers_more("Label noise hurts the exp loss of labels more than their log loss.", POINT_EXP, POINT_LOG),
    ),
    remarks=(
        *REMARKS,
        "Not a table of the paper, which says only that the exp loss tends to be vulnerable to label noise.",
        "Noise: 5 % of the labels of training data, of all tokens alike, are replaced by others, drawn evenly and with every seed anew. "
        "Data that are scored have none.",
        BUDGET + " It was chosen without noise.",
    ),
    quick_epochs=20,
    quick_sentences=100,
    drawn="score",
)
