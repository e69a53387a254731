"""Sequence boosting as Algorithm 2 of Altun, Johnson & Hofmann 2003 has it, over lists of all outputs, in NumPy.

Line 1 is read as Eq. 5 at zero weights: D is uniform over all wrong outputs. Steps are cut off at `cap`. Features are columns of
matrices; those that no truth has are not among them.
"""

from typing import NamedTuple

import numpy as np

EQUAL = 1e-9  # bounds that differ by a smaller part of what they gain are equal; the first feature of several is taken


class Round(NamedTuple):
    feature: int
    step: float
    bound: float  # of the loss after the round, divided by the loss before it
    loss: float  # after the round


class Boosting:
    """outputs: of every sentence, how often each output has each feature, [outputs, features]; truths: which output is the true one."""

    def __init__(self, outputs, truths, weights=None, *, cap=1.0, over="corpus"):
        self.u = [np.delete(f, truth, axis=0) - f[truth] for f, truth in zip(outputs, truths, strict=True)]
        # [sentences, features] whether a feature could fire.
        self.may = np.array([(f != 0).any(axis=0) for f in outputs])
        self.weights = np.ones(len(outputs)) if weights is None else np.asarray(weights)
        self.cap, self.over = cap, over
        self.theta = np.zeros(outputs[0].shape[1])
        counted = [u for u, weight in zip(self.u, self.weights, strict=True) if weight > 0]
        self.u_max = np.max([u.max(axis=0, initial=0.0) for u in counted], axis=0)
        self.u_min = np.min([u.min(axis=0, initial=0.0) for u in counted], axis=0)

    def terms(self):
        """Of every sentence, exp(H(y) - H(truth)) of its wrong outputs, times its weight: D(i, y), but for the normaliser."""
        return [weight * np.exp(u @ self.theta) for u, weight in zip(self.u, self.weights, strict=True)]

    def loss(self):
        return float(sum(terms.sum() for terms in self.terms()))

    def bounds(self):
        """Step and bound of every feature, lines 4 to 7."""
        terms, loss = self.terms(), self.loss()
        sums = np.array([of.sum() for of in terms])
        mean = sum(of @ u for of, u in zip(terms, self.u, strict=True)) / loss
        share = np.ones(len(self.theta))  # of the loss that the bound is about
        if self.over == "sentences":
            share = sums @ self.may / loss
            mean = np.divide(mean, share, out=np.zeros_like(mean), where=share > 0)
        width = self.u_max - self.u_min
        with np.errstate(divide="ignore", invalid="ignore"):
            r = np.clip((self.u_max - mean) / width, 0.0, 1.0)
            step = np.log(-r * self.u_min / ((1 - r) * self.u_max)) / width
        step = np.where(mean == 0, 0.0, np.clip(np.where(np.isnan(step), 0.0, step), -self.cap, self.cap))
        r = np.where(width > 0, r, 0.0)
        bound = r * np.exp(step * self.u_min) + (1 - r) * np.exp(step * self.u_max)
        return step, 1 - share * (1 - np.where(width > 0, bound, 1.0))

    def round(self, chosen=None):
        step, bound = self.bounds()
        gain = 1 - bound
        feature = int(np.flatnonzero(gain >= gain.max() * (1 - EQUAL))[0]) if chosen is None else chosen
        self.theta[feature] += step[feature]
        return Round(feature, step[feature], bound[feature], self.loss())
