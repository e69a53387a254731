"""How texts of JSON lines are split into words, and what becomes of spans that begin or end inside of words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from riata.data.json_lines.offsets import words_and_marks
from riata.data.running_text import Tokenizer
from riata.errors import SettingError, UnknownNameError

MISALIGNED = ("widen", "drop", "refuse")


@dataclass(frozen=True)
class Splitting:
    own: Tokenizer | None = None  # the user's function; None: words and marks
    misaligned: str = MISALIGNED[0]

    def __post_init__(self) -> None:
        if self.misaligned not in MISALIGNED:
            raise UnknownNameError.of("value of misaligned", self.misaligned, MISALIGNED)

    @property
    def tokenizer(self) -> Tokenizer:
        return self.own or words_and_marks

    def other(self, tokenizer: Tokenizer | None, misaligned: str | None) -> Splitting:
        """The same with what is given; None changes nothing."""
        found = self if tokenizer is None else replace(self, own=tokenizer)
        return found if misaligned is None else replace(found, misaligned=misaligned)


_present: ContextVar[Splitting] = ContextVar("splitting")


def present() -> Splitting:
    return _present.get(Splitting())


def refuse_splitting(what: str) -> None:
    """Refuses to read what has no texts to split, if it was said how these are."""
    if present() != Splitting():
        raise SettingError(
            f"a tokenizer, and what becomes of spans inside of words, mean nothing for {what}.",
            remedy="Add --text if every line is a sentence, or --format jsonl for JSON lines; or leave out --tokenizer and --misaligned.",
        )


@contextmanager
def splitting(tokenizer: Tokenizer | None = None, misaligned: str | None = None) -> Iterator[None]:
    """A context in which all texts of JSON lines are split in this way."""
    token = _present.set(present().other(tokenizer, misaligned))
    try:
        yield
    finally:
        _present.reset(token)
