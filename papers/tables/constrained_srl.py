"""Figure 3 of Punyakanok, Roth, Yih & Zimak (2005): roles of arguments, by the number of features."""

from __future__ import annotations

from typing import Any

from papers.claims import beats
from papers.inference_ways import WAYS, separated_key
from papers.reproduction import Column, Reproduction, Row
from papers.roles import CUTOFFS, MANY, cutoff_key, trial
from papers.tasks import Task

LONG, ALL = f"more than {MANY}", "all"
CYCLES = 20
FULL, FEW = CUTOFFS[0], CUTOFFS[-1]


def named(way: str, sentences: str) -> str:
    return f"{sentences}: {way}"


def row(way: str, sentences: str) -> Row:
    setting: dict[str, Any] = {"inference": WAYS[way], "average": sentences == ALL, "long": sentences == LONG}
    return Row(named(way, sentences), setting, {})


REPRODUCTION = Reproduction(
    name="constrained-srl",
    summary="roles of given arguments: learning without inference, before it, and with it, by number of features",
    paper="punyakanok2005",
    title="Punyakanok, Roth, Yih & Zimak 2005, Fig. 3: semantic roles, by number of features",
    task=Task("roles of given arguments", dict, (), data="srl", dev="dev", trial=trial),
    columns=(
        *(Column(cutoff_key(cutoff), f"{cutoff:,}", interval=True) for cutoff in CUTOFFS[:1]),
        *(Column(cutoff_key(cutoff), f"{cutoff:,}") for cutoff in CUTOFFS[1:]),
        Column(f"weights_{FULL}", "weights", "{:,.0f}".format),
        Column(separated_key(FULL), "right", "{:.0f} %".format),
    ),
    rows=tuple(row(way, sentences) for sentences in (LONG, ALL) for way in WAYS),
    claims=(
        beats(
            "With few features, the task is hard: IBT is better than L+I.",
            cutoff_key(FEW),
            (named("IBT", LONG), named("L+I", LONG)),
        ),
        beats(
            "With many features, L+I is better than IBT.", cutoff_key(FULL), (named("L+I", LONG), named("IBT", LONG))
        ),
        beats(
            "Inference helps classifiers that were learnt without it.",
            cutoff_key(FULL),
            *((named("L+I", of), named("LO", of)) for of in (LONG, ALL)),
        ),
        beats(
            "Inference helps where features are few.",
            cutoff_key(FEW),
            *((named("L+I", of), named("LO", of)) for of in (LONG, ALL)),
        ),
    ),
    remarks=(
        "Boundaries of arguments are given. Constraints: no overlap, no core argument twice, R-X and C-X need X. Columns are accuracies, "
        "by how often training must have seen a feature; all rows have the same features.",
        f"More than {MANY}: sentences with more than {MANY} arguments, of all their predicates, alone, as in the paper; last weights. All: "
        "every sentence that has a predicate; averaged weights. Right: how many trainings came to a cycle without errors.",
        f"At most {CYCLES} cycles; the paper has 100. Data: PropBank on English web text (srl), not those of the paper, which are not "
        "free.",
    ),
    epochs=CYCLES,
    quick_epochs=5,
    picture="panels",
    drawn=cutoff_key(FULL),
)
