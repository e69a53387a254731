"""Features of possible links between words: a line of a template is a feature, a product of atoms."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.errors import SettingError, printed
from riata.features.attributes import builtin
from riata.matching.counts import SIDES, WordTable, form
from riata.matching.pairs import LinkedPair

DEFAULT = """\
bias
dice
dice dice
model1
posterior
best.dice
best.posterior
distance
distance distance
posterior distance
posterior[-1,-1]
posterior[1,1]
same.lower
same.prefix4
length
link.*
link.*[-1,-1]
link.*[1,1]
link.* link.*[-1,-1]
link.* link.*[1,1]
elsewhere.*
source.lower target.lower
"""
ATOM = re.compile(
    r"(?P<name>\w+)(?:\.(?P<of>[\w*-]+))?(?:\[(?P<row>-?\d{1,3})(?:,(?P<column>-?\d{1,3}))?\])?(?:/(?P<bins>\d{1,4}))?"
)
KNOWN = {
    "bias": "1 for every link",
    "dice": "Dice's coefficient of the two words in the bitext",
    "model1": "the geometric mean of P(target | source) and the reverse, by Model 1; model1.forward, model1.backward: one of them",
    "posterior": "the same among the words of this pair; posterior.forward, posterior.backward",
    "best": "1 where dice, model1 or posterior is the largest of its row and of its column: best.dice",
    "distance": "how far the relative positions of the two words are apart, from 0 to 1",
    "order": "the same with its sign",
    "length": "the difference of the words' lengths by their sum",
    "same": "1 if an attribute of both words is equal: same.lower",
    "link": "1 if another aligner has the link: link.NAME, or link.* for a feature of each",
    "elsewhere": "1 if another aligner links one of the words, but not these two: elsewhere.NAME, or elsewhere.*",
    "source": "an attribute of the source word, as in templates of words: source.lower, source.suffix3[-1]",
    "target": "an attribute of the target word",
}
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Atom:
    text: str
    name: str
    of: str | None
    offset: tuple[int, int]
    bins: int | None

    def named(self, name: str) -> Atom:
        """With the name of an aligner for `*`."""
        return self if self.of != "*" else Atom(self.text.replace("*", name), self.name, name, self.offset, self.bins)


@dataclass(frozen=True)
class PairTemplate:
    """Lines of atoms."""

    lines: tuple[tuple[Atom, ...], ...]

    @classmethod
    def parse(cls, text: str) -> PairTemplate:
        lines = []
        for number, line in enumerate(text.splitlines(), 1):
            atoms = tuple(_atom(word, number) for word in line.partition("#")[0].split())
            if atoms:
                lines.append(atoms)
        if not lines:
            raise SettingError("the template has no line.", remedy="Write one feature a line, such as dice.")
        return cls(tuple(lines))

    def __str__(self) -> str:
        return "\n".join(" ".join(atom.text for atom in line) for line in self.lines)

    @property
    def reads_words(self) -> bool:
        return any(atom.name in ("dice", "model1", "posterior", "best") for line in self.lines for atom in line)

    @property
    def aligners(self) -> frozenset[str]:
        """The other aligners that are read; `*` for all."""
        return frozenset(atom.of or "" for line in self.lines for atom in line if atom.name in ("link", "elsewhere"))

    def expanded(self, names: Sequence[str]) -> PairTemplate:
        """With one line for each aligner where `*` stands."""
        lines: list[tuple[Atom, ...]] = []
        for line in self.lines:
            star = any(atom.of == "*" for atom in line)
            lines += [tuple(atom.named(name) for atom in line) for name in names] if star else [line]
        if not lines:
            raise SettingError("the template reads other aligners alone, and the pairs have none.")
        return PairTemplate(tuple(lines))

    def features(
        self, pair: LinkedPair, words: WordTable | None
    ) -> list[tuple[str, NDArray[np.int64], list[str], Values]]:
        """Of every line: its text, [n, m] which of the names that follow a cell has, -1 for none, and its value."""
        tables = Tables(pair, words)
        found = []
        for line in self.lines:
            value = np.ones(pair.shape)
            number, names = np.zeros(pair.shape, np.int64), [""]
            for atom in line:
                if atom.bins is not None or atom.name in SIDES:
                    of_atom, texts = tables.symbols(atom)
                    number = np.where((number < 0) | (of_atom < 0), -1, number * len(texts) + of_atom)
                    names = [f"{a}|{b}" if a else b for a in names for b in texts]
                else:
                    value = value * tables.numbers(atom)
            found.append((" ".join(atom.text for atom in line), number, names, value))
        return found


class Tables:
    """The values of atoms for one pair, each computed once."""

    def __init__(self, pair: LinkedPair, words: WordTable | None) -> None:
        self.pair = pair
        self._words = words
        self._kept: dict[tuple[str, str | None], Values] = {}

    def numbers(self, atom: Atom) -> Values:
        return _shifted(self._table(atom.name, atom.of), atom.offset)

    def symbols(self, atom: Atom) -> tuple[NDArray[np.int64], list[str]]:
        if atom.bins is not None:
            binned = np.floor(self.numbers(atom) * atom.bins).astype(np.int64)
            values, at = np.unique(binned, return_inverse=True)
            return at.reshape(self.pair.shape), [str(value) for value in values]
        texts = self._attributes(atom)
        known: dict[str, int] = {}
        ids = np.array([-1 if text is None else known.setdefault(text, len(known)) for text in texts], np.int64)
        across = ids[:, None] if atom.name == "source" else ids[None, :]
        return np.broadcast_to(across, self.pair.shape), list(known) or [""]

    def _attributes(self, atom: Atom) -> list[str | None]:
        words, step = getattr(self.pair, atom.name), atom.offset[0]
        of = _attribute(atom.of or "identity")
        places = range(step, len(words) + step)
        return [of(str(words[k])) if 0 <= k < len(words) else None for k in places]

    def _table(self, name: str, of: str | None) -> Values:
        key = name, of
        if key not in self._kept:
            self._kept[key] = np.asarray(getattr(self, f"_{name}")(of), np.float64)
        return self._kept[key]

    def _bias(self, of: str | None) -> Values:
        return np.ones(self.pair.shape)

    def _dice(self, of: str | None) -> Values:
        return self._of_words("dice")

    def _model1(self, of: str | None) -> Values:
        return self._of_words(of) if of else np.sqrt(self._of_words("forward") * self._of_words("backward"))

    def _posterior(self, of: str | None) -> Values:
        if of is None:
            return np.sqrt(self._table("posterior", "forward") * self._table("posterior", "backward"))
        found = self._of_words(of)
        share: Values = found / np.maximum(found.sum(axis=0 if of == "forward" else 1, keepdims=True), 1e-30)
        return share

    def _best(self, of: str | None) -> Values:
        table = self._table(of or "posterior", None)
        if not table.size:
            return table
        most = (table >= table.max(axis=0, keepdims=True)) & (table >= table.max(axis=1, keepdims=True)) & (table > 0)
        found: Values = most.astype(np.float64)
        return found

    def _order(self, of: str | None) -> Values:
        rows, columns = self.pair.shape
        return ((np.arange(rows) + 0.5) / max(rows, 1))[:, None] - ((np.arange(columns) + 0.5) / max(columns, 1))[
            None, :
        ]

    def _distance(self, of: str | None) -> Values:
        return np.abs(self._table("order", None))

    def _length(self, of: str | None) -> Values:
        a, b = (
            np.array([len(str(word)) for word in words], np.float64) for words in (self.pair.source, self.pair.target)
        )
        return np.abs(a[:, None] - b[None, :]) / np.maximum(a[:, None] + b[None, :], 1)

    def _same(self, of: str | None) -> Values:
        attribute = _attribute(of or "identity")
        a, b = ([attribute(str(word)) for word in words] for words in (self.pair.source, self.pair.target))
        found = [[one is not None and one == other for other in b] for one in a]
        return np.array(found, np.float64).reshape(self.pair.shape)

    def _link(self, of: str | None) -> Values:
        found = np.zeros(self.pair.shape)
        for i, j in self.pair.others.get(of or "", ()):
            found[i, j] = 1
        return found

    def _elsewhere(self, of: str | None) -> Values:
        links = self._table("link", of)
        there: Values = (
            (links.sum(axis=0, keepdims=True) + links.sum(axis=1, keepdims=True) > 0) & (links == 0)
        ).astype(np.float64)
        return there

    def _of_words(self, value: str) -> Values:
        key = "words", value
        if key not in self._kept:
            sides = [[form(str(word)) for word in words] for words in (self.pair.source, self.pair.target)]
            found = self._words.of(*sides) if self._words is not None else {}
            for name in ("dice", "forward", "backward"):
                self._kept["words", name] = found.get(name, np.zeros(self.pair.shape))
        return self._kept[key]


def _shifted(table: Values, offset: tuple[int, int]) -> Values:
    """The values of neighbouring cells; 0 outside."""
    if offset == (0, 0):
        return table
    found = np.zeros(table.shape)
    (rows, columns), (down, right) = table.shape, offset
    here = (
        slice(max(-down, 0), max(min(rows - down, rows), 0)),
        slice(max(-right, 0), max(min(columns - right, columns), 0)),
    )
    there = slice(max(down, 0), max(rows + min(down, 0), 0)), slice(max(right, 0), max(columns + min(right, 0), 0))
    found[here] = table[there]
    return found


@cache
def _attribute(name: str) -> Callable[[str], str | None]:
    return cache(builtin()[name])


def _atom(text: str, line: int) -> Atom:
    found = ATOM.fullmatch(text)
    where = f"line {line} of the template"
    if found is None or found["name"] not in KNOWN:
        raise SettingError(f"{where}: {printed(text):.60} is no atom.", remedy=f"Known: {', '.join(KNOWN)}.")
    name, of, one_side = found["name"], found["of"], found["name"] in SIDES
    if (name in SIDES or name == "same") and (of or "identity") not in builtin():
        raise SettingError(
            f"{where}: {of!r} is no attribute of words.", remedy=f"Known: {', '.join(sorted(builtin()))}."
        )
    allowed: dict[str, Any] = {"model1": (None, "forward", "backward"), "posterior": (None, "forward", "backward")}
    allowed |= {"best": ("dice", "model1", "posterior")}
    if name in allowed and of not in allowed[name]:
        raise SettingError(
            f"{where}: {text!r}; expected {' or '.join(f'{name}.{one}' if one else name for one in allowed[name])}."
        )
    if name in ("link", "elsewhere") and of is None:
        raise SettingError(f"{where}: {text!r} names no aligner.", remedy="Write link.NAME, or link.* for all.")
    if (found["row"] is not None) and (found["column"] is None) != one_side:
        raise SettingError(f"{where}: {text!r}; expected {'one number' if one_side else 'two numbers'} in brackets.")
    if one_side and found["bins"] is not None:
        raise SettingError(f"{where}: {text!r} is no number, and has no bins.")
    offset = int(found["row"] or 0), int(found["column"] or 0)
    return Atom(text, name, of, offset, None if found["bins"] is None else int(found["bins"]))
