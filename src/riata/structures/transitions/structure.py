"""Dependency trees that are built by moves of a stack and the tokens to come (Nivre 2003; Kuhlmann, Gómez-Rodríguez & Satta 2011)."""

from __future__ import annotations

from riata._core import operations_of
from riata.features.templates import Language
from riata.inference.structure import CHOSEN_TAGS, STEP_LOSSES, StructureKind
from riata.settings import Setting
from riata.structures.transitions.templates import LIKELY, TransitionTemplate, parse

SYSTEMS = ("arc-hybrid", "arc-eager", "arc-standard", "swap")  # as TransitionSystem of the core
CROSSING = frozenset({"swap"})  # systems that build trees with crossing arcs
UNTAGGED = frozenset({"arc-eager"})  # systems that push tokens by other moves than shift, which chooses tags

STRUCTURE = StructureKind(
    name="transitions",
    summary="a dependency tree, built by moves from left to right",
    paper="kuhlmann2011",
    offers=frozenset(operations_of("transitions")) | frozenset({STEP_LOSSES, CHOSEN_TAGS, "several right states"}),
    queues=frozenset({"beam", "greedy"}),
    refused={
        "exact": "features read all of the tree that was built before, for which there is no dynamic program.",
        "best-first": "scores go up and down along the moves to a tree: of ten tokens, a million states may come before the first tree.",
        "depth-first": "it takes the first tree that it meets, which is that of greedy search.",
        "breadth-first": "it meets all states of short sentences before the first tree.",
        "a-star": "there is no heuristic for the moves to come.",
        "hill-climb": "trees are built move by move; hill-climbing starts from a complete one.",
    },
    settings=(Setting("system", "arc-hybrid", "the moves by which trees are built", choices=SYSTEMS),),
    columns=2,
    trees=True,
    recipe="laso-perceptron",
)


# With which tags are chosen while parsing, beside the lines of a template that has none of them; TAGS stands for the column of tags.
_TAG_LINES = """
likely[b0]
likely[b0] word[b0]
likely[b0] TAGS[p0]
likely[b0] TAGS[p0] TAGS[p1]
likely[b0] TAGS[s0]
likely[b0] TAGS[s0] TAGS[s1]
likely[b0] likely[b1]
likely[b0] word[p0]
likely[b0] word[b1]
likely[b0] word[s0]
likely[b0] relation[b0.l]
"""


def with_tag_lines(templates: tuple[TransitionTemplate, ...], column: int) -> tuple[TransitionTemplate, ...]:
    """The templates, and those with which tags of this column are chosen."""
    if any(part.kind == LIKELY for template in templates for part in template.parts):
        return templates
    return templates + parse(_TAG_LINES.replace("TAGS", f"x{column}"), "joint tags")


LANGUAGE = Language(
    ending="transitions",
    template=TransitionTemplate,
    parse=parse,
    list_lines=("LIST[s0]", "LIST[s1]", "LIST[b0]", "LIST[s0] LIST[b0]"),
    column_lines=("COLUMN[s0]", "COLUMN[s1]", "COLUMN[b0]", "COLUMN[s0] COLUMN[b0]", "COLUMN[s1] COLUMN[s0]"),
    context_lines=(),
)
