"""Why a pair gets its links: the table of possible links as a picture, and the features of some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.matching.pairs import Link, LinkedPair
from riata.problems.parts_explained import weighed
from riata.showing.table import Table, as_text

if TYPE_CHECKING:
    from riata.problems.structure_predictor import StructurePredictor

HIT, POSSIBLE, FALSE, MISS, NOTHING = "#", "+", "x", "o", "."
LEGEND = f"{HIT} found and sure, {POSSIBLE} found and possible, {FALSE} found and false, {MISS} missed"
PLAIN = f"{HIT} found"
MOST = 8  # features of a link that are shown
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class LinkExplained:
    """A possible link, its score, and the features that make up the score, heaviest first."""

    link: Link
    kind: str  # found, false, missed, or another link that was asked for
    words: tuple[str, str]
    score: float
    features: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class LinksExplained:
    """The picture of a pair, and links one by one."""

    pair: LinkedPair
    found: frozenset[Link]
    scores: Scores  # [source, target]; minus infinity where no link may be
    links: tuple[LinkExplained, ...]

    def mark(self, i: int, j: int) -> str:
        link, sure = (i, j), set(self.pair.sure)
        if link in self.found:
            known = sure or set(self.pair.possible)
            return HIT if link in sure or not known else POSSIBLE if link in set(self.pair.possible) else FALSE
        return MISS if link in sure else NOTHING

    def picture(self) -> str:
        """A line for each source word, a column for each target word."""
        rows, columns = self.pair.shape
        wide = max([len(str(word)) for word in self.pair.source], default=0)
        lines = [
            f"{self.pair.source[i]!s:>{wide}} " + " ".join(self.mark(i, j) for j in range(columns)) for i in range(rows)
        ]
        deep = max([len(str(word)) for word in self.pair.target], default=0)
        words = [str(word).ljust(deep) for word in self.pair.target]
        lines += [" " * (wide + 1) + " ".join(word[k] for word in words).rstrip() for k in range(deep)]
        return "\n".join([*lines, LEGEND if self.pair.sure else PLAIN])

    def table(self) -> Table:
        rows = []
        for one in self.links:
            shown = ", ".join(f"{name} {value:+.2f}" for name, value in one.features[:MOST])
            more = len(one.features) - MOST
            text = shown + (f", {more} more" if more > 0 else "")
            rows.append(("-".join(map(str, one.link)), " ".join(one.words), one.kind, one.score, text))
        return Table("Links", ("link", "words", "is", "score", "features"), rows)

    def __str__(self) -> str:
        return f"{self.picture()}\n\n{as_text(self.table())}"

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        return Group(Text(self.picture()), self.table().__rich__())

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.picture())}</pre>{self.table().to_html()}"


def features_of(
    learnt: StructurePredictor, pair: LinkedPair, links: Sequence[Link]
) -> dict[Link, tuple[tuple[str, float], ...]]:
    """The features of possible links, each with its value times its weight; none of forbidden links."""
    corpus, [parts] = learnt._parts.corpus([pair])
    places = {part: place for place, part in enumerate(parts)}
    known = [link for link in links if link in places]
    found = weighed(learnt.model_, corpus, [places[link] for link in known])
    return dict.fromkeys(links, ()) | dict(zip(known, found, strict=True))
