"""What the names in constraints stand for in a model: labels, and types of chunks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riata.data.encodings.base import OUTSIDE, Encoding
from riata.inference.rules.slots import LabelNames


def names_of(tags: Sequence[str], chunks: Sequence[str], encoding: Encoding | None) -> LabelNames:
    """Of labels in two columns: tags, then chunk labels; one of them may be missing.

    encoding: of the chunk labels. The name of a type of chunks stands for the labels that begin such a chunk. In an encoding in which a
    label can both begin and continue a chunk, it stands for nothing.
    """
    labels = (*tags, *chunks)
    groups = {}
    types = {} if encoding is None else {label: encoding.split(label) for label in chunks if label != OUTSIDE}
    for type_ in {type_ for _, type_ in types.values()}:
        begin = [label in types and types[label][1] == type_ and _begins(types[label][0], encoding) for label in chunks]
        if encoding is not None and not _ambiguous(encoding):
            groups[type_] = np.array([*[False] * len(tags), *begin])
    nothing = [
        label == OUTSIDE for label in labels
    ]  # of tags, those of spans that may be none, such as candidates for roles
    outside = np.array([*[False] * len(tags), *nothing[len(tags) :]] if chunks else nothing)
    columns = np.array([0] * len(tags) + [1] * len(chunks), np.int32) if tags and chunks else None
    return LabelNames(labels, groups, outside if outside.any() else None, columns)


def _begins(prefix: str, encoding: Encoding | None) -> bool:
    """Whether labels with the prefix begin chunks."""
    return encoding is not None and prefix in (encoding.chunk.single, encoding.chunk.first, encoding.touching.first)


def _ambiguous(encoding: Encoding) -> bool:
    """Whether the first label of a chunk can also continue one."""
    return encoding.chunk.first == encoding.chunk.inside
