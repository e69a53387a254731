"""Every example of the documentation runs, and prints what the page says.

The python blocks of a file run in order, in one namespace; every line of a console block that starts with `$ ` runs in the
shell and must end with exit status 0. Both run in a temporary folder that holds train.txt and test.txt (word tag chunk).
What counts as the output of a block: tests/printed.py. `python tools/renew_docs.py` writes the outputs of today into the pages.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import riata
from printed import Block, blocks_of, difference
from samples import some_slow

ROOT = Path(__file__).parent.parent.parent
OTHERS = ("README.md", "corpus/README.md", "examples/tour.md")
PAGES = [*(ROOT / name for name in OTHERS), *sorted((ROOT / "docs").rglob("*.md"))]
LONG = (  # pages whose examples take seconds
    "analysis coming-from compare crf learners-measured mira learning-to-search recipes theory which-recipe"
)
SLOW = {ROOT / "docs" / f"{name}.md" for name in LONG.split()}


def prepare(folder: Path) -> None:
    """Writes the files that examples read."""
    for split in ("train", "test"):
        corpus = riata.load("embedded", split, ("word", "tag", "chunk"))
        riata.write_columns(corpus, folder / f"{split}.txt")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    return tmp_path


@pytest.mark.parametrize("page", some_slow(PAGES, SLOW), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_example_runs_and_prints_what_the_page_says(page: Path, folder: Path) -> None:
    wrong = [
        f"{page}:{block.line}: {problem}"
        for block, printed in outputs(page)
        if (problem := difference(expected(block), printed, any_numbers=block.any_numbers)) is not None
    ]
    assert not wrong, "\n".join([*wrong, "`python tools/renew_docs.py` writes what is printed now."])


def expected(block: Block) -> str:
    """What the page says is printed: of a command with its output, the lines below the command."""
    return block.text.split("\n", 1)[1] if block.is_session else block.text


def outputs(page: Path) -> list[tuple[Block, str]]:
    """Runs a page: the blocks that are outputs, each with what is printed today."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    found, printed = [], ""
    for block in blocks_of(page):
        if block.language == "python":
            printed = run_python(page, block, namespace)
        elif block.language == "console":
            printed = run_console(page, block)
        elif block.is_output:
            found.append((block, printed))
        elif block.is_session:
            found.append((block, session(block)))
    return found


def run_python(page: Path, block: Block, namespace: dict[str, object]) -> str:
    # Blank lines before the code make its line numbers those of the page, in tracebacks too.
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    printed = io.StringIO()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
            warnings.simplefilter("ignore", riata.RiataWarning)  # the embedded corpus has rare labels
            exec(code, namespace)
    except Exception as error:
        pytest.fail(f"{page}:{line_of(error, page, block)}: {type(error).__name__}: {error}")
    return printed.getvalue()


def run_console(page: Path, block: Block) -> str:
    printed = ""
    for at, line in enumerate(block.text.splitlines(), start=block.line):
        if line.startswith("$ "):
            done = subprocess.run(line[2:], shell=True, capture_output=True, text=True, timeout=60)
            if done.returncode != 0:
                pytest.fail(f"{page}:{at}: exit status {done.returncode}: {line[2:]}\n{done.stdout}{done.stderr}")
            printed += done.stdout
    return printed


def session(block: Block) -> str:
    """What the command of a block prints, also where it fails."""
    done = subprocess.run(block.text.split("\n", 1)[0][2:], shell=True, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


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
    found = [block for page in PAGES for block in blocks_of(page)]
    assert sum(block.language == "python" for block in found) >= 20
    assert sum(block.language == "console" for block in found) >= 8
    assert sum(block.is_output or block.is_session for block in found) >= 15
    for page in PAGES:
        fences = re.findall(r"^\s*```", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(blocks_of(page)), f"{page} has a fence that is indented or not closed"
