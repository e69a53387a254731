"""Settings of decoding, separate from learners, which a loaded model does not need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riata.errors import UnsupportedError
from riata.inference.decoder import BEST, MARGINALS, SPANS, Risk
from riata.inference.structure import ALL_OUTPUTS, BEAM, CHUNK_LABELS, POSTERIORS, SIDE_BY_SIDE, STATES
from riata.settings import ANY, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

LATTICE = "lattice"  # the update that needs sums over all outputs

# Settings of searches by states that may be changed after training.
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

# Settings of every recipe that may be changed after training: which loss the output is chosen by.
DECODE = Setting(
    "decode",
    BEST,
    "which output is chosen: the most probable one (best); the one whose labels are most probable, token by token (marginals); the one "
    "whose chunks are (spans)",
    choices=(BEST, MARGINALS, SPANS),
    needs={ANY: (POSTERIORS, ALL_OUTPUTS), SPANS: (POSTERIORS, ALL_OUTPUTS, CHUNK_LABELS)},
)
SPAN_COST = Setting(
    "span_cost",
    1.0,
    "what a chunk costs: one that is more probable than half of it pays. 1 means fewest errors; the F1 that is expected, as 0.9, best F1",
    low=0,
    high=2,
    only={DECODE.name: (SPANS,)},
)
RISK = (DECODE, SPAN_COST)


def changed(settings: Mapping[str, Any] | None, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a trained model with these changes. Where they choose another way to decode, the cost of a chunk goes that was set
    for the old one.
    """
    found = {**(settings or {}), **changes}
    if SPAN_COST.name not in changes and changes.get(DECODE.name, SPANS) != SPANS:
        found.pop(SPAN_COST.name, None)
    return found


def risk_of(settings: Mapping[str, Any], *, chunks: bool, task: str) -> Risk | None:
    """The loss by which outputs are chosen; None: the best output is. chunks: whether the labels of the task are chunk labels."""
    decode = settings[DECODE.name]
    if decode == SPANS and not chunks:
        raise UnsupportedError(
            f"setting {DECODE.name!r} has the value {decode!r}, but the task {task!r} has plain labels, no chunks.",
            remedy=f"Set {DECODE.name}={MARGINALS}, or leave out {DECODE.name}.",
        )
    return None if decode == BEST else Risk(decode, float(settings[SPAN_COST.name]))
