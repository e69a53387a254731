"""How often words occurred in training, in classes: an attribute that needs a corpus."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet
from riata.data.types import Column

FREQUENCY = "frequency"  # name of the attribute in templates


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Classes by powers of two: 0 for words seen once or never, 1 for two or three times, 2 for four to seven, and so on.

    Words seen once stand for unseen words, which do not occur in training.
    """

    words: Alphabet  # words of class 1 and more
    classes: NDArray[np.uint8]  # [words]

    @classmethod
    def of(cls, column: Column) -> Frequencies:
        counts = np.bincount(column.ids, minlength=len(column.alphabet))
        often = np.flatnonzero(counts >= 2)
        words = Alphabet()
        words.add_many(column.alphabet.texts_of(often.astype(np.int32)))
        return cls(words, np.log2(counts[often]).astype(np.uint8))

    def __call__(self, text: str) -> str:
        word = self.words.find(text)
        return str(self.classes[word]) if word >= 0 else "0"
