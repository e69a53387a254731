"""Dependency trees without crossing arcs, scored arc by arc (Eisner 1996; McDonald, Crammer & Pereira 2005)."""

from riata._core import operations_of
from riata.inference.structure import Structure

STRUCTURE = Structure(
    name="projective",
    summary="a dependency tree without crossing arcs, scored arc by arc; exact",
    paper="mcdonald2005",
    offers=frozenset(operations_of("projective")),
    queues=frozenset({"exact"}),
    columns=2,
    trees=True,
    recipe="mira",
)
