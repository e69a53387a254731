"""Templates of tags and of chunk labels."""

from riata.features.joint import OUTPUTS, JointTemplate, misfit, parse
from riata.features.language import Language

LANGUAGE = Language(
    ending="joint",
    template=JointTemplate,
    parse=parse,
    list_lines=tuple(f"{output} LIST[{offset}]" for output in OUTPUTS for offset in (-1, 0, 1)),
    column_lines=tuple(f"{output} COLUMN[{offset}]" for output in OUTPUTS for offset in (-1, 0, 1)),
    context_lines=tuple(
        f"{output} {name}[{offset}]"
        for output in OUTPUTS
        for name in ("guess", "sameword", "samelower", "samechunk", "longerchunk")
        for offset in (-1, 0, 1)
    ),
    keeps=lambda template, use: misfit(template, use.settings["lookahead"]) is None,
)
