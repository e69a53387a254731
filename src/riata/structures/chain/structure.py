"""One label per token; the score adds up over tokens and neighbouring labels."""

from __future__ import annotations

from riata._core import operations_of
from riata.features.templates import Language, Template, parse
from riata.inference.structure import StructureKind
from riata.settings import Setting

ALIKE = "alike"  # value of the setting `dictionary`

DICTIONARY = Setting(
    "dictionary",
    0,
    "words seen so often get only labels seen with them; 0 means all labels; alike limits rare words to labels of similar ones, too",
    low=0,
    high=1_000_000,
    words=(ALIKE,),
)

STRUCTURE = StructureKind(
    name="chain",
    summary="one label per token, scored with its neighbour; BIO legality as a constraint",
    paper="rabiner1989",
    offers=frozenset(operations_of("chain"))
    | frozenset(
        {
            "local sums",
            "label pairs",
            "label sums",
            "legal sums",
            "unknown labels",
            "counts",
            "hashed features",
            "vectors",
            "chunk labels",
            "recoded labels",
            "parts of the data",
        }
    ),
    queues=frozenset({"exact", "beam", "greedy", "best-first", "depth-first", "breadth-first"}),
    refused={
        "a-star": "a chain has no heuristic for the labels to come.",
        "hill-climb": "a chain is built label by label; hill-climbing starts from a complete output.",
    },
    settings=(DICTIONARY,),
    recipe="mira",
)


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
    without_words="edge",
)
