"""MIRA with k outputs (Crammer & Singer 2003; McDonald, Crammer & Pereira 2005), over dictionaries, outputs by enumeration.

Of the outputs of the highest score plus loss, the first k: the smallest change of the weights by which the truth beats each by its loss,
every multiplier at most C. loss_of: another loss than wrong labels; whole: one that does not add up, so outputs are
ranked by their scores alone, and the truth is not counted among the k. What falls short by a millionth of the cost is taken for
rounding. The multipliers are found by trying which of them are 0, which are C and which lie between.
"""

import itertools
from typing import NamedTuple

import numpy as np

from oracle.perceptron import mean, phi, score, sequences


def loss(gold, labels, cost, class_weight):
    return sum(cost * class_weight.get(y, 1.0) for y, found in zip(gold, labels, strict=True) if y != found)


def difference(inputs, gold, labels):
    found = {}
    for t in range(len(inputs)):
        for key, value in phi(inputs, gold, t).items():
            found[key] = found.get(key, 0.0) + value
        for key, value in phi(inputs, labels, t).items():
            found[key] = found.get(key, 0.0) - value
    return {key: value for key, value in found.items() if value}


def product(a, b):
    return sum(value * b.get(key, 0.0) for key, value in a.items())


def multipliers(b, g, cap):
    """The best point of b.a - a'ga/2 with every a from 0 to cap: some at 0, some at the cap, the others where the gradient is 0."""
    best, at = -np.inf, None
    for kinds in itertools.product("0C-", repeat=len(b)):
        a = np.where(np.array(kinds) == "C", cap, 0.0)
        free = np.flatnonzero(np.array(kinds) == "-")
        if len(free):
            a[free] = np.linalg.lstsq(g[np.ix_(free, free)], b[free] - g[free] @ a, rcond=None)[0]
        value = b @ a - a @ g @ a / 2
        if (a >= -1e-12).all() and (a <= cap + 1e-12).all() and value > best:
            best, at = value, np.clip(a, 0, cap)
    return at


class Trained(NamedTuple):
    last: dict
    averaged: dict
    updates: list  # per epoch
    closest: float  # the least difference, in all choices, between the last output taken and the first one left


def mira(
    examples,
    labels,
    orders,
    *,
    C,
    cost,
    k=1,
    start=None,
    sentence_weight=None,
    class_weight=None,
    legal=None,
    loss_of=None,
    whole=False,
):
    w, snapshots, updates, closest = dict(start or {}), [dict(start or {})], [], np.inf
    for order in orders:
        updates.append(0)
        for n in order:
            inputs, gold = examples[n]
            gold = tuple(gold)

            def lost(y, gold=gold):
                return loss(gold, y, cost, class_weight or {}) if loss_of is None else cost * loss_of(gold, y)

            def augmented(y, inputs=inputs, lost=lost):
                return score(w, inputs, y) + (0.0 if whole else lost(y))

            outputs = sorted(filter(legal, sequences(labels, len(inputs))), key=lambda y: -augmented(y))
            if whole:
                outputs = [y for y in outputs if y != gold]
            if len(outputs) > k:
                closest = min(closest, augmented(outputs[k - 1]) - augmented(outputs[k]))
            rivals = [(y, difference(inputs, gold, y)) for y in outputs[:k] if y != gold]
            rivals = [(y, delta) for y, delta in rivals if delta]
            b = np.array([lost(y) - product(delta, w) for y, delta in rivals])
            if any(b > 1e-6 * cost):
                g = np.array([[product(one, other) for _, other in rivals] for _, one in rivals])
                steps = multipliers(b, g, C * (1.0 if sentence_weight is None else sentence_weight[n]))
                updates[-1] += any(steps > 0)
                for step, (_, delta) in zip(steps, rivals, strict=True):
                    for key, value in delta.items():
                        w[key] = w.get(key, 0.0) + step * value
            snapshots.append(dict(w))
    return Trained(w, mean(snapshots), updates, closest)
