"""What people see of training: progress. Standard error for progress, standard output for results."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from riata.learning.events import Epoch, Event, Note, Progressed, Started


class _Told(Console):
    """Standard error. If nobody reads it any more, as in `riata train … 2>&1 | head`, work goes on without a word."""

    def on_broken_pipe(self) -> None:
        _discard(sys.stderr.fileno())


class _Results(Console):
    """Standard output. If nobody reads it any more, there is nothing left to do."""

    def on_broken_pipe(self) -> None:
        _discard(sys.stdout.fileno())
        raise BrokenPipeError


def _discard(stream: int) -> None:
    """Whatever is still written to the stream goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream)
    os.close(nowhere)


def stderr() -> Console:
    return _Told(stderr=True, highlight=False)


def stdout() -> Console:
    return _Results(highlight=False)


class TrainingProgress:
    """A listener that draws a bar per training on a terminal, and prints one line per epoch everywhere."""

    def __init__(self, console: Console, *, epochs: bool = True) -> None:
        self.console = console
        self.within_epochs = console.is_terminal  # where there is no bar, the lines of epochs are enough
        self._prints_epochs = epochs
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[facts]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._refit = False
        self._done = 0

    def __enter__(self) -> TrainingProgress:
        self._bar.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._bar.stop()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Note):
            text = f"[yellow]{escape(event.text)}[/]" if event.warning else escape(event.text)
            self.console.print(text, soft_wrap=True)
        elif isinstance(event, Started):
            self._start(event)
        elif isinstance(event, Progressed) and self._task is not None:
            self._bar.update(self._task, completed=self._done + event.sentences)
        elif isinstance(event, Epoch):
            self._done += event.sentences
            if self._prints_epochs:
                self.console.print(_line(event), soft_wrap=True)
            if self._task is not None and not self._bar.disable:
                self._bar.update(self._task, completed=self._done, facts=_facts(event))

    def _start(self, event: Started) -> None:
        if self._task is None or event.refit != self._refit:
            self._refit, self._done = event.refit, 0
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task("", total=event.epochs * event.sentences, facts="")
        again = " again" if event.refit else ""
        self._bar.update(self._task, description=f"epoch {event.epoch}/{event.epochs}{again}")


class TimeLeft:
    """A guess from the trainings so far.

    What was done before the first one began, as in an earlier run, took no time and does not count.
    """

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._open, self._clock = total, clock
        self._began: float | None = None
        self._end: float | None = None
        self._done = 0

    def after(self, *, done: bool) -> str:
        """In words, after a training has begun, gone on or, with `done`, ended."""
        now = self._clock()
        self._open -= done
        if self._began is None:
            self._began = None if done else now
        elif done:
            self._done += 1
            self._end = now + (now - self._began) / self._done * self._open
        if self._end is None:
            return ""
        seconds = max(0, round(self._end - now))
        return f"about {seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d} left"


class StepsProgress:
    """A bar over many trainings on a terminal, and a line for every one that is done."""

    def __init__(self, console: Console, name: str, total: int) -> None:
        self.console = console
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(escape(name), total=total, left="")
        self._left = TimeLeft(total)

    def __enter__(self) -> StepsProgress:
        self._bar.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._bar.stop()

    def tell(self, text: str, *, done: bool) -> None:
        text = escape(text)
        if done:
            self.console.print(text, soft_wrap=True)
        self._bar.update(self._task, description=text, advance=int(done), left=self._left.after(done=done))


def _facts(event: Epoch) -> str:
    dev = f"dev {event.dev_score:.2f}  " if event.dev_score is not None else ""
    done = f"{event.updates:>6,} updates"
    if event.objective is not None:
        gradient = "" if event.gradient_norm is None else f"gradient {event.gradient_norm:.3g}"
        certain = gradient if event.gap is None else f"gap {100 * event.gap:.3g} %"
        if event.weights is not None:
            certain = f"{event.weights:,} weights"
        done = f"objective {event.objective:,.4f}  {certain}".rstrip()
    return f"{dev}{done}  {event.tokens / max(event.seconds, 1e-9):>9,.0f} tokens/s"


def _line(event: Epoch) -> str:
    wrong = ""
    if event.wrong_tokens is not None:
        wrong = f"  {100 * event.wrong_tokens / max(event.tokens, 1):5.2f} % wrong"
    again = "again " if event.refit else ""
    seeds = f"  seeds {' '.join(f'{score:.2f}' for score in event.seed_scores)}" if event.seed_scores else ""
    dropped = f"  {event.dropped:,} small weights left out" if event.dropped else ""
    return f"{again}epoch {event.epoch:>3}  {_facts(event)}{wrong}  {event.seconds:.3f} s{seeds}{dropped}"
