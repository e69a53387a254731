"""Dependency trees without crossing arcs, scored arc by arc (Eisner 1996; McDonald, Crammer & Pereira 2005)."""

from __future__ import annotations

from riata._core import operations_of
from riata.features.arcs import SCORED, ArcTemplate, parse
from riata.features.templates import Language
from riata.inference.structure import StructureKind

STRUCTURE = StructureKind(
    name="projective",
    summary="a dependency tree without crossing arcs, scored arc by arc; exact",
    paper="mcdonald2005",
    offers=frozenset(operations_of("projective")),
    queues=frozenset({"exact"}),
    columns=2,
    trees=True,
    recipe="mira",
)


LANGUAGE = Language(
    ending="arcs",
    template=ArcTemplate,
    parse=parse,
    list_lines=("arc head.LIST[0] child.LIST[0]", "relation head.LIST[0]", "relation child.LIST[0]"),
    column_lines=("arc head.COLUMN[0] child.COLUMN[0]", "relation head.COLUMN[0]", "relation child.COLUMN[0]"),
    context_lines=(),
    signs=frozenset(SCORED),
)
