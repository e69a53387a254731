"""No queue at all: the structure's own dynamic program finds the best output."""

from riata.inference.structure import Queue

QUEUE = Queue(
    name="exact",
    summary="the structure's dynamic program (Viterbi on chains): always the best output",
    paper="viterbi1967",
    searches=False,
)
