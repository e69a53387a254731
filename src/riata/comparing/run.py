"""Runs a plan: what is finished already comes from the store, the rest is trained, one failure does not stop the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from riata.comparing.cell import Result, measured
from riata.comparing.digest import Keys
from riata.comparing.plan import Cell, Plan, split
from riata.comparing.processes import FailedError, Processes
from riata.comparing.store import Store
from riata.errors import RiataError
from riata.learning.events import Epoch, Event
from riata.parallel import all_done

Watcher = Callable[[str, bool], None]  # what happens in words, and whether a cell is done with it


@dataclass
class Grid:
    """What came of the cells of a plan."""

    results: dict[Cell, Result] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)  # by contestant: the first reason
    kept: int = 0  # cells that were finished before
    trained: int = 0


def run(
    plan: Plan, watch: Watcher, *, store: Store | None = None, fresh: bool = False, isolated: bool = True, jobs: int = 1
) -> Grid:
    """Trains what the store does not hold. isolated: each in a process of its own; jobs: how many of those at once.

    Ctrl-C raises KeyboardInterrupt; what is finished is in the store.
    """
    at_once = jobs if isolated else 1
    keys = _keys(plan, store)
    if store is not None and fresh:
        store.forget(keys.values())
    return _Run(plan, watch, store, keys, isolated, at_once).all()


def _keys(plan: Plan, store: Store | None) -> Mapping[Cell, str]:
    if store is None:
        return {cell: str(i) for i, cell in enumerate(plan.cells)}
    keys = Keys(plan)
    return {cell: keys.of(cell) for cell in plan.cells}


class _Run:
    def __init__(
        self,
        plan: Plan,
        watch: Watcher,
        store: Store | None,
        keys: Mapping[Cell, str],
        isolated: bool,
        at_once: int,
    ) -> None:
        self._at_once = at_once
        self._plan, self._watch, self._store, self._keys = plan, watch, store, keys
        self._processes = Processes(plan) if isolated else None
        self.grid = Grid()

    def all(self) -> Grid:
        waiting = [cell for cell in self._plan.cells if not self._was_kept(cell)]
        first = {
            self._keys[cell]: cell for cell in reversed(waiting)
        }  # equal settings under two names are trained once
        to_train = [cell for cell in waiting if first[self._keys[cell]] == cell]
        stop = (lambda: None) if self._processes is None else self._processes.stop
        all_done(self._train, to_train, self._at_once, stop)
        for cell in waiting:
            self._share(cell, first[self._keys[cell]])
        return self.grid

    def _was_kept(self, cell: Cell) -> bool:
        found = None if self._store is None else self._store.get(self._keys[cell])
        if found is None:
            return False
        self.grid.results[cell] = found
        self.grid.kept += 1
        self._watch(f"{self._plan.name(cell)}: finished before, {_score(found)}", True)
        return True

    def _train(self, cell: Cell) -> None:
        name = self._plan.name(cell)
        if cell.contestant in self.grid.failures:
            self._watch(f"{name}: left out", True)
            return
        self._watch(f"{name}: begins", False)
        try:
            result = self._result(cell, lambda text: self._watch(f"{name}: {text}", False))
        except (FailedError, RiataError) as error:
            self.grid.failures.setdefault(cell.contestant, str(error))
            self._watch(f"{name}: failed: {error}", True)
            return
        result["at_once"] = self._at_once
        if self._store is not None:
            self._store.put(self._keys[cell], result)
        self.grid.results[cell] = result
        self.grid.trained += 1
        self._watch(f"{name}: {_score(result)}, {result['seconds_train']:.2f} s", True)

    def _result(self, cell: Cell, tell: Callable[[str], None]) -> dict[str, Any]:
        if self._processes is not None:
            return self._processes(cell, tell)

        def listener(event: Event) -> None:
            if isinstance(event, Epoch):
                tell(f"epoch {event.epoch}")

        data, test = split(self._plan.data, self._plan.test, self._plan.part(cell))
        return measured(self._plan.estimator(cell), data, test, listener)

    def _share(self, cell: Cell, same: Cell) -> None:
        """Gives a cell what came of another with the same settings."""
        if cell == same:
            return
        if same in self.grid.results:
            self.grid.results[cell] = self.grid.results[same]
            self._watch(f"{self._plan.name(cell)}: the same as {self._plan.name(same)}", True)
        else:
            reason = self.grid.failures[same.contestant]
            self.grid.failures.setdefault(cell.contestant, reason)
            self._watch(f"{self._plan.name(cell)}: failed: {reason}", True)


def _score(result: Result) -> str:
    return f"{result['main']} {result['metrics'][result['main']]:.2f}"
