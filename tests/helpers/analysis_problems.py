"""Small outputs for tests of analyses: random labels of a few sentences, as Outputs and as plain lists."""

import numpy as np
from hypothesis import strategies as st

from riata.analysis.outputs import JudgedOutputs, _output
from riata.data.types import Column

TAGS = ["O", "B-X", "I-X", "B-Y", "I-Y"]
PLAIN = ["a", "b", "c"]


def outputs(gold, *found, kind="chunk", words=None):
    """Outputs of one column from lists of labels of each sentence."""
    return joint_outputs({kind: (gold, *found)}, words)


def joint_outputs(columns, words=None):
    first = next(iter(columns.values()))[0]
    starts = np.concatenate([[0], np.cumsum([len(sentence) for sentence in first])]).astype(np.int64)
    made = []
    for kind, (gold, *found) in columns.items():
        gold_column, *found_columns = (Column.of([x for s in labels for x in s]) for labels in (gold, *found))
        made.append(_output(kind, gold_column, found_columns, starts))
    if words is None:
        words = [[f"w{i}" for i in range(len(sentence))] for sentence in first]
    return JudgedOutputs(words, tuple(made), (None,) * len(first), "<memory>")


@st.composite
def labellings(draw, count, labels=tuple(TAGS), longest=6):
    """`count` labellings of the same few sentences; the later ones are often like the first."""
    lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=4))
    first = [draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n)) for n in lengths]
    return [first, *([[_changed(draw, label, labels) for label in s] for s in first] for _ in range(count - 1))]


def _changed(draw, label, labels):
    return draw(st.sampled_from([label, label, *labels]))
