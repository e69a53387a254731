"""A tag and a chunk label per token, decided together; the score adds up over both and the outputs before them."""

from __future__ import annotations

from riata._core import operations_of
from riata.features.templates import Language
from riata.inference.structure import STEP_LOSSES, StructureKind
from riata.settings import Setting
from riata.structures.joint.templates import OUTPUTS, JointTemplate, misfit, parse

STRUCTURE = StructureKind(
    name="joint",
    summary="a tag and a chunk label per word, decided together; BIO legality as a constraint",
    paper="daume2005laso",
    offers=frozenset(operations_of("joint")) | frozenset({STEP_LOSSES, "chunk labels", "recoded labels"}),
    queues=frozenset({"beam", "greedy", "best-first", "depth-first", "breadth-first"}),
    refused={
        "exact": "labels of both kinds and of several words are scored together, for which there is no dynamic program.",
        "a-star": "there is no heuristic for the outputs to come.",
        "hill-climb": "outputs are built word by word; hill-climbing starts from a complete one.",
    },
    settings=(
        Setting(
            "lookahead", True, "choose the tag one word ahead of the chunk label, whose templates then read tag[1]"
        ),
        Setting(
            "dictionary", 5, "words seen so often get only tags seen with them; 0 means all tags", low=0, high=1_000_000
        ),
    ),
    columns=2,
    recipe="max-violation",
)


LANGUAGE = Language(
    ending="joint",
    template=JointTemplate,
    parse=parse,
    list_lines=tuple(f"{output} LIST[{offset}]" for output in OUTPUTS for offset in (-1, 0, 1)),
    column_lines=tuple(f"{output} COLUMN[{offset}]" for output in OUTPUTS for offset in (-1, 0, 1)),
    context_lines=tuple(
        f"{output} {name}[{offset}]"
        for output in OUTPUTS
        for name in ("guess", "sameword", "samelower", "samechunk", "longerchunk")
        for offset in (-1, 0, 1)
    ),
    keeps=lambda template, use: misfit(template, use.settings["lookahead"]) is None,
)
