"""Model files and pickles of estimators of sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from riata.errors import UnsupportedError
from riata.estimators.predicting import Predicting

if TYPE_CHECKING:
    from pathlib import Path

Self = TypeVar("Self", bound="Keeping")  # typing.Self needs Python 3.11


class Keeping(Predicting):
    """Saves the model, and pickles through the format of its file."""

    def save(self, path: str | Path) -> None:
        """Writes the model to one file (data only), atomically."""
        from riata.estimators.model_file import save_model

        save_model(self, path)

    def prune(self: Self, share: float = 0.5) -> Self:
        """Drops a share of the weights, from 0 to below 1: those nearest to zero. The file shrinks by about that share.

        Score it on development data afterwards: half of the weights of `mira` seldom change the score (docs/model-file.md). First passes
        and taggers inside are pruned alike. The calibration of training goes, since
        other weights have other confidences: call calibrate after it.

        >>> tagger = riata.Tagger("mira", epochs=2).fit([["a", "b"]], [["X", "Y"]])
        >>> tagger.prune(0.5).predict([["a", "b"]])
        [['X', 'Y']]
        """
        from riata.confidence.calibration import TRAINING
        from riata.models.pruning import pruned

        model = self._check_fitted()
        if any(each.source != TRAINING for each in self.calibration_):
            raise UnsupportedError(
                "The model is calibrated, and other weights have other confidences.",
                remedy="Prune first; then call calibrate again.",
            )
        found = pruned(model, share)
        for inner in (self.first_, *self.taggers_):
            if inner is not None:
                inner.prune(share)
        self.model_, self._exact, self._run = found, None, None
        if self.calibration_:
            self.calibration_, self.uncalibrated_ = (), "it was pruned"
        self.__dict__.pop("_partial", None)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """A trained estimator pickles through the format of the model file."""
        if not hasattr(self, "model_"):
            return self.__dict__.copy()
        from riata.estimators.constrained import stored_constraints
        from riata.estimators.model_file import to_bytes, user_functions

        functions = [*user_functions(self.model_).values(), *stored_constraints(self)[1].values()]
        return {"params": self.get_params(deep=False), "model": to_bytes(self), "functions": functions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "model" not in state:
            self.__dict__.update(state)
            return
        from riata.estimators.model_file import from_bytes

        loaded = from_bytes(state["model"], using=state["functions"])
        self.__dict__.update({**loaded.__dict__, **state["params"]})
