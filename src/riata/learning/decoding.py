"""What recipes that search say about decoding. Apart from their learners, which a loaded model does not need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riata.errors import SettingError
from riata.inference.structure import Queue
from riata.settings import Setting

LATTICE = "lattice"  # the update that needs sums over all outputs

# These may be changed after training.
DECODING = (
    Setting("beam_by", "operations", "which states compete in a beam", choices=("operations", "prefix", "pending")),
    Setting("max_nodes", 1_000_000, "of one search; past it the search is an error", low=1),
    Setting("seconds", 0.0, "to decode one input, then the best output so far counts; 0 means no limit", low=0),
)


def check_update(settings: Mapping[str, Any], queue: Queue) -> None:
    """Refuses sums over all outputs where a search meets only some."""
    if settings.get("update") == LATTICE and queue.searches:
        raise SettingError(
            f"update is {LATTICE!r}, away from all outputs, but the queue {queue.name!r} meets only some of them.",
            remedy="Set structure='segments' and queue='exact', or another update.",
        )
