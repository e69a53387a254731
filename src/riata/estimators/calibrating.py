"""Calibration in training: a temperature from sentences that a model has not learnt from, without changing what is learnt.

Development data that the model has not learnt from give it at once. Otherwise it comes from a companion: a model of the same recipe that
learns quickly from a part of the data, and is judged on other sentences. Its temperature is carried over to the model by the ratio of the
spreads of their scores (riata/confidence/calibration.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.confidence.calibration import (
    GAIN,
    GAIN_OF_PROBABILITIES,
    GAIN_OF_SEARCH,
    TRAINING,
    Calibration,
    CarriedFit,
    Values,
    best_fit,
    carried,
    first_tried,
    partners,
)
from riata.data.documents import Indices, blocks
from riata.data.types import Corpus, inputs_of, is_unknown
from riata.errors import UnsupportedError
from riata.learning.batch import prior
from riata.learning.events import ignore
from riata.learning.fit import Fit
from riata.learning.labels import weights_in
from riata.learning.loop import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from riata.choosing.recipe import Recipe
    from riata.confidence.calibration import JudgedUnits

RUN = 600  # tokens of neighbouring sentences that are held out together: texts repeat their own words
# Tokens that are judged, of chunks more, and the share of the data at most.
MOST_JUDGED, MOST_OF_CHUNKS, HELD = (4000, 8000, 0.2)
FEWEST = 15  # predictions of each output
SHARE = 0.01  # of the visits of training, so many are the companion's,
VISITS = 50_000  # but, if its epochs are enough, no fewer tokens are visited
# For recipes whose epochs take all data at once: the share of the data that the companion learns from, and the fewest tokens.
# Those that learn probabilities get more: their scores are on another scale if a prior outweighs few data.
SHARE_OF_WHOLE, SHARE_OF_PROBABILITIES, FEWEST_OF_WHOLE = 0.04, 0.1, 1500
COMPARED = 300  # sentences on which spreads are measured
TOO_LITTLE = "there was too little data to hold some of them out"


@dataclass(frozen=True)
class HoldOut:
    """What a companion learns from, in how many epochs, and what it is judged on: numbers of sentences."""

    learnt: Indices
    held: Indices
    epochs: int


def calibrated_in_training(
    estimator: Any, fit: Fit, outcome: Outcome, data: Corpus, weights: NDArray[np.float64]
) -> tuple[Calibration, ...]:
    """The calibrations of a model that has just been trained, output by output.

    estimator: of sequences, which has the model. data: with outputs as they are learnt.
    Raises UnsupportedError with the reason if there is none.
    """
    most = MOST_OF_CHUNKS if any(estimator.labels.chunk_outputs) else MOST_JUDGED
    train, dev = replace(fit, tell=ignore).split(data)
    if dev is not None and not fit.options.refit:
        held = _judgeable(dev, most)
        return tuple(map(_calibration, _fits(estimator, held, _spread(estimator, held))))
    if fit.options.choice.recipe.uncalibrated:
        raise UnsupportedError(fit.options.choice.recipe.uncalibrated)
    if dev is not None:
        companion, learnt, held = _kept(estimator, outcome.apart, data), train, _judgeable(dev, most)
    else:
        plan = planned(data, fit, most)
        learnt, held = data[plan.learnt], _judgeable(data[plan.held], most)
        companion = _companion(estimator, fit, outcome, data, weights, plan)
    some = learnt[np.unique(np.linspace(0, len(learnt) - 1, COMPARED).astype(int))]
    spreads = _spread(companion, some), _spread(estimator, some)
    tokens, gain = (learnt.tokens, data.tokens), _gain(fit.options.choice.recipe)
    fits = _fits(companion, held, spreads[0])
    return tuple(_calibration(carried(fit, spreads, tokens, gain)) for fit in fits)


def _gain(recipe: Recipe) -> float:
    if recipe.searches:
        return GAIN_OF_SEARCH
    return GAIN_OF_PROBABILITIES if recipe.probabilistic else GAIN


def planned(data: Corpus, fit: Fit, most: int) -> HoldOut:
    """Held-out sentences from all over the data, in runs of neighbours or whole documents, and what the companion learns from: all the
    rest for as many epochs as are cheap or, if that is less than one, a part from all over the rest. most: tokens that are held out.
    """
    if len(data) < 2 or data.tokens * HELD < FEWEST:
        raise UnsupportedError(TOO_LITTLE)
    runs = blocks(data, max(2, min(data.tokens // RUN, len(data))))
    number = max(1, round(min(most / data.tokens, HELD) * len(runs)))
    held = _spaced(len(runs), number)
    rest = np.setdiff1d(np.arange(len(runs)), held)
    tokens = int(np.diff(data.starts)[np.concatenate([runs[i] for i in rest.tolist()])].sum())
    epochs = fit.options.epochs
    if fit.options.choice.recipe.whole:
        least = SHARE_OF_PROBABILITIES if fit.options.choice.recipe.probabilistic else SHARE_OF_WHOLE
        share = max(least, FEWEST_OF_WHOLE / tokens)
    else:
        visited = max(SHARE * epochs * data.tokens, VISITS) / tokens  # in epochs over all the rest
        share, epochs = min(visited, 1.0), min(epochs, max(1, int(visited)))
    learnt = rest[_spaced(len(rest), max(1, round(min(share, 1.0) * len(rest))))]
    return HoldOut(_joined(runs, learnt), _joined(runs, held), epochs)


def _joined(runs: Sequence[Indices], chosen: NDArray[np.int64]) -> Indices:
    return np.sort(np.concatenate([runs[i] for i in chosen.tolist()]))


def _spaced(of: int, number: int) -> NDArray[np.int64]:
    """So many numbers below `of`, at equal distances."""
    return ((np.arange(number) + 0.5) * of / number).astype(np.int64)


def _judgeable(data: Corpus, most: int) -> Corpus:
    """Sentences with all their labels, with about so many tokens, from all over the data."""
    known = ~np.logical_or.reduceat(np.append(is_unknown(data.columns[-1]), False), data.starts[:-1])
    kept = np.flatnonzero(known & (np.diff(data.starts) > 0))
    tokens = int(np.diff(data.starts)[kept].sum())
    if not tokens:
        raise UnsupportedError(TOO_LITTLE)
    step = max(1.0, tokens / most)
    return data[kept[_spaced(len(kept), max(1, int(len(kept) / step)))]]


def _companion(
    estimator: Any, fit: Fit, outcome: Outcome, data: Corpus, weights: NDArray[np.float64], plan: HoldOut
) -> Any:
    part, options = data[plan.learnt], fit.options
    settings = options.settings
    for name, value in outcome.chosen.items():
        settings = prior.with_prior(settings, name, value)
    options = replace(
        options,
        epochs=plan.epochs,
        dev=None,
        patience=None,
        refit=False,
        seeds=1,
        shards=1,
        settings=settings,
        class_weight=weights_in(part, options.class_weight, data),
    )
    given = weights[plan.learnt] if len(weights) else weights
    found, _ = Fit(options, fit.tags, None, ignore).run(part, given)
    if found.interrupted:
        raise KeyboardInterrupt
    return _kept(estimator, found.model, part)


def _kept(estimator: Any, model: Any, data: Corpus) -> Any:
    """The estimator with another model of its recipe."""
    made = estimator.twin()
    made.labels.set_model(model.rounded(data.array_width), estimator.labels.tags())
    return made


def _calibration(fit: CarriedFit) -> Calibration:
    knots = ((0.0, 0.0), (1.0, fit.ceiling)) if fit.ceiling < 1 else ()
    return Calibration(fit.temperature, knots, TRAINING)


def _fits(estimator: Any, held: Corpus, near: float) -> list[CarriedFit]:
    """What fits every output on sentences that the model has not learnt from. near: where to look for temperatures."""
    inputs = inputs_of(held)
    first = first_tried(near)
    labels, values = estimator.confidence.weighed(inputs, first)
    known: dict[float, Values] = dict(zip(first, values, strict=True))
    found: list[CarriedFit] = []
    for output, judged in enumerate(_judged(estimator, held, estimator.labels.as_classes(labels, held.starts))):
        if len(judged.tokens) < FEWEST:
            raise UnsupportedError(f"only {len(judged.tokens)} predictions could be judged on held-out sentences")

        def judge(temperatures: list[float], output: int = output, judged: JudgedUnits = judged) -> Values:
            new = [t for t in temperatures if t not in known]
            if new:
                known.update(zip(new, estimator.confidence.weighed(inputs, new)[1], strict=True))
            return np.stack([known[t][output, judged.tokens] for t in temperatures])

        best = best_fit(judge, judged.right, near)
        if best is None:
            raise UnsupportedError("its search keeps no alternatives that confidences could come from")
        found.append(best)
    return found


def _judged(estimator: Any, held: Corpus, ids: Any) -> list[JudgedUnits]:
    """What is predicted for data with outputs as they are learnt, and whether it is right."""
    tags = estimator.labels.tags()
    if tags is not None and tags.recoded:
        gold = held.columns[-1]
        written = estimator.labels.recoding(gold.alphabet.texts(), tags.learnt, tags.data).column(gold.ids, held.starts)
        held = replace(held, columns=(*held.columns[:-1], written))
    found: list[JudgedUnits] = estimator.confidence.judged(held, ids)
    return found


def _spread(estimator: Any, data: Corpus) -> float:
    """By how much the model scores true outputs above those of other sentences of the same length, per token."""
    model, lengths = estimator._check_fitted(), np.diff(data.starts)
    truth = estimator.labels.label_ids(data.columns[-1])
    other = partners(lengths)
    of = np.concatenate([np.arange(data.starts[s], data.starts[s + 1]) for s in other.tolist()])
    instances = model.instances(inputs_of(data))
    known = np.maximum(truth, 0)
    own, others = model.scores_of(instances, known), model.scores_of(instances, known[of])
    strange = np.logical_or.reduceat(np.append(truth < 0, False), data.starts[:-1])
    reached = np.isfinite(own) & np.isfinite(others)  # moves do not reach every tree
    told = reached & ~strange & ~strange[other] & (other != np.arange(len(other))) & (lengths > 0)
    if not told.any():
        raise UnsupportedError("there was too little data to compare the scores of outputs")
    spread = float((own[told] - others[told]).sum() / lengths[told].sum())
    if not spread > 0:
        raise UnsupportedError("true outputs do not score more than others, so nothing shows the scale of scores")
    return spread
