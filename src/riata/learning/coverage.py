"""How many tokens of training data have a vector, where vectors of words are read."""

from __future__ import annotations

import numpy as np

from riata.data.types import Corpus
from riata.errors import shortened
from riata.features.word_vectors import WordVectors
from riata.learning.events import Listener, Note

MOST_LACKING = 0.5  # share of tokens without a vector, above which the words are likely to be written in another way


def tell_of_coverage(data: Corpus, vectors: WordVectors | None, listener: Listener) -> None:
    """Says how many tokens have no vector, and warns if most have none."""
    if vectors is None or not data.tokens:
        return
    column = data.columns[0]
    words = column.alphabet.texts()
    counts = np.bincount(column.ids, minlength=len(words))
    lacking = np.flatnonzero(~np.array(vectors.covers(words), bool) & (counts > 0))
    share = float(counts[lacking].sum() / data.tokens)
    common = ", ".join(repr(words[i]) for i in lacking[np.argsort(-counts[lacking], kind="stable")][:3])
    text = (
        f"{len(vectors):,} words have vectors of {vectors.width} numbers; {100 * share:.1f} % of the tokens have none"
    )
    listener(Note(shortened(f"{text} ({common})." if common else f"{text}."), warning=share > MOST_LACKING))
