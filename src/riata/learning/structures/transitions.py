"""Learning dependency trees that are built by moves, by search. Systems without crossing arcs learn the closest trees without them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from riata.data.recoding import Tags
from riata.data.trees import heads_and_relations
from riata.data.types import Column, Corpus, Ids, Starts
from riata.errors import SettingError
from riata.features.transitions import TransitionFeatures
from riata.inference.structures.transitions import CROSSING
from riata.learning.arcs import LearntArcs, RelationSet
from riata.learning.events import Listener
from riata.learning.labels import LabelSet
from riata.learning.structures.projective import LearntProjective
from riata.models.structures.transitions import TransitionOutputs


@dataclass(frozen=True, eq=False)
class RootedRelations(RelationSet):
    root: str = ""  # the most frequent relation of roots


class LearntTransitions(LearntProjective):
    as_they_are = "system='swap' learns them as they are."

    def new_outputs(self) -> TransitionOutputs:  # type: ignore[override]
        assert isinstance(self.labels, RootedRelations)
        return TransitionOutputs(self.labels.labels, self.labels.root, self.options.settings["system"])

    @staticmethod
    def label_set(data: Corpus, tags: Tags | None, extra: tuple[str, ...], *, fresh: bool) -> LabelSet:
        found = LearntArcs.label_set(data, tags, extra, fresh=fresh)
        return RootedRelations(found.labels, found.counts, None, root=root_relation(data.columns[-1], found.labels))

    def new_features(self, width: int) -> TransitionFeatures:  # type: ignore[override]
        options = self.options
        return TransitionFeatures(options.templates(width), options.functions, options.word_lists(), tags=width > 1)

    def learnable(self, codes: Ids, starts: Starts, tell: Listener) -> Ids:
        return codes if self.options.settings["system"] in CROSSING else super().learnable(codes, starts, tell)

    def check(self) -> None:
        super().check()
        asked = self.options.settings["system"]
        if self.start is not None and (system := self.start.outputs_as(TransitionOutputs).system) != asked:
            raise SettingError(
                f"system is {asked}, but the model that training goes on from has {system}.",
                remedy="Set it as it was, or train anew (warm_start=False).",
            )


def root_relation(column: Column, relations: tuple[str, ...]) -> str:
    """The most frequent relation of roots in a column of pairs; of equally frequent ones, the first of these relations."""
    heads, of_tokens = heads_and_relations(column)
    texts = of_tokens.alphabet.texts()
    counts = Counter(texts[i] for i in of_tokens.ids[heads == 0].tolist())
    return max(relations, key=lambda relation: counts[relation])


LEARNT = LearntTransitions
