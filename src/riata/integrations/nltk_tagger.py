"""A trained model as a tagger of NLTK."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nltk.tag.api import TaggerI

from riata.integrations.loading import words_model


class NltkTagger(TaggerI):
    """A trained Tagger, Chunker or EntityRecognizer, or the path of its file, behind NLTK's interface.

    Of chunkers the tags are chunk labels, which nltk.chunk.conlltags2tree understands with the words and tags beside them.

    >>> NltkTagger(tagger).tag(["The", "bus", "stopped"])  # doctest: +SKIP
    [('The', 'DT'), ('bus', 'NN'), ('stopped', 'VBD')]
    """

    def __init__(self, model: Any) -> None:
        self._model = words_model(model)

    def tag(self, tokens: Sequence[str]) -> list[tuple[str, Any]]:
        """The tokens of one sentence with their labels."""
        [found] = self.tag_sents([tokens])
        return found

    def tag_sents(self, sentences: Iterable[Sequence[str]]) -> list[list[tuple[str, Any]]]:
        """All sentences at once, which is faster than one after the other."""
        given = [list(sentence) for sentence in sentences]
        full = [sentence for sentence in given if sentence]
        labels = iter(self._model.predict(full) if full else [])
        return [list(zip(sentence, next(labels), strict=True)) if sentence else [] for sentence in given]

    def __repr__(self) -> str:
        return f"<NltkTagger {self._model!r}>"
