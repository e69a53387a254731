"""Pictures of pages, as Chromium shows them. Needs Pillow, Playwright and Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright


@contextmanager
def tab(width: int, height: int) -> Iterator[Any]:
    """An empty tab of a browser that shows light colours and no motion."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        size = {"width": width, "height": height}
        yield browser.new_page(viewport=size, color_scheme="light", reduced_motion="reduce")
        browser.close()


def draw(tab: Any, target: Path) -> None:
    """Writes what the tab shows, in 256 colours, which takes a third of the bytes."""
    tab.screenshot(path=target)
    with Image.open(target) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(target, optimize=True)
