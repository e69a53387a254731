"""A browser that tests drive with Playwright: Debian's Chromium, or another that is installed."""

import shutil
from contextlib import contextmanager

import pytest

WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 380, "height": 844}


@contextmanager
def chromium():
    """A running browser; without one, the test is skipped."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install playwright")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
