"""One label for a whole sentence, such as its language or its topic: every token has the same one."""

from riata._core import operations_of
from riata.inference.structure import Structure

STRUCTURE = Structure(
    name="whole",
    summary="one label for a whole sentence, scored by the features of all its tokens",
    paper="",
    offers=frozenset(operations_of("whole")),
    queues=frozenset({"exact"}),
)
