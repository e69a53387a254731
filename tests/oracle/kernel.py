"""The structured perceptron in its dual form, as textbooks print it: a coefficient per example and output part, argmax by enumeration.

The score of a labelling is the sum over tokens of alpha[s, label] k(x_s, x_t) for all support tokens s, plus the weight of every pair of
neighbouring labels. Averages are over the initial coefficients and those after every example.
"""

import itertools

import numpy as np


def linear(x, z):
    return float(x @ z)


def poly(degree, gamma=1.0, coefficient=1.0):
    return lambda x, z: (gamma * float(x @ z) + coefficient) ** degree


def rbf(gamma):
    return lambda x, z: float(np.exp(-gamma * np.sum((x - z) ** 2)))


def expanded(x):
    """The features of (x.z + 1)^2, written out: their plain products are the kernel."""
    pairs = [np.sqrt(2) * x[i] * x[j] for i, j in itertools.combinations(range(len(x)), 2)]
    return np.concatenate([[1.0], np.sqrt(2) * x, x**2, pairs])


class Dual:
    """alpha: {(sentence, token, label): coefficient}; edges: {(label before, label): weight}."""

    def __init__(self, kernel, sentences):
        self.kernel, self.sentences = kernel, sentences
        self.alpha, self.edges = {}, {}

    def node(self, x, label):
        supports = ((s, t, value) for (s, t, own), value in self.alpha.items() if own == label)
        return sum(value * self.kernel(self.sentences[s][t], x) for s, t, value in supports)

    def score(self, tokens, labelling):
        nodes = sum(self.node(x, label) for x, label in zip(tokens, labelling, strict=True))
        return nodes + sum(self.edges.get(pair, 0.0) for pair in itertools.pairwise(labelling))

    def best(self, tokens, labels):
        nodes = [{label: self.node(x, label) for label in labels} for x in tokens]

        def score(labelling):
            own = sum(node[label] for node, label in zip(nodes, labelling, strict=True))
            return own + sum(self.edges.get(pair, 0.0) for pair in itertools.pairwise(labelling))

        candidates = (backwards[::-1] for backwards in itertools.product(labels, repeat=len(tokens)))
        return list(max(candidates, key=score))

    def add(self, s, labelling, step):
        for t, label in enumerate(labelling):
            self.alpha[s, t, label] = self.alpha.get((s, t, label), 0.0) + step
        for pair in itertools.pairwise(labelling):
            self.edges[pair] = self.edges.get(pair, 0.0) + step


def perceptron(kernel, sentences, truths, labels, epochs):
    """The averaged model after these epochs, in the order of the data."""
    now, mean, count = Dual(kernel, sentences), Dual(kernel, sentences), 1
    for _ in range(epochs):
        for s, truth in enumerate(truths):
            found = now.best(sentences[s], labels)
            if found != list(truth):
                now.add(s, truth, 1.0)
                now.add(s, found, -1.0)
            count += 1
            for kept, of in ((mean.alpha, now.alpha), (mean.edges, now.edges)):
                for key, value in of.items():
                    kept[key] = kept.get(key, 0.0) + value
    for kept in (mean.alpha, mean.edges):
        for key in kept:
            kept[key] /= count
    return mean
