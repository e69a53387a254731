"""A tag and a chunk label per token, decided together; the score adds up over both and the outputs before them."""

from riata._core import operations_of
from riata.inference.structure import STEP_LOSSES, Structure
from riata.settings import Setting

STRUCTURE = Structure(
    name="joint",
    summary="a tag and a chunk label per word, decided together; BIO legality as a constraint",
    paper="daume2005laso",
    offers=frozenset(operations_of("joint")) | frozenset({STEP_LOSSES, "chunk labels", "recoded labels"}),
    queues=frozenset({"beam", "greedy", "best-first", "depth-first", "breadth-first"}),
    refused={
        "exact": "labels of both kinds and of several words are scored together, for which there is no dynamic program.",
        "a-star": "there is no heuristic for the outputs to come.",
        "hill-climb": "outputs are built word by word; hill-climbing starts from a complete one.",
    },
    settings=(
        Setting(
            "lookahead", True, "choose the tag one word ahead of the chunk label, whose templates then read tag[1]"
        ),
        Setting(
            "dictionary", 5, "words seen so often get only tags seen with them; 0 means all tags", low=0, high=1_000_000
        ),
    ),
    columns=2,
    recipe="max-violation",
)
