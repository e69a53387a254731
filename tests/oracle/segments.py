"""Labelled segments as dictionaries: every segmentation, features by name, the loss, and LaSO over them (oracle.laso).

A segmentation is a tuple of (length, label). Templates are read as their documentation says, one segment at a time.
"""

import numpy as np

from oracle.laso import CLOSE, NOTHING, Laso, TooClose, add

OUTSIDE = "O"
LEAST = 1e-6  # what is less likely does not count in a lattice update


def segmentations(length, labels, most):
    """All of them, shortest first segment first."""
    if length == 0:
        return [()]
    found = []
    for size in range(1, min(most, length) + 1):
        rest = segmentations(length - size, labels, most)
        found += [((size, label), *tail) for label in labels if size == 1 or label != OUTSIDE for tail in rest]
    return found


def covered(segments):
    return sum(size for size, _ in segments)


def spans(segments):
    """As a set of (start, end, label)."""
    found, at = set(), 0
    for size, label in segments:
        found.add((at, at + size, label))
        at += size
    return found


def loss(segments, gold, weight=lambda start, end: 1):
    """Wrong segments and missed ones. weight: how much a segment counts."""
    return sum(weight(start, end) for start, end, _ in spans(segments) ^ spans(gold))


def regret(prefix, gold, length, labels, most):
    """By brute force over all completions."""
    rest = segmentations(length - covered(prefix), labels, most)
    return min(loss((*prefix, *tail), gold) for tail in rest)


def value(sentence, read, at, functions):
    """The value of a read at a token, which may lie outside the sentence; None: it has none."""
    p = at + read.offset
    if p < 0:
        return f"_B{p}"
    if p >= len(sentence):
        return f"_B+{p - len(sentence) + 1}"
    return functions[read.attribute](sentence[p][read.column])


def features(sentence, templates, functions, segments, place):
    """The features of one segment of a segmentation, as a list of names."""
    size, label = segments[place]
    start = covered(segments[:place])
    end = start + size
    found = []
    for template in templates:
        name = str(template)

        def values(at, template=template):
            return tuple(value(sentence, read, at, functions) for read in template.reads)

        if template.looks_back:
            before = [segments[place + k][1] if place + k >= 0 else "before" for k in template.labels]
            if template.length_before:
                before.append(segments[place - 1][0] if place else 0)
            previous = covered(segments[: place - 1]) if place else -1
            found.append((name, tuple(before), values(previous if template.role == "previous" else start)))
        elif template.role == "first":
            found.append((name, values(start)))
        elif template.role == "last":
            found.append((name, values(end - 1)))
        elif template.role == "inside":
            reach = template.reads[-1].offset
            found += [(name, values(at)) for at in range(start, end - reach)]
        elif template.role in ("sequence", "around"):
            aside = int(template.role == "around")
            found.append((name, tuple(values(at) for at in range(start - aside, end + aside))))
        else:
            assert template.role == "length"
            found.append((name, size))
    return [(feature, label) for feature in found if not has_none(feature[-1])]


def has_none(values):
    return isinstance(values, tuple) and any(v is None or has_none(v) for v in values)


def phi(sentence, templates, functions, segments, weight=lambda start, end: 1.0):
    """weight: how much a segment counts."""
    found = {}
    for place, (size, _) in enumerate(segments):
        start = covered(segments[:place])
        for feature in features(sentence, templates, functions, segments, place):
            found[feature] = found.get(feature, 0.0) + weight(start, start + size)
    return found


class SegmentLaso(Laso):
    """The input of an example is the sentence itself; `labels` of a node are its segments."""

    merges_queue = True

    def __init__(self, labels, most, templates, functions, settings, initial=None):
        super().__init__(labels, settings, initial=initial)
        self.most, self.templates, self.functions = most, templates, functions
        self.order = max([0, *(-t.labels[0] for t in templates if t.labels)])
        self.reads_start = any(t.length_before or t.role == "previous" for t in templates)

    def is_goal(self, x, node):
        return covered(node.labels) == len(x)

    def children(self, x, y, front):
        return self.merged(x, self.unmerged(x, y, front))

    def unmerged(self, x, y, front):
        made = []
        for node in front:
            left = len(x) - covered(node.labels)
            for size in range(1, min(self.most, left) + 1):
                for label in self.labels:
                    if size == 1 or label != OUTSIDE:
                        made.append(self.make_node(x, y, (*node.labels, (size, label))))
        return made

    def key(self, x, node):
        labels = [label for _, label in node.labels]
        last = node.labels[-1][0] if self.reads_start and node.labels else 0
        return covered(node.labels), tuple(labels[len(labels) - min(self.order, len(labels)) :]), last

    def place(self, x, node):
        return self.key(x, node)

    def remove_front(self, nodes):
        if self.by_prefix():
            first = min(covered(node.labels) for node in nodes)
            bucket = [node for node in nodes if covered(node.labels) == first]
            return self.merged(None, bucket)[: self.width], [node for node in nodes if node not in bucket]
        return super().remove_front(nodes)

    def covered(self, node):
        return covered(node.labels)

    def loss(self, node, y):
        return regret(node.labels, y, covered(y), self.labels, self.most)

    def phi(self, x, labels):
        return phi(x, self.templates, self.functions, labels)


