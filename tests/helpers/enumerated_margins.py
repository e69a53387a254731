"""Small chains and segmentations whose outputs are all listed, for max-margin learners; and a generic solver for them."""

import random

import numpy as np
from scipy.optimize import minimize

import segment_problems
from chain_problems import problem
from oracle import margin, segments
from oracle.mira import difference
from oracle.perceptron import sequences
from riata import _core
from riata.features.attributes import builtin

TEMPLATES = {
    "chain": "word[0]\nnumber(1)[0]\nedge\nedge word[0]",
    "order 2": "word[0]\nnumber(1)[0]\nedge\nlabel[-2] label[-1]\nlabel[-2] word[0]",
    "segments": "inside word[0]\nfirst tag[-1]\nlast tag[1]\nlength\nlabel[-1]",
}


def wrong(gold, found):
    return float(sum(a != b for a, b in zip(gold, found, strict=True)))


class Chain:
    """Labels at random. loss(gold, labels): of the planes; for the core, see its settings."""

    def __init__(self, seed, template, labels=("X", "Y", "Z"), loss=wrong, sentences=5, longest=3):
        draw = random.Random(seed)
        lengths = [draw.randint(1, longest) for _ in range(sentences)]
        inputs = [[(draw.choice("abc"), str(draw.randint(-32, 32) / 32)) for _ in range(n)] for n in lengths]
        gold = [[draw.choice(labels) for _ in range(n)] for n in lengths]
        self.made = problem(template, inputs, gold, labels)
        self.data = (self.made.index, self.made.instances, None)
        self.planes = [
            [(difference(x, tuple(y), other), loss(tuple(y), other)) for other in sequences(labels, len(y))]
            for x, y in self.made.examples()
        ]

    def blank(self):
        return self.made.blank()

    def by_name(self, weights):
        return self.made.by_name(weights)


class Segments:
    def __init__(self, seed, template, loss=segments.loss, sentences=4, longest=4):
        self.made = segment_problems.noise(seed, template, most=3, longest=longest, sentences=sentences)
        self.data = (self.made.features.index, self.made.instances, self.made.codes(self.made.gold))
        templates = segment_problems.in_order(self.made.features.templates)

        def phi(x, one):
            found = {}
            for i in range(len(one)):
                for name in segments.features(x, templates, builtin(), one, i):
                    found[name] = found.get(name, 0.0) + 1
            return found

        self.planes = [
            [
                (margin.combined((1, phi(x, gold)), (-1, phi(x, other))), float(loss(other, gold)))
                for other in segments.segmentations(len(x), self.made.labels, self.made.most)
            ]
            for x, gold in zip(self.made.sentences, self.made.gold, strict=True)
        ]

    def blank(self):
        return self.made.zeros()

    def by_name(self, weights):
        return self.made.by_name(weights)


def enumerated(kind, seed):
    return Segments(seed, TEMPLATES[kind]) if kind == "segments" else Chain(seed, TEMPLATES[kind])


class Learner:
    """A solver of the core on an enumerated problem, in double precision."""

    def __init__(self, case, solver, C=0.3, weights=(), **settings):
        self.case, self.weights = case, np.array(weights, np.float64)
        asked = {"C": C, "epsilon": 1e-6, "method": "stochastic", **settings}
        self.native = _core.MarginTrainer64(solver, case.blank(), asked)
        self.count = len(case.planes)
        self.caps = [C] * self.count if not len(weights) else [C * weight for weight in weights]

    def epoch(self, order=None):
        order = np.arange(self.count) if order is None else np.array(order, np.int64)
        return self.native.epoch(*self.case.data, order, self.weights, np.empty(0))

    def certify(self, average=False):
        return self.native.certify(*self.case.data, self.weights, np.empty(0), average)

    def learn(self, most, gap=None):
        """Passes in changing order, until the solver is done or the gap is small."""
        for number in range(1, most + 1):
            if self.epoch(_core.shuffled(self.count, 1, number))["finished"]:
                return number
            if gap is not None and number % 50 == 0:
                primal, dual = self.certify()
                if primal - dual <= gap * primal:
                    return number
        return most

    def last(self):
        return self.case.by_name(self.native.last())

    def averaged(self):
        return self.case.by_name(self.native.averaged())


def least(planes, caps):
    """The weights and the least objective by a generic solver: over w and one slack per sentence, one linear constraint per plane."""
    names = sorted({key for one in planes for delta, _ in one for key in delta}, key=repr)
    column = {name: i for i, name in enumerate(names)}
    width, rows, losses = len(names), [], []
    for s, one in enumerate(planes):
        for delta, loss in one:
            row = np.zeros(width + len(planes))
            for key, value in delta.items():
                row[column[key]] = value
            row[width + s] = 1
            rows.append(row)
            losses.append(loss)
    matrix, bounds, price = np.array(rows), np.array(losses), np.concatenate([np.zeros(width), caps])

    def value(x):
        return x[:width] @ x[:width] / 2 + price @ x, np.concatenate([x[:width], np.zeros(len(planes))]) + price

    start = np.concatenate([np.zeros(width), [max(loss for _, loss in one) for one in planes]])
    constraint = {"type": "ineq", "fun": lambda x: matrix @ x - bounds, "jac": lambda x: matrix}
    found = minimize(
        value, start, jac=True, constraints=[constraint], method="SLSQP", options={"maxiter": 1000, "ftol": 1e-12}
    )
    assert found.success or found.status == 8, found.message  # 8: there is no better point that rounding can tell apart
    return dict(zip(names, found.x[:width].tolist(), strict=True)), float(found.fun)
