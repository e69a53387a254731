"""Which labels the tokens of a sentence can have by a dictionary of words, by listing labellings."""

import itertools


def listed(sets, legal):
    """All legal labellings with a label of its set at every token."""
    return [y for y in itertools.product(*map(sorted, sets)) if legal(y, len(sets))]


def stuck(sets, legal):
    """The first token up to which no labelling is legal; None: there is none."""
    for t in range(len(sets)):
        if not any(legal(y, len(sets)) for y in itertools.product(*map(sorted, sets[: t + 1]))):
            return t
    return None


def possible(sets, labels, legal, given=None):
    """The sets of the dictionary after it has yielded, and the legal labellings that keep to them.

    sets: of the dictionary, one per token. given: a label or None for every token. legal(labels, length): whether these are how a legal
    labelling of this length begins. The dictionary yields at the first token up to which nothing is legal, or at the nearest before it
    where it forbids anything.
    """
    every, sets = set(labels), [set(one) for one in sets]
    keep = [every if label is None else {label} for label in given or [None] * len(sets)]
    while (t := stuck([a & b for a, b in zip(sets, keep, strict=True)], legal)) is not None:
        while t >= 0 and sets[t] == every:
            t -= 1
        if t < 0:
            raise ValueError("no legal labelling has the labels that are given")
        sets[t] = every
    return sets, listed(sets, legal)
