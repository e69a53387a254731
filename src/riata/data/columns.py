"""Column files: one token per line, columns between tabs or spaces, a blank line after each sentence."""

from __future__ import annotations

import json
import os
import re
import select
import sys
import threading
import unicodedata
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from riata._core import Alphabet, ColumnParser, find_unwritable, not_plain, written
from riata.data.documents import Marking, marked_by_lines
from riata.data.formats.base import Answers, Asked, FileFormat, column_number, refuse_splitting, splitting_asked
from riata.data.memory import as_corpus, label_column
from riata.data.types import Column, Corpus
from riata.errors import DataError, RiataError, RiataWarning, shortened

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


SENTENCES = 20_000  # formatted at once


def read_columns(path: str | Path, *, clean: bool = False) -> Corpus:
    """Reads a column file, plain or gzip ("-" is standard input).

    Tabs or runs of spaces separate the columns, as the first line has them; CRLF, a byte order mark and -DOCSTART- lines are
    understood. clean: leave out invisible characters and blanks at the ends of texts, and write accents as Unicode's form NFC
    does; a warning tells of files that need it.
    Raises DataError with file and line on ragged columns, text that is not UTF-8, or a file without tokens.

    >>> riata.write_columns([[("The", "DT"), ("bus", "NN")]], "two.txt")
    >>> riata.read_columns("two.txt")[0].column(1)
    ['DT', 'NN']
    """
    return read(path, conllu=False, clean=clean)


def read(path: str | Path, *, conllu: bool, documents: int | None = None, clean: bool = False) -> Corpus:
    """clean: as in `read_columns`. documents: the column that names the document of each sentence; None: lines of the file mark them."""
    parser = ColumnParser(conllu)
    try:
        for piece in _columns_in(pieces(path), conllu):
            parser.feed(piece)
        parser.finish()
    except RiataError as error:
        raise error.located(name_of(path)) from None
    corpus = Marking(documents)(looked_at(_corpus(parser, name_of(path), conllu), clean or is_cleaning())[0])
    if corpus.tokens == 0:
        raise DataError(
            f"the file holds no tokens ({_without_tokens(parser)}).",
            remedy="Expected one token per line and a blank line after each sentence.",
            file=corpus.name,
        )
    return corpus


def stream(
    path: str | Path,
    *,
    conllu: bool = False,
    documents: int | None = None,
    size: int | None = None,
    stopped: threading.Event | None = None,
) -> Iterator[Corpus]:
    """The batches of `_batches`, cleaned if that is asked for now, in whatever thread they are read later."""
    return _batches(path, conllu, documents, size, stopped, is_cleaning())


def _batches(
    path: str | Path,
    conllu: bool,
    documents: int | None,
    size: int | None,
    stopped: threading.Event | None,
    clean: bool,
) -> Iterator[Corpus]:
    """The sentences of a file in batches, as they can be read: constant memory, and answers before the input ends.

    documents: as for `read`; their numbers go on from batch to batch.
    size: of a batch in bytes, whatever the file is read from; a sentence goes with the batch in which it ends.
    stopped: set by another thread when no more are wanted.
    """
    parser = ColumnParser(conllu)
    marking, seen, told = Marking(documents), False, False
    try:
        read = _columns_in(pieces(path, stopped), conllu)
        for piece in read if size is None else resized(read, size):
            parser.feed(piece)
            batch, told = looked_at(_corpus(parser, name_of(path), conllu), clean, told)
            batch = marking(batch)
            if batch.tokens:
                seen = True
                yield batch
        parser.finish()
    except RiataError as error:
        raise error.located(name_of(path)) from None
    batch = marking(looked_at(_corpus(parser, name_of(path), conllu), clean, told)[0])
    if batch.tokens:
        yield batch
    elif not seen:
        raise DataError(
            f"the input holds no tokens ({_without_tokens(parser)}).",
            remedy="Expected one token per line.",
            file=name_of(path),
        )


def _columns_in(read: Iterator[bytes], conllu: bool) -> Iterator[bytes]:
    """The pieces of a file; DataError if they are of another kind of file that would be read as columns."""
    return read if conllu else looked_through(read)


