"""Reports of training and of prediction if there is no listener: warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riata.learning.events import Event


def warn_of(event: Event) -> None:
    """Calls `riata.learning.events.warn`, which is imported only when it is needed, since prediction needs no events."""
    from riata.learning.events import warn

    warn(event)


def warn_text(text: str) -> None:
    """A Python warning, at the line outside of Riata that called it."""
    from riata.learning.events import Note

    warn_of(Note(text, warning=True))
