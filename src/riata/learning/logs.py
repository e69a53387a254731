"""Training in the logs of Python: the logger `riata.training`."""

from __future__ import annotations

import logging

from riata.learning.events import Epoch, Event, Listener, Note

NAME = "riata.training"


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
