"""One classifier per label before: every feature of a token gets weights of its own for each of them.

This is the projection based Markov model (PMM) that Altun, Johnson & Hofmann 2003, Sec. 2, name beside the maximum entropy Markov model.
**Differs:** the paper in which it was proposed was not at hand; here the classifiers are log-linear, with the prior of `memm`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from riata.errors import TemplateError
from riata.features.templates import Read, Template

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
