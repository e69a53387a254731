"""Labelled segments as dictionaries: every segmentation, features by name, the loss, and LaSO over them (oracle.laso).

A segmentation is a tuple of (length, label). Templates are read as their documentation says, one segment at a time.
"""

from oracle.laso import Laso

OUTSIDE = "O"


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


def loss(segments, gold):
    """Wrong segments and missed ones."""
    return len(spans(segments) ^ spans(gold))


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


def phi(sentence, templates, functions, segments):
    found = {}
    for place in range(len(segments)):
        for feature in features(sentence, templates, functions, segments, place):
            found[feature] = found.get(feature, 0.0) + 1.0
    return found


class SegmentLaso(Laso):
    """The input of an example is the sentence itself; `labels` of a node are its segments."""

    def __init__(self, labels, most, templates, functions, settings, initial=None):
        super().__init__(labels, settings, initial=initial)
        self.most, self.templates, self.functions = most, templates, functions
        self.order = max([0, *(-t.labels[0] for t in templates if t.labels)])
        self.reads_start = any(t.length_before or t.role == "previous" for t in templates)

    def is_goal(self, x, node):
        return covered(node.labels) == len(x)

    def children(self, x, y, front):
        made = []
        for node in front:
            left = len(x) - covered(node.labels)
            for size in range(1, min(self.most, left) + 1):
                for label in self.labels:
                    if size == 1 or label != OUTSIDE:
                        made.append(self.make_node(x, y, (*node.labels, (size, label))))
        return self.merged(x, made)

    def merged(self, x, nodes):
        """Of nodes that go on alike the best is kept."""
        nodes = self.in_order(nodes)
        keys = [self.key(x, node) for node in nodes]
        return [node for i, node in enumerate(nodes) if keys[i] not in keys[:i]]

    def key(self, x, node):
        labels = [label for _, label in node.labels]
        last = node.labels[-1][0] if self.reads_start and node.labels else 0
        return covered(node.labels), tuple(labels[len(labels) - min(self.order, len(labels)) :]), last

    def place(self, x, node):
        return self.key(x, node)

    def remove_front(self, nodes):
        if self.queue == "beam" and self.by == "prefix":
            first = min(covered(node.labels) for node in nodes)
            bucket = [node for node in nodes if covered(node.labels) == first]
            return self.merged(None, bucket)[: self.width], [node for node in nodes if node not in bucket]
        return super().remove_front(nodes)

    def siblings(self, x, y, front):
        """Where equal prefixes compete, the y-good path covers as much as the front."""
        if self.queue != "beam" or self.by != "prefix":
            return super().siblings(x, y, front)
        depth = 0
        while covered(y[:depth]) < covered(front[0].labels):
            depth += 1
        return [self.make_node(x, y, y[:depth])]

    def enqueue(self, nodes, made):
        if self.queue == "beam" and self.by == "pending":
            return self.merged(None, [*nodes, *made])[: self.width]
        return [*nodes, *made]

    def loss(self, node, y):
        return regret(node.labels, y, covered(y), self.labels, self.most)

    def phi(self, x, labels):
        return phi(x, self.templates, self.functions, labels)
