"""From contestants and data to a plan; everything that can be refused is refused here, before anything is trained."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import riata
from riata import _core
from riata.choosing.options import SEED, checked
from riata.comparing.contestant import Contestant, about_error
from riata.data.memory import is_whole
from riata.data.propbank import RoleCorpus
from riata.data.types import Corpus, Ids
from riata.errors import DataError, RiataError, SettingError, UnsupportedError
from riata.inference.constraints.base import Constraint
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
) -> ComparisonPlan:
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
    return ComparisonPlan(checked_contestants, data, scored_data, parts, tuple(range(first, first + count)), scored)


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
    return ComparedExamples(inputs, outputs)


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


class Cell(NamedTuple):
    """One training, and what it is scored on."""

    contestant: int
    seed: int
    fold: int


@dataclass(frozen=True, eq=False)
class ComparedExamples:
    """Inputs and true outputs of a problem; an index array gives a part of them."""

    inputs: Sequence[Any]
    outputs: Sequence[Any]

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, chosen: NDArray[np.int64]) -> ComparedExamples:
        return ComparedExamples([self.inputs[i] for i in chosen], [self.outputs[i] for i in chosen])


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """data: what is learnt from, a Corpus or Examples; test: what is scored, or None where folds of the data are."""

    contestants: tuple[Contestant, ...]
    data: Any
    test: Any | None
    folds: tuple[Indices, ...]  # empty where there are test data
    seeds: tuple[int, ...]
    scored: str  # in words

    @property
    def cells(self) -> list[Cell]:
        """All that can be trained, contestant by contestant."""
        able = [i for i, contestant in enumerate(self.contestants) if not contestant.refused]
        return [Cell(i, seed, fold) for i in able for seed in self.seeds for fold in range(len(self.folds) or 1)]

    def estimator(self, cell: Cell) -> Any:
        """The untrained estimator of a cell."""
        given = self.contestants[cell.contestant].estimator
        return type(given)(**{**given.get_params(deep=False), "seed": cell.seed})

    def part(self, cell: Cell) -> Indices | None:
        """The sentences that a cell scores and does not learn from; None: it learns from all, and scores the test data."""
        return self.folds[cell.fold] if self.folds else None

    def name(self, cell: Cell) -> str:
        parts = [self.contestants[cell.contestant].name]
        parts += [f"seed {cell.seed}"] * (len(self.seeds) > 1)
        parts += [f"fold {cell.fold + 1} of {len(self.folds)}"] * bool(self.folds)
        return ", ".join(parts)


def split(data: Any, test: Any | None, part: Indices | None) -> tuple[Any, Any]:
    """What a cell learns from, and what it scores."""
    return (data, test) if part is None else (data[others(part, len(data))], data[part])


Indices = NDArray[np.int64]


def folds(size: int, number: Any, seed: int, document: Ids | None = None) -> tuple[Indices, ...]:
    """The sentences of each fold, in ascending order: shuffled by the seed, then dealt into parts of nearly equal size.

    document: [S] the document of each sentence; whole documents are dealt, if there is one for every fold. None: none are marked.
    """
    if not is_whole(number) or number < 2:
        raise SettingError(
            f"folds is {number!r}; expected a whole number of at least 2.",
            remedy="With test data of its own (--test, test=), a comparison needs no folds.",
        )
    if number > size:
        raise SettingError(
            f"folds is {number}, but there are only {size} sentences to deal into them.", remedy="Use fewer folds."
        )
    if document is not None and deals_documents(document, int(number)):
        return _dealt(document, int(number), seed)
    order = np.random.default_rng(seed).permutation(size)
    return tuple(np.sort(part) for part in np.array_split(order, number))


def deals_documents(document: Ids | None, number: int) -> bool:
    """Whether folds are made of whole documents."""
    return document is not None and len(np.unique(document)) >= number


def _dealt(document: Ids, number: int, seed: int) -> tuple[Indices, ...]:
    """Whole documents in an order that the seed decides, each to the fold that has the fewest sentences, the first of several."""
    _, of, sizes = np.unique(document, return_inverse=True, return_counts=True)
    held, fold = np.zeros(number, np.int64), np.empty(len(sizes), np.int64)
    for one in np.random.default_rng(seed).permutation(len(sizes)):
        fold[one] = np.argmin(held)
        held[fold[one]] += sizes[one]
    return tuple(np.flatnonzero(fold[of] == k) for k in range(number))


def others(fold: Indices, size: int) -> Indices:
    """The sentences that are not in the fold."""
    return np.setdiff1d(np.arange(size), fold)


NAME_FILES = ("template", "lists", "vectors")  # parameters that may be names of files


@cache
def program() -> str:
    """Of Riata itself: a training of another version, or of changed code, is another training."""
    digest = hashlib.sha256()
    package = Path(riata.__file__).parent
    for path in [*sorted(path for path in package.rglob("*") if path.suffix in SOURCES), Path(_core.__file__)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


SOURCES = (".py", ".template", ".segments", ".joint")


def of_corpus(corpus: Corpus) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(corpus.starts).tobytes())
    for column in corpus.columns:
        digest.update("\n".join(column.texts()).encode("utf-8", "surrogatepass") + b"\0")
    for named in (corpus.given, corpus.vectors):
        if named is not None:
            digest.update(pickle.dumps(named))
    digest.update(repr((corpus.format, corpus.origins)).encode())
    if corpus.document is not None:  # which decides what is held out
        digest.update(np.unique(corpus.document, return_inverse=True)[1].astype(np.int32).tobytes())
    if isinstance(corpus, RoleCorpus):
        digest.update(repr(corpus.propositions).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class Keys:
    """The keys of a plan's cells."""

    def __init__(self, plan: ComparisonPlan) -> None:
        self._plan = plan
        scheme = [part.tolist() for part in plan.folds] if plan.test is None else of_corpus(plan.test)
        self.data = _digest(of_corpus(plan.data), scheme, program())

    def of(self, cell: Cell) -> str:
        estimator = self._plan.estimator(cell)
        params = {
            name: _plain(value, files=name in NAME_FILES) for name, value in estimator.get_params(deep=False).items()
        }
        return _digest(self.data, type(estimator).__name__, params, cell.fold)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _plain(value: Any, *, files: bool = False) -> Any:
    """A value as JSON; a file as its content."""
    if isinstance(value, Path) or (files and isinstance(value, str) and Path(value).is_file()):
        return {"file": hashlib.sha256(Path(value).read_bytes()).hexdigest(), "name": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Corpus):
        return of_corpus(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(each, files=files) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [_plain(each) for each in value]
    if hasattr(value, "reads"):  # a template
        return [type(value).__name__, str(value)]
    if isinstance(value, Constraint):  # one with a function of the user's is never kept
        return repr(value)
    raise UnsupportedError(
        f"trainings with {value!r:.60} among their parameters cannot be kept: nobody could tell whether it has changed.",
        remedy="Leave out work.",
    )
