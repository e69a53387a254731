"""One label for a whole sentence, such as its language or its topic: every token has the same one."""

from dataclasses import replace

from riata._core import operations_of
from riata.inference.structure import StructureKind
from riata.structures.chain.structure import LANGUAGE as OF_CHAINS

STRUCTURE = StructureKind(
    name="whole",
    summary="one label for a whole sentence, scored by the features of all its tokens",
    paper="",
    offers=frozenset(operations_of("whole")),
    queues=frozenset({"exact"}),
)

# Templates of single tokens, without those that read labels of neighbours.
LANGUAGE = replace(
    OF_CHAINS,
    keeps=lambda template, use: not template.edge and not template.labels,
    without_words=None,
    borrowed=True,
)
