"""c2=auto and C=auto: how strongly small weights are preferred, chosen on held-out sentences at a bounded cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.data.documents import blocks, cut_near
from riata.data.types import Corpus, is_unknown
from riata.learning.batch.settings import GAIN_TOLERANCE, PRIORS
from riata.learning.events import Event, Note

if TYPE_CHECKING:
    from riata.learning.fit import Fit
    from riata.learning.labels import LabelSet

C2, C = "c2", "C"
# Tried before the others by a model that reads labels of a first pass. Much of what it has to know is in these few features, so that
# it needs the others less.
TRIED_IN_CONTEXT = (30.0, 10.0)
TRIED_C = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
LEFT_OVER = 0.1  # used if there is no data to choose by
MOST = 1500  # sentences that are learnt from; at most as many are held out
LABELS = 50  # with more labels, a sentence costs more by the square of their number, so fewer sentences are used
SHARE = 5  # one in so many sentences is held out, at the end of the data
ENOUGH = 200  # least number of held-out sentences; with fewer, each sentence is held out once, in FOLDS parts
FOLDS = 3
FEWEST = 4 * FOLDS  # least number of sentences to choose by
STEPS = 25  # steps of the minimiser for each value
NEAR = 5e-4  # gain_tolerance of the training itself, where c2 was chosen
LOOSELY = {C2: {"gain_tolerance": 1e-2}, C: {"gap": 0.1}}  # settings of trials: when a minimum is near enough


def with_prior(settings: Mapping[str, Any], name: str, value: float) -> dict[str, Any]:
    """The settings of the training itself. A prior that was chosen on some sentences asks for no exact minimum: without a tolerance of the
    user's, learning stops earlier.
    """
    found = {**settings, name: value}
    if name == C2 and found[GAIN_TOLERANCE.name] == GAIN_TOLERANCE.default:
        found[GAIN_TOLERANCE.name] = NEAR
    return found


@dataclass(frozen=True)
class Chosen:
    """The chosen value of a setting, and the held-out score of each value that was tried (per cent)."""

    name: str
    value: float
    scores: dict[float, float]

    def note(self) -> Note:
        if not self.scores:
            why = ": too few sentences with all their labels to choose it by"
        elif alike(self.scores):
            why = f": with every value tried, held-out sentences score {max(self.scores.values()):.2f}"
        else:
            tried = ", ".join(f"{value:g}: {score:.2f}" for value, score in self.scores.items())
            why = f", chosen on held-out sentences ({tried})"
        return Note(f"{self.name} is {self.value:g}{why}.")


def alike(scores: dict[float, float]) -> bool:
    """Whether all scores are the same, so that nothing can be chosen by them."""
    return len(set(scores.values())) == 1


def values(name: str, trainer: object, *, in_context: bool) -> tuple[float, ...]:
    """The values that are tried, those of the smallest weights first. trainer: what the recipe makes its trainers with."""
    if name == C:
        return TRIED_C
    tried: tuple[float, ...] = getattr(trainer, "priors", PRIORS)
    stronger = tuple(value for value in TRIED_IN_CONTEXT if value > tried[0])
    return stronger + tried if in_context else tried


def choose(fit: Fit, name: str, data: Corpus, dev: Corpus | None, weights: NDArray[np.float64]) -> Chosen:
    """The value of a setting with the best held-out score; if there are many data, of a part of them.

    dev: development data, which are held out in any case. weights: of the sentences, or empty.
    """
    tried = values(name, fit.options.choice.recipe.trainer, in_context=bool(fit.options.added))
    settings, steps = {**fit.options.settings, name: tried[0], **LOOSELY[name]}, STEPS
    if settings.get("optimiser", "lbfgs") == "lbfgs":
        steps = min(steps, fit.options.epochs)
    else:
        settings["optimiser"] = "lbfgs"
    options = replace(fit.options, settings=settings, epochs=steps, dev=None, refit=False)
    trial = replace(fit, options=options, start=None, tell=_silent)
    labels = fit.labels(data)
    most = int(MOST * min(1.0, (LABELS / len(labels.labels)) ** 2))
    found: list[dict[float, float]] = []
    counts = weights > 0 if len(weights) else np.ones(len(data), np.bool_)
    for learnt, held_out in _splits(data, dev, most, counts):
        if len(held_out):
            part = weights[learnt] if len(weights) else weights
            found.append(_scores(trial, tried, data[learnt], part, labels, held_out))
    if not found:
        return Chosen(name, LEFT_OVER, {})
    scores = {one: float(np.mean([fold[one] for fold in found])) for one in tried if all(one in fold for fold in found)}
    return Chosen(name, LEFT_OVER if alike(scores) else max(scores, key=lambda one: scores[one]), scores)


def _splits(
    data: Corpus, dev: Corpus | None, most: int, counts: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.int64], Corpus]]:
    """Sentences to learn from, and data to score: development data, the end of the data, or each of several parts of the data in turn.
    Where documents are marked, whole documents are scored.

    counts: [S] whether a sentence is used at all.
    """
    # Number of unknown labels before each sentence.
    unknown = np.concatenate([[0], np.cumsum(is_unknown(data.columns[-1]))])[data.starts]
    known = (unknown[1:] == unknown[:-1]) & counts[: len(data)]  # sentences that can be scored
    sentences = np.arange(len(data))
    if min(most, len(data)) < FEWEST:
        return
    if dev is not None:
        yield _spread(sentences, most), dev[:most]
    elif len(data) > most or len(data) // SHARE >= ENOUGH:
        first = cut_near(data, len(data) - min(len(data) // SHARE, most)).first
        yield _spread(sentences[:first], most), data[first + np.flatnonzero(known[first:])[:most]]
    else:
        for part in _parts(data):
            yield np.setdiff1d(sentences, part), data[part[known[part]]]


def _parts(data: Corpus) -> Sequence[NDArray[np.int64]]:
    """The sentences of each part: whole documents, where these are marked and none is most of the data."""
    if data.document is not None and data.document.min() < data.document.max():
        parts = blocks(data, FOLDS)
        if max(map(len, parts)) <= len(data) / 2:
            return parts
    return np.array_split(np.arange(len(data)), FOLDS)


def _spread(sentences: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """At most `most` of the sentences, evenly spread."""
    return sentences if len(sentences) <= most else sentences[np.arange(most) * len(sentences) // most]


def _scores(
    fit: Fit,
    tried: tuple[float, ...],
    data: Corpus,
    weights: NDArray[np.float64],
    labels: LabelSet,
    held_out: Corpus,
) -> dict[float, float]:
    """The held-out score of every value, learnt in at most so many steps as there are epochs."""
    structure = fit.structure(labels)
    trainer: Any  # one that has go_on_with
    trainer, examples = fit.prepared(data, weights, structure)
    score = fit.dev_score(structure, trainer.features, held_out)
    scores: dict[float, float] = {}
    for value in tried:
        if scores:
            trainer.go_on_with(value)
        for step in range(1, fit.options.epochs + 1):
            trainer.epoch(examples, fit.options.seed, step)
            if trainer.finished:
                break
        scores[value] = score(trainer.model())
    return scores


def _silent(event: Event) -> None:
    """Ignores events, so that trials report nothing."""
