"""Hashed features, one number after another: which entry of the table each feature of oracle.perceptron.phi has.

An entry is (row, label), or for bare transitions (None, (label before, label)), labels as numbers.
"""

from collections import defaultdict

from riata._core import boundary_reach, boundary_values
from riata.features.compile import compile_templates

MASK = 2**64 - 1
NODE, EDGE, GIVEN, HISTORY = range(4)


def mix(x):
    for _ in range(2):
        x ^= x >> 32
        x = x * 0xD6E8FEB86659FD93 & MASK
    return x ^ x >> 32


def within(number, size):
    return (number >> 32) * size >> 32


def pair(a, b):
    return mix(((a & 0xFFFFFFFF) << 32 | b & 0xFFFFFFFF) + 0x9E3779B97F4A7C15 & MASK)


def text_number(text):
    data = text.encode()
    h = 0x9E3779B97F4A7C15 ^ len(data)
    for at in range(0, len(data) - 7, 8):
        h = mix(h ^ int.from_bytes(data[at : at + 8], "little"))
    h = mix(h ^ int.from_bytes(data[len(data) // 8 * 8 :], "little"))
    return within(mix(h), 2**31 - 16)


def ngram_number(family, parent, value):
    return mix(pair(parent, value) ^ family) >> 33


def value_number(tagged):
    kind, text = tagged
    if kind == "inside":
        return boundary_values + text_number(text)
    return -int(text[2:]) - 1 if text[2] == "-" else boundary_reach + int(text[2:]) - 1


class Table:
    """The table of 2^bits weights of a model with these templates and labels."""

    def __init__(self, templates, labels, bits):
        self.program = compile_templates(templates)
        self.labels = list(labels)
        self.rows = 2**bits // (-(-len(self.labels) // 8) * 8)

    def row(self, number, reader, slot=0):
        room = self.rows - len(self.labels) + 1 if reader == EDGE else self.rows
        return within(mix(pair(number, slot) ^ reader), room)

    def ngram(self, family, values):
        """Number of an n-gram of so many values, which end in the family."""
        if not values:
            return -1
        return ngram_number(family, self.ngram(self.program.families[family][0], values[:-1]), value_number(values[-1]))

    def entry(self, key):
        (template, values), label = key
        program, at = self.program, self.labels.index
        if template == "edge":
            return None, (at(label[0]), at(label[1]))
        if template.startswith("number"):
            return self.row(text_number(template), GIVEN), at(label)
        for slot, (family, _, back) in enumerate(program.history):
            if str(program.history_templates[slot]) == template:
                number = self.ngram(family, values)
                before = {-o: name for o, name in zip(program.history_templates[slot].labels, label[:-1], strict=True)}
                for k in back:
                    number = ngram_number(k, number, 0 if before[k] is None else at(before[k]) + 1)
                return self.row(number, HISTORY, slot), at(label[-1])
        place = [str(t) for t in program.templates].index(template)
        family, _, edge = program.reads[place]
        slot = sum(read[::2] == (family, edge) for read in program.reads[:place])
        number = self.ngram(family, values)
        if edge:
            return self.row(number, EDGE, slot) + at(label[0]), at(label[1])
        return self.row(number, NODE, slot), at(label)

    def entries(self, features):
        """Features as entries of the table: values of those that meet add up."""
        found = defaultdict(float)
        for key, value in features.items():
            found[self.entry(key)] += value
        return found


def table_of(model):
    """What the entries of a trained model hold."""
    packed = model.weights.pack(model.features.index)
    counts, columns, values = packed["given"]
    rows = [int(row) for row, n in zip(packed["kept_given"], counts, strict=True) for _ in range(n)]
    found = dict(zip(zip(rows, columns.tolist(), strict=True), values.tolist(), strict=True))
    _, columns, values = packed["transition"]
    pairs = [(None, divmod(column, len(model.labels))) for column in columns.tolist()]
    return found | dict(zip(pairs, values.tolist(), strict=True))
