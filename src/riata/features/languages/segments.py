"""Templates of labelled segments."""

from riata.features.language import Language
from riata.features.segments import SegmentTemplate, parse
from riata.features.templates import SEGMENT_ROLES

LANGUAGE = Language(
    ending="segments",
    template=SegmentTemplate,
    parse=parse,
    list_lines=("inside LIST[0]", "first LIST[-1]", "last LIST[1]", "sequence LIST[0]"),
    column_lines=(
        "inside COLUMN[0]",
        "first COLUMN[-1]",
        "first COLUMN[0]",
        "last COLUMN[0]",
        "last COLUMN[1]",
        "sequence COLUMN[0]",
    ),
    context_lines=tuple(
        line
        for name in ("guess", "sameword", "samelower", "samechunk", "longerchunk")
        for line in (f"inside {name}[0]", f"first {name}[-1]", f"last {name}[1]", f"sequence {name}[0]")
    ),
    keeps=lambda template, use: template.exact or not use.exact,
    default="chunk",
    signs=frozenset(SEGMENT_ROLES),
)
