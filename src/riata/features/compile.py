"""From templates to integers: attributes, families of n-grams, and the index that they share (see native/features/README.md)."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet, FeatureIndex, Instances, attribute_values, for_python, hashed_texts
from riata.data.named_features import Given
from riata.data.token_vectors import LARGEST, TokenVectors
from riata.data.types import Column, Corpus, Ids, interned, is_unicode
from riata.errors import DataError, printed
from riata.features.attributes import Attribute, builtin
from riata.features.dictionary import TagDictionary
from riata.features.frequency import FREQUENCY, Frequencies
from riata.features.lists import POSITIONS, WordList
from riata.features.templates import ANY_CASE, Read, Template, list_read
from riata.features.word_vectors import WordVectors
from riata.parallel import in_order

AttributeOf = tuple[str, int]  # name of the function, column it reads
Look = Callable[[list[str]], Ids]  # maps texts to ids of an alphabet, or to hashes
_FILLING = threading.Lock()
HASHES = 2**31 - 1  # an upper bound of the hashes of texts


@dataclass(frozen=True)
class Program:
    """What the native index needs to know about a set of templates."""

    attributes: tuple[AttributeOf, ...]
    families: tuple[tuple[int, int, int], ...]  # parent or -1, attribute, offset from the n-gram's first position
    reads: tuple[tuple[int, int, bool], ...] = ()  # family, offset, edge
    templates: tuple[Template, ...] = ()  # [reads] the template that each comes from
    # Family or -1, offset, how many tokens back the labels are that it reads.
    history: tuple[tuple[int, int, tuple[int, ...]], ...] = ()
    history_templates: tuple[Template, ...] = ()  # [history]
    numbers: tuple[Read, ...] = ()  # number(...) templates
    transitions: bool = False  # whether a bare `edge` is among the templates
    other_reads: tuple[tuple[int, int], ...] = ()  # family, offset: n-grams to look up that are not features of tokens

    @property
    def type_columns(self) -> list[int]:
        """For each attribute the column on whose word types it depends. Attributes of lists also depend on neighbouring words and have no
        column.
        """
        beyond = max((column for _, column in self.attributes), default=0) + 1
        return [column if list_read(name) is None else beyond + a for a, (name, column) in enumerate(self.attributes)]

    @cached_property
    def order(self) -> int:
        """How many labels back any template reads, except `edge`."""
        return max((back[-1] for _, _, back in self.history), default=0)


def compile_templates(templates: Sequence[Template]) -> Program:
    attributes: dict[AttributeOf, int] = {}
    families: dict[tuple[int, int, int], int] = {}
    reads: list[tuple[int, int, bool]] = []
    sources: list[Template] = []
    history: list[tuple[int, int, tuple[int, ...]]] = []
    for template in templates:
        if template.is_number or not (template.reads or template.labels):
            continue
        first = template.reads[0].offset if template.reads else 0
        family = family_of(template.reads, attributes, families)
        if template.labels:
            history.append((family, first, tuple(-offset for offset in reversed(template.labels))))
            continue
        reads.append((family, first, template.edge))
        sources.append(template)
    return Program(
        attributes=tuple(attributes),
        families=tuple(families),
        reads=tuple(reads),
        templates=tuple(sources),
        history=tuple(history),
        history_templates=tuple(t for t in templates if t.labels),
        numbers=tuple(t.reads[0] for t in templates if t.is_number),
        transitions=any(t.edge and not t.reads for t in templates),
    )


def family_of(
    reads: Sequence[Read], attributes: dict[AttributeOf, int], families: dict[tuple[int, int, int], int]
) -> int:
    """The family that combines these reads; -1 if there are none. New attributes and families are added."""
    family = -1
    for read in reads:
        attribute = attributes.setdefault((read.attribute, read.column), len(attributes))
        family = families.setdefault((family, attribute, read.offset - reads[0].offset), len(families))
    return family


class Features:
    """A set of templates with everything it has seen: attribute values, frequencies, n-grams, names of features.

    With `bits`, nothing is stored: all of these are hashed, and the weights are one table of 2^bits (native/features/hashed.hpp).
    """

    made: int = 0  # columns that it makes itself, after those of the data

    def __init__(
        self,
        templates: Sequence[Template],
        functions: Mapping[str, Attribute],
        lists: Mapping[str, WordList] | None = None,
        bits: int = 0,
    ) -> None:
        self.templates = tuple(templates)
        self.program = self.compiled()
        names = [name for name, _ in self.program.attributes]
        reads = [read for read in map(list_read, names) if read is not None]
        self.lists = {name: (lists or {})[name] for _, name in sorted(reads)}
        self.functions = {name: functions[name] for name in names if name != FREQUENCY and list_read(name) is None}
        self.frequencies: dict[int, Frequencies] = {}  # by column, counted in the first training
        self.alphabets = [Alphabet() for _ in self.program.attributes]
        self.given = Alphabet()
        self.dictionary: TagDictionary | None = None  # the labels that words may have; None: all
        self.vectors: WordVectors | None = None  # of the words of column 0
        self.bits = bits
        self._fill: Callable[[FeatureIndex], None] | None = None
        self._index = self.empty_index()

    @property
    def index(self) -> FeatureIndex:
        if self._fill is not None:
            self._fill_now()
        return self._index

    @index.setter
    def index(self, index: FeatureIndex) -> None:
        self._index, self._fill = index, None

    def fill_later(self, fill: Callable[[FeatureIndex], None]) -> None:
        """Postpones filling the index, which is empty, until it is first read."""
        self._fill = fill

    def _fill_now(self) -> None:
        with _FILLING:
            if self._fill is not None:  # no other thread has filled it meanwhile
                index = self.empty_index()
                self._fill(index)
                self.index = index

    def compiled(self) -> Program:
        return compile_templates(self.templates)

    def empty_index(self) -> FeatureIndex:
        p = self.program
        return FeatureIndex(
            list(p.families),
            list(p.reads),
            len(p.attributes),
            p.transitions,
            list(p.history),
            p.type_columns,
            self.bits,
            list(p.other_reads),
        )

    def copy(self) -> Features:
        """An equal set that can grow independently."""
        twin = self._empty_twin()
        twin.frequencies = dict(self.frequencies)
        twin.alphabets = [copy(alphabet) for alphabet in self.alphabets]
        twin.given = copy(self.given)
        twin.dictionary = self.dictionary
        twin.vectors = self.vectors
        twin.index = copy(self.index)
        return twin

    def unlimited(self) -> Features:
        """The same features without the limits of the dictionary. They must not grow."""
        twin = copy(self)
        twin.dictionary = None if self.dictionary is None else replace(self.dictionary, least=0)
        return twin

    def _empty_twin(self) -> Features:
        return type(self)(self.templates, self.functions, self.lists, self.bits)

    def extend(self, corpus: Corpus, cutoff: int = 1, threads: int = 1) -> Instances:
        """Learns the attribute values and n-grams of a training corpus, and returns what `instances` would then return.

        Frequencies are learnt once: if classes changed later, they would not fit the weights that were learnt for them.
        """
        if self.bits:
            return self.instances(corpus, threads)
        for name, column in self.program.attributes:
            if name == FREQUENCY and column not in self.frequencies:
                self.frequencies[column] = Frequencies.of(corpus.columns[column])
        instances = self.index.extend(self.values(corpus, grow=True, threads=threads), corpus.starts, cutoff, threads)
        return self.limited(self._with_given(instances, corpus, grow=True), corpus)

    def instances(self, corpus: Corpus, threads: int = 1) -> Instances:
        """The corpus with every feature looked up. Features that training has not seen are left out."""
        instances = self.index.instances(self.values(corpus, grow=False, threads=threads), corpus.starts, threads)
        return self.limited(self._with_given(instances, corpus, grow=False), corpus)

    def limited(self, instances: Instances, corpus: Corpus) -> Instances:
        """The same instances, with the labels that the dictionary lets every token have."""
        return instances if self.dictionary is None else self.dictionary.with_choices(instances, corpus.columns[0])

    def _with_given(self, instances: Instances, corpus: Corpus, grow: bool) -> Instances:
        given = self._given(corpus, grow=grow)
        if given is not None:
            instances.set_given(given.starts, given.ids, given.values, HASHES if self.bits else len(self.given))
        vectors = self._vectors(corpus)
        if vectors is not None:
            names, _ = interned(vectors.names)
            look = Alphabet.hashes if self.bits else self.given.add_all if grow else self.given.find_all
            vectors.enter(instances, look(names), HASHES if self.bits else len(self.given))
        return instances

    def _vectors(self, corpus: Corpus) -> TokenVectors | None:
        """The vectors of tokens: those of the corpus, or of its words."""
        if self.vectors is None:
            return corpus.vectors
        if corpus.vectors is not None or not corpus.width:
            raise DataError(
                "vectors names vectors of words, but the sentences have arrays or features of their own.",
                remedy="Leave out vectors, or put both side by side into the arrays (numpy.hstack).",
                file=corpus.name,
            )
        return self.vectors.of_tokens(corpus.columns[0])

    def values(self, corpus: Corpus, grow: bool = False, threads: int = 1) -> list[Ids]:
        """The value of every attribute at every token. Attributes are computed in parallel, since each has its own alphabet."""
        read_columns = {number for _, number in self.program.attributes}
        types = {number: Types.of(corpus.columns[number]) for number in read_columns}

        def values(a: int) -> Ids:
            (name, number), alphabet = self.program.attributes[a], self.alphabets[a]
            look = hashed_texts if self.bits else alphabet.add_many if grow else alphabet.find_many
            read = list_read(name)
            if read is not None:
                return self._list_value(*read, corpus, look)
            function = self._function(name, number)
            return types[number].values(name, function, None if self.bits else alphabet, grow, look)

        every, threads = range(len(self.alphabets)), min(threads, len(self.alphabets))
        return list(map(values, every) if threads <= 1 else in_order(values, every, threads))

    def look_up(self, attribute: int, texts: list[str]) -> list[int]:
        """The ids of an attribute's values for these texts; -1 if training has not seen the value."""
        name, column = self.program.attributes[attribute]
        values = _applied(name, self._function(name, column), texts)
        return [-1 if value is None else self.alphabets[attribute].find(value) for value in values]

    def _function(self, name: str, column: int) -> Attribute:
        return self.frequencies[column] if name == FREQUENCY else self.functions[name]

    def _list_value(self, kind: str, name: str, corpus: Corpus, look: Look) -> Ids:
        """The position of every token in an entry of the list."""
        positions = self.lists[name].positions(corpus.columns[0], corpus.starts, any_case=kind == ANY_CASE)
        return np.append(look(list(POSITIONS)), np.int32(-1))[positions]

    def _given(self, corpus: Corpus, grow: bool) -> Given | None:
        parts = [part for part in (corpus.given, self._numbers(corpus)) if part is not None]
        if not parts:
            return None
        mapped = [_hashed(part) if self.bits else _mapped(part, self.given, grow) for part in parts]
        return mapped[0] if len(mapped) == 1 else _merged(mapped[0], mapped[1])

    def _numbers(self, corpus: Corpus) -> Given | None:
        """number(...) templates as named features: one name per template, with the column's number as the value."""
        if not self.program.numbers:
            return None
        columns = [
            shifted(numbers_of(corpus, read.column), corpus.starts, read.offset) for read in self.program.numbers
        ]
        values = np.stack(columns, axis=1)  # [N, numbers]; 0 outside the sentence
        alphabet = Alphabet()
        ids = alphabet.add_many([str(Template((read,))) for read in self.program.numbers])
        tokens, count = values.shape
        starts = np.arange(tokens + 1, dtype=np.int64) * count
        return Given(alphabet, starts, np.tile(ids, tokens), values.ravel().astype(np.float32))


