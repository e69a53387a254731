"""The queue `beam`."""

from riata.inference.structure import Queue

QUEUE = Queue(
    name="beam",
    summary="the best b states of a level; what competes is set by beam_by",
    paper="daume2005laso",
    has_beam=True,
)
