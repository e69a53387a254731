"""Development data that are given to fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata.choosing.options import Options
from riata.learning.development import check_given_once

if TYPE_CHECKING:
    from riata.estimators.columns import Columns


def with_dev(estimator: Columns, options: Options, X: Any, y: Any) -> Options:
    """The options with these sentences and labels as development data; if none are given, with those of the parameter `dev`."""
    if not check_given_once(X, y, options.dev):
        return replace(options, dev=estimator.development(options.dev))
    return replace(options, dev=estimator.with_output(X, y))
