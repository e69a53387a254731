"""One label per token; the score adds up over tokens and pairs of neighbouring labels."""

from riata.inference.structure import Structure

STRUCTURE = Structure(
    name="chain",
    summary="one label per token, scored with its neighbour; BIO legality as a constraint",
    paper="rabiner1989",
    offers=frozenset({"argmax", "loss-augmented argmax"}),
    queues=frozenset({"exact"}),
)
