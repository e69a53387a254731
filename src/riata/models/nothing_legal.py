"""What is said of a sentence that has no output which keeps constraints, or of which none was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata.data.types import Corpus
from riata.errors import SearchError
from riata.inference.rules.rules import Rules
from riata.inference.structure import EXACT, SECONDS, Decoder
from riata.models.ruled_search import NOTHING_FOUND, RuledSentence

if TYPE_CHECKING:
    from riata.models.model import Model


def nothing_legal(model: Model, decoder: Decoder, corpus: Corpus, sentence: int) -> SearchError:
    """The error that names a sentence and constraints that conflict there. Where nothing searches, it names all of them.

    A dictionary is not to blame: it yields.
    """
    kept, model = decoder.kept, model.unlimited or model
    assert kept is not None
    alone = corpus[sentence : sentence + 1]
    rules = kept.on(alone).of(0).hard()
    ruled = RuledSentence(model, alone, rules, kept.names, decoder)

    def impossible(some: Rules) -> bool:
        if model.outputs.branches:
            found = model.outputs.best_kept(model, alone, some, SECONDS)
            return found.codes is None and found.complete
        return ruled.search(replace(decoder, queue=EXACT.queue, seconds=0.0), some)[1] == NOTHING_FOUND

    searches = model.is_searched or model.outputs.branches
    origins = conflicting(rules, impossible if searches else lambda _: False)
    given = " with the labels that are given" if alone.known is not None and (alone.known.of >= 0).any() else ""
    error = no_legal_output(kept.declared, origins, which(corpus, sentence) + given)
    return located(error, corpus, sentence)


def conflicting(rules: Rules, impossible: Callable[[Rules], bool]) -> list[int]:
    """A minimal set of declared constraints, by number, that no output keeps together: without any one of them, some output is legal.

    Constraints are left out one after the other, and stay out if still nothing is legal (a deletion filter). All of them, if they are
    possible together.
    """
    origins = {one.origin for one in rules.all()}
    for origin in sorted(origins) if impossible(rules) else ():
        fewer = origins - {origin}
        if impossible(rules.where(lambda one, some=fewer: one.origin in some)):  # type: ignore[misc]
            origins = fewer
    return sorted(origins)


def no_legal_output(constraints: Any, origins: list[int], sentence: str) -> SearchError:
    """The error that names a sentence and the constraints that conflict on it. constraints: all that were declared, by number."""
    if not origins:
        return SearchError(
            f"No output of {sentence} is possible, with or without constraints.",
            remedy="The encoding and labels that are given forbid all of them.",
        )
    named = "; ".join(repr(constraints[origin]) for origin in origins)
    if len(origins) == 1:
        return SearchError(
            f"No output of {sentence} keeps the constraint {named}.", remedy="Leave it out, or give it a penalty."
        )
    return SearchError(
        f"No output of {sentence} keeps these {len(origins)} constraints together: {named}.",
        remedy="Leave one of them out, or give it a penalty.",
    )


def which(corpus: Corpus, sentence: int) -> str:
    """Files are read in parts, in which sentences are counted anew; the line tells which one it is."""
    return "this sentence" if corpus.lines is not None else f"sentence {sentence} (from 0)"


def located(error: SearchError, corpus: Corpus, sentence: int) -> SearchError:
    line = corpus.line_of(int(corpus.starts[sentence])) if corpus.lines is not None else None
    return error.located(corpus.name, line)  # type: ignore[return-value]
