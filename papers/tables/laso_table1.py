"""Table 1 of LaSO (Daumé & Marcu 2005): chunking by segments, beams 1, 5, 25 and infinite."""

from __future__ import annotations

from typing import Any

from papers.claims import beats, equal, faster
from papers.laso import SEGMENT_FEATURES, UNMERGED, ZDJ02, exact_segments, our_segments, segments
from papers.measures import convergence
from papers.reproduction import Column, Reproduction, Row
from papers.tasks import SEGMENTS
from papers.times import hours, seconds


def row(
    name: str,
    train: str,
    test: str,
    scores: str,
    setting: dict[str, Any] | None,
    note: str = "",
    epochs: int | None = None,
) -> Row:
    """With the figures of the table as they are printed: times as h:m, then precision, recall and F."""
    figures = dict(zip(("precision", "recall", "f1"), map(float, scores.split()), strict=True))
    for key, printed in (("seconds_train", train), ("seconds_decode", test)):
        if printed:
            figures[key] = seconds(printed)
    return Row(name, setting, {"paper": figures}, note, epochs)


def unmerged(name: str, step: str) -> tuple[Row, ...]:
    """The rows of a step rule without merging. A beam of 1 holds one state, and merges nothing."""
    return (
        *(Row(f"{name} {beam}, unmerged", segments(step, beam, merge=False), {}, UNMERGED) for beam in (5, 25)),
        Row(f"{name} 25, queue, unmerged", segments(step, 25, update="queue", merge=False), {}, f"{QUEUE} {BOTH}"),
    )


EXACT = exact_segments("perceptron")
SEMICRF = {"recipe": "semicrf", "settings": {"c2": 1.0}, **SEGMENT_FEATURES}
STEPS = "its epochs are steps of L-BFGS, at most 200."
LATTICE = "updates are against all segmentations, weighted by probability; the paper's sum over the lattice is uniform."
ONE_BEST = "not in the paper: updates are against the best segmentation alone."
BEST = "not in the paper: updates are against the best y-bad node alone."
OURS = "not in the paper: our own features (the default template), without lists; updates are against the best y-bad node alone."
QUEUE = "Eq. 2 to the letter: the mean over the whole queue, including y-good nodes and y-bad nodes that rank below the truth."
BOTH = f"And {UNMERGED}"

