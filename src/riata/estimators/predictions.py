"""What estimators predict: a list that a notebook shows as labelled text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from riata.data.encodings.base import is_extended, spans_of
from riata.data.types import Corpus, PerSentence

if TYPE_CHECKING:
    from riata.showing.sentences import ShownSentence


MOST = 20  # sentences shown
LONGEST = 300  # tokens of a sentence that are shown


class Predictions(PerSentence):
    """The labels of every sentence: a list like any other, which also knows the sentences, to show them.

    Copies and slices are plain lists.
    """

    __slots__ = ("_about",)
    _about: tuple[Any, int, bool]  # the sentences, the column of the words, whether labels are chunk labels

    def _repr_html_(self) -> str:
        from html import escape

        from riata.showing.notebook import page

        sentences, column, chunks = getattr(self, "_about", ((), 0, False))
        shown = [_shown(words, labels, chunks) for words, labels in zip(_words(sentences, column), self, strict=False)]
        parts = [one.to_html() for one in shown] or [f"<pre>{escape(repr(self[:MOST]))}</pre>"]
        left = len(self) - len(shown)
        note = f"<p>… and {left:,} more sentence{'s' * (left != 1)}</p>" if left and shown else ""
        return page(*parts, note)


def _words(sentences: Any, column: int) -> list[list[str]]:
    """The first sentences as words; a token without words is shown by its number."""
    first = sentences[:MOST]
    if isinstance(first, Corpus):
        return first.sentences_of(column) if first.width else [[f"[{i}]" for i in range(n)] for n in _lengths(first)]
    return [[_word(token, i) for i, token in enumerate(sentence)] for sentence in first]


def _lengths(corpus: Corpus) -> list[int]:
    return [int(high - low) for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)]


def _word(token: Any, at: int) -> str:
    if isinstance(token, str):
        return token
    is_row = isinstance(token, Sequence) and len(token) > 0 and isinstance(token[0], str)
    named = token.get("word") if isinstance(token, Mapping) else None
    return str(token[0]) if is_row else named if isinstance(named, str) else f"[{at}]"


def _shown(words: Sequence[str], labels: Sequence[Any], chunks: bool) -> ShownSentence:
    """Labels: tags, chunk labels, or pairs of them."""
    from riata.showing.sentences import ShownSentence

    cut = [*words[:LONGEST], *(["…"] if len(words) > LONGEST else [])]
    labels = labels[:LONGEST]
    if labels and isinstance(labels[0], tuple):
        tags, tagged = [tag for tag, _ in labels], [chunk for _, chunk in labels]
    else:
        tags, tagged = ([], list(labels)) if chunks else (list(labels), [])
    spans = spans_of(tagged, extended=is_extended(tagged))
    return ShownSentence(cut, [*tags, *[None] * (len(cut) - len(tags))] if tags else [], spans)
