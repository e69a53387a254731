"""Documents: which sentences belong together, by -DOCSTART- lines, by `# newdoc` of CoNLL-U, by a column, or as the user says."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riata.data.types import Corpus, Ids
from riata.errors import DataError

Indices = NDArray[np.int64]
_NEW = re.compile(r"^#\s*newdoc\b", re.MULTILINE)
_NEW_LINE = re.compile(r"^#\s*newdoc\b.*\n?", re.MULTILINE)


class Marking:
    """Numbers the documents of a file, also of one that is read in parts: a document may go on in the next part.

    column: documents are told by its texts, and not by lines of the file.
    """

    def __init__(self, column: int | None = None) -> None:
        self._column = column
        self._number = 0  # of the document that was read last
        self._text: str | None = None  # of the column in the sentence that was read last

    def __call__(self, part: Corpus) -> Corpus:
        """The next part with the numbers of its documents; without, while no line of the file has marked one."""
        if len(part) == 0:
            return part
        begins = _by_lines(part) if self._column is None else self._by_column(part, self._column)
        if self._column is None and self._number == 0 and not begins.any():
            return part
        document = (self._number + np.cumsum(begins)).astype(np.int32)
        self._number = int(document[-1])
        return replace(part, document=document)

    def _by_column(self, part: Corpus, column: int) -> Ids:
        if not -part.width <= column < part.width:
            raise DataError(
                f"column {column}, which should name documents, is out of range: the data have {part.width} columns, "
                f"0 to {part.width - 1}.",
                remedy="Choose a column that is there (--documents).",
                file=part.name,
            )
        if not np.diff(part.starts).all():
            raise DataError("a sentence without tokens has no column to tell its document by.", file=part.name)
        texts = part.columns[column]
        first = texts.ids[part.starts[:-1]]
        begins = np.concatenate([[0], first[1:] != first[:-1]]).astype(np.int32)
        text = texts.alphabet.text(int(first[0]))
        begins[0] = self._text is not None and text != self._text
        self._text = texts.alphabet.text(int(first[-1]))
        return begins


def _by_lines(part: Corpus) -> Ids:
    """[S] how many documents begin at each sentence; several where some of them are empty."""
    begins = np.zeros(len(part), np.int32)
    np.add.at(begins, [sentence for _, sentence in part.documents if sentence < len(part)], 1)
    begins[[s for s, text in enumerate(part.comments) if text and _NEW.search(text)]] += 1
    return begins


def by_column(corpus: Corpus, column: int) -> Corpus:
    """The corpus with documents by the texts of a column: neighbouring sentences whose first tokens have the same are one document."""
    return Marking(column)(corpus)


def in_documents(sentences: Any, documents: Sequence[Hashable]) -> Corpus:
    """Sentences as a Corpus with documents: one number or name for each sentence; neighbours that have the same are one document.

    >>> in_documents([["A", "b"], ["C"], ["D"]], [1, 1, 2]).document
    array([0, 0, 1], dtype=int32)
    """
    from riata.data.memory import as_corpus, is_list

    corpus = as_corpus(sentences)
    if not is_list(documents):
        raise DataError(
            f"the documents are a {type(documents).__name__}; expected a list with a number or a name for each sentence."
        )
    if len(documents) != len(corpus):
        raise DataError(f"found {len(documents)} documents for {len(corpus)} sentences; expected one for each.")
    names = list(documents)
    changes = [bool(a != b) for a, b in zip(names[1:], names[:-1], strict=True)]
    document = np.cumsum([False, *changes][: len(corpus)]).astype(np.int32)
    return replace(corpus, document=document)


def marked_by_lines(corpus: Corpus) -> Corpus:
    """The corpus with a -DOCSTART- line wherever a document begins that no such line marks."""
    width, own = corpus.width, [sentence for _, sentence in corpus.documents]
    line = corpus.separator.join(["-DOCSTART-", *["O"] * (width - 1)])
    lines = [*corpus.documents, *((line, sentence) for sentence in _unmarked(corpus, own))]
    return replace(corpus, documents=tuple(sorted(lines, key=lambda each: each[1])))


def marked_by_comments(corpus: Corpus) -> Corpus:
    """The corpus with `# newdoc` among the comments wherever a document begins that no such comment marks."""
    comments = list(corpus.comments or [""] * len(corpus))
    for sentence in _unmarked(corpus, [s for s, text in enumerate(comments) if _NEW.search(text)]):
        comments[sentence] = f"# newdoc\n{comments[sentence]}".rstrip("\n")
    return replace(corpus, comments=tuple(comments))


def without_mark(comments: str) -> str:
    """Comments of a sentence without `# newdoc`."""
    return _NEW_LINE.sub("", comments).rstrip("\n")


def _unmarked(corpus: Corpus, marked: Sequence[int]) -> list[int]:
    """Sentences at which documents begin, other than those that are marked. What is before the first mark needs none."""
    if corpus.document is None or len(corpus) == 0:
        return []
    begins = {0, *(np.flatnonzero(np.diff(corpus.document)) + 1).tolist()}
    return sorted(begins - {*marked, *([0] if len(marked) else [])})


class DocumentCut(NamedTuple):
    """Where data are cut in two."""

    first: int  # sentence of the second part
    documents: int  # whole ones in the second part; 0: none are marked, or the cut is inside a document
    split: bool  # inside a document, though documents are marked


class DocumentBounds(NamedTuple):
    """Where the documents of some sentences begin, and between which sentences no document is cut."""

    first: NDArray[np.int64]  # the first sentence of each document
    between: NDArray[np.int64]  # sentences, not the first of all, at which every document lies on one side

    def cut(self, wanted: int, sentences: int) -> DocumentCut:
        """The cut that is nearest to the sentence `wanted`, of those that leave both parts at least half as large as wanted."""
        least, most = wanted / 2, (wanted + sentences) / 2
        whole = self.between[(self.between >= least) & (self.between <= most)]
        if len(whole) == 0:
            return DocumentCut(wanted, 0, split=True)
        first = int(whole[np.argmin(np.abs(whole - wanted))])
        return DocumentCut(first, int((self.first >= first).sum()), split=False)


def bounds_of(document: Ids) -> DocumentBounds:
    """document: [S] numbers; sentences may be in any order, so that those of one document need not be neighbours."""
    sentences = len(document)
    _, first, of = np.unique(document, return_index=True, return_inverse=True)
    last = np.zeros(len(first), np.int64)
    np.maximum.at(last, of, np.arange(sentences))
    open_ = np.zeros(sentences + 1, np.int64)  # documents that begin before a sentence and do not end before it
    np.add.at(open_, first + 1, 1)
    np.add.at(open_, last + 1, -1)
    whole = np.flatnonzero(np.cumsum(open_)[:sentences] == 0)
    return DocumentBounds(np.sort(first).astype(np.int64), whole[whole > 0])


def blocks(data: Corpus, number: int) -> list[Indices]:
    """The sentences of each fold: neighbours, in parts of nearly equal numbers of tokens; whole documents if they are marked,
    wherever their sentences stand.

    There are fewer folds if there are fewer documents. If there is one document, or none is marked, folds are cut between sentences.
    """
    order, first = _by_document(data)
    number = min(number, len(first))
    if number < 2:
        raise DataError(
            "fewer than two sentences are too few for labels of models that have not seen them.",
            remedy="Give more sentences, or leave out passes=2, tags='own' and tags='joint'.",
            file=data.name,
        )
    tokens = np.concatenate([[0], np.cumsum(np.diff(data.starts)[order])])[first]
    cuts = np.searchsorted(tokens, np.arange(1, number) * data.tokens / number)
    cuts = np.clip(cuts, np.arange(1, number), len(first) - number + np.arange(1, number))  # no fold is empty
    cuts = np.maximum.accumulate(cuts - np.arange(number - 1)) + np.arange(number - 1)
    bounds = [0, *first[cuts].tolist(), len(data)]
    return [np.sort(order[low:high]) for low, high in pairwise(bounds)]


def _by_document(data: Corpus) -> tuple[Indices, Indices]:
    """The sentences with those of a document together, documents in the order of their first sentences; and the places in this order at
    which folds may begin: documents, or all sentences if there are fewer than two documents.
    """
    everything = np.arange(len(data))
    if data.document is None or len(np.unique(data.document)) < 2:
        return everything, everything
    _, first, which = np.unique(data.document, return_index=True, return_inverse=True)
    order = np.argsort(first[which], kind="stable")
    begins = np.flatnonzero(np.diff(data.document[order], prepend=data.document[order[0]] - 1))
    return order, begins


def cut_near(corpus: Corpus, wanted: int) -> DocumentCut:
    """Where to cut a corpus in two: at the sentence `wanted` or, where documents are marked, at a beginning of one close to it."""
    if corpus.document is None:
        return DocumentCut(wanted, 0, split=False)
    return bounds_of(corpus.document).cut(wanted, len(corpus))
