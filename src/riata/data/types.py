"""A corpus: columns of ids over sentences, and what a user sees of it."""

from __future__ import annotations

import copyreg
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet
from riata.data.token_vectors import TokenVectors
from riata.errors import DataError
from riata.settings import ANY, Setting

if TYPE_CHECKING:
    from riata.data.named_features import Given
from typing import TYPE_CHECKING

from riata.errors import LabelError

Ids = NDArray[np.int32]
# Of CoNLL-U: all fields by name, and those that hold labels of words.
FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
LABELS = ("upos", "xpos", "feats", "deprel")
Starts = NDArray[np.int64]
Token = tuple[str, ...]

# Corpora are copied and pickled (scikit-learn clones estimators with their development data), and alphabets with them.
copyreg.pickle(Alphabet, lambda alphabet: (_alphabet_of, (alphabet.texts(),)))


def _alphabet_of(texts: list[str]) -> Alphabet:
    alphabet = Alphabet()
    alphabet.add_many(texts)
    return alphabet


class Span(NamedTuple):
    """Tokens start to end - 1 of a sentence, and what they are.

    >>> riata.Span(0, 2, "NP")
    Span(start=0, end=2, type='NP')
    >>> riata.Span(0, 2, "NP").type
    'NP'
    """

    start: int
    end: int
    type: str

    @property
    def label(self) -> str:
        """The type, as predicted spans call it."""
        return self.type


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a corpus. The alphabet may hold texts that no token has (after slicing)."""

    alphabet: Alphabet
    ids: Ids  # [N]

    @classmethod
    def of(cls, texts: Sequence[str], where: Callable[[int], str] | None = None) -> Column:
        """where: says in an error where a text stands."""
        return cls(*interned(texts, where))

    def texts(self) -> list[str]:
        known = self.alphabet.texts()
        return [known[i] for i in self.ids]

    def used(self) -> Ids:
        """The ids that occur, in ascending order."""
        occurs = np.zeros(len(self.alphabet), bool)
        occurs[self.ids] = True
        return np.flatnonzero(occurs).astype(np.int32)

    def numbered(self, labels: Sequence[str]) -> Ids:
        """[N] the texts as indices of these labels; -1 where a text is none of them."""
        at = {label: i for i, label in enumerate(labels)}
        table = np.array([at.get(text, -1) for text in self.alphabet.texts()], np.int32)
        return table[self.ids]


class Sentence(Sequence[Token]):
    """One sentence: a sequence of tokens, each a tuple of its columns.

    >>> sentence = riata.load("embedded", "train")[0]
    >>> sentence[0]
    ('Harwick', 'NNP', 'B-NP')
    >>> sentence.column(0)[:4]
    ['Harwick', 'council', 'scraps', 'weekend']
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tuple(tokens)

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Token, ...]: ...
    def __getitem__(self, index: int | slice) -> Token | tuple[Token, ...]:
        return self._tokens[index]

    def __len__(self) -> int:
        return len(self._tokens)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sentence) and self._tokens == other._tokens

    def __hash__(self) -> int:
        return hash(self._tokens)

    def column(self, index: int) -> list[str]:
        return [token[index] for token in self._tokens]

    def __repr__(self) -> str:
        words = " ".join(token[0] for token in self._tokens)
        return f"<Sentence of {len(self)} tokens: {words if len(words) <= 60 else words[:57] + '...'}>"


LONG, SEVERAL = 1000, 20  # tokens of a sentence that is rather a whole file, and sentences of a file


