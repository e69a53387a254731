"""How sure a set of outputs is of the parts of one of them, output by output; and calibration as textbooks have it."""

import math

import numpy as np

OUTSIDE = "O"


def shares(scores, temperature):
    """exp(score / temperature) / Z."""
    scaled = np.array(scores) / temperature
    mass = np.exp(scaled - scaled.max())
    return mass / mass.sum()


def chunks(labels):
    """Of every token what it is part of, as (start, end, type); legal tags of any encoding, and O is one of its own."""
    starts = [0] * len(labels)
    for t, label in enumerate(labels):
        goes_on = t > 0 and label[0] in "IEL" and labels[t - 1][0] in "BI" and labels[t - 1][1:] == label[1:]
        starts[t] = starts[t - 1] if goes_on else t
    ends = {start: t + 1 for t, start in enumerate(starts)}
    return [(start, ends[start], labels[start][2:]) for start in starts]


def tokens(labels):
    """The same of plain labels."""
    return [(t, t + 1, label) for t, label in enumerate(labels)]


def confidences(outputs, of_each, found, parts=chunks):
    """Of every token of `found`: the share of the outputs that have its part there."""
    every = [set(parts(output)) for output in outputs]
    return [sum(share for has, share in zip(every, of_each, strict=True) if part in has) for part in parts(found)]


def judged(values, right, bins=15):
    """(expected calibration error over bins of equal mass, Brier score, log loss)."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    error, at = 0.0, 0
    for b in range(bins):
        size = len(order) // bins + (b < len(order) % bins)
        part = order[at : at + size]
        at += size
        error += abs(sum(values[i] for i in part) - sum(right[i] for i in part)) / len(order)
    brier = sum((v - r) ** 2 for v, r in zip(values, right, strict=True)) / len(order)
    clipped = [min(max(v, 1e-6), 1 - 1e-6) for v in values]
    loss = -sum(math.log(v if r else 1 - v) for v, r in zip(clipped, right, strict=True)) / len(order)
    return error, brier, loss


def rising(values, right):
    """Pool adjacent violators: of each stretch its mean confidence and the share that is right."""
    blocks = []  # confidences, right ones
    for value in sorted(set(values)):
        same = [bool(r) for v, r in zip(values, right, strict=True) if v == value]
        blocks.append(([value] * len(same), sum(same)))
        while len(blocks) > 1 and blocks[-2][1] * len(blocks[-1][0]) >= blocks[-1][1] * len(blocks[-2][0]):
            last = blocks.pop()
            blocks[-1] = (blocks[-1][0] + last[0], blocks[-1][1] + last[1])
    return [(math.fsum(at) / len(at), good / len(at)) for at, good in blocks]


def smoothed(values, right):
    """The log loss against Platt's targets, prediction by prediction."""
    yes, no, total = sum(right), len(right) - sum(right), 0.0
    for value, true in zip(values, right, strict=True):
        target = (yes + 1) / (yes + 2) if true else 1 / (no + 2)
        total -= target * math.log(value) + (1 - target) * math.log(1 - value)
    return total / len(values)


def spread(score, outputs):
    """By how much true outputs score above the next true output of the same length, per token. score: of (sentence, output)."""
    ahead, tokens = 0.0, 0
    for s, own in enumerate(outputs):
        after = [*range(s + 1, len(outputs)), *range(s)]
        other = next((t for t in after if len(outputs[t]) == len(own) > 0), None)
        if other is not None:
            ahead += score(s, own) - score(s, outputs[other])
            tokens += len(own)
    return ahead / tokens
