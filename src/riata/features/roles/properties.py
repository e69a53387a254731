"""What templates read of a slot: properties of its span, of its predicate, and of both."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from riata.features.roles.candidates import SpanEnds
from riata.features.roles.trees import NO_NODE, Constituents, Dependencies

NOTHING = "-"
LONGEST_TEXT = 3  # words of a span that are read as one text
LONGEST_PATH = 12  # steps of a path; longer ones are cut

# The columns of slots, in their order: templates read the first as `word`, the second as `tag`, the third as `x2`.
OF_SPANS = (
    "head",
    "head-tag",
    "head-lemma",
    "phrase",
    "first-word",
    "first-tag",
    "last-word",
    "last-tag",
    "word-before",
    "tag-before",
    "word-after",
    "tag-after",
    "parent",
    "relation",
    "marker",
    "text",
    "length",
    "left",
    "right",
    "object",
)
OF_PREDICATES = ("lemma", "roleset", "predicate-tag", "voice", "predicate-relation", "rule", "frame")
OF_BOTH = ("path", "way-up", "place", "distance", "dependency-path", "dependent", "places")
SPAN = "span"  # the first token and the end, which templates do not read
PROPERTIES = (*OF_SPANS, *OF_PREDICATES, *OF_BOTH, SPAN)


class SentenceProperties:
    """One sentence, whose spans and predicates are described."""

    def __init__(self, columns: Sequence[Sequence[str]]) -> None:
        """columns: the texts of the ten columns of files of roles, see data/propbank.py."""
        _, words, lemmas, _, tags, heads, relations, brackets, predicates, rolesets = columns
        self.words, self.tags = [word.lower() for word in words], tags
        self.lemmas, self.predicates, self.rolesets = lemmas, predicates, rolesets
        self.tree = Constituents.of(brackets, tags)
        self.dependencies = Dependencies.of([int(head) for head in heads], relations)
        self._spans: dict[SpanEnds, tuple[str, ...]] = {}
        self._heads: dict[SpanEnds, int] = {}

    @cached_property
    def node_of(self) -> dict[SpanEnds, int]:
        return self.tree.by_span()

    def head(self, span: SpanEnds) -> int:
        found = self._heads.get(span)
        if found is None:
            found = self._heads[span] = self.dependencies.head_of(*span)
        return found

    def of_span(self, span: SpanEnds) -> tuple[str, ...]:
        found = self._spans.get(span)
        if found is None:
            found = self._spans[span] = self._described(span)
        return found

    def _described(self, span: SpanEnds) -> tuple[str, ...]:
        start, end = span
        words, tags, head = self.words, self.tags, self.head(span)
        node = self.node_of.get(span, NO_NODE)
        left, right, parent = self._around(node)
        tokens = end - start
        return (
            words[head],
            tags[head],
            self.lemmas[head],
            self.tree.labels[node] if node != NO_NODE else NOTHING,
            words[start],
            tags[start],
            words[end - 1],
            tags[end - 1],
            words[start - 1] if start else "^",
            tags[start - 1] if start else "^",
            words[end] if end < len(words) else "$",
            tags[end] if end < len(words) else "$",
            parent,
            self.dependencies.relations[head],
            self._marker(head, span),
            " ".join(words[start:end]) if tokens <= LONGEST_TEXT else NOTHING,
            _bucket(tokens),
            left,
            right,
            self._object(head, span),
        )

    def _around(self, node: int) -> tuple[str, str, str]:
        """The labels of the nodes to the left and to the right, and of that above."""
        tree = self.tree
        if node == NO_NODE or tree.parents[node] == NO_NODE:
            return NOTHING, NOTHING, NOTHING
        parent = tree.parents[node]
        beside = tree.children[parent]
        at = beside.index(node)
        left = tree.labels[beside[at - 1]] if at else "^"
        right = tree.labels[beside[at + 1]] if at + 1 < len(beside) else "$"
        return left, right, tree.labels[parent]

    def _marker(self, head: int, span: SpanEnds) -> str:
        """The preposition, conjunction or question word that leads the span."""
        d = self.dependencies
        found = [
            self.words[child]
            for child in d.children[head]
            if span[0] <= child < span[1] and (d.relations[child] in ("case", "mark") or self.tags[child][0] == "W")
        ]
        return "_".join(found[:2]) or NOTHING

    def _object(self, head: int, span: SpanEnds) -> str:
        """The object within the span, or else its subject."""
        d = self.dependencies
        for wanted in ("obj", "obl", "nsubj", "compound"):
            for child in d.children[head]:
                if span[0] <= child < span[1] and d.relations[child].split(":")[0] == wanted:
                    return f"{wanted}:{self.lemmas[child]}"
        return NOTHING

    def of_predicate(self, token: int) -> tuple[str, ...]:
        d = self.dependencies
        relations = [d.relations[child] for child in d.children[token] if d.relations[child] != "punct"]
        left = sum(child < token for child in d.children[token] if d.relations[child] != "punct")
        return (
            self.predicates[token],
            self.rolesets[token],
            self.tags[token],
            self._voice(token),
            d.relations[token],
            self._rule(token),
            " ".join([*relations[:left], "*", *relations[left:]]),
        )

    def _voice(self, token: int) -> str:
        d = self.dependencies
        if self.tags[token] not in ("VBN", "VBD"):
            return self.tags[token][:2]
        if any(d.relations[child].endswith(":pass") for child in d.children[token]):
            return "passive"
        bare = not any(d.relations[child].startswith(("aux", "nsubj")) for child in d.children[token])
        return "participle" if bare and self.tags[token] == "VBN" else "active"

    def _rule(self, token: int) -> str:
        """The labels below the phrase of the predicate, itself marked."""
        tree, node = self.tree, token
        while tree.parents[node] != NO_NODE and len(tree.children[tree.parents[node]]) == 1:
            node = tree.parents[node]
        parent = tree.parents[node]
        if parent == NO_NODE:
            return NOTHING
        below = ["*" if child == node else tree.labels[child] for child in tree.children[parent]]
        return f"{tree.labels[parent]}:{' '.join(below[:8])}"

    def of_both(self, span: SpanEnds, predicate: int) -> tuple[str, ...]:
        path, way_up = self._path(span, predicate)
        before = span[1] <= predicate
        tokens = predicate - span[1] if before else span[0] - predicate - 1
        head = self.head(span)
        d = self.dependencies
        return (
            path,
            way_up,
            "before" if before else "after",
            _bucket(tokens),
            self._dependency_path(head, predicate),
            d.relations[head] if d.heads[head] == predicate else "up" if d.heads[predicate] == head else NOTHING,
        )

    def _path(self, span: SpanEnds, predicate: int) -> tuple[str, str]:
        """From the constituent up and down to the predicate: all labels, and those on the way up."""
        tree = self.tree
        node = self.node_of.get(span, NO_NODE)
        if node == NO_NODE:
            return NOTHING, NOTHING
        downs = tree.ancestors(predicate)
        at = {down: i for i, down in enumerate(downs)}
        ups = [node]
        while ups[-1] not in at:
            parent = tree.parents[ups[-1]]
            if parent == NO_NODE:
                return NOTHING, NOTHING
            ups.append(parent)
        up = "^".join(tree.labels[each] for each in ups[:LONGEST_PATH])
        down = "!".join(tree.labels[each] for each in downs[: at[ups[-1]]][::-1][:LONGEST_PATH])
        return f"{up}!{down}", up

    def _dependency_path(self, head: int, predicate: int) -> str:
        d = self.dependencies
        ups, downs = d.path(head, predicate)
        up = "^".join(d.relations[token] for token in ups[:-1][:LONGEST_PATH])
        down = "!".join(d.relations[token] for token in downs[:LONGEST_PATH])
        return f"{up}/{down}"


def places(spans: Sequence[SpanEnds], predicate: int, phrases: Sequence[str]) -> list[str]:
    """For every slot, the kinds of all slots around the predicate that no other slot contains, with the slot marked.

    The syntactic frame of Xue & Palmer (2004, Sec. 3): how many arguments the predicate may have, and which of them this one is.
    """
    outer, end = [], 0
    for i, (start, stop) in enumerate(spans):  # from left to right, longer ones first
        if start >= end:
            outer.append(i)
            end = stop
    kept = [i for i in outer if phrases[i] in FRAMED]
    names = [(spans[i][0], phrases[i]) for i in kept] + [(predicate, "*")]
    frame = [name for _, name in sorted(names)]
    where = {i: sorted(names).index((spans[i][0], phrases[i])) for i in kept}
    whole = " ".join(frame)
    return [
        " ".join([*frame[: where[i]], "<>", *frame[where[i] + 1 :]]) if i in where else whole for i in range(len(spans))
    ]


FRAMED = {"NP", "PRP", "NN", "NNS", "NNP", "S", "SBAR", "WHNP", "PP", "NML"}


def _bucket(number: int) -> str:
    """A small number as it is, larger ones by ranges."""
    if number <= 4:
        return str(number)
    return "5" if number <= 6 else "7" if number <= 10 else "11" if number <= 20 else "21"
