"""Templates of single tokens."""

from riata.features.language import Language
from riata.features.templates import Template, parse

LANGUAGE = Language(
    ending="template",
    template=Template,
    parse=parse,
    list_lines=("LIST[-1]", "LIST[0]", "LIST[1]"),
    keeps=lambda template, use: use.earlier or not template.labels,
    without_words="edge",
)
