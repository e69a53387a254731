"""Corpora from Python values: what estimators accept besides a Corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from riata.data.frames import apart, check_is_no_table
from riata.data.named_features import REMEDY, SETS, Given, are_names
from riata.data.token_vectors import TokenVectors, is_array
from riata.data.types import UNKNOWN, Column, Corpus, Starts
from riata.errors import DataError, printed

NAME = "<memory>"
ROWS = (Sequence, np.ndarray)  # what a token of several columns may be


def as_corpus(sentences: Any, *, names: bool | None = None) -> Corpus:
    """A Corpus as it is; or sentences, each a sequence of words, of tuples of columns, or of feature dictionaries; or arrays [T, d].

    names: whether tokens that are lists hold names of features, and not columns; None: told by how they look.
    """
    if isinstance(sentences, Corpus):
        return sentences
    check_is_no_table(sentences)
    if not is_list(sentences):
        raise DataError(
            f"expected a Corpus or a list of sentences, found {type(sentences).__name__}.",
            remedy=_instead(sentences, "X")
            or "Read a file with riata.read_columns(path), or pass a list of lists of words.",
        )
    if len(sentences) and all(isinstance(each, str) and each.split() == [each] for each in sentences):
        raise DataError(
            "every sentence is one word; expected lists of words.",
            remedy="If these words are one sentence, put them into a list: [X]; if each is a sentence, [[word] for word in X].",
        )
    starts = np.concatenate([[0], np.cumsum([_length(s, i) for i, s in enumerate(sentences)])]).astype(np.int64)
    if starts[-1] == 0:
        raise DataError("there are no tokens: every sentence is empty, or there are no sentences.")
    sentences = list(map(apart, sentences))
    if any(map(is_array, sentences)):
        return Corpus(columns=(), starts=starts, name=NAME, vectors=TokenVectors.of_arrays(sentences, NAME))
    first = next(token for sentence in sentences for token in sentence)
    is_names = isinstance(first, (list, *SETS)) and (are_names(sentences) if names is None else names)
    if is_names or isinstance(first, Mapping):
        return Corpus(columns=(), starts=starts, name=NAME, given=Given.of(sentences, NAME))
    return Corpus(columns=_columns(sentences), starts=starts, name=NAME)


def with_vectors(sentences: Any, arrays: Sequence[Any]) -> Corpus:
    """Sentences with an array [T, d] of numbers beside the words of each, which a model reads as features of its own.

    sentences: a corpus, or lists of words, or of tuples of columns. The arrays are not copied if they are of float32 or float16.
    The result is sliced, split and trained from as any corpus; what is to be predicted needs its arrays, too.

    >>> import numpy as np
    >>> corpus = riata.with_vectors([["It", "stopped"], ["Why"]], [np.ones((2, 3)), np.zeros((1, 3))])
    >>> corpus.array_width, corpus[:1].tokens
    (3, 2)
    """
    corpus = as_corpus(sentences)
    if corpus.is_wordless:
        raise DataError(
            "the sentences have features instead of words.", remedy="Give words, beside which the arrays stand."
        )
    if not is_list(arrays) or len(arrays) != len(corpus):
        found = f"{len(arrays):,} arrays" if is_list(arrays) else f"a {type(arrays).__name__}"
        raise DataError(f"found {found} for {len(corpus):,} sentences; expected one array for each.", file=corpus.name)
    vectors = TokenVectors.of_arrays(list(map(apart, arrays)), corpus.name)
    for s, (array, length) in enumerate(zip(vectors.arrays, np.diff(corpus.starts), strict=True)):
        if len(array) != length:
            raise DataError(
                f"sentence {s} has {length} tokens, and its array has {len(array)} rows; expected one row per token.",
                remedy="Join the vectors of the pieces of a word into one, such as their mean.",
                file=corpus.name,
            )
    return replace(corpus, vectors=vectors)


def label_column(labels: Any, corpus: Corpus, *, unknown: bool = False) -> Column:
    """Labels given apart from the sentences, as a column that fits them. unknown: None is a label that nobody knows."""
    if not is_list(labels):
        raise DataError(f"the labels are a {type(labels).__name__}; expected a list of labels for each sentence.")
    if len(labels) != len(corpus):
        raise DataError(f"found {len(labels)} lists of labels for {len(corpus)} sentences; expected one for each.")
    lengths = np.diff(corpus.starts)
    for s, sentence in enumerate(labels):
        if not is_list(sentence):
            raise DataError(f"the labels of sentence {s} are a {type(sentence).__name__}; expected a list of strings.")
        if len(sentence) != lengths[s]:
            raise DataError(
                f"sentence {s} has {lengths[s]} tokens and {len(sentence)} labels; expected one label per token."
            )
    flat = [label for sentence in labels for label in sentence]
    for label in flat:
        if isinstance(label, str) and not (unknown and label == UNKNOWN):
            continue
        if label is not None:
            raise DataError(
                f"a label is {printed(label):.60}, of type {type(label).__name__}; expected a string that is not empty.",
                remedy="Convert them: [[str(label) for label in labels] for labels in y]. None stands for a label that nobody knows.",
            )
        if not unknown:
            raise DataError(
                "a label is None; expected a string.",
                remedy="The recipe crf on chains can learn from sentences that have unknown labels; others cannot.",
            )
    return Column.of([UNKNOWN if label is None else label for label in flat], _places(corpus.starts))


def with_column(corpus: Corpus, column: Column) -> Corpus:
    """The corpus with one more column at the end."""
    return replace(corpus, columns=(*corpus.columns, column), origin=(*corpus.origins, -1))


def is_list(value: Any) -> bool:
    """Whether a value has items to go through: texts are no lists, nor are arrays without a dimension and sparse matrices."""
    return (
        hasattr(value, "__len__")
        and not isinstance(value, (str, bytes))
        and getattr(value, "ndim", 1) != 0
        and not hasattr(value, "toarray")
    )


def _instead(value: Any, name: str) -> str:
    """What to give in place of a sparse matrix or of what can be gone through only once; empty for anything else."""
    if hasattr(value, "__next__"):
        return f"It can be gone through only once; make a list of it: list({name})."
    return "Give sparse matrices as arrays: matrix.toarray()." if hasattr(value, "toarray") else ""


def _length(sentence: Any, index: int) -> int:
    if isinstance(sentence, (Mapping, *SETS)):
        raise DataError(
            f"sentence {index} is a {type(sentence).__name__}; expected a list of tokens.",
            remedy="A list of sentences is expected, not a sentence alone: put it into a list, or use predict_single.",
        )
    if not is_list(sentence):
        raise DataError(
            f"sentence {index} is a {type(sentence).__name__}; expected a list of tokens.",
            remedy=_instead(sentence, "sentence")
            or "Split text into words first: [line.split() for line in lines]; predict takes text=True, which does that.",
        )
    return len(sentence)


def _row(token: Any) -> tuple[str, ...]:
    """The columns of a token. Whole numbers between the first column and the last, such as heads, are read as text. Empty: it has none."""
    if isinstance(token, str):
        return (token,)
    if not isinstance(token, ROWS) or not is_list(token):
        return ()
    last = len(token) - 1
    row = tuple(str(value) if 0 < k < last and is_whole(value) else value for k, value in enumerate(token))
    return row if all(isinstance(value, str) for value in row) else ()


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _columns(sentences: Sequence[Sequence[Any]]) -> tuple[Column, ...]:
    rows: list[tuple[str, ...]] = []
    for s, sentence in enumerate(sentences):
        for token in sentence:
            row = _row(token)
            if not row:
                raise DataError(
                    f"sentence {s}: token {printed(token):.60} is neither a string nor a tuple of strings.",
                    remedy="Numbers go in as one NumPy array [T, d] per sentence, or as dictionaries.",
                )
            if rows and len(row) != len(rows[0]):
                raise DataError(
                    f"sentence {s}: a token has {len(row)} columns, the first token {len(rows[0])}.",
                    remedy=REMEDY if isinstance(token, list) else "",
                )
            rows.append(row)
    where = _places(np.cumsum([0, *map(len, sentences)]))
    return tuple(Column.of(values, where) for values in zip(*rows, strict=True))


def _places(starts: Starts) -> Callable[[int], str]:
    """Where a token stands, in words."""

    def place(token: int) -> str:
        sentence = int(np.searchsorted(starts, token, side="right")) - 1
        return f"sentence {sentence}, token {token - starts[sentence]}"

    return place


def joined(a: Corpus, b: Corpus) -> Corpus:
    """The sentences of both, in the columns of the first. No document has sentences of both; where documents are marked in one of them
    only, the other is one document.
    """
    columns = tuple(_after(x, y) for x, y in zip(a.columns, b.columns, strict=True))
    true_tags = None if a.true_tags is None or b.true_tags is None else _after(a.true_tags, b.true_tags)
    starts = np.concatenate([a.starts, a.starts[-1] + b.starts[1:]])
    given = None if a.given is None or b.given is None else a.given.joined(b.given)
    vectors = None if a.vectors is None or b.vectors is None else a.vectors.joined(b.vectors)
    document = None
    if a.document is not None or b.document is not None:
        first, second = (np.zeros(len(c), np.int32) if c.document is None else c.document for c in (a, b))
        document = np.concatenate([first, first.max(initial=-1) + 1 + second]).astype(np.int32)
    return replace(
        a,
        columns=columns,
        starts=starts,
        lines=None,
        documents=(),
        comments=(),
        others=(),
        sources=(),
        given=given,
        vectors=vectors,
        document=document,
        true_tags=true_tags,
        output_sets=(*a.output_sets, *b.output_sets),
        costs=None if a.costs is None or b.costs is None else np.concatenate([a.costs, b.costs]),
    )


def _after(a: Column, b: Column) -> Column:
    return Column.of([*a.texts(), *b.texts()])


def is_empty(X: Any) -> bool:
    """No sentences, or none with a token: nothing to tell the kind of input by, and nothing to label."""
    return isinstance(X, (list, tuple)) and all(_has_no_token(s) for s in X)


def _has_no_token(sentence: Any) -> bool:
    return sentence.shape[:1] == (0,) if isinstance(sentence, np.ndarray) else is_list(sentence) and len(sentence) == 0
