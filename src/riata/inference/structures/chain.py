"""One label per token; the score adds up over tokens and neighbouring labels."""

from riata._core import operations_of
from riata.inference.structure import Structure
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

STRUCTURE = Structure(
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
