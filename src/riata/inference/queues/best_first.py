"""The queue `best-first`."""

from riata.inference.structure import Queue

QUEUE = Queue(name="best-first", summary="the best state of all that are pending, however long", paper="daume2005laso")
