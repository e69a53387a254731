"""CoNLL-U, the format of Universal Dependencies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from riata.data.columns import check_writable, read, write
from riata.data.documents import marked_by_comments
from riata.data.files import candidate_columns, says_nothing
from riata.data.memory import as_corpus
from riata.data.types import FIELDS, Corpus
from riata.errors import DataError, UnknownNameError


def read_conllu(path: str | Path, fields: Sequence[str] = ("form", "xpos"), *, clean: bool = False) -> Corpus:
    """Reads fields of a CoNLL-U file (plain or gzip) as columns; the last one is the output. clean: as in `read_columns`.

    Multiword tokens (3-4) and empty nodes (8.1) are left out: their words are there as tokens of their own.

    >>> riata.write_conllu(riata.load("embedded", "test", ("word", "tag")), "test.conllu")
    >>> riata.read_conllu("test.conllu", ("form", "xpos"))[0][0]
    ('Neither', 'CC')
    """
    _check_fields(fields)
    corpus = read(path, conllu=True, clean=clean)
    found = corpus.select([FIELDS.index(name) for name in fields])
    return (
        replace(found, candidate_columns=candidate_columns(corpus))
        if fields and says_nothing(found.columns[-1])
        else found
    )


def write_conllu(corpus: Corpus | Sequence[Any], path: str | Path, fields: Sequence[str] = ("form", "xpos")) -> None:
    """Writes columns of a corpus, or of a list of sentences, as fields; others become `_`. Documents are marked by `# newdoc`.

    Comments, multiword tokens and empty nodes of a corpus that was read from CoNLL-U are written as they were.

    >>> corpus = riata.load("embedded", "test", ("word", "tag"))
    >>> riata.write_conllu(corpus[:1], "one.conllu")
    >>> riata.read_conllu("one.conllu")[0].column(1) == corpus[0].column(1)
    True
    """
    write(formatted(marked_by_comments(as_corpus(corpus, names=False)), fields), path)


def formatted(corpus: Corpus, fields: Sequence[str]) -> Iterator[bytes]:
    """The bytes of one sentence after another: comments, tokens, and the blank line after them."""
    _check_fields(fields)
    if len(fields) != corpus.width:
        raise DataError(
            f"the corpus has {corpus.width} columns and {len(fields)} fields were named ({', '.join(fields)}).",
            remedy="Name one CoNLL-U field for each column.",
        )
    check_writable(corpus.columns, "\t\n")
    return _formatted(corpus, fields)


def _check_fields(fields: Sequence[str]) -> None:
    for name in fields:
        if name not in FIELDS:
            raise UnknownNameError.of("CoNLL-U field", name, FIELDS)


def _formatted(corpus: Corpus, fields: Sequence[str]) -> Iterator[bytes]:
    between, places = defaultdict(list), corpus.places
    for text, place in corpus.others if corpus.format == "conllu" else ():
        between[place].append(text)
    for s, sentence in enumerate(corpus):
        lines = [corpus.comments[s]] if corpus.comments and corpus.comments[s] else []
        for number, token in enumerate(sentence, start=1):
            lines += between.get(int(places[s]) + number - 1, ())
            values = dict(zip(fields, token, strict=True))
            lines.append("\t".join([str(number)] + [values.get(name, "_") for name in FIELDS[1:]]))
        lines += between.get(int(places[s]) + len(sentence), ())
        yield ("\n".join(lines) + "\n\n").encode()
