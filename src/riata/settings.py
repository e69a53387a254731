"""Settings of pieces: declared once beside the piece, checked once here, shown by `riata pieces`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from riata.errors import SettingError, UnknownNameError, printed

MOST_WHOLE = 10**15  # of whole numbers that declare no limit; the core holds them in 64 bits

ANY = "any value"  # key of Setting.needs


def is_count(text: str) -> bool:
    """Whether a text is a whole number above 0, in digits that int() reads."""
    return text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0


@dataclass(frozen=True)
class Setting:
    """A named value with its default, its range and what it does. The default's type is the setting's type; beside words it is a number."""

    name: str
    default: bool | int | float | str
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  # values beside the numbers, such as "auto"
    # Operations that the structure or the queue must offer for a value to mean anything. ANY: for every value but the default.
    needs: Mapping[Any, tuple[str, ...]] = field(default_factory=dict, hash=False)
    # Other settings, each with the values at which this one is read. A recipe that does not have the other setting always reads it.
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    # Why it is refused beside other values of these settings; without a reason: because nothing would read it.
    only_because: Mapping[str, str] = field(default_factory=dict, hash=False)

    def needed(self, value: Any) -> tuple[str, ...]:
        """The operations that a value needs. The default never needs any."""
        return () if value == self.default else self.needs.get(value, self.needs.get(ANY, ()))

    def parse(self, value: Any) -> bool | int | float | str:
        """A value of the right type and range, from itself or from text; SettingError otherwise."""
        if isinstance(value, str) and value in self.words:
            return value
        try:
            parsed = self._convert(value)
        except (TypeError, ValueError, KeyError, OverflowError):
            raise self._refused(value, self.expected()) from None
        if isinstance(parsed, (int, float)) and not isinstance(parsed, bool) and not self._in_range(parsed):
            too_large = self._type is int and self.high is None and parsed > MOST_WHOLE
            raise self._refused(value, self._expected_number(MOST_WHOLE) if too_large else self.expected())
        if self.choices and parsed not in self.choices:
            raise self._refused(value, self.expected())
        return parsed

    def _refused(self, value: Any, expected: str) -> SettingError:
        return SettingError(f"setting {self.name!r} has the value {printed(value)}; expected {expected}.")

    def expected(self) -> str:
        """The allowed values in words: "a whole number of at least 1"."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        return " or ".join([*self.words, self._expected_number(self.high)])

    def _expected_number(self, high: float | None) -> str:
        kind = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[self._type]
        if self.low is not None and high is not None:
            return f"{kind} from {self.low:g} to {high:g}"
        return f"{kind} of at least {self.low:g}" if self.low is not None else kind

    @property
    def _type(self) -> type:
        return float if self.default in self.words else type(self.default)

    def _convert(self, value: Any) -> bool | int | float | str:
        if self._type is bool:
            if isinstance(value, bool):
                return value
            return {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}[str(value).lower()]
        if isinstance(value, (bool, np.bool_, bytes, bytearray)):  # which float() reads
            raise TypeError
        if self._type is int:
            if isinstance(value, (int, np.integer)):
                return int(value)
            if float(value) != int(float(value)):
                raise ValueError
            return int(float(value))
        return float(value) if self._type is float else str(value)

    def _in_range(self, value: float) -> bool:
        if not isinstance(value, int) and not math.isfinite(value):
            return False
        high = MOST_WHOLE if self.high is None and self._type is int else self.high
        return (self.low is None or value >= self.low) and (high is None or value <= high)


def resolve(declared: Sequence[Setting], given: Mapping[str, Any], owner: str) -> dict[str, bool | int | float | str]:
    """Defaults overridden by what was given; unknown names are refused with the nearest known one."""
    known = {setting.name: setting for setting in declared}
    for name in given:
        if name not in known:
            raise UnknownNameError.of("setting", name, known, remedy=f"{owner} has these settings.")
    return {name: s.parse(given[name]) if name in given else s.default for name, s in known.items()}
