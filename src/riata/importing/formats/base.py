"""What a format of another tool's models is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from riata.importing.model_text import ModelText
from riata.importing.parts import Imported


@dataclass(frozen=True)
class Format:
    """recognises: whether a file that starts with these bytes is of this format. read: the model in a whole file."""

    name: str
    tool: str  # as people write its name
    summary: str
    recognises: Callable[[bytes], bool]
    read: Callable[[ModelText], Imported]


HEAD = 4096  # bytes that are enough to tell a format


def head_of(path: str | Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(HEAD)
