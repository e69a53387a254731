"""The template language of a structure: how its lines are read, and which of them a default keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from riata import registry
from riata.errors import TemplateError
from riata.features.templates import SUMMARIES, Read, Template, is_named_set, read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path


LIST = "LIST"  # in lines, stands for the attribute of a list
COLUMN = "COLUMN"  # in lines, stands for a column of the input


@dataclass(frozen=True)
class Use:
    """What is known about a training when its default template is chosen."""

    exact: bool  # whether outputs are found by exact search
    earlier: bool  # whether features of earlier labels can be learnt
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Language:
    """In `languages`, one file per structure, with its name, defines LANGUAGE."""

    ending: str  # ending of its files
    template: type[Template]
    parse: Callable[..., tuple[Any, ...]]  # takes a text, and the name of its source
    list_lines: tuple[str, ...]  # lines of a default template for a list, with LIST for its attribute
    column_lines: tuple[
        str, ...
    ]  # lines of a default template for a column of the input that it does not know, with COLUMN for it
    context_lines: tuple[str, ...]  # lines with which the second of two passes reads the first
    keeps: Callable[[Any, Use], bool] = lambda template, use: True  # whether a default keeps a template
    default: str | None = None  # the built-in set of every task; None: each task has its own
    without_words: str | None = None  # the template for sentences that are features already; None: there is none
    signs: frozenset[str] = frozenset()  # parts of lines that only this language has
    borrowed: bool = False  # whether it belongs to another structure, which is meant if no structure is named

    def load(self, source: str | Path) -> tuple[Any, ...]:
        """Templates by the name of a built-in set, or from a file. Lines of a built-in set that read lists are left out."""
        text = read_source(source, self.ending)
        if self.has_set(source):
            text = "\n".join(line for line in text.splitlines() if LIST not in line)
        return self.parse(text, str(source))

    def has_set(self, source: str | Path) -> bool:
        """Whether this is the name of a built-in set."""
        return is_named_set(source, self.ending)

    def of_list(self, attribute: str, source: str | Path | None = None) -> tuple[Any, ...]:
        """The templates with which a default, or the built-in set `source`, reads a list."""
        own = read_source(source, self.ending).splitlines() if source is not None and self.has_set(source) else []
        lines = [line for line in own if LIST in line and not line.startswith("#")] or self.list_lines
        return self.parse("\n".join(lines).replace(LIST, attribute), "lists")

    def of_columns(self, columns: Iterable[int]) -> tuple[Any, ...]:
        """The templates with which a default reads columns that it does not know."""
        lines = [line.replace(COLUMN, f"x{column}") for column in columns for line in self.column_lines]
        return self.parse("\n".join(lines), "columns") if lines else ()

    def of_context(self, known: Sequence[str]) -> tuple[Any, ...]:
        """The templates with which a second pass reads the first, beside those of both. known: the attributes of context that exist."""
        found = self.parse("\n".join(self.context_lines), "context") if self.context_lines else ()
        return tuple(
            template
            for template in found
            if all(read.attribute in known for read in template.reads if read.attribute in SUMMARIES)
        )


def _no_templates(*_: object) -> tuple[Any, ...]:
    raise TemplateError("Features of parts are named by the structure; there are no templates for them.")


NO_TEMPLATES = Language("none", Template, _no_templates, (), (), (), keeps=lambda template, use: False, borrowed=True)


def language_of(structure: str) -> Language:
    found: Language = registry.of_structure("language", structure)
    return found


CLASSIFIERS, PREVIOUS = "classifiers", "previous"  # the setting, and its value for this
FIRST = Read(-1, 0, "outside")  # has a value at the first token of a sentence only


def by_label_before(templates: Sequence[Template]) -> tuple[Template, ...]:
    """`word[0]` becomes `edge word[0]` and, for first tokens, which have no label before, `outside[-1] word[0]`."""
    found: dict[Template, None] = {}
    for template in templates:
        if template.edge or template.labels or FIRST in template.reads:
            found.setdefault(template)
            continue
        if template.is_number:
            error = TemplateError(
                f"'{template}': numbers have one weight per label, and none for each label before.",
                remedy="Leave out the line, or classifiers=previous.",
            )
            raise error if template.place is None else error.located(*template.place)
        found.setdefault(replace(template, edge=True))
        found.setdefault(replace(template, reads=tuple(sorted({FIRST, *template.reads}))))
    return tuple(found)


def is_by_label_before(templates: Sequence[Template]) -> bool:
    """Whether `by_label_before` has made these templates."""
    return any(FIRST in template.reads for template in templates)
