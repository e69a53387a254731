"""Writes into the documentation what its examples print today: `python tools/renew_docs.py [PAGE …]`.

Outputs whose lines have another shape than before are left alone and named: those want to be read by someone.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / part) for part in ("helpers", "docs")]

from test_blocks import PAGES, expected, outputs, prepare  # noqa: E402

from printed import difference, renewed  # noqa: E402


def renew(page: Path) -> None:
    """Runs a page in a folder of its own and writes the outputs that differ."""
    text = page.read_text(encoding="utf-8")
    for block, printed in reversed(outputs(page)):
        if difference(expected(block), printed, any_numbers=block.any_numbers) is None:
            continue
        new = renewed(expected(block), printed)
        if new is None:
            print(f"{page}:{block.line}: has another shape now:\n{printed}")
        else:
            command = block.text[: len(block.text) - len(expected(block))]
            text = text[: block.start] + command + new + text[block.end :]
    page.write_text(text, encoding="utf-8")


def main(names: list[str]) -> None:
    pages = [Path(name).resolve() for name in names] or PAGES
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
            prepare(Path(folder))
            os.chdir(folder)
            renew(page)
            os.chdir(ROOT)


if __name__ == "__main__":
    main(sys.argv[1:])
