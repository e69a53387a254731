"""Sets of parts by a dynamic program of the user's, recorded in Python."""

from riata._core import operations_of
from riata.features.templates import NO_TEMPLATES
from riata.inference.structure import StructureKind

STRUCTURE = StructureKind(
    name="recursion",
    summary="sets of parts that a recursion builds, written in Python (riata.Structure)",
    paper="",
    offers=frozenset(operations_of("recursion")),
    queues=frozenset({"exact"}),
    columns=0,
    recipe="mira",
)

LANGUAGE = NO_TEMPLATES
