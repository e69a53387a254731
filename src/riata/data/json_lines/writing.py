"""Corpora and predictions as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from riata.data.encodings.base import is_extended, spans_of
from riata.data.files import names_of
from riata.data.formats.base import Answers
from riata.data.json_lines.reading import WORDS, Source
from riata.data.json_lines.shapes import MARKED
from riata.data.json_lines.splitting import Places
from riata.data.types import Corpus
from riata.errors import DataError

HEADS = "heads"
ABSTAINED = "_"
RENAMED = {"form": WORDS, "head": HEADS, "deprel": "deprels"}  # fields of CoNLL-U
CONFIDENCE = "confidence"
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def labelled(batch: Corpus, answers: Answers) -> bytes:
    """The objects that the sentences were read from, with what was predicted."""
    columns = [column.texts() for column in answers.columns] or [[] for _ in answers.names]
    extended = [is_extended(column.alphabet.texts()) for column in answers.columns] or [False] * len(answers.names)
    sure = [[float(text) for text in column.texts()] for column in answers.confidences]
    lines = []
    for s, (low, high) in enumerate(zip(batch.starts[:-1].tolist(), batch.starts[1:].tolist(), strict=True)):
        source: Source = batch.sources[s]
        labels = [column[low:high] for column in columns]
        fields = {
            **source.fields,
            **_predicted(source, labels, [column[low:high] for column in sure], answers, extended),
        }
        if answers.ranks:
            rank = answers.ranks[s]
            fields |= {name: value for name, value in rank._asdict().items() if value is not None}
        lines.append(line_of(fields))
    return b"".join(lines)


def _predicted(
    source: Source, labels: Sequence[list[str]], sure: Sequence[list[float]], answers: Answers, extended: Sequence[bool]
) -> dict[str, Any]:
    """The keys that predictions add to an object: spans, where it has a text or spans are what was learnt; otherwise lists."""
    found: dict[str, Any] = {}
    last = len(labels) - 1
    for k, (values, name, chunks) in enumerate(zip(labels, answers.names, answers.chunks, strict=True)):
        confidences = sure[k] if sure else None
        if k == last and (chunks or not last) and (source.text is not None or (chunks and name == MARKED)):
            found[MARKED] = _spans(values, source.places, confidences, extended[k] if chunks else None)
            continue
        if source.places is not None and WORDS not in source.fields:
            found[WORDS] = _placed(source)
        found[name] = _numbers(values) if name == HEADS else values
        if confidences is not None:
            found[CONFIDENCE if not last else f"{name}_{CONFIDENCE}"] = confidences
    return found


def _spans(
    labels: list[str], places: Places | None, confidences: Sequence[float] | None, extended: bool | None
) -> list[dict[str, Any]]:
    """Chunks, in characters or, without places, in tokens. extended: the rules for BIOES hold; None: words are spans of their own."""
    found = (
        spans_of(labels, extended=extended)
        if extended is not None
        else [(i, i + 1, label) for i, label in enumerate(labels) if label != ABSTAINED]
    )
    spans = []
    for first, end, label in found:
        start, stop = (first, end) if places is None else (places[first][0], places[end - 1][1])
        sure = {} if confidences is None else {CONFIDENCE: confidences[first]}
        spans.append({"start": start, "end": stop, "label": label, **sure})
    return spans


def _placed(source: Source) -> list[dict[str, Any]]:
    assert source.places is not None
    assert source.text is not None
    return [
        {"text": source.text[start:end], "start": start, "end": end, "id": number}
        for number, (start, end) in enumerate(source.places)
    ]


def _numbers(values: Sequence[str]) -> list[Any]:
    return [int(value) if value.isdecimal() else None for value in values]


def line_of(fields: dict[str, Any]) -> bytes:
    return _ENCODER.encode(fields).encode() + b"\n"


def formatted(corpus: Corpus, names: Sequence[str] | None, *, spans: bool) -> Iterator[bytes]:
    """One line per sentence. names: of the columns; None: those that they have. spans: a text with spans, for tools of annotation."""
    names = column_names(corpus) if names is None else list(names)
    if len(names) != corpus.width or len(set(names)) != len(names):
        raise DataError(
            f"the corpus has {corpus.width} columns and the names are {', '.join(names)}.",
            remedy="Give one name for each column, each another.",
        )
    if corpus.width < 1 + spans:
        raise DataError(
            f"the corpus has {corpus.width} columns; expected words{' and labels' * spans}.",
            remedy="Feature dictionaries and arrays have no columns to write.",
        )
    at = names.index(MARKED) if MARKED in names and not spans else corpus.width - 1
    extended = is_extended(corpus.columns[at].alphabet.texts())
    for s, sentence in enumerate(corpus):
        columns = {name: sentence.column(i) for i, name in enumerate(names)}
        if spans:
            labels = columns.pop(names[-1])
            yield line_of(_as_text(columns, names[0], labels, extended=extended) | _document(corpus, s, columns))
            continue
        lists: dict[str, Any] = {**columns}
        if HEADS in lists:
            lists[HEADS] = _numbers(lists[HEADS])
        if MARKED in lists:
            lists[MARKED] = _spans(lists[MARKED], None, None, extended)
        yield line_of(lists | _document(corpus, s, columns))


def _document(corpus: Corpus, sentence: int, columns: dict[str, Any]) -> dict[str, Any]:
    if corpus.document is None or "document" in columns:
        return {}
    return {"document": int(corpus.document[sentence])}


def _as_text(columns: dict[str, list[str]], first: str, labels: list[str], *, extended: bool) -> dict[str, Any]:
    """The words between blanks, with the places of words and chunks, as Prodigy has them."""
    words, places, end = columns.pop(first), [], 0
    for word in words:
        places.append((end, end + len(word)))
        end += len(word) + 1
    tokens = [
        {"text": word, "start": start, "end": stop, "id": number}
        for number, (word, (start, stop)) in enumerate(zip(words, places, strict=True))
    ]
    chunks = [
        {"start": places[a][0], "end": places[b - 1][1], "label": label, "token_start": a, "token_end": b - 1}
        for a, b, label in spans_of(labels, extended=extended)
    ]
    return {"text": " ".join(words), "tokens": tokens, **columns, MARKED: chunks}


def column_names(corpus: Corpus) -> list[str]:
    """What the columns are called: as where they were read from, or else tokens, column1 and so on, and tags."""
    known = names_of(corpus)
    if known and all(0 <= origin < len(known) for origin in corpus.origins):
        found = [RENAMED.get(known[origin], known[origin]) for origin in corpus.origins]
        return found if WORDS in found else [WORDS, *found[1:]]
    middle = [f"column{i}" for i in range(1, corpus.width - 1)]
    return [WORDS, *middle, *["tags"] * (corpus.width > 1)][: corpus.width]
