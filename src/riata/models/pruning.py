"""Models without the weights that hardly count."""

from __future__ import annotations

import copy

import numpy as np

from riata import registry
from riata.errors import SettingError, UnsupportedError, printed
from riata.inference.structure import FEATURE_WEIGHTS
from riata.models.model import Model


def check_share(share: float) -> None:
    known = isinstance(share, (int, float)) and not isinstance(share, bool)
    if not known or not 0 <= share < 1:
        raise SettingError(
            f"the share of weights to prune is {printed(share):.60}; expected a number from 0 to below 1."
        )


def pruned(model: Model, share: float) -> Model:
    """The model without this share of its weights that are not zero: those nearest to zero. Of equal ones, all are kept or all dropped."""
    check_share(share)
    if FEATURE_WEIGHTS not in registry.get("structure", model.structure).offers:
        raise UnsupportedError(
            f"The structure {model.structure!r} has no weights of features to prune.",
            remedy="Its support tokens are its model.",
        )
    flat = model.weights.flat()
    sizes = np.abs(flat)
    present = np.sort(sizes[sizes > 0])
    if not len(present):
        return model
    weights = copy.copy(model.weights)
    weights.set_flat(np.where(sizes < present[int(share * len(present))], 0, flat).astype(flat.dtype))
    return model.with_weights(weights)
