"""Development data that are given to fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata.errors import SettingError
from riata.learning.options import Options

if TYPE_CHECKING:
    from riata.estimators.columns import Columns


def with_dev(estimator: Columns, options: Options, X: Any, y: Any) -> Options:
    """The options with these sentences and labels as development data, or as they are where none are given."""
    if X is None:
        if y is not None:
            raise SettingError("y_dev is given, but X_dev is not.", remedy="Give both.")
        return options
    if options.dev is not None:
        raise SettingError(
            "development data are given twice: as X_dev, and as the parameter dev.", remedy="Leave out one of them."
        )
    return replace(options, dev=estimator.with_output(X, y))
