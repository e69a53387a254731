"""Lists with one entry per sentence, which NumPy and scikit-learn take as such."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class PerSentence(list[Any]):
    """A list with one entry per sentence, itself a list or an array.

    As an array it has one dimension, whatever the lengths of sentences are: scikit-learn's cross_val_predict joins such arrays.
    """

    __slots__ = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        found = np.empty(len(self), object)
        for i, sentence in enumerate(self):
            found[i] = sentence
        return found if dtype is None else found.astype(dtype)