def looked_at(corpus: Corpus, clean: bool, told: bool = False) -> tuple[Corpus, bool]:
    """The corpus, cleaned or looked at; and whether a warning of its texts has been given."""
    return (cleaned(corpus), told) if clean else (corpus, told or warn_of_unclean(corpus))


def _without_tokens(parser: ColumnParser) -> str:
    """What a file without tokens has instead, in words."""
    lines = parser.waiting_documents
    if lines == 0:
        return "it is empty, or has only blank lines"
    return f"it has {'a -DOCSTART- line' if lines == 1 else f'{lines} -DOCSTART- lines'}, but no sentence"


def _corpus(parser: ColumnParser, name: str, conllu: bool) -> Corpus:
    parts: dict[str, Any] = parser.take()
    columns = tuple(Column(a, i) for a, i in zip(parts["alphabets"], parts["ids"], strict=True))
    return Corpus(
        columns=columns,
        starts=parts["starts"],
        name=name,
        lines=parts["lines"],
        documents=tuple(parts["documents"]),
        comments=tuple(parts["comments"]),
        others=tuple(parts["others"]),
        separator=parser.separator,
        format="conllu" if conllu else "columns",
    )


def write_columns(
    corpus: Corpus | Sequence[Any], path: str | Path, extra: Sequence[Sequence[Sequence[str]]] = ()
) -> None:
    """Writes a corpus as it was read, or a list of sentences, with further columns (lists of labels per sentence) after its own.

    -DOCSTART- lines mark documents. Comments of CoNLL-U are left out, since files of columns have none.

    >>> riata.write_columns([[("The", "DT"), ("bus", "NN")]], "two.txt", [[["B-NP", "I-NP"]]])
    >>> print(open("two.txt").read().strip())
    The DT B-NP
    bus NN I-NP
    """
    corpus = marked_by_lines(replace(as_corpus(corpus, names=False), comments=()))
    write(formatted(corpus, [label_column(labels, corpus) for labels in extra]), path)


def write(pieces: Iterable[bytes], path: str | Path) -> None:
    """Writes a file, whole or not at all, compressed where its name ends in .gz ("-" is standard output)."""
    import gzip

    from riata.data.atomic_file import whole_file

    if str(path) == STANDARD_INPUT:
        sys.stdout.flush()
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    try:
        special = os.path.exists(path) and not os.path.isfile(path)  # such as a pipe
        with open(path, "wb") if special else whole_file(path) as file:
            if str(path).endswith(".gz"):
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                    packed.writelines(pieces)
            else:
                file.writelines(pieces)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL character
        raise DataError(f"cannot be written: {getattr(error, 'strerror', None) or error}.", file=path) from None


def formatted(corpus: Corpus, extra: Sequence[Column] = (), notes: Sequence[str] = ()) -> Iterator[bytes]:
    """The bytes of the file in pieces, with further columns after the corpus's own and, where given, a line before each sentence."""
    columns = (*corpus.columns, *extra)
    # A single column has no separator to tell the reader of, so it may hold neither.
    check_writable(columns, "\t\n" if corpus.separator == "\t" and len(columns) > 1 else " \t\n")
    places = corpus.places.tolist()
    before = [(places[sentence], f"{text}\n\n") for text, sentence in corpus.documents]
    before += [(place, f"{note}\n") for place, note in zip(places, notes, strict=False)]
    before += [(place, f"{text}\n") for place, text in zip(places, corpus.comments, strict=False) if text]
    if corpus.breadth is None and not extra:  # they have the columns of the source
        before += [(place, f"{text}\n") for text, place in corpus.others]
    before.sort(key=lambda line: line[0])
    alphabets, ids = [column.alphabet for column in columns], [column.ids for column in columns]
    return (
        written(alphabets, ids, corpus.starts, low, min(low + SENTENCES, len(corpus)), corpus.separator, before)
        for low in range(0, len(corpus), SENTENCES)
    )


