"""Data to measure margins on: chains with weights and labels, and two problems."""

import random

import numpy as np
import pytest

from chain_problems import options, random_labels, random_model
from oracle.margins import Margins
from python_problems import LeftToRight
from riata import Problem


def labelled(corpus, gold):
    """The corpus with other labels."""
    corpus.gold = [list(labels) for labels in gold]
    ids = [corpus.labels.index(label) for labels in gold for label in labels]
    corpus.instances.set_labels(np.array(ids, np.int32), len(corpus.labels))
    return corpus


def sample(seed, encoding=None, *, truth="random", **how):
    """A chain with weights, and labels at random, those of the best sequence, or those of a greedy search."""
    corpus, weights = random_model(seed, encoding, **how)
    if truth == "exact":
        return labelled(corpus, corpus.exact(weights)), weights
    if truth == "greedy":
        return labelled(corpus, corpus.search(weights, queue="greedy")), weights
    rng = random.Random(seed)
    return labelled(corpus, [random_labels(rng, corpus, len(s)) for s in corpus.sentences]), weights


def measured(corpus, weights, **chosen):
    return corpus.margins(weights, **chosen)


def same_as_the_twin(corpus, weights, **chosen):
    """What was measured, after it has been compared with the twin."""
    twin = Margins(corpus.labels, options(**chosen), corpus.legal, corpus.by_name(weights))
    for x, y in corpus.examples():
        twin.sentence(x, y)
    return check_measured(measured(corpus, weights, **chosen), twin)


def check_measured(found, twin):
    assert found["raw"] == pytest.approx(twin.raw)
    assert found["normalised"] == pytest.approx(twin.normalised)
    assert found["survival"] == pytest.approx(twin.survival)
    assert found["losses"] == twin.losses
    assert found["largest_difference"] == pytest.approx(twin.largest)
    return found


def check_diagnosed(model, found, beam):
    """Of a perceptron that has learnt its data: margins, and bounds that hold."""
    assert model.history_[-1]["updates"] == 0
    assert found.losses == 0
    assert found.survival_margin > 0
    assert found.update_margin > 0
    assert found.bounds["Theorem 1"].holds
    assert found.bounds["Theorem 1"].value >= found.updates
    assert found.bounds["Corollary 2"].holds == (beam == 1)


class Labels(LeftToRight):
    """Labels from left to right, with features of real values and of the label before."""

    def actions(self, x, s):
        return "ABC"

    def features(self, x, s, a):
        return [(f"{x[len(s)]}{a}", 0.5 + len(s)), f"{s[-1:]}{a}"]

    def regret(self, x, s, y):
        return sum(a != b for a, b in zip(s, y, strict=False))


class Subset(Problem):
    """Takes the words of a set, in any order: many paths are right."""

    def initial(self, x):
        return frozenset()

    def actions(self, x, s):
        return sorted(set(x) - s)

    def apply(self, x, s, a):
        return s | {a}

    def is_goal(self, x, s):
        return len(s) == 2

    def features(self, x, s, a):
        return [a, *(f"{b} then {a}" for b in sorted(s))]

    def regret(self, x, s, y):
        return len(s - y)
