"""The tags, or labels, that a word may have: those that training has seen it with; of rare words all, or those of similar words."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from riata._core import Alphabet, Instances
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
    """Words seen at least this number of times have the tags that they were seen with; others have all tags or, with `alike`, those of
    all rare words that look alike.

    With 0, every word may have all tags.
    """

    tags: tuple[str, ...]
    least: int
    counts: dict[tuple[str, int], int]  # by word and number of the tag
    alike: bool = True

    def with_counts(self, words: Column, tags: Ids) -> TagDictionary:
        """The dictionary after these tokens have been added. tags: -1 where a tag is unknown, so that it is not counted."""
        counts = dict(self.counts)
        pairs = (words.ids.astype(np.int64) * len(self.tags) + tags)[tags >= 0]
        texts = words.alphabet.texts()
        for pair, number in zip(*np.unique(pairs, return_counts=True), strict=True):
            key = texts[int(pair) // len(self.tags)], int(pair) % len(self.tags)
            counts[key] = counts.get(key, 0) + int(number)
        return replace(self, counts=counts)

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
            for look in looks(word) if self.alike else ():
                alike.setdefault(look, set()).update(seen)
                tokens[look] = tokens.get(look, 0) + sum(seen.values())
        rare = {look: tuple(sorted(tags)) for look, tags in alike.items() if look is None or tokens[look] >= ENOUGH}
        rare[None] = rare[None] or self.all_tags
        return frequent, rare

    @cached_property
    def all_tags(self) -> Tags:
        return tuple(range(len(self.tags)))

    def of(self, word: str) -> Tags:
        """The tags that a word may have."""
        if not self.least:
            return self.all_tags
        frequent, rare = self._known
        found = frequent.get(word)
        if found is None:
            return next(rare[look] for look in looks(word) if look in rare) if self.alike else self.all_tags
        return found

    def frequent(self) -> tuple[Alphabet, Ids, Ids, Ids]:
        """The words that are not rare, in the form of the core: words; where each set of tags begins; the tags of the sets; the set of each
        word. The first set has all tags.
        """
        words, sets = Alphabet(), {self.all_tags: 0}
        of = [sets.setdefault(tags, len(sets)) for word, tags in self._known[0].items() if words.add(word) >= 0]
        return words, *_flat(sets), np.array(of, np.int32)

    def with_choices(self, instances: Instances, words: Column) -> Instances:
        """The same instances, with the tags that every token may have."""
        if not self.least or not len(words.ids):
            return instances
        sets = {self.all_tags: 0}
        used = words.used()
        table = np.zeros(len(words.alphabet), np.int32)
        table[used] = [sets.setdefault(self.of(word), len(sets)) for word in words.alphabet.texts_of(used)]
        instances.set_choices(*_flat(sets), table[words.ids], len(self.tags))
        return instances


def _flat(sets: Iterable[Tags]) -> tuple[Ids, Ids]:
    """Where each set begins, then the end; and the tags of all sets."""
    starts = np.concatenate([[0], np.cumsum([len(tags) for tags in sets])]).astype(np.int32)
    return starts, np.array([tag for tags in sets for tag in tags], np.int32)
