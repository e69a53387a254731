"""The queue `hill-climb`."""

from riata.inference.structure import Queue

QUEUE = Queue(
    name="hill-climb",
    summary="from a complete state to its best neighbour while that is better; decoding only",
    paper="daume2005laso",
    single=True,
    decode_only="at zero weights no neighbour is better, so nothing would be learnt",
)
