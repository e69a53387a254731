"""Models of CRFsuite: the file itself, or what `crfsuite dump` and python-crfsuite's `Tagger.dump` write.

The file (Okazaki's `crf1d`) is little-endian: a header of 48 bytes with the number of features,
labels and attributes and where each part starts; features of 20 bytes (kind, from, to, weight); labels and attributes as CQDB,
whose last table says where the record of each number is. A dump has the same as text, with weights of six decimals.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from riata.importing.formats.base import Format
from riata.importing.model_text import ModelText
from riata.importing.parts import Imported, from_given
from riata.models.parts import LARGEST_WEIGHT

MAGIC, VERSION = b"lCRF", 100
_HEADER = struct.Struct("<4sI4sI3I5I")
_FEATURES = struct.Struct("<4sII")
_FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_CQDB = struct.Struct("<4s5I")
_CQDB_ORDER = 0x62445371
_STATE, _TRANSITION = 0, 1
_SECTIONS = ("FILEHEADER", "LABELS", "ATTRIBUTES", "TRANSITIONS", "STATE_FEATURES")
_ENTRY = re.compile(r"\s*(\d{1,9}): (.*)")
_WEIGHT = re.compile(r"  \((\d+)\) (.*): (\S+)")
_ARROW = " --> "


def _read(text: ModelText) -> Imported:
    return _read_file(text) if text.content.startswith(MAGIC) else _read_dump(text)


# --- the file -------------------------------------------------------------------------------------------------------


def _read_file(text: ModelText) -> Imported:
    content = text.content
    if len(content) < _HEADER.size:
        raise text.error(f"the file ends after {len(content)} bytes, inside its header.")
    _, size, kind, version, _, labels, attributes, *offsets = _HEADER.unpack_from(content)
    if kind != b"FOMC" or version != VERSION:
        raise text.error(
            f"the model is of the type {kind.decode('latin-1')!r}, version {version}; expected 'FOMC', version {VERSION}.",
            remedy="Train with CRFsuite 0.12.",
        )
    if size > len(content):
        raise text.error(f"the file has {len(content):,} bytes; its header says {size:,}.")
    features = _features(text, offsets[0])
    names = text.labels(_strings(text, offsets[1], labels, "labels"), None)
    known = _strings(text, offsets[2], attributes, "attributes")
    return _model(text, names, known, features)


def _part(text: ModelText, layout: struct.Struct, at: int, name: str, magic: bytes) -> tuple[int, ...]:
    if at + layout.size > len(text.content):
        raise text.error(f"the file ends before its {name}, which start at byte {at:,}.")
    found, *numbers = layout.unpack_from(text.content, at)
    if found != magic:
        raise text.error(f"found {found!r} at byte {at:,}; expected {magic!r}, where the {name} start.")
    return tuple(numbers)


def _features(text: ModelText, at: int) -> np.ndarray:
    _, count = _part(text, _FEATURES, at, "features", b"FEAT")
    start = at + _FEATURES.size
    if start + count * _FEATURE.itemsize > len(text.content):
        raise text.error(f"the file ends inside its {count:,} features.")
    return np.frombuffer(text.content, _FEATURE, count, start)


def _strings(text: ModelText, at: int, count: int, name: str) -> list[str]:
    """The texts of a CQDB by number."""
    size, _, order, links, table = _part(text, _CQDB, at, name, b"CQDB")
    if order != _CQDB_ORDER or links < count or at + size > len(text.content):
        raise text.error(f"the {name} are inconsistent.")
    if at + table + 4 * count > len(text.content):
        raise text.error(f"the file ends inside its {name}.")
    return [_string(text, at + int(i), name) for i in np.frombuffer(text.content, "<u4", count, at + table)]


def _string(text: ModelText, at: int, name: str) -> str:
    """A record: a number, the length of the text with the zero at its end, and the text."""
    if at + 8 > len(text.content):
        raise text.error(f"the file ends inside its {name}.")
    (length,) = struct.unpack_from("<I", text.content, at + 4)
    found = text.content[at + 8 : at + 8 + length]
    if len(found) != length or not found.endswith(b"\0"):
        raise text.error(f"the {name} are inconsistent.")
    try:
        return found[:-1].decode("utf-8")
    except UnicodeDecodeError:
        raise text.error(f"a text of the {name}, {found[:40]!r}, is not UTF-8.") from None


# --- a dump ---------------------------------------------------------------------------------------------------------


def _read_dump(text: ModelText) -> Imported:
    sections = dict(_sections(text))
    missing = [name for name in _SECTIONS if name not in sections]
    if missing:
        raise text.error(f"the dump has no section {missing[0]}.", len(text.lines))
    first, lines = sections["LABELS"]
    labels = text.labels(_entries(text, first, lines), first)
    attributes = _entries(text, *sections["ATTRIBUTES"])
    declared = dict(line.split(": ", 1) for line in map(str.strip, sections["FILEHEADER"][1]) if ": " in line)
    for name, found in (("num_labels", len(labels)), ("num_attrs", len(attributes))):
        if declared.get(name) != str(found):
            raise text.error(
                f"found {found:,} of {name}; the header says {declared.get(name)}.", sections["FILEHEADER"][0]
            )
    label_ids = {label: i for i, label in enumerate(labels)}
    sources = {_TRANSITION: label_ids, _STATE: {attribute: i for i, attribute in enumerate(attributes)}}
    rows = []
    for kind, section in ((_TRANSITION, "TRANSITIONS"), (_STATE, "STATE_FEATURES")):
        for line, content in enumerate(sections[section][1], start=sections[section][0]):
            rows.append(_feature(text, content, line, kind, sources[kind], label_ids))
    return _model(text, labels, attributes, np.array(rows, _FEATURE))


def _sections(text: ModelText) -> Iterator[tuple[str, tuple[int, list[str]]]]:
    """Each section's name, the number of its first line, and its lines."""
    starts = [(i, line[:-4]) for i, line in enumerate(text.lines) if line.endswith(" = {") and line[:-4] in _SECTIONS]
    for (start, name), (end, _) in pairwise([*starts, (len(text.lines), "")]):
        last = end - 1
        while last > start and not text.lines[last]:
            last -= 1
        if text.lines[last] != "}":
            raise text.error(f"the section {name} is not closed.", last + 1)
        yield name, (start + 2, text.lines[start + 1 : last])


