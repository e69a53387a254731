"""What the width of the beam costs and buys when a trained model decodes."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from riata import registry
from riata.choosing.options import checked, choice_of
from riata.errors import SettingError, UnsupportedError
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
    corpus = estimator.columns.sentences(X)
    found = []
    for beam in beams:
        twin = _with_beam(estimator, beam)
        predicted = twin.predict_ids(corpus)
        metrics = twin.evaluate(corpus, y, predicted=predicted).metrics
        found.append(BeamResult(beam, metrics, twin.search_errors(corpus, y, predicted=predicted)))
    return tuple(found)


def check_beams(estimator: Any, X: Any, beams: Iterable[float]) -> None:
    """Refuses beams with which the model is not decoded, before anything is. Without a limit, a beam is exact search."""
    for beam in beams:
        checked(_with_beam(estimator, beam), training=False)
        if math.isinf(beam):
            model, longest = (
                estimator._check_fitted(),
                int(np.diff(estimator.columns.sentences(X).starts).max(initial=0)),
            )
            if not model.exact_is_cheap(longest):
                raise UnsupportedError(
                    f"inf is among the beams, but exact search of the structure {model.structure!r} is too costly here.",
                    remedy="Leave inf out of beams (--beams), or give a wide beam instead, such as 100.",
                )


def _with_beam(estimator: Any, beam: float) -> Any:
    queue = choice_of(estimator, training=False).queue
    if not registry.get("queue", queue).has_beam:
        queue = "beam"
    return copy.copy(estimator).set_params(queue=queue, beam=beam)


def beams_of(text: str) -> tuple[float, ...]:
    """Widths between commas, as the command line has them."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part == "inf" or is_count(part) for part in parts):
        raise SettingError(
            f"the beams are {text!r}; expected whole numbers of at least 1, or inf, between commas, such as 1,2,5,10."
        )
    return tuple(dict.fromkeys(math.inf if part == "inf" else int(part) for part in parts))
