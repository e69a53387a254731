"""What do constraints give roles that were learnt one by one? LO against L+I of Punyakanok, Roth, Yih & Zimak (2005), on development data.

    python -m benchmarks.role_constraints                      trains with the defaults, boundaries given and found
    python -m benchmarks.role_constraints given.riata          with a trained model
    python -m benchmarks.role_constraints --final              on test data, which is put on record

LO: every slot has its best label, also where arguments overlap. Apart: of arguments that overlap, those with the best sum of scores
are kept, as RoleLabeler does. L+I: the best labels that keep all constraints of estimators/role_constraints.py, by the integer program.
"""

from __future__ import annotations

import itertools
import sys
import time
from typing import Any, NamedTuple

import numpy as np

import riata
from riata.estimators.roles import BOUNDARIES, GIVEN, SCALE, role_constraints
from riata.features.roles.slots import NO_ROLE
from riata.inference.declared import Declared
from riata.inference.rules.integer_program import IntegerProgram
from riata.inference.rules.slots import LabelNames, Slots
from riata.measuring import provenance as log
from riata.measuring.provenance import about
from riata.scoring.significance import paired_test


class Judged(NamedTuple):
    """The slots of some data, the scores of their labels, and the rules of each predicate."""

    labeler: Any
    data: Any
    slots: Any
    scores: Any  # [N][labels]
    rules: list[Any]
    shared: float  # seconds of CPU for making rules


def judged(labeler: Any, data: Any) -> Judged:
    slots = labeler.slots(data)
    scores = labeler.predicting._scores(slots.corpus) * SCALE
    labels = tuple(labeler.classes_)
    outside = np.array([label == NO_ROLE for label in labels])
    names = LabelNames(labels, outside=outside if outside.any() else None)
    declared = Declared(role_constraints(labels, overlap=labeler.boundaries != GIVEN))
    began, starts = time.process_time(), slots.corpus.starts.tolist()
    rules = [
        declared.ground(Slots(high - low, names, slots.spans[low:high].astype(np.int32)))
        for low, high in itertools.pairwise(starts)
    ]
    return Judged(labeler, data, slots, scores, rules, time.process_time() - began)


def parts(case: Judged, ids: Any) -> list[Any]:
    starts = case.slots.corpus.starts
    return [ids[low:high] for low, high in itertools.pairwise(starts)]


def violations(case: Judged, ids: Any) -> int:
    """Predicates whose output breaks some rule."""
    return sum(bool(rules.broken(part)) for rules, part in zip(case.rules, parts(case, ids), strict=True))


def solved(case: Judged) -> tuple[Any, IntegerProgram, float]:
    """The labels under constraints, what the program counts, and predicates per second of CPU, making rules included."""
    program, began = IntegerProgram(), time.process_time()
    found = [program.solve(node, rules) for node, rules in zip(parts(case, case.scores), case.rules, strict=True)]
    seconds = time.process_time() - began + case.shared
    return np.concatenate([one.output for one in found if one is not None]), program, len(found) / seconds


def report(labeler: Any, split: str) -> None:
    case = judged(labeler, riata.load("srl", split))
    truth = [labeler.classes_.index(t) if t in labeler.classes_ else -1 for t in case.slots.corpus.columns[-1].texts()]
    broken = violations(case, np.array(truth, np.int32))
    raw = case.scores.argmax(axis=1).astype(np.int32)
    under, program, speed = solved(case)
    outputs = {"LO": raw, "apart": labeler.predict_ids(case.data), "L+I": under}
    scored = {name: labeler.evaluate(case.data, predicted=ids) for name, ids in outputs.items()}
    print(f"\n{labeler.boundaries}: {len(case.rules):,} predicates; the truth of {broken} breaks a rule.")
    print(
        "| output | precision | recall | F1 | accuracy | without ARGM | predicates that break a rule | p against LO |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, one in scored.items():
        test = paired_test(one.statistic, one.resampled, scored["LO"].resampled)
        figures = " | ".join(
            f"{one.metrics[m]:.2f}" for m in ("precision", "recall", "f1", "accuracy", "core_accuracy")
        )
        p = "" if name == "LO" else f"{test.p_value:.4f}"
        print(f"| {name} | {figures} | {violations(case, outputs[name])} | {p} |")
    shares = (100 * count / program.inputs for count in (program.legal, program.called))
    print("legal already {:.1f} %, solver called {:.1f} %".format(*shares), end="; ")
    print(f"{speed:.0f} predicates/s of CPU", flush=True)
    if split == "test":
        record(labeler, scored)


def record(labeler: Any, scored: dict[str, Any]) -> None:
    lines = [
        {
            **about(),
            "question": f"roles {labeler.boundaries}",
            "contestant": name,
            "data": "srl test",
            "metrics": dict(one.metrics),
        }
        for name, one in scored.items()
    ]
    log.append(lines, log.place())


def main(words: list[str]) -> None:
    split = "test" if "--final" in words else "dev"
    models = [riata.load_model(word) for word in words if not word.startswith("--")]
    train = None if models else riata.load("srl", "train")
    for boundaries in () if models else BOUNDARIES:
        began = time.process_time()
        made = riata.RoleLabeler(boundaries=boundaries).fit(train, listener=lambda event: None)
        print(f"{boundaries}: trained in {time.process_time() - began:.1f} s of CPU", flush=True)
        report(made, split)
    for model in models:
        report(model, split)


if __name__ == "__main__":
    main(sys.argv[1:])
