"""Learns to search a problem of the user's own."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from riata import registry
from riata._core import ProblemModel, ProblemTrainer, shuffled, unbounded
from riata.errors import DataError, NotFittedError, RiataWarning, SettingError, UnsupportedError, printed
from riata.inference.examples import as_inputs, paired
from riata.inference.problem import Problem, check, defined, same_features
from riata.inference.structure import Queue
from riata.inference.trace import Trace
from riata.inference.watched import Watched
from riata.learning.diagnostics import Run
from riata.learning.refusals import check_read
from riata.params import Params
from riata.settings import Setting, resolve

if TYPE_CHECKING:
    from riata.explaining.explanation import Explanation
    from riata.learning.diagnostics import Diagnostics
    from riata.scoring.search_errors import SearchErrors

Self = TypeVar("Self", bound="Predictor")  # typing.Self needs Python 3.11

UNKNOWN: Any = object()  # in place of a true output, which may be anything
NOT_HERE = ("precision",)  # weights of problems in Python are always double
HERE = (
    Setting(
        "max_depth",
        0,
        "steps after which a path is given up; 0: 10,000, or 10 times the longest true output or x, if that is more",
        low=0,
        high=2**31 - 1,
    ),
)
WATCHED, CALLS = 3, 100  # examples at the start of training, and calls of methods in them, that are looked at closely
OFFERED = frozenset({"a search space", "several right states"})  # operations
FIRST = 100  # examples in which some operators must have features that others do not have


def declared(recipe_name: str) -> tuple[Setting, ...]:
    """The settings of a recipe for problems; UnsupportedError where the recipe does not search."""
    recipe = registry.get("recipe", recipe_name)
    if not recipe.searches:
        raise UnsupportedError(
            f"Recipe {recipe_name!r} needs {', '.join(sorted(recipe.needs))}; a problem written in Python is searched only.",
            remedy="Use a recipe that searches, such as laso-alma.",
        )
    return tuple(setting for setting in recipe.settings if setting.name not in NOT_HERE) + HERE


class Predictor(Params):
    """Learns to search a `riata.Problem` (Daumé & Marcu 2005), in scikit-learn's conventions.

    recipe: when to update, against what, and how far. queue: beam (default), greedy, best-first, a-star; breadth-first, depth-first
    and hill-climb only decode. beam: nodes kept; None or float("inf") for all of them. settings: of the recipe, by name. After training, queue,
    beam and the settings of search may be changed with set_params, and the next prediction uses them.

    Python is called for every state, so this is slower than the estimators for sequences.
    """

    model_: ProblemModel
    history_: list[dict[str, Any]]
    stats_: dict[str, Any]
    facts_: dict[str, int]
    _run: Run

    def __init__(
        self,
        problem: Problem,
        recipe: str = "laso-alma",
        beam: float | None = 5,
        epochs: int = 5,
        seed: int = 0,
        queue: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.problem = problem
        self.recipe = recipe
        self.beam = beam
        self.epochs = epochs
        self.seed = seed
        self.queue = queue
        self.settings = settings

    def fit(self: Self, X: Iterable[Any], Y: Iterable[Any] | None = None) -> Self:
        """Learns from inputs and their true outputs, which only `problem.regret` reads.

        Ctrl-C keeps the model of the last complete epoch and raises KeyboardInterrupt.
        """
        settings = self._checked(learning=True)
        inputs, outputs = paired(X, Y)
        trainer = ProblemTrainer(settings)
        done: tuple[ProblemModel | None, list[dict[str, Any]]] = (None, [])  # set in one step, whenever Ctrl-C comes
        interrupted = False
        try:
            for number in range(1, self.epochs + 1):
                began, size = time.perf_counter(), len(inputs)
                order = shuffled(size, self.seed, number).tolist() if settings["shuffle"] else list(range(size))
                counts = self._pass(trainer, inputs, outputs, order, first=number == 1)
                made = trainer.averaged() if settings["average"] else trainer.last()
                seconds = time.perf_counter() - began
                epoch = {"epoch": number, **counts, "dropped": trainer.dropped, "seconds": seconds}
                done = (made, [*done[1], epoch])
        except KeyboardInterrupt:
            interrupted = True
        model, history = done
        if model is not None:
            stats = trainer.stats()
            run = Run(
                trainer.untruncated(),
                stats,
                trainer.recorded_margins(),
                {**settings, "deepest": trainer.deepest},
                len(inputs),
                len(history) + interrupted,
                from_zero=True,
                levelled=False,
            )
            facts = {key: history[0][key] for key in ("examples", "unreachable")}
            facts |= {"epochs": len(history), "deepest": trainer.deepest}
            # In one step: an interrupt leaves the predictor as it was, or as it should be.
            self.__dict__.update(model_=model, history_=history, stats_=stats, facts_=facts, _run=run)
        if interrupted:
            raise KeyboardInterrupt
        self._tell_unreachable()
        return self

    def _pass(
        self, trainer: ProblemTrainer, inputs: list[Any], outputs: list[Any], order: list[int], *, first: bool
    ) -> dict[str, int]:
        """One pass over the data; the first is looked at for mistakes that learning would go on with in silence."""
        methods = defined(self.problem)
        if not first:
            return trainer.epoch(self.problem, methods, inputs, outputs, order)
        watched = Watched(self.problem, CALLS, order)
        parts = [trainer.epoch(watched, methods, inputs, outputs, order[:WATCHED])]
        parts.append(trainer.epoch(self.problem, methods, inputs, outputs, order[WATCHED:FIRST]))
        self._tell_silence(trainer)
        parts.append(trainer.epoch(self.problem, methods, inputs, outputs, order[FIRST:]))
        return {key: sum(part[key] for part in parts) for key in parts[0]}

    def predict(self, X: Iterable[Any]) -> list[Any]:
        """The output that the search finds for every input."""
        inputs = as_inputs(X)
        found = self._decode(inputs)
        return [self.problem.output(x, s, path) for x, (path, s) in zip(inputs, found, strict=True)]

    def trace(self, x: Any, y: Any = UNKNOWN, *, features: bool = False, training: bool = True) -> Trace:
        """What the search for one input does, step by step. With the true output y (which may be None) it is the search of training.

        No weight is changed. training=False: it goes on as in prediction, and shows the first update that training would make. features: record those of every step, with their weights.
        """
        from riata.inference.tracing import trace_problem

        model, settings = self._check_fitted(), self._checked(learning=False)
        known = y is not UNKNOWN
        check(self.problem, learning=known)
        follows = known and not registry.get("queue", settings["queue"]).decode_only
        learner = {**settings, "recipe": self.recipe, "training": training} if follows else None
        return trace_problem(model, self.problem, x, (y,) if known else None, settings, learner, features)

    def explain(self, x: Any, y: Any = UNKNOWN, *, against: Any = UNKNOWN, training: bool = False) -> Explanation:
        """Why one input gets its output: every feature that speaks for it or against it, and the search that found it.

        It is compared with the output `against`; without that with the true output y, where it is known and another one, or else with
        the runner-up. training: show the search as it is in training, with its updates and restarts.
        """
        from riata.explaining.explain import explain_input

        truth, other = (None if output is UNKNOWN else (output,) for output in (y, against))
        return explain_input(self, x, truth, other, training)

    def score(self, X: Iterable[Any], Y: Iterable[Any]) -> float:
        """1 - the mean loss, where the problem defines a loss; else the fraction of outputs that are exactly right."""
        inputs, outputs = paired(X, Y)
        return float(np.mean(self.scores_of(inputs, outputs, self.predict(inputs))))

    def scores_of(self, X: Iterable[Any], Y: Iterable[Any], predicted: Iterable[Any]) -> list[float]:
        """The score of every prediction: 1 - its loss, or whether it is exactly right. `score` is their mean."""
        rows = zip(X, Y, predicted, strict=True)
        if "loss" in defined(self.problem):
            return [1 - _finite(self.problem.loss(x, y, y_hat)) for x, y, y_hat in rows]
        outputs = [(y, y_hat) for _, y, y_hat in rows]
        scores = [float(_equal(y, y_hat)) for y, y_hat in outputs]
        if not any(scores):
            _tell_types(outputs)
        return scores

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
        settings = measured_settings(
            run, beam, lambda width: unbounded if width == math.inf else _whole("beam", width, 1)
        )
        inputs, outputs = paired(X, Y)
        report = run.model.margins(self.problem, defined(self.problem), inputs, outputs, settings)
        return diagnosis(run, report, settings, len(inputs))

    def search_errors(self, X: Iterable[Any], Y: Iterable[Any]) -> SearchErrors:
        """How many wrong outputs are faults of the search, and how many of the weights; `of` says so for each.

        An output is wrong if its regret is above that of the start. The search has surely missed a better one if a right output scores
        higher: a lower bound, since the best output of all is not known (`test` is "truth").
        """
        from riata.scoring.search_errors import judged

        inputs, outputs = paired(X, Y)
        check(self.problem, learning=True)
        model, settings = self._check_fitted(), self._checked(learning=False)
        rows = np.array(model.errors(self.problem, defined(self.problem), inputs, outputs, settings))
        regret, found, truth = rows.T
        return judged(regret > 0, found, np.maximum(found, truth), truth, truth > found, "truth")

    def weights(self) -> dict[str | tuple[str, Any], float]:
        """Every weight that is not zero, by name, or by (name, action) for what `observe` gives."""
        names, actions, actions_of, weights = self._check_fitted().parts()
        keys = [n if a < 0 else (n, actions[a]) for n, a in zip(names, actions_of, strict=True)]
        return dict(zip(keys, weights, strict=True))

    def _repr_html_(self) -> str:
        from riata.showing.estimators import predictor_facts

        return predictor_facts(self) if hasattr(self, "model_") else super()._repr_html_()

    def save(self, path: str | Path) -> None:
        """Writes the model to one file (data only), atomically. The problem is stored by name: load_model(path, using=[problem])."""
        from riata.models.file import save_model

        save_model(self, path)

    def _decode(self, inputs: list[Any]) -> list[tuple[list[Any], Any]]:
        """The path of actions and the final state of every input."""
        model, settings = self._check_fitted(), self._checked(learning=False)
        found: list[tuple[list[Any], Any]] = model.decode(self.problem, defined(self.problem), inputs, settings)
        return found

    def _check_fitted(self) -> ProblemModel:
        model: ProblemModel | None = getattr(self, "model_", None)
        if model is None:
            raise NotFittedError(
                "This Predictor has not been trained yet.",
                remedy="Call fit, or riata.load_model(path, using=[problem]).",
            )
        return model

    def _tell_unreachable(self) -> None:
        count = self.history_[0]["unreachable"]
        if count:
            text = f"{count} of {self.history_[0]['examples']} true outputs cannot be reached: the initial state has a regret above 0."
            warnings.warn(text, RiataWarning, stacklevel=3)

    def _tell_silence(self, trainer: ProblemTrainer) -> None:
        """Where there is nothing to learn from."""
        if trainer.alike:
            warnings.warn("\n  ".join(same_features(self.problem, trainer.alike)), RiataWarning, stacklevel=4)
        if trainer.all_right:
            text = "every action is right, in each state of the first examples: regret(x, s, y) is the same everywhere, and nothing can be learnt."
            remedy = "The regret must rise where a step makes the true output y impossible to reach."
            warnings.warn(f"{text}\n  {remedy}", RiataWarning, stacklevel=4)

    def _checked(self, *, learning: bool) -> dict[str, Any]:
        """All settings of the search and its learner, or the reason why they do not go together."""
        check(self.problem, learning=learning)
        if not isinstance(self.settings, (Mapping, type(None))):
            raise SettingError(f"settings is {self.settings!r}; expected a dictionary.")
        settings: dict[str, Any] = resolve(declared(self.recipe), self.settings or {}, f"The recipe {self.recipe!r}")
        queue: Queue = registry.get("queue", "beam" if self.queue is None else self.queue)
        if not queue.searches:
            raise UnsupportedError(
                f"The queue {queue.name!r} is a dynamic program of the core's structures; a problem written in Python is searched only.",
                remedy="With key(x, s), a beam without a limit (beam=None) is exact.",
            )
        if learning:
            queue.check_trains()
            check_read(declared(self.recipe), settings, OFFERED, "a problem in Python", queue)
        if queue.name == "a-star":
            self._check_defines("heuristic", "The queue 'a-star'", "Without it, best-first is the same search.")
        if queue.name == "beam" and settings["beam_by"] == "prefix":
            self._check_defines("covered", "beam_by='prefix'", "Without it, compare equal numbers of operations.")
        beam = unbounded if self.beam in (None, math.inf) else _whole("beam", self.beam, 1)
        _whole("epochs", self.epochs, 1)
        _whole("seed", self.seed, 0)
        deepest = 0 if learning else getattr(self, "facts_", {}).get("deepest", 0)
        return {**settings, "queue": queue.name, "beam": beam, "deepest": deepest}

    def _check_defines(self, method: str, what: str, remedy: str) -> None:
        if method not in defined(self.problem):
            raise UnsupportedError(
                f"{what} needs {method}(x, s); the problem {type(self.problem).__name__!r} defines none.", remedy=remedy
            )


def _whole(name: str, value: Any, low: int) -> int:
    number = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and low <= value <= unbounded
    if not number:
        or_none = ", or None for an unbounded one" if name == "beam" else ""
        raise SettingError(f"{name} is {printed(value)}; expected a whole number of at least {low}{or_none}.")
    return int(value)


def _finite(loss: Any) -> float:
    try:
        number = float(loss)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"loss returned {printed(loss):.100}; expected a finite number.")
    return number


def _equal(y: Any, y_hat: Any) -> bool:
    """Equality that does not tell lists, tuples and arrays from each other."""
    if isinstance(y, np.ndarray) or isinstance(y_hat, np.ndarray):
        return bool(np.array_equal(y, y_hat))
    sequences = isinstance(y, (list, tuple)) and isinstance(y_hat, (list, tuple))
    return bool(list(y) == list(y_hat) if sequences else y == y_hat)


def _tell_types(outputs: list[tuple[Any, Any]]) -> None:
    """Where no output can equal the truth, since they are of different kinds."""
    lists = (list, tuple, np.ndarray)
    kinds = {tuple(list if isinstance(each, lists) else type(each) for each in pair) for pair in outputs}
    if len(kinds) == 1 and len(set(*kinds)) == 2:
        y, y_hat = (kind.__name__ for kind in next(iter(kinds)))
        text = f"no output equals the truth: outputs are of type {y_hat!r}, true outputs of type {y!r}."
        warnings.warn(
            f"{text}\n  Let output(x, s, path) return what Y holds, or define loss(x, y, y_hat).",
            RiataWarning,
            stacklevel=4,
        )
