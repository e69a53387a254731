"""What the headers of all model files have in common."""

from __future__ import annotations

from typing import Any

FORMAT = "riata model"
PROBLEM = "problem"  # in place of a task's name, of what predicts for problems in Python


def qualified_name(function: Any) -> str:
    """Of a function or a class; of an object, that of its class."""
    return f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__qualname__)}"
