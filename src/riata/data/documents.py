"""Documents: which sentences belong together, by -DOCSTART- lines, by `# newdoc` of CoNLL-U, by a column, or as the user says."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from riata.data.types import Corpus, Ids
from riata.errors import DataError

_NEW = re.compile(r"^#\s*newdoc\b", re.MULTILINE)


def marked(corpus: Corpus, before: int = 0) -> Corpus:
    """A corpus as it was read, with the number of the document of each sentence where lines of the file tell.

    before: the number of the document that was read last, where the corpus is the next part of a file; 0: nothing was marked.
    """
    begins = np.zeros(len(corpus), np.int32)
    np.add.at(begins, [sentence for _, sentence in corpus.documents if sentence < len(corpus)], 1)
    begins[[s for s, text in enumerate(corpus.comments) if text and _NEW.search(text)]] += 1
    if before == 0 and not begins.any():
        return corpus
    return replace(corpus, document=(before + np.cumsum(begins)).astype(np.int32))


def by_column(corpus: Corpus, column: int) -> Corpus:
    """The corpus with documents by the texts of a column: neighbouring sentences whose first tokens have the same are one document."""
    ids, lengths = corpus.columns[column].ids, np.diff(corpus.starts)
    if len(corpus) == 0 or not lengths.all():
        raise DataError("a sentence without tokens has no column to tell its document by.", file=corpus.name)
    first = ids[corpus.starts[:-1]]
    return replace(corpus, document=_numbered(first[1:] != first[:-1]))


def in_documents(sentences: Any, documents: Sequence[Hashable]) -> Corpus:
    """Sentences as a Corpus with documents: one number or name for each sentence; neighbours that have the same are one document.

    >>> in_documents([["A", "b"], ["C"], ["D"]], [1, 1, 2]).document
    array([0, 0, 1], dtype=int32)
    """
    from riata.data.memory import as_corpus

    corpus = as_corpus(sentences)
    if len(documents) != len(corpus):
        raise DataError(f"found {len(documents)} documents for {len(corpus)} sentences; expected one for each.")
    names = list(documents)
    changes = [a != b for a, b in zip(names[1:], names[:-1], strict=True)]
    return replace(corpus, document=_numbered(np.array(changes, bool)))


def _numbered(changes: Any) -> Ids:
    return np.concatenate([[0], np.cumsum(changes)]).astype(np.int32)


def first_of(corpus: Corpus, sentence: int) -> int:
    """Where the document of a sentence begins; the sentence itself, where no documents are marked."""
    if corpus.document is None or not 0 < sentence < len(corpus):
        return sentence
    return int(np.searchsorted(corpus.document, corpus.document[sentence]))