class ColumnFormat(FileFormat):
    name = "columns"
    summary = "columns between tabs or spaces, one token per line; the last one is the output"

    def read(self, path: str | Path, asked: Asked) -> Corpus:
        return read(path, conllu=bool(self.fields), documents=self._documents(path, asked))

    def stream(
        self, path: str | Path, asked: Asked, *, size: int | None = None, stopped: threading.Event | None = None
    ) -> Iterator[Corpus]:
        number = self._documents(path, asked)
        return stream(path, conllu=bool(self.fields), documents=number, size=size, stopped=stopped)

    def _documents(self, path: str | Path, asked: Asked) -> int | None:
        """The number of the column that names documents."""
        try:
            if splitting_asked.get() is not None:
                refuse_splitting("files of columns")
            return None if asked.documents is None else column_number(asked.documents, self.fields)
        except RiataError as error:
            raise error.located(name_of(path)) from None

    def labelled(self, batch: Corpus, answers: Answers) -> bytes:
        notes = [str(rank) for rank in answers.ranks]
        return b"".join(formatted(batch, [*answers.columns, *answers.confidences], notes))


def check_writable(columns: Sequence[Column], forbidden: str) -> None:
    """Refuses texts that a reader of the file would take for something else."""
    found = find_unwritable([column.alphabet for column in columns], [column.ids for column in columns], forbidden)
    if found is not None:
        column, token = found
        bad = columns[column].alphabet.text(int(columns[column].ids[token]))
        raise DataError(
            f"column {column} holds {bad!r:.80}, which a column file cannot: a text is not empty and has none of {forbidden!r}.",
            remedy="Write _ for an empty value or a space.",
        )


def with_texts(corpus: Corpus, column: int, texts: Column) -> Corpus:
    """The corpus with other texts in one column."""
    changed = list(corpus.columns)
    changed[column] = texts
    return replace(corpus, columns=tuple(changed))


PIECE = 1 << 20
STANDARD_INPUT = "-"
GZIP = 16 + zlib.MAX_WBITS  # of zlib: what has the head and the end of a gzip file
POLL = 50  # milliseconds between looks whether more is wanted


def name_of(path: str | Path) -> str:
    return "<standard input>" if str(path) == STANDARD_INPUT else str(path)


def pieces(path: str | Path, stopped: threading.Event | None = None) -> Iterator[bytes]:
    """The content of a file (or of standard input, for "-"), unpacked where it is gzip, in pieces as they come.

    stopped: set by another thread when no more are wanted; they end soon, also while a pipe has nothing to read.
    """
    if isinstance(path, int):  # open() would take it for the number of an open file
        raise DataError(f"found the number {path} in place of the path of a file.", remedy="Give a path.")
    try:
        yield from _raw_pieces(path, stopped)
    except FileNotFoundError:
        raise DataError("no such file.", remedy="Check the path.", file=name_of(path)) from None
    except IsADirectoryError:
        raise DataError("this is a directory; expected a file.", file=name_of(path)) from None
    except (zlib.error, EOFError) as error:
        raise DataError(
            f"the gzip file is damaged or cut short: {error}.",
            remedy="Fetch or compress the file again.",
            file=name_of(path),
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL byte
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}.", file=name_of(path)) from None


def _raw_pieces(path: str | Path, stopped: threading.Event | None) -> Iterator[bytes]:
    if str(path) == STANDARD_INPUT:
        yield from _content(sys.stdin.buffer, stopped)
        return
    with open(path, "rb", buffering=PIECE) as file:
        yield from _content(file, stopped)


def _content(file: IO[bytes], stopped: threading.Event | None) -> Iterator[bytes]:
    head = file.peek(2)[:2] if hasattr(file, "peek") else b""
    return _unpacked(_ready(file, stopped)) if head == b"\x1f\x8b" else _ready(file, stopped)


def _ready(file: IO[bytes], stopped: threading.Event | None) -> Iterator[bytes]:
    """What the file has ready, again and again, so that a stream is answered line by line and not megabyte by megabyte.

    No thread waits inside of a read where it cannot be stopped: an interpreter that ends meanwhile would abort.
    """
    read: Callable[[int], bytes] = getattr(file, "read1", file.read)
    poll = None if stopped is None else _poll_of(file)
    while piece := read(PIECE):
        # For the first time without asking: a buffer may hold something that the system does not know of.
        yield piece
        while poll is not None and stopped is not None and not poll(POLL):
            if stopped.is_set():
                return


