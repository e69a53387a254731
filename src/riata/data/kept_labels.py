"""Labels that are known of some tokens of a corpus, and which decoding must give."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riata.errors import LabelError

if TYPE_CHECKING:
    from riata.data.types import Corpus, Ids

FREE = "None, or _ in a file"  # how a token is left without a label


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """Of every token the label that it must have, or none."""

    names: tuple[str, ...]  # [M] labels, as the data have them
    sets: NDArray[np.uint8]  # [M, labels of the model] flags: which ones are written so
    of: Ids  # [N] which of the names a token has; -1: any label will do
    rules: str  # what makes labels legal, in words
    by_line: bool  # lines of the file say where a token is; otherwise the numbers of sentence and token
    tags: Ids | None = None  # [N] numbers of tags, where tags are chosen beside the labels; -1: any tag will do

    def take(self, at: NDArray[np.int64]) -> KnownLabels:
        return replace(self, of=self.of[at], tags=None if self.tags is None else self.tags[at])

    def impossible(self, corpus: Corpus, token: int) -> LabelError:
        """What to say where no legal labelling goes on at a token."""
        number = int(self.of[token])
        what = "goes on" if number < 0 else f"has {self.names[number]!r}"
        here = place(corpus, token, by_line=self.by_line)
        return LabelError(
            f"no legal labelling {what} {here} beside what else is given; legal are {self.rules}.",
            remedy=f"Give labels that can stand together, or leave some of them free ({FREE}).",
            file=corpus.name,
            line=corpus.line_of(token),
        )


def place(corpus: Corpus, token: int, *, by_line: bool) -> str:
    """Where a token stands, so far as its line does not say it."""
    if by_line:
        return "here"
    sentence = int(np.searchsorted(corpus.starts, token, "right")) - 1
    return f"at token {token - int(corpus.starts[sentence])} of sentence {sentence} (both from 0)"
