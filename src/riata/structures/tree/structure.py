"""Dependency trees that may have crossing arcs, scored arc by arc (McDonald et al. 2005)."""

from __future__ import annotations

from dataclasses import replace

from riata._core import operations_of
from riata.inference.structure import StructureKind
from riata.structures.projective.structure import LANGUAGE as PROJECTIVE

STRUCTURE = StructureKind(
    name="tree",
    summary="a dependency tree, whose arcs may cross, scored arc by arc; exact",
    paper="mcdonald2005spanning",
    offers=frozenset(operations_of("tree")),
    queues=frozenset({"exact"}),
    columns=2,
    trees=True,
    recipe="mira",
)


LANGUAGE = replace(PROJECTIVE, borrowed=True)