@dataclass(frozen=True, eq=False)
class Types:
    """The distinct texts that occur in a column."""

    column: Column
    ids: Ids

    @classmethod
    def of(cls, column: Column) -> Types:
        return cls(column, column.used())

    def values(self, name: str, function: Attribute, alphabet: Alphabet | None, grow: bool, look: Look) -> Ids:
        """The attribute's value at every token, computed once per text: by the core if it can, otherwise by Python.

        alphabet: of the values; None: they are hashed. look: does the same for values that Python has computed.
        """
        if function is builtin().get(name):
            found = attribute_values(name, self.column.alphabet, self.ids, alphabet, grow)
        else:
            found = np.full(len(self.ids), for_python, np.int32)
        left = np.flatnonzero(found == for_python)
        if len(left):
            texts = _applied(name, function, self.column.alphabet.texts_of(self.ids[left]))
            has = np.array([text is not None for text in texts], dtype=bool)
            found[left] = -1
            found[left[has]] = look([text for text in texts if text is not None])
        table = np.full(len(self.column.alphabet), -1, np.int32)
        table[self.ids] = found
        return table[self.column.ids]


def _applied(name: str, function: Attribute, texts: list[str]) -> list[str | None]:
    """The attribute's values. They are checked all at once; if something is wrong, one by one, to find out which."""
    try:
        values = [function(text) for text in texts]
        "".join([value for value in values if value is not None]).encode()
    except Exception:
        values = [_apply(name, function, text) for text in texts]
    return values


