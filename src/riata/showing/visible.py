"""Text of users, made harmless to show: what controls a terminal or the direction of writing is shown as a picture or by number."""

from __future__ import annotations

import unicodedata

_HIDDEN = {"Cc", "Cs", "Zl", "Zp"}  # controls, half pairs, separators of lines and paragraphs
_DIRECTION = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}


def visible(value: object) -> str:
    """str(value) in characters that only stand for themselves: ESC as ␛, U+2028 as <U+2028>."""
    return "".join(map(_visible, str(value)))


def _visible(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code in _DIRECTION or unicodedata.category(char) in _HIDDEN:
        return f"<U+{code:04X}>"
    return char
