"""What is said of a sentence that has no output which keeps constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from riata import _core
from riata.data.types import Corpus
from riata.errors import SearchError
from riata.inference.kept import native_rules
from riata.inference.rules.folding import SECONDS
from riata.inference.rules.rule import HARD
from riata.inference.structure import EXACT, Decoder
from riata.models.one_after_another import NOT_FOUND, ONE

if TYPE_CHECKING:
    from riata.models.model import Model


def nothing_legal(model: Model, decoder: Decoder, corpus: Corpus, sentence: int) -> SearchError:
    """The error that names a sentence and constraints that conflict there. Where nothing searches, it names all of them.

    A dictionary is not to blame: it yields.
    """
    from riata.inference.kept import no_legal_output

    kept, model = decoder.kept, model.unlimited or model
    assert kept is not None
    alone = corpus[sentence : sentence + 1]
    rules, known = kept.on(alone).of(0), model.instances(alone)

    def impossible(some: set[int]) -> bool:
        fewer = rules.where(lambda one: one.origin in some and one.penalty == HARD)
        if model.outputs.branches:
            found = model.outputs.best_kept(model, alone, fewer, SECONDS)
            return found.codes is None and found.complete
        settings = vars(replace(decoder, queue=EXACT.queue, seconds=0.0))
        native = native_rules(kept.names, fewer.rules, fewer.automata)
        _, how = _core.decode_under(model.weights, model.features.index, known, settings, native, ONE)
        return bool(how[0] == NOT_FOUND)

    origins = {one.origin for one in rules.hard().all()}
    searches = model.is_searched or model.outputs.branches
    for origin in sorted(origins) if searches and impossible(origins) else ():
        if impossible(origins - {origin}):
            origins -= {origin}
    given = " with the labels that are given" if alone.known is not None and (alone.known.of >= 0).any() else ""
    error = no_legal_output(kept.declared, sorted(origins), which(corpus, sentence) + given)
    return located(error, corpus, sentence)


def which(corpus: Corpus, sentence: int) -> str:
    """Files are read in parts, in which sentences are counted anew; the line tells which one it is."""
    return "this sentence" if corpus.lines is not None else f"sentence {sentence} (from 0)"


def located(error: SearchError, corpus: Corpus, sentence: int) -> SearchError:
    line = corpus.line_of(int(corpus.starts[sentence])) if corpus.lines is not None else None
    return error.located(corpus.name, line)  # type: ignore[return-value]
