"""Templates of tags and of chunk labels in pairs: some of those that `joint` reads."""

from riata.features.factorial import parse
from riata.features.joint import OUTPUTS, JointTemplate
from riata.features.language import Language

LANGUAGE = Language(
    ending="factorial",
    template=JointTemplate,
    parse=parse,
    list_lines=tuple(f"{output} LIST[{offset}]" for output in OUTPUTS for offset in (-1, 0, 1)),
    context_lines=tuple(
        f"{output} {name}[{offset}]"
        for output in OUTPUTS
        for name in ("guess", "sameword", "samelower", "samechunk", "longerchunk")
        for offset in (-1, 0, 1)
    ),
    borrowed=True,
)