@dataclass(frozen=True, eq=False)
class Corpus(Sequence[Sentence]):
    """Sentences in columns. Indexing gives a Sentence; a slice, an index array or a mask gives a Corpus.

    >>> corpus = riata.load("embedded", "train")
    >>> len(corpus), corpus.tokens, corpus.width
    (352, 4806, 3)
    >>> corpus[0]
    <Sentence of 6 tokens: Harwick council scraps weekend parking fees>
    >>> corpus[:10].tokens
    130
    >>> corpus.sentences_of(1)[0][:4]
    ['NNP', 'NN', 'VBZ', 'NN']
    """

    columns: tuple[Column, ...]
    starts: Starts  # [S + 1]
    name: str = "<memory>"
    lines: NDArray[np.int64] | None = None  # [N] line of each token in the file it came from
    documents: tuple[tuple[str, int], ...] = ()  # -DOCSTART- lines and the sentence each precedes
    comments: tuple[str, ...] = ()  # [S] comment lines of each sentence, or empty
    others: tuple[tuple[str, int], ...] = ()  # lines that are no words (CoNLL-U: 3-4, 8.1), and the place of each
    sources: tuple[Any, ...] = ()  # [S] what each sentence was read from, where predictions are to be written beside it
    names: tuple[str, ...] = ()  # of the columns of the source by number, where the file gives them names
    separator: str = " "
    format: str = "memory"  # what it was read from: memory, text or a format of files
    origin: tuple[int, ...] | None = None  # which columns of its source these are; None: all of them, in order
    breadth: int | None = None  # how many columns the source has; None: as many as these
    candidate_columns: str = (
        ""  # where labels might be, if the last column holds only one: other columns of the source, in words
    )
    given: Given | None = None  # features named by the user, instead of or beside columns
    vectors: TokenVectors | None = None  # numbers of every token, instead of or beside columns
    known: KnownLabels | None = None  # what decoding must give
    document: Ids | None = None  # [S] the number of each sentence's document, rising in a file; None: none are marked
    context: tuple[Column, ...] | None = None  # what a first pass says of the tokens, for the second of two passes
    true_tags: Column | None = None  # where tags are outputs, beside the last columns
    # Where tokens are places of parts: [S] which sets of parts are outputs; [N] what an error at a place costs, None: 1.
    output_sets: tuple[Any, ...] = ()
    costs: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def tokens(self) -> int:
        return int(self.starts[-1])

    @property
    def width(self) -> int:
        return len(self.columns)

    @property
    def is_wordless(self) -> bool:
        """Whether tokens have named features or vectors instead of words."""
        return self.given is not None or (self.vectors is not None and all(origin < 0 for origin in self.origins))

    @property
    def array_width(self) -> int | None:
        """How many numbers each token has; None if there are none."""
        return None if self.vectors is None else self.vectors.width

    @property
    def origins(self) -> tuple[int, ...]:
        """The number of each column in the source; -1 for a column that was added."""
        return tuple(range(self.width)) if self.origin is None else self.origin

    def column_name(self, column: int) -> str:
        """What messages call a column: its number in the source, and the field of CoNLL-U."""
        at = self.origins[column] if self.origins[column] >= 0 else column
        names = FIELDS if self.format == "conllu" else self.names
        return f"column {at}" + (f" ({names[at]})" if at < len(names) else "")

    @property
    def places(self) -> Starts:
        """The place of each sentence, for lines between: every token has one, and so has the end of every sentence."""
        return self.starts[:-1] + np.arange(len(self))

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[np.int64] | NDArray[np.bool_]) -> Corpus: ...
    def __getitem__(
        self, index: int | slice | Sequence[int] | NDArray[np.int64] | NDArray[np.bool_]
    ) -> Sentence | Corpus:
        if isinstance(index, (int, np.integer)):
            return self._sentence(int(index))
        return self._subset(np.arange(len(self))[index])

    def _sentence(self, index: int) -> Sentence:
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"sentence {index} of {len(self)}")
        low, high = self.starts[index], self.starts[index + 1]
        rows = [[c.alphabet.text(int(i)) for i in c.ids[low:high]] for c in self.columns]
        return Sentence(list(zip(*rows, strict=True)))

    def _subset(self, chosen: NDArray[np.int64]) -> Corpus:
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.repeat(self.starts[:-1][chosen] - starts[:-1], lengths) + np.arange(starts[-1])
        return replace(
            self,
            columns=tuple(Column(c.alphabet, c.ids[at]) for c in self.columns),
            starts=starts,
            lines=None if self.lines is None else self.lines[at],
            documents=self._documents_of(chosen) if self.documents else (),
            comments=tuple(self.comments[i] for i in chosen) if self.comments else (),
            others=self._others_of(chosen, starts) if self.others else (),
            sources=tuple(self.sources[i] for i in chosen) if self.sources else (),
            given=None if self.given is None else self.given.take(at),
            vectors=None if self.vectors is None else self.vectors.take(chosen, at),
            known=None if self.known is None else self.known.take(at),
            document=None if self.document is None else self.document[chosen],
            context=None if self.context is None else tuple(Column(c.alphabet, c.ids[at]) for c in self.context),
            true_tags=None if self.true_tags is None else Column(self.true_tags.alphabet, self.true_tags.ids[at]),
            output_sets=tuple(self.output_sets[i] for i in chosen) if self.output_sets else (),
            costs=None if self.costs is None else self.costs[at],
        )

    def _documents_of(self, chosen: NDArray[np.int64]) -> tuple[tuple[str, int], ...]:
        """The -DOCSTART- lines before these sentences, once where a sentence is repeated."""
        lines = defaultdict(list)
        for text, sentence in self.documents:
            lines[sentence].append(text)
        new = np.flatnonzero(np.diff(chosen, prepend=-1)).tolist()
        return tuple((text, k) for k in new for text in lines.get(int(chosen[k]), ()))

    def _others_of(self, chosen: NDArray[np.int64], starts: Starts) -> tuple[tuple[str, int], ...]:
        """The lines between the tokens of these sentences; starts: of the new corpus."""
        places, lines = self.places, defaultdict(list)
        for text, place in self.others:
            sentence = int(np.searchsorted(places, place, "right")) - 1
            lines[sentence].append((text, place - int(places[sentence])))
        new = enumerate(chosen.tolist())
        return tuple((text, int(starts[k]) + k + offset) for k, s in new for text, offset in lines.get(s, ()))

    def __iter__(self) -> Iterator[Sentence]:
        texts = [c.texts() for c in self.columns]
        for low, high in zip(self.starts[:-1], self.starts[1:], strict=True):
            yield Sentence(list(zip(*(t[low:high] for t in texts), strict=True)))

    def select(self, columns: Sequence[int]) -> Corpus:
        """A corpus of these columns, in this order."""
        for index in columns:
            if not -self.width <= index < self.width:
                raise DataError(
                    f"column {index} is out of range: the data have {self.width} columns, 0 to {self.width - 1}.",
                    remedy="Choose columns that are there (--inputs, --outputs; in Python, corpus.select).",
                    file=self.name,
                )
        return replace(
            self,
            columns=tuple(self.columns[i] for i in columns),
            origin=tuple(self.origins[i] for i in columns),
            breadth=self.width if self.breadth is None else self.breadth,
            documents=tuple((_selected(line, columns, self.separator), at) for line, at in self.documents),
        )

    def sentences_of(self, column: int) -> list[list[str]]:
        """One column as lists of strings, one list per sentence."""
        texts = self.columns[column].texts()
        return [texts[low:high] for low, high in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def line_of(self, token: int) -> int | None:
        return None if self.lines is None else int(self.lines[token])

    def odd_lengths(self) -> str:
        """What is odd about the sentences of a file: they do not end where they should. Empty: nothing."""
        lengths = np.diff(self.starts)
        if self.lines is None or not len(lengths):
            return ""
        if lengths.max() > LONG:
            longest = int(np.argmax(lengths))
            place, size = self.line_of(int(self.starts[longest])), int(lengths[longest])
            return f"a sentence of {size:,} tokens begins in line {place}. Do blank lines end the sentences?"
        if lengths.max() == 1 and len(self) >= SEVERAL:
            return "every sentence has one token, which has no neighbours. Are there blank lines between tokens?"
        return ""

    def __repr__(self) -> str:
        return f"<Corpus {self.name}: {len(self):,} sentences, {self.tokens:,} tokens, {self.width} columns>"


def check_kind(data: Corpus, width: int | None, *, words: bool) -> None:
    """Refuses data of another kind than a model was trained on: with arrays of so many columns, or without (None).

    words: whether it reads words; without words and arrays, it reads dictionaries.
    """
    if data.array_width == width and (words or width is not None or data.given is not None):
        return
    found = "words" if data.given is None and data.vectors is None else _kind(data.array_width, words=False)
    raise DataError(
        f"the model reads {_kind(width, words=words)}; found {found}.",
        remedy="Give words and arrays together, as in training: riata.with_vectors(sentences, arrays)."
        if words and width is not None
        else "Give the features of each token, as in training.",
        file=data.name,
    )


def _kind(width: int | None, *, words: bool) -> str:
    if width is None:
        return "words" if words else "dictionaries of features"
    return f"{'words and ' * words}arrays of {width} columns"


def _selected(line: str, columns: Sequence[int], separator: str) -> str:
    """A -DOCSTART- line with as many columns as were selected: its own, as far as it has them."""
    fields = line.split("\t") if separator == "\t" else line.split()
    kept = [fields[i] if -len(fields) <= i < len(fields) else "O" for i in columns]
    return separator.join([fields[0], *kept[1:]])


def interned(texts: Sequence[str], where: Callable[[int], str] | None = None) -> tuple[Alphabet, NDArray[np.int32]]:
    """An alphabet of the texts, and the id of each. where: says in an error where a text stands."""
    alphabet = Alphabet()
    try:
        return alphabet, alphabet.add_many(list(texts))
    except TypeError:
        at, bad = next((i, text) for i, text in enumerate(texts) if not is_unicode(text))
        raise DataError(
            f"{'' if where is None else f'{where(at)}: '}the text {bad!r:.60} holds a lone surrogate, which no UTF-8 file can hold.",
            remedy='Decode the text with its own encoding, and not with errors="surrogateescape".',
        ) from None


def is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


SAMPLE = 20_000  # tokens from which keys of dictionaries and columns of arrays are profiled
UNKNOWN = ""  # as a label; no file has an empty column
UNKNOWN_LABELS = "unknown labels"  # an operation
MARK = Setting(
    "unknown",
    "",
    "labels written so are unknown, and all that they may be is summed over",
    needs={ANY: (UNKNOWN_LABELS,)},
)


def is_unknown(column: Column) -> NDArray[np.bool_]:
    """[N] whether the label of a token is unknown."""
    table = np.array([text == UNKNOWN for text in column.alphabet.texts()], np.bool_)
    return table[column.ids] if len(table) else np.zeros(0, np.bool_)


def hidden(corpus: Corpus, mark: str) -> Corpus:
    """The corpus whose labels, in the last column, are unknown where they are written so."""
    column = corpus.columns[-1]
    if not mark or mark not in column.alphabet.texts():
        return corpus
    texts = [UNKNOWN if text == mark else text for text in column.texts()]
    return replace(corpus, columns=(*corpus.columns[:-1], Column.of(texts)))


def check_some_known(corpus: Corpus) -> None:
    if is_unknown(corpus.columns[-1]).all():
        raise DataError("no label is known: there is nothing to learn.", file=corpus.name)


def check_all_known(dev: Corpus) -> None:
    """Refuses development data that cannot be scored."""
    unknown = is_unknown(dev.columns[-1])
    if unknown.any():
        token = int(np.argmax(unknown))
        raise DataError(
            f"the development data have {int(unknown.sum()):,} unknown labels, so they cannot be scored.",
            remedy="Give sentences with all labels as dev, or leave it out.",
            file=dev.name,
            line=dev.line_of(token),
        )


FREE = "None, or _ in a file"  # how a token is left without a label


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """Of every token the label that it must have, or none."""

    names: tuple[str, ...]  # [M] labels, as the data have them
    sets: NDArray[np.uint8]  # [M, labels of the model] flags: which ones are written so
    of: Ids  # [N] which of the names a token has; -1: any label will do
    rules: str  # what makes labels legal, in words
    by_line: bool  # lines of the file say where a token is; otherwise the numbers of sentence and token
    tags: Ids | None = None  # [N] numbers of tags, where tags are chosen beside the labels; -1: any tag will do

    def take(self, at: NDArray[np.int64]) -> KnownLabels:
        return replace(self, of=self.of[at], tags=None if self.tags is None else self.tags[at])

    def impossible(self, corpus: Corpus, token: int) -> LabelError:
        """What to say where no legal labelling goes on at a token."""
        number = int(self.of[token])
        what = "goes on" if number < 0 else f"has {self.names[number]!r}"
        here = place(corpus, token, by_line=self.by_line)
        return LabelError(
            f"no legal labelling {what} {here} beside what else is given; legal are {self.rules}.",
            remedy=f"Give labels that can stand together, or leave some of them free ({FREE}).",
            file=corpus.name,
            line=corpus.line_of(token),
        )


def place(corpus: Corpus, token: int, *, by_line: bool) -> str:
    """Where a token stands, so far as its line does not say it."""
    if by_line:
        return "here"
    sentence = int(np.searchsorted(corpus.starts, token, "right")) - 1
    return f"at token {token - int(corpus.starts[sentence])} of sentence {sentence} (both from 0)"


class PerSentence(list[Any]):
    """A list with one entry per sentence, itself a list or an array.

    As an array it has one dimension, whatever the lengths of sentences are: scikit-learn's cross_val_predict joins such arrays.
    """

    __slots__ = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        found = np.empty(len(self), object)
        for i, sentence in enumerate(self):
            found[i] = sentence
        return found if dtype is None else found.astype(dtype)


def inputs_of(data: Corpus) -> Corpus:
    """The corpus without its output column."""
    return data.select(range(data.width - 1))
