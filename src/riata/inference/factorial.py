"""Sums over several columns of labels whose scores you have: exact, or approximate by messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from riata import _core
from riata.errors import DataError
from riata.inference.arrays import Scores, check_scores, scores
from riata.settings import Setting

SUMS = Setting("sums", "exact", "how sums are computed", choices=("exact", "loopy", "trp"))


class Marginals(NamedTuple):
    log_z: float  # Bethe's approximation where sums are not exact
    labels: list[Scores]  # for each column [T, L]: the probability of every label at every token
    converged: bool  # exact sums always have


def factorial_marginals(
    node: Sequence[Any], within: Sequence[Any], between: Mapping[tuple[int, int], Any], sums: str = "exact"
) -> Marginals:
    """log Z and the probabilities of labels, of several columns of labels that are scored in pairs.

    node: for each column [T, L], scores of labels. within: for each column [L, L], scores of a label (row) followed by a label, or
    [T, L, L], where row t scores the step from token t - 1 to t. between: for pairs of columns (a, b) with a < b, scores of their labels
    at one token, [L of a, L of b] or [T, L of a, L of b]. Minus infinity forbids.

    sums: exact; or approximate, by loopy belief propagation (loopy) or tree reparameterisation (trp; Wainwright, Jaakkola & Willsky
    2003), which are exact where no pairs close a circle (Sutton, Rohanimanesh & McCallum 2004, Sec. 2.2).
    """
    how = str(SUMS.parse(sums))
    nodes = [scores(one, "node") for one in node]
    if not nodes or any(one.ndim != 2 or 0 in one.shape or len(one) != len(nodes[0]) for one in nodes):
        raise DataError(
            "node has no columns, or arrays of other shapes than [T, L] with one T, at least one token and one label."
        )
    length, labels = len(nodes[0]), [one.shape[1] for one in nodes]
    if len(within) != len(nodes):
        raise DataError(f"within has {len(within)} tables; expected one for each of the {len(nodes)} columns.")
    product = int(np.prod(labels, dtype=object))
    if product > _core.most_combinations:
        raise DataError(
            f"the columns have {product:,} combinations of labels; expected at most {_core.most_combinations:,}.",
            remedy="Use fewer labels, or fewer columns.",
        )
    pairs = sorted(between)
    if not all(0 <= a < b < len(nodes) for a, b in pairs):
        raise DataError(f"between has the keys {pairs}; expected pairs (a, b) of columns with a < b < {len(nodes)}.")
    steps = [_tables(within[c], length, labels[c], labels[c], f"within[{c}]") for c in range(len(nodes))]
    tables = [_tables(between[a, b], length, labels[a], labels[b], f"between[{a}, {b}]") for a, b in pairs]
    for c, one in enumerate(nodes):
        check_scores(one, f"node[{c}]")
    flat = [one.ravel() for one in nodes]
    log_z, found, converged = _core.factorial_sums(labels, length, pairs, flat, steps, tables, how)
    return Marginals(log_z, [rows.reshape(length, -1) for rows in found], converged)


def _tables(given: Any, length: int, left: int, right: int, name: str) -> Scores:
    """A table for every token, one after the other."""
    table = scores(given, name)
    if table.shape not in ((left, right), (length, left, right)):
        raise DataError(f"{name} has the shape {table.shape}; expected {(left, right)} or {(length, left, right)}.")
    check_scores(table, name)
    return np.ascontiguousarray(np.broadcast_to(table, (length, left, right))).ravel()
