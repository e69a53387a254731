"""Receipts, line by line: what no line tells by itself, the rules of receipts do.

Every line gets a label by its own word alone. A `sum` may be a subtotal or the total, and a date may be the day or the end of a
guarantee: one line does not tell. Predictions that keep the rules find out. docs/constraints.md goes through it step by step.
"""

import random

import riata
from riata import constraints as c
from riata.features.templates import parse

RULES = [
    c.exactly(1, "DAY", "TOTAL", "PAID", each=True),
    c.requires("SUBTOTAL", "TAX", side="after"),  # a tax comes somewhere after a subtotal
    c.requires("TAX", "TOTAL", side="after"),
    c.requires("GUARANTEE", "PAID", side="before"),
]


def receipt(draw):
    """Lines with their labels. The word of a line is all that is seen of it."""
    def date(): return f"{draw.randint(1, 28)}/{draw.randint(1, 12)}"
    lines = [(draw.choice(["Corner", "Harbour", "Mill"]), "SHOP"), (date(), "DAY")]
    lines += [(draw.choice(["bread", "milk", "lamp", "radio", "tea"]), "ITEM") for _ in range(draw.randint(1, 4))]
    lines += [("sum", "SUBTOTAL"), ("vat", "TAX")] * (draw.random() < 0.5) + [("sum", "TOTAL")]
    lines += [(draw.choice(["cash", "card"]), "PAID")] + [(date(), "GUARANTEE")] * (draw.random() < 0.4)
    return zip(*lines, strict=True)


def receipts(count, seed):
    draw = random.Random(seed)
    return zip(*(map(list, receipt(draw)) for _ in range(count)), strict=True)


(X, Y), (unseen, truth) = map(list, receipts(200, seed=0)), map(list, receipts(200, seed=1))
reader = riata.Tagger("crf", template=parse("word[0]\nshape[0]"), constraints=RULES).fit(X, Y)
for when, keep in (("before", False), ("after", True)):
    right = [found == true for found, true in zip(reader.predict(unseen, constraints=keep), truth, strict=True)]
    print(f"{when} the rules are kept: {sum(right) / len(right):.0%} of unseen receipts right")
print(reader.constraint_report(unseen))
