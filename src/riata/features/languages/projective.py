"""Templates of dependency arcs."""

from riata.features.arcs import SCORED, ArcTemplate, parse
from riata.features.language import Language

LANGUAGE = Language(
    ending="arcs",
    template=ArcTemplate,
    parse=parse,
    list_lines=("arc head.LIST[0] child.LIST[0]", "relation head.LIST[0]", "relation child.LIST[0]"),
    column_lines=("arc head.COLUMN[0] child.COLUMN[0]", "relation head.COLUMN[0]", "relation child.COLUMN[0]"),
    context_lines=(),
    signs=frozenset(SCORED),
)
