"""A labelled sentence as people see it: chunks in brackets or as coloured spans, tags with their words."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from riata.data.types import Span

WRONG = "*"  # before what is wrong, for those who see no colours
_SALT = 25918  # for which the hues of the usual chunk and entity types are far apart


@dataclass(frozen=True)
class ShownSentence:
    """tags: by token, None where there is none to show. wrong: what is to be marked."""

    words: Sequence[str]
    tags: Sequence[str | None] = ()
    spans: Sequence[Span] = ()
    wrong_tags: Collection[int] = ()
    wrong_spans: Collection[Span] = ()

    def __rich__(self) -> Any:
        from rich.text import Text

        text = Text()
        for piece, wrong in self._pieces():
            text.append(piece, style="bold red" if wrong else "")
        return text

    def __str__(self) -> str:
        return "".join(piece for piece, _ in self._pieces())

    def _pieces(self) -> Iterable[tuple[str, bool]]:
        """Texts to be written one after the other, and whether each is wrong."""
        starts = {span.start: span for span in self.spans}
        ends = {span.end: span for span in self.spans}
        for i, word in enumerate(self.words):
            yield " " if i else "", False
            span = starts.get(i)
            if span is not None:
                wrong = span in self.wrong_spans
                yield f"{WRONG if wrong else ''}[{span.type} ", wrong
            tag = self.tags[i] if self.tags else None
            wrong = i in self.wrong_tags
            yield f"{WRONG if wrong else ''}{word}{'' if tag is None else '/' + tag}", wrong
            span = ends.get(i + 1)
            if span is not None:
                yield "]", span in self.wrong_spans

    def to_html(self) -> str:
        starts = {span.start: span for span in self.spans}
        ends = {span.end: span for span in self.spans}
        parts = []
        for i, word in enumerate(self.words):
            span = starts.get(i)
            if span is not None:
                wrong = " x" if span in self.wrong_spans else ""
                parts.append(f'<span class="c{wrong}" style="--h:{hue_of(span.type)}">')
            span = ends.get(i + 1)
            shown = self._word(i, word)
            # The type stays on the line of the last word.
            parts.append(shown if span is None else f'<span class="e">{shown}<b>{escape(span.type)}</b></span></span>')
            parts.append(" ")
        return f'<div class="s">{"".join(parts).rstrip()}</div>'

    def _word(self, i: int, word: str) -> str:
        tag = self.tags[i] if self.tags else None
        wrong = ' class="x"' if i in self.wrong_tags else ""
        below = "" if tag is None else f"<small{wrong}>{escape(tag)}</small>"
        return f'<span class="w">{escape(word)}{below}</span>' if below else escape(word)


def hue_of(type_: str) -> int:
    """Of a chunk type, in degrees: the same in every view."""
    return zlib.crc32(f"{_SALT}{type_}".encode()) % 360
