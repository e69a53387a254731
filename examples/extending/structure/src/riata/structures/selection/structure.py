"""So many parts of an input, such as the sentences of a summary."""

from riata._core import operations_of
from riata.features.templates import NO_TEMPLATES
from riata.inference.structure import StructureKind

STRUCTURE = StructureKind(
    name="selection",
    summary="so many parts of an input (riata.Structure with a count)",
    paper="",
    offers=frozenset(operations_of("selection")),
    queues=frozenset({"exact"}),
    columns=0,
    recipe="mira",
)

LANGUAGE = NO_TEMPLATES
