"""Templates of the states of a parser that builds dependency trees by moves."""

from riata.features.language import Language
from riata.features.transitions import TransitionTemplate, parse

LANGUAGE = Language(
    ending="transitions",
    template=TransitionTemplate,
    parse=parse,
    list_lines=("LIST[s0]", "LIST[s1]", "LIST[b0]", "LIST[s0] LIST[b0]"),
    context_lines=(),
)
