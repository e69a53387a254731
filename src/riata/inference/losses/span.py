"""One minus the F1 of the chunks of one sentence."""

from riata.inference.structure import Loss

LOSS = Loss(
    name="span",
    summary="1 - F1 of the chunks of a sentence; only for outputs that are listed by their scores alone",
    paper="tsochantaridis2005",
    adds_up_over="whole output",
    needs=("losses of chunks",),
    searched=False,
)
