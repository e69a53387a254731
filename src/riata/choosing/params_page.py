"""The parameters of an estimator that is not trained, as a notebook shows them."""

from __future__ import annotations

from inspect import Parameter
from typing import TYPE_CHECKING, Any

from riata.params import short
from riata.showing.notebook import page
from riata.showing.table import Cell, Table

if TYPE_CHECKING:
    from riata.params import Params


def parameters(estimator: Params) -> str:
    """The parameters; those that differ from their defaults come first."""
    defaults = estimator._defaults()
    given = estimator.changed_params()
    rows: list[tuple[Cell, ...]] = [(name, short(value), _default(defaults[name])) for name, value in given.items()]
    rows += [(name, short(value), "") for name, value in estimator.get_params(deep=False).items() if name not in given]
    title = f"{type(estimator).__name__}, not trained yet"
    return page(Table(title, ("parameter", "value", "default"), rows).to_html())


def _default(value: Any) -> str:
    return "" if value is Parameter.empty else short(value)
