"""Attributes that are written down in their names: regular expressions in the small language of Wapiti, for models that come from there.

`matches_EXPRESSION` is true or false, `matched_EXPRESSION` the first part of the word that matches, or nothing,
and `matchedlower_EXPRESSION` the same with A to Z in lower case. In names, what is no letter or digit is written as `_` and two
hexadecimal digits: `matched__2e_24` is `.$`, the last byte.
Expressions read bytes, as Wapiti does; what is then no whole character is written `\\xe9`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from riata.errors import TemplateError

KINDS = ("matches", "matched", "matchedlower")
_NAME = re.compile(rf"({'|'.join(KINDS)})_((?:[A-Za-z0-9]|_[0-9a-f]{{2}})*)")
_CLASSES = {
    "a": rb"A-Za-z",
    "d": rb"0-9",
    "l": rb"a-z",
    "p": rb"!-/:-@\[-`{-~",
    "s": rb" \t-\r",
    "u": rb"A-Z",
    "w": rb"A-Za-z0-9",
}


@dataclass(frozen=True)
class Expression:
    """An attribute of words, by its name."""

    name: str

    @classmethod
    def of(cls, kind: str, source: str) -> Expression:
        escaped = "".join(chr(b) if chr(b).isalnum() and b < 128 else f"_{b:02x}" for b in source.encode())
        return cls(f"{kind}_{escaped}").checked()

    def checked(self) -> Expression:
        """The expression itself; TemplateError if it cannot be read."""
        _ = self._compiled
        return self

    @cached_property
    def _parts(self) -> tuple[str, bytes]:
        match = _NAME.fullmatch(self.name)
        assert match is not None
        source = re.sub(rb"_(..)", lambda two: bytes.fromhex(two[1].decode()), match[2].encode())
        return match[1], source

    @cached_property
    def _compiled(self) -> re.Pattern[bytes]:
        return re.compile(_translated(self._parts[1]), re.DOTALL)

    def __call__(self, text: str) -> str | None:
        kind, found = self._parts[0], self._compiled.search(text.encode())
        if kind == "matches":
            return "false" if found is None else "true"
        part = b"" if found is None else found[0]
        return (part.lower() if kind == "matchedlower" else part).decode("utf-8", "backslashreplace")


def expressions(names: Iterable[str]) -> dict[str, Expression]:
    """The expressions among these names."""
    return {name: Expression(name).checked() for name in names if _NAME.fullmatch(name)}


def _translated(source: bytes) -> bytes:
    """The same expression for Python: `*` matches as little as possible, `?` as much; there are no other operators."""
    out, at = b"", 0
    if source.startswith(b"^"):
        out, at = rb"\A", 1
    while at < len(source):
        if source[at:] == b"$":
            return out + rb"\Z"
        width = 1 + (source[at] == ord("\\"))
        atom = source[at : at + width]
        if atom in (b"*", b"?", b"\\"):
            raise TemplateError(f"the regular expression {source.decode(errors='replace')!r:.60} cannot be read.")
        out += _atom(atom)
        at += width
        if source[at : at + 1] in (b"*", b"?"):
            out += b"*?" if source[at] == ord("*") else b"?"
            at += 1
    return out


def _atom(atom: bytes) -> bytes:
    if atom == b".":
        return b"."
    letter = chr(atom[-1])
    if len(atom) == 2 and letter.lower() in _CLASSES:
        return b"[" + (b"^" if letter.isupper() else b"") + _CLASSES[letter.lower()] + b"]"
    return re.escape(atom[-1:])
