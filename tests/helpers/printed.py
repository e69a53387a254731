"""What documentation says that its examples print: found on a page, compared with what they print, and renewed.

A `text` block is the output of the python or console block right above it. A `text` block whose first line starts with `$ ` is a
command with its output, and may end with another exit status than 0. A line `...` stands for any lines. Numbers may differ by a
tolerance, times and sizes by any amount, and all of them after the comment `<!-- any numbers -->`; the width of columns does not count.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
UNIT = re.compile(r"\s*(?:s|ms|µs|MB|KB|GB|tokens/s|CPU s|seconds)\b")
RULE = re.compile(r"[─━═]+")
ANY = "..."
ANY_NUMBERS = "<!-- any numbers -->"
RELATIVE, ABSOLUTE = 0.02, 0.5  # numbers may differ by either: other processors round otherwise


@dataclass(frozen=True)
class Block:
    language: str
    line: int  # of its first line in the file
    text: str
    start: int  # of its text in the page
    end: int
    is_output: bool = False  # of the block before
    any_numbers: bool = False  # none of them is compared

    @property
    def is_session(self) -> bool:
        """Whether it is a command with its output."""
        return self.language == "text" and self.text.startswith("$ ")


def blocks_of(page: Path) -> list[Block]:
    text, blocks, before = page.read_text(encoding="utf-8"), [], None
    for match in FENCE.finditer(text):
        runs = before is not None and before["language"] in ("python", "console")
        between = text[before.end() : match.start()].strip() if runs else None
        follows = between in ("", ANY_NUMBERS)
        line = text.count("\n", 0, match.start("body")) + 1
        output = follows and match["language"] == "text" and not match["body"].startswith("$ ")
        place = (match.start("body"), match.end("body"))
        blocks.append(Block(match["language"], line, match["body"], *place, output, between == ANY_NUMBERS))
        before = match
    return blocks


def difference(expected: str, actual: str, *, any_numbers: bool = False) -> str | None:
    """The first line of what is expected that was not printed; None where all were."""
    printed, at, skipping = actual.splitlines(), 0, False
    for line in expected.splitlines():
        if line.strip() == ANY:
            skipping = True
            continue
        last = len(printed) if skipping else min(at + 1, len(printed))
        found = next((k for k in range(at, last) if alike(line, printed[k], any_numbers=any_numbers)), None)
        if found is None:
            instead = printed[at] if at < len(printed) else "nothing"
            return f"expected: {line}\nprinted:  {instead}"
        at, skipping = found + 1, False
    if not skipping and any(line.strip() for line in printed[at:]):
        return f"printed, but not expected: {printed[at]}"
    return None


def alike(expected: str, printed: str, *, any_numbers: bool = False) -> bool:
    if skeleton(expected) != skeleton(printed) or any_numbers:
        return skeleton(expected) == skeleton(printed)
    pairs = zip(NUMBER.finditer(expected), NUMBER.finditer(printed), strict=True)
    return all(UNIT.match(expected, a.end()) or close(value(a[0]), value(b[0])) for a, b in pairs)


def skeleton(line: str) -> str:
    """A line without its numbers and the width of its columns."""
    return " ".join(RULE.sub("─", NUMBER.sub("#", line)).split())


def value(number: str) -> float:
    return float(number.replace(",", "").replace("−", "-"))


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def renewed(expected: str, actual: str) -> str | None:
    """The expected text with the lines that are printed now; None where its shape is no longer that of the output."""
    printed, at, out, skipping = actual.splitlines(), 0, [], False
    for line in expected.splitlines():
        if line.strip() == ANY:
            skipping = True
            out.append(line)
            continue
        last = len(printed) if skipping else min(at + 1, len(printed))
        found = next((k for k in range(at, last) if skeleton(printed[k]) == skeleton(line)), None)
        if found is None:
            return None
        out.append(printed[found].rstrip())
        at, skipping = found + 1, False
    if not skipping and any(line.strip() for line in printed[at:]):
        return None
    return "\n".join(out) + "\n"
