"""Margins of a search with fixed weights, over the lists of oracle.laso: every pair compared, every cut made by hand.

In a beam by prefix a decision is about all states that cover as much, before any is merged or cut. The truth can be lost twice there: among
the states of one expansion, of which the best of each key is kept, and when all that cover as much as it does are cut.
"""

import math

from oracle.joint import JointLaso
from oracle.laso import Laso, add, norm
from oracle.segments import SegmentLaso


class Margins(Laso):
    """Figure 2 without its update. raw, normalised: one number per decision."""

    def __init__(self, labels, settings, legal, weights):
        super().__init__(labels, {**settings, "step": "perceptron"}, legal, weights)
        self.begin()

    def begin(self):
        self.raw, self.normalised = [], []
        self.survival, self.losses, self.largest = math.inf, 0, 0.0
        self.levels = self.queue == "beam" and self.by != "pending"
        self.cut_at = self.width if self.queue == "beam" else math.inf

    def learn(self, x, y):
        self.born = 0
        self.expanded = {}
        nodes = [self.make_node(x, y, ())]
        self.piles = {}  # by prefix: all states that cover as much
        while nodes:
            front, nodes = self.remove_front(nodes)
            node = front[0]
            goal = all(self.is_goal(x, n) for n in front)
            if self.by_prefix():
                self.cut_prefix(x, self.piles.pop(self.cover(x, node), []), nodes)
            if goal or not self.levels:
                self.end(x, [*front, *nodes])
            lost = not any(n.good for n in [*front, *nodes])
            if lost or (goal and not node.good):
                self.losses += 1
                for cover in sorted(self.piles):  # what was to come
                    self.level(x, self.piles[cover])
                nodes = self.siblings(x, y, front)
                self.piles = {self.cover(x, n): [n] for n in nodes}
                self.expanded = {}
                continue
            if goal:
                return
            waiting = [*nodes, *(n for n in front if self.is_goal(x, n))]
            made = [child for n in front if not self.is_goal(x, n) for child in self.all_children(x, y, n)]
            if self.by_prefix():
                self.cut([(n, self.key(x, n)) for n in made], math.inf)
                for n in made:
                    self.piles.setdefault(self.cover(x, n), []).append(n)
            else:
                self.cut([(n, self.key(x, n)) for n in made] + [(n, n) for n in waiting], self.cut_at)
                self.level(x, made + waiting)
            nodes = self.enqueue(nodes, self.operators(x, y, front))

    def key(self, x, node):
        """Where nothing is merged, every node has a key of its own."""
        return super().key(x, node) if self.merge else node.age

    def cut_prefix(self, x, pile, nodes):
        """All that cover as much; the truth may wait among `nodes`, which cover more."""
        self.level(x, pile)
        if not any(n.good for n in nodes):
            self.cut([(n, self.key(x, n)) for n in pile], self.cut_at)

    def all_children(self, x, y, node):
        """Of one node, before any are merged."""
        return self.children(x, y, [node])

    def end(self, x, nodes):
        good = [n.score for n in nodes if n.good]
        bad = [n.score for n in nodes if not n.good and self.is_goal(x, n)]
        if good and bad:
            self.survival = min(self.survival, max(good) - max(bad))

    def cut(self, keyed, kept):
        """The largest fall of the y-good node (there is one) that it survives, between two of all differences."""
        ((good, own),) = [(n, key) for n, key in keyed if n.good] or [(None, None)]
        if good is None:
            return
        bad = {}
        for n, key in keyed:
            if not n.good:
                bad[key] = max(bad.get(key, -math.inf), n.score)

        def survives(fall):
            rank = good.score - fall
            return rank > bad.get(own, -math.inf) and sum(score >= rank for score in bad.values()) < kept

        falls = sorted(good.score - score for score in bad.values())  # up to one of these, and not on from it
        self.survival = min(self.survival, next((fall for fall in falls if not survives(fall)), math.inf))

    def level(self, x, nodes):
        ahead = []
        for g in (n for n in nodes if n.good):
            for b in (n for n in nodes if not n.good):
                delta = {}
                add(delta, [(self.phi(x, g.labels), 1.0), (self.phi(x, b.labels), -1.0)])
                ahead.append((self.dot(delta), norm(delta)))
        if ahead:
            self.raw.append(min(a for a, _ in ahead))
            self.normalised.append(min(a / max(1.0, length) for a, length in ahead))
            self.largest = max(self.largest, *(length for _, length in ahead))


class FallingTruth(Margins):
    """The margin that is asked for is `fall`, and what is right is ranked as if its score were so much lower."""

    fall = 0.0

    def margin(self):
        return self.fall

    def rank(self, node):
        return node.score - self.fall * node.good


class SegmentMargins(Margins, SegmentLaso):
    """The same over segments."""

    def __init__(self, labels, most, templates, functions, settings, weights):
        SegmentLaso.__init__(self, labels, most, templates, functions, {**settings, "step": "perceptron"}, weights)
        self.begin()

    def all_children(self, x, y, node):
        return self.unmerged(x, y, [node])


class JointMargins(Margins, JointLaso):
    """The same over tags and chunk labels."""

    def __init__(self, problem, settings, weights):
        JointLaso.__init__(self, problem, {**settings, "step": "perceptron"}, weights)
        self.begin()

    def all_children(self, x, y, node):
        return self.unmerged(x, y, [node])
