"""One part of several: a candidate out of a list."""

from riata._core import operations_of
from riata.features.templates import NO_TEMPLATES
from riata.inference.structure import StructureKind

STRUCTURE = StructureKind(
    name="list",
    summary="one candidate out of a list, scored as a whole (riata.Structure)",
    paper="",
    offers=frozenset(operations_of("list")),
    queues=frozenset({"exact"}),
    columns=0,
    recipe="mira",
)

LANGUAGE = NO_TEMPLATES
