"""What training reports while it runs: plain data, for progress bars, logs and histories."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from riata.errors import RiataWarning


@dataclass(frozen=True)
class Started:
    """A pass over the data is about to begin."""

    epoch: int  # from 1 on
    epochs: int  # largest number of epochs
    sentences: int
    tokens: int | None  # None: unknown, if the end of a file is held out
    refit: bool  # whether this is the second training, on all data


@dataclass(frozen=True)
class Progressed:
    sentences: int  # sentences of this epoch


class Round(NamedTuple):
    """One weight has changed, in a learner that changes one at a time."""

    step: float  # its change
    bound: float  # what the objective is at most, by the bound that chose the weight
    objective: float  # what it is
    sentences: int  # in which the feature may occur, and which were evaluated again


@dataclass(frozen=True)
class Epoch:
    """A pass over the data is done. With several seeds, updates and tokens are those of all."""

    epoch: int
    updates: int  # sentences that were wrong
    sentences: int
    tokens: int
    wrong_tokens: int | None  # None if outputs are not compared, as in learners that search
    seconds: float
    dev_score: float | None = None  # per cent
    seed_scores: tuple[float, ...] = ()  # the same for each seed alone, if the model is the sum of several
    refit: bool = False  # whether this is the second training, on all data
    dropped: int = 0  # weights that truncation left out of the model
    objective: float | None = None  # the value that is minimised, if the learner minimises one
    gradient_norm: float | None = None  # norm of its gradient at the end of the pass
    dual: float | None = None  # a lower bound of the least value, if the learner knows one
    weights: int | None = None  # number of weights that are not 0, if the learner changes one at a time
    features: int | None = None  # number of weights that it chooses from
    rounds: tuple[Round, ...] = ()  # its rounds
    gap: float | None = None  # by which part of it the objective may be too large, at most

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class Note:
    """Something a user should know: rare labels, repaired tags, what was chosen."""

    text: str
    warning: bool = False
    once: str = ""  # what kind of warning it is, if a process is to give only one of them


Event = Started | Progressed | Epoch | Note
# One that has the attribute `within_epochs`, False, is told of neither Started nor Progressed.
Listener = Callable[[Event], None]


_given_once: set[str] = set()


def warn(event: Event) -> None:
    """The default listener: notes that are warnings become Python warnings, at the line outside of Riata that called it."""
    if not (isinstance(event, Note) and event.warning) or event.once in _given_once:
        return
    if event.once:
        _given_once.add(event.once)
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "riata":
        depth, frame = depth + 1, frame.f_back
    warnings.warn(event.text, RiataWarning, stacklevel=depth)


def ignore(event: Event) -> None:
    """A listener that ignores all events."""


ignore.within_epochs = False  # type: ignore[attr-defined]


NAME = "riata.training"


def listening(listener: Listener | None) -> Listener:
    """The listener of a training. None: warnings are those of Python; and if nobody reads the log, and standard error is a terminal, it
    gets a line per epoch.
    """
    found = logged(listener or warn)
    if listener is not None or found is not warn or not (sys.stderr is not None and sys.stderr.isatty()):
        return found

    def shown(event: Event) -> None:
        if isinstance(event, Epoch):
            print(_in_words(event), file=sys.stderr, flush=True)
        warn(event)

    return shown


def logged(listener: Listener) -> Listener:
    """The same listener, after the log: epochs and notes at INFO.

    Warnings stay those of Python, which `logging.captureWarnings(True)` sends to logs.
    """
    log = logging.getLogger(NAME)
    if not log.isEnabledFor(logging.INFO) or not log.hasHandlers():
        return listener

    def both(event: Event) -> None:
        if isinstance(event, Epoch):
            log.info("%s", _in_words(event))
        elif isinstance(event, Note) and not event.warning:
            log.info("%s", event.text)
        listener(event)

    return both


def _in_words(epoch: Epoch) -> str:
    parts = [f"epoch {epoch.epoch}", f"{epoch.updates:,} of {epoch.sentences:,} sentences updated"]
    if epoch.objective is not None:
        parts[1] = f"objective {epoch.objective:.6g}"
    if epoch.dev_score is not None:
        parts.append(f"development {epoch.dev_score:.2f}")
    again = " (again, on all data)" if epoch.refit else ""
    return f"{', '.join(parts)}, {epoch.seconds:.2f} s{again}"
