"""One label per token, scored by a kernel function of its features, and with its neighbour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from riata._core import operations_of
from riata.errors import TemplateError
from riata.features.templates import Template
from riata.inference.kernel_settings import SETTINGS
from riata.inference.structure import SUPPORT_TOKENS, StructureKind
from riata.structures.chain.structure import DICTIONARY
from riata.structures.chain.structure import LANGUAGE as OF_CHAINS
from riata.structures.chain.structure import STRUCTURE as CHAIN

STRUCTURE = StructureKind(
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


def is_of_tokens(template: Template) -> bool:
    """Whether it reads words alone, or is a bare `edge`."""
    return not template.labels and not (template.edge and template.reads)


def check_of_tokens(templates: Sequence[Template]) -> None:
    for template in templates:
        if not is_of_tokens(template):
            error = TemplateError(
                f"'{template}' reads a label; with a kernel, only the bare line edge does, since a kernel compares the words of tokens.",
                remedy="Use edge, or the structure chain.",
            )
            raise error if template.place is None else error.located(*template.place)


LANGUAGE = replace(OF_CHAINS, keeps=lambda template, use: is_of_tokens(template), borrowed=True)
