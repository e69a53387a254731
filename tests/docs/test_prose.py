"""Sentences of pages and of public docstrings are short: at most 30 words. Code, formulas, tables, headings and references do not count."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import riata

ROOT = Path(__file__).parents[2]
OTHERS = (
    "README.md",
    "HACKING.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "corpus/README.md",
    "benchmarks/README.md",
    "examples/tour.md",
)
DESIGNS = [path for folder in ("native", "src", "examples") for path in sorted((ROOT / folder).rglob("README.md"))]
PAGES = [*(ROOT / name for name in OTHERS), *DESIGNS, *sorted((ROOT / "docs").rglob("*.md"))]
LONGEST = 30  # words

LEFT_OUT = re.compile(r"^```.*?^```[ ]*$|<!--.*?-->|^## References.*", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`]+`")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|cf|vs|Sec|Fig|Eq|al|pp)\.")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
END = re.compile(r"(?<=[.!?])[)*\"”]*\s+(?=[\w(*\"“'−-])")
WORD = re.compile(r"[^\W\d_][\w'’.-]*")
EXAMPLE = re.compile(r"^>>>.*\n(?:.+\n)*", re.MULTILINE)


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs and items of lists, each on one line."""
    lines: list[str] = []
    for line in [*LEFT_OUT.sub("", text).splitlines(), ""]:
        skipped = not line.strip() or line.lstrip().startswith(("|", "#", "<", ">", "!["))
        if (skipped or ITEM.match(line)) and lines:
            yield " ".join(lines)
            lines = []
        if not skipped:
            lines.append(ITEM.sub("", line).strip())


def sentences(paragraph: str) -> list[str]:
    """A link counts as its words, and a piece of code as one word."""
    plain = ABBREVIATION.sub(r"\1", CODE.sub("code", LINK.sub(r"\1", paragraph)))
    return END.split(plain)


def words(sentence: str) -> int:
    return len(WORD.findall(sentence))


def too_long(text: str) -> list[str]:
    found = [sentence for paragraph in paragraphs(text) for sentence in sentences(paragraph)]
    return [f"{words(sentence)} words: {sentence}" for sentence in found if words(sentence) > LONGEST]


def docstrings() -> Iterator[tuple[str, str]]:
    """Of public names and their public methods, without examples."""
    for name in riata.__all__:
        value = getattr(riata, name)
        if inspect.ismodule(value):
            continue
        internal = getattr(value, "_internal", ())
        keys = [key for key in dir(value) if not key.startswith("_") and key not in internal and inspect.isclass(value)]
        for each in (value, *(getattr(value, key) for key in keys)):
            if callable(each):
                yield name, EXAMPLE.sub("", (inspect.getdoc(each) or "") + "\n")


def test_sentences_are_told_apart_and_counted():
    text = "# Title here\n\nOne `a b c` (Sec. 2). Two [three four](x.md), 5.\n\n- Six\n  seven.\n- Eight 9. 10.\n\n| a | b |\n"
    found = [sentence for paragraph in paragraphs(text) for sentence in sentences(paragraph)]
    assert found == ["One code (Sec 2).", "Two three four, 5.", "Six seven.", "Eight 9.", "10."]
    assert [words(sentence) for sentence in found] == [3, 3, 2, 1, 0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_sentences_have_at_most_thirty_words(page):
    long = too_long(page.read_text(encoding="utf-8"))
    assert not long, "make two sentences, or a list, of\n" + "\n".join(long)


def test_sentences_of_docstrings_have_at_most_thirty_words():
    long = [f"riata.{name}: {sentence}" for name, text in docstrings() for sentence in too_long(text)]
    assert not long, "make two sentences, or a list, of\n" + "\n".join(long)
