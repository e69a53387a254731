"""Model files and pickles of estimators of sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riata.estimators.predicting import Predicting

if TYPE_CHECKING:
    from pathlib import Path


class Keeping(Predicting):
    """Saves the model, and pickles through the format of its file."""

    def save(self, path: str | Path) -> None:
        """Writes the model to one file (data only), atomically."""
        from riata.estimators.model_file import save_model

        save_model(self, path)

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
