"""Semantic roles: the arguments of predicates, and who does what in them."""

from __future__ import annotations

from typing import Any

from riata.data.propbank import FORMAT
from riata.estimators.parameters import documented
from riata.estimators.roles import FOUND, RolesOfSlots
from riata.tasks.base import SequenceEstimator, Task


class RoleLabeler(RolesOfSlots, SequenceEstimator):
    __doc__ = documented(
        """Labels the arguments of predicates with their roles. Scored by F1 of arguments, as CoNLL-2005 counts.

        Data are a RoleCorpus, from read_propbank or load("srl"), which contains the predicates. Each predicate has a sequence of slots,
        which are spans that may be its arguments. A chain without neighbouring labels gives each slot a role.

        - boundaries: "found" looks for arguments among constituents; "given" takes the spans of the data.
        - constraints: as for other estimators, or "roles": no overlap, no repeated core argument, and R-X and C-X need X.
        """,
        """
        >>> train = riata.load("embedded-roles", "train")
        >>> labeler = riata.RoleLabeler(epochs=5).fit(train)
        >>> labeler.predict(train[:1])[0][0].arguments[0]
        Span(start=0, end=2, type='ARG0')
        """,
    )

    task_name = "srl"
    chunks = False
    default_template = "srl"
    file_format = FORMAT

    def __init__(self, recipe: str | None = None, *, boundaries: str = FOUND, **parameters: Any) -> None:
        super().__init__(recipe, **parameters)
        self.boundaries = boundaries


TASK = Task("srl", "the arguments of predicates and their roles; scored by F1 of arguments", RoleLabeler)
