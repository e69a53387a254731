"""Running text: one sentence per line, split into words at spaces or by a function of the user's."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from riata.data.columns import name_of, pieces
from riata.data.memory import is_list
from riata.data.types import Column, Corpus, is_unicode
from riata.errors import DataError, SettingError, printed

Tokenizer = Callable[[str], Sequence[str]]  # a sentence to its words
FORMAT = "text"
BYTE_ORDER = (b"\xff\xfe", b"\xfe\xff")  # marks of UTF-16
LONGEST = 16 << 20  # bytes of a line
_BETWEEN = re.compile(r"[ \t\n]")


def tokenizer_of(text: bool | Tokenizer) -> Tokenizer:
    """What `text=` says: True splits at spaces."""
    if text is True:
        return str.split
    if not callable(text):
        raise SettingError(f"text is {text!r:.60}; expected True, or a function from a sentence to its words.")
    return text


def text_corpus(sentences: Any, tokenizer: Tokenizer, name: str = "<memory>", line: int | None = None) -> Corpus:
    """Sentences, each a string, as a corpus of one column. line: of the first one, where they come from a file, which drops blank ones."""
    if not is_list(sentences):
        raise DataError(
            f"expected a list of sentences, each a string, found {type(sentences).__name__}.",
            remedy="Give a list, also of one sentence: predict([sentence], text=True).",
        )
    tokens: list[str] = []
    starts, at = [0], []
    for s, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise DataError(
                f"sentence {s} is a {type(sentence).__name__}; with text=True, every sentence is a string.",
                remedy="Leave out text for sentences that are lists of words.",
            )
        found = words(sentence, tokenizer, name, None if line is None else line + s, spaces=line is None)
        if line is not None and not found:
            continue
        tokens.extend(found)
        starts.append(len(tokens))
        at += [0 if line is None else line + s] * len(found)
    return Corpus(
        columns=(Column.of(tokens),),
        starts=np.array(starts, np.int64),
        name=name,
        lines=None if line is None else np.array(at, np.int64),
        format=FORMAT,
    )


def stream_text(path: str | Path, tokenizer: Tokenizer, stopped: threading.Event | None = None) -> Iterator[Corpus]:
    """The sentences of a file (or of standard input, for "-") in batches, as they can be read; blank lines are none."""
    seen = False
    for number, texts in lines(path, stopped):
        batch = text_corpus(texts, tokenizer, name_of(path), number)
        if batch.tokens:
            seen = True
            yield batch
    if not seen:
        raise DataError("the input holds no words.", remedy="Expected one sentence per line.", file=name_of(path))


def words(sentence: str, tokenizer: Tokenizer, name: str, line: int | None, *, spaces: bool) -> Sequence[str]:
    """What the tokenizer gives; whatever a user's function does wrong is told with the function, and the line where there is one.

    spaces: whether words may have blanks in them.
    """

    def wrong(what: str, remedy: str = "") -> DataError:
        by = getattr(tokenizer, "__qualname__", type(tokenizer).__name__)
        return DataError(f"the tokenizer {by} {what}", remedy=remedy, file=name, line=line)

    try:
        found = tokenizer(sentence)
    except (Exception, SystemExit) as error:
        raise wrong(f"failed on {sentence!r:.60}: {printed(error):.200}.") from error
    if not is_list(found) or not all(isinstance(word, str) and word for word in found):
        raise wrong(
            f"gave {printed(found):.80} for {sentence!r:.60}; expected a list of strings that are not empty.",
        )
    if not is_unicode("".join(found)):
        raise wrong(
            f"gave {printed(found):.80}; it holds a lone surrogate, which no UTF-8 file can hold.",
            'Decode the text with its own encoding, and not with errors="surrogateescape".',
        )
    bad = next((word for word in found if _BETWEEN.search(word)), None) if not spaces else None
    if bad is not None:
        raise wrong(
            f"gave the word {bad!r:.60}, which a column file cannot hold: spaces, tabs and line ends separate words there.",
            "Split at them, or write another character for them.",
        )
    return found


def lines(path: str | Path, stopped: threading.Event | None) -> Iterator[tuple[int, list[str]]]:
    """Complete lines as they come, and the number of the first of them, from 1."""
    number, held = 1, b""
    for piece in pieces(path, stopped):
        *whole, held = (held + piece).split(b"\n")
        if len(held) > LONGEST:
            raise DataError(
                f"a line has more than {LONGEST >> 20} MB; expected a sentence.", file=name_of(path), line=number
            )
        if whole:
            yield number, [_decoded(text, name_of(path), number + i) for i, text in enumerate(whole)]
            number += len(whole)
    if held:
        yield number, [_decoded(held, name_of(path), number)]


def _decoded(text: bytes, name: str, line: int) -> str:
    try:
        return text.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        name_of_it, code = (
            ("UTF-16", "UTF-16") if text.startswith(BYTE_ORDER) or b"\0" in text else ("Latin-1", "ISO-8859-1")
        )
        raise DataError(
            f"byte {error.start + 1} of the line is 0x{text[error.start]:02X}, which is not valid UTF-8.",
            remedy=f"If the file is {name_of_it}: iconv -f {code} -t UTF-8 FILE.",
            file=name,
            line=line,
        ) from None
