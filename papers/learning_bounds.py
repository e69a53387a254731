"""Bounds on errors of Punyakanok, Roth, Yih & Zimak (2005, Sec. 6), and where local and global learning cross, measured."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from papers import synthetic
from papers.tasks import Trial
from riata.scoring.figures import Sample

DELTA = 0.05  # the bounds hold with probability 1 - DELTA
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)  # examples, of the curves
NEVER = 1e12  # more examples than there are: curves that do not cross


def local(examples: float, width: int, least: float = 0.0) -> float:
    """Corollary 6.3 as printed: the error of one output that is learnt alone. least: the error of the best hyperplane."""
    ways = width * math.log(math.e * examples / width)
    return least + math.sqrt(32 * (ways + math.log(4 / DELTA)) / examples)


def together(examples: float, width: int, outputs: int) -> float:
    """Corollary 6.4 as printed: the error of whole outputs that are learnt with inference."""
    numbers = outputs * width
    ways = numbers * math.log(math.e * examples / numbers) + outputs**2 * width
    return math.sqrt(32 * (ways + math.log(4 / DELTA)) / examples)


def crossing(difference: Callable[[float], float], low: float = 1e3, high: float = NEVER) -> float:
    """The number of examples from which on the difference is not below 0; NEVER, if there is none."""
    if difference(high) < 0:
        return NEVER
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if difference(middle) >= 0 else (middle, high)
    return high


def trial(asked: Trial) -> dict[str, Sample]:
    """What the bounds say of a share kappa, whose best local error is measured; and where the measured accuracies cross.

    The best local error is taken from local classifiers with the most examples, which are the best that are known.
    """
    ways = {
        way: synthetic.trial(replace(asked, setting={**asked.setting, "inference": way}))
        for way in ("none", "after", "during")
    }
    width, most = int(asked.setting["width"]), synthetic.SIZES[-1]
    least = 1 - ways["none"][synthetic.size_key(most)].value / 100
    crossed = crossing(lambda m: local(m, width, least) - together(m, width, synthetic.OUTPUTS))
    ahead = [
        ways["during"][synthetic.size_key(size)].value > ways["after"][synthetic.size_key(size)].value
        for size in synthetic.SIZES
    ]
    first = next((size for at, size in enumerate(synthetic.SIZES) if all(ahead[at:])), NEVER)
    return {
        "least": Sample(100 * least),
        "crossing": Sample(np.log10(crossed)),
        "measured": Sample(np.log10(first)),
        **{f"local_{size}": Sample(100 * local(size, width, least)) for size in SIZES},
        **{f"together_{size}": Sample(100 * together(size, width, synthetic.OUTPUTS)) for size in SIZES},
    }
