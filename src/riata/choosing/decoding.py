"""Settings of decoding for recipes that search, separate from their learners, which a loaded model does not need."""

from __future__ import annotations

from riata.inference.structure import BEAM, SIDE_BY_SIDE, STATES
from riata.settings import ANY, Setting

LATTICE = "lattice"  # the update that needs sums over all outputs

# Settings that may be changed after training.
DECODING = (
    Setting(
        "beam_by",
        "operations",
        "which states compete in a beam",
        choices=("operations", "prefix", "pending"),
        needs={ANY: (BEAM,)},
    ),
    Setting(
        "merge",
        True,
        "keep only the best of the states that go on alike; false: every path is a state of its own, as in Figures 1 and 2 of LaSO",
        needs={ANY: (SIDE_BY_SIDE,)},
    ),
    Setting("max_nodes", 1_000_000, "of one search; past it the search is an error", low=1, needs={ANY: (STATES,)}),
    Setting(
        "seconds",
        0.0,
        "to decode one input, then the best output so far counts; 0 means no limit",
        low=0,
        needs={ANY: (STATES,)},
    ),
)
