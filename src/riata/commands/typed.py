"""Commands and paths as they can be typed in a shell, from the present folder."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path


def this_command() -> str:
    """How this program is called: `riata` where the shell finds it, otherwise by its path or as a module."""
    called = Path(sys.argv[0])
    if called.name != "riata" or not called.is_file():
        return f"{typed(sys.executable)} -m riata"
    found = shutil.which("riata")
    return "riata" if found is not None and Path(found).samefile(called) else typed(called)


def typed(path: str | Path) -> str:
    """Quoted where it must be; relative to the present folder where it is below that."""
    absolute = os.path.abspath(path)  # a link stays a link: the interpreter of an environment is one
    below = os.path.relpath(absolute)
    return shlex.quote(absolute if below.startswith(os.pardir) else below)
