"""Templates that read attributes of context, and the columns of these attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from riata.errors import TemplateError
from riata.features.attributes import Attribute, identity
from riata.features.context_names import SUMMARIES
from riata.features.templates import Template

AnyTemplate = TypeVar("AnyTemplate", bound=Template)


def functions(added: Sequence[str]) -> dict[str, Attribute]:
    """Every attribute of context is the text of a column."""
    return dict.fromkeys(added, identity)


def reads_context(template: Template) -> bool:
    return any(read.attribute in SUMMARIES for read in template.reads)


def placed(templates: Sequence[AnyTemplate], width: int, added: Sequence[str]) -> tuple[AnyTemplate, ...]:
    """The templates with the columns of the attributes of context. width: number of other columns; added: the attributes, after these."""
    return tuple(_placed(template, width, added) if reads_context(template) else template for template in templates)


def _placed(template: AnyTemplate, width: int, added: Sequence[str]) -> AnyTemplate:
    for read in template.reads:
        if read.attribute in SUMMARIES and read.attribute not in added:
            why = "labels of chunks" if added else "labels of a first pass"
            error = TemplateError(
                f"'{template}' reads {why}, which there are none of here.",
                remedy="Leave it out." if added else "Set passes=2 (--passes 2).",
            )
            raise error if template.place is None else error.located(*template.place)
    reads = (
        replace(read, column=width + added.index(read.attribute)) if read.attribute in added else read
        for read in template.reads
    )
    return replace(template, reads=tuple(sorted(reads)))
