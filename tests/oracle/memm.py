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


def classifier(weights, inputs, before, labels):
    """{label: log P(label | before)} of a token by the classifier of one label before; None: of first tokens.

    Every classifier has weights of its own: of features with its label and the one that it gives, or of features of first tokens. inputs:
    the features of the token; labels: those that it may have.
    """
    node, edge, _ = inputs
    assert before is None or not node  # no weight is shared with another classifier

    def score(label):
        features, of = (node, label) if before is None else (edge, (before, label))
        return sum(weights.get((feature, of), 0.0) * value for feature, value in features)

    scores = {label: score(label) for label in labels}
    most = max(scores.values())
    total = most + math.log(sum(math.exp(score - most) for score in scores.values()))
    return {label: score - total for label, score in scores.items()}
