"""Sets of parts that a function of the user's finds."""

from riata._core import operations_of
from riata.features.templates import NO_TEMPLATES
from riata.inference.structure import StructureKind

STRUCTURE = StructureKind(
    name="solved",
    summary="sets of parts of which a function in Python finds the best (riata.Structure)",
    paper="",
    offers=frozenset(operations_of("solved")),
    queues=frozenset({"exact"}),
    columns=0,
    recipe="perceptron",
)

LANGUAGE = NO_TEMPLATES
