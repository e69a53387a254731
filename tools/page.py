"""Draws docs/explain.png, a page of `riata explain` as a browser shows it.

    python tools/page.py [OUT.png]

Needs Pillow, Playwright and Chromium (pip install pillow playwright; apt-get install chromium). The sentence is the first of the embedded
test data with an error of search and model, under the model that docs/explain.md trains.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import riata
from browsing import draw, tab

TARGET = Path(__file__).parent.parent / "docs" / "explain.png"
SIZE = 1280, 900
FAULT = "both"


def main(target: Path) -> None:
    train, test = riata.load("embedded", "train"), riata.load("embedded", "test")
    chunker = riata.Chunker("laso-alma", structure="chain", beam=2, epochs=5).fit(train, listener=lambda event: None)
    number = chunker.search_errors(test).of.index(FAULT)
    with tempfile.TemporaryDirectory() as folder, tab(*SIZE) as shown:
        page = Path(folder) / "page.html"
        chunker.explain(test[number : number + 1], True).save_html(page)
        shown.goto(page.as_uri())
        shown.wait_for_selector("#main:not([hidden])")
        draw(shown, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
