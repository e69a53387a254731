"""Inputs and true outputs of problems, as they are given: one entry per example."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from riata.errors import DataError, printed


def paired(
    X: Iterable[Any], Y: Iterable[Any] | None, names: tuple[str, str] = ("X", "Y")
) -> tuple[list[Any], list[Any]]:
    """Inputs with their true outputs: as many, and at least one. names: what messages call them."""
    x, y = names
    if Y is None:
        raise DataError(
            f"{y} is None; expected the true output of every input in {x}.",
            remedy=f"Where regret(x, s, y) does not look at y, give [None] * len({x}).",
        )
    inputs, outputs = as_inputs(X, x), as_examples(y, Y)
    if len(inputs) != len(outputs) or not inputs:
        raise DataError(
            f"{x} has {len(inputs)} examples and {y} has {len(outputs)}; expected one output per input, and at least one."
        )
    return inputs, outputs


def as_inputs(X: Iterable[Any], name: str = "X") -> list[Any]:
    """A single text is refused: its letters would be the inputs."""
    if isinstance(X, (str, bytes)):
        raise DataError(
            f"{name} is the text {X!r:.60}; expected a list of inputs.", remedy="Put a single input into a list: [x]."
        )
    return as_examples(name, X)


def as_examples(name: str, given: Iterable[Any]) -> list[Any]:
    """What iterates over something else than examples is refused: dictionaries, and pandas' tables."""
    if isinstance(given, Mapping):
        raise DataError(f"{name} is a dictionary; expected a list with one entry per example.")
    if hasattr(given, "itertuples"):
        raise DataError(
            f"{name} is a {type(given).__name__}, a table that iterates over the names of its columns; expected a "
            "list with one entry per example.",
            remedy=f"list({name}.itertuples(index=False)) makes an example of every row.",
        )
    try:
        entries = iter(given)
    except TypeError:
        raise DataError(f"{name} is {printed(given):.60}; expected a list with one entry per example.") from None
    return list(entries)
