"""Labelled segments that tile the sentence; the score adds up over segments and the labels before them."""

from riata._core import operations_of
from riata.inference.structure import Structure
from riata.settings import Setting

STRUCTURE = Structure(
    name="segments",
    summary="whole labelled chunks, appended one by one; a token outside chunks is a segment of its own",
    paper="daume2005laso",
    offers=frozenset(operations_of("segments"))
    | frozenset({"chunk labels", "exact updates", "several right states", "whole segments"}),
    queues=frozenset({"exact", "beam", "greedy", "best-first", "depth-first", "breadth-first"}),
    refused={
        "a-star": "segments have no heuristic for those to come.",
        "hill-climb": "a segmentation is built segment by segment; hill-climbing starts from a complete output.",
    },
    settings=(Setting("longest", 0, "tokens of a segment at most; 0 means as many as in training", low=0, high=1000),),
    recipe="laso-alma",
)
