"""Writes docs/tour.ipynb from examples/tour.md: `python tools/notebook.py`. Python blocks become code cells."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from printed import FENCE  # noqa: E402

SOURCE, TARGET = ROOT / "examples" / "tour.md", ROOT / "docs" / "tour.ipynb"


def cells_of(page: str) -> list[dict[str, Any]]:
    """Cells in order. What a block prints is left out: the notebook prints it."""
    found: list[dict[str, Any]] = []
    at = 0
    for block in FENCE.finditer(page):
        found.append(cell("markdown", page[at : block.start()], len(found)))
        if block["language"] == "python":
            found.append(cell("code", block["body"], len(found)))
        at = block.end()
    found.append(cell("markdown", page[at:], len(found)))
    return [one for one in found if one["source"]]


def cell(kind: str, text: str, number: int) -> dict[str, Any]:
    more = {"execution_count": None, "outputs": []} if kind == "code" else {}
    lines = text.strip().splitlines(keepends=True)
    return {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": lines, **more}


def notebook(page: str) -> str:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells_of(page), "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(notebook(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
