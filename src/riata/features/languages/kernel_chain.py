"""Templates of single tokens, as chains have them, as far as they read neither earlier labels nor pairs of labels with words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from riata.errors import TemplateError
from riata.features.languages.chain import LANGUAGE as CHAIN
from riata.features.templates import Template


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


LANGUAGE = replace(CHAIN, keeps=lambda template, use: is_of_tokens(template), borrowed=True)
