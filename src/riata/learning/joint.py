"""Learning tags and chunk labels together, by search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riata.choosing.options import Options, check_only_chains
from riata.data.encodings.base import OUTSIDE, Encoding
from riata.data.pairs import joined_text, parts_of
from riata.data.recoding import Tags
from riata.errors import DataError, LabelError, UnsupportedError, shortened
from riata.features.dictionary import TagDictionary
from riata.features.joint import JointFeatures
from riata.learning.events import Listener, Note
from riata.learning.labels import SHOWN, LabelSet
from riata.models.chain import MOST_LABELS
from riata.models.joint import MOST_PAIRS, JointLabels


def joint_labels(counts: Mapping[str, int], encoding: Encoding, name: str) -> JointLabels:
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
        raise LabelError(f"label {wrong[0]!r} is no chunk tag of {encoding.name.upper()}.", file=name)
    return JointLabels(_by_count(tags), _by_count(chunks), encoding)


def learnt_pairs(pairs: Sequence[str], tags: Tags) -> list[str]:
    """Every pair that may be learnt where the data have these."""
    return [joined_text(tag, chunk) for tag, given in map(parts_of, pairs) for chunk in tags.learnt_classes([given])]


def totals(counts: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """How often each tag and each chunk label occurs in these pairs."""
    found: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for pair, count in counts.items():
        for label, total in zip(parts_of(pair), found, strict=True):
            total[label] = total.get(label, 0) + count
    return found


def _by_count(counts: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda label: (-counts[label], label)))


def tell_of_labels(labels: LabelSet, listener: Listener) -> None:
    for what, counts in zip(("tags", "chunk labels"), totals(labels.counts), strict=True):
        most = [f"{label} {counts[label]:,}" for label in _by_count(counts)[:SHOWN]]
        more = f", … {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
        listener(Note(shortened(f"{len(counts)} {what}: {', '.join(most)}{more}.")))


def check_joint(options: Options) -> None:
    """Refuses what only chains can do."""
    check_only_chains(options)
    if options.class_weight is not None:
        raise UnsupportedError(
            "Recipes that search take no class weights: an update compares states, not single labels.",
            remedy="Use sample_weight for sentences.",
        )


def new_features(options: Options, width: int, parts: JointLabels) -> JointFeatures:
    """Features that have seen nothing yet, on so many input columns."""
    settings = options.settings
    dictionary = TagDictionary(parts.tags, settings["dictionary"], {})
    return JointFeatures(
        options.templates(width), options.functions, options.word_lists(), settings["lookahead"], dictionary
    )
