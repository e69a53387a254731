"""Table 1 of Altun, Johnson & Hofmann (2003): four losses on tagging, with two sets of features; on other data than the paper's."""

from __future__ import annotations

from papers.altun import (
    BUDGET,
    CURVES,
    DECODING,
    LOSSES,
    PAPER,
    SIZES,
    columns,
    features_matter_more,
    named,
    row,
)
from papers.claims import beats, equal
from papers.measures import scores_by_size
from papers.reproduction import Reproduction
from papers.tasks import PENN

LOG, EXP, POINT_LOG, POINT_EXP = LOSSES

# The prior of each loss, chosen with S2 on development data, among values a factor of about 3 apart.
C2 = {LOG: 0.1, EXP: 3.0, POINT_LOG: 0.1, POINT_EXP: 0.1}

# The paper's accuracy by loss and set of features.
PRINTED = {
    LOG: {"S1": 94.91, "S2": 95.68},
    EXP: {"S1": 94.57, "S2": 95.25},
    POINT_LOG: {"S1": 94.90, "S2": 95.71},
    POINT_EXP: {"S1": 94.66, "S2": 95.31},
}
OFTEN = 20  # times that training must have seen a word of the dictionary

REPRODUCTION = Reproduction(
    name="losses-table1",
    summary="four losses of a conditional random field on tagging, with a dictionary of tags; features S1 and S2; by training size",
    paper=PAPER,
    title="Altun, Johnson & Hofmann 2003, Table 1: four losses, tagging",
    task=PENN,
    measure=scores_by_size(SIZES),
    columns=columns("accuracy"),
    rows=tuple(
        row(loss, features, C2[loss], paper, more={"dictionary": OFTEN})
        for loss, by_features in PRINTED.items()
        for features, paper in by_features.items()
    ),
    claims=(
        features_matter_more("Spelling matters more than the loss (S2 against S1).", "S1", "S2"),
        beats(
            "More features are better with every loss.",
            "score",
            *((named(loss, "S2"), named(loss, "S1")) for loss in LOSSES),
        ),
        equal(
            "With S2, all losses are within half a point of each other.",
            "score",
            0.5,
            *((named(loss, "S2"), named(LOG, "S2")) for loss in (EXP, POINT_LOG, POINT_EXP)),
        ),
        beats(
            "Log losses beat exp losses (95.68 and 95.71 against 95.25 and 95.31 with S2).",
            "score",
            *(
                (named(a, features), named(b, features))
                for features in ("S1", "S2")
                for a, b in ((LOG, EXP), (POINT_LOG, POINT_EXP))
            ),
        ),
    ),
    remarks=(
        "The paper learns from sections 1 to 21 of the Penn Treebank, which is not free, and scores section 22. Here the data are web "
        "texts, UD English EWT, with tags of the same kind (50 of them; the paper has 47) and fewer sentences. So the paper's figures are "
        "beside ours for the order of rows, not for their size.",
        f"A dictionary limits the tags of words that training has seen {OFTEN} times or more; the paper does not give its number.",
        BUDGET,
        CURVES,
        DECODING,
    ),
    quick_epochs=20,
    quick_sentences=100,
    drawn="score",
)
