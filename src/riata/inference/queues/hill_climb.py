"""The queue `hill-climb`."""

from riata.inference.structure import Queue

QUEUE = Queue(
    name="hill-climb", summary="from a complete state to its best neighbour while that is better", paper="daume2005laso"
)
