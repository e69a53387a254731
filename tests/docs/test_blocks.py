"""Every example of the documentation runs.

The python blocks of a file run in order, in one namespace; every line of a console block that starts with `$ ` runs in the
shell and must end with exit status 0. Both run in a temporary folder that holds train.txt and test.txt (word tag chunk).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

import riata

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "corpus" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    line: int  # of its first line in the file
    text: str


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m["language"], text.count("\n", 0, m.start("body")) + 1, m["body"]) for m in _FENCE.finditer(text)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for split in ("train", "test"):
        corpus = riata.load("embedded", split, ("word", "tag", "chunk"))
        riata.write_columns(corpus, tmp_path / f"{split}.txt")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_example_runs(page: Path, folder: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(page):
        if block.language == "python":
            run_python(page, block, namespace)
        elif block.language == "console":
            run_console(page, block)


def run_python(page: Path, block: Block, namespace: dict[str, object]) -> None:
    # Blank lines before the code make its line numbers those of the page, in tracebacks too.
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", riata.RiataWarning)  # the embedded corpus has rare labels
            exec(code, namespace)
    except Exception as error:
        pytest.fail(f"{page}:{line_of(error, page, block)}: {type(error).__name__}: {error}")


def run_console(page: Path, block: Block) -> None:
    for at, line in enumerate(block.text.splitlines(), start=block.line):
        if line.startswith("$ "):
            done = subprocess.run(line[2:], shell=True, capture_output=True, text=True, timeout=60)
            if done.returncode != 0:
                pytest.fail(f"{page}:{at}: exit status {done.returncode}: {line[2:]}\n{done.stdout}{done.stderr}")


def line_of(error: Exception, page: Path, block: Block) -> int:
    """The innermost line of the page on the way to the error."""
    line, trace = block.line, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(page):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def test_pages_have_examples() -> None:
    """A fence that the pattern misses would be an example that nobody runs."""
    assert all(page.exists() for page in PAGES)
    assert sum(block.language == "python" for page in PAGES for block in blocks_of(page)) >= 20
    assert sum(block.language == "console" for page in PAGES for block in blocks_of(page)) >= 8
    for page in PAGES:
        fences = re.findall(r"^\s*```", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(blocks_of(page)), f"{page} has a fence that is indented or not closed"
