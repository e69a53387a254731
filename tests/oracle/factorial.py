"""A factorial conditional random field by enumeration: every output of a sentence is scored (Sutton, Rohanimanesh & McCallum 2004, Eq. 1).

Slow, and only for sentences of few tokens and labels.
"""

from itertools import product

import numpy as np


def outputs(node):
    """All outputs: one label per token and column, as [columns][T]."""
    length = len(node[0])
    for flat in product(*(range(column.shape[1]) for column in node for _ in range(length))):
        yield [flat[c * length : (c + 1) * length] for c in range(len(node))]


def at(table, t):
    return table[t] if table.ndim == 3 else table


def score(output, node, within, between):
    total = 0.0
    for t in range(len(node[0])):
        for c, labels in enumerate(output):
            total += node[c][t, labels[t]]
            if t > 0:
                total += at(within[c], t)[labels[t - 1], labels[t]]
        for (a, b), table in between.items():
            total += at(table, t)[output[a][t], output[b][t]]
    return total


def marginals(node, within, between):
    """log Z, and for each column the probability of every label at every token."""
    found = list(outputs(node))
    scores = np.array([score(output, node, within, between) for output in found])
    log_z = np.logaddexp.reduce(scores)
    of_labels = [np.zeros(column.shape) for column in node]
    for output, p in zip(found, np.exp(scores - log_z), strict=True):
        for c, labels in enumerate(output):
            for t, label in enumerate(labels):
                of_labels[c][t, label] += p
    return log_z, of_labels
