"""Two labels per token: factors within a column over time, and between the columns at a token."""

from riata._core import operations_of
from riata.inference.structure import Structure
from riata.settings import Setting

STRUCTURE = Structure(
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
