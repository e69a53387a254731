"""Links between two sets, each element of which has at most so many."""

from riata._core import operations_of
from riata.features.templates import NO_TEMPLATES
from riata.inference.structure import StructureKind

STRUCTURE = StructureKind(
    name="matching",
    summary="links between two sets, each element of which has at most so many (riata.Structure)",
    paper="",
    offers=frozenset(operations_of("matching")),
    queues=frozenset({"exact"}),
    columns=0,
    recipe="mira",
)

LANGUAGE = NO_TEMPLATES
