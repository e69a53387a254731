"""Search that learns as Figures 1 and 2 of Daumé & Marcu 2005 print it, over dictionaries, the queue a list.

An example is (inputs, labels): inputs hold, per token, the features of its label, those of the pair of labels that ends
at it and those of earlier labels, each with a value (see oracle.features.inputs). A node is a sequence of labels; it is y-good as
long as it begins the right one. Differs from the figures: the other moments to update, sets of nodes to update against and steps;
norms other than the Euclidean one for ALMA; with the setting merge, nodes that an expansion makes with equal last labels, as many as
any feature reads, are merged; at equal scores a node that is not y-good comes first, then the older.

The order of additions is nobody's promise, so a tie is one only while all weights are binary fractions, whose sums are
exact. Any other comparison closer than rounding raises TooClose, and what was learnt before it still stands.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from oracle.features import earlier

CLOSE = 1e-9
NOTHING = 1e-12
LAST = 1e30  # a margin that puts y-good nodes behind all others


class TooClose(Exception):
    """Two nodes whose order depends on rounding."""


class Node(NamedTuple):
    labels: tuple
    score: float
    good: bool  # y-good
    age: int


class Laso:
    """Weights that are learnt sentence by sentence. The settings are those of the native core."""

    merges_queue = False  # whether nodes of several expansions are merged, where they stand in one queue

    def __init__(self, labels, settings, legal=lambda before, label: True, initial=None):
        self.labels = labels
        self.when, self.what, self.step = settings["when"], settings["update"], settings["step"]
        self.queue, self.width, self.by = settings["queue"], settings["beam"], settings["beam_by"]
        self.merge = settings["merge"]
        if self.queue == "greedy":
            self.queue, self.width, self.by = "beam", 1, "operations"
        self.alpha = settings["alpha"]
        self.B = settings["B"] or 1 / self.alpha
        self.C = settings["C"] or {"alma": np.sqrt(2), "mira": 1.0, "perceptron": None}[self.step]
        self.p = settings["p"]
        self.normalised = settings["threshold"] == "normalised"
        self.legal = legal  # legal(before, label); None stands for either end of the sentence
        self.w = dict(initial or {})
        self.theta = link(self.w, self.p / (self.p - 1))  # of ALMA: what w is derived from
        self.k = 1  # the generation of Eq. 3
        self.snapshots = [dict(self.w)]  # the initial weights, and those after every sentence
        self.updates, self.non_violating, self.largest_difference = 0, 0, 0.0
        self.binary = all(map(is_binary, self.w.values()))  # and so are the values of all features

    def sentence(self, inputs, gold, weight=1.0):
        self.weight = weight  # multiplies the steps of perceptron and ALMA, and the largest step of MIRA
        if inputs:
            self.learn(inputs, tuple(gold))
        self.snapshots.append(dict(self.w))

    def averaged(self):
        keys = {key for w in self.snapshots for key in w}
        return {key: float(np.mean([w.get(key, 0.0) for w in self.snapshots])) for key in keys}

    # --- Figures 1 and 2 ---------------------------------------------------------------------------------------------

    def search(self, x):
        """The labels of the first goal; None where there is none."""
        self.born = 0
        self.expanded = {}
        nobody = (None,) * len(x)
        nodes = [self.make_node(x, nobody, ())]
        while nodes:
            front, nodes = self.remove_front(nodes)
            if all(self.is_goal(x, node) for node in front):
                return front[0].labels
            nodes = self.enqueue(nodes, self.operators(x, nobody, front))
        return None

    def learn(self, x, y):
        self.born = 0
        self.expanded = {}
        nodes, made = [self.make_node(x, y, ())], []
        worst = None  # violation, y-good node, competitors
        while nodes:
            front, nodes = self.remove_front(nodes)
            node = front[0]
            goal = all(self.is_goal(x, node) for node in front)
            lost = not any(n.good for n in [*front, *nodes])
            if self.when in ("laso", "early") and (lost or (goal and not node.good)):
                sibs = self.siblings(x, y, front)
                rivals = self.violating(x, sibs, self.rivals(x, sibs[0], front, nodes, made))
                if lost and not goal and self.stays(x, sibs, rivals, front):
                    made = self.operators(x, y, [*front[: max(0, len(front) - len(sibs))], *sibs])
                    nodes = self.enqueue([], made)
                    continue
                self.update(x, y, sibs, self.competitors(y, sibs, rivals))
                if self.when == "early":
                    return None
                nodes, made = [self.make_node(x, y, sib.labels) for sib in sibs], []
                self.expanded = {}
                continue
            if self.when == "standard" and goal and not node.good:
                truth = [self.make_node(x, y, y)]
                outputs = [n for n in [*front, *nodes] if self.is_goal(x, n)]
                best = self.what == "best"  # what was found, whether it outranks the truth or not
                return self.update(x, y, truth, [(node, 1.0)] if best else self.competitors(y, truth, outputs))
            if self.when == "max-violation" and not node.good:
                (good,) = self.siblings(x, y, front)
                if not self.by_prefix() or self.cover(x, good) == self.cover(x, node):
                    outranks = not self.below(self.rank(node), self.rank(good))
                    violation = node.score - good.score
                    if outranks and (worst is None or self.below(worst[0], violation)):
                        rivals = self.violating(x, [good], self.rivals(x, good, front, nodes, made))
                        worst = violation, good, self.competitors(y, [good], rivals)
            if goal:
                if worst is not None:
                    self.update(x, y, [worst[1]], worst[2])
                return None
            made = self.operators(x, y, front)
            nodes = self.enqueue(nodes, made)
        return None

    def make_node(self, x, y, labels):
        self.born += 1
        return Node(labels, self.dot(self.phi(x, labels)), labels == y[: len(labels)], self.born)

    def is_goal(self, x, node):
        return len(node.labels) == len(x)

    def operators(self, x, y, front):
        """The children of the front, and its goals, which wait for them. Queues that meet a state again expand it only if its
        score is higher.
        """
        goals = [node for node in front if self.is_goal(x, node)]
        front = [node for node in front if not self.is_goal(x, node) and not self.known(x, node)]
        for node in front:
            place = self.place(x, node)
            self.expanded[place] = max(node.score, self.expanded.get(place, node.score))
        return [*goals, *(node for node in self.children(x, y, front) if not self.known(x, node))]

    def children(self, x, y, front):
        """One more label. Of nodes that go on alike the best is kept."""
        made = []
        for node in front:
            t = len(node.labels)
            for label in self.labels:
                first = self.legal(node.labels[-1] if t else None, label)
                if first and (t + 1 < len(x) or self.legal(label, None)):
                    made.append(self.make_node(x, y, (*node.labels, label)))
        return self.merged(x, made)

    def merged(self, x, nodes):
        """Of nodes that go on alike the best is kept."""
        nodes = self.in_order(nodes)
        if not self.merge:
            return nodes
        keys = [self.key(x, node) for node in nodes]
        return [node for i, node in enumerate(nodes) if keys[i] not in keys[:i]]

    def known(self, x, node):
        """Whether a state that goes on alike was expanded with as high a score. The y-good path is never merged so."""
        by_level = self.queue == "beam" and self.by in ("operations", "prefix")
        before = self.expanded.get(self.place(x, node))
        if by_level or node.good or before is None or not self.merge:
            return False
        return not self.below(before, node.score)

    def place(self, x, node):
        return len(node.labels), self.key(x, node)

    def key(self, x, node):
        """The last labels, as far back as any feature reads them."""
        order = max([1, *(-offsets[0] for _, _, history in x for _, _, offsets in history)])
        return node.labels[-order:]

    def remove_front(self, nodes):
        """A level of a beam, or the best node; and the rest."""
        if self.queue == "beam" and self.by in ("operations", "prefix"):
            return self.in_order(nodes)[: self.width], []
        nodes = self.in_order(nodes)
        return nodes[:1], nodes[1:]

    def enqueue(self, nodes, made):
        nodes = [*nodes, *made]
        if self.queue != "beam" or self.by != "pending":
            return nodes
        return (self.merged(None, nodes) if self.merges_queue else self.in_order(nodes))[: self.width]

    def siblings(self, x, y, front):
        """The only y-good path, as deep as the front is; where equal prefixes compete, until it covers as much."""
        if not self.by_prefix():
            return [self.make_node(x, y, y[: max(len(node.labels) for node in front)])]
        reached = self.cover(x, front[0])
        path = (self.make_node(x, y, y[:depth]) for depth in range(len(y) + 1))
        return [next(node for node in path if self.cover(x, node) >= reached)]

    def by_prefix(self):
        return self.queue == "beam" and self.by == "prefix"

    def cover(self, x, node):
        """How much of the input is covered. Goals wait for each other, whatever they cover."""
        return np.inf if self.is_goal(x, node) else self.covered(node)

    def covered(self, node):
        return len(node.labels)

    def rivals(self, x, sib, front, nodes, made):
        """What a y-good sibling competes with: all of the queue; where equal prefixes compete, those that cover as much as it does.

        In a beam by prefix, states that cover more than the front have not been cut yet. If the truth, lost, is one of them, then
        it was merged when it was made, with the one state of its key that was kept.
        """
        if not self.by_prefix():
            return [*front, *nodes]
        if self.cover(x, sib) == self.cover(x, front[0]):
            return front
        return [n for n in made if self.cover(x, n) == self.cover(x, sib) and self.key(x, n) == self.key(x, sib)]

    def loss(self, node, y):
        """The least that a completion can still reach."""
        return sum(a != b for a, b in zip(node.labels, y, strict=False))

    # --- Order -------------------------------------------------------------------------------------------------------

    def margin(self):
        return (1 - self.alpha) * self.B * ((self.p - 1) / self.k) ** 0.5 if self.step == "alma" else 0.0

    def rank(self, node):
        """By what nodes are ordered. With a normalised threshold, y-good nodes are the last, since their margin depends on the rival."""
        last = self.normalised and self.margin() > 0
        return node.score - (LAST if last else self.margin()) * node.good

    def violating(self, x, sibs, rivals):
        """With a normalised threshold: the nodes whose own difference violates it."""
        return (
            rivals
            if not self.normalised
            else [n for n in rivals if n.good or self.violates(self.delta(x, sibs, [(n, 1)]))]
        )

    def violates(self, delta):
        return not self.below(self.threshold(delta), self.dot(delta))

    def threshold(self, delta):
        return self.margin() * (max(1.0, norm(delta, self.p)) if self.normalised else 1.0)

    def stays(self, x, sibs, violating, front):
        """Whether the truth stays in the beam: not all of the front violates, nor the node that the truth was merged with."""
        absorbed = self.merge and any(self.key(x, n) == self.key(x, sib) for n in violating for sib in sibs)
        return self.normalised and len(violating) < len(front) and not absorbed

    def in_order(self, nodes):
        nodes = sorted(nodes, key=lambda n: (-self.rank(n), n.good, n.age))
        for better, worse in pairwise(nodes):
            self.below(self.rank(worse), self.rank(better))
        return nodes

    def below(self, a, b):
        if abs(a - b) < CLOSE and not self.binary:
            raise TooClose
        return a < b

    # --- Eq. 2 and 3 -------------------------------------------------------------------------------------------------

    def competitors(self, y, sibs, nodes):
        """What is subtracted, with weights that sum to one."""
        if self.what == "queue":
            return [(n, 1 / len(nodes)) for n in nodes]
        truth = max(self.rank(sib) for sib in sibs)
        bad = self.in_order([n for n in nodes if not n.good and not self.below(self.rank(n), truth)])
        if self.what == "best":
            return [(n, 1.0) for n in bad[:1]]
        weight = [self.loss(n, y) if self.what == "loss-weighted" else 1 for n in bad]
        return [(n, w / sum(weight)) for n, w in zip(bad, weight, strict=True)]

    def update(self, x, y, sibs, competitors):
        if not competitors or not self.weight:
            return
        delta = self.delta(x, sibs, competitors)
        if self.normalised and not self.violates(delta):  # a mean of violations need not be one
            each = (self.delta(x, sibs, [(n, 1)]) for n, _ in competitors)
            delta = next((one for one in each if self.violates(one)), {})
        cost = sum(weight * self.loss(n, y) for n, weight in competitors)
        self.take_step({key: value for key, value in delta.items() if abs(value) > NOTHING}, cost)
        self.binary &= all(is_binary(weight) for _, weight in competitors)

    def delta(self, x, sibs, competitors):
        found = {}
        add(found, [(self.phi(x, n.labels), 1 / len(sibs)) for n in sibs])
        add(found, [(self.phi(x, n.labels), -weight) for n, weight in competitors])
        return found

    def take_step(self, delta, cost):
        if not delta or not self.weight:
            return
        shortfall = cost - self.dot(delta)
        if self.step == "mira" and shortfall <= NOTHING:
            return
        self.updates += 1
        self.non_violating += self.dot(delta) > self.threshold(delta) + NOTHING
        self.largest_difference = max(self.largest_difference, norm(delta, self.p))
        if self.step == "perceptron":
            add(self.w, [(delta, self.weight)])
        elif self.step == "alma":
            add(self.theta, [(delta, self.weight * self.pace(delta))])
            self.theta = proj(self.theta, self.p)
            self.w = link(self.theta, self.p)
            self.k += 1
        else:
            add(self.w, [(delta, min(self.weight * self.C, shortfall / norm(delta) ** 2))])
        self.binary &= self.step == "perceptron" and is_binary(self.weight)

    def pace(self, delta):
        """How far a difference is followed; ALMA: Eq. 3."""
        if self.step != "alma":
            return 1.0
        return self.C * ((self.p - 1) * self.k) ** -0.5 / max(1.0, norm(delta, self.p))

    def phi(self, x, labels):
        found = {}
        for t, label in enumerate(labels):
            node, edge, history = x[t]
            for feature, value in node:
                found[feature, label] = found.get((feature, label), 0.0) + value
            for feature, value in edge if t > 0 else ():
                pair = feature, (labels[t - 1], label)
                found[pair] = found.get(pair, 0.0) + value
            for feature, value, offsets in history:
                several = feature, (*earlier(labels, t, offsets), label)
                found[several] = found.get(several, 0.0) + value
        return found

    def dot(self, vector):
        return sum(self.w.get(key, 0.0) * value for key, value in vector.items())


def add(target, vectors):
    for vector, scale in vectors:
        for key, value in vector.items():
            target[key] = target.get(key, 0.0) + scale * value


def norm(vector, p=2.0):
    return float(np.linalg.norm(list(vector.values()), p)) if vector else 0.0


def proj(vector, p):
    length = max(1.0, norm(vector, p))
    return {key: value / length for key, value in vector.items()}


def link(theta, p):
    """Gentile 2001: w_i = sign(theta_i) N (|theta_i| / N)^(p-1), N = |theta|_p. With 1/p + 1/q = 1, link(w, q) is theta."""
    N = norm(theta, p) or 1.0
    return {key: float(np.sign(value)) * N * (abs(value) / N) ** (p - 1) for key, value in theta.items()}


def is_binary(number):
    """A multiple of 2^-30."""
    return number * 2**30 == round(number * 2**30)
