"""Table 3 of Altun, Johnson & Hofmann (2003): optimisers on Spanish entities: fields, perceptron and boosting."""

from __future__ import annotations

from typing import Any

from papers.altun import BUDGET, CURVES, PAPER, SIZES, columns, named
from papers.altun import row as field
from papers.claims import Claim, Measured, Statistic, beats, between, equal
from papers.measures import scores_by_size
from papers.reproduction import Reproduction, Row
from papers.spanish import C2, PRINTED, REMARKS
from papers.tasks import SPANISH

SETS = ("S1", "S2", "S3")
LOG, EXP = "sequential log", "sequential exp"
AVERAGED, PLAIN, BOOSTING = "perceptron, averaged", "perceptron, plain", "boosting"
ROUNDS = 100  # of an epoch
EPOCHS = 100
FEW = 0.2  # of the weights of a field: the paper says about 10 %


def perceptron(name: str, features: str, paper: float | None, *, average: bool) -> Row:
    setting: dict[str, Any] = {"recipe": "perceptron", "template": features, "settings": {"average": average}}
    return Row(named(name, features), setting, {} if paper is None else {"paper": {"score": paper}})


def boosting(features: str, paper: float) -> Row:
    setting: dict[str, Any] = {"recipe": "boost", "template": features, "settings": {"rounds": ROUNDS, "cap": 4.0}}
    note = f"its steps are epochs of {ROUNDS} rounds, at most {EPOCHS}; development data choose the epoch."
    return Row(named(BOOSTING, features), setting, {"paper": {"score": paper}}, note, epochs=EPOCHS)


def worse_with_little(text: str, small: str, large: str) -> Claim:
    """The claim that boosting is farther behind the same loss by gradient with the small set of features than with the large one."""

    def statistics(measured: Measured) -> list[Statistic]:
        behind = {
            features: measured[named(EXP, features)]["score"].minus(measured[named(BOOSTING, features)]["score"])
            for features in (small, large)
        }
        said = f"behind by {behind[small].mean:.2f} with {small}, {behind[large].mean:.2f} with {large}"
        return [between(said, behind[small].minus(behind[large]), low=0.0)]

    return Claim(text, tuple(named(by, of) for of in (small, large) for by in (EXP, BOOSTING)), statistics)


def sparse(text: str) -> Claim:
    def statistics(measured: Measured) -> list[Statistic]:
        found = []
        for features in SETS:
            few, many = (measured[named(by, features)]["weights"] for by in (BOOSTING, EXP))
            said = f"{features}: {few.mean:,.0f} of {many.mean:,.0f} weights"
            found.append(Statistic(said, few.over(many), high=FEW, counted=True))
        return found

    return Claim(text, tuple(named(by, features) for features in SETS for by in (BOOSTING, EXP)), statistics)


REPRODUCTION = Reproduction(
    name="losses-table3",
    summary="Spanish entities: conditional random fields with two losses, perceptrons and boosting; sparsity and time",
    paper=PAPER,
    title="Altun, Johnson & Hofmann 2003, Table 3: methods, Spanish entities",
    task=SPANISH,
    measure=scores_by_size(SIZES),
    columns=columns("F"),
    rows=(
        *(field(LOG, features, C2[LOG], PRINTED[LOG][features]) for features in SETS),
        *(
            perceptron(AVERAGED, features, paper, average=True)
            for features, paper in zip(SETS, (59.77, 69.29, 72.97), strict=True)
        ),
        *(perceptron(PLAIN, features, None, average=False) for features in SETS),
        *(field(EXP, features, C2[EXP], PRINTED[EXP][features]) for features in SETS),
        *(boosting(features, paper) for features, paper in zip(SETS, (48.23, 66.11, 71.07), strict=True)),
    ),
    claims=(
        equal(
            "The averaged perceptron comes near the field (59.77, 69.29, 72.97 against 59.92, 69.75, 73.62).",
            "score",
            1.0,
            *((named(AVERAGED, features), named(LOG, features)) for features in SETS),
        ),
        beats(
            "The average of the perceptron's weights is better than the last ones.",
            "score",
            *((named(AVERAGED, features), named(PLAIN, features)) for features in SETS),
        ),
        beats(
            "With the features of an HMM, boosting is poor (48.23 against 59.68).",
            "score",
            (named(EXP, "S1"), named(BOOSTING, "S1")),
        ),
        worse_with_little("With more features, boosting comes nearer to the same loss by gradient.", "S1", "S3"),
        sparse("Boosting uses about 10 % of the features."),
        beats(
            "The log loss by gradient is better than the other methods with every set.",
            "score",
            *((named(LOG, features), named(by, features)) for features in SETS for by in (AVERAGED, EXP, BOOSTING)),
        ),
    ),
    remarks=(*REMARKS, BUDGET, CURVES),
    quick_epochs=20,
    quick_sentences=100,
    drawn="score",
)
