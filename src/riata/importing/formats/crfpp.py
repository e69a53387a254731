"""The text model of CRF++, which `crf_learn -t` writes beside the binary one.

Parts with a blank line after each: a header (`name: value`), the labels, the templates, the features (`id text`); then all weights, one
per line. A feature's weights start at its id: one per label (`U`), or one per pair of labels, the earlier one first (`B`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from riata.errors import TemplateError
from riata.features.templates import parse
from riata.importing.formats.base import Format
from riata.importing.model_text import ModelText
from riata.importing.parts import Imported
from riata.importing.patterns import Pattern, collect

_HEADER = ("version", "cost-factor", "maxid", "xsize")
_MACRO = re.compile(r"%x\[(-?[0-9]{1,4}),([0-9]{1,4})\]")
_NUMBER = re.compile(r"[0-9]{1,18}")
BINARY = bytes([100, 0, 0, 0, 0, 0, 0, 0])  # its version and its type
MOST_COLUMNS = 1024  # of CRF++ itself


@dataclass(frozen=True)
class _Part:
    lines: list[str]
    line: int  # of the first


def _read(text: ModelText) -> Imported:
    if text.content.startswith(BINARY):
        raise text.error("this is the binary model of CRF++.", remedy="Give the text model, which crf_learn -t writes.")
    text.check_last_line()
    header, labels, templates, features, weights = _parts(text)
    facts = _facts(text, header)
    names = text.labels(labels.lines, labels.line)
    columns = _count(text, facts, "xsize", MOST_COLUMNS)
    patterns = [_pattern(text, line, templates.line + i, columns) for i, line in enumerate(templates.lines)]
    size = _count(text, facts, "maxid", 1 << 40)
    if len(weights.lines) != size:
        raise text.error(
            f"found {len(weights.lines):,} weights; maxid says {size:,}.", weights.line + len(weights.lines)
        )
    vector = text.numbers(weights.lines, weights.line) * text.number(*facts.get("cost-factor", ("1", None)))
    places = _places(text, features, len(names), size)
    collected = collect(patterns, places, names, _boundary, text.path)
    used = tuple(dict.fromkeys(pattern.template for pattern in patterns))
    return Imported(collected.model(used, vector), tuple(range(columns)), columns)


def _parts(text: ModelText) -> list[_Part]:
    """Four parts that end with a blank line, and the rest."""
    parts, at = [], 0
    for name in ("header", "labels", "templates", "features"):
        try:
            end = text.lines.index("", at)
        except ValueError:
            raise text.error(
                f"the file ends inside its {name}; expected a blank line after them.", len(text.lines)
            ) from None
        parts.append(_Part(text.lines[at:end], at + 1))
        at = end + 1
    return [*parts, _Part(text.lines[at:], at + 1)]


def _facts(text: ModelText, header: _Part) -> dict[str, tuple[str, int]]:
    """What the header says, with lines."""
    facts = {}
    for i, line in enumerate(header.lines, start=header.line):
        name, colon, value = line.partition(":")
        if not colon or name not in _HEADER:
            raise text.error(f"cannot read {line!r:.60} in the header; expected {', '.join(_HEADER)}.", i)
        facts[name] = value.strip(), i
    return facts


def _count(text: ModelText, facts: dict[str, tuple[str, int]], name: str, most: int) -> int:
    value, line = facts.get(name, ("", 1))
    if not (_NUMBER.fullmatch(value) and 0 < int(value) <= most):
        raise text.error(f"{name} is {value!r:.60}; expected a number from 1 to {most:,}.", line)
    return int(value)


def _pattern(text: ModelText, template: str, line: int, columns: int) -> Pattern:
    texts = tuple(_MACRO.split(template)[::3])
    if template[0] not in "UB" or any("%" in literal for literal in texts):
        raise text.error(f"cannot read the template {template!r:.60}; expected U or B, and %x[row,column].", line)
    try:
        (parsed,) = parse(template, text.path)  # for its messages; the order of the reads is kept below
    except TemplateError as error:
        raise text.error(error.message, line, error.remedy) from None
    reads = [(int(offset), int(column)) for offset, column in _MACRO.findall(template)]
    for _, column in reads:
        if column >= columns:
            raise text.error(f"{template!r} reads column {column}, but xsize says {columns}.", line)
    by_place = {(read.offset, read.column): read for read in parsed.reads}
    return Pattern(texts, tuple(by_place[place] for place in reads), template[0] == "B", line)


def _places(text: ModelText, features: _Part, labels: int, size: int) -> dict[str, int]:
    places = {}
    for i, line in enumerate(features.lines, start=features.line):
        number, _, feature = line.partition(" ")
        if feature[:1] not in ("U", "B") or not _NUMBER.fullmatch(number):
            raise text.error(f"cannot read the feature {line!r:.60}; expected a number and a text with U or B.", i)
        if int(number) + labels ** (1 + (feature[0] == "B")) > size:
            raise text.error(f"the weights of {feature!r:.60} start at {number}, too near to maxid {size:,}.", i)
        places[feature] = int(number)
    return places


def _boundary(distance: int) -> str:
    return f"_B{distance:+d}"


FORMAT = Format(
    name="crfpp",
    tool="CRF++",
    summary="the text model of CRF++ (crf_learn -t)",
    recognises=lambda head: head.startswith(BINARY) or (head.startswith(b"version: ") and b"\nmaxid: " in head),
    read=_read,
)
