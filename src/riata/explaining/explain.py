"""Explains what an estimator does with one input: which output it chose, against which, and how it searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata import registry
from riata.choosing.losses import RISK
from riata.choosing.options import checked
from riata.choosing.recipe import recipe_name
from riata.errors import LabelError, SearchError, UnsupportedError
from riata.explaining.bounds import bounds
from riata.explaining.constrained import FREE, constrained
from riata.explaining.contributions import Path, decision, path_to, true_path
from riata.explaining.explanation import Decision, Explanation
from riata.explaining.trace import Labels, Trace
from riata.inference.structure import EXACT

if TYPE_CHECKING:
    from riata.data.types import Corpus, Ids
    from riata.explaining.arcs import ArcChoice
    from riata.explaining.structure import ScoredStructure
    from riata.explaining.trace import Labels
    from riata.scoring.search_errors import SearchErrors


BEST = "best"  # the name of the output that the search missed
WITHOUT = {setting.name for setting in RISK}  # settings that a search by states does not read
SHOWN = 10  # width of the beam that is shown for a model that decodes exactly
INSTEAD = f"The model decodes exactly; the search shown is a beam of {SHOWN} with the same weights."


class Searched:
    """The outputs of one sentence of a model that is searched, with the search that is shown. labels: as in `explain_sentence`."""

    def __init__(self, estimator: Any, corpus: Corpus, labels: Any, training: bool) -> None:
        self.estimator, self.corpus = estimator, corpus
        self.shown, self.note = searching(estimator)
        try:
            self.trace = self.shown.trace(corpus, labels, features=True, training=training)
        except LabelError as error:
            self.trace = self.shown.trace(corpus, features=True)
            self.note = _sentences(self.note, f"The truth cannot be followed: {error.message}")
        if self.trace.truth is not None and not reached(self.trace):
            told = "No path leads to the truth; y-good is what comes as near to it as can be."
            self.note = _sentences(self.note, told)
        self.input, self.truth = self.trace.input, self.trace.truth

    def path(self, labels: Sequence[Any], name: str) -> Path:
        """Labels say no more than the truth does: tags may be open there."""
        found = _forced(self.shown, self.corpus, labels, name)
        found.labels = alike(found.labels, self.truth)
        return found

    def given(self, labels: Sequence[Any]) -> Path:
        return self.path(labels, "given")

    def true_path(self, name: str) -> Path | None:
        return true_path(self.trace, self.truth or (), name) if reached(self.trace) else None

    def next_output(self, chosen: Path) -> Path | None:
        """The best other output of the search."""
        for node, labels in self.trace.outputs:
            if labels != chosen.labels and self.trace.is_whole(node):
                return path_to(self.trace, node, labels, "runner-up")
        return None

    def choices(self, output: Sequence[Any]) -> None:
        """The trace shows what was chosen."""

    @property
    def lists(self) -> bool:
        """Whether the runner-up is the second of a list of the best, not of the search."""
        return self.shown is not self.estimator


def explain_sentence(
    estimator: Any, corpus: Corpus, labels: Any, against: Sequence[Any] | None, training: bool
) -> Explanation:
    """corpus: one sentence. labels: the true labels, True for those in the data, or None; against: other labels to compare with."""
    shown: Searched | Scored = (
        Scored(estimator, corpus, labels)
        if estimator.model_.outputs.scored_by_parts
        else Searched(estimator, corpus, labels, training)
    )
    output = estimator.explaining.whole_output(corpus)
    chosen = shown.path(output, "output")
    bounds().check()
    free = _without_constraints(estimator, shown, corpus)
    kept = None if free is None else constrained(estimator, corpus, chosen.side, free.side)
    errors = None if labels is None else estimator.search_errors(corpus, None if labels is True else [labels])
    best = _missed(estimator, shown, corpus, errors)
    bounds().check()
    truth = shown.true_path("truth")
    if against is not None:
        other: Path | None = shown.given(against)
    elif truth is not None and (truth.labels != chosen.labels or (errors is not None and errors.wrong)):
        other = truth
    elif best is None and kept is not None and kept.changes:
        other = free
    else:
        other = best or _runner_up(estimator, shown, corpus, chosen)
    decided = decision(chosen, other)
    arcs, trace = shown.choices(output), shown.trace
    note = shown.note
    blames_model = errors is not None and errors.of[0] == "model" and other is not None and other.name == "truth"
    if blames_model and decided.difference < 0 and trace is not None:  # otherwise it would be a search error or a tie
        breaks = "" if kept is None else "it breaks constraints, or "
        note = _sentences(note, f"The truth scores higher, but {breaks}no search of this model can give it.")
    if trace is not None and trace.output is not None and trace.output != chosen.labels:
        blind = kept is not None and trace.forbidden is None
        note = _sentences(
            note, "The search shown ends with another output than prediction.", _why_other(estimator, shown, blind)
        )
    fault, test = (None, None) if errors is None else (errors.of[0], errors.test)
    missed = None if best is None else best.side
    found = Explanation(
        shown.input,
        shown.truth,
        decided,
        fault,
        trace,
        note,
        missed,
        test,
        constrained=kept,
        exact=shown.lists,
        arcs=arcs,
    )
    first = estimator.columns.first_labels(corpus)
    if first is None:
        return found
    return replace(found, first=first, note=_sentences("This is the second of two passes.", note))


def _why_other(estimator: Any, shown: Searched | Scored, blind: bool) -> str:
    """Why a search ends with another output than prediction. blind: whether it does not look at constraints."""
    if blind:
        return "It does not look at constraints."
    decoder = estimator.predicting.decoder()
    if decoder.risk is not None:
        return "Prediction chooses labels or chunks by their probabilities, the search shown an output by its score."
    if shown.lists:
        return f"A beam of {SHOWN} drops states that exact search keeps."
    return "The search shown restarts from the truth." if shown.trace is not None and shown.trace.restarted else ""


def alike(labels: Labels, truth: Labels | None) -> Labels:
    """Labels of several parts, with as many of them as the truth has."""
    if truth is None or not all(isinstance(label, tuple) for label in (*labels, *truth)):
        return labels
    fewest = min((len(label) for label in truth), default=0)  # type: ignore[arg-type]
    return tuple(label[:fewest] for label in labels)  # type: ignore[index,return-value]


def explanation_of(
    trace: Trace, decided: Decision, errors: SearchErrors | None, best: Path | None, note: str | None = None
) -> Explanation:
    fault, test = (None, None) if errors is None else (errors.of[0], errors.test)
    missed = None if best is None else best.side
    return Explanation(trace.input, trace.truth, decided, fault, trace, note, missed, test)


def _without_constraints(estimator: Any, shown: Searched | Scored, corpus: Corpus) -> Path | None:
    """What the model gives if it does not keep its constraints; None if it keeps none."""
    if estimator.predicting.decoder().kept is None:
        return None
    return shown.path(estimator.explaining.whole_output(corpus, constraints=False), FREE)


def _missed(estimator: Any, shown: Searched | Scored, corpus: Corpus, errors: SearchErrors | None) -> Path | None:
    """The better output that the search missed: the best of all or, if that is unknown, the truth."""
    if errors is None or not errors.missed[0]:
        return None
    if errors.test == "truth":
        return shown.true_path(BEST)
    best = estimator.evaluating.best_output(corpus)
    return None if best is None else shown.path(best, BEST)


def true_one(trace: Trace) -> Path | None:
    return true_path(trace, trace.truth or (), BEST) if reached(trace) else None


def reached(trace: Trace) -> bool:
    """Whether a path leads to the truth itself."""
    return trace.true_path is not None and not trace.nodes[0].regret


def _sentences(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


def searching(estimator: Any) -> tuple[Any, str | None]:
    """The estimator or, if it decodes exactly, a twin that searches with the same weights; and a note that says so."""
    if estimator.predicting.decoder().queue != EXACT.queue:
        return estimator, None
    known = {setting.name for setting in registry.get("recipe", recipe_name(estimator)).settings}
    levelled = estimator.model_.outputs.levelled
    by_prefix = {} if levelled or "beam_by" not in known else {"beam_by": "prefix"}
    settings = {name: value for name, value in (estimator.settings or {}).items() if name not in WITHOUT}
    shown = estimator.twin(queue="beam", beam=SHOWN, settings={**settings, **by_prefix})
    return shown, INSTEAD


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


def _runner_up(estimator: Any, shown: Searched | Scored, corpus: Corpus, chosen: Path) -> Path | None:
    """The best other output: exact if there are lists of the best, otherwise the next output of the search."""
    if shown.lists:
        try:
            ranked = estimator.predict_nbest(corpus, 2)[0]
        except (SearchError, UnsupportedError):
            # A structure without lists, or exact decoding by a beam without a limit.
            pass
        else:
            return shown.path(ranked[1][0], "runner-up") if len(ranked) > 1 else None
    return shown.next_output(chosen)


class Scored:
    """The outputs of one sentence, as `explain_sentence` asks for them. labels: the true ones, True for those in the data, or None."""

    trace = None
    lists = True  # whether the runner-up is the second of a list of the best

    def __init__(self, estimator: Any, corpus: Corpus, labels: Any) -> None:
        self.estimator, self.corpus = estimator, corpus
        model, self.inputs = estimator.model_, estimator.columns.input_columns(corpus)
        self.said: ScoredStructure = registry.of_structure("traced", model.structure)(model, self.inputs)
        self.input = tuple(self.inputs.columns[0].texts())
        self.note: str | None = None
        self.truth: Labels | None = None
        self._true: Any = None  # codes of the core
        if labels is not None:
            self._read_truth(None if labels is True else [labels])

    def _read_truth(self, y: Any) -> None:
        try:
            self._true = self._codes(y)
        except LabelError as error:
            self.note = f"The truth cannot be compared: {error.message}"
            return
        self.truth = self.said.shown(self._true)
        if self.never(self._true):
            self.note = f"The structure {self.estimator.model_.structure!r} never gives the truth."

    def _codes(self, y: Any) -> Ids:
        """True or given labels, which are checked."""
        return self.said.codes(
            self.estimator.explaining.true_labels(self.corpus, y, checked(self.estimator, training=False))
        )

    def never(self, codes: Any) -> bool:
        return bool(self.estimator.model_.impossible(self.inputs, codes).any())

    def path(self, labels: Sequence[Any], name: str) -> Path:
        return self.said.path(self.said.codes(labels), name)

    def given(self, labels: Sequence[Any]) -> Path:
        """The path to labels of the user."""
        codes = self._codes([labels])
        if self.never(codes):
            raise UnsupportedError(
                "The model never gives these labels.", remedy="Give an output that the structure allows."
            )
        return self.said.path(codes, "given")

    def true_path(self, name: str) -> Path | None:
        return None if self._true is None else self.said.path(self._true, name)

    def next_output(self, chosen: Path) -> Path | None:
        """Only lists of the best have a next output."""
        return None

    def choices(self, output: Sequence[Any]) -> tuple[ArcChoice, ...]:
        codes = self.said.codes(output)
        try:
            ids, confidences = self.estimator.confidence.confidence_ids(self.corpus)
        except UnsupportedError:
            ids, confidences = None, None
        known = confidences if ids is not None and (ids == codes).all() else None
        if known is not None and not self.estimator.confidence.believable:
            self.note = " ".join(
                part for part in (self.note, "Confidences mean little before the model is calibrated.") if part
            )
        return self.said.choices(codes, known)
