"""Learning dependency trees that are built by moves, by search. Systems without crossing arcs learn the closest trees without them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances, most_chosen_tags
from riata.data.encodings.base import Tags
from riata.data.trees import heads_and_relations
from riata.data.types import Column, Corpus, Ids, Starts
from riata.errors import DataError, SettingError, UnsupportedError
from riata.features.likely_tags import ChosenTags
from riata.learning.arcs import LearntArcs, RelationSet
from riata.learning.events import Listener
from riata.learning.labels import LabelSet, counts_of, label_set_of
from riata.learning.loop import TrainingSet
from riata.models.model import of_kind
from riata.structures.projective.learning import LearntProjective
from riata.structures.transitions.model import TransitionOutputs
from riata.structures.transitions.structure import CROSSING, SYSTEMS, UNTAGGED, with_tag_lines
from riata.structures.transitions.templates import TransitionFeatures


@dataclass(frozen=True, eq=False)
class RootedRelations(RelationSet):
    root: str = ""  # the most frequent relation of roots
    chosen: tuple[str, ...] = ()  # tags that are learnt with the trees


class LearntTransitions(LearntProjective):
    same_root = False  # the root has one relation, whatever the token
    as_they_are = "system='swap' learns them as they are."

    def new_outputs(self) -> TransitionOutputs:  # type: ignore[override]
        assert isinstance(self.labels, RootedRelations)
        labels = self.labels
        return TransitionOutputs(labels.labels, labels.root, self.options.settings["system"], labels.chosen)

    @staticmethod
    def label_set(data: Corpus, tags: Tags | None, extra: tuple[str, ...], *, fresh: bool) -> LabelSet:
        found = LearntArcs.label_set(data, tags, extra, fresh=fresh)
        chosen = () if data.true_tags is None else label_set_of(counts_of(data.true_tags), None, data.name).labels
        if len(chosen) > most_chosen_tags:
            raise DataError(
                f"the data have {len(chosen):,} different tags; expected at most {most_chosen_tags:,} to choose from.",
                remedy="Use tags='own', or another column of tags as the last input.",
                file=data.name,
            )
        root = root_relation(data.columns[-1], found.labels)
        return RootedRelations(found.labels, found.counts, None, root=root, chosen=chosen)

    def new_features(self, width: int) -> TransitionFeatures:  # type: ignore[override]
        options, outputs = self.options, of_kind(self.outputs, TransitionOutputs)
        templates = options.templates(width)
        chosen = ChosenTags(outputs.chosen, width - 1) if outputs.chosen else None
        if chosen is not None:
            templates = with_tag_lines(templates, chosen.column)
        return TransitionFeatures(templates, options.functions, options.word_lists(), width > 1, chosen)

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        found, outputs = super().examples(instances, data, weights, tell), of_kind(self.outputs, TransitionOutputs)
        if data.true_tags is None:
            return found
        assert found.gold is not None
        codes = outputs.with_tags(outputs.codes(found.gold, data.starts), data.true_tags)
        return replace(found, gold=codes)

    def learnable(self, codes: Ids, starts: Starts, tell: Listener) -> Ids:
        return codes if self.options.settings["system"] in CROSSING else super().learnable(codes, starts, tell)

    def check(self) -> None:
        super().check()
        asked = self.options.settings["system"]
        if of_kind(self.outputs, TransitionOutputs).chosen and asked in UNTAGGED:
            able = [system for system in SYSTEMS if system not in UNTAGGED]
            raise UnsupportedError(
                f"system is {asked}, which pushes tokens by right as well as by shift; tags are chosen by shift alone.",
                remedy=f"Use system={' or '.join(able)}, or tags='own'.",
            )
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


LEARNING = LearntTransitions
