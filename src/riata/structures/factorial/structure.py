"""Two labels per token: factors within a column over time, and between the columns at a token."""

from __future__ import annotations

from riata._core import operations_of
from riata.features.templates import Language
from riata.inference.structure import StructureKind
from riata.settings import Setting
from riata.structures.factorial.templates import parse
from riata.structures.joint.structure import LANGUAGE as JOINT

STRUCTURE = StructureKind(
    name="factorial",
    summary="a tag and a chunk label per word, scored in pairs: neighbours of a column, and both labels of a word; exact",
    paper="sutton2004",
    offers=frozenset(operations_of("factorial")) | frozenset({"chunk labels", "recoded labels", "legal sums"}),
    queues=frozenset({"exact"}),
    settings=(
        Setting(
            "sums",
            "exact",
            "sums over all outputs while learning: exact, or approximate by loopy belief propagation or tree reparameterisation",
            choices=("exact", "loopy", "trp"),
        ),
    ),
    columns=2,
    recipe="crf",
)


LANGUAGE = Language(
    ending="factorial",
    template=JOINT.template,
    parse=parse,
    list_lines=JOINT.list_lines,
    column_lines=JOINT.column_lines,
    context_lines=JOINT.context_lines,
    borrowed=True,
)
