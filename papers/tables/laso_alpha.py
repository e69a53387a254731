"""ALMA's alpha from 0.5 to 1, and the epochs that ALMA and the perceptron need (Daumé & Marcu 2005, Sec. 4)."""

from __future__ import annotations

from papers.claims import equal, fewer, from_to
from papers.laso import segments
from papers.measures import convergence
from papers.reproduction import Column, Reproduction, Row
from papers.tasks import SEGMENTS

ALPHAS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
BEAM = 5
DEFAULT = "alpha 0.9"
PERCEPTRON = "perceptron"

REPRODUCTION = Reproduction(
    name="laso-alpha",
    summary="LaSO, Sec. 4: F over alpha from 0.5 to 1, and the epochs that ALMA and the perceptron need",
    paper="daume2005laso",
    title="Daumé & Marcu 2005, Sec. 4: what alpha changes, and how many epochs it takes",
    task=SEGMENTS,
    measure=convergence,
    columns=(
        Column("seconds_train", "train", "{:.1f} s".format),
        Column("epoch", "best epoch", "{:.1f}".format),
        Column("epoch_near", "within 0.1", "{:.1f}".format),
        Column("f1", "F", interval=True),
    ),
    rows=(
        *(
            Row(
                f"alpha {alpha:g}",
                segments("alma", BEAM, alpha=alpha),
                {"paper": {"f1": 94.3}} if f"alpha {alpha:g}" == DEFAULT else {},
            )
            for alpha in ALPHAS
        ),
        Row(
            PERCEPTRON,
            segments("perceptron", BEAM),
            {"paper": {"f1": 93.1}},
        ),
    ),
    claims=(
        equal(
            "Alpha from 0.5 to 1 changes F by no more than 0.1.",
            "f1",
            0.1,
            *((f"alpha {alpha:g}", DEFAULT) for alpha in ALPHAS if f"alpha {alpha:g}" != DEFAULT),
        ),
        fewer("ALMA needs fewer epochs than the perceptron: best epoch.", "epoch", (DEFAULT, PERCEPTRON)),
        fewer(
            "ALMA needs fewer epochs than the perceptron: first epoch within 0.1 of the best.",
            "epoch_near",
            (DEFAULT, PERCEPTRON),
        ),
        from_to("ALMA needs two or three epochs.", "epoch", DEFAULT, 2, 3),
        from_to("The perceptron needs seven or eight epochs.", "epoch", PERCEPTRON, 7, 8),
    ),
    remarks=(
        "Sec. 3.4 describes alpha backwards: 1 asks for no margin at all, values towards 0 for the largest (Gentile 2001).",
        "The paper counts epochs on the joint task (Sec. 4.2), as laso-table2 does. Here they are counted on "
        "chunking by segments, with a beam of 5.",
        "Features are those of Sec. 4.1 with lists, as in laso-table1.",
        "The best epoch has the best development score; `within 0.1` is the first epoch that comes so near to it.",
    ),
)
