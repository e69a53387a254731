"""The documentation site: its navigation has every page, links lead somewhere, and Sphinx builds it without a warning."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from riata import registry

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "site")]

import recipes  # noqa: E402
from repository import BELOW, FENCED, LINK, included, navigation, site_links  # noqa: E402

GROUPS = [
    "Start",
    *(f"Guide: {part}" for part in ("data and features", "tasks", "learners", "predict, judge, understand")),
    *("Reference", "Measured", "For teachers", "Project"),
]
# What people look for.
# fmt: off
SEARCHED = [
    "confidence", "calibration", "early stopping", "error analysis", "word vectors", "model files",
    "constraints", "conditional random fields", "dependency parsing", "semantic roles", "kernels", "boosting",
    "winnow", "hashing and streaming", "decoding: viterbi", "scoring: precision, recall",
    "serving models over http", "semi-markov", "templates", "pandas", "json lines", "conll-u", "crfsuite",
    "installing", "glossary", "recipes", "benchmarks",
]
# fmt: on
PAGES = sorted(DOCS.rglob("*.md"))
OUTSIDE = ("README.md", "HACKING.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "corpus/README.md")
LINKED = [*PAGES, *(ROOT / name for name in OUTSIDE)]


def test_the_navigation_has_every_page_once():
    groups = navigation((DOCS / "index.md").read_text(encoding="utf-8"), DOCS)
    assert list(groups) == GROUPS
    named = [DOCS / page for pages in groups.values() for page in pages]
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if BELOW in text:
            named += [page.parent / link for links in navigation(text, page.parent).values() for link in links]
    assert sorted(page for page in named if page.suffix == ".md") == [p for p in PAGES if p != DOCS / "index.md"]


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_work_in_a_plain_view_of_the_repository(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    missing = [link for link, _ in LINK.findall(text) if not (page.parent / link).exists()]
    assert not missing


def test_every_recipe_has_a_section_with_what_the_registry_knows():
    text = (DOCS / "recipes.md").read_text(encoding="utf-8")
    assert text == recipes.page(text), "python tools/recipes.py writes it"
    assert all(f"### `{name}`\n" in text and f"](#{name})" in text for name in registry.names("recipe"))


def test_a_recipe_without_a_section_or_a_part_of_it_is_named():
    text = (DOCS / "recipes.md").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"`mira` lacks \*\*Loses"):
        recipes.page(re.sub(r"(?s)(### `mira`.*?)\*\*Loses", r"\1Loses", text))
    with pytest.raises(ValueError, match="there are"):
        recipes.page(text.replace("### `mira`", "### `nira`"))


def test_the_documentation_stays_short():
    """A page and 1,500 words for every task, and for structures of one's own, that came after there were six tasks."""
    later = len(registry.names("task")) - 6 + 1
    assert len(PAGES) <= 74 + later
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in PAGES) <= 90_000 + 1_500 * later
    assert (ROOT / "CHANGELOG.md").stat().st_size <= 12 * 1024
    assert (ROOT / "HACKING.md").stat().st_size <= 10 * 1024


def test_links_to_files_that_are_pages_of_the_site_lead_to_these_pages():
    pages = included(DOCS)
    assert pages["CHANGELOG.md"] == "docs/changelog.md"
    text = "[a](../CHANGELOG.md) [b](data.md#documents) [c](https://example.org)"
    turned = site_links(text, "docs", "docs/index.md", pages)
    assert turned == "[a](changelog.md) [b](data.md#documents) [c](https://example.org)"
    assert site_links("[d](docs/data.md)", "", "docs/changelog.md", pages) == "[d](data.md)"


def test_the_gallery_says_what_the_examples_print():
    """Of those that take a second; tests/examples runs all of them."""
    rows = [
        line.split(" | ")
        for line in (DOCS / "gallery.md").read_text(encoding="utf-8").splitlines()
        if "../examples/" in line
    ]
    shown = {
        re.search(r"examples/(\w+)\.py", row[0])[1]: row[2].strip(" |").split("; ") for row in rows if len(row) == 3
    }
    assert set(shown) == {path.stem for path in (ROOT / "examples").glob("*.py")}
    for name in ("word_set", "receipts"):
        command = [sys.executable, str(ROOT / "examples" / f"{name}.py")]
        printed = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout.splitlines()
        assert shown[name] == printed[:2]


def test_sphinx_builds_the_site_without_a_warning(tmp_path):
    for needed in ("sphinx", "furo", "myst_parser", "sphinx_copybutton"):
        pytest.importorskip(needed)
    options = ["-q", "-W", "--keep-going", "-b", "html"]
    command = [sys.executable, "-m", "sphinx", *options, "-d", tmp_path / "trees", DOCS, tmp_path / "html"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    assert re.search(r"<img[^>]+demo\.svg", page)
    index = (tmp_path / "html" / "searchindex.js").read_text(encoding="utf-8").lower()
    titles = re.search(r'"?alltitles"?:\{(.*?)\},"?docnames"?', index, re.DOTALL)
    assert titles is not None
    assert not [noun for noun in SEARCHED if noun not in titles[1]]
