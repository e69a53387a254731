"""Constraints of estimators of sequences: what decoding keeps, how it was kept, and the constraints of model files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from riata.errors import ModelFileError, SettingError, printed
from riata.parallel import cores

if TYPE_CHECKING:
    from riata.estimators.sequence import SequenceEstimator
    from riata.inference.kept import Kept

SOFT = "soft"  # of predict(constraints=): constraints that must be kept otherwise have the penalty SOFT_PENALTY
SOFT_PENALTY = 1.0
ROLE = "constraint "  # before the number of a constraint: the role of its function in a model file


class ConstraintReport(NamedTuple):
    """How many sentences there were, how their outputs were found, and how many break each constraint without them.

    gap: of outputs that were found by a search that was cut off, how much better the best ones may be, at most.
    """

    sentences: int
    found: dict[str, int]
    broken: dict[str, int]
    gap: float = 0.0

    def __str__(self) -> str:
        ways = ", ".join(f"{count:,} {way}" for way, count in self.found.items())
        limited = f" Where it was cut off, the best output may score up to {self.gap:.3g} more." if self.gap else ""
        return f"Constraints: {self.sentences:,} sentences, {ways}.{limited}"


def switched(estimator: Any, constraints: Any) -> Any:
    """The same model, whose constraints are kept (True), ignored (False), or have a penalty where they have none: SOFT, or a number."""
    from riata.choosing.constraints import AFTER, NONE

    if constraints is False:
        return estimator.twin(constraints=None)
    made = estimator.twin()
    if constraints is True:
        return made.twin(inference=AFTER) if made.inference == NONE else made
    is_number = isinstance(constraints, (int, float)) and 0 < constraints < 1e12
    if constraints != SOFT and not is_number:
        raise SettingError(
            f"constraints is {printed(constraints)}; expected True, False, {SOFT!r}, or a penalty above 0."
        )
    made._softens = SOFT_PENALTY if constraints == SOFT else float(constraints)
    return made


def constraint_report(estimator: SequenceEstimator, X: Any) -> ConstraintReport:
    """How the outputs of these sentences are made to keep the constraints, and which of them are broken otherwise."""
    from riata.choosing.constraints import AFTER, NONE
    from riata.choosing.options import checked

    options = checked(estimator, training=False)
    shared = estimator.predicting.kept(options)
    if shared is None:
        if estimator.constraints is not None and estimator.inference == NONE:
            raise SettingError(
                f"inference is {NONE!r}: predictions do not look at the constraints.",
                remedy=f"set_params(inference={AFTER!r}) switches them on.",
            )
        raise SettingError("the model has no constraints.", remedy="Give some: set_params(constraints=[…]).")
    kept = shared.counted_anew()  # other threads may count with the shared one
    inputs = estimator.columns.input_columns(estimator.columns.sentences(X))
    estimator._check_fitted().predict(inputs, replace(options.decoder, kept=kept), options.threads or cores())
    return report_of(kept)


def report_of(kept: Kept) -> ConstraintReport:
    """What has been counted so far."""
    found, broken = kept.tally.found, kept.tally.broken
    texts: dict[str, int] = {}
    for origin, constraint in enumerate(kept.declared.constraints):
        text = repr(constraint)
        texts[text if text not in texts else f"{text}, again ({origin})"] = broken[origin]
    return ConstraintReport(sum(found.values()), dict(found), texts, kept.tally.gap)


def stored_constraints(estimator: Any) -> tuple[list[str], dict[str, Callable[..., Any]]]:
    """The constraints of an estimator as text, and the functions that they use, by role."""
    from riata.inference.declared import Declared

    declared = Declared(estimator.declared_constraints() or ())
    functions = {}
    for number, constraint in enumerate(declared.constraints):
        if (function := getattr(constraint, "function", None)) is not None:
            functions[f"{ROLE}{number}"] = function
    return declared.texts(), functions


def constraints_in(header: Mapping[str, Any], functions: Mapping[str, Any]) -> list[Any] | None:
    """The constraints of a model file. functions: those of the user, by role."""
    texts = header.get("constraints")
    if texts is None:
        return None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ModelFileError("the model's constraints are inconsistent")
    from riata.inference.declared import Declared

    return list(Declared(texts).supplied(functions.values()).constraints)
