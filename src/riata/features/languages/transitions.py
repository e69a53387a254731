"""Templates of the states of a parser that builds dependency trees by moves."""

from riata.features.language import Language
from riata.features.transitions import LIKELY, TransitionTemplate, parse

# With which tags are chosen while parsing, beside the lines of a template that has none of them; TAGS stands for the column of tags.
_TAG_LINES = """
likely[b0]
likely[b0] word[b0]
likely[b0] TAGS[p0]
likely[b0] TAGS[p0] TAGS[p1]
likely[b0] TAGS[s0]
likely[b0] TAGS[s0] TAGS[s1]
likely[b0] likely[b1]
likely[b0] word[p0]
likely[b0] word[b1]
likely[b0] word[s0]
likely[b0] relation[b0.l]
"""


def with_tag_lines(templates: tuple[TransitionTemplate, ...], column: int) -> tuple[TransitionTemplate, ...]:
    """The templates, and those with which tags of this column are chosen."""
    if any(part.kind == LIKELY for template in templates for part in template.parts):
        return templates
    return templates + parse(_TAG_LINES.replace("TAGS", f"x{column}"), "joint tags")


LANGUAGE = Language(
    ending="transitions",
    template=TransitionTemplate,
    parse=parse,
    list_lines=("LIST[s0]", "LIST[s1]", "LIST[b0]", "LIST[s0] LIST[b0]"),
    column_lines=("COLUMN[s0]", "COLUMN[s1]", "COLUMN[b0]", "COLUMN[s0] COLUMN[b0]", "COLUMN[s1] COLUMN[s0]"),
    context_lines=(),
)
