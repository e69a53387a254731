"""Dependency trees: a head and a relation for every token. The head is the number of a token of the sentence, from 1, or 0 for the root.

A tree has exactly one token whose head is 0, and no cycles. In one column, head and relation are a pair (`pairs.py`); in the core, they are
one number, head x relations + relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.pairs import parts_of, with_parts
from riata.data.types import Column, Corpus, Ids, Starts
from riata.errors import DataError, printed

MISSING = "_"  # in CoNLL-U, stands for a head or a relation that nobody has given
UNIVERSAL = ":"  # between a relation of all languages and its subtype
NO_HEAD = -1
_AT_ONCE = 1 << 24  # pairs of arcs that are compared at once


def universal(relation: str) -> str:
    """A relation without its subtype."""
    return relation.partition(UNIVERSAL)[0]


def heads_and_relations(column: Column) -> tuple[Ids, Column]:
    """The heads of a column of pairs, NO_HEAD where a text is no number from 0, and the relations."""
    parts = [parts_of(text) for text in column.alphabet.texts()]
    relations = Column.of([relation for _, relation in parts])
    heads = np.array([head_in(head) for head, _ in parts], np.int32)
    none = np.empty(0, np.int32)
    return (heads[column.ids], Column(relations.alphabet, relations.ids[column.ids])) if parts else (none, relations)


def head_in(head: str) -> int:
    """The head that a text is; NO_HEAD if it is no number from 0."""
    return int(head) if head.isascii() and head.isdecimal() and len(head) < 10 else NO_HEAD


def tree_codes(column: Column, relations: Sequence[str]) -> Ids:
    """[N] head x relations + relation, of a column of pairs; -1 where a relation is none of these."""
    heads, of_tokens = heads_and_relations(column)
    numbers = of_tokens.numbered(relations)
    return np.where(numbers < 0, -1, heads * len(relations) + numbers).astype(np.int32)


def tree_columns(codes: Ids, relations: Sequence[str]) -> tuple[Column, Column]:
    """The columns of heads and of relations."""
    heads, numbers = np.divmod(codes, len(relations))
    highest = int(heads.max(initial=0))
    names = Column.of(list(relations))
    return (
        Column(Column.of([str(head) for head in range(highest + 1)]).alphabet, heads.astype(np.int32)),
        Column(names.alphabet, names.ids[numbers]),
    )


def with_trees(corpus: Corpus, trees: Any) -> Corpus:
    """The corpus and, as two columns more, trees given apart from it: for every sentence, a list of (head, relation)."""
    return with_parts(corpus, trees, _parts)


def _parts(tree: Any, s: int, k: int) -> Any:
    """The heads or the relations of a sentence; what is no list is left as it is, for label_column to refuse."""
    if not isinstance(tree, (list, tuple)):
        return tree
    for arc in tree:
        if not isinstance(arc, (tuple, list)) or len(arc) != 2 or isinstance(arc[0], (bool, float)):
            raise DataError(
                f"sentence {s}: an arc is {printed(arc)}; expected a pair, a head and a relation.",
                remedy="Give (head, relation) for every token, such as (2, 'nsubj'); the root has the head 0.",
            )
    return [str(arc[0]) if k == 0 else arc[1] for arc in tree]


def check_trees(corpus: Corpus) -> None:
    """Refuses outputs that are no trees. The last two columns are heads and relations; `_` is refused, too."""
    texts, relations = corpus.columns[-2:]
    table = np.array([head_in(text) for text in texts.alphabet.texts()] or [NO_HEAD], np.int32)
    heads = table[texts.ids]
    lengths = np.repeat(np.diff(corpus.starts), np.diff(corpus.starts))
    _refuse_missing(corpus, heads, texts, relations)
    own = np.arange(corpus.tokens) - np.repeat(corpus.starts[:-1], np.diff(corpus.starts)) + 1
    if (wrong := heads > lengths).any():
        token = int(np.argmax(wrong))
        length = int(lengths[token])
        raise _error(
            corpus,
            token,
            f"the head of token {own[token]} is {heads[token]}, but the sentence has {length} token{'s' * (length != 1)}.",
            "A head is the number of a token of the sentence, or 0 for the root.",
        )
    _refuse_roots(corpus, heads)
    lost = _first_in_cycle(heads, corpus.starts)
    if lost is not None:
        raise _error(
            corpus,
            lost,
            f"the head of token {own[lost]} is {heads[lost]}, and so on in a cycle that never reaches the root.",
            "Every token must be under the root; correct one of the heads in the cycle.",
        )


def _refuse_missing(corpus: Corpus, heads: Ids, texts: Column, relations: Column) -> None:
    known = np.array([text != MISSING for text in relations.alphabet.texts()] or [True])
    wrong = (heads == NO_HEAD) | ~known[relations.ids]
    if not wrong.any():
        return
    token = int(np.argmax(wrong))
    found = texts.alphabet.text(int(texts.ids[token]))
    if found == MISSING or heads[token] != NO_HEAD:
        what = "head" if found == MISSING else "relation"
        raise _error(
            corpus,
            token,
            f"the token has no {what} (`{MISSING}`).",
            "Give complete trees to learn from or to compare with; files to predict may lack them.",
        )
    raise _error(
        corpus,
        token,
        f"the head is {printed(found)}; expected a whole number of at least 0.",
        "Are heads the last column but one?",
    )


def _refuse_roots(corpus: Corpus, heads: Ids) -> None:
    sentence = np.repeat(np.arange(len(corpus)), np.diff(corpus.starts))
    roots = np.bincount(sentence[heads == 0], minlength=len(corpus))
    wrong = np.flatnonzero((roots != 1) & (np.diff(corpus.starts) > 0))
    if not len(wrong):
        return
    s = int(wrong[0])
    low, high = int(corpus.starts[s]), int(corpus.starts[s + 1])
    if roots[s] == 0:
        raise _error(
            corpus, low, "no token of the sentence has the head 0: it has no root.", "Give one token the head 0."
        )
    first, second = np.flatnonzero(heads[low:high] == 0)[:2]
    raise _error(
        corpus,
        low + int(second),
        f"tokens {first + 1} and {second + 1} both have the head 0: the sentence has {roots[s]} roots.",
        "Exactly one token of a sentence has the head 0.",
    )


def _first_in_cycle(heads: Ids, starts: Starts) -> int | None:
    """The first token that is in a cycle; None if there is none. Whoever is not in a cycle meets the root if it goes up often enough."""
    up = _above(heads, starts)
    longest = int(np.diff(starts).max(initial=1))
    for _ in range(longest.bit_length()):
        up = up[up]
    lost = up[:-1] < len(heads)  # these, and all that are under them, are not under the root
    return int(up[:-1][lost].min()) if lost.any() else None


def _above(heads: Ids, starts: Starts) -> NDArray[np.int64]:
    """[N + 1] the token that is the head of each token, N for the root, whose own head is N."""
    root = len(heads)
    first = np.repeat(starts[:-1], np.diff(starts))
    return np.append(np.where(heads == 0, root, first + heads - 1), root)


def _error(corpus: Corpus, token: int, message: str, remedy: str) -> DataError:
    if corpus.lines is None:
        sentence = int(np.searchsorted(corpus.starts, token, side="right")) - 1
        message = f"sentence {sentence}: {message}"
    return DataError(message, remedy=remedy, file=corpus.name, line=corpus.line_of(token))


def crossing(heads: Ids, starts: Starts) -> NDArray[np.bool_]:
    """[N] whether the arc of a token crosses another one, the root standing before the first token."""
    found = np.zeros(len(heads), bool)
    for low, high in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if high - low > 2:
            found[low:high] = _crossing(heads[low:high])
    return found


def _crossing(heads: Ids) -> NDArray[np.bool_]:
    children = np.arange(1, len(heads) + 1)
    left, right = np.minimum(heads, children), np.maximum(heads, children)
    found = np.zeros(len(heads), bool)
    step = max(_AT_ONCE // len(heads), 1)
    for first in range(0, len(heads), step):
        part = slice(first, first + step)
        within = (left[part, None] < left) & (left < right[part, None]) & (right[part, None] < right)
        found[part] |= within.any(axis=1)
        found |= within.any(axis=0)
    return found
