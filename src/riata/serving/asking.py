"""The body of a request: its fields, and the sentences in it, checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from riata.errors import UnknownNameError, shortened
from riata.serving.refusal import HttpRefusal, Limits

INPUTS = ("text", "tokens", "rows", "features")
EXAMPLE = 'Send JSON such as {"tokens": ["The", "bus", "stopped", "."]}.'

DETAILS = {"nbest", "confidence", "min_confidence", "trace", "beam", "decode", "constraints"}

EXPECTED = {  # by pydantic's kind of error
    "string_type": "a string",
    "list_type": "a list",
    "dict_type": "an object",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
}

Value = str | bool | float


class Ask(BaseModel):
    """One sentence or many, and what to say of them. Give `text`, `tokens`, `rows` or `features`."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"tokens": ["The", "bus", "stopped", "."], "confidence": True}]},
    )

    model: str | None = Field(None, description="The name of a model. Without it, the first model answers.")
    text: str | list[str] | None = Field(None, description="A sentence, or a list of sentences, as running text.")
    tokens: list[str | list[str]] | None = Field(None, description="The words of a sentence, or a list of such lists.")
    rows: list[list[str | list[str]]] | None = Field(
        None, description="A row of columns for every token, such as a word and its tag; or a list of such sentences."
    )
    features: list[list[dict[str, Value]]] | None = Field(
        None, description="A dictionary of features for every token of every sentence, for models that read these."
    )
    nbest: int | None = Field(None, ge=1, description="So many outputs of every sentence, best first, with scores.")
    confidence: bool = Field(
        False,
        description="How sure the model is of every label, from 0 to 1; uncalibrated ones give a `margin` of scores.",
    )
    min_confidence: float | None = Field(None, ge=0, le=1, description="Leave out labels below this confidence.")
    trace: bool = Field(False, description="The search, step by step. For one sentence.")
    beam: int | None = Field(None, ge=1, description="Search with a beam of this width instead of the model's own.")
    decode: Literal["best", "marginals", "spans"] | None = Field(None, description="How labels are chosen.")
    constraints: bool | float | Literal["soft"] | list[str] | None = Field(
        None,
        description="Whether to keep the model's constraints (true, false, 'soft', or a penalty), or a list of constraints "
        "to keep instead.",
    )


@dataclass(frozen=True)
class Question:
    """A checked request. sentences: as estimators take them; words: what is shown of every token."""

    ask: Ask
    sentences: list[Any]
    words: list[list[str]]
    tokens: int

    @property
    def plain(self) -> bool:
        """Whether only labels are asked for, by the model as it is, so that requests can be answered together."""
        return not self.ask.model_fields_set & DETAILS

    def pieces(self, tokens: int) -> Iterator[Question]:
        """The question in parts that have some sentences each: at least one, and no more than so many tokens otherwise."""
        start = 0
        while start < len(self.sentences):
            end, count = start + 1, len(self.sentences[start])
            while end < len(self.sentences) and count + len(self.sentences[end]) <= tokens:
                count += len(self.sentences[end])
                end += 1
            yield Question(self.ask, self.sentences[start:end], self.words[start:end], count)
            start = end


def asked(body: bytes, limits: Limits) -> Ask:
    try:
        ask = Ask.model_validate_json(body)
    except ValidationError as error:
        raise _refused(error) from None
    except RecursionError:
        raise HttpRefusal(HTTPStatus.BAD_REQUEST, "The JSON is nested too deeply.", EXAMPLE) from None
    for name, most in (("nbest", limits.nbest), ("beam", limits.beam)):
        if (getattr(ask, name) or 0) > most:
            raise _wrong(f"{name} is {getattr(ask, name):,}; at most {most:,} is allowed here.")
    given = ask.constraints if isinstance(ask.constraints, list) else []
    if len(given) > limits.constraints or any(len(text) > limits.characters for text in given):
        raise _wrong(
            f"there are too many constraints, or one is too long; at most {limits.constraints} of "
            f"{limits.characters} characters are allowed here."
        )
    return ask


def question(ask: Ask, columns: int, split: Any, limits: Limits) -> Question:
    """columns: how many the model reads; 0: features. split: from a text to its words."""
    given = [name for name in INPUTS if getattr(ask, name) is not None]
    if len(given) != 1:
        found = f"both {given[0]} and {given[1]}" if given else "none of them"
        raise _wrong(f"expected one of {', '.join(INPUTS)}; found {found}.", EXAMPLE)
    sentences, words = _SENTENCES[given[0]](ask, columns, split)
    lengths = list(map(len, sentences))
    _check_size(lengths, limits)
    many = max(ask.nbest or 1, ask.beam or 1)
    if many * sum(lengths) > limits.work:
        raise _wrong(f"a list or a beam of {many:,} is allowed for at most {limits.work // many:,} tokens at once.")
    if ask.trace and len(sentences) != 1:
        raise _wrong(f"a trace shows one sentence; found {len(sentences):,}.")
    if ask.trace and many * sum(lengths) > limits.traced:
        raise _wrong(f"a trace of a beam of {many:,} is allowed for at most {limits.traced // many:,} tokens.")
    if (ask.trace or isinstance(ask.constraints, list)) and max(lengths) > limits.detailed:
        what = "a trace" if ask.trace else "constraints"
        raise _wrong(f"a sentence has {max(lengths):,} tokens; with {what}, at most {limits.detailed:,} are allowed.")
    return Question(ask, sentences, words, sum(lengths))


