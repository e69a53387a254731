"""Estimators whose data are neither sentences with labels nor trees: what commands ask of them, and how they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from riata.errors import ModelFileError, NotFittedError, SettingError
from riata.estimators.model_file import from_bytes
from riata.models import container
from riata.params import Params


class OwnFiles(Params):
    """Subclasses define how they are learnt and used, and for commands:

    - `of_options(params)`, which makes one;
    - `read_training(file, reading)`: what `fit` takes; `reading(labeller)` is the file as an estimator of sentences reads it;
    - `facts()`: what `riata train --json` reports, and `weights()`, by name;
    - `answers(file)`: the pieces of a file with predictions;
    - `judged(file)`, which has `tables()`, `metrics` and `tokens`; so has `compared_files(gold, predicted, part)`, of the class, where two
      files can be compared;
    - `explained(file, number, reading)`: what `riata explain` prints;
    - `to_bytes()` and `from_parts(header, arrays, using)`: the model file; `own_functions`: the user's code that it names.
    """

    own_files: ClassVar[bool] = True
    task_name: ClassVar[str]
    own_structure: ClassVar[str]
    not_stored: ClassVar[tuple[str, ...]]  # parameters that a model file does not have as such
    seconds_: float | None = None  # CPU seconds of training; None: loaded from a file

    def to_bytes(self) -> bytes:
        raise NotImplementedError

    @property
    def own_functions(self) -> list[Any]:
        raise NotImplementedError

    @property
    def is_fitted(self) -> bool:
        raise NotImplementedError

    def save(self, path: str | Path) -> None:
        """Writes the model to one file (data only), atomically. Functions of yours are stored by name."""
        container.write(path, self.to_bytes())

    @classmethod
    def params_in(cls, header: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that a model file holds."""
        params = header.get("params")
        if not isinstance(params, dict) or set(params) != set(cls._param_names()) - set(cls.not_stored):
            raise ModelFileError(f"the params of the {cls.__name__} are missing or inconsistent")
        return params

    def stored_params(self) -> dict[str, Any]:
        return {name: value for name, value in self.get_params(deep=False).items() if name not in self.not_stored}

    @staticmethod
    def chosen(data: Any, number: int) -> Any:
        """Example number `number` of a file, from 1, in a list or a corpus of its own."""
        if not 1 <= number <= len(data):
            raise SettingError(f"--sentence is {number}; expected a number from 1 to {len(data):,}.")
        return data[number - 1 : number]

    def __getstate__(self) -> dict[str, Any]:
        """A trained estimator pickles through the format of the model file."""
        if not self.is_fitted:
            return self.__dict__.copy()
        return {"model": self.to_bytes(), "functions": self.own_functions, "params": self.get_params(deep=False)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "model" not in state:
            self.__dict__.update(state)
            return
        self.__dict__.update({**from_bytes(state["model"], using=state["functions"]).__dict__, **state["params"]})

    def _check_trained(self) -> None:
        if not self.is_fitted:
            raise NotFittedError(
                f"This {type(self).__name__} has not been trained yet.", remedy="Call fit, or riata.load_model(path)."
            )
