"""Corpora with some given heads and relations: how estimators of trees read them, from Python and from two columns of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.data.memory import is_list, is_whole
from riata.data.trees import MISSING, NO_HEAD, head_in
from riata.data.types import FREE, Corpus, Ids, KnownLabels, place
from riata.errors import DataError, LabelError, printed

if TYPE_CHECKING:
    from riata.estimators.sequence import SequenceEstimator

NOTHING = -1  # is given
REMEDY = "Give one list per sentence, with None or (head, relation) for every token; each of the two may be None."
TAGGED = "Give one list per sentence, with None, (head, relation) or (head, relation, tag) for every token; each part may be None."


def knowing_trees(estimator: SequenceEstimator, corpus: Corpus, given: Any) -> Corpus:
    """The corpus with the given parts of trees: a list per sentence, of (head, relation) or None; head or relation may be None, too.
    Where tags are chosen with the tree, (head, relation, tag) gives a tag, too.
    """
    chosen = estimator.columns.chosen_tags()
    remedy = TAGGED if chosen else REMEDY
    if not is_list(given) or len(given) != len(corpus):
        raise DataError(f"given has {_size(given)}, but there are {len(corpus)} sentences.", remedy=remedy)
    heads: list[int] = []
    relations: list[str | None] = []
    tags: list[str | None] = []
    for s, (tree, length) in enumerate(zip(given, np.diff(corpus.starts).tolist(), strict=True)):
        if not is_list(tree) or len(tree) != length:
            raise DataError(
                f"in given, sentence {s} has {_size(tree)}, but it has {length} token{'s' * (length != 1)}.",
                remedy=remedy,
            )
        for arc in tree:
            head, relation, tag = _arc(arc, s, remedy)
            heads.append(head)
            relations.append(relation)
            tags.append(tag)
    known = _with_known(estimator, corpus, np.array(heads, np.int32), relations, by_line=False)
    return _with_tags(known, tags, chosen, by_line=False) if chosen else known


def knowing_tree_columns(
    estimator: SequenceEstimator, corpus: Corpus, column: int | None, tags: int | None = None
) -> Corpus:
    """The corpus with given heads from one of its columns and relations from the next one, which contain `_` where any will do; and with
    given tags from another one, if this is named.
    """
    if column is None:
        free = np.full(corpus.tokens, NO_HEAD, np.int32)
        known = _with_known(estimator, corpus, free, [None] * corpus.tokens, by_line=True)
    else:
        known = _with_arcs_of(estimator, corpus, column)
    if tags is None:
        return known
    texts = corpus.select([tags]).columns[0].texts()
    given = [None if text == MISSING else text for text in texts]
    return _with_tags(known, given, estimator.columns.chosen_tags(), by_line=True)


def _with_arcs_of(estimator: SequenceEstimator, corpus: Corpus, column: int) -> Corpus:
    at = column + corpus.width if column < 0 else column
    corpus.select([at, at + 1])  # refuses columns that do not exist
    read = estimator.columns.data_columns(corpus).origins
    if corpus.origins[at] in read or corpus.origins[at + 1] in read:
        raise DataError(
            f"columns {at} and {at + 1} hold the heads and relations that are given, so they cannot be inputs of the model.",
            remedy="Name the column of heads, after which that of relations follows.",
            file=corpus.name,
        )
    texts = corpus.columns[at].texts()
    heads = np.array([head_in(text) for text in texts], np.int32)
    wrong = next((t for t, text in enumerate(texts) if text != MISSING and heads[t] == NO_HEAD), None)
    if wrong is not None:
        raise DataError(
            f"the given head is {printed(texts[wrong])}; expected a whole number, or {MISSING}.",
            remedy="Name the column of heads, after which that of relations follows.",
            file=corpus.name,
            line=corpus.line_of(wrong),
        )
    relations = [None if text == MISSING else text for text in corpus.columns[at + 1].texts()]
    return _with_known(estimator, corpus, heads, relations, by_line=True)


def _size(value: Any) -> str:
    return f"{len(value)} entries" if is_list(value) else printed(value)


def _arc(arc: Any, s: int, remedy: str) -> tuple[int, str | None, str | None]:
    if arc is None:
        return NO_HEAD, None, None
    ok = isinstance(arc, (tuple, list)) and (len(arc) == 2 or (len(arc) == 3 and remedy == TAGGED))
    head, relation, tag = (*arc, None)[:3] if ok else (None, None, None)
    ok = ok and (head is None or (is_whole(head) and int(head) >= 0))
    if not ok or not all(text is None or isinstance(text, str) for text in (relation, tag)):
        raise DataError(f"in given, sentence {s}: an arc is {printed(arc)}.", remedy=remedy)
    return NO_HEAD if head is None else int(head), relation, tag


def _with_known(
    estimator: SequenceEstimator, corpus: Corpus, heads: Ids, relations: Sequence[str | None], *, by_line: bool
) -> Corpus:
    classes = estimator.classes_
    numbers = _numbers(corpus, relations, classes, "relation", by_line=by_line)
    _refuse_heads(corpus, heads, by_line=by_line)
    combined, of = _combined(heads, numbers)
    longest = int(np.diff(corpus.starts).max(initial=0))
    sets = np.zeros((len(combined), len(classes) + longest + 1), np.uint8)
    for row, (head, relation) in zip(sets, combined, strict=True):
        row[: len(classes)] = relation < 0
        row[len(classes) :] = head < 0
        if relation >= 0:
            row[relation] = 1
        if head >= 0:
            row[len(classes) + head] = 1
    names = tuple(_name(head, relation, classes) for head, relation in combined)
    return replace(corpus, known=KnownLabels(names, sets, of, "trees", by_line))


def _with_tags(corpus: Corpus, tags: Sequence[str | None], chosen: Sequence[str], *, by_line: bool) -> Corpus:
    """The corpus with given tags beside its given arcs."""
    assert corpus.known is not None
    return replace(corpus, known=replace(corpus.known, tags=_numbers(corpus, tags, chosen, "tag", by_line=by_line)))


def _numbers(corpus: Corpus, texts: Sequence[str | None], known: Sequence[str], what: str, *, by_line: bool) -> Ids:
    """[N] Given relations or tags as numbers among those that the model knows."""
    at = {text: i for i, text in enumerate(known)}
    unknown = next((t for t, text in enumerate(texts) if text is not None and text not in at), None)
    if unknown is not None:
        shown = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
        raise LabelError(
            f"the model does not know the {what} {texts[unknown]!r} that is given {place(corpus, unknown, by_line=by_line)}. "
            f"Known: {shown}.",
            remedy=f"Give a {what} that it knows, or leave it free ({FREE}).",
            file=corpus.name,
            line=corpus.line_of(unknown),
        )
    return np.array([NOTHING if text is None else at[text] for text in texts], np.int32)


def _combined(heads: Ids, relations: Ids) -> tuple[list[tuple[int, int]], Ids]:
    """The different pairs of a given head and a given relation, and which of them each token has; -1: nothing is given."""
    found: dict[tuple[int, int], int] = {}
    of = [
        -1 if head < 0 and relation < 0 else found.setdefault((head, relation), len(found))
        for head, relation in zip(heads.tolist(), relations.tolist(), strict=True)
    ]
    return list(found), np.array(of, np.int32)


def _name(head: int, relation: int, classes: Sequence[str]) -> str:
    return " ".join([*([str(head)] if head >= 0 else []), *([classes[relation]] if relation >= 0 else [])])


def _refuse_heads(corpus: Corpus, heads: Ids, *, by_line: bool) -> None:
    lengths = np.repeat(np.diff(corpus.starts), np.diff(corpus.starts))
    own = np.arange(corpus.tokens) - np.repeat(corpus.starts[:-1], np.diff(corpus.starts)) + 1
    wrong: NDArray[np.int64] = np.flatnonzero((heads > lengths) | (heads == own))
    if len(wrong):
        token = int(wrong[0])
        raise LabelError(
            f"the head {heads[token]} is given {place(corpus, token, by_line=by_line)}, to token {own[token]} of {lengths[token]}.",
            remedy=f"A head is another token of the sentence, from 1 on, or 0 for the root; or leave it free ({FREE}).",
            file=corpus.name,
            line=corpus.line_of(token),
        )
