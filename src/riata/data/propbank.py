"""Files of semantic roles: ten columns between tabs, and one more for each predicate, in the brackets of CoNLL-2005.

The columns are those of `COLUMNS`: the number of the token from 1, word, lemma, two tags, head and relation in a dependency
tree, the token's part of the bracketing (`(NP*`, `*))`), the lemma of a predicate and its roleset, or `-` twice. A column of roles holds
`(ARG0*` where a span begins, `*)` where it ends, `(V*)` for both and `*` elsewhere.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.columns import name_of, pieces, write
from riata.data.documents import Marking
from riata.data.types import Column, Corpus, Span
from riata.errors import DataError

COLUMNS = ("number", "word", "lemma", "upos", "xpos", "head", "relation", "bracket", "predicate", "roleset")
VERB = "V"  # the label of the predicate itself in its column
NONE = "-"  # in the columns of predicates: no predicate


@dataclass(frozen=True)
class Proposition:
    """A predicate, by the number of its token from 0, and the spans of its column, that of the predicate itself (V) among them.

    arguments: None where the file has no column for them.

    >>> riata.Proposition(1, (riata.Span(0, 1, "A0"), riata.Span(1, 2, "V")))
    Proposition(predicate=1, arguments=(Span(start=0, end=1, type='A0'), Span(start=1, end=2, type='V')))
    """

    predicate: int
    arguments: tuple[Span, ...] | None = None

    @property
    def roles(self) -> tuple[Span, ...]:
        """The arguments without the predicate itself."""
        return tuple(span for span in self.arguments or () if span.type != VERB)

    def with_roles(self, roles: Sequence[Span]) -> Proposition:
        """The same predicate with these arguments, beside its own span, of which its token alone stays if they overlap it."""

        def apart(span: Span) -> bool:
            return not any(span.start < end and start < span.end for start, end, _ in roles)

        own = [span for span in self.arguments or () if span.type == VERB and apart(span)]
        if not own and apart(token := Span(self.predicate, self.predicate + 1, VERB)):
            own = [token]
        return Proposition(self.predicate, tuple(sorted([*own, *(Span(*span) for span in roles)])))


@dataclass(frozen=True, eq=False)
class RoleCorpus(Corpus):
    """Sentences in the ten columns of `COLUMNS`, and the propositions of each. Slices keep theirs.

    >>> corpus = riata.load("embedded-roles", "train")
    >>> len(corpus), len(corpus.propositions)
    (12, 12)
    >>> corpus.propositions[0][0].arguments[0]
    Span(start=0, end=2, type='ARG0')
    """

    propositions: tuple[tuple[Proposition, ...], ...] = ()  # [S]

    def _subset(self, chosen: NDArray[np.int64]) -> RoleCorpus:
        found = super()._subset(chosen)
        assert isinstance(found, RoleCorpus)
        return replace(found, propositions=tuple(self.propositions[i] for i in chosen))

    def select(self, columns: Sequence[int]) -> Corpus:
        """These columns as a corpus without propositions; all of them, in order: the corpus itself."""
        if list(columns) == list(range(self.width)):
            return self
        fields = {name: getattr(self, name) for name in Corpus.__dataclass_fields__}
        return Corpus(**fields).select(columns)

    def with_propositions(self, propositions: Any) -> RoleCorpus:
        """The same sentences with other propositions, such as predicted ones: a list of them for every sentence."""
        made = tuple(tuple(each) for each in propositions)
        if len(made) != len(self):
            raise DataError(f"found propositions of {len(made)} sentences for {len(self)} sentences; expected as many.")
        for s, (mine, theirs) in enumerate(zip(self.propositions, made, strict=True)):
            if not all(isinstance(one, Proposition) for one in theirs):
                raise DataError(f"sentence {s} holds something that is no Proposition.")
            if [one.predicate for one in mine] != [one.predicate for one in theirs]:
                raise DataError(
                    f"sentence {s} has other predicates: {[one.predicate for one in theirs]}, where the corpus has "
                    f"{[one.predicate for one in mine]}.",
                    remedy="Give one proposition for every predicate of the sentence, in the order of the corpus.",
                )
        return replace(self, propositions=made)

    def check_labelled(self, what: str) -> None:
        """Refuses sentences with predicates whose arguments are not known. what: the thing that needs them, in words."""
        for s, propositions in enumerate(self.propositions):
            if any(one.arguments is None for one in propositions):
                raise DataError(
                    f"{what} needs the arguments of every predicate, and this sentence has no columns for them.",
                    remedy="Give a file with one more column for each predicate of a sentence.",
                    file=self.name,
                    line=self.line_of(int(self.starts[s])),
                )

    def __repr__(self) -> str:
        number = sum(map(len, self.propositions))
        return f"<RoleCorpus {self.name}: {len(self):,} sentences, {self.tokens:,} tokens, {number:,} predicates>"


FORMAT = "propbank"
WIDTH = len(COLUMNS)
HEAD, BRACKET, PREDICATE, ROLESET = (COLUMNS.index(name) for name in ("head", "bracket", "predicate", "roleset"))
_BRACKET = re.compile(r"(?:\([^()*\s]+)*\*\)*")
_ROLE = re.compile(r"(?:\(([^()*\s]+))?\*(\)?)")
LAYOUT = f"Expected {WIDTH} columns between tabs ({' '.join(COLUMNS)}), then one for each predicate of the sentence."


def read_propbank(path: str | Path) -> RoleCorpus:
    """Reads a file of semantic roles, plain or gzip ("-" is standard input). The columns of roles may be missing.

    >>> riata.write_propbank(riata.load("embedded-roles", "test"), "roles.txt")
    >>> len(riata.read_propbank("roles.txt")) == len(riata.load("embedded-roles", "test"))
    True
    """
    reader = _PropbankReader(name_of(path))
    for piece in pieces(path):
        reader.feed(piece)
    reader.finish()
    corpus = reader.take()
    if corpus.tokens == 0:
        raise _empty(path)
    return corpus


def stream(path: str | Path, stopped: threading.Event | None = None) -> Iterator[RoleCorpus]:
    """The sentences of a file in batches, as they can be read. stopped: set by another thread when no more are wanted."""
    reader, seen = _PropbankReader(name_of(path)), False
    for piece in pieces(path, stopped):
        reader.feed(piece)
        if reader.complete:
            seen = True
            yield reader.take()
    reader.finish()
    if reader.complete:
        yield reader.take()
    elif not seen:
        raise _empty(path)


def write_propbank(corpus: RoleCorpus, path: str | Path) -> None:
    """Writes sentences with their propositions, as read_propbank reads them; compressed where the name ends in .gz.

    >>> riata.write_propbank(riata.load("embedded-roles", "test"), "roles.txt.gz")
    """
    write(formatted(corpus), path)


def formatted(corpus: RoleCorpus) -> Iterator[bytes]:
    """The bytes of one sentence after another: comments, tokens, and the blank line after them."""
    for s, (sentence, propositions) in enumerate(zip(corpus, corpus.propositions, strict=True)):
        rows = [list(token) for token in sentence]
        known = [one.arguments for one in propositions if one.arguments is not None]
        if known and len(known) < len(propositions):
            raise DataError(
                f"sentence {s} has predicates with and without arguments; expected them of all, or of none."
            )
        for arguments in known:
            for row, cell in zip(rows, cells(arguments, len(rows)), strict=True):
                row.append(cell)
        comments = f"{corpus.comments[s]}\n" if corpus.comments and corpus.comments[s] else ""
        yield f"{comments}{''.join(chr(9).join(row) + chr(10) for row in rows)}\n".encode()


def cells(arguments: Sequence[Span], length: int) -> list[str]:
    """The column of one predicate in a sentence of this length."""
    found, end = ["*"] * length, 0
    for span in sorted(arguments):
        if not end <= span.start < span.end <= length:
            raise DataError(
                f"the argument {span.type} of tokens {span.start} to {span.end - 1} overlaps another, or is not within the sentence "
                f"of {length} tokens.",
                remedy="Spans of one predicate stand side by side; their ends are the first token after them.",
            )
        if not _ROLE.fullmatch(f"({span.type}*"):
            raise DataError(f"the role {span.type!r} cannot be written: it is empty, or has brackets, stars or spaces.")
        end = span.end
        found[span.start] = f"({span.type}{found[span.start]}"
        found[span.end - 1] += ")"
    return found


def _empty(path: str | Path) -> DataError:
    return DataError("the file holds no tokens.", remedy=LAYOUT, file=name_of(path))


class _PropbankReader:
    """Reads a file piece by piece. `complete`: whether sentences wait to be taken."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._number = 0  # of the last line
        self._rest = b""
        self._comments: list[str] = []
        self._rows: list[list[str]] = []
        self._first = 0  # the line of the first row
        self._marking = Marking()
        self._clear()

    def _clear(self) -> None:
        self._columns: list[list[str]] = [[] for _ in COLUMNS]
        self._lengths: list[int] = []
        self._lines: list[int] = []
        self._said: list[str] = []
        self._propositions: list[tuple[Proposition, ...]] = []

    @property
    def complete(self) -> bool:
        return bool(self._lengths)

    def feed(self, piece: bytes) -> None:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._line(line)

    def finish(self) -> None:
        if self._rest:
            self._line(self._rest)
        self._rest = b""
        self._sentence()

    def take(self) -> RoleCorpus:
        starts = np.concatenate([[0], np.cumsum(self._lengths)]).astype(np.int64)
        corpus = RoleCorpus(
            columns=tuple(map(Column.of, self._columns)),
            starts=starts,
            name=self._name,
            lines=np.array(self._lines, np.int64),
            comments=tuple(self._said) if any(self._said) else (),
            separator="\t",
            format=FORMAT,
            propositions=tuple(self._propositions),
        )
        self._clear()
        marked = self._marking(corpus)
        assert isinstance(marked, RoleCorpus)
        return marked

    def _line(self, content: bytes) -> None:
        self._number += 1
        try:
            text = content.decode("utf-8-sig" if self._number == 1 else "utf-8").rstrip("\r")
        except UnicodeDecodeError:
            raise self._error("the line is not UTF-8.", self._number, "Convert the file to UTF-8.") from None
        if not text.strip():
            self._sentence()
        elif text.startswith("#") and "\t" not in text and not self._rows:
            self._comments.append(text)
        else:
            if not self._rows:
                self._first = self._number
            self._rows.append(text.split("\t"))

    def _sentence(self) -> None:
        if not self._rows:
            return  # comments without a sentence belong to the next one
        rows = self._rows
        predicates = self._check_rows(rows)
        roles = len(rows[0]) - WIDTH
        arguments = [self._spans([row[WIDTH + k] for row in rows]) for k in range(roles)]
        self._propositions.append(
            tuple(Proposition(at, arguments[k] if roles else None) for k, at in enumerate(predicates))
        )
        for column, texts in zip(self._columns, zip(*(row[:WIDTH] for row in rows), strict=True), strict=True):
            column.extend(texts)
        self._lengths.append(len(rows))
        self._lines.extend(range(self._first, self._first + len(rows)))
        self._said.append("\n".join(self._comments))
        self._rows, self._comments = [], []

    def _check_rows(self, rows: list[list[str]]) -> list[int]:
        """Refuses a sentence that is not as it should be; the places of its predicates."""
        depth, predicates = 0, []
        for i, row in enumerate(rows):
            self._check_width(row, rows[0], i)
            if row[0] != str(i + 1):
                raise self._error(f"the token number is {row[0]!r}; expected {i + 1}.", self._first + i, LAYOUT)
            if not (row[HEAD].isascii() and row[HEAD].isdigit() and int(row[HEAD]) <= len(rows)):
                raise self._error(
                    f"the head is {row[HEAD]!r}; expected the number of a token of the sentence, or 0.", self._first + i
                )
            if not _BRACKET.fullmatch(row[BRACKET]):
                raise self._error(
                    f"the bracket is {row[BRACKET]!r}; expected something like (NP* or *)).", self._first + i
                )
            depth += row[BRACKET].count("(") - row[BRACKET].count(")")
            if depth < 0:
                raise self._error(
                    "a bracket closes that was not open.", self._first + i, "Balance the brackets of the sentence."
                )
            if (row[PREDICATE] == NONE) != (row[ROLESET] == NONE):
                raise self._error(
                    f"the predicate is {row[PREDICATE]!r} and its roleset {row[ROLESET]!r}; expected both, or - twice.",
                    self._first + i,
                )
            predicates += [i] * (row[PREDICATE] != NONE)
        if depth:
            last = self._first + len(rows) - 1
            raise self._error(
                f"{depth} of the brackets of the sentence do not close.", last, "Balance the brackets of the sentence."
            )
        self._check_heads(rows)
        self._check_predicates(len(rows[0]) - WIDTH, predicates)
        return predicates

    def _check_width(self, row: list[str], first: list[str], i: int) -> None:
        if len(row) < WIDTH:
            raise self._error(
                f"found {len(row)} column{'s' * (len(row) != 1)}; expected at least {WIDTH}.", self._first + i, LAYOUT
            )
        if len(row) != len(first):
            raise self._error(
                f"found {len(row)} columns; the first token of the sentence has {len(first)}.", self._first + i, LAYOUT
            )
        if "" in row:
            raise self._error(
                f"column {row.index('') + 1} is empty.", self._first + i, "Write - or _ where there is nothing."
            )

    def _check_heads(self, rows: list[list[str]]) -> None:
        heads = [int(row[HEAD]) for row in rows]
        safe = {0}
        for i in range(len(rows)):
            path, at = [], i + 1
            while at not in safe:
                if at in path:
                    raise self._error("the heads go round in a circle.", self._first + i, "Heads must lead to 0.")
                path.append(at)
                at = heads[at - 1]
            safe.update(path)

    def _check_predicates(self, roles: int, predicates: list[int]) -> None:
        if roles == 0 or roles == len(predicates):
            return
        if roles > len(predicates):
            message = (
                f"found {roles} columns of roles and {len(predicates)} predicates: a role column has no predicate."
            )
        else:
            message = f"found {len(predicates)} predicates and {roles} columns of roles: a predicate has no column."
        raise self._error(message, self._first, "Every predicate of a sentence has one column, in their order.")

    def _spans(self, texts: list[str]) -> tuple[Span, ...]:
        """The spans of one column of roles."""
        spans: list[Span] = []
        role, start = "", 0
        for i, text in enumerate(texts):
            match = _ROLE.fullmatch(text)
            if match is None:
                raise self._error(f"the role is {text!r}; expected something like (ARG0*, *) or *.", self._first + i)
            if match[1]:
                if role:
                    raise self._error(
                        f"{match[1]} begins inside {role}.",
                        self._first + i,
                        "Spans of one predicate stand side by side.",
                    )
                role, start = match[1], i
            if match[2]:
                if not role:
                    raise self._error(
                        "a span ends here, and none is open.", self._first + i, "Balance the brackets of the column."
                    )
                spans.append(Span(start, i + 1, role))
                role = ""
        if role:
            raise self._error(
                f"the span of {role} does not end.", self._first + start, "Balance the brackets of the column."
            )
        return tuple(spans)

    def _error(self, message: str, line: int, remedy: str = "") -> DataError:
        return DataError(message, remedy=remedy, file=self._name, line=line)
