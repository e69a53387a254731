"""Features that are texts, made by patterns such as `U05:%x[-1,0]/%x[0,0]`, as n-grams of Riata's templates.

Such a tool knows a feature by its text alone. Two consequences are kept: a text that can be read in several ways (`a/b/c` is
`a` and `b/c`, or `a/b` and `c`) is as many n-grams, and patterns that make the same text (`U:%x[0,0]` and `U:%x[1,0]`) share its weights.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

from riata.errors import ModelFileError
from riata.features.attributes import Attribute, builtin
from riata.features.expressions import expressions
from riata.features.templates import Read, Template
from riata.importing.parts import ColumnFeatures, Value

MOST_READINGS = 1000  # of one text
BoundaryName = Callable[[int], str]  # what a tool calls a place outside: -1 before the first token, 1 after the last


@dataclass(frozen=True)
class Pattern:
    """Reads with texts around them, one more than there are reads."""

    texts: tuple[str, ...]
    reads: tuple[Read, ...]
    edge: bool
    line: int

    @cached_property
    def template(self) -> Template:
        constant = () if self.edge else (Read(0, 0, "bias"),)
        return Template(tuple(sorted({*self.reads})) or constant, self.edge)

    @cached_property
    def _order(self) -> list[int]:
        """Which of the reads each read of the template is."""
        return [self.reads.index(read) for read in self.template.reads]

    @cached_property
    def _least(self) -> tuple[int, ...]:
        """How long each value is at least. Words are not empty, but what matches a regular expression may be."""
        return tuple(int(read.attribute in builtin()) for read in self.reads)

    def ngrams(self, text: str, outside: Sequence[Mapping[str, Sequence[int]]]) -> Iterator[tuple[Value, ...]]:
        """Every n-gram of the template for which the pattern makes this text. outside: what `_outside` gave for each read."""
        if not self.reads:
            if text == self.texts[0]:
                yield () if self.edge else ("",)
            return
        for values in _readings(text[len(self.texts[0]) :], self.texts[1:], self._least):
            choices = [
                _values(read, value, known) for read, value, known in zip(self.reads, values, outside, strict=True)
            ]
            for chosen in product(*choices):
                ngram = tuple(chosen[i] for i in self._order)
                if len(ngram) == len(chosen) or self._agree(chosen):
                    yield ngram

    def _agree(self, values: tuple[Value, ...]) -> bool:
        """Whether what is read twice is the same both times."""
        return all(value == values[self.reads.index(read)] for read, value in zip(self.reads, values, strict=True))


def _outside(read: Read, name: BoundaryName) -> Mapping[str, Sequence[int]]:
    """What the read gives outside the sentence, with how far outside that is."""
    steps = range(1, read.offset + 1) if read.offset > 0 else range(read.offset, 0)
    functions: dict[str, Attribute] = {**builtin(), **expressions([read.attribute])}
    found: dict[str, list[int]] = {}
    for distance in steps:
        found.setdefault(functions[read.attribute](name(distance)) or "", []).append(distance)
    return found


def _values(read: Read, text: str, outside: Mapping[str, Sequence[int]]) -> Sequence[Value]:
    """What a read may have seen where its text is this one. Words are not taken for boundaries, but parts of both may be the same."""
    distances = outside.get(text, ())
    return distances if distances and read.attribute in builtin() else (*distances, text)


def _readings(text: str, ends: tuple[str, ...], least: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
    """The ways to cut a text into values, each at least so long, and with what stands after it."""
    if len(ends) == 1:
        value = text.removesuffix(ends[0])
        if len(value) >= least[0] and len(value) + len(ends[0]) == len(text):
            yield (value,)
        return
    at = text.find(ends[0], least[0])
    while at != -1:
        for rest in _readings(text[at + len(ends[0]) :], ends[1:], least[1:]):
            yield text[:at], *rest
        at = text.find(ends[0], at + 1)


def collect(
    patterns: Sequence[Pattern],
    places: Mapping[str, int],
    labels: tuple[str, ...],
    name: BoundaryName,
    path: str,
) -> ColumnFeatures:
    """places: where in the long vector the weights of each text start. name: of a place outside the sentence."""
    features, texts = ColumnFeatures(labels), sorted(places)
    for pattern in patterns:
        first, template = pattern.texts[0], pattern.template
        outside = [_outside(read, name) for read in pattern.reads]
        for i in range(bisect_left(texts, first), len(texts)):
            text = texts[i]
            if not text.startswith(first):
                break
            found = list(islice(pattern.ngrams(text, outside), MOST_READINGS + 1))
            if len(found) > MOST_READINGS:
                raise ModelFileError(
                    f"the feature {text!r} can be read in more than {MOST_READINGS:,} ways.",
                    remedy="Put a text, such as /, between the columns of the pattern, and train again.",
                    file=path,
                    line=pattern.line,
                )
            for ngram in found:
                features.add(template, ngram, places[text])
    return features
