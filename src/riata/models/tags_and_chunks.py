"""The labels of models that give a tag and a chunk label to every token, as model files store them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riata import registry
from riata.data.encodings.base import OUTSIDE, Encoding
from riata.data.pairs import BETWEEN
from riata.errors import ModelFileError
from riata.models.arrays import read_strings
from riata.models.feature_parts import MOST_LABELS


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
