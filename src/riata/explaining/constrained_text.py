"""What constraints changed, for the terminal and for pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from riata.explaining.constrained import BrokenConstraint, Constrained
from riata.explaining.explanation import Explanation
from riata.explaining.trace import Plain
from riata.showing.visible import visible

MOST_CHANGES = 50  # tokens shown
TOGETHER = "the other changes"


def constraints_text(explanation: Explanation, done: Constrained) -> RenderableType:
    """Lines, and a table of the labels that changed."""
    lines = [Text(line) for line in summary(done)]
    if not done.changes:
        return Group(*lines)
    table = Table("token", "before", "after", "needed by", box=None, pad_edge=False)
    for row in changes(explanation, done)[:MOST_CHANGES]:
        table.add_row(*map(Text, row))
    more = len(done.changes) - MOST_CHANGES
    return Group(*lines, table, *[Text(f"and {more:,} more changes", "dim")] * (more > 0))


def summary(done: Constrained) -> list[str]:
    """What constraints did, in a few lines."""
    if not done.changes:
        said = (
            "kept by the output that the model gives without them" if not done.broken else "the penalty is worth paying"
        )
        return [f"Constraints: {said}. They changed nothing.", *_broken("The output breaks", done.broken)]
    number = len(done.changes)
    return [
        f"Constraints changed {number:,} label{'s' * (number != 1)} ({done.found}), which costs {done.cost:.3f} of the score.",
        *_broken("Without them, the output breaks", done.broken),
        *_broken("With them, it still breaks", done.still_broken),
    ]


def changes(explanation: Explanation, done: Constrained) -> list[tuple[str, str, str, str]]:
    """Token, label before, label after, and what needs the change."""
    return [
        (
            f"{change.token + 1} {visible(explanation.input[change.token])}",
            _label(change.before),
            _label(change.after),
            "; ".join(change.keeps) or TOGETHER,
        )
        for change in done.changes
    ]


def _broken(head: str, constraints: Sequence[BrokenConstraint]) -> Iterator[str]:
    for one in constraints:
        cost = "" if one.penalty is None else f", which costs {one.penalty:g}"
        yield f"{head} {visible(one.constraint)}: {visible(one.words)}{cost}."


def _label(label: Plain | tuple[str, str]) -> str:
    return " ".join(map(visible, label)) if isinstance(label, tuple) else visible(label)
