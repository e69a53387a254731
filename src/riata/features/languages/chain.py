"""Templates of single tokens."""

from riata.features.language import Language
from riata.features.templates import Template, parse

LANGUAGE = Language(
    ending="template",
    template=Template,
    parse=parse,
    list_lines=("LIST[-1]", "LIST[0]", "LIST[1]"),
    column_lines=(*(f"COLUMN[{offset}]" for offset in range(-2, 3)), "COLUMN[-1] COLUMN[0]", "COLUMN[0] COLUMN[1]"),
    context_lines=(
        *(f"guess[{offset}]" for offset in range(-2, 3)),
        "guess[-1] guess[0]",
        "guess[0] guess[1]",
        "guess[-1] guess[0] guess[1]",
        *(f"{name}[{offset}]" for name in ("sameword", "samelower", "samechunk") for offset in (-1, 0, 1)),
        "sameword[0] guess[0]",
        "sameword[-1] sameword[0]",
        "sameword[0] sameword[1]",
        "sameword[0] word[0]",
        "samechunk[0] guess[0]",
        "samechunk[0] sameword[0]",
        "samechunk[0] sameword[0] guess[0]",
        "samechunk[-1] samechunk[0]",
        "samechunk[0] samechunk[1]",
        *(f"{name}[0] word[{offset}]" for name in ("sameword", "samechunk") for offset in (-1, 1)),
        "longerchunk[0]",
        "longerchunk[0] guess[0]",
    ),
    keeps=lambda template, use: use.earlier or not template.labels,
    without_words="edge",
)
