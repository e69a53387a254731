"""The queue `depth-first`."""

from riata.inference.structure import Queue

QUEUE = Queue(name="depth-first", summary="the newest state first; decoding only", paper="daume2005laso")
