"""Costs of labels, by true label and predicted label."""

from riata.inference.structure import Loss

LOSS = Loss(
    name="cost-matrix",
    summary="the sum over tokens of what the label costs where the true label is known (setting costs)",
    paper="tsochantaridis2005",
    adds_up_over="tokens",
    needs=("costs of labels",),
)