REPRODUCTION = Reproduction(
    name="laso-table1",
    summary="LaSO, Table 1: chunking by segments with perceptron and ALMA steps, beams 1, 5, 25 and infinite",
    paper="daume2005laso",
    title="Daumé & Marcu 2005, Table 1: syntactic chunking",
    task=SEGMENTS,
    measure=convergence,
    columns=(
        Column("seconds_train", "train", "{:.1f} s".format, hours),
        Column("seconds_decode", "decode", "{:.2f} s".format, hours),
        Column("epoch", "epoch", "{:.1f}".format),
        Column("precision", "P"),
        Column("recall", "R"),
        Column("f1", "F", interval=True),
    ),
    rows=(
        row(
            "ZDJ02",
            "",
            "",
            "94.3 94.0 94.1",
            ZDJ02,
            "features from a full parser that is not public; without them, about 93.6 (from the literature, not checked).",
        ),
        row("SEMICRF", "53:56", ":31", "92.3 92.1 92.2", SEMICRF, STEPS, epochs=200),
        row("PERCEPTRON", "18:05", ":22", "93.4 93.5 93.4", EXACT),
        row("LASOP 1", ":55", ":01", "92.5 92.3 92.4", segments("perceptron", 1)),
        row("LASOP 5", "1:49", ":04", "93.7 92.6 93.1", segments("perceptron", 5)),
        row("LASOP 25", "6:32", ":11", "94.2 94.1 94.1", segments("perceptron", 25)),
        Row("LASOP 25, queue", segments("perceptron", 25, update="queue"), {}, QUEUE),
        Row("LASOP 25, best", segments("perceptron", 25, update="best"), {}, BEST),
        *unmerged("LASOP", "perceptron"),
        row("LASOP ∞", "21:43", ":24", "94.3 94.1 94.2", exact_segments("laso-perceptron", update="lattice"), LATTICE),
        Row("LASOP ∞, best", EXACT, {}, "updates against the best segmentation alone: the training of PERCEPTRON."),
        row("LASOA 1", ":51", ":01", "93.6 92.5 93.0", segments("alma", 1)),
        row(
            "LASOA 5", "2:04", ":04", "93.8 94.4 94.3", segments("alma", 5), "P and R as printed give F 94.1, not 94.3."
        ),
        row(
            "LASOA 25",
            "5:59",
            ":10",
            "93.9 94.6 94.4",
            segments("alma", 25),
            "P and R as printed give F 94.2, not 94.4.",
        ),
        Row("LASOA 25, queue", segments("alma", 25, update="queue"), {}, QUEUE),
        Row("LASOA 25, best", segments("alma", 25, update="best"), {}, BEST),
        *unmerged("LASOA", "alma"),
        row("LASOA ∞", "20:12", ":25", "94.0 94.8 94.4", exact_segments("laso-alma", update="lattice"), LATTICE),
        Row("LASOA ∞, best", exact_segments("laso-alma", update="best"), {}, ONE_BEST),
        Row("LASOA 5, ours", our_segments("alma", 5), {}, OURS),
    ),
    claims=(
        beats(
            "Wider beams help the perceptron: F 92.4, 93.1, 94.1 at 1, 5, 25.",
            "f1",
            ("LASOP 5", "LASOP 1"),
            ("LASOP 25", "LASOP 5"),
        ),
        beats(
            "LaSO with greedy search beats the semi-Markov CRF (92.4 and 93.0 against 92.2).",
            "f1",
            ("LASOP 1", "SEMICRF"),
            ("LASOA 1", "SEMICRF"),
        ),
        beats("The semi-Markov CRF falls short of ZDJ02 (92.2 against 94.1).", "f1", ("ZDJ02", "SEMICRF")),
        beats("A beam of 5 beats greedy search with ALMA (94.3 against 93.0).", "f1", ("LASOA 5", "LASOA 1")),
        equal(
            "Past a beam of 5, ALMA gains no more than 0.1 (94.3, 94.4, 94.4 at 5, 25 and infinite).",
            "f1",
            0.1,
            ("LASOA 25", "LASOA 5"),
            ("LASOA ∞", "LASOA 5"),
        ),
        beats("ALMA beats perceptron steps at every beam.", "f1", *((f"LASOA {b}", f"LASOP {b}") for b in (1, 5, 25))),
        beats(
            "The structured perceptron falls short of LaSO with a beam of 25 (93.4 against 94.1 and 94.4).",
            "f1",
            ("LASOP 25", "PERCEPTRON"),
            ("LASOA 25", "PERCEPTRON"),
        ),
        beats(
            "LaSO with exact search beats the structured perceptron (94.2 with perceptron and 94.4 with ALMA steps, against 93.4).",
            "f1",
            ("LASOP ∞", "PERCEPTRON"),
            ("LASOA ∞", "PERCEPTRON"),
        ),
        beats("With exact search, ALMA beats perceptron steps (94.4 against 94.2).", "f1", ("LASOA ∞", "LASOP ∞")),
        equal(
            "Past a beam of 25, exact search gains no more than 0.1.",
            "f1",
            0.1,
            ("LASOP ∞", "LASOP 25"),
            ("LASOA ∞", "LASOA 25"),
        ),
        faster(
            "Greedy search trains many times faster than exact search (55 minutes against 18 hours).",
            "seconds_train",
            2.0,
            ("LASOP 1", "PERCEPTRON"),
        ),
        faster(
            "Greedy search decodes many times faster than exact search (1 minute against 22).",
            "seconds_decode",
            2.0,
            ("LASOP 1", "PERCEPTRON"),
        ),
        faster(
            "A beam of 25 trains faster than exact search (6 hours against 20).",
            "seconds_train",
            1.0,
            ("LASOP 25", "LASOP ∞"),
            ("LASOA 25", "LASOA ∞"),
        ),
        faster(
            "The semi-Markov CRF takes more than twice as long to train as LaSO with exact search.",
            "seconds_train",
            2.0,
            ("LASOP ∞", "SEMICRF"),
        ),
        faster(
            "The structured perceptron trains a little faster than LaSO with exact search (18 hours against 22 and 20).",
            "seconds_train",
            1.0,
            ("PERCEPTRON", "LASOP ∞"),
            ("PERCEPTRON", "LASOA ∞"),
        ),
        faster("At beam 25 ALMA trains faster than perceptron steps.", "seconds_train", 1.0, ("LASOA 25", "LASOP 25")),
    ),
    remarks=(
        "Our times are CPU seconds of training up to the chosen epoch; the paper's are hours and minutes on machines of 2005.",
        "LASOP and LASOA update against the mean of the y-bad nodes that outrank the truth, so that each update "
        "corrects an error. Rows with `queue` and `best` differ only in this.",
        "The search merges states with the same continuations, which the paper does not mention. Rows with `unmerged` do not.",
        "With exact search (∞), the paper updates against the uniform sum over the lattice, which is known to fail. "
        "Here segmentations are weighted by their probability, as in a semi-Markov CRF.",
        "Features are those of Sec. 4.1 (`laso2005-paper`): base and meta features, lists, the label of the chunk before. The "
        "paper's lists are not public; ours are others of the same kinds (names, places, organisations, dates, abbreviations, stop words).",
        "Development data choose the epoch that they score, so these scores are a little too high.",
    ),
)
