"""The number of wrong segments plus the number of missed true segments."""

from riata.inference.structure import Loss

LOSS = Loss(
    name="segments",
    summary="the number of wrong segments, and of true segments that are missed",
    paper="daume2005laso",
    adds_up_over="segments",
    needs=("whole segments",),
)
