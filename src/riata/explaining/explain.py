"""Explains what an estimator does with one input: which output it chose, against which, and how it searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata import registry
from riata.choosing.decoding import RISK
from riata.choosing.preference import recipe_name
from riata.errors import LabelError, SearchError, UnsupportedError
from riata.explaining.constrained import FREE, constrained
from riata.explaining.contributions import Path, decision, path_to, true_path
from riata.explaining.explanation import Decision, Explanation
from riata.explaining.trace import Trace
from riata.inference.decoder import EXACT

if TYPE_CHECKING:
    from riata.data.types import Corpus
    from riata.scoring.search_errors import SearchErrors

BEST = "best"  # the name of the output that the search missed
WITHOUT = {setting.name for setting in RISK}  # settings that a search by states does not read
SHOWN = 10  # width of the beam that is shown for a model that decodes exactly


def explain_sentence(
    estimator: Any, corpus: Corpus, labels: Any, against: Sequence[Any] | None, training: bool
) -> Explanation:
    """corpus: one sentence. labels: the true labels, True for those in the data, or None; against: other labels to compare with."""
    shown, note = searching(estimator)
    try:
        trace = shown.trace(corpus, labels, features=True, training=training)
    except LabelError as error:
        trace = shown.trace(corpus, features=True)
        note = _sentences(note, f"The truth cannot be followed: {error.message}")
    [output] = estimator.predict(corpus)
    chosen = _forced(shown, corpus, output, "output")
    free = _without_constraints(estimator, shown, corpus)
    kept = None if free is None else constrained(estimator, corpus, chosen.side, free.side)
    errors = None if labels is None else estimator.search_errors(corpus, None if labels is True else [labels])
    best = _missed(estimator, shown, corpus, trace, errors)
    if against is not None:
        other: Path | None = _forced(shown, corpus, against, "given")
    elif reached(trace) and trace.truth is not None and trace.truth != chosen.labels:
        other = true_path(trace, trace.truth, "truth")
    elif best is None and kept is not None and kept.changes:
        other = free
    else:
        other = best or _runner_up(estimator, shown, corpus, chosen, trace)
    if trace.truth is not None and not reached(trace):
        note = _sentences(note, "No path leads to the truth; y-good is what comes as near to it as can be.")
    decided = decision(chosen, other)
    blames_model = errors is not None and errors.of[0] == "model" and other is not None and other.name == "truth"
    if blames_model and decided.difference < 0:  # otherwise it would be a search error or a tie
        note = _sentences(note, "The truth scores higher, but no search of this model can give it.")
    if trace.output is not None and trace.output != chosen.labels:
        reason = "" if kept is None or trace.forbidden is not None else " It does not look at constraints."
        note = _sentences(note, f"The search shown ends with another output than prediction.{reason}")
    found = replace(explanation_of(trace, decided, errors, best, note), constrained=kept)
    first = estimator.first_labels(corpus)
    if first is None:
        return found
    return replace(found, first=first, note=_sentences("This is the second of two passes.", note))


def explanation_of(
    trace: Trace, decided: Decision, errors: SearchErrors | None, best: Path | None, note: str | None = None
) -> Explanation:
    fault, test = (None, None) if errors is None else (errors.of[0], errors.test)
    missed = None if best is None else best.side
    return Explanation(trace.input, trace.truth, decided, fault, trace, note, missed, test)


def _without_constraints(estimator: Any, shown: Any, corpus: Corpus) -> Path | None:
    """What the model gives if it does not keep its constraints; None if it keeps none."""
    if estimator.decoder().kept is None:
        return None
    [labels] = estimator.predict(corpus, constraints=False)
    return _forced(shown, corpus, labels, FREE)


def _missed(estimator: Any, shown: Any, corpus: Corpus, trace: Trace, errors: SearchErrors | None) -> Path | None:
    """The better output that the search missed: the best of all or, if that is unknown, the truth."""
    if errors is None or not errors.missed[0]:
        return None
    if errors.test == "truth":
        return true_one(trace)
    best = estimator.best_output(corpus)
    return None if best is None else _forced(shown, corpus, best, BEST)


def true_one(trace: Trace) -> Path | None:
    return true_path(trace, trace.truth or (), BEST) if reached(trace) else None


def reached(trace: Trace) -> bool:
    """Whether a path leads to the truth itself."""
    return trace.true_path is not None and not trace.nodes[0].regret


def _sentences(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


def searching(estimator: Any) -> tuple[Any, str | None]:
    """The estimator or, if it decodes exactly, a twin that searches with the same weights; and a note that says so."""
    if estimator.decoder().queue != EXACT.queue:
        return estimator, None
    known = {setting.name for setting in registry.get("recipe", recipe_name(estimator)).settings}
    levelled = estimator.model_.outputs.levelled
    by_prefix = {} if levelled or "beam_by" not in known else {"beam_by": "prefix"}
    settings = {name: value for name, value in (estimator.settings or {}).items() if name not in WITHOUT}
    shown = estimator.twin(queue="beam", beam=SHOWN, settings={**settings, **by_prefix})
    return shown, f"The model decodes exactly; the search shown is a beam of {SHOWN} with the same weights."


def _forced(estimator: Any, corpus: Corpus, labels: Sequence[Any], name: str) -> Path:
    """The path to given labels, whatever a search would keep of it."""
    trace = estimator.twin(queue="greedy", beam=None).trace(corpus, labels, features=True, training=False)
    path = true_path(trace, trace.truth or (), name)
    if path is None or not reached(trace):
        raise UnsupportedError(
            "The model never gives these labels: no path of its search leads to them.",
            remedy="Give legal labels, and segments no longer than those of the training data.",
        )
    return path


def _runner_up(estimator: Any, shown: Any, corpus: Corpus, chosen: Path, trace: Trace) -> Path | None:
    """The best other output: exact if there are lists of the best, otherwise the next output of the search."""
    if shown is not estimator:
        try:
            [best] = estimator.predict_nbest(corpus, 2)
        except (
            SearchError,
            UnsupportedError,
        ):  # a structure without lists, or exact decoding by a beam without a limit
            pass
        else:
            return _forced(shown, corpus, best[1][0], "runner-up") if len(best) > 1 else None
    for node, labels in trace.outputs:
        if labels != chosen.labels:
            return path_to(trace, node, labels, "runner-up")
    return None
