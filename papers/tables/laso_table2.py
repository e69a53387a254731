"""Table 2 of LaSO (Daumé & Marcu 2005): tags and chunks together, beams 1 to 50; chunks of all types, and NP chunks alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from papers.claims import beats, equal, faster, fewer, from_to, no_better
from papers.laso import BEAMS, OURS, SUTTON, UNMERGED, joint, our_joint
from papers.measures import noun_scores_and_beams
from papers.reproduction import Column, Reproduction, Row
from papers.tasks import JOINT
from papers.times import hours, seconds

STEPS = 100  # of L-BFGS, which are its epochs
FACTORIAL = (
    "a factorial CRF with exact sums (the paper had to approximate them). As all rows here, ours learns chunks of all types, of which NP "
    "alone are counted; `benchmarks/noun_phrases` learns NP alone, as the paper most likely did."
)

ALL_TYPES = ("tag_accuracy", "accuracy", "joint_accuracy", "f1")
NP_ALONE = ("tag_accuracy", "accuracy_np", "joint_accuracy_np", "f1_np")


def row(name: str, times: str, figures: str, columns: tuple[str, ...], setting: dict[str, Any] | None) -> Row:
    """With the figures of the table as they are printed: times as h:m, then tag, chunk and joint accuracy and F,
    in the columns that they most likely are.
    """
    paper = dict(zip(columns, map(float, figures.split()), strict=True))
    paper |= dict(zip(("seconds_train", "seconds_decode"), map(seconds, times.split()), strict=False))
    return Row(name, setting, {"paper": paper})


def perceptron(beam: int, times: str, figures: str) -> Row:
    return row(f"LASOP {beam}", times, figures, ALL_TYPES, joint("perceptron", beam))


def alma(beam: int, times: str, figures: str) -> Row:
    return row(f"LASOA {beam}", times, figures, NP_ALONE, joint("alma", beam))


def ours(name: str, step: str) -> Row:
    return Row(f"{name} 10, ours", our_joint(step, 10), {}, OURS)


def unmerged(name: str, step: str) -> Row:
    return Row(f"{name} 10, unmerged", joint(step, 10, merge=False), {}, UNMERGED)


ALMA_AND_PERCEPTRON = [(f"LASOA {beam}", f"LASOP {beam}") for beam in BEAMS]


REPRODUCTION = Reproduction(
    name="laso-table2",
    summary="LaSO, Table 2: tags and chunks together with perceptron and ALMA steps, beams 1 to 50",
    paper="daume2005laso",
    title="Daumé & Marcu 2005, Table 2: joint tagging and chunking",
    task=JOINT,
    measure=noun_scores_and_beams(BEAMS),
    columns=(
        Column("seconds_train", "train", "{:.0f} s".format, hours),
        Column("seconds_decode", "test", "{:.1f} s".format, hours),
        Column("tag_accuracy", "Tag"),
        Column("accuracy", "Chn"),
        Column("joint_accuracy", "Jnt"),
        Column("f1", "F"),
        Column("accuracy_np", "NP C", "{:.1f}".format),
        Column("joint_accuracy_np", "NP J", "{:.1f}".format),
        Column("f1_np", "NP F"),
    ),
    rows=(
        replace(row("SUTTON", "", "98.9 97.4 96.5 93.9", NP_ALONE, SUTTON), note=FACTORIAL, epochs=STEPS),
        perceptron(1, "1:29 :01", "98.9 95.5 94.7 93.1"),
        perceptron(5, "3:24 :04", "98.9 95.8 95.1 93.5"),
        perceptron(10, "4:47 :09", "98.9 95.9 95.1 93.5"),
        perceptron(25, "4:59 :16", "98.9 95.9 95.1 93.7"),
        perceptron(50, "5:53 :30", "98.9 95.8 94.9 93.4"),
        unmerged("LASOP", "perceptron"),
        ours("LASOP", "perceptron"),
        alma(1, ":41 :01", "99.0 96.5 95.8 93.9"),
        alma(5, "1:43 :03", "99.0 96.8 96.1 94.2"),
        alma(10, "2:21 :07", "99.1 97.3 96.4 94.4"),
        alma(25, "3:38 :20", "99.1 97.4 96.6 94.3"),
        alma(50, "3:15 :23", "99.1 97.4 96.6 94.4"),
        unmerged("LASOA", "alma"),
        ours("LASOA", "alma"),
    ),
    claims=(
        faster("ALMA trains faster than perceptron steps, at every beam.", "seconds_train", 1.0, *ALMA_AND_PERCEPTRON),
        fewer("ALMA needs fewer epochs than perceptron steps, at every beam.", "epoch", *ALMA_AND_PERCEPTRON),
        from_to("ALMA needs two or three epochs (beam 10).", "epoch", "LASOA 10", 2, 3),
        from_to("Perceptron steps need seven or eight epochs (beam 10).", "epoch", "LASOP 10", 7, 8),
        beats(
            "With perceptron steps, a beam of 5 beats greedy search (F 93.5 against 93.1).",
            "f1",
            ("LASOP 5", "LASOP 1"),
        ),
        beats(
            "With ALMA, a beam of 10 beats greedy search (F of NP 94.4 against 93.9).", "f1_np", ("LASOA 10", "LASOA 1")
        ),
        equal(
            "Past a beam of 10, ALMA gains no more than 0.1.",
            "f1_np",
            0.1,
            ("LASOA 25", "LASOA 10"),
            ("LASOA 50", "LASOA 10"),
        ),
        beats("ALMA beats perceptron steps at every beam: F of all chunks.", "f1", *ALMA_AND_PERCEPTRON),
        beats("ALMA beats perceptron steps at every beam: F of NP chunks.", "f1_np", *ALMA_AND_PERCEPTRON),
        beats(
            "ALMA beats perceptron steps at every beam: tags (99.0 or 99.1 against 98.9).",
            "tag_accuracy",
            *ALMA_AND_PERCEPTRON,
        ),
        no_better(
            "With perceptron steps, LaSO does not beat SUTTON at any beam.",
            "f1_np",
            *((f"LASOP {beam}", "SUTTON") for beam in BEAMS),
        ),
        equal("With ALMA, greedy search has the F of SUTTON (93.9).", "f1_np", 0.1, ("LASOA 1", "SUTTON")),
        beats(
            "With ALMA and a beam of 5 or more, LaSO beats SUTTON.",
            "f1_np",
            *((f"LASOA {beam}", "SUTTON") for beam in BEAMS[1:]),
        ),
    ),
    remarks=(
        "SUTTON most likely reports NP chunks alone, and so do the LASOA rows: a chain model reaches chunk "
        "accuracy 97.4 and F 93.9 on NP chunks, and 95.9 and 93.5 on all chunks. So the paper's LASOA and LASOP rows "
        "can hardly be compared with each other. Its figures are in the columns where they most likely belong.",
        "For NP chunks alone, every other chunk label is replaced by O, in the truth and in the output, before counting.",
        "The true tags are a column of the data that the Brill tagger wrote, so accuracy is agreement with that tagger.",
        "Features are those of Sec. 4.2 (`joint2005-paper`), with lists of the same kinds as the paper's, which are not public. There is "
        "no look-ahead and no tag dictionary: an operator gives any tag and any legal chunk label to the next word. Updates are "
        "against the mean of the y-bad nodes that outrank the truth.",
        "Our times are CPU seconds of training up to the chosen epoch; the paper's are hours and minutes on machines of 2005.",
        "Development data choose the epoch that they score, so these scores are a little too high.",
    ),
    quick_epochs=1,
    quick_sentences=100,
)
