"""One for every output that is not the truth as a whole."""

from riata.inference.structure import Loss

LOSS = Loss(
    name="zero-one",
    summary="1 for an output that is not right as a whole; found among the two best outputs",
    paper="tsochantaridis2005",
    adds_up_over="whole output",
    needs=("k best",),
)
