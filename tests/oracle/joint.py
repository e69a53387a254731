"""Tags and chunk labels as dictionaries: every output, features by name, the loss, and LaSO over them (oracle.laso).

An output is a tuple of (tag, chunk label) per token, a path a tuple of what each operator gives, None for what it does not:
with look-ahead, the first gives no chunk label and the last no tag. Templates are read as their documentation says.
"""

import itertools

from oracle.laso import Laso
from oracle.segments import has_none, value


def path_of(output, ahead):
    """The operators of an output."""
    if not ahead:
        return tuple(output)
    tags, chunks = [tag for tag, _ in output], [chunk for _, chunk in output]
    return tuple(zip([*tags, None], [None, *chunks], strict=True))


def columns(path):
    """The tags and the chunk labels of a path, as far as they are given."""
    return [tag for tag, _ in path if tag is not None], [chunk for _, chunk in path if chunk is not None]


def is_legal(chunks, legal):
    """legal(before, label): None stands for either end of the sentence."""
    return all(legal(a, b) for a, b in itertools.pairwise((None, *chunks, None)))


def completions(chunks, length, labels, legal):
    """All legal ways to go on from some chunk labels to the end."""
    return [
        tail
        for tail in itertools.product(labels, repeat=length - len(chunks))
        if is_legal((*chunks, *tail), legal)
    ]  # fmt: skip


def outputs(length, tags, chunks, legal):
    legal_chunks = completions((), length, chunks, legal)
    all_tags = itertools.product(tags, repeat=length)
    return [tuple(zip(t, c, strict=True)) for t in all_tags for c in legal_chunks]


def regret(path, gold, length, labels, legal):
    """By brute force over all completions; tags can always be right."""
    tags, chunks = columns(path)
    gold_tags, gold_chunks = columns(gold)
    wrong = sum(a != b for a, b in zip(tags, gold_tags, strict=False))
    tails = completions(chunks, length, labels, legal)
    return wrong + min(sum(a != b for a, b in zip((*chunks, *tail), gold_chunks, strict=True)) for tail in tails)


def grouped(templates):
    """In the order of the core: by output, those that read no outputs first, then by what they read of outputs."""
    found = []
    for output in ("tag", "chunk"):
        mine = [t for t in templates if t.output == output]
        found += [t for t in mine if not (t.tags or t.chunks)]
        reads = dict.fromkeys((t.tags, t.chunks) for t in mine if t.tags or t.chunks)
        found += [t for read in reads for t in mine if (t.tags, t.chunks) == read]
    return found


def features(sentence, templates, functions, path, step, ahead):
    """The features of one step of a path, as a list of (name, label)."""
    tags, chunks = columns(path)
    found = []
    for template in grouped(templates):
        given, at = (path[step][0], step) if template.output == "tag" else (path[step][1], step - ahead)
        if given is None:
            continue
        read = [before(tags, at + k) for k in template.tags], [before(chunks, at + k) for k in template.chunks]
        values = tuple(value(sentence, one, at, functions) for one in template.reads)
        if not has_none(values):
            found.append(((str(template), tuple(read[0]), tuple(read[1]), values), given))
    return found


def before(labels, at):
    """None before the sentence, and after it."""
    return labels[at] if 0 <= at < len(labels) else None


class JointLaso(Laso):
    """The input of an example is the sentence itself; `labels` of a node are its path."""

    merges_queue = True

    def __init__(self, problem, settings, initial=None):
        super().__init__(None, settings, problem.legal, initial)
        self.problem, self.ahead = problem, problem.ahead
        backs = [self.backs(t) for t in problem.features.templates]
        self.tags_back = max([0, *(b for tags, _ in backs for b in tags)])
        self.chunks_back = max([1, *(b for _, chunks in backs for b in chunks)])

    def backs(self, template):
        """How many operators back it reads."""
        for_chunk = template.output == "chunk"
        tags = [self.ahead * for_chunk - k for k in template.tags]
        return tags, [-k - self.ahead * (not for_chunk) for k in template.chunks]

    def is_goal(self, x, node):
        return len(node.labels) == len(x) + self.ahead

    def children(self, x, y, front):
        return self.merged(x, self.unmerged(x, y, front))

    def unmerged(self, x, y, front):
        made = []
        for node in front:
            step = len(node.labels)
            tags = self.problem.allowed(x, step, y[step][0]) if step < len(x) else [None]
            chunks = self.problem.chunks if step >= self.ahead else [None]
            for tag, chunk in itertools.product(tags, chunks):
                path = (*node.labels, (tag, chunk))
                if completions(columns(path)[1], len(x), self.problem.chunks, self.legal):
                    made.append(self.make_node(x, y, path))
        return made

    def key(self, x, node):
        path = node.labels
        tags = [tag for tag, _ in path[len(path) - min(self.tags_back, len(path)) :]]
        return len(path), tuple(tags), tuple(chunk for _, chunk in path[-self.chunks_back :])

    def loss(self, node, y):
        length = len(y) - self.ahead
        return regret(node.labels, y, length, self.problem.chunks, self.legal)

    def phi(self, x, path):
        found = {}
        for step in range(len(path)):
            # of a path that is not complete, look-ahead has given one tag more than chunk labels
            for name in features(x, self.problem.features.templates, self.problem.functions, path, step, self.ahead):
                found[name] = found.get(name, 0.0) + 1.0
        return found
