"""The number of tokens with a wrong label."""

from riata.inference.structure import Loss

LOSS = Loss(
    name="hamming",
    summary="the number of wrong labels",
    paper="taskar2003",
    adds_up_over="tokens",
    needs=("losses of tokens",),
)
