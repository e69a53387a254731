"""What the headers of all model files have in common."""

from __future__ import annotations

from typing import Any

FORMAT = "riata model"
SETTING = "setting "  # before the name of a setting whose value is a function: its role among the functions of a model
PROBLEM = "problem"  # used instead of a task's name, by predictors of problems in Python


def qualified_name(function: Any) -> str:
    """The name of a function or a class with its module; for an object, that of its class."""
    return f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__qualname__)}"
