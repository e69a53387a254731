"""The shapes of annotated objects: what annotation tools and data sets write, read as words or text, spans, and labels per word.

Tokens and labels (Hugging Face, riata predict), text and spans (Doccano, Prodigy, Label Studio, spaCy), trees. An object is
recognised by its keys, so the objects of a file may differ.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from riata.data.encodings.base import OUTSIDE
from riata.data.json_lines.splitting import Marked, Places, places_of
from riata.errors import DataError, printed

TOKENS = ("tokens", "words")
MARKED = "spans"  # what the labels are called that spans become
TEXTS = ("text", "data", "sentence")
SPANS = ("spans", "entities", "ents", "labels", "label")  # the first that an object has
LABELS = ("pos_tags", "chunk_tags", "ner_tags", "labels", "tags")  # one per word
WORD_FIELDS = ("lemma", "feats", "upos", "xpos", "pos")  # one per word, which may be null
TREES = {"heads": "heads", "head": "heads", "deprels": "deprels", "deprel": "deprels"}
STARTS, ENDS = ("start", "start_offset"), ("end", "end_offset")
TYPES = ("label", "type", "labels", "entity_type", "entity_group", "entity")
SHAPES = (
    'Expected {"tokens": [...], "tags": [...]}, or {"text": "...", "spans": [{"start": 0, "end": 3, "label": "PER"}]}.'
)
NUMBERED = (
    "Write names instead of numbers; a data set of Hugging Face knows them: "
    "riata.write_jsonl(riata.from_dataset(dataset, ['tokens', 'ner_tags']), 'train.jsonl')."
)


@dataclass(frozen=True)
class Annotated:
    """An object as it was understood."""

    text: str | None = None
    tokens: tuple[str, ...] | None = None  # None: the text is still to be split
    places: Places | None = None  # of the tokens in the text
    spans: tuple[Marked, ...] | None = None  # None: it has none, and no key for them either
    arrays: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # further values, one per token
    answer: str = "accept"
    several: bool = False  # several people's annotations, of which the first is taken
    unplaced: bool = False  # what was annotated has no places, such as choices

    @property
    def by_character(self) -> bool:
        """Whether spans count characters, and not tokens."""
        return self.text is not None


def annotated(fields: Mapping[str, Any], wanted: Collection[str] | None = None) -> Annotated:
    """The object as words or text with what is known of them; DataError where it has neither. wanted: what to read of it; None: all."""
    if isinstance(fields.get("data"), Mapping):
        return _label_studio(fields, read=wanted is None or MARKED in wanted)
    text = next((fields[key] for key in TEXTS if isinstance(fields.get(key), str)), None)
    tokens, places = _tokens(fields, text)
    if tokens is None and text is None:
        raise DataError(f"an object with the keys {_shown(fields)} has neither tokens nor a text.", remedy=SHAPES)
    answer = fields.get("answer", "accept")
    arrays = {} if tokens is None else _arrays(fields, len(tokens), wanted)
    spans = _spans_in(fields, set(arrays)) if wanted is None or MARKED in wanted else None
    if spans is None and "answer" in fields and not arrays:
        spans = ()  # Prodigy leaves the key out where nothing is marked
    if tokens is not None and places is None and text is not None:
        text, places = (None, None) if spans is None else (text, places_of(text, tokens))
    return Annotated(text, tokens, places, spans, arrays, answer if isinstance(answer, str) else printed(answer))


def _label_studio(fields: Mapping[str, Any], *, read: bool) -> Annotated:
    data = fields["data"]
    texts = [value for key, value in data.items() if isinstance(value, str)]
    text = data["text"] if isinstance(data.get("text"), str) else texts[0] if len(texts) == 1 else None
    if text is None:
        raise DataError(f"the data of the task have the keys {_shown(data)}, and no text.", remedy=SHAPES)
    found = fields.get("annotations", fields.get("completions")) if read else None
    done = [
        each
        for each in _list(found or [], "annotations")
        if isinstance(each, Mapping) and not each.get("was_cancelled")
    ]
    if not done:
        without = found is not None or (read and "predictions" in fields)
        return Annotated(text, answer="cancelled" if found else "no annotation" if without else "accept")
    results = _list(done[0].get("result", []), "result")
    values = [
        result["value"]
        for result in results
        if isinstance(result, Mapping) and isinstance(result.get("value"), Mapping) and _has_place(result["value"])
    ]
    spans = tuple(mark for value in values for mark in _marked(value, "result"))
    return Annotated(text, spans=spans, several=len(done) > 1, unplaced=bool(results) and not values)


def _has_place(value: Mapping[str, Any]) -> bool:
    return any(key in value for key in STARTS)


def _tokens(fields: Mapping[str, Any], text: str | None) -> tuple[tuple[str, ...] | None, Places | None]:
    key = next((key for key in TOKENS if key in fields), None)
    if key is None:
        return None, None
    values = _list(fields[key], key)
    if values and all(isinstance(value, Mapping) for value in values):
        return _placed_tokens(values, key, text)
    for at, value in enumerate(values):
        if not isinstance(value, str) or not value.strip():
            raise DataError(
                f"{key!r}[{at}] is {printed(value):.60}; expected a text that is not blank.",
                remedy="Leave blank tokens out, with their labels.",
            )
    return tuple(values), None


def _placed_tokens(values: list[Any], key: str, text: str | None) -> tuple[tuple[str, ...], Places]:
    """Tokens with places, as those of Prodigy and spaCy."""
    if text is None:
        raise DataError(f"{key!r} are objects with places, and there is no text.", remedy=SHAPES)
    places, end = [], 0
    for at, value in enumerate(values):
        place = _place(value, f"{key}[{at}]", len(text))
        if place[0] < end:
            raise DataError(f"{key}[{at}] begins at {place[0]}, before the token ahead of it ends, at {end}.")
        end = place[1]
        if text[slice(*place)].strip():  # spaCy has tokens of blanks
            places.append(place)
    return tuple(text[start:end] for start, end in places), places


def _arrays(fields: Mapping[str, Any], length: int, wanted: Collection[str] | None) -> dict[str, Sequence[Any]]:
    """Lists with a value for every token. Keys that name labels must be such; others are taken for such if they are."""
    found: dict[str, Sequence[Any]] = {}
    for key, value in fields.items():
        name = TREES.get(key, key)
        if key in TOKENS or not isinstance(value, list) or (wanted is not None and name not in wanted):
            continue
        named = key in LABELS or key in TREES
        if named and value and isinstance(value[0], (list, Mapping)):
            continue  # spans
        if named and len(value) != length:
            raise DataError(
                f"there are {length} tokens and {len(value)} values in {key!r}; expected one for each token.",
                remedy=f"Mend the line, or leave out {key!r}.",
            )
        may_be_null = key in WORD_FIELDS
        if len(value) == length and (
            named or all(isinstance(each, str) or (each is None and may_be_null) for each in value)
        ):
            found[name] = _texts(value, key)
    return found


def _texts(values: list[Any], key: str) -> list[str]:
    numbers = key in TREES
    for at, value in enumerate(values):
        if numbers and isinstance(value, int) and not isinstance(value, bool):
            continue
        if isinstance(value, int) and key in LABELS:
            raise DataError(f"{key!r} has the number {printed(value):.20}; expected names of labels.", remedy=NUMBERED)
        if (value is not None or key not in WORD_FIELDS) and (not isinstance(value, str) or not value):
            raise DataError(f"{key!r}[{at}] is {printed(value):.60}; expected a text that is not empty.")
    return ["_" if value is None else str(value) for value in values]


def _spans_in(fields: Mapping[str, Any], arrays: set[str]) -> tuple[Marked, ...] | None:
    """The spans of the first key that has some. Another one must not have others: predictions could pass for the truth."""
    first, *others = [key for key in SPANS if key in fields and key not in arrays and fields[key] is not None] or [""]
    if not first:
        return None
    found = tuple(mark for value in _list(fields[first], first) for mark in _marked(value, first))
    for key in others:
        try:
            other = {mark for value in _list(fields[key], key) for mark in _marked(value, key)}
        except DataError:  # no spans
            continue
        if other and other != set(found):
            raise DataError(
                f"{first!r} and {key!r} have different spans: which are the true ones?",
                remedy=f"Leave out one of the keys; riata predict writes its predictions to {MARKED!r}.",
            )
    return found


def _marked(value: Any, key: str) -> list[Marked]:
    """The spans of one entry, [start, end, label] or an object; several labels of a place are several spans."""
    if isinstance(value, list) and len(value) == 3:
        value = dict(zip(("start", "end", "label"), value, strict=True))
    if not isinstance(value, Mapping) or not _has_place(value):
        raise DataError(
            f"{key!r} contains {printed(value):.60}; expected [start, end, label] or an object with start, end and label.",
            remedy=SHAPES + (" Labels of whole texts are not for sequences." if isinstance(value, str) else ""),
        )
    start, end = _place(value, key)
    name = next((name for name in TYPES if name in value), "label")
    labels = value.get(name)
    labels = labels if isinstance(labels, list) else [labels]
    for label in labels:
        if not isinstance(label, str) or not label.strip():
            raise DataError(
                f"the span from {start} to {end} in {key!r} has the label {printed(label):.60}; expected a name.",
                remedy=SHAPES,
            )
        if label == OUTSIDE:
            raise DataError(
                f"the span from {start} to {end} in {key!r} has the label {OUTSIDE!r}, which tokens outside all spans have.",
                remedy="Leave the span out.",
            )
    return [Marked(start, end, label) for label in labels]


def _place(value: Mapping[str, Any], what: str, length: int | None = None) -> tuple[int, int]:
    start, end = (next((value[key] for key in keys if key in value), -1) for keys in (STARTS, ENDS))
    if not _is_whole(start) or not _is_whole(end) or not 0 <= start <= end or (length is not None and end > length):
        limit = "" if length is None else f" <= {length}, the length of the text"
        raise DataError(
            f"{what!r} has the place {printed(start):.20} to {printed(end):.20}; expected whole numbers, 0 <= start <= end{limit}.",
            remedy="Places are counted in characters, not bytes, from 0; the end is the first character after the span.",
        )
    return int(start), int(end)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise DataError(f"{key!r} is {printed(value):.60}; expected a list.", remedy=SHAPES)
    return value


def _shown(fields: Mapping[str, Any]) -> str:
    return ", ".join(repr(key)[:40] for key in list(fields)[:8]) or "(none)"