def _apply(name: str, function: Attribute, text: str) -> str | None:
    """The attribute's value. Errors of a user's function name the function and the word."""
    try:
        value = function(text)
    except Exception as error:
        raise DataError(f"attribute {name!r} failed on {text!r}: {error!r}.") from error
    if value is None:
        return None
    if not isinstance(value, str):
        kind = type(value).__name__
        raise DataError(
            f"attribute {name!r} gave {printed(value):.60} for {text!r}, a{'n' * (kind[0] in 'aeiou')} {kind}; expected a text or None.",
            remedy="Give texts, such as str(value), or None where the word has no such attribute.",
        )
    if not is_unicode(value):
        raise DataError(
            f"attribute {name!r} gave {value!r:.60} for {text!r}; it holds a lone surrogate, which no UTF-8 file can hold."
        )
    return value


def _hashed(given: Given) -> Given:
    """The same features with hashes of their names as ids."""
    table = given.alphabet.hashes()
    return replace(given, ids=table[given.ids] if len(given.ids) else given.ids)


def _mapped(given: Given, alphabet: Alphabet, grow: bool) -> Given:
    """The same features with ids of the model's alphabet; unknown features are dropped."""
    table = alphabet.add_all(given.alphabet) if grow else alphabet.find_all(given.alphabet)
    ids = table[given.ids] if len(given.ids) else given.ids
    known = ids >= 0
    before = np.concatenate([[0], np.cumsum(known)]).astype(np.int64)
    return Given(
        alphabet, before[given.starts], np.ascontiguousarray(ids[known]), np.ascontiguousarray(given.values[known])
    )


