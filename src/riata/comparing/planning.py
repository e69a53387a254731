"""From contestants and data to a plan; everything that can be refused is refused here, before anything is trained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riata.choosing.options import SEED, checked
from riata.comparing.contestant import Contestant, about_error
from riata.comparing.folds import deals_documents, folds
from riata.comparing.plan import Examples, Plan
from riata.data.types import Corpus
from riata.errors import DataError, RiataError, SettingError, UnsupportedError
from riata.learning.events import Event, Listener, Note, ignore
from riata.learning.fit import Fit
from riata.problems.predictor import Predictor
from riata.settings import Setting

SEEDS = Setting("seeds", 1, "trainings of every contestant, with seed, seed + 1, …", low=1, high=1000)


def planned(
    contestants: tuple[Contestant, ...],
    X: Any,
    y: Any = None,
    *,
    test: Any = None,
    number_of_folds: int = 5,
    seeds: int = 1,
    seed: int = 0,
    scored: str = "",
    listener: Listener = ignore,
) -> Plan:
    """test: data with their outputs, or (X, y); None: folds of the data are scored. scored: what that is in words."""
    able = [contestant for contestant in contestants if not contestant.refused]
    if not able:
        reasons = "\n".join(f"  {contestant.name}: {contestant.refused}" for contestant in contestants)
        raise UnsupportedError(f"there is nothing to compare, all are refused:\n{reasons}")
    _check_one_task(contestants)
    first, count = int(SEED.parse(seed)), int(SEEDS.parse(seeds))
    data = _data(able[0].estimator, X, y)
    scored_data = None
    parts: tuple[Any, ...] = ()
    if test is None:
        document = getattr(data, "document", None)  # problems have none
        parts = folds(len(data), number_of_folds, first, document)
        whole = ", whole documents" * deals_documents(document, number_of_folds)
        scored = scored or f"{len(parts)} folds of {len(data):,}{whole}, dealt at random (seed {first})"
    else:
        scored_data = _data(able[0].estimator, *(test if isinstance(test, tuple) else (test, None)))
        scored = scored or f"test data of {len(scored_data):,}"
        _check_alike(data, scored_data)
    checked_contestants = _checked(contestants, data, listener)
    return Plan(checked_contestants, data, scored_data, parts, tuple(range(first, first + count)), scored)


def _check_one_task(contestants: Sequence[Contestant]) -> None:
    tasks = {getattr(contestant.estimator, "task_name", "a problem") for contestant in contestants}
    if len(tasks) > 1:
        raise SettingError(
            f"estimators of different tasks cannot be compared: {', '.join(sorted(tasks))}.",
            remedy="Compare estimators of one task.",
        )


def _data(estimator: Any, X: Any, y: Any) -> Any:
    """What estimators of this kind learn from, in one object."""
    if not isinstance(estimator, Predictor):
        data = estimator.columns.scored_data(X, y)
        if data.tokens == 0:
            raise DataError("there are no tokens to learn from, or to score.", file=data.name)
        return data
    if y is None:
        raise DataError("problems are learnt from inputs X and true outputs y; y is missing.")
    inputs, outputs = list(X), list(y)
    if len(inputs) != len(outputs) or not inputs:
        raise DataError(
            f"X has {len(inputs)} examples and y has {len(outputs)}; expected one output per input, and at least one."
        )
    return Examples(inputs, outputs)


def _check_alike(data: Any, test: Any) -> None:
    """Refuses test data that cannot be of the same task as the training data."""
    if not isinstance(data, Corpus):
        return
    if test.width != data.width or (test.given is None) != (data.given is None) or test.array_width != data.array_width:
        raise DataError(
            f"the test data have {test.width} columns and the training data {data.width}; expected the same.",
            remedy="Both files must hold the same inputs and the output.",
            file=test.name,
        )
    known, found = (
        {column.alphabet.text(int(i)) for i in column.used()} for column in (data.columns[-1], test.columns[-1])
    )
    if not known & found:
        raise DataError(
            f"none of the labels of the test data ({', '.join(sorted(found)[:3])} …) is in the training data "
            f"({', '.join(sorted(known)[:3])} …).",
            remedy="Is the output in the same column? --outputs names it.",
            file=test.name,
        )


def _checked(contestants: Sequence[Contestant], data: Any, listener: Listener) -> tuple[Contestant, ...]:
    """The contestants, of which those that cannot learn from these data are refused. Remarks on the data are made once."""
    if not isinstance(data, Corpus):
        return tuple(contestants)
    told: set[str] = set()

    def once(event: Event) -> None:
        if not (isinstance(event, Note) and event.text in told):
            listener(event)
        if isinstance(event, Note):
            told.add(event.text)

    found = []
    for contestant in contestants:
        reason = contestant.refused
        if not reason:
            try:
                _check_data(contestant.estimator, data, once)
            except UnsupportedError as error:
                reason = " ".join(filter(None, (error.message, error.remedy)))
            except RiataError as error:
                raise error if len(contestants) == 1 or error.file else about_error(contestant.name, error) from None
        found.append(Contestant(contestant.name, contestant.estimator, reason))
    if all(contestant.refused for contestant in found):
        raise UnsupportedError(f"there is nothing to compare, all are refused: {found[0].refused}")
    return tuple(found)


def _check_data(estimator: Any, data: Corpus, tell: Listener) -> None:
    options = checked(estimator)
    if options.stream:
        raise UnsupportedError("stream=True reads a file while training.", remedy="Leave out stream.")
    learnable, tags, _ = estimator.fitting.training_data(options, data, None, None, None, tell, fresh=True)
    Fit(options, tags, None, tell).check(learnable)
