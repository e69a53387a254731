"""Learning with and without inference (Punyakanok, Roth, Yih & Zimak 2005, Fig. 1), over dictionaries, argmax by enumeration.

An example is as in oracle.perceptron. Symbols that the scan lost are those of ERRATA A4.
"""

from collections import defaultdict

from oracle.perceptron import phi, score, sequences


def without_inference(examples, labels, orders, start=None):
    """Fig. 1a: every token is classified alone; where its label is wrong, its two classifiers are corrected."""
    w = defaultdict(float, start or {})
    for order in orders:
        for n in order:
            inputs, gold = examples[n]
            found = [
                max(labels, key=lambda label: sum(w[key] * value for key, value in _alone(inputs, t, label)))
                for t in range(len(inputs))
            ]
            for t in range(len(inputs)):
                if found[t] != gold[t]:
                    for key, value in _alone(inputs, t, gold[t]):
                        w[key] += value
                    for key, value in _alone(inputs, t, found[t]):
                        w[key] -= value
    return dict(w)


def with_inference(examples, labels, orders, legal, start=None):
    """Fig. 1b: the best output of all that are legal; where it is wrong, a step from its features to those of the truth."""
    w = defaultdict(float, start or {})
    for order in orders:
        for n in order:
            inputs, gold = examples[n]
            possible = [output for output in sequences(labels, len(inputs)) if legal(inputs, output)]
            found = max(possible, key=lambda output: score(w, inputs, output))
            if found != tuple(gold):
                for t in range(len(inputs)):
                    for key, value in phi(inputs, gold, t).items():
                        w[key] += value
                    for key, value in phi(inputs, found, t).items():
                        w[key] -= value
    return dict(w)


def _alone(inputs, token, label):
    """The features of one token with a label, which read no other label."""
    node, _, _ = inputs[token]
    return [((feature, label), value) for feature, value in node]
