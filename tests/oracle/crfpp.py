"""CRF++ written slowly: features as texts, and the best labels of a sentence by looking at all labellings."""

import re
from itertools import product

MACRO = re.compile(r"%x\[(-?\d+),(\d+)\]")


def text_of(template, sentence, at):
    """What a template makes of the sentence at a token."""

    def value(match):
        t, column = at + int(match[1]), int(match[2])
        if t < 0:
            return f"_B{t}"
        return sentence[t][column] if t < len(sentence) else f"_B+{t - len(sentence) + 1}"

    return MACRO.sub(value, template)


def texts_of(templates, sentences):
    """All features of these sentences, in order."""
    return sorted({text_of(t, s, i) for s in sentences for i in range(len(s)) for t in templates if t[0] == "U" or i})


def ids_of(texts, labels):
    """Where the weights of each feature start, and how many weights there are."""
    ids, size = {}, 0
    for text in texts:
        ids[text] = size
        size += labels if text[0] == "U" else labels**2
    return ids, size


def model_text(labels, templates, ids, weights, columns, cost=1.0):
    """The model as `crf_learn -t` lays it out: unigram templates first."""
    ordered = [t for t in templates if t[0] == "U"] + [t for t in templates if t[0] == "B"]
    header = ["version: 100", f"cost-factor: {cost:g}", f"maxid: {len(weights)}", f"xsize: {columns}"]
    features = [f"{place} {text}" for text, place in ids.items()]
    parts = [header, list(labels), ordered, features, [f"{weight:.16f}" for weight in weights]]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def score(labelling, sentence, labels, templates, ids, weights, cost=1.0):
    """labelling: numbers of labels."""
    total = 0.0
    for t, y in enumerate(labelling):
        for template in templates:
            text = text_of(template, sentence, t)
            if text not in ids or (template[0] == "B" and t == 0):
                continue
            at = y if template[0] == "U" else labelling[t - 1] * len(labels) + y
            total += weights[ids[text] + at]
    return cost * total


def scores(sentence, labels, *model):
    """The score of every labelling of the sentence."""
    return {each: score(each, sentence, labels, *model) for each in product(range(len(labels)), repeat=len(sentence))}
