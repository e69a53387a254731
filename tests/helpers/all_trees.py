"""All dependency trees of a sentence, by enumeration."""

import itertools

import numpy as np

from riata.data.memory import as_corpus
from riata.data.trees import check_trees, crossing
from riata.errors import DataError


def heads_of_trees(length, *, crosses):
    """The heads of all trees with so many tokens. crosses: whether arcs may cross."""
    found = []
    for heads in itertools.product(range(length + 1), repeat=length):
        try:
            check_trees(as_corpus([[("w", "T", str(head), "x") for head in heads]]))
        except DataError:
            continue
        if crosses or not crossing(np.array(heads, np.int32), np.array([0, length])).any():
            found.append(heads)
    return found


def all_trees(parser, sentence):
    """All trees that a parser may give to a sentence, and the logarithms of their probabilities."""
    length = len(sentence)
    trees = [
        list(zip(heads, relations, strict=True))
        for heads in heads_of_trees(length, crosses=parser.structure != "projective")
        for relations in itertools.product(parser.classes_, repeat=length)
    ]
    return trees, parser.log_likelihood([sentence] * len(trees), trees)
