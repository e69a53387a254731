"""Learning tags and chunk labels together, by search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata._core import Instances
from riata.data.encodings.base import OUTSIDE, Encoding, Tags
from riata.data.pairs import joined_text, parts_of
from riata.data.types import Corpus
from riata.errors import DataError, LabelError, SettingError, shortened
from riata.features.compile import Features
from riata.features.dictionary import TagDictionary
from riata.learning.events import Listener, Note
from riata.learning.labels import SHOWN, LabelSet, counts_of
from riata.learning.loop import TrainingSet
from riata.learning.structure import LearntStructure, label_ids
from riata.models.model import of_kind
from riata.models.parts import MOST_LABELS
from riata.scoring.pairs import evaluate_pairs
from riata.structures.joint.model import MOST_PAIRS, JointOutputs
from riata.structures.joint.templates import JointFeatures


class LearntJoint(LearntStructure):
    def new_outputs(self) -> JointOutputs:
        assert self.labels.tags is not None
        return joint_outputs(self.labels.counts, self.labels.tags.learnt, "")

    @staticmethod
    def label_set(data: Corpus, tags: Tags | None, extra: tuple[str, ...], *, fresh: bool) -> LabelSet:
        assert tags is not None
        counts = {**dict.fromkeys(learnt_pairs(extra, tags), 0), **counts_of(data.columns[-1])}
        if fresh:
            counts = {**dict.fromkeys(completed_pairs(counts, tags), 0), **counts}
        pairs = joint_outputs(counts, tags.learnt, data.name).labels if fresh else tuple(counts)
        return LabelSet(pairs, counts, tags)

    def new_features(self, width: int) -> JointFeatures:
        options, settings = self.options, self.options.settings
        assert isinstance(self.outputs, JointOutputs)
        dictionary = TagDictionary(self.outputs.tags, settings["dictionary"], {})
        return JointFeatures(
            options.templates(width), options.functions, options.word_lists(), settings["lookahead"], dictionary
        )

    def check(self) -> None:
        super().check()
        asked = self.options.settings["lookahead"]
        if self.start is not None and (ahead := self.start.features_as(JointFeatures).ahead) != asked:
            raise SettingError(
                f"lookahead is {asked}, but the model that training goes on from has {ahead}.",
                remedy="Set it as it was, or train anew (warm_start=False).",
            )

    def count_words(self, features: Features, data: Corpus) -> None:
        of_kind(features, JointFeatures).count_tags(data)

    def examples(self, instances: Instances, data: Corpus, weights: NDArray[np.float64], tell: Listener) -> TrainingSet:
        instances.set_labels(label_ids(data, self.labels), len(self.labels.labels))
        return TrainingSet(instances, weights, self.class_weights())

    def tell_of_data(self, features: Features, tokens: int, tell: Listener) -> None:
        tell_of_tags_and_chunks(self.labels.counts, tell)

    def score(self, dev: Corpus, predicted: Any, labels: tuple[str, ...]) -> float:
        return evaluate_pairs(dev.columns[-1], predicted, labels, dev.starts).score


def tell_of_tags_and_chunks(pairs: Mapping[str, int], tell: Listener) -> None:
    """Tells of the most frequent tags and chunk labels. pairs: how often each pair of both occurs."""
    for what, counts in zip(("tags", "chunk labels"), totals(pairs), strict=True):
        most = [f"{label} {counts[label]:,}" for label in _by_count(counts)[:SHOWN]]
        more = f", … {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
        tell(Note(shortened(f"{len(counts)} {what}: {', '.join(most)}{more}.")))


def joint_outputs(counts: Mapping[str, int], encoding: Encoding, name: str) -> JointOutputs:
    """The tags and chunk labels of these pairs, most frequent first. name: of the data."""
    tags, chunks = totals(counts)
    chunks.setdefault(OUTSIDE, 0)
    if max(len(tags), len(chunks)) > MOST_LABELS or len(tags) * len(chunks) > MOST_PAIRS:
        raise DataError(
            f"the data have {len(tags):,} different tags and {len(chunks):,} chunk labels; expected at most {MOST_LABELS:,} of each, "
            f"and {MOST_PAIRS:,} pairs.",
            remedy="Are the right columns the outputs? Choose with --outputs, or corpus.select in Python.",
            file=name,
        )
    wrong = [chunk for chunk in chunks if not encoding.is_tag(chunk)]
    if wrong:
        raise LabelError(f"label {wrong[0]!r} is no chunk label of {encoding.name.upper()}.", file=name)
    return JointOutputs(_by_count(tags), _by_count(chunks), encoding)


def learnt_pairs(pairs: Sequence[str], tags: Tags) -> list[str]:
    """All pairs that may be learnt if the data contain these pairs."""
    return [joined_text(tag, chunk) for tag, given in map(parts_of, pairs) for chunk in tags.learnt_classes([given])]


def completed_pairs(pairs: Iterable[str], tags: Tags) -> list[str]:
    """Pairs with all chunk labels that may be learnt of the types of these pairs, each with a tag that it may have."""
    return [joined_text(tag, chunk) for tag, one in map(parts_of, pairs) for chunk in tags.completed([one])]


def totals(counts: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """How often each tag and each chunk label occurs in these pairs."""
    found: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for pair, count in counts.items():
        for label, total in zip(parts_of(pair), found, strict=True):
            total[label] = total.get(label, 0) + count
    return found


def _by_count(counts: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda label: (-counts[label], label)))


LEARNING = LearntJoint
