"""Table 3 of LaSO (Daumé & Marcu 2005): every training beam with every decoding beam."""

from __future__ import annotations

from papers.claims import Claim, Measured, Statistic, between
from papers.laso import BEAMS, OURS, UNMERGED, joint, our_joint
from papers.measures import beam_key, noun_scores_and_beams
from papers.reproduction import Column, Reproduction, Row
from papers.tasks import JOINT
from riata.scoring.figures import Figure

WIDE = (10, 25, 50)
PRINTED = (
    (93.9, 92.8, 91.9, 91.3, 90.9),
    (90.5, 94.3, 94.4, 94.1, 94.1),
    (89.6, 94.3, 94.4, 94.2, 94.2),
    (88.7, 94.2, 94.5, 94.3, 94.3),
    (88.4, 94.2, 94.4, 94.2, 94.4),
)


def row(at: int) -> Row:
    """By the caption a line of the table is a training beam; by the text of Sec. 4.3, a column is."""
    return Row(
        train(BEAMS[at]),
        joint("alma", BEAMS[at]),
        {
            "paper, by its caption": {beam_key(beam): PRINTED[at][j] for j, beam in enumerate(BEAMS)},
            "paper, by its text": {beam_key(beam): PRINTED[j][at] for j, beam in enumerate(BEAMS)},
        },
    )


def train(beam: int) -> str:
    return f"train {beam}"


def cell(measured: Measured, training: int, decoding: int) -> Figure:
    return measured[train(training)][beam_key(decoding)]


def diagonal(measured: Measured) -> list[Statistic]:
    """The mean of equal beams against the mean of all others."""
    equal = Figure.mean_of([cell(measured, a, a) for a in BEAMS])
    others = Figure.mean_of([cell(measured, a, b) for a in BEAMS for b in BEAMS if a != b])
    return [between(f"equal beams {equal.mean:.2f}, others {others.mean:.2f}", equal.minus(others), 0.0)]


def best_at(decoding: int) -> Claim:
    """The claim that no training beam serves a decoding beam better than its own. In the paper, 0.2 is the most that one does."""

    def statistics(measured: Measured) -> list[Statistic]:
        own = cell(measured, decoding, decoding)
        others = {beam: cell(measured, beam, decoding) for beam in BEAMS if beam != decoding}
        return [
            between(f"trained with {beam} {found.mean:.2f}, with {decoding} {own.mean:.2f}", found.minus(own), high=0.2)
            for beam, found in others.items()
        ]

    text = f"For a decoding beam of {decoding}, no other training beam is better by more than 0.2."
    return Claim(text, tuple(map(train, BEAMS)), statistics)


def loses(training: int, decoding: int, text: str) -> Claim:
    """The claim that another decoding beam than that of training loses."""

    def statistics(measured: Measured) -> list[Statistic]:
        same, other = cell(measured, training, training), cell(measured, training, decoding)
        said = f"decoding beam {training} {same.mean:.2f}, {decoding} {other.mean:.2f}"
        return [between(said, same.minus(other), low=0.0)]

    return Claim(text, (train(training),), statistics)


def wide(measured: Measured) -> list[Statistic]:
    return [
        between(
            f"trained {a}, decoded {b} and {a}",
            cell(measured, a, b).minus(cell(measured, a, a)),
            -0.2,
            0.2,
            closed=True,
        )
        for a in WIDE
        for b in WIDE
        if a != b
    ]


REPRODUCTION = Reproduction(
    name="laso-table3",
    summary="LaSO, Table 3: F of every training beam with every decoding beam",
    paper="daume2005laso",
    title="Daumé & Marcu 2005, Table 3: training beam (lines) and decoding beam (columns)",
    task=JOINT,
    measure=noun_scores_and_beams(BEAMS),
    columns=tuple(Column(beam_key(beam), f"decode {beam}") for beam in BEAMS),
    rows=(
        *map(row, range(len(BEAMS))),
        Row("train 10, unmerged", joint("alma", 10, merge=False), {}, f"training and decoding: {UNMERGED}"),
        Row("train 10, ours", our_joint("alma", 10), {}, OURS),
    ),
    claims=(
        Claim(
            "Equal beams in training and decoding are best: the diagonal is heavy.", tuple(map(train, BEAMS)), diagonal
        ),
        *map(best_at, BEAMS),
        loses(1, 5, "Trained greedily, a decoding beam of 5 loses (93.9 to 90.5 by the text, to 92.8 by the caption)."),
        loses(
            5, 1, "Trained with a beam of 5, greedy decoding loses (94.3 to 92.8 by the text, to 90.5 by the caption)."
        ),
        Claim("From 10 on, beams may differ: F changes by no more than 0.2.", tuple(map(train, WIDE)), wide),
    ),
    remarks=(
        "The paper's caption and text contradict each other about which axis is the training beam; both readings are shown.",
        "Steps are ALMA's, as the paper's diagonal suggests. Features and search are those of laso-table2.",
        "F is of all chunk types; the paper's may be of NP chunks alone, as in its Table 2.",
    ),
    quick_epochs=1,
    quick_sentences=100,
    picture="grid",
)
