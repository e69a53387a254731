"""From confidences at several temperatures to margins: by how much scores fall if a part of the output must go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riata.confidence.reliability import Values

TEMPERATURES: NDArray[np.float64] = np.geomspace(1e-3, 1e3, 31)
TOLD_APART = 1e-5  # confidences may be of single precision


def margins(values: Values) -> Values:
    """values: confidences, [temperatures, ...]. Margins are 0 or more; NaN: the search knows no other output.

    At low temperatures, temperature x log(p / (1 - p)) of a confidence p comes close to the margin, and falls short of it in proportion to
    the temperature. So the line through its values at the two lowest temperatures at which p can still be told from 1 leads to it.
    """
    told = (values < 1 - TOLD_APART) & (values > TOLD_APART)
    first = np.minimum(np.argmax(told, axis=0), len(TEMPERATURES) - 2)
    near = []
    for at in (first, first + 1):
        p = np.clip(np.take_along_axis(values, at[None], axis=0)[0], TOLD_APART, 1 - TOLD_APART)
        near.append(TEMPERATURES[at] * np.log(p / (1 - p)))
    lower, higher = TEMPERATURES[first], TEMPERATURES[first + 1]
    at_zero = (higher * near[0] - lower * near[1]) / (higher - lower)
    return np.where(told.any(axis=0), np.maximum(at_zero, 0.0), np.nan)
