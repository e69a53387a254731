"""Whose fault a wrong sentence is. Two questions: did the search find the best output, and is the best output the truth?

|                            | the best output is the truth | it is not                       |
|----------------------------|------------------------------|---------------------------------|
| the search found the best  | right                        | wrong: model                    |
| the search missed it       | wrong: search                | wrong: both; or right by luck   |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances
from riata.data.types import Corpus, Ids
from riata.inference.structure import EXACT, Decoder
from riata.models.constrained import penalties
from riata.models.model import Model

if TYPE_CHECKING:
    from riata.inference.kept import Kept

ROUNDING = 1e-5  # relative; scores are sums of single-precision numbers
FAULTS = ("search", "both", "model", "tie")  # of wrong outputs, as they are looked for and counted


@dataclass(frozen=True)
class SearchErrors:
    """Outputs by fault: wrong = search + both + model + ties. The best output is the one that scores highest of all.

    test: "exact" where the best output is known. "truth" where it is too costly to find: `search` then counts the outputs that score below
    the truth, which the search has surely missed, a lower bound; `model` counts those that score above it, whose best output is surely not
    the truth, and truths that no search can give, such as those that constraints forbid; whether the search has missed a better one there,
    or among right outputs, cannot be told, and `both` and `lucky` are None. Penalties of constraints lower scores.
    """

    wrong: int
    search: int  # alone: it missed the best output, which is the truth
    both: int | None  # the search missed the best output, and that is not the truth either
    model: int  # alone: the search found the best output, and it is not the truth
    ties: int  # the truth is one of several best outputs, and another was found or would be by exact search
    right: int
    lucky: int | None  # right, though the search missed the best output, which is wrong
    test: str = "exact"
    of: tuple[str, ...] = field(default=(), repr=False)  # one by one: "right" or one of FAULTS
    missed: tuple[bool | None, ...] = field(default=(), repr=False)  # one by one: the best output; None: not known

    @property
    def counts(self) -> dict[str, int | str | None]:
        return {one.name: getattr(self, one.name) for one in fields(self) if one.repr}

    def __str__(self) -> str:
        return in_words(self.counts)

    @classmethod
    def counted(cls, faults: Sequence[str], missed: Sequence[bool], test: str) -> SearchErrors:
        """missed: whether the search surely missed the best output."""
        search, both, model, ties = (faults.count(fault) for fault in FAULTS)
        right = faults.count("right")
        lucky = sum(m and fault == "right" for fault, m in zip(faults, missed, strict=True))
        known = test == "exact"
        return cls(
            len(faults) - right,
            search,
            both if known else None,
            model,
            ties,
            right,
            lucky if known else None,
            test,
            tuple(faults),
            tuple(bool(m) if m or known else None for m in missed),
        )


def pooled(parts: Sequence[Mapping[str, Any]]) -> dict[str, int | str | None]:
    """The counts of several sets of sentences together. One that was told by the truth makes the whole so."""
    names = [one.name for one in fields(SearchErrors) if one.repr and one.name != "test"]
    sums: dict[str, Any] = {name: sum(part[name] or 0 for part in parts) for name in names}
    if all(part["test"] == "exact" for part in parts):
        return {**sums, "test": "exact"}
    search = sums["search"] + sums["both"]  # what was surely missed
    return {**sums, "search": search, "both": None, "lucky": None, "test": "truth"}


def in_words(counts: Mapping[str, Any]) -> str:
    """One line of text."""
    wrong, search, both, model, ties, _, lucky = (
        counts[name] for name in ("wrong", "search", "both", "model", "ties", "right", "lucky")
    )
    head = f"{wrong:,} wrong sentence{'s' * (wrong != 1)}"
    if counts["test"] == "truth":
        return (
            f"{head}: at least {search:,} by the search (the truth scores higher than what was found), {model:,} by the model "
            f"(it scores lower or cannot be given), {ties:,} ties; exact search is too costly here to tell what else the search missed"
        )
    return (
        f"{head}: {search:,} by search alone, {model:,} by model alone, {both:,} by both, {ties:,} ties; "
        f"{lucky:,} right by luck"
    )


def square(counts: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """The two questions as rows of a table: where the best output is the truth, and where it is not."""
    found, lucky = counts["right"] - counts["lucky"], counts["lucky"]
    return (
        ("the best output", "is the truth", "is not the truth"),
        ("found by the search", f"{found:,} right", f"{counts['model']:,} wrong"),
        ("missed by the search", f"{counts['search']:,} wrong", f"{counts['both']:,} wrong, {lucky:,} right by luck"),
    )


def judged(
    wrong: NDArray[np.bool_],
    found: NDArray[np.float64],
    best: NDArray[np.float64],
    truth: NDArray[np.float64],
    best_is_truth: NDArray[np.bool_],
    test: str,
) -> SearchErrors:
    """From the scores of the outputs, of the best outputs known, and of the truths; -inf: no search gives it. best_is_truth: the outputs
    themselves are equal.
    """
    slack = ROUNDING * (1 + np.where(np.isfinite(best), np.abs(best), 0.0))
    missed = best > found + slack
    among = (truth > -np.inf) & (truth >= best - slack) & (truth <= best + slack)
    tied = among & ~(missed & best_is_truth)
    alone = np.where(missed, np.where(best_is_truth, "search", "both"), "model")
    names = np.where(wrong, np.where(tied, "tie", alone), "right")
    return SearchErrors.counted([str(name) for name in names], missed.tolist(), test)


def split_errors(model: Model, inputs: Corpus, predicted: Ids | None, gold: Ids, decoder: Decoder) -> SearchErrors:
    """Compares what was found with the exact argmax under the same weights and constraints or, where that is too costly, with the truth.

    predicted: label ids (None: what the decoder finds). gold: label ids, -1 where the model does not know the label.
    """
    instances = model.features.instances(inputs)
    kept = None if decoder.kept is None else decoder.kept.counted_anew()
    found_ids = predicted
    if found_ids is None:
        found_ids = _decoded(model, inputs, instances, replace(decoder, kept=kept))
    is_best = decoder.queue == EXACT.queue and decoder.risk is None
    exact = found_ids if is_best else best_labels(model, inputs, instances, kept)
    return _compared(model, inputs, instances, found_ids, exact, gold, kept)


def split_tagged_errors(model: Model, inputs: Corpus, predicted: Ids, gold: Ids, decoder: Decoder) -> SearchErrors:
    """The same where tags are chosen beside labels. predicted, gold: codes of the core, with tags or with tags that are open; -1 where the
    model does not know the label or the tag.
    """
    instances = model.features.instances(inputs)
    return _compared(model, inputs, instances, predicted, None, gold, decoder.kept, tagged=True)


def best_labels(model: Model, inputs: Corpus, instances: Instances, kept: Kept | None = None) -> Ids | None:
    """What scores highest of all that keep the constraints; None where exact search is too costly."""
    if not model.exact_is_cheap(int(np.diff(inputs.starts).max(initial=0))):
        return None
    return _decoded(model, inputs, instances, replace(EXACT, kept=kept))


def _decoded(model: Model, inputs: Corpus, instances: Instances, decoder: Decoder) -> Ids:
    found = model.decode(instances, decoder)
    return found if decoder.kept is None else model.made_to_keep(inputs, found, decoder)


def _compared(
    model: Model,
    inputs: Corpus,
    instances: Instances,
    predicted: Ids,
    exact: Ids | None,
    gold: Ids,
    kept: Kept | None,
    *,
    tagged: bool = False,
) -> SearchErrors:
    """By scores less penalties. A truth that constraints forbid is one that no search can give. tagged: outputs are codes, not labels."""
    starts = inputs.starts
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    def differ(a: Ids, b: Ids) -> NDArray[np.bool_]:
        return np.bincount(sentence[a != b], minlength=len(starts) - 1) > 0

    def plain(labels: Ids) -> Ids:
        return model.outputs.label_ids(labels, starts) if tagged else labels

    def value(labels: Ids) -> NDArray[np.float64]:
        codes = labels if tagged else model.outputs.codes(labels, starts)
        scores: NDArray[np.float64] = model.weights.scores_of(model.features.index, instances, codes)
        return scores - penalties(model, inputs, plain(labels), kept)

    found = value(predicted)
    # Whole: or no trees.
    known = np.where(differ(np.minimum(gold, 0), np.zeros_like(gold))[sentence], predicted, gold).astype(np.int32)
    truth = value(known)
    truth[sentence[(gold < 0) | model.impossible(inputs, plain(known))]] = -np.inf
    wrong = differ(predicted, gold)
    if exact is None:
        return judged(wrong, found, np.maximum(truth, found), truth, truth > found, "truth")
    best = value(exact)
    return judged(wrong, found, best, truth, ~differ(exact, gold), "exact")
