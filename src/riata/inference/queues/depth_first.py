"""The queue `depth-first`."""

from riata.inference.structure import Queue

QUEUE = Queue(
    name="depth-first",
    summary="the newest state first; decoding only",
    paper="daume2005laso",
    decode_only="it follows one path to its end, whatever scores higher elsewhere",
)
