"""Features as tuples of texts, in dictionaries and sets: the feature index without an index.

A template is anything with `reads` (each with offset, column and attribute), `edge`, `labels` (offsets of earlier labels), and a text.
A sentence is a list of tuples of columns. An n-gram is a tuple of values, one per read; a value is tagged so that no
word can be taken for a position outside the sentence. None: some read has no value, so there is no feature.
"""

from collections import Counter


def value(sentence, position, column, function):
    if position < 0:
        return "outside", f"_B-{-position}"
    if position >= len(sentence):
        return "outside", f"_B+{position - len(sentence) + 1}"
    text = function(sentence[position][column])
    return None if text is None else ("inside", text)


def ngram_from(sentence, position, shape, functions):
    values = tuple(value(sentence, position + ahead, column, functions[name]) for ahead, column, name in shape)
    return None if None in values else values


def shape_of(template):
    """What a template reads, apart from where: templates of one shape share their n-grams."""
    first = template.reads[0].offset
    return tuple((read.offset - first, read.column, read.attribute) for read in template.reads)


def ngram(sentence, token, template, functions):
    return ngram_from(sentence, token + template.reads[0].offset, shape_of(template), functions)


def counts(sentences, templates, functions):
    """How often each (shape, n-gram) occurs.

    An n-gram is counted once per position where it starts, however many templates read it there. Positions run from the
    lowest to the highest offset of the templates that have the shape or begin with it, none left out in between:
    before the sentence, inside it and after it.
    """
    found = Counter()
    for shape in {shape_of(template) for template in templates}:
        offsets = [t.reads[0].offset for t in templates if shape_of(t)[: len(shape)] == shape]
        for sentence in sentences:
            for position in range(min(offsets), len(sentence) + max(offsets)):
                found[shape, ngram_from(sentence, position, shape, functions)] += 1
    return Counter({key: n for key, n in found.items() if key[1] is not None})


def kept(sentences, templates, functions, cutoff=1, known=frozenset()):
    """What an index knows after a corpus: what it knew before, and what occurs often enough in this one."""
    return set(known) | {key for key, n in counts(sentences, templates, functions).items() if n >= cutoff}


def inputs(sentence, templates, functions, known=None):
    """Per token: features of its label, features of the pair of labels that ends at it, and features of its label with those
    at earlier offsets; each with a value, the last with their offsets too.
    """
    node = [t for t in templates if not (t.edge or t.labels)]
    edge = [t for t in templates if t.edge]
    history = [t for t in templates if t.labels]
    return [
        (
            [pair for t in node for pair in _fire(sentence, token, t, functions, known)],
            [pair for t in edge for pair in _fire(sentence, token, t, functions, known)],
            [(*pair, t.labels) for t in history for pair in _fire(sentence, token, t, functions, known)],
        )
        for token in range(len(sentence))
    ]


def earlier(labels, token, offsets):
    """The labels at offsets from a token; None before the sentence."""
    return tuple(labels[token + offset] if token + offset >= 0 else None for offset in offsets)


def _fire(sentence, token, template, functions, known):
    if not template.reads:
        return [((str(template), ()), 1.0)]
    if template.reads[0].attribute == "number":
        read = template.reads[0]
        inside = 0 <= token + read.offset < len(sentence)
        return [((str(template), ()), float(sentence[token + read.offset][read.column]) if inside else 0.0)]
    values = ngram(sentence, token, template, functions)
    if values is None or (known is not None and (shape_of(template), values) not in known):
        return []
    return [((str(template), values), 1.0)]
