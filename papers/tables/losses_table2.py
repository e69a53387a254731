"""Table 2 of Altun, Johnson & Hofmann (2003): four losses on Spanish entities, with three sets of features."""

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
from papers.claims import beats
from papers.measures import scores_by_size
from papers.reproduction import Reproduction
from papers.spanish import C2, PRINTED, REMARKS
from papers.tasks import SPANISH

LOG, EXP, POINT_LOG, POINT_EXP = LOSSES

REPRODUCTION = Reproduction(
    name="losses-table2",
    summary="four losses of a conditional random field on Spanish entities; features S1, S2 and S3; by training size",
    paper=PAPER,
    title="Altun, Johnson & Hofmann 2003, Table 2: four losses, Spanish entities",
    task=SPANISH,
    measure=scores_by_size(SIZES),
    columns=columns("F"),
    rows=tuple(
        row(loss, features, C2[loss], paper)
        for loss, by_features in PRINTED.items()
        for features, paper in by_features.items()
    ),
    claims=(
        features_matter_more("Spelling matters more than the loss (S2 against S1).", "S1", "S2"),
        features_matter_more("The words around matter more than the loss (S3 against S2).", "S2", "S3"),
        beats(
            "More features are better with every loss.",
            "score",
            *((named(loss, "S2"), named(loss, "S1")) for loss in LOSSES),
            *((named(loss, "S3"), named(loss, "S2")) for loss in LOSSES),
        ),
        beats(
            "With whole sequences, the log loss beats the exp loss (59.92, 69.75, 73.62 against 59.68, 67.30, 72.11).",
            "score",
            *((named(LOG, features), named(EXP, features)) for features in ("S1", "S2", "S3")),
        ),
        beats(
            "Label by label, the exp loss beats the log loss (58.26, 69.51, 73.82 against 56.73, 68.28, 73.17).",
            "score",
            *((named(POINT_EXP, features), named(POINT_LOG, features)) for features in ("S1", "S2", "S3")),
        ),
        beats(
            "With the features of an HMM, S1, losses of whole sequences beat those of single labels.",
            "score",
            *((named(whole, "S1"), named(single, "S1")) for whole in (LOG, EXP) for single in (POINT_LOG, POINT_EXP)),
        ),
    ),
    remarks=(*REMARKS, BUDGET, CURVES, DECODING),
    quick_epochs=20,
    quick_sentences=100,
    drawn="score",
)
