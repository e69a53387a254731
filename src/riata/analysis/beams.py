"""What the width of the beam costs and buys when a trained model decodes."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from riata import registry
from riata.choosing.options import choice_of
from riata.errors import SettingError
from riata.scoring.search_errors import SearchErrors
from riata.settings import is_count


@dataclass(frozen=True)
class BeamResult:
    """A model decoded with one beam: its metrics in per cent, and whose fault its wrong sentences are."""

    beam: float
    metrics: dict[str, float]
    errors: SearchErrors

    def to_dict(self) -> dict[str, Any]:
        width = "inf" if math.isinf(self.beam) else self.beam
        return {"beam": width, "metrics": self.metrics, "errors": self.errors.counts}


def by_beam(estimator: Any, X: Any, y: Any, beams: Iterable[float]) -> tuple[BeamResult, ...]:
    """Every width once, in the given order. A model that searches otherwise is decoded with the queue `beam`."""
    queue = choice_of(estimator, training=False).queue
    if not registry.get("queue", queue).has_beam:
        queue = "beam"
    corpus = estimator.sentences(X)
    found = []
    for beam in beams:
        twin = copy.copy(estimator).set_params(queue=queue, beam=beam)
        predicted = twin.predict_ids(corpus)
        metrics = twin.evaluate(corpus, y, predicted=predicted).metrics
        found.append(BeamResult(beam, metrics, twin.search_errors(corpus, y, predicted=predicted)))
    return tuple(found)


def beams_of(text: str) -> tuple[float, ...]:
    """Widths between commas, as the command line has them."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part == "inf" or is_count(part) for part in parts):
        raise SettingError(
            f"the beams are {text!r}; expected whole numbers of at least 1, or inf, between commas, such as 1,2,5,10."
        )
    return tuple(dict.fromkeys(math.inf if part == "inf" else int(part) for part in parts))
