"""Semantic roles: the arguments of predicates, and who does what in them."""

from __future__ import annotations

from typing import Any

from riata.data.propbank import FORMAT
from riata.estimators.labels import Has
from riata.estimators.roles import FOUND, GIVEN, ROLES, RoleColumns, RoleEvaluating, RoleFitting, RolePredicting
from riata.estimators.sequence import SequenceEstimator
from riata.features.roles.slots import RoleSlots
from riata.params import documented
from riata.tasks.base import Task


class RoleLabeler(SequenceEstimator):
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

    columns = Has(RoleColumns)
    fitting = Has(RoleFitting)
    predicting = Has(RolePredicting)
    evaluating = Has(RoleEvaluating)

    task_name = "srl"
    chunks = False
    default_template = "srl"
    file_format = FORMAT

    def __init__(self, recipe: str | None = None, *, boundaries: str = FOUND, **parameters: Any) -> None:
        super().__init__(recipe, **parameters)
        self.boundaries = boundaries

    def slots(self, X: Any) -> RoleSlots:
        """The slots of all predicates, with the columns that templates read and, last, their roles."""
        return self.columns.slots(X)

    def predict(self, X: Any, **options: Any) -> Any:
        """The propositions of every sentence, with the roles of their arguments; of plain slots, their labels.

        boundaries="given" labels the spans that X has; "found" looks for arguments, and those of one predicate never overlap.
        decode: as for other estimators.
        """
        return self.predicting.predict(X, **options)

    def declared_constraints(self) -> Any:
        """With the word ROLES, alone or in a list: those of role_constraints.py for the roles of the model, or of its training data."""
        own = [self.constraints] if isinstance(self.constraints, str) else self.constraints
        if not isinstance(own, (list, tuple)) or not any(isinstance(one, str) and one == ROLES for one in own):
            return super().declared_constraints()
        known: list[str] | None = self.__dict__.get("_roles") or getattr(self, "classes_", None)
        if known is None:
            return None
        from riata.estimators.roles import role_constraints

        of_task = role_constraints(known, overlap=self.boundaries != GIVEN)
        return [*of_task, *(one for one in own if not (isinstance(one, str) and one == ROLES))]


TASK = Task("srl", "the arguments of predicates and their roles; scored by F1 of arguments", RoleLabeler)
