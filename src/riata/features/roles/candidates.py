"""Which spans may be arguments of a predicate."""

from __future__ import annotations

from riata.features.roles.trees import NO_NODE, Constituents, Dependencies

SpanEnds = tuple[int, int]
JOINS = ("CC", "CONJP")  # labels of what joins coordinated constituents
OBJECTS = ("obj", "iobj")


def candidates(tree: Constituents, words: Dependencies, predicate: int) -> list[SpanEnds]:
    """The spans that may be arguments of the token `predicate`, from left to right, longer ones first.

    Constituents beside the path from the predicate to the root, unless they are coordinated with a node of the path, and the parts of those
    that are prepositional phrases (Xue & Palmer 2004, Sec. 4).
    **Differs:** subtrees of the predicate's dependents, and the head words of its objects, are candidates too; the latter are where
    PropBank has light verbs ("made another *announcement*"). No candidate contains the predicate, and none is a punctuation mark alone.
    """
    found = {(tree.starts[node], tree.ends[node]) for node in _beside(tree, predicate)}
    for child in words.children[predicate]:
        if words.whole[child]:
            found.add(words.spans[child])
        if words.relations[child] in OBJECTS:
            found.add((child, child + 1))
    kept = (span for span in found if not span[0] <= predicate < span[1] and not _is_mark(words, span))
    return sorted(kept, key=lambda span: (span[0], -span[1]))


def _is_mark(words: Dependencies, span: SpanEnds) -> bool:
    return span[1] - span[0] == 1 and words.relations[span[0]] == "punct"


def _beside(tree: Constituents, predicate: int) -> list[int]:
    """The nodes that the pruning of Xue & Palmer leaves."""
    found: list[int] = []
    node = predicate
    while (parent := tree.parents[node]) != NO_NODE:
        beside = [child for child in tree.children[parent] if child != node]
        joined = any(tree.labels[child] in JOINS for child in beside)
        for child in beside:
            if joined and tree.labels[child] == tree.labels[node]:
                continue
            found.append(child)
            if tree.labels[child] == "PP":
                found += tree.children[child]
        node = parent
    return found
