"""Trees that are scored arc by arc: what was chosen for every token, and what speaks for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riata.data.pairs import parts_of
from riata.data.types import Ids
from riata.explaining.contributions import Path
from riata.explaining.structure import ScoredStructure, gold_ids
from riata.explaining.trace import Feature, Labels
from riata.models.arc_names import ArcNames
from riata.models.arc_outputs import ArcOutputs


@dataclass(frozen=True)
class ArcChoice:
    """The arc that was chosen for a token, and the best tree in which the token has another head.

    score: of the arc with its relation; of its siblings, too, if these are scored. margin: the score of the tree minus that of the best
    tree in which the token has another head; below 0 only if something other than the score decided, such as constraints. None: there is
    no such tree, and no such number.
    """

    head: int  # 0: the root
    relation: str
    score: float
    other_head: int | None  # in the best tree in which the head is another one
    other_relation: str | None
    margin: float | None
    confidence: float | None  # of the head; None: not known
    relation_confidence: float | None  # of the relation, whatever the head
    features: tuple[Feature, ...]  # of the arc, the strongest push first


class ScoredArcs(ScoredStructure):
    @property
    def relations(self) -> tuple[str, ...]:
        return self.model.outputs_as(ArcOutputs).relations

    def codes(self, labels: Sequence[Any]) -> Ids:
        pairs = [parts_of(one) if isinstance(one, str) else (str(one[0]), str(one[1])) for one in labels]
        relations = gold_ids([relation for _, relation in pairs], self.relations)
        heads = np.array([int(head) for head, _ in pairs], np.int32)
        return (heads * np.int32(len(self.relations)) + relations).astype(np.int32)

    def shown(self, codes: Ids) -> Labels:
        return tuple((str(head), relation) for head, relation in self._arcs(codes))

    def path(self, codes: Ids, name: str) -> Path:
        steps = [
            (f"{head} {relation}", features)
            for (head, relation), features in zip(self._arcs(codes), self._features(codes), strict=True)
        ]
        return Path(name, self.shown(codes), steps)

    def choices(self, codes: Ids, confidences: Any) -> tuple[ArcChoice, ...]:
        weights: Any = self.model.weights
        index, instances = self.model.features.index, self.model.features.instances(self.inputs)
        score = float(weights.scores_of(index, instances, codes)[0])
        others, scores = weights.other_heads(index, instances, codes)
        found = []
        for t, ((head, relation), features) in enumerate(zip(self._arcs(codes), self._features(codes), strict=True)):
            other_head, other_relation = self._arcs(others[t : t + 1])[0] if others[t] >= 0 else (None, None)
            sure = (None, None) if confidences is None else (float(confidences[0][t]), float(confidences[1][t]))
            pushing = sorted((f for f in features if f.push), key=lambda f: (-abs(f.push), f.name, str(f.label)))
            found.append(
                ArcChoice(
                    head=head,
                    relation=relation,
                    score=math.fsum(feature.push for feature in features),
                    other_head=other_head,
                    other_relation=other_relation,
                    margin=None if other_head is None else score - float(scores[t]),
                    confidence=sure[0],
                    relation_confidence=sure[1],
                    features=tuple(pushing),
                )
            )
        return tuple(found)

    def _arcs(self, codes: Ids) -> list[tuple[int, str]]:
        heads, numbers = np.divmod(codes, np.int32(len(self.relations)))
        return [(head, self.relations[number]) for head, number in zip(heads.tolist(), numbers.tolist(), strict=True)]

    def _features(self, codes: Ids) -> list[tuple[Feature, ...]]:
        """[T] The features of every arc that have a weight."""
        weights: Any = self.model.weights
        tokens, places = weights.tree_features(
            self.model.features.index, self.model.features.instances(self.inputs), codes
        )
        names = ArcNames(self.model)
        found: list[list[Feature]] = [[] for _ in range(len(codes))]
        for token, place in zip(tokens.tolist(), places.tolist(), strict=True):
            found[token].append(Feature(*names.name_of(place), 1.0, float(names.flat[place])))
        return [tuple(features) for features in found]
