"""What the names in constraints stand for in a model: labels, and types of chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from riata import registry
from riata.data.encodings.base import OUTSIDE, Encoding
from riata.data.pairs import BETWEEN
from riata.errors import ModelFileError
from riata.inference.rules.slots import LabelNames
from riata.models.parts import MOST_LABELS, read_strings


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
    # Of tags, those of spans that may be none, such as candidates for roles.
    nothing = [label == OUTSIDE for label in labels]
    outside = np.array([*[False] * len(tags), *nothing[len(tags) :]] if chunks else nothing)
    columns = np.array([0] * len(tags) + [1] * len(chunks), np.int32) if tags and chunks else None
    return LabelNames(labels, groups, outside if outside.any() else None, columns)


def _begins(prefix: str, encoding: Encoding | None) -> bool:
    """Whether labels with the prefix begin chunks."""
    return encoding is not None and prefix in (encoding.chunk.single, encoding.chunk.first, encoding.touching.first)


def _ambiguous(encoding: Encoding) -> bool:
    """Whether the first label of a chunk can also continue one."""
    return encoding.chunk.first == encoding.chunk.inside


def read_tags_and_chunks(header: Mapping[str, Any], most: int) -> tuple[tuple[str, ...], tuple[str, ...], Encoding]:
    """Tags, chunk labels and their encoding. most: pairs of both that the structure takes."""
    tags, chunks, name = read_strings(header, "tags"), read_strings(header, "chunks"), header.get("chunk_encoding")
    if name not in registry.names("encoding"):
        raise ModelFileError(f"the model's encoding {name!r} is unknown")
    encoding: Encoding = registry.get("encoding", name)
    for labels in (tags, chunks):
        several = len(set(labels)) != len(labels) or any(BETWEEN in label for label in labels)
        if several or not 0 < len(labels) <= MOST_LABELS:
            raise ModelFileError("the model's labels are inconsistent")
    if len(tags) * len(chunks) > most or OUTSIDE not in chunks or not all(map(encoding.is_tag, chunks)):
        raise ModelFileError("the model's chunk labels are inconsistent")
    return tuple(tags), tuple(chunks), encoding
