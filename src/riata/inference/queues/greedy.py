"""The queue `greedy`."""

from riata.inference.structure import Queue

QUEUE = Queue(
    name="greedy",
    summary="the best step, and never back: a beam of one",
    paper="daume2005laso",
    single=True,
    by_levels=True,
)