def _entries(text: ModelText, first: int, lines: list[str]) -> list[str]:
    found = []
    for i, line in enumerate(lines):
        match = _ENTRY.fullmatch(line)
        if match is None or int(match[1]) != i:
            raise text.error(f"found {line!r:.60}; expected number {i} and a text.", first + i)
        found.append(match[2])
    return found


def _feature(
    text: ModelText, content: str, line: int, kind: int, sources: dict[str, int], labels: dict[str, int]
) -> tuple[int, int, int, float]:
    """A weight's line. Names may hold the arrow too: only one way to cut it has two names that the model knows."""
    match = _WEIGHT.fullmatch(content)
    if match is None or match[1] != str(kind):
        raise text.error(f"found {content!r:.60}; expected ({kind}) NAME --> LABEL: WEIGHT.", line)
    names = match[2].split(_ARROW)
    for cut in range(1, len(names)):
        source, target = _ARROW.join(names[:cut]), _ARROW.join(names[cut:])
        if source in sources and target in labels:
            return kind, sources[source], labels[target], text.number(match[3], line)
    raise text.error(f"{match[2]!r:.60}: the model has no such label or attribute.", line)


# --- both -----------------------------------------------------------------------------------------------------------


def _model(text: ModelText, labels: tuple[str, ...], attributes: list[str], features: np.ndarray) -> Imported:
    weights = features["weight"]
    if not (np.abs(weights) <= LARGEST_WEIGHT).all():
        raise text.error(f"a weight of the model is not a finite number up to {LARGEST_WEIGHT:g}.")
    state, transition = features["kind"] == _STATE, features["kind"] == _TRANSITION
    sources = np.where(state, len(attributes), len(labels))
    if (
        not (state | transition).all()
        or (features["target"] >= len(labels)).any()
        or (features["source"] >= sources).any()
    ):
        raise text.error("a feature names a label or an attribute that is not there.")
    places = np.stack([features["source"], features["target"]], axis=1).astype(np.int64)
    matrix = np.zeros((len(labels), len(labels)))
    np.add.at(matrix, (places[transition, 0], places[transition, 1]), weights[transition])
    if len(set(attributes)) != len(attributes):
        raise text.error("an attribute is there twice.")
    return from_given(labels, attributes, places[state], weights[state], matrix)


FORMAT = Format(
    name="crfsuite",
    tool="CRFsuite",
    summary="the model file of CRFsuite (python-crfsuite, sklearn-crfsuite), or its dump",
    recognises=lambda head: head.startswith((MAGIC, b"FILEHEADER = {")),
    read=_read,
)
