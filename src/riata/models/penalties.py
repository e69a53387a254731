"""What outputs pay for the constraints that they break."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riata.data.types import Corpus, Ids
from riata.models.constrained import illegal

if TYPE_CHECKING:
    from riata.inference.kept import Kept
    from riata.models.model import Model


def penalties(model: Model, corpus: Corpus, labels: Ids, kept: Kept | None) -> NDArray[np.float64]:
    """[S] of given label ids; infinite where they break what must be kept."""
    out = np.zeros(len(corpus))
    if kept is None:
        return out
    rules, codes, starts = kept.on(corpus), model.outputs.codes(labels, corpus.starts), corpus.starts
    for s in illegal(model, rules, corpus, codes).tolist():
        out[s] = rules.of(s).penalty(model.outputs.slot_labels(codes[starts[s] : starts[s + 1]]))
    return out
