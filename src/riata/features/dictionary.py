"""The tags that a word may have: those that training has seen it with, or those of similar words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from riata._core import Instances
from riata.data.types import Column, Ids
from riata.features.attributes import outline

ENOUGH = 30  # tokens of similar rare words from which on their tags are taken to be complete
Tags = tuple[int, ...]


def looks(word: str) -> Iterator[Hashable]:
    """Descriptions of a rare word, the most precise first."""
    shape = outline(word)
    for length in (3, 2, 1, 0):
        yield shape, word[len(word) - length :].lower() if length else ""
    yield None


@dataclass(frozen=True, eq=False)
class TagDictionary:
    """Words seen at least this number of times have the tags that they were seen with; others have those of all rare words that look alike.

    With 0, every word may have all tags.
    """

    tags: tuple[str, ...]
    least: int
    counts: dict[tuple[str, int], int]  # by word and number of the tag

    def with_counts(self, words: Column, tags: Ids) -> TagDictionary:
        """The dictionary after these tokens have been added."""
        counts = dict(self.counts)
        pairs = words.ids.astype(np.int64) * len(self.tags) + tags
        texts = words.alphabet.texts()
        for pair, number in zip(*np.unique(pairs, return_counts=True), strict=True):
            key = texts[int(pair) // len(self.tags)], int(pair) % len(self.tags)
            counts[key] = counts.get(key, 0) + int(number)
        return TagDictionary(self.tags, self.least, counts)

    @cached_property
    def _known(self) -> tuple[dict[str, Tags], dict[Hashable, Tags]]:
        """The tags of words that are not rare, and of rare words by their descriptions."""
        words: dict[str, dict[int, int]] = {}
        for (word, tag), count in self.counts.items():
            words.setdefault(word, {})[tag] = count
        frequent: dict[str, Tags] = {}
        alike: dict[Hashable, set[int]] = {None: set()}
        tokens: dict[Hashable, int] = {}
        for word, seen in words.items():
            if sum(seen.values()) >= self.least:
                frequent[word] = tuple(sorted(seen))
                continue
            for look in looks(word):
                alike.setdefault(look, set()).update(seen)
                tokens[look] = tokens.get(look, 0) + sum(seen.values())
        rare = {look: tuple(sorted(tags)) for look, tags in alike.items() if look is None or tokens[look] >= ENOUGH}
        rare[None] = rare[None] or tuple(range(len(self.tags)))
        return frequent, rare

    def of(self, word: str) -> Tags:
        """The tags that a word may have."""
        if not self.least:
            return tuple(range(len(self.tags)))
        frequent, rare = self._known
        return frequent.get(word) or next(rare[look] for look in looks(word) if look in rare)

    def with_choices(self, instances: Instances, words: Column) -> Instances:
        """The same instances, with the tags that every token may have."""
        if not self.least or not len(words.ids):
            return instances
        sets: dict[Tags, int] = {}
        used = words.used()
        table = np.zeros(len(words.alphabet), np.int32)
        table[used] = [sets.setdefault(self.of(word), len(sets)) for word in words.alphabet.texts_of(used)]
        starts = np.concatenate([[0], np.cumsum([len(tags) for tags in sets])]).astype(np.int32)
        flat = np.array([tag for tags in sets for tag in tags], np.int32)
        instances.set_choices(starts, flat, table[words.ids], len(self.tags))
        return instances