def _of_text(ask: Ask, columns: int, split: Any) -> tuple[list[Any], list[list[str]]]:
    if columns != 1:
        reads = f"{columns} columns" if columns else "features"
        way = "rows" if columns else "features"
        raise _wrong(f"the model reads {reads} for every token, and text has only words.", f"Send {way}.")
    texts = [ask.text] if isinstance(ask.text, str) else ask.text or []
    sentences = split(texts)
    return sentences, sentences


def _of_tokens(ask: Ask, columns: int, split: Any) -> tuple[list[Any], list[list[str]]]:
    if columns != 1:
        reads = f"{columns} columns" if columns else "features"
        raise _wrong(f"the model reads {reads} for every token.", f"Send {'rows' if columns else 'features'}.")
    sentences = _one_or_many(ask.tokens or [], "tokens")
    return sentences, sentences


def _of_rows(ask: Ask, columns: int, split: Any) -> tuple[list[Any], list[list[str]]]:
    if not columns:
        raise _wrong("the model reads features, not columns.", "Send features.")
    rows = ask.rows or []
    # A sentence is a list of rows, and a row is a list of texts.
    one = bool(rows) and all(row and isinstance(row[0], str) for row in rows)
    sentences: list[Any] = [rows] if one else rows
    for s, sentence in enumerate(sentences):
        for t, row in enumerate(sentence):
            if not isinstance(row, list) or not all(isinstance(text, str) for text in row):
                raise _wrong(f"rows: token {t} of sentence {s} is no list of texts.", 'Send [["The", "DT"], …].')
            if len(row) != columns:
                raise _wrong(f"rows: token {t} of sentence {s} has {len(row)} columns; the model reads {columns}.")
            if not all(row):
                raise _wrong(f"rows: token {t} of sentence {s} has an empty column.")
    words = [[row[0] for row in sentence] for sentence in sentences]
    if columns == 1:
        return words, words
    return [[tuple(row) for row in sentence] for sentence in sentences], words


def _of_features(ask: Ask, columns: int, split: Any) -> tuple[list[Any], list[list[str]]]:
    if columns:
        raise _wrong("the model reads columns, not features.", "Send tokens." if columns == 1 else "Send rows.")
    sentences = ask.features or []
    return sentences, [[str(token.get("word", f"[{i}]")) for i, token in enumerate(s)] for s in sentences]


_SENTENCES = {"text": _of_text, "tokens": _of_tokens, "rows": _of_rows, "features": _of_features}


def _one_or_many(given: list[Any], name: str) -> list[list[str]]:
    """A list of texts is one sentence."""
    single = [isinstance(each, str) for each in given]
    if any(single) and not all(single):
        raise _wrong(f"{name}: texts and lists are mixed.", "Send a list of texts, or a list of lists of texts.")
    sentences: list[list[str]] = [given] if any(single) else given
    for s, sentence in enumerate(sentences):
        if not all(sentence):
            raise _wrong(f"{name}: sentence {s} has an empty token.")
    return sentences


def _check_size(lengths: list[int], limits: Limits) -> None:
    if not lengths or not all(lengths):
        where = f"sentence {lengths.index(0)} is empty" if lengths else "there are no sentences"
        raise _wrong(f"{where}.", EXAMPLE)
    for what, found, most in (
        ("sentences", len(lengths), limits.sentences),
        ("tokens", sum(lengths), limits.tokens),
        ("tokens in one sentence", max(lengths), limits.longest),
    ):
        if found > most:
            raise HttpRefusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the request has {found:,} {what}; at most {most:,} are allowed.",
                "Send it in parts.",
            )


def _wrong(message: str, remedy: str = "") -> HttpRefusal:
    return HttpRefusal(HTTPStatus.UNPROCESSABLE_ENTITY, message, remedy)


def _refused(error: ValidationError) -> HttpRefusal:
    """The first thing that is wrong, in one sentence."""
    found = error.errors(include_url=False, include_context=False)
    first = found[0]
    if first["type"] == "json_invalid":
        return HttpRefusal(HTTPStatus.BAD_REQUEST, shortened(first["msg"]) + ".", EXAMPLE)
    if first["type"] == "extra_forbidden":
        name = shortened(str(first["loc"][-1]))
        known = UnknownNameError.of("field", name, Ask.model_fields)
        return _wrong(known.message)
    if not first["loc"]:
        return _wrong("expected a JSON object.", EXAMPLE)
    # Each way that a field may be written has errors of its own. Those that are found deepest are meant.
    places = [(str(e["loc"][0]), [part for part in e["loc"] if isinstance(part, int)]) for e in found]
    deepest = max((place for place in places if place[0] == places[0][0]), key=lambda place: len(place[1]))
    ways = [_expected(e) for e, place in zip(found, places, strict=True) if place == deepest]
    shown = deepest[0] + "".join(f"[{index}]" for index in deepest[1])
    return _wrong(f"{shown}: expected {' or '.join(dict.fromkeys(ways))}.", EXAMPLE if deepest[0] in INPUTS else "")


def _expected(error: Any) -> str:
    message: str = error["msg"].removeprefix("Input should be ")
    return EXPECTED.get(error["type"], message)
