"""Learns to search a problem of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from riata import registry
from riata._core import ProblemModel
from riata.choosing.options import check_parts
from riata.choosing.sample_weight import sentence_weights
from riata.errors import AsInterrupt, DataError, WithinMemory
from riata.explaining.trace import Trace
from riata.learning.development import check_one_epoch
from riata.learning.events import Listener, Note, listening, warn
from riata.learning.loop import Outcome
from riata.params import Params, short
from riata.problems.examples import as_inputs, paired
from riata.problems.options import HERE, checked, development, searching, width
from riata.problems.outputs import most_probable, ranked, scores_of, shares_of
from riata.problems.problem import Problem, check, defined
from riata.problems.structure import Structure
from riata.problems.training import ProblemEpoch, ProblemExamples, ProblemFit, ProblemLearner
from riata.showing.notebook import page
from riata.showing.table import Cell, Table

if TYPE_CHECKING:
    from riata.explaining.explanation import Explanation
    from riata.learning.diagnostics import Diagnostics, Run
    from riata.scoring.search_errors import SearchErrors


Self = TypeVar("Self", bound="Predictor")  # typing.Self needs Python 3.11

FEWER_STATES = "Use a smaller beam, states that hold less, fewer features of a step, or less data."
UNKNOWN: Any = object()  # in place of a true output, which may be anything


class Predictor(Params):
    """Learns to search a `riata.Problem` (Daumé & Marcu 2005), in scikit-learn's conventions. Given a `riata.Structure`, it is
    a `riata.StructurePredictor`, whose parameters are others.

    recipe: when to update, against what, and how far. queue: beam (default), greedy, best-first, a-star; breadth-first, depth-first
    and hill-climb only decode. beam: nodes kept; None or float("inf") for all of them. settings: of the recipe, by name; they may be named
    like parameters, too. After training, queue, beam and the settings of search may be changed with set_params, and the next prediction
    uses them.
    dev: a pair (X, Y), or the fraction of the training data (its end) that is held out to choose the epoch. patience: stop after so
    many epochs without a better score. refit: then train again on all data for that many epochs. warm_start: continue from the present
    model when fit is called again.

    Python is called for every state, so this is slower than the estimators for sequences.

    >>> class Tagging(riata.Problem):
    ...     def initial(self, x): return ()
    ...     def actions(self, x, s): return ("V", "C")
    ...     def apply(self, x, s, a): return (*s, a)
    ...     def is_goal(self, x, s): return len(s) == len(x)
    ...     def observe(self, x, s): return [f"letter={x[len(s)]}"]
    ...     def regret(self, x, s, y): return sum(a != b for a, b in zip(s, y))
    ...
    >>> predictor = riata.Predictor(Tagging(), beam=2).fit(["ab", "eg"], ["VC", "VC"])
    >>> predictor.predict(["ba"])
    [['C', 'V']]
    """

    _own_settings = HERE
    _remedy_unfitted = "Call fit, or riata.load_model(path, using=[problem])."
    model_: ProblemModel
    history_: list[dict[str, Any]]
    stats_: dict[str, Any]
    facts_: dict[str, int]
    best_epoch_: int
    best_score_: float | None
    _run: Run | None

    def __new__(cls, problem: Any = None, *args: Any, **params: Any) -> Any:
        """Of a `riata.Structure`, which is solved as a whole, a StructurePredictor."""
        if not isinstance(problem, Structure):
            return super().__new__(cls)
        from riata.problems.structure_predictor import StructurePredictor

        return StructurePredictor(problem, *args, **params)

    def __init__(
        self,
        problem: Problem,
        recipe: str = "laso-alma",
        beam: float | None = 5,
        epochs: int = 5,
        seed: int = 0,
        queue: str | None = None,
        settings: Mapping[str, Any] | None = None,
        *,
        dev: float | tuple[Iterable[Any], Iterable[Any]] | None = None,
        patience: int | None = None,
        refit: bool = False,
        warm_start: bool = False,
        **named: Any,
    ) -> None:
        self.problem = problem
        self.recipe = recipe
        self.beam = beam
        self.epochs = epochs
        self.seed = seed
        self.queue = queue
        self._store_settings(settings, named)
        self.dev = dev
        self.patience = patience
        self.refit = refit
        self.warm_start = warm_start

    __new__.__wrapped__ = __init__  # type: ignore[attr-defined]  # whose signature is shown

    # --- learning -----------------------------------------------------------------------------------------------

    def fit(
        self: Self,
        X: Iterable[Any],
        Y: Iterable[Any] | None = None,
        X_dev: Iterable[Any] | None = None,
        Y_dev: Iterable[Any] | None = None,
        *,
        sample_weight: Any = None,
        listener: Listener | None = None,
    ) -> Self:
        """Learns from inputs and their true outputs, which only `problem.regret` reads (and `problem.loss`, of development data).

        X_dev, Y_dev: development data, instead of the parameter `dev`. sample_weight: one number per example, which multiplies its steps.
        listener: is called with what happens (riata.learning.events); without one, warnings are Python's, and a terminal shows every epoch.

        Ctrl-C keeps the model of the last good epoch and raises KeyboardInterrupt.
        """
        tell = listening(listener)
        settings = checked(self, learning=True, goes_on=bool(self.warm_start))
        dev = development(self, X_dev, Y_dev)
        inputs, outputs = paired(X, Y)
        data = ProblemExamples(inputs, outputs, sentence_weights(sample_weight, len(inputs), "example"))
        start = self._start() if self.warm_start else None
        if note := searching(self.recipe).note:
            tell(Note(note))
        with AsInterrupt(), WithinMemory(FEWER_STATES):
            outcome = ProblemFit(self.problem, settings, self.epochs, self.seed, dev, start, tell).run(data)
        self._keep(outcome, outcome.run, _history(outcome), None)
        if outcome.interrupted:
            raise KeyboardInterrupt
        return self

    def partial_fit(self: Self, X: Iterable[Any], Y: Iterable[Any] | None = None, *, sample_weight: Any = None) -> Self:
        """One epoch over these examples, whatever `epochs` says, on top of what was learnt before. Averaging goes on over all calls.

        dev, patience and refit are refused. Where other parameters have changed, learning goes on with them from the present model.
        """
        check_parts(searching(self.recipe), "partial_fit learns from a part of the data at a time")
        settings = checked(self, learning=True, goes_on=True)
        check_one_epoch(self)
        inputs, outputs = paired(X, Y)
        data = ProblemExamples(inputs, outputs, sentence_weights(sample_weight, len(inputs), "example"))
        trainer: ProblemLearner | None = getattr(self, "_partial", None)
        start = self._start()
        if trainer is None or {**trainer.settings, "deepest": settings["deepest"]} != settings:
            trainer = ProblemLearner(self.problem, settings, None if start is None else start[0], warn)
        number = (0 if start is None else start[1]) + 1
        with AsInterrupt(), WithinMemory(FEWER_STATES):
            epoch = trainer.epoch(data, self.seed, number)
        outcome = Outcome(trainer.model(), number, history=[epoch])
        before = getattr(self, "history_", [])
        self._keep(outcome, trainer.account(len(inputs), 1), [*before, *_history(outcome)], trainer)
        trainer.tell_of([epoch])
        return self

    def _start(self) -> tuple[ProblemModel, int] | None:
        """The model that training goes on from, and the epochs that it has seen."""
        model: ProblemModel | None = getattr(self, "model_", None)
        return None if model is None else (model, self.best_epoch_)

    def _keep(
        self, outcome: Outcome, run: Run | None, history: list[dict[str, Any]], partial: ProblemLearner | None
    ) -> None:
        """All that training sets, in one step: an interrupt leaves the predictor as it was, or as it should be."""
        if outcome.model is None or run is None:
            return
        last = outcome.history[-1]
        assert isinstance(last, ProblemEpoch)
        facts = {"examples": last.sentences, "unreachable": last.unreachable, "skipped": last.skipped}
        facts |= {"epochs": outcome.best_epoch, "deepest": run.settings["deepest"]}
        facts |= {"approximate": 1} if searching(self.recipe).note else {}
        self.__dict__.update(
            model_=outcome.model,
            history_=history,
            stats_=run.stats,
            facts_=facts,
            best_epoch_=outcome.best_epoch,
            best_score_=outcome.best_score,
            _run=run if partial is None else None,
            _partial=partial,
        )

    # --- predicting and scoring ---------------------------------------------------------------------------------

    def predict(self, X: Iterable[Any]) -> list[Any]:
        """The output that the search finds for every input."""
        inputs = as_inputs(X)
        model, settings = self._check_fitted(), self._checked(learning=False)
        found = model.decode(self.problem, defined(self.problem), inputs, settings)
        return [self.problem.output(x, s, path) for x, (path, s) in zip(inputs, found, strict=True)]

    def predict_nbest(
        self, X: Iterable[Any], k: int, *, probabilities: bool = False, temperature: float = 1.0
    ) -> list[list[tuple[Any, float]]]:
        """The k best of the outputs that a beam ends with, with their scores, best first;
        fewer where it keeps fewer. The first is predict's.

        probabilities: with these instead of scores, among all paths that the beam kept (see predict_confidence). Equal outputs count once.
        They need a queue that keeps levels: beam (by operations or by prefix) or greedy.
        """
        from riata.inference.chain import K

        k = int(K.parse(k))
        inputs = as_inputs(X)
        if probabilities:
            found = shares_of(self._check_fitted(), self.problem, inputs, self._checked(learning=False), temperature)
            return [most_probable(goals)[:k] for goals, _ in found]
        return [
            goals[:k] for goals in ranked(self._check_fitted(), self.problem, inputs, self._checked(learning=False))
        ]

    def predict_confidence(self, X: Iterable[Any], *, steps: bool = False, temperature: float = 1.0) -> list[Any]:
        """How sure the search is of what predict gives: of every output a number from 0 to 1; with steps,
        a list with one for each of its actions.

        A path has the probability exp(score / temperature) / Z among those that the beam kept, paths that were merged by `key` among
        them. The probability of an output is that of its path, and of other paths of the last front with an equal output. The probability
        of a step is that of all paths that take the same action there. This needs a queue that keeps levels: beam (by operations or by
        prefix) or greedy.
        """
        inputs = as_inputs(X)
        found = shares_of(self._check_fitted(), self.problem, inputs, self._checked(learning=False), temperature)
        return [of_steps if steps else most_probable(goals, first_only=True)[0][1] for goals, of_steps in found]

    def score(self, X: Iterable[Any], Y: Iterable[Any], sample_weight: Any = None) -> float:
        """1 - the mean loss, where the problem defines a loss; else the fraction of outputs that are exactly right."""
        inputs, outputs = paired(X, Y)
        weights = sentence_weights(sample_weight, len(inputs), "example")
        scores = self.scores_of(inputs, outputs, self.predict(inputs))
        if len(weights) and not weights.any():
            raise DataError("sample_weight is 0 for every example.", remedy="Give some a weight above 0.")
        return float(np.average(scores, weights=weights) if len(weights) else np.mean(scores))

    def scores_of(self, X: Iterable[Any], Y: Iterable[Any], predicted: Iterable[Any]) -> list[float]:
        """The score of every prediction: 1 - its loss, or whether it is exactly right. `score` is their mean."""
        return scores_of(self.problem, X, Y, predicted, warn)

    # --- looking inside -----------------------------------------------------------------------------------------

    def trace(self, x: Any, y: Any = UNKNOWN, *, features: bool = False, training: bool = True) -> Trace:
        """What the search for one input does, step by step. With the true output y (which may be None) it is the search of training.

        No weight is changed. training=False: it goes on as in prediction, and shows the first update that training would make. features:
        record those of every step, with their weights.
        """
        from riata.explaining.trace import plain_row
        from riata.problems.tracing import trace_problem

        model, settings = self._check_fitted(), self._checked(learning=False)
        known = y is not UNKNOWN
        check(self.problem, learning=known)
        follows = known and not registry.get("queue", settings["queue"]).decode_only
        learner = {**settings, "recipe": self.recipe, "training": training} if follows else None
        found = trace_problem(model, self.problem, x, (y,) if known else None, settings, learner, features)
        return replace(found, predicted=plain_row(self.predict([x])[0])) if found.restarted else found

    def explain(self, x: Any, y: Any = UNKNOWN, *, against: Any = UNKNOWN, training: bool = False) -> Explanation:
        """Why one input gets its output: every feature that speaks for it or against it, and the search that found it.

        It is compared with the output `against`; without that with the true output y, where it is known and another one, or else with
        the runner-up. training: show the search as it is in training, with its updates and restarts.
        """
        from riata.problems.tracing import explain_input

        truth, other = (None if output is UNKNOWN else (output,) for output in (y, against))
        return explain_input(self, x, truth, other, training)

    def diagnose(self, X: Iterable[Any], Y: Iterable[Any], *, beam: float | None = None) -> Diagnostics:
        """The margins of the final weights on these examples, and what the theory of LaSO says about the training (docs/theory.md).

        Give the training data. beam: the states kept while measuring (None: as in training); float("inf") keeps all of them,
        which is what the bounds need unless training was greedy. Needs a predictor that was trained, not loaded.
        """
        from riata.learning.diagnostics import diagnosis, measured_settings, not_kept

        self._check_fitted()
        run: Run | None = getattr(self, "_run", None)
        if run is None:
            raise not_kept(type(self).__name__, self.recipe, searches=True)
        settings = measured_settings(run, beam, width)
        inputs, outputs = paired(X, Y)
        report = run.model.margins(self.problem, defined(self.problem), inputs, outputs, settings)
        return diagnosis(run, report, settings, len(inputs))

    def search_errors(self, X: Iterable[Any], Y: Iterable[Any]) -> SearchErrors:
        """How many wrong outputs are faults of the search, and how many of the weights; `of` has the fault of each.

        An output is wrong if its regret is above that of the start. The search has surely missed a better one if a right output scores
        higher. The count is a lower bound: the best output of all is not known (`test` is "truth"), nor a right one where the regret is
        not exact.
        """
        from riata.scoring.search_errors import judged

        inputs, outputs = paired(X, Y)
        check(self.problem, learning=True)
        model, settings = self._check_fitted(), self._checked(learning=False)
        rows = np.array(model.errors(self.problem, defined(self.problem), inputs, outputs, settings))
        regret, found, truth = rows.T
        return judged(regret > 0, found, np.maximum(found, truth), truth, truth > found, "truth")

    def weights(self) -> dict[str | tuple[str, Any], float]:
        """Every weight that is not zero, by name, or by (name, action or part of one) for what `observe` gives."""
        names, actions, actions_of, weights = self._check_fitted().parts()
        keys = [n if a < 0 else (n, actions[a]) for n, a in zip(names, actions_of, strict=True)]
        return dict(zip(keys, weights, strict=True))

    def _repr_html_(self) -> str:
        return predictor_facts(self) if hasattr(self, "model_") else super()._repr_html_()

    # --- keeping ------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Writes the model to one file (data only), atomically. The problem is stored by name: load_model(path, using=[problem])."""
        from riata.problems.model_file import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        """All but the learner of partial_fit: a copy goes on from the model."""
        return {**self.__dict__, "_partial": None}

    def _checked(self, *, learning: bool) -> dict[str, Any]:
        return checked(self, learning=learning)


def _history(outcome: Outcome) -> list[dict[str, Any]]:
    return [epoch.as_dict() for epoch in outcome.history if isinstance(epoch, ProblemEpoch)]


def predictor_facts(predictor: Any) -> str:
    facts = {
        "problem": type(predictor.problem).__name__,
        "recipe": predictor.recipe,
        "beam": predictor.beam,
        "weights": len(predictor.weights()),
        **{f"training: {name}": value for name, value in getattr(predictor, "facts_", {}).items()},
    }
    rows: list[tuple[Cell, ...]] = [
        (name, short(value) if not isinstance(value, (int, str)) else str(value)) for name, value in facts.items()
    ]
    return page(Table("Predictor, trained", ("fact", "value"), rows).to_html())
