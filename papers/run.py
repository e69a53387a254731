"""Runs the rows of a reproduction, each trained from scratch, once per seed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from papers.cells import Cells, digest
from papers.cells import measured as measured_in
from papers.claims import Measured
from papers.lists import ENGLISH, english
from papers.noise import with_noise
from papers.reproduction import Reproduction, Row, Samples, Trained
from papers.tasks import Trial
from riata import registry
from riata.data.datasets import load
from riata.data.documents import cut_near
from riata.data.memory import joined
from riata.data.types import Corpus
from riata.features.templates import is_named_set, language_of, read_source
from riata.learning.events import Epoch, Event, Started
from riata.measuring.provenance import about, commit
from riata.parallel import all_done
from riata.scoring.figures import Figure, Sample

EMBEDDED = "embedded"  # the data set of --quick
MADE = "made up"  # the data of a task that has none
WHOLE = "seconds_cell"  # CPU seconds of a cell: of every training of it, and of what is measured


@dataclass(frozen=True)
class Plan:
    """How a reproduction is run here."""

    quick: bool = False
    final: bool = False
    seeds: int = 1
    threads: int = 1
    most: int | None = None  # epochs; None: those of the reproduction

    def data(self, of: Reproduction) -> str:
        """The data set that is learnt from."""
        if not of.task.data:
            return MADE if self.quick or not of.task.own else of.task.own
        return EMBEDDED if self.quick else of.task.data

    def parts(self, of: Reproduction) -> tuple[str, tuple[str, ...]]:
        """The data set, and its parts that are read."""
        if of.task.trial is not None and (self.quick or not of.task.data):
            return self.data(of), ()
        train, dev, test = ("train", "", "test") if self.quick else (of.task.train, of.task.dev, of.task.test)
        return self.data(of), (train, *([dev] if dev else []), *([test] if self.final else []))

    def epochs(self, of: Reproduction) -> int:
        return self.most or (of.quick_epochs if self.quick else of.epochs)

    def epochs_of(self, row: Row, of: Reproduction) -> int:
        return (None if self.quick else row.epochs) or self.epochs(of)


@dataclass(frozen=True, eq=False)
class Split:
    """What is learnt from, what chooses the epoch, and what is scored: the development data, or with --final the test data."""

    train: Corpus
    dev: Corpus | None
    test: Corpus | None
    apart: bool = False  # development data are a part of the data set, and never learnt from

    @classmethod
    def of(cls, reproduction: Reproduction, plan: Plan) -> Split:
        (data, parts), task = plan.parts(reproduction), reproduction.task
        columns = (task.quick_columns if plan.quick else ()) or task.columns
        train = load(data, parts[0], columns)
        if plan.quick:
            train = train[: reproduction.quick_sentences]
        if reproduction.sentences is not None:
            return cls(train[: reproduction.sentences], None, None)
        test = load(data, parts[-1], columns) if plan.final else None
        if task.dev and not plan.quick:
            return cls(train, load(data, task.dev, columns), test, apart=True)
        first = cut_near(train, len(train) - len(train) // 10).first
        return cls(train[:first], train[first:], test)

    @property
    def part(self) -> str:
        """Which data are scored."""
        return "test" if self.test is not None else "dev" if self.dev is not None else "train"

    @property
    def scored(self) -> Corpus:
        return next(corpus for corpus in (self.test, self.dev, self.train) if corpus is not None)

    @property
    def learnt(self) -> Corpus:
        """What the model that is scored has learnt from."""
        if self.test is None or self.dev is None or self.apart:
            return self.train
        return joined(self.train, self.dev)


@dataclass(frozen=True)
class Step:
    """Where a run is: an epoch is done, or a whole training."""

    row: str
    seed: int
    text: str
    done: bool = False


Watcher = Callable[[Step], None]


class Origin(NamedTuple):
    """Where a cell comes from."""

    stored: bool  # trained in an earlier run
    commit: str | None
    cpu: str | None


@dataclass(eq=False)
class Outcome:
    """What a run gave."""

    reproduction: Reproduction
    plan: Plan
    split: Split | None  # None: trials have data of their own
    measured: Measured
    about: dict[str, Any]  # of the program that ran
    origins: list[Origin]  # of every cell


def run(reproduction: Reproduction, plan: Plan, watch: Watcher, cells: Cells | None = None) -> Outcome:
    """Trains and measures every row that is not quoted. Rows of equal settings are trained once.

    cells: where trainings are kept; those that are there are not repeated.
    """
    # Now: the repository may have moved on when everything is done.
    made_by = {**about(), "commit": commit(Path(__file__).parents[1])}
    split = Split.of(reproduction, plan) if reproduction.task.trial is None else None
    jobs = trainings(reproduction, plan)
    stopped = threading.Event()
    named = any(row.setting is not None and row.setting.get("lists") == ENGLISH for row in reproduction.rows)
    lists = english(quick=plan.quick) if named else {}
    work = _Work(reproduction, plan, split, watch, stopped, made_by, cells, lists)
    samples: dict[str, list[Samples]] = {}
    origins = []
    for (row, _), (found, origin) in zip(jobs, all_done(work, jobs, plan.threads, stopped.set), strict=True):
        samples.setdefault(_key(row), []).extend([found] * (plan.seeds if row.steady else 1))
        origins.append(origin)
    measured = {row.name: _figures(samples[_key(row)]) for row in reproduction.rows if row.setting is not None}
    return Outcome(reproduction, plan, split, measured, made_by, origins)


def trainings(reproduction: Reproduction, plan: Plan) -> list[tuple[Row, int]]:
    """What is to be trained: rows that are not quoted, of equal ones the first, with every seed that matters."""
    first = {_key(row): row for row in reversed(reproduction.rows) if row.setting is not None}
    rows = [row for row in reproduction.rows if first.get(_key(row)) is row]
    return [(row, seed) for row in rows for seed in range(1 if row.steady else plan.seeds)]


@dataclass(frozen=True, eq=False)
class _Work:
    reproduction: Reproduction
    plan: Plan
    split: Split | None
    watch: Watcher
    stopped: threading.Event
    about: Mapping[str, Any]
    cells: Cells | None
    lists: Mapping[str, list[str]]

    def __call__(self, job: tuple[Row, int]) -> tuple[Samples, Origin]:
        row, seed = job
        assert row.setting is not None
        parameters = self.parameters(row.setting)
        key = self.trial_key(row, seed) if self.split is None else self.key(row, seed, parameters, self.split)
        line = None if self.cells is None else self.cells.get(key)
        if line is not None:
            found: Samples = measured_in(line)
            self.watch(Step(row.name, seed, f"stored: {self.told(found)}", done=True))
            return found, Origin(True, line["commit"], line["cpu"])
        if self.split is None:
            found = self.tried(row, seed)
        else:
            found = self.trained(row, seed, parameters, self.split, self.chosen(row, seed, parameters, self.split))
        made_by = self.about if self.cells is None else self.cells.add(row.name, key, found, self.about)
        self.watch(Step(row.name, seed, self.told(found), done=True))
        return found, Origin(False, made_by["commit"], made_by["cpu"])

    def tried(self, row: Row, seed: int) -> Samples:
        """What a trial measures, and its CPU seconds."""
        began = time.thread_time()
        task, epochs = self.reproduction.task, self.plan.epochs_of(row, self.reproduction)
        assert task.trial is not None and row.setting is not None

        def tell(text: str) -> None:
            if self.stopped.is_set():
                raise KeyboardInterrupt
            self.watch(Step(row.name, seed, text))

        found = task.trial(Trial(row.setting, seed, epochs, self.plan.quick, self.plan.final, tell))
        return {**found, WHOLE: Sample(time.thread_time() - began)}

    def chosen(self, row: Row, seed: int, parameters: Mapping[str, Any], split: Split) -> Samples | None:
        """With --final: what was measured of the same training on development data, which chose its epoch; None if it is not stored."""
        if self.cells is None or split.test is None or split.dev is None:
            return None
        line = self.cells.get(self.key(row, seed, parameters, replace(split, test=None)))
        return None if line is None else measured_in(line)

    def trained(
        self, row: Row, seed: int, parameters: Mapping[str, Any], split: Split, chosen: Samples | None
    ) -> Samples:
        """What is measured of a row, trained with this seed; and the CPU seconds of all of it.

        chosen: what development data say of the row. They need not choose the epoch again: the row learns from all data, for that epoch.
        """
        began = time.thread_time()
        clock = _Clock(row.name, seed, self.watch, self.stopped)
        if chosen is None:
            data, asked = split.train, {"dev": split.dev, "refit": self.plan.final and not split.apart}
            epochs = self.plan.epochs_of(row, self.reproduction)
        else:
            data, asked, epochs = split.learnt, {"dev": None, "refit": False}, int(chosen["epoch"].value)
        made = self.reproduction.task.make(**parameters, epochs=epochs, seed=seed, threads=1, **asked)
        made.fit(with_noise(data, row.noise, seed), listener=clock)
        trained = Trained(made, split.learnt, split.scored, clock.seconds(made.best_epoch_))
        assert self.reproduction.measure is not None
        found = {**self.reproduction.measure(trained), WHOLE: Sample(time.thread_time() - began)}
        return {**(chosen or {}), **found}

    def told(self, found: Samples) -> str:
        return ", ".join(f"{c.title} {c.show(found[c.key].value)}" for c in self.reproduction.columns if c.key in found)

    def trial_key(self, row: Row, seed: int) -> dict[str, Any]:
        """Everything that the numbers of a trial depend on, but for the program."""
        return {
            "task": self.reproduction.task.name,
            "data": self.plan.data(self.reproduction),
            "scored": "test" if self.plan.final else "dev",
            "quick": self.plan.quick,
            "setting": dict(row.setting or {}),
            "epochs": self.plan.epochs_of(row, self.reproduction),
            "seed": seed,
        }

    def key(self, row: Row, seed: int, parameters: Mapping[str, Any], split: Split) -> dict[str, Any]:
        """Everything that the numbers of a cell depend on, but for the program. Tables that train and measure the same share cells."""
        assert self.reproduction.measure is not None
        return {
            "task": self.reproduction.task.name,
            "measures": self.reproduction.measure.__name__,
            "data": self.plan.data(self.reproduction),
            "scored": split.part,
            "sentences_train": len(split.learnt),
            "sentences_scored": len(split.scored),
            "setting": dict(row.setting or {}),
            "template": digest(source_of(parameters.get("template"))),
            "lists": digest(parameters.get("lists")),
            "epochs": self.plan.epochs_of(row, self.reproduction),
            "seed": seed,
            **({"noise": row.noise} if row.noise else {}),
        }

    def parameters(self, setting: Mapping[str, Any]) -> dict[str, Any]:
        """With the entries of the lists that the setting names."""
        return {**setting, **({"lists": self.lists} if setting.get("lists") == ENGLISH else {})}


class _Clock:
    """Listens to a training: tells where it is, stops it when asked to, and knows what it has cost after every epoch."""

    def __init__(self, row: str, seed: int, watch: Watcher, stopped: threading.Event) -> None:
        self._row, self._seed, self._watch, self._stopped = row, seed, watch, stopped
        self._began = self._last = time.thread_time()
        self._after: dict[int, float] = {}  # epoch -> CPU seconds from the beginning

    def __call__(self, event: Event) -> None:
        if self._stopped.is_set():
            raise KeyboardInterrupt
        if isinstance(event, Started) and event.epoch == 1:
            if event.refit:  # a training of its own, which began when the first had ended
                self._began, self._after = self._last, {}
            self._watch(Step(self._row, self._seed, "begins" + " again, on all data" * event.refit))
        elif isinstance(event, Epoch):
            self._last = time.thread_time()
            self._after[event.epoch] = self._last - self._began
            score = "" if event.dev_score is None else f", dev {event.dev_score:.2f}"
            self._watch(Step(self._row, self._seed, f"epoch {event.epoch}{score}"))

    def seconds(self, epoch: int) -> float:
        """CPU seconds from the corpus to the model of this epoch."""
        return self._after[epoch]


def source_of(template: str | None) -> str | None:
    """The text of a built-in set of any structure; None: no name is given."""
    if template is None:
        return None
    kinds = [language_of(name).ending for name in registry.names("structure")]
    return "".join(read_source(template, kind) for kind in dict.fromkeys(kinds) if is_named_set(template, kind))


def _key(row: Row) -> str:
    return repr((sorted(dict(row.setting or {}).items()), row.noise))


def _figures(by_seed: list[Samples]) -> dict[str, Figure]:
    """Of what was measured with every seed."""
    common = [key for key in by_seed[0] if all(key in samples for samples in by_seed)]
    return {key: Figure(tuple(samples[key] for samples in by_seed), sentences=True) for key in common}