def _unpacked(packed: Iterator[bytes]) -> Iterator[bytes]:
    """The content of gzip members, one after another, so far as it can be told from the bytes that have come."""
    unpacker = None
    for piece in packed:
        while piece:
            if unpacker is None:
                piece = piece.lstrip(b"\0")  # members may be padded
                unpacker = zlib.decompressobj(GZIP) if piece else None
                continue
            yield unpacker.decompress(piece, PIECE)
            piece = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            unpacker = None if unpacker.eof else unpacker
    if unpacker is not None:
        raise EOFError("the end is missing")


def _poll_of(file: IO[bytes]) -> Callable[[int], object] | None:
    """Whether there is something to read, or an end, within so many milliseconds; None for what cannot be asked."""
    try:
        number = file.fileno()
    except (OSError, AttributeError):  # OSError: a file in memory
        return None
    if not hasattr(select, "poll"):
        return None
    asked = select.poll()
    asked.register(number, select.POLLIN)
    return asked.poll


def resized(given: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of this size, the last one apart."""
    held = bytearray()
    for piece in given:
        held += piece
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
    if held:
        yield bytes(held)


LOOKED_AT = 1 << 16  # bytes
ROWS = 20  # lines
WORDS = {"word", "words", "token", "tokens", "form", "forms"}
NUMBERS = {"id", "sentence", "sentence #", "sentence_id", "sent_id", "sent", "doc", "document", "index", "idx", "#", ""}
LABELS = {
    "tag",
    "tags",
    "label",
    "labels",
    "pos",
    "ner",
    "chunk",
    "entity",
    "upos",
    "xpos",
    "iob",
    "bio",
    "class",
    "category",
}
LABELS |= {
    f"{label}_{more}" for label in ("pos", "ner", "chunk", "bio", "iob", "entity") for more in ("tag", "tags", "label")
}
NAMES = WORDS | NUMBERS | LABELS | {"lemma", "feats", "shape", "start", "end"}
SEPARATORS = (",", ";")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def looked_through(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same pieces; DataError before the first if they begin a file of another kind."""
    held = b""
    for piece in pieces:
        held += piece
        if held.lstrip().count(b"\n") or len(held) > LOOKED_AT:
            break
    if held:
        _check(held[:LOOKED_AT])
        yield held
    yield from pieces


def _check(head: bytes) -> None:
    lines = head.decode("utf-8-sig", errors="replace").splitlines()
    number, first = next(((i, line) for i, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if first.lstrip().startswith(('{"', '[{"', '["')) or (first.strip() in ("[", "{") and _goes_on(lines[number:])):
        _check_json(first, number)
    for separator in SEPARATORS:
        _check_csv(lines[:-1] if len(head) == LOOKED_AT else lines, separator)
    if number == 1:
        _check_header(first.split("\t") if "\t" in first else first.split())


def _goes_on(lines: list[str]) -> bool:
    """Whether an array or object, opened on a line of its own, has contents as JSON has them."""
    following = next((line.strip() for line in lines if line.strip()), "")
    return following.startswith(('{"', '"')) or following == "{"


def _check_json(first: str, number: int) -> None:
    if first.lstrip().startswith(('{"', "[")):
        try:
            is_json = isinstance(json.loads(first), (dict, list))
        except (ValueError, RecursionError):
            is_json = '":' in first or first.strip() == "["
        if not is_json:
            return
    raise DataError(
        "this is JSON; expected columns.",
        remedy="In Python, use read_jsonl; on the command line, add --format jsonl, or let the file's name end in .jsonl.",
        line=number,
    )


def _check_csv(lines: list[str], separator: str) -> None:
    """Refuses lines that all have as many separators, and no blanks but those within quotes and in the first line."""
    rows = [_QUOTED.sub("x", line.strip()) for line in lines if line.strip()][:ROWS]
    width = rows[0].count(separator) + 1 if rows else 1
    named = width > 1 and all(name.strip().casefold() in NAMES for name in rows[0].split(separator))
    if width == 1 or len(rows) < (2 if named else 3) or any(row.count(separator) != width - 1 for row in rows):
        return
    if any(len(row.split()) > 1 for row in rows[1:]) or not any(row.strip(separator) for row in rows):
        return
    raise DataError(
        f"this is CSV, {width} values between {separator!r}; expected columns between tabs or spaces.",
        remedy=f"In Python: riata.from_frame(pandas.read_csv(FILE, sep={separator!r}), columns=[...], sentence='...').",
        line=1,
    )


def _check_header(fields: list[str]) -> None:
    names = [field.strip().strip('"').casefold() for field in fields]
    if len(names) < 2 or not all(name in NAMES for name in names):
        return
    if WORDS.intersection(names) and names[-1] in LABELS:
        raise DataError(
            f"the first line names the columns ({', '.join(fields)}); expected the first token.",
            remedy="Remove the line: tail -n +2 FILE. If it is a token, put a blank line before it.",
            line=1,
        )


INVISIBLE = re.compile("[\u00ad\u180e\u200b\u200e\u200f\u2060\ufeff]")
ENDS = re.compile(r"^\s|\s$")
EITHER = re.compile(rf"{INVISIBLE.pattern}|^[^\S\n]|[^\S\n]$", re.MULTILINE)
EMPTY = "_"  # what is left of a text without any visible character

_always: ContextVar[bool] = ContextVar("clean")


@contextmanager
def cleaning(on: bool) -> Iterator[None]:
    """A context in which all files are cleaned when they are read, whether that is asked for or not."""
    token = _always.set(on or _always.get(False))
    try:
        yield
    finally:
        _always.reset(token)


def is_cleaning() -> bool:
    return _always.get(False)


def cleaned_text(text: str) -> str:
    return INVISIBLE.sub("", unicodedata.normalize("NFC", text)).strip() or EMPTY


def cleaned(corpus: Corpus) -> Corpus:
    """The corpus with clean texts in all columns."""
    return replace(corpus, columns=tuple(map(_cleaned, corpus.columns)))


def warn_of_unclean(corpus: Corpus) -> bool:
    """Warns if a text of a file is not clean; whether one is not."""
    if text := unclean(corpus):
        warnings.warn(f"{text} clean=True (--clean) cleans all texts in reading.", RiataWarning, stacklevel=3)
    return bool(text)


def unclean(corpus: Corpus) -> str:
    """The first text that is not clean, with its place, and how many texts there are; empty if all are clean."""
    found = [(c, i) for c, column in enumerate(corpus.columns) for i in _unclean(column)]
    if not found:
        return ""
    first = {(c, i): int(np.argmax(corpus.columns[c].ids == i)) for c, i in found[:1000]}
    (c, i), token = min(first.items(), key=lambda item: item[1])
    text = corpus.columns[c].alphabet.text(i)
    line = corpus.line_of(token)
    place = corpus.name if line is None else f"{corpus.name}:{line}"
    others = len(found) - 1
    return shortened(
        f"{place}: column {c} has {text!a}, with {_fault(text)}; "
        f"so it is another text than without{f'; {others:,} more texts are like it' if others else ''}."
    )


def _fault(text: str) -> str:
    if found := INVISIBLE.search(text):
        return f"the invisible character U+{ord(found[0]):04X}"
    if found := ENDS.search(text):
        return "a carriage return (CR) at its end" if found[0] == "\r" else "a blank at its beginning or end"
    return "letters and accents that Unicode writes as one (not in its form NFC)"


def _unclean(column: Column) -> list[int]:
    """The ids of texts that are not clean. The core leaves out most others; the rest is first looked at as one text."""
    ids = not_plain(column.alphabet)
    texts = column.alphabet.texts_of(ids)
    whole = "\n".join(texts)
    if unicodedata.is_normalized("NFC", whole) and EITHER.search(whole) is None:
        return []
    return [int(i) for i, text in zip(ids, texts, strict=True) if cleaned_text(text) != text]


def _cleaned(column: Column) -> Column:
    if not _unclean(column):
        return column
    alphabet = Alphabet()
    table = np.asarray(alphabet.add_many([cleaned_text(text) for text in column.alphabet.texts()]), np.int32)
    return Column(alphabet, table[column.ids])
