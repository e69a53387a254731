"""The log of a training in the form in which CRFsuite writes it, and what python-crfsuite reads from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

from riata.learning.events import Epoch

Info = dict[str, Any]


class LabelScore(NamedTuple):
    match: int
    model: int
    ref: int
    precision: float | None
    recall: float | None
    f1: float | None


class TrainingLog:
    """iterations: a dictionary for each, with num, loss, time and what else is known; the last one with scores of the held-out group."""

    def __init__(self) -> None:
        self.iterations: list[Info] = []
        self.log: list[str] = []  # lines
        self.featgen_num_features: int | None = None
        self.training_seconds: float | None = None

    @property
    def last_iteration(self) -> Info | None:
        return self.iterations[-1] if self.iterations else None

    def add(self, epoch: Epoch) -> str:
        """Adds an iteration, and returns its lines."""
        loss = float(epoch.updates) if epoch.objective is None else epoch.objective
        info: Info = {"num": epoch.epoch, "loss": loss, "time": epoch.seconds, "scores": {}}
        lines = [f"***** Iteration #{epoch.epoch} *****", f"Loss: {loss:f}"]
        if epoch.gradient_norm is not None:
            info["error_norm"] = epoch.gradient_norm
            lines.append(f"Error norm: {epoch.gradient_norm:f}")
        lines.append(f"Seconds required for this iteration: {epoch.seconds:.3f}")
        self.iterations.append(info)
        return "\n".join([*lines, "", ""])

    def add_scores(self, gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> str:
        """Adds scores of the held-out group to the last iteration, and returns their lines."""
        pairs = list(chain.from_iterable(zip(one, other, strict=True) for one, other in zip(gold, found, strict=True)))
        right = Counter(one for one, other in pairs if one == other)
        given, true = Counter(other for _, other in pairs), Counter(one for one, _ in pairs)
        scores = {label: _score(right[label], given[label], true[label]) for label in sorted(given | true)}
        means = [sum(score[i] or 0.0 for score in scores.values()) / max(len(scores), 1) for i in (3, 4, 5)]
        item = Fraction(right.total(), max(len(pairs), 1))
        instance = Fraction(sum(list(a) == list(b) for a, b in zip(gold, found, strict=True)), max(len(gold), 1))
        self.iterations[-1] |= {
            "scores": scores,
            **dict(zip(("avg_precision", "avg_recall", "avg_f1"), means, strict=True)),
            "item_accuracy": item,
            "item_accuracy_float": float(item),
            "instance_accuracy": instance,
            "instance_accuracy_float": float(instance),
        }
        lines = ["Performance by label (#match, #model, #ref) (precision, recall, F1):"]
        for label, (match, model, ref, *rates) in scores.items():
            lines.append(f"    {label}: ({match}, {model}, {ref}) ({', '.join(f'{rate or 0:.4f}' for rate in rates)})")
        lines.append(f"Macro-average precision, recall, F1: ({', '.join(f'{mean:f}' for mean in means)})")
        lines.append(f"Item accuracy: {right.total()} / {len(pairs)} ({float(item):.4f})")
        return "\n".join([*lines, "", ""])


def _score(match: int, model: int, ref: int) -> LabelScore:
    if not model and not ref:
        return LabelScore(match, model, ref, None, None, None)
    return LabelScore(match, model, ref, match / max(model, 1), match / max(ref, 1), 2 * match / (model + ref))
