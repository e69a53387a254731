"""The weights of a trained model as a dictionary, keyed as in tests/oracle: ((template, values), label or labels)."""

import numpy as np

from riata._core import boundary_values
from riata.models.weights_by_name import boundary_name


def weights_of(model):
    """Every weight that is not zero. Values are tagged as in oracle.features: ("inside", text) or ("outside", "_B-1")."""
    packed = model.weights.pack(model.features.index)
    program, labels = model.features.program, model.labels
    found = {}

    def add(feature, column, weight, edge):
        label = (labels[column // len(labels)], labels[column % len(labels)]) if edge else labels[column]
        found[feature, label] = float(weight)

    for family, entry in enumerate(packed["families"]):
        for kind, edge in (("node", False), ("edge", True)):
            slots = [t for t, read in zip(program.templates, program.reads, strict=True) if read[::2] == (family, edge)]
            for row, column, weight in _entries(entry[kind]):
                ngram, slot = divmod(row, len(slots))
                add((str(slots[slot]), _values(model, packed, family, ngram)), column, weight, edge)
    for row, column, weight in _entries(packed["given"]):
        add((model.features.given.text(int(packed["kept_given"][row])), ()), column, weight, False)
    for _, column, weight in _entries(packed["transition"]):
        add(("edge", ()), column, weight, True)
    history, at = packed["history"], 0
    read = [slice(at, at := at + len(program.history[slot][2])) for slot in history["slots"]]
    for row, column, weight in _entries(history["rows"]):
        slot = history["slots"][row]
        before = [None if value == 0 else labels[value - 1] for value in history["labels"][read[row]]]  # nearest first
        values = _values(model, packed, program.history[slot][0], int(history["ngrams"][row]))
        found[(str(program.history_templates[slot]), values), (*before[::-1], labels[column])] = float(weight)
    return found


def _entries(rows):
    counts, columns, values = rows
    return zip(np.repeat(np.arange(len(counts)), counts).tolist(), columns.tolist(), values.tolist(), strict=True)


def _values(model, packed, family, ngram):
    if family < 0:
        return ()
    parent, attribute, _ = model.features.program.families[family]
    entry = packed["families"][family]
    value = int(entry["values"][ngram])
    if value < boundary_values:
        last = ("outside", boundary_name(value))
    else:
        kept = packed["kept_values"][attribute]
        last = ("inside", model.features.alphabets[attribute].text(int(kept[value - boundary_values])))
    return (*_values(model, packed, parent, int(entry["parents"][ngram])), last)
