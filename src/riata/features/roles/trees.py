"""The two trees of a sentence: constituents, from brackets, and dependencies, from heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

NO_NODE = -1


@dataclass(eq=False)
class Constituents:
    """A forest. Nodes 0 to n - 1 are the tokens, which have their tags as labels; constituents follow, each after those around it.

    A node that covers the same tokens as its only child stands above it.
    """

    labels: list[str]
    starts: list[int]
    ends: list[int]
    parents: list[int]  # NO_NODE for those that no node is above
    children: list[list[int]] = field(default_factory=list)  # from left to right

    @classmethod
    def of(cls, brackets: Sequence[str], tags: Sequence[str]) -> Constituents:
        """From the parts of the bracketing, `(NP*` or `*))`, which must be balanced."""
        tree = cls(list(tags), list(range(len(tags))), [t + 1 for t in range(len(tags))], [NO_NODE] * len(tags))
        tree.children = [[] for _ in tags]
        open_: list[int] = []
        for token, text in enumerate(brackets):
            before, _, after = text.partition("*")
            for label in before.split("(")[1:]:
                node = len(tree.labels)
                tree.labels.append(_plain(label))
                tree.starts.append(token)
                tree.ends.append(token)
                tree.parents.append(NO_NODE)
                tree.children.append([])
                tree._attach(node, open_)
                open_.append(node)
            tree._attach(token, open_)
            for _ in after:
                tree.ends[open_.pop()] = token + 1
        return tree

    def _attach(self, node: int, open_: list[int]) -> None:
        if open_:
            self.parents[node] = open_[-1]
            self.children[open_[-1]].append(node)

    def ancestors(self, node: int) -> list[int]:
        """The node and all nodes above it, from below."""
        found = []
        while node != NO_NODE:
            found.append(node)
            node = self.parents[node]
        return found

    def by_span(self) -> dict[tuple[int, int], int]:
        """The highest node of each span."""
        tokens = sum(not children for children in self.children)
        found = {(token, token + 1): token for token in range(tokens)}
        found |= {(self.starts[node], self.ends[node]): node for node in range(len(self.labels) - 1, tokens - 1, -1)}
        return found


def _plain(label: str) -> str:
    """A label without functions and indices: NP of NP-SBJ-1."""
    plain = label.split("-")[0].split("=")[0]
    return plain or label


@dataclass(eq=False)
class Dependencies:
    """A tree over tokens; -1 is the head of a root."""

    heads: list[int]
    relations: list[str]
    children: list[list[int]]  # from left to right
    spans: list[tuple[int, int]]  # the first token and the end of each token's subtree
    whole: list[bool]  # whether the subtree has every token of its span
    depths: list[int]

    @classmethod
    def of(cls, heads: Sequence[int], relations: Sequence[str]) -> Dependencies:
        """heads: from 1, with 0 for roots; they must lead to roots."""
        n = len(heads)
        up = [head - 1 for head in heads]
        children: list[list[int]] = [[] for _ in range(n)]
        for token, head in enumerate(up):
            if head >= 0:
                children[head].append(token)
        depths = [0] * n
        order = [token for token in range(n) if up[token] < 0]
        for token in order:  # grows
            for child in children[token]:
                depths[child] = depths[token] + 1
                order.append(child)
        low, high, size = list(range(n)), [t + 1 for t in range(n)], [1] * n
        for token in reversed(order):
            head = up[token]
            if head >= 0:
                low[head], high[head] = min(low[head], low[token]), max(high[head], high[token])
                size[head] += size[token]
        whole = [high[t] - low[t] == size[t] for t in range(n)]
        return cls(up, list(relations), children, list(zip(low, high, strict=True)), whole, depths)

    def head_of(self, start: int, end: int) -> int:
        """The head word of a span: of its tokens whose heads are outside, the highest in the tree, the first of several."""
        best = start
        for token in range(start, end):
            if self.depths[token] < self.depths[best]:
                best = token
        return best

    def path(self, low: int, high: int) -> tuple[list[int], list[int]]:
        """The tokens from one token up to the common ancestor, itself included, and from there down to the other, itself excluded.

        Without a common ancestor, both go up to their roots.
        """
        ups, downs = [low], [high]
        a, b = low, high
        while a != b:
            if b < 0 or (a >= 0 and self.depths[a] >= self.depths[b]):
                a = self.heads[a]
                if a >= 0:
                    ups.append(a)
            else:
                b = self.heads[b]
                if b >= 0:
                    downs.append(b)
        if a >= 0:
            downs.pop()
        return ups, downs[::-1]
