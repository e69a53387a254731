"""Templates of tags and of chunk labels in pairs: some of those that `joint` reads."""

from riata.features.factorial import parse
from riata.features.language import Language
from riata.features.languages.joint import LANGUAGE as JOINT

LANGUAGE = Language(
    ending="factorial",
    template=JOINT.template,
    parse=parse,
    list_lines=JOINT.list_lines,
    column_lines=JOINT.column_lines,
    context_lines=JOINT.context_lines,
    borrowed=True,
)
