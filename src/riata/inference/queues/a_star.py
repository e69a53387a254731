"""The queue `a-star`."""

from riata.inference.structure import Queue

QUEUE = Queue(name="a-star", summary="best-first with a heuristic given by the problem", paper="hart1968")