def _merged(a: Given, b: Given) -> Given:
    """The features of both at every token."""
    owner = np.concatenate([np.repeat(np.arange(len(g.starts) - 1), np.diff(g.starts)) for g in (a, b)])
    order = np.argsort(owner, kind="stable")
    return Given(
        a.alphabet,
        a.starts + b.starts,
        np.concatenate([a.ids, b.ids])[order],
        np.concatenate([a.values, b.values])[order],
    )


def numbers_of(corpus: Corpus, column: int) -> NDArray[np.float64]:
    """The numbers of a column, token by token."""
    source = corpus.columns[column]
    table = np.zeros(len(source.alphabet))
    used = source.used()
    for i, text in zip(used, source.alphabet.texts_of(used), strict=True):
        try:
            table[i] = float(text)
        except ValueError:
            table[i] = math.nan
        if not abs(table[i]) <= LARGEST:
            token = int(np.argmax(source.ids == i))
            raise DataError(
                f"column {column} holds {text!r}, which number({column}) cannot use; expected a finite number up to {LARGEST:g}.",
                remedy="Mend the value, or leave number(...) out of the template.",
                file=corpus.name,
                line=corpus.line_of(token),
            )
    return np.asarray(table[source.ids])


def shifted(values: NDArray[np.float64], starts: NDArray[np.int64], offset: int) -> NDArray[np.float64]:
    """values[t + offset] within each sentence, 0 outside it."""
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    at = np.arange(len(values)) + offset
    inside = (at >= starts[sentence]) & (at < starts[sentence + 1])
    return np.where(inside, values[np.clip(at, 0, max(len(values) - 1, 0))], 0.0)
