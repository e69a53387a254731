"""The queue `breadth-first`."""

from riata.inference.structure import Queue

QUEUE = Queue(
    name="breadth-first",
    summary="the oldest state first; decoding only",
    paper="daume2005laso",
    decode_only="its order does not depend on what is learnt",
)
