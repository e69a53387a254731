"""The arcs of a tree for the terminal: for every token its head, the runner-up, and the feature that speaks most for the arc."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from riata.explaining.arcs import ArcChoice
from riata.explaining.explanation import Explanation
from riata.explaining.trace import Plain
from riata.showing.visible import visible

MOST = 200  # arcs shown
ROOT = "root"  # in place of the word of head 0


def arcs_text(explanation: Explanation) -> RenderableType:
    arcs = explanation.arcs or ()
    sure = any(arc.confidence is not None for arc in arcs)
    title = Text("why every token has its head", "bold")
    table = Table(box=None, pad_edge=False)
    names = (
        "",
        "token",
        "head",
        "score",
        "runner-up",
        "margin",
        *(["confidence"] if sure else []),
        "strongest feature",
    )
    for name in names:
        right = name in ("", "score", "margin", "confidence")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for number, arc in enumerate(arcs[:MOST], 1):
        table.add_row(*_cells(explanation.input, number, arc, sure=sure))
    more = [Text(f"and {len(arcs) - MOST:,} more tokens", "dim")] if len(arcs) > MOST else []
    return Group(title, table, *more)


def _cells(words: Sequence[Plain], number: int, arc: ArcChoice, *, sure: bool) -> list[RenderableType]:
    other = "" if arc.other_head is None else in_words(words, arc.other_head, arc.other_relation or "")
    strongest = arc.features[0] if arc.features else None
    return [
        str(number),
        Text(visible(words[number - 1])),
        Text(in_words(words, arc.head, arc.relation)),
        f"{arc.score:.3f}",
        Text(other),
        "" if arc.margin is None else f"{arc.margin:+.3f}",
        *([] if not sure else ["" if arc.confidence is None else f"{arc.confidence:.2f}"]),
        Text("" if strongest is None else f"{visible(strongest.name)} ({strongest.push:+.2f})"),
    ]


def in_words(words: Sequence[Plain], head: int, relation: str) -> str:
    """A head with its number and its word, and the relation to it."""
    word = ROOT if head == 0 else visible(words[head - 1])
    return f"{head} {word}, {visible(relation)}"
