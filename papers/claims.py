"""What a paper says of its rows, as statistics with an interval that decides: held, did not hold, cannot be told here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from riata.scoring.figures import Figure

Measured = Mapping[str, Mapping[str, Figure]]  # by row and key of a column; rows that were not run are not in it
Pair = tuple[str, str]
VERDICTS = {True: "held", False: "did not hold", None: "cannot be told here"}
NOT_MEASURED = "not measured"  # a row of the claim is quoted
NOT_JUDGED = "not judged"  # with --quick
AFTER_ROUNDING = 1e-9  # 94.4 - 94.3 is a little more than 0.1


@dataclass(frozen=True, eq=False)
class Statistic:
    """A number that a claim is about, and where the claim puts it: above `low` (at or above where `closed`), at or below `high`.

    The interval decides: all of it where the claim puts it, none of it, or neither. counted: a count, such as one of
    updates, which is no estimate; then every seed decides.
    """

    said: str
    figure: Figure
    low: float = -inf
    high: float = inf
    closed: bool = False
    counted: bool = False

    @property
    def held(self) -> bool | None:
        if self.counted:
            return all(self._low_enough(value) and self._high_enough(value) for value in self.figure.values)
        if self.figure.interval is None:
            return None
        low, high = self.figure.interval
        if self._low_enough(low) and self._high_enough(high):
            return True
        return False if not self._low_enough(high) or not self._high_enough(low) else None

    def _low_enough(self, value: float) -> bool:
        return value >= self.low - AFTER_ROUNDING if self.closed else value > self.low

    def _high_enough(self, value: float) -> bool:
        return value <= self.high + AFTER_ROUNDING

    def facts(self) -> dict[str, Any]:
        low, high = self.figure.interval or (None, None)
        return {
            "statistic": self.said,
            "mean": self.figure.mean,
            "low": low,
            "high": high,
            "claimed_from": None if self.low == -inf else self.low,
            "claimed_to": None if self.high == inf else self.high,
        }


@dataclass(frozen=True)
class Claim:
    """Something that the paper says.

    rows: those that it is about. statistics: of what was measured of them; without any, it cannot be told.
    """

    text: str
    rows: tuple[str, ...]
    statistics: Callable[[Measured], list[Statistic]]

    def judged(self, measured: Measured, *, quick: bool = False) -> dict[str, Any]:
        """The claim with its verdict and the numbers behind it. quick: too little data to judge by."""
        missing = [name for name in self.rows if name not in measured]
        if missing:
            return self._facts(NOT_MEASURED, f"not run here: {', '.join(missing)}", [])
        found = self.statistics(measured)
        said = "; ".join(one.said for one in found) or "nothing to judge it by was found."
        verdict = NOT_JUDGED if quick else VERDICTS[together([one.held for one in found])]
        return self._facts(verdict, said, [one.facts() for one in found])

    def _facts(self, verdict: str, said: str, statistics: list[dict[str, Any]]) -> dict[str, Any]:
        return {"claim": self.text, "verdict": verdict, "said": said, "statistics": statistics}


def together(verdicts: list[bool | None]) -> bool | None:
    """Of a claim in several parts: it holds if all do, and fails with any."""
    return False if False in verdicts else None if None in verdicts or not verdicts else True


def beats(text: str, key: str, *pairs: Pair) -> Claim:
    """The claim that the first row of every pair has the larger number."""
    return _of_pairs(text, pairs, lambda measured, a, b: difference(measured, key, a, b, low=0.0))


def fewer(text: str, key: str, *pairs: Pair) -> Claim:
    """The claim that the first row of every pair has the smaller number."""
    return beats(text, key, *((b, a) for a, b in pairs))


def lower(text: str, key: str, *pairs: Pair) -> Claim:
    """The claim that the first row of every pair has the smaller number, with every seed. The numbers are no estimates."""

    def statistic(measured: Measured, a: str, b: str) -> Statistic:
        first, second = measured[a][key], measured[b][key]
        return Statistic(f"{a} {first.mean:.2f}, {b} {second.mean:.2f}", second.minus(first), 0.0, counted=True)

    return _of_pairs(text, pairs, statistic)


def no_better(text: str, key: str, *pairs: Pair) -> Claim:
    """The claim that the first row of no pair has the larger number."""
    return _of_pairs(text, pairs, lambda measured, a, b: difference(measured, key, a, b, high=0.0))


def equal(text: str, key: str, most: float, *pairs: Pair) -> Claim:
    """The claim that the two rows of every pair differ by no more than so much."""
    return _of_pairs(text, pairs, lambda measured, a, b: difference(measured, key, a, b, -most, most, closed=True))


def faster(text: str, key: str, times: float, *pairs: Pair) -> Claim:
    """The claim that the first row of every pair takes less time than the second, by this factor."""

    def ratio(measured: Measured, a: str, b: str) -> Statistic:
        first, second = measured[a][key], measured[b][key]
        found = second.over(first)
        return Statistic(
            f"{a} {first.mean:.2f} s, {b} {second.mean:.2f} s: × {_with_interval(found, '.2f')}", found, times
        )

    return _of_pairs(text, pairs, ratio)


def from_to(text: str, key: str, row: str, low: float, high: float) -> Claim:
    """The claim that a row's number is one of low to high, which are whole."""

    def statistics(measured: Measured) -> list[Statistic]:
        figure = measured[row][key]
        said = f"{row}: {_with_interval(figure, '.1f')}, by seed {', '.join(f'{value:g}' for value in figure.values)}"
        return [Statistic(said, figure, low - 0.5, high + 0.5, closed=True)]

    return Claim(text, (row,), statistics)


def difference(
    measured: Measured, key: str, a: str, b: str, low: float = -inf, high: float = inf, *, closed: bool = False
) -> Statistic:
    first, second = measured[a][key], measured[b][key]
    return between(f"{a} {first.mean:.2f}, {b} {second.mean:.2f}", first.minus(second), low, high, closed=closed)


def between(said: str, found: Figure, low: float = -inf, high: float = inf, *, closed: bool = False) -> Statistic:
    """A difference that the claim puts between two numbers."""
    return Statistic(f"{said}: {_with_interval(found, '+.2f')}", found, low, high, closed)


def _of_pairs(text: str, pairs: Iterable[Pair], statistic: Callable[[Measured, str, str], Statistic]) -> Claim:
    pairs = tuple(pairs)
    rows = tuple(dict.fromkeys(name for pair in pairs for name in pair))
    return Claim(text, rows, lambda measured: [statistic(measured, a, b) for a, b in pairs])


def _with_interval(figure: Figure, shown: str) -> str:
    if figure.interval is None:
        return f"{figure.mean:{shown}} (one run, no interval)"
    low, high = figure.interval
    return f"{figure.mean:{shown}} ({low:{shown}} to {high:{shown}})"
