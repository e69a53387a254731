"""The first pass over a file that is too long for memory: whether it is valid, its labels, and their encoding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riata import registry
from riata.choosing.options import Options
from riata.data.chunk_labels import shown_encodings
from riata.data.documents import Bounds
from riata.data.encodings.base import Encoding, least_broken
from riata.data.profile import SAMPLE
from riata.data.recoding import Tags
from riata.data.streamed import ColumnFile
from riata.data.types import Corpus
from riata.errors import UnsupportedError
from riata.features.frequency import FREQUENCY
from riata.features.templates import Template
from riata.learning.development import check_dev
from riata.learning.events import Listener, Note, ignore
from riata.learning.labels import (
    as_learnt,
    check_label_count,
    counts_of,
    illegal_note,
    legal,
    one_label,
    refuse_plain_tags,
)


@dataclass(frozen=True, eq=False)
class Survey:
    shape: Corpus  # all columns, without sentences
    sample: Corpus  # the first sentences
    sentences: int
    tokens: int
    counts: dict[str, int]  # counts of labels as they are learnt, with illegal tags read as conlleval does
    tags: Tags | None  # None: plain labels
    documents: Bounds | None = None  # None: no documents are marked


def survey(file: ColumnFile, options: Options, tell: Listener, *, fresh: bool) -> Survey:
    """fresh: whether there is no model to continue from, so that the templates are those of the options."""
    check_dev(options)
    encodings: dict[str, Encoding] = {}
    if options.chunks:
        named = options.encoding != "auto"
        encodings = {options.encoding: registry.get("encoding", options.encoding)} if named else shown_encodings()
    broken: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    sentences = tokens = 0
    shape: Corpus | None = None
    documents = _Documents()
    for part in file.parts():
        if shape is None:  # errors in the options are reported before the rest is read
            shape, sample = part[:0], part[: np.searchsorted(part.starts, SAMPLE)]
            if fresh:
                _check_templates(options.templates(part.width - 1))
        documents.add(part, sentences)
        sentences, tokens = sentences + len(part), tokens + part.tokens
        counts.update(counts_of(part.columns[-1]))
        if encodings:
            refuse_plain_tags(part, options.encoding)
        check_label_count(counts, file.name)
        for name, encoding in encodings.items():
            column = part.columns[-1]
            broken[name] += len(encoding.violations(column.alphabet.texts(), column.ids, part.starts))
    assert shape is not None  # the reader refuses a file without tokens
    if fresh and len(counts) == 1:
        raise one_label(next(iter(counts)), shape, shape.origins[-1])
    tell(Note(f"{file.name}: {sentences:,} sentences, {tokens:,} tokens; every epoch reads them in parts."))
    found = as_learnt(least_broken(encodings, broken), options.learn_as) if encodings else None
    if found is not None and (broken[found.data.name] or found.recoded):
        counts = _learnt_counts(file, found, broken[found.data.name], options, tell)
    return Survey(shape, sample, sentences, tokens, dict(counts), found, documents.bounds())


class _Documents:
    """Where documents begin; only one number per document is stored."""

    def __init__(self) -> None:
        self._first, self._last, self._marked = [0], 0, False

    def add(self, part: Corpus, before: int) -> None:
        """before: the number of sentences of all earlier parts."""
        if part.document is None:
            return
        if not self._marked and before == 0:
            self._last = int(part.document[0])
        self._marked = True
        begins = np.flatnonzero(np.diff(part.document, prepend=self._last))
        self._first += (before + begins).tolist()
        self._last = int(part.document[-1])

    def bounds(self) -> Bounds | None:
        first = np.array(self._first, np.int64)
        return Bounds(first, first[1:]) if self._marked else None


def _check_templates(templates: Sequence[Template]) -> None:
    if any(read.attribute == FREQUENCY for template in templates for read in template.reads):
        raise UnsupportedError(
            f"{FREQUENCY} needs counts of all words before the first sentence is learnt from; stream=True does not hold them.",
            remedy=f"Leave out stream, or {FREQUENCY} from the template.",
        )


def _learnt_counts(file: ColumnFile, tags: Tags, wrong: int, options: Options, tell: Listener) -> Counter[str]:
    """Counts of labels as they are learnt, with illegal tags read as conlleval does. Needs another pass, since the encoding was unknown."""
    counts: Counter[str] = Counter()
    told = False
    for part in file.parts():
        mended = legal(part, tags.data, strict=options.strict, listener=ignore)
        if mended is not part and not told:
            tell(illegal_note(part, tags.data, wrong))
            told = True
        counts.update(counts_of(tags.learnt_column(mended.columns[-1], part.starts)))
    return counts
