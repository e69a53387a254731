"""Expected losses of outputs, and outputs of least expected loss, by going through all outputs."""

from oracle import confidence

OUTSIDE = ""  # the type that confidence.chunks gives to tokens outside of chunks


def spans(labels):
    """The chunks of legal labels, as (start, end, type)."""
    return {part for part in confidence.chunks(labels) if part[2] != OUTSIDE}


def right_labels(outputs, shares, found):
    """How many labels of `found` are right, if the outputs are the truth with these shares."""
    return sum(
        share * sum(a == b for a, b in zip(output, found, strict=True))
        for output, share in zip(outputs, shares, strict=True)
    )


def spans_counted(outputs, shares, found):
    """(how many chunks of `found` are expected to be right, how many it has, how many the truth is expected to have)."""
    every = [spans(output) for output in outputs]
    right = sum(share * len(spans(found) & one) for one, share in zip(every, shares, strict=True))
    return right, len(spans(found)), sum(share * len(one) for one, share in zip(every, shares, strict=True))


def gain(counts, cost):
    """What decoding by chunks maximises."""
    right, found, _ = counts
    return 2 * right - cost * found


def best_f1(sentences):
    """The largest ratio 2 right / (found + true) over all choices of one output per sentence; the numbers of each sentence's outputs."""
    choices = [(0.0, 0.0)]
    for counts in sentences:
        choices = list({(a + 2 * right, b + found + true) for a, b in choices for right, found, true in counts})
    return max((a / b for a, b in choices if b > 0), default=0.0)
