"""Links by search: element after element of the source chooses its link, with features of the links before, which no assignment has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from riata.errors import UnsupportedError
from riata.learning.events import Listener
from riata.matching.corpora import LinkStructure, PairCorpora
from riata.matching.pairs import Link, Links
from riata.problems import model_file
from riata.problems.predictor import Predictor
from riata.problems.problem import Problem

ALONE = -1  # the choice of an element that has no link
FURTHEST = 4  # a step between links that is told from longer ones
State = tuple[int, ...]  # what each element so far has chosen
Weighed = list[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class LinkGrid:
    """A pair as it is searched: the features of every link that may be, and the links that are given."""

    rows: int
    features: list[dict[int, Weighed]]  # by row and column
    given: dict[int, int]
    room: int  # links of a target element


class LinkSearch(Problem):
    """Left to right through the source. A step is a target element, or none.

    costs: of a link that is missed, and of one that is false. The loss of a state counts links that no completion has any more: a maximum
    matching of the true links that are left.
    """

    def __init__(self, costs: tuple[float, float]) -> None:
        self.costs = costs

    def initial(self, x: LinkGrid) -> State:
        return ()

    def actions(self, x: LinkGrid, s: State) -> list[int]:
        row = len(s)
        if row in x.given:
            return [x.given[row]]
        kept = [column for later, column in x.given.items() if later > row]
        free = [j for j in x.features[row] if s.count(j) + kept.count(j) < x.room]
        return [*free, ALONE]

    def apply(self, x: LinkGrid, s: State, a: int) -> State:
        return (*s, a)

    def is_goal(self, x: LinkGrid, s: State) -> bool:
        return len(s) == x.rows

    def features(self, x: LinkGrid, s: State, a: int) -> Weighed:
        before = s[-1] if s else None
        if a == ALONE:
            return [("alone", 1.0), ("alone after alone" if before == ALONE else "alone after a link", 1.0)]
        last = next(((len(s) - n, j) for n, j in enumerate(reversed(s), 1) if j != ALONE), (-1, -1))
        step = max(-FURTHEST, min(FURTHEST, (a - last[1]) - (len(s) - last[0])))
        found = [*x.features[len(s)][a], (f"off the diagonal={step}", 1.0)]
        if before is not None and before != ALONE:
            found.append((f"next={max(-FURTHEST, min(FURTHEST, a - before))}", 1.0))
        if a in s:
            found.append(("again, next to it" if a == before else "again", 1.0))
        return found

    def regret(self, x: LinkGrid, s: State, y: Links) -> float:
        hits = sum((i, j) in y for i, j in enumerate(s))
        false = sum(j != ALONE for j in s) - hits
        left: list[list[int]] = [[] for _ in range(x.rows - len(s))]
        for i, j in sorted(y):
            if i >= len(s):
                left[i - len(s)].append(j)
        room = {j: x.room - s.count(j) for of in left for j in of}
        most = _matched(left, room)
        return self.costs[0] * (len(y) - hits - most) + self.costs[1] * false

    def output(self, x: LinkGrid, s: State, path: Sequence[Any]) -> list[Link]:
        return [(i, j) for i, j in enumerate(s) if j != ALONE]


def _matched(rows: list[list[int]], room: dict[int, int]) -> int:
    """How many rows can have one of their columns, by augmenting paths."""
    holders: dict[int, list[int]] = {}

    def place(row: int, seen: set[int]) -> bool:
        for column in rows[row]:
            if column in seen or room[column] <= 0:
                continue
            seen.add(column)
            held = holders.setdefault(column, [])
            if len(held) < room[column]:
                held.append(row)
                return True
            for at, other in enumerate(held):
                if place(other, seen):
                    held[at] = row
                    return True
        return False

    return sum(place(row, set()) for row in range(len(rows)) if rows[row])


class LinkSearcher:
    """Learns to search for links; asked as a StructurePredictor is."""

    def __init__(self, structure: LinkStructure, predictor: Predictor) -> None:
        self.structure = structure
        self.predictor = predictor

    @classmethod
    def of(
        cls, structure: LinkStructure, recipe: str, beam: Any, epochs: Any, seed: int, settings: Any
    ) -> LinkSearcher:
        rooms: Any = structure.fertility
        if rooms[0] != 1:
            raise UnsupportedError(
                f"fertility is {rooms}: a search gives every source element one link at most.",
                remedy="Use fertility=(1, n), or a recipe that solves assignments, such as m3n.",
            )
        more = {} if epochs is None else {"epochs": epochs}
        return cls(
            structure, Predictor(LinkSearch(structure.costs), recipe, beam=beam, seed=seed, settings=settings, **more)
        )

    def fit(self, pairs: Sequence[Any], Y: Sequence[Links], *, listener: Listener | None) -> LinkSearcher:
        truths = [frozenset(self.structure.parts_of(x, y)) for x, y in zip(pairs, Y, strict=True)]
        self.predictor.fit(self._grids(pairs), truths, listener=listener)
        return self

    def predict(self, X: Iterable[Any]) -> list[list[Link]]:
        found: list[list[Link]] = self.predictor.predict(self._grids(X))
        return found

    def predict_nbest(self, X: Iterable[Any], k: int) -> list[list[tuple[list[Link], float]]]:
        found: list[list[tuple[list[Link], float]]] = self.predictor.predict_nbest(self._grids(X), k)
        return found

    def score_parts(self, X: Iterable[Any]) -> Any:
        raise UnsupportedError(
            "links of a search have no scores of their own: they depend on the links before.",
            remedy="Learn with a recipe that solves assignments, such as m3n.",
        )

    def weights(self) -> dict[str, float]:
        return {str(name): weight for name, weight in self.predictor.weights().items()}

    @property
    def facts_(self) -> dict[str, Any]:
        return {"recipe": self.predictor.recipe, "structure": "search", "parts": self.predictor.facts_["examples"]}

    def to_bytes(self) -> bytes:
        return model_file.to_bytes(self.predictor)

    def _grids(self, X: Iterable[Any]) -> list[LinkGrid]:
        made = PairCorpora(self.structure)
        pairs = made.inputs(X)
        corpus, parts = made.corpus(pairs)  # refuses links that are given and cannot all be
        given = corpus.given
        assert given is not None
        names = given.alphabet.texts()
        place, grids = 0, []
        rooms: Any = self.structure.fertility
        for pair, of in zip(pairs, parts, strict=True):
            features: list[dict[int, Weighed]] = [{} for _ in pair.source]
            for i, j in of:
                low, high = given.starts[place], given.starts[place + 1]
                features[i][j] = [
                    (names[k], float(v)) for k, v in zip(given.ids[low:high], given.values[low:high], strict=True)
                ]
                place += 1
            grids.append(LinkGrid(len(pair.source), features, dict(sorted(pair.given)), rooms[1]))
        return grids
