"""Tags that are chosen together with the output: those that are likely for each token, as texts in one column, and in the core."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from riata._core import Instances
from riata.data.types import Column, Corpus, Ids

BETWEEN = " "  # tags that are likely; no column of a file holds one
DOUBT = "|"  # before tags that are far less likely than the first


def tags_in(text: str) -> list[str]:
    """The tags in a text of likely ones, the best first. A tag alone is such a text, too."""
    return [tag for tag in text.split(BETWEEN) if tag != DOUBT] or [text]


@dataclass(frozen=True)
class ChosenTags:
    """The tags of a model, and the column in which the texts of likely tags are."""

    tags: tuple[str, ...]
    column: int

    def apart(self, corpus: Corpus) -> Corpus:
        """The corpus with the best tags in place of the texts, which become one column more."""
        texts = corpus.columns[self.column]
        parts = Column.of([tags_in(text)[0] for text in texts.alphabet.texts()])
        best = Column(parts.alphabet, parts.ids[texts.ids] if len(parts.ids) else texts.ids)
        columns = (*corpus.columns[: self.column], best, texts)
        return replace(corpus, columns=columns, origin=tuple(range(len(columns))))

    def with_choices(self, instances: Instances, apart: Corpus) -> Instances:
        """The same instances with the tags that every token may have: those that are likely or, if the model has none of them, all."""
        texts = apart.columns[self.column + 1]
        if not len(texts.ids):
            return instances
        numbers = {tag: number for number, tag in enumerate(self.tags)}
        sets: list[list[int]] = []
        for text in texts.alphabet.texts():
            known = list(dict.fromkeys(numbers[tag] for tag in tags_in(text) if tag in numbers))
            sets.append(known or list(range(len(self.tags))))
        starts: Ids = np.cumsum([0, *map(len, sets)]).astype(np.int32)
        flat = np.array([tag for tags in sets for tag in tags], np.int32)
        instances.set_choices(starts, flat, texts.ids, len(self.tags), True)
        return instances
