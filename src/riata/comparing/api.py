"""riata.compare: several learners on the same data, in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riata.comparing.comparison import Comparison
    from riata.comparing.contestant import Contestant
    from riata.comparing.planning import ComparisonPlan
    from riata.comparing.run import Store


def compare(
    estimators: Mapping[str, Any] | Sequence[str] | str,
    X: Any,
    y: Any = None,
    *,
    task: Any = None,
    parameters: Mapping[str, Any] | None = None,
    test: Any = None,
    folds: int = 5,
    seeds: int = 1,
    seed: int = 0,
    baseline: str | None = None,
    isolated: bool | None = None,
    jobs: int = 1,
    work: str | Path | None = None,
    fresh: bool = False,
    watch: Callable[[str, bool], None] | None = None,
) -> Comparison:
    """Trains several learners on the same data and scores them on the same sentences: quality with intervals and tests, times, memory,
    sizes.

    estimators: untrained ones by name; or recipes, such as ["perceptron", "laso-alma:beam=10:update=best"] or "all", with a task:
    its name, or a riata.Problem. parameters: of all those recipes. X, y: as for fit.
    test: data with their outputs, or (X, y); without it, every sentence is scored by a model of the other folds. seeds: trainings of
    each, with seed, seed + 1, …; the estimators' own seeds do not count. baseline: the name of the row that others are tested against
    (None: the best).
    isolated: each training in a process of its own. None: yes, except for problems and estimators with attributes, which are your own
    Python. jobs: how many of those run at once; more than one spoils the times. work: a folder for finished trainings, from which a
    later call goes on; fresh: train them again. watch: called with a text, and whether a training is done, while it goes on.

    >>> chosen = dict(task="chunk", parameters={"epochs": 2}, isolated=False)
    >>> comparison = riata.compare(["perceptron", "mira"], riata.load("embedded", "test"), folds=2, **chosen)
    >>> [row.name for row in comparison.rows]
    ['perceptron', 'mira']
    """
    from riata.comparing.planning import planned
    from riata.comparing.run import Store
    from riata.errors import SettingError
    from riata.settings import Setting

    number = int(Setting("jobs", 1, "", low=1, high=1000).parse(jobs))
    contestants = _contestants(estimators, task, parameters or {})
    own = [contestant.name for contestant in contestants if _has_own_code(contestant.estimator)]
    if own and (isolated or work is not None):
        asked = "isolated" if isolated else "work"
        raise SettingError(
            f"{own[0]!r} has Python of yours, which other processes and later calls cannot know.",
            remedy=f"Leave out {asked}.",
        )
    plan = planned(contestants, X, y, test=test, number_of_folds=folds, seeds=seeds, seed=seed)
    found: Comparison = outcome(
        plan,
        watch or (lambda text, done: None),
        baseline=baseline,
        store=None if work is None else Store(Path(work)),
        fresh=fresh,
        isolated=not own if isolated is None else isolated,
        jobs=number,
    )
    return found


def _has_own_code(estimator: Any) -> bool:
    """Whether it needs Python of the user's: a problem, functions, a class."""
    own = getattr(estimator, "problem", None) is not None or bool(getattr(estimator, "attributes", None))
    given = getattr(estimator, "constraints", None) or ()
    constraints = given if isinstance(given, (list, tuple)) else (given,)
    own = own or any(hasattr(constraint, "function") for constraint in constraints)
    return own or not type(estimator).__module__.startswith("riata.")


def _contestants(estimators: Any, task: Any, parameters: Mapping[str, Any]) -> tuple[Contestant, ...]:
    from riata.comparing.contestant import Kind, named, written
    from riata.errors import SettingError
    from riata.problems.predictor import Predictor
    from riata.tasks.base import labelling

    if isinstance(estimators, Mapping):
        if task is not None or parameters:
            raise SettingError("task and parameters are for recipes by name; here are estimators.")
        if not estimators:
            raise SettingError("there are no estimators to compare.")
        return named(estimators)
    texts = [estimators] if isinstance(estimators, str) else list(estimators)
    if not all(isinstance(text, str) for text in texts):
        raise SettingError("expected a dictionary from names to estimators, or a list of names of recipes.")
    if task is None:
        raise SettingError(
            "recipes by name need a task.", remedy="Give task='chunk' or another, or a riata.Problem of yours."
        )
    shared = dict(parameters)
    settings, beam = shared.pop("settings", None) or {}, shared.pop("beam", None)
    if isinstance(task, str):
        return written(texts, Kind(labelling(task), shared, settings, beam))
    return written(texts, Kind(Predictor, {**shared, "problem": task}, settings, beam))


def outcome(
    plan: ComparisonPlan,
    watch: Callable[[str, bool], None],
    *,
    baseline: str | None,
    store: Store | None,
    fresh: bool,
    isolated: bool,
    jobs: int,
) -> Comparison:
    """Runs a plan and judges what came of it."""
    from riata.comparing.comparison import check_baseline, compared
    from riata.comparing.contestant import note_on_sums
    from riata.comparing.run import run

    check_baseline(plan, baseline)
    grid = run(plan, watch, store=store, fresh=fresh, isolated=isolated, jobs=jobs)
    notes = []
    if not isolated:
        notes.append("Trained in one process: memory was not measured.")
    at_once = max((result["at_once"] for result in grid.results.values()), default=1)
    if at_once > 1:
        notes.append(f"{at_once} trainings at once: none had the machine for itself, and times are not to be trusted.")
    if grid.kept:
        number = grid.kept + grid.trained
        notes.append(f"{grid.kept} of {number} trainings were finished before, and their times are those of then.")
    if store is not None and store.damaged:
        notes.append(f"{len(store.damaged)} damaged files of finished trainings were not used: {store.damaged[0]} …")
    if note := note_on_sums(plan.contestants):
        notes.append(note)
    return compared(plan, grid, baseline=baseline, notes=notes)
