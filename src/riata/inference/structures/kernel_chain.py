"""One label per token, scored by a kernel function of its features, and with its neighbour."""

from riata._core import operations_of
from riata.inference.kernel_settings import SETTINGS
from riata.inference.structure import SUPPORT_TOKENS, Structure
from riata.inference.structures.chain import DICTIONARY
from riata.inference.structures.chain import STRUCTURE as CHAIN

STRUCTURE = Structure(
    name="kernel-chain",
    summary="one label per token, scored by a kernel function of its features, and with its neighbour; BIO legality as a constraint",
    paper="taskar2003",
    offers=frozenset(operations_of("kernel-chain"))
    | frozenset({"vectors", "chunk labels", "recoded labels", SUPPORT_TOKENS}),
    queues=CHAIN.queues,
    refused=CHAIN.refused,
    settings=(*SETTINGS, DICTIONARY),
    recipe="perceptron",
)
