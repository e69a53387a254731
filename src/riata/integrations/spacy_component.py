"""A component of spaCy pipelines that sets tags, chunks or entities with a trained model.

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("riata", config={"model": "tagger.riata"})

spaCy finds it by its entry point once Riata is installed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import minibatch

from riata.data.encodings.base import is_extended, spans_of
from riata.errors import SettingError, UnsupportedError
from riata.integrations.loading import parts, words_model

CHUNKS, ENTITIES, AUTO = "chunks", "entities", "auto"
FILE = "model.riata"
DEFAULTS = {"model": None, "spans": AUTO, "key": CHUNKS}


@Language.factory("riata", default_config=DEFAULTS)
def make(nlp: Language, name: str, model: str | None, spans: str, key: str) -> RiataComponent:
    return RiataComponent(name, model, spans, key)


class RiataComponent:
    """Sets `token.tag_`, and `doc.ents` or `doc.spans[key]`. Sentences are those of the document, or else it is one sentence.

    model: a path; None: read later, by from_disk. spans: whether chunks are `entities` or `chunks`; auto: entities if the model is an
    EntityRecognizer.
    """

    def __init__(self, name: str, model: str | Path | None, spans: str = AUTO, key: str = CHUNKS) -> None:
        if spans not in (AUTO, CHUNKS, ENTITIES):
            raise SettingError(f"spans is {spans!r}; expected auto, chunks or entities.")
        self.name, self._spans, self._key = name, spans, key
        self._model: Any = None
        if model is not None:
            self._load(model)

    def _load(self, model: str | Path) -> None:
        self._file, self._model = Path(model), words_model(model)

    def __call__(self, doc: Doc) -> Doc:
        [done] = self.pipe([doc])
        return done

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        if self._model is None:
            raise UnsupportedError(
                "The component riata has no model.", remedy='Give one: nlp.add_pipe("riata", config={"model": PATH}).'
            )
        for docs in minibatch(stream, batch_size):
            yield from self._labelled(list(docs))

    def _labelled(self, docs: list[Doc]) -> list[Doc]:
        """All sentences of all documents are predicted together."""
        placed = [(doc, sentence) for doc in docs for sentence in _sentences(doc)]
        read = [[token for token in sentence if not token.is_space] for _, sentence in placed]
        full = [(doc, tokens) for (doc, _), tokens in zip(placed, read, strict=True) if tokens]
        labels = self._model.predict([[token.text for token in tokens] for _, tokens in full]) if full else []
        found: dict[int, list[Span]] = {id(doc): [] for doc in docs}
        chunked = False
        for (doc, tokens), own in zip(full, labels, strict=True):
            tags, chunks = parts(self._model, own)
            for token, tag in zip(tokens, tags or (), strict=False):
                token.tag_ = tag
            if chunks is not None:
                chunked = True
                found[id(doc)] += [
                    Span(doc, tokens[start].i, tokens[end - 1].i + 1, label=label)
                    for start, end, label in spans_of(chunks, extended=is_extended(chunks))
                ]
        for doc in docs if chunked else ():
            self._set(doc, found[id(doc)])
        return docs

    def _set(self, doc: Doc, spans: list[Span]) -> None:
        as_entities = self._spans == ENTITIES or (self._spans == AUTO and self._model.task_name == "ner")
        if as_entities:
            doc.ents = spans
        else:
            doc.spans[self._key] = spans

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Copies the model into the folder of the pipeline."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if self._model is not None:
            shutil.copyfile(self._file, folder / FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> RiataComponent:
        if (Path(path) / FILE).exists():
            self._load(Path(path) / FILE)
        return self


def _sentences(doc: Doc) -> Iterable[Any]:
    return doc.sents if doc.has_annotation("SENT_START") else [doc]
