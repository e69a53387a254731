"""Likelihoods of chains on small corpora: their value by listing all labellings, their gradient by differences."""

import itertools

import numpy as np
import pytest

from riata import _core
from riata.features.dictionary import TagDictionary
from riata.inference.rules.legality import Legality
from riata.models.model import Model
from riata.structures.chain.model import ChainOutputs, constrained

UNKNOWN = -1
# Of -log P.
LOSSES = {"log": lambda a: a, "exp": np.expm1, "pointwise-log": lambda a: a, "pointwise-exp": np.expm1}


class Likelihood:
    """A loss of P of the truth over native potentials, and both ways between its points and models.

    kind: of potentials, whose arguments follow; weights: of sentences; loss: -log P, or another by its name.
    """

    def __init__(self, kind, *parts, weights=(), loss="log"):
        self.potentials = kind(*parts)
        self.objective = _core.BatchObjective(self.potentials, np.array(weights, np.float64), loss)
        self.size, self.model, self.point = self.potentials.size, self.potentials.model, self.potentials.point

    def __call__(self, at, threads):
        value, gradient = self.objective(at, threads)
        return value * np.exp(self.objective.scale), gradient * np.exp(self.objective.scale)


def model_at(case, at):
    """The model at a point of the likelihood of a case."""
    free = Legality.free(len(case.labels))
    return constrained(Model(case.features, case.function.model(at), ChainOutputs(case.labels, free)), case.legality)


class Problem:
    """A small corpus and its likelihood in `function`.

    Subclasses fill in labels, legality, gold (of which some may be unknown), weights, corpus, features.
    """

    def legal(self, length):
        count = len(self.labels)
        follow = self.legality.follow.reshape(count, count)

        def allowed(labels):
            ends = self.legality.start[labels[0]] and self.legality.end[labels[-1]]
            return ends and all(follow[a, b] for a, b in itertools.pairwise(labels))

        return [np.array(labels) for labels in itertools.product(range(count), repeat=length) if allowed(labels)]

    def value(self, at, loss="log"):
        """By the scores of every labelling, from the model at this point. loss: by its name in native/losses."""
        model = model_at(self, at)
        total = 0.0
        for number, gold in enumerate(self.gold):
            one = self.features.instances(self.corpus[number : number + 1])
            every = self.legal(len(gold))
            scores = np.array([float(model.scores_of(one, y.astype(np.int32))[0]) for y in every])
            agree = np.array([(gold == y) | (gold == UNKNOWN) for y in every])  # [labellings][tokens]
            agree = agree if loss.startswith("pointwise") else agree.all(axis=1, keepdims=True)
            log_z = np.logaddexp.reduce(scores)
            log_p = np.array([np.logaddexp.reduce(scores[which]) - log_z for which in agree.T])
            times = self.weights[number] if len(self.weights) else 1
            if times:
                total += times * LOSSES[loss](-log_p).sum()
        return total


def random_dictionary(rng, labels, sentences, gold):
    """A dictionary that has the true labels of all words, and some others."""
    counts = {(w, int(y)): 1 for s, ys in zip(sentences, gold, strict=True) for w, y in zip(s, ys, strict=True)}
    more = {(w, int(rng.integers(len(labels)))): 1 for s in sentences for w in s if rng.random() < 0.3}
    return TagDictionary(tuple(labels), int(rng.integers(1, 3)), counts | more, alike=False)


def point(case, seed, scale=1.0):
    return np.random.default_rng(seed).normal(size=case.function.size) * scale


def check(case, at, seed, chosen=6, loss="log"):
    value, gradient = case.function(at, 1)
    assert value == pytest.approx(case.value(at, loss), rel=1e-9, abs=1e-9)
    step = 1e-5
    for i in np.random.default_rng(seed).choice(len(at), min(chosen, len(at)), replace=False):
        there = np.zeros_like(at)
        there[i] = step
        slope = (case.function(at + there, 1)[0] - case.function(at - there, 1)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-4 if loss == "log" else 1e-5 * max(1, abs(value)))