def parts(segments):
    """What a score adds up over: segments by themselves, and labels behind others."""
    found, at, before = [], 0, None
    for size, label in segments:
        found += [("segment", at, size, label), ("labels", at, before, label)]
        at, before = at + size, label
    return found


class Lattice:
    """Every segmentation of a sentence with the probability exp(sharpness * score) / Z."""

    def __init__(self, every, scores, sharpness=1.0):
        scaled = sharpness * np.array(scores)
        self.log_z = scaled.max() + np.log(np.exp(scaled - scaled.max()).sum())
        self.every, self.shares = every, np.exp(scaled - self.log_z)

    def of_parts(self):
        """How likely each part is."""
        found = {}
        for segments, share in zip(self.every, self.shares.tolist(), strict=True):
            for part in parts(segments):
                found[part] = found.get(part, 0.0) + share
        return found


class ExactSegments(SegmentLaso):
    """Learns from the best of all segmentations, or from all of them (update "lattice"): Daumé & Marcu 2005, Sec. 4.1, b infinite.

    Differs: all outputs count by their probability, where the paper's sum is uniform; their scores are measured in steps.
    """

    def learn(self, x, y):
        every = self.in_order_of_score(x)
        target, rival = self.target_and_rival(x, y, every)
        if rival is None:
            return
        delta = dict(self.phi(x, target))
        add(delta, [(self.phi(x, rival), -1.0)])
        cost = loss(rival, y) - loss(target, y)
        if self.what == "lattice":
            sharpness = 1 / self.pace({key: value for key, value in delta.items() if abs(value) > NOTHING})
            lattice = Lattice(every, [self.score(x, one) for one in every], sharpness)
            delta, cost = self.from_lattice(x, y, target, lattice)
            self.binary = False
        self.take_step({key: value for key, value in delta.items() if abs(value) > NOTHING}, cost)

    def score(self, x, segments):
        return self.dot(self.phi(x, segments))

    def in_order_of_score(self, x):
        """Best first; of equals the lowest label and the shortest segment, read from the end."""
        every = segmentations(len(x), self.labels, self.most)
        scores = {one: self.score(x, one) for one in every}
        every.sort(key=lambda one: (-scores[one], [(self.labels.index(label), size) for size, label in reversed(one)]))
        if not self.binary and len(every) > 1 and scores[every[0]] - scores[every[1]] < CLOSE:
            raise TooClose
        return every

    def rival(self, x, y, every):
        """The best if it is wrong; the second best if the best is right by less than the margin."""
        if every[0] != y:
            return every[0]
        if self.margin() == 0 or len(every) == 1:
            return None
        return None if self.below(self.score(x, every[1]), self.score(x, y) - self.margin()) else every[1]

    def target_and_rival(self, x, y, every):
        """The truth and what competes with it.

        Where it cannot be reached: the best of those that come closest, and the best of the others.
        """
        if y in every:
            return y, self.rival(x, y, every)
        least = min(loss(one, y) for one in every)
        close = [one for one in every if loss(one, y) == least]
        others = [one for one in every if loss(one, y) > least]
        for some in (close, others):
            if len(some) > 1 and self.score(x, some[0]) - self.score(x, some[1]) < CLOSE:
                raise TooClose
        if not others or self.below(self.score(x, others[0]), self.score(x, close[0]) - self.margin()):
            return close[0], None
        return close[0], others[0]

    def from_lattice(self, x, y, target, lattice):
        """phi(target) - E phi, and how much more than the target's the expected loss is."""
        likely = {part: share for part, share in lattice.of_parts().items() if share >= LEAST}
        delta = dict(self.phi(x, target))
        for part, share in likely.items():
            add(delta, [({feature: 1.0}, -share) for feature in self.features_of(x, part)])
        delta = {key: value for key, value in delta.items() if abs(value) >= LEAST}
        gold = spans(y)
        cost = -float(loss(target, y))
        for (kind, at, size, label), share in likely.items():
            if kind == "segment" and (at, at + size, label) not in gold:
                cost += share * (1 + sum(at <= start < at + size for start, _, _ in gold))
        return delta, cost

    def features_of(self, x, part):
        kind, at, what, label = part
        templates = [t for t in self.templates if bool(t.labels) == (kind == "labels")]
        before = [(at, what if kind == "labels" else None)] if at else []
        size = what if kind == "segment" else 1
        return features(x, templates, self.functions, (*before, (size, label)), len(before))
