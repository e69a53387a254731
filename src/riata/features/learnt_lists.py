"""Lists learnt from training data: words that are seen only as names."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from riata.data.chunk_boundaries import is_extended, spans_of
from riata.data.memory import as_corpus
from riata.errors import DataError, SettingError


def learnt_lists(data: Any, *, least: int = 2) -> dict[str, list[str]]:
    """Words that occur in the data inside chunks of one type alone, and at least so often, by type. The last column has the chunk labels.

    >>> learnt_lists([[("Ada", "B-PER"), ("left", "O")], [("Ada", "B-PER"), ("and", "O"), ("Bo", "B-PER")]])
    {'PER': ['Ada']}
    """
    corpus = as_corpus(data)
    if isinstance(least, bool) or not isinstance(least, int) or least < 1:
        raise SettingError(f"least is {least!r}; expected a whole number of at least 1.")
    if corpus.width < 2:
        raise DataError("lists are learnt from words and chunk labels, which the data do not have.", file=corpus.name)
    extended = is_extended(corpus.columns[-1].alphabet.texts())
    times: Counter[str] = Counter(corpus.columns[0].texts())
    inside: dict[str, Counter[str]] = defaultdict(Counter)
    for words, labels in zip(corpus.sentences_of(0), corpus.sentences_of(corpus.width - 1), strict=True):
        for start, end, type_ in spans_of(labels, extended=extended):
            inside[type_].update(words[start:end])
    found = {
        type_: sorted(word for word, number in counts.items() if number == times[word] >= least)
        for type_, counts in sorted(inside.items())
    }
    return {type_: words for type_, words in found.items() if words}
