"""The averaged structured perceptron as the overview prints it (Fig. 2.3), over dictionaries, argmax by enumeration.

An example is (inputs, labels): inputs hold, per token, the features of its label, those of the pair of labels that ends
at it and those of earlier labels, each with a value (see oracle.features.inputs).
"""

import itertools
from collections import defaultdict
from typing import NamedTuple

from oracle.features import earlier


def phi(inputs, labels, token):
    """The features of one token under a labelling: {(feature, label or labels): value}."""
    node, edge, history = inputs[token]
    found = defaultdict(float)
    for feature, value in node:
        found[feature, labels[token]] += value
    if token > 0:
        for feature, value in edge:
            found[feature, (labels[token - 1], labels[token])] += value
    for feature, value, offsets in history:
        found[feature, (*earlier(labels, token, offsets), labels[token])] += value
    return found


def score(weights, inputs, labels):
    return sum(
        weights.get(key, 0.0) * value for t in range(len(inputs)) for key, value in phi(inputs, labels, t).items()
    )


def sequences(labels, length):
    """All label sequences; the lowest labels first, read from the end."""
    return (backwards[::-1] for backwards in itertools.product(labels, repeat=length))


def argmax(weights, inputs, labels, legal=None):
    """The first of the best: max keeps the earliest of equals."""
    candidates = sequences(labels, len(inputs))
    if legal is not None:
        candidates = filter(legal, candidates)
    return max(candidates, key=lambda labelling: score(weights, inputs, labelling))


class Trained(NamedTuple):
    last: dict
    averaged: dict
    snapshots: list  # the initial weights, and those after every example
    mistakes: list  # per epoch


def perceptron(examples, labels, orders, *, start=None, sentence_weight=None, class_weight=None, legal=None):
    """orders: per epoch, the order in which the examples are visited.

    Differs from the figure: the change at a token, the edge into it included, is scaled by the weight of the sentence
    times that of the token's gold label.
    """
    w0, wa, c = defaultdict(float, start or {}), defaultdict(float), 1
    snapshots, mistakes = [dict(w0)], []
    for order in orders:
        mistakes.append(0)
        for n in order:
            inputs, gold = examples[n]
            found = argmax(w0, inputs, labels, legal)
            if found != tuple(gold):
                mistakes[-1] += 1
                for t in range(len(inputs)):
                    scale = (sentence_weight or {}).get(n, 1.0) * (class_weight or {}).get(gold[t], 1.0)
                    for key, value in phi(inputs, gold, t).items():
                        w0[key] += scale * value
                        wa[key] += c * scale * value
                    for key, value in phi(inputs, found, t).items():
                        w0[key] -= scale * value
                        wa[key] -= c * scale * value
            c += 1
            snapshots.append(dict(w0))
    return Trained(dict(w0), {key: w0[key] - wa[key] / c for key in w0}, snapshots, mistakes)


def mean(snapshots):
    keys = {key for weights in snapshots for key in weights}
    return {key: sum(weights.get(key, 0.0) for weights in snapshots) / len(snapshots) for key in keys}
