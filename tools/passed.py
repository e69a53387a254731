"""Counts the Python files that a command passes through, and how often it goes from one folder to another.

    python tools/passed.py train chunk --train train.txt --model m.riata
    python tools/passed.py --files predict --model m.riata test.txt

A file counts if one of its functions is called; importing it does not count. Only the main thread is followed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import riata
from riata.entry import main

PACKAGE = str(Path(riata.__file__).parent)


class Passed:
    def __init__(self) -> None:
        self.files: dict[str, int] = {}  # calls, in the order of the first ones
        self.changes = 0
        self._folder = ""

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(PACKAGE) or frame.f_code.co_name == "<module>" or _is_imported(frame):
            return
        file = name[len(PACKAGE) + 1 :]
        new = file not in self.files
        self.files[file] = self.files.get(file, 0) + 1
        folder = str(Path(file).parent)
        if new or folder != self._folder:
            self.changes += folder != self._folder
            self._folder = folder


def _is_imported(frame: FrameType) -> bool:
    """Whether a call is part of importing a module, such as that of a decorator or a class body."""
    above: FrameType | None = frame
    while above is not None:
        if above.f_code.co_name == "<module>" and above.f_code.co_filename.startswith(PACKAGE):
            return True
        above = above.f_back
    return False


if __name__ == "__main__":
    arguments = [each for each in sys.argv[1:] if each != "--files"]
    passed = Passed()
    sys.setprofile(passed)
    try:
        main(arguments)
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
    if "--files" in sys.argv:
        print("\n".join(f"{calls:8,} {file}" for file, calls in passed.files.items()), file=sys.stderr)
    print(f"{len(passed.files)} files, {passed.changes} changes of folder", file=sys.stderr)
