"""What training says where no listener was given: lines on a terminal, or the logs of Python, the logger `riata.training`."""

from __future__ import annotations

import logging
import sys

from riata.learning.events import Epoch, Event, Listener, Note, warn

NAME = "riata.training"


def heard(listener: Listener | None) -> Listener:
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
