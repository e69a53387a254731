"""The maximum entropy Markov model over dictionaries: log P(label | label before, input), step by step."""

import math

from oracle.perceptron import phi


def step(weights, inputs, before, token, labels, allowed):
    """{label: log P(label | labels before)} of one token; none where no label is allowed. allowed(before, label, token)."""
    scores = {
        label: sum(weights.get(key, 0.0) * value for key, value in phi(inputs, [*before, label], token).items())
        for label in labels
        if allowed(before, label, token)
    }
    if not scores:
        return {}
    most = max(scores.values())
    total = most + math.log(sum(math.exp(score - most) for score in scores.values()))
    return {label: score - total for label, score in scores.items()}


def log_probability(weights, inputs, labelling, labels, allowed):
    total = 0.0
    for token in range(len(inputs)):
        given = step(weights, inputs, list(labelling[:token]), token, labels, allowed)
        total += given.get(labelling[token], -math.inf)
    return total
