"""What training has to say where nobody listens: warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riata.learning.events import Event


def warn_of(event: Event) -> None:
    """`riata.learning.events.warn`, which is imported when there is something to say: predicting needs no events."""
    from riata.learning.events import warn

    warn(event)
