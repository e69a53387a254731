"""Draws docs/explain.png, a page of `riata explain` as a browser shows it.

    python tools/page.py [OUT.png]

Needs Pillow, Playwright and Chromium (pip install pillow playwright; apt-get install chromium). The sentence is the first of the embedded
test data with an error of search and model, under the model that docs/explain.md trains.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import riata

TARGET = Path(__file__).parent.parent / "docs" / "explain.png"
SIZE = {"width": 1280, "height": 900}
FAULT = "both"


def main(target: Path) -> None:
    train, test = riata.load("embedded", "train"), riata.load("embedded", "test")
    chunker = riata.Chunker("laso-alma", structure="chain", beam=2, epochs=5).fit(train, listener=lambda event: None)
    number = chunker.search_errors(test).of.index(FAULT)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "page.html"
        chunker.explain(test[number : number + 1], True).save_html(page)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        tab.goto(page.as_uri())
        tab.wait_for_selector("#main:not([hidden])")
        tab.screenshot(path=target)
        browser.close()
    with Image.open(target) as picture:  # in 256 colours it is a third as large
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(target, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
