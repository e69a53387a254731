"""What training has to say where nobody listens: warnings."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from riata.errors import RiataWarning

if TYPE_CHECKING:
    from riata.learning.events import Event


def warn_of(event: Event) -> None:
    from riata.learning.events import Note

    if isinstance(event, Note) and event.warning:
        warnings.warn(event.text, RiataWarning, stacklevel=6)
