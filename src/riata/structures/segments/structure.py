"""Labelled segments that tile the sentence; the score adds up over segments and the labels before them."""

from __future__ import annotations

from riata._core import operations_of
from riata.features.templates import SEGMENT_ROLES, Language
from riata.inference.structure import StructureKind
from riata.settings import Setting
from riata.structures.segments.templates import SegmentTemplate, parse

STRUCTURE = StructureKind(
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


LANGUAGE = Language(
    ending="segments",
    template=SegmentTemplate,
    parse=parse,
    list_lines=("inside LIST[0]", "first LIST[-1]", "last LIST[1]", "sequence LIST[0]"),
    column_lines=(
        "inside COLUMN[0]",
        "first COLUMN[-1]",
        "first COLUMN[0]",
        "last COLUMN[0]",
        "last COLUMN[1]",
        "sequence COLUMN[0]",
    ),
    context_lines=tuple(
        line
        for name in ("guess", "sameword", "samelower", "samechunk", "longerchunk")
        for line in (f"inside {name}[0]", f"first {name}[-1]", f"last {name}[1]", f"sequence {name}[0]")
    ),
    keeps=lambda template, use: template.exact or not use.exact,
    default="chunk",
    signs=frozenset(SEGMENT_ROLES),
)
