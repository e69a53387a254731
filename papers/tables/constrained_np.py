"""Figure 4 of Punyakanok, Roth, Yih & Zimak (2005): base noun phrases from two classifiers, by the number of features."""

from __future__ import annotations

from typing import Any

from papers.brackets import CUTOFFS, cutoff_key, trial
from papers.claims import beats
from papers.inference_ways import WAYS, separated_key
from papers.reproduction import Column, Reproduction, Row
from papers.tasks import Task

CYCLES, STEPS = 100, 200
MANY, FEW = CUTOFFS[0], CUTOFFS[-1]


def named(way: str, kind: str = "") -> str:
    return way + kind


def row(way: str, *, average: bool) -> Row:
    setting: dict[str, Any] = {"recipe": "perceptron", "inference": WAYS[way], "settings": {"average": average}}
    return Row(named(way, ", averaged" if average else ""), setting, {})


REPRODUCTION = Reproduction(
    name="constrained-np",
    summary="base noun phrases from classifiers of their first and last words: learning without inference, before it, and with it",
    paper="punyakanok2005",
    title="Punyakanok, Roth, Yih & Zimak 2005, Fig. 4: noun phrases, by number of features",
    task=Task("brackets of noun phrases", dict, (), data="conll2000", trial=trial),
    columns=(
        *(Column(cutoff_key(cutoff), f"{cutoff:,}", interval=cutoff == MANY) for cutoff in CUTOFFS),
        Column(separated_key(MANY), "right", "{:.0f} %".format),
    ),
    rows=(
        *(row(way, average=False) for way in WAYS),
        *(row(way, average=True) for way in WAYS),
        Row(named("L+I", ", log loss"), {"recipe": "crf", "inference": "after"}, {}, epochs=STEPS),
    ),
    claims=(
        beats(
            "With few features, the task is hard: IBT is better than L+I.",
            cutoff_key(FEW),
            (named("IBT"), named("L+I")),
        ),
        beats("With many features, L+I is better than IBT.", cutoff_key(MANY), (named("L+I"), named("IBT"))),
        beats(
            "Inference helps classifiers that were learnt without it.", cutoff_key(MANY), (named("L+I"), named("LO"))
        ),
    ),
    remarks=(
        "Two questions per word: does a phrase begin with it, does one end with it? Constraints: brackets close before the next one opens. "
        "Columns are F1 of noun phrases, by how often training must have seen a feature; all rows have the same features. Right: how many "
        "trainings with all features came to a cycle without errors.",
        "LO: each answer alone; a phrase goes from an opening bracket to the next closing one. L+I: the same weights, best legal answers, "
        "the shortest path of Punyakanok & Roth (2001). IBT: learning updates against the best legal answers.",
        f"Perceptrons, last weights, at most {CYCLES} cycles or to a cycle without errors, as in the paper; averaged rows are ours. The "
        "row with the log loss has probabilities, as the classifiers of Punyakanok & Roth (2001) have.",
        "Data: CoNLL-2000, whose noun phrases are cut from the same corpus as the paper's, other sections. Development data are the last "
        "tenth of the training data.",
    ),
    epochs=CYCLES,
    quick_epochs=5,
    picture="panels",
    drawn=cutoff_key(MANY),
)
