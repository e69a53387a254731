"""A search as a picture: a column per step, in it the states of the front, best first; where the truth is lost, a red frame."""

from __future__ import annotations

from html import escape

from riata.explaining.trace import Step, Trace
from riata.explaining.trace_text import TOKENS, alignment, short
from riata.showing.table import visible

GOOD, OTHER, LOST, INK = "#1b7f4b", "#6b7280", "#c2281d", "#1f2937"
STYLE = 'font-family="system-ui, sans-serif" font-size="14"'
# Of a box, of the margins, the least width of a column, of a letter.
HIGH, LEFT, TOP, NARROW, LETTER = (44, 20, 84, 96, 8.5)
MOST = 12  # states of a front
LONGEST = 28  # letters of a state


def picture(trace: Trace, title: str | None = None) -> str:
    """SVG. title: by default, what became of the truth."""
    losses = len(trace.losses)
    colour = INK if trace.truth is None else LOST if losses else GOOD
    steps = [step for step in trace.steps if trace.nodes[step.front[0]].parent is not None]
    wide = _width(trace, steps)
    rows = max((min(len(step.front), MOST) for step in steps), default=1)
    parts = [text(LEFT, 28, title or _verdict(trace), colour, 'font-size="19" font-weight="700"')]
    for column, step in enumerate(steps):
        parts += _column(trace, step, LEFT + wide * column, wide, rows)
    output = "none" if trace.output is None else " ".join(map(visible, trace.output))
    parts.append(text(LEFT, TOP + HIGH * rows + 66, f"output of the search: {output}"))
    width = max(640, LEFT + wide * len(steps) + 12, LEFT + LETTER * (len(output) + 24))
    return document(width, TOP + HIGH * rows + 84, title or _verdict(trace), parts)


def _verdict(trace: Trace) -> str:
    losses = len(trace.losses)
    if trace.truth is None:
        return "The search"
    times = "once" if losses == 1 else f"{losses} times"
    return f"The search loses the truth {times}" if losses else "The search keeps the truth"


def _column(trace: Trace, step: Step, x: float, wide: float, rows: int) -> list[str]:
    parts = [text(x + 4, TOP - 14, _head(trace, step), INK, 'font-weight="600"')]
    parts += [_box(trace, node, x, TOP + HIGH * row, wide) for row, node in enumerate(step.front[:MOST])]
    if step.lost_by is not None:
        y = TOP + HIGH * rows + 6
        size = f'width="{wide - 8:g}" height="{HIGH * rows + 4}" rx="7"'
        parts.append(f'<rect x="{x:g}" y="{TOP - 4}" {size} fill="none" stroke="{LOST}" stroke-width="3"/>')
        parts.append(text(x + 2, y + 14, "lost", LOST, 'font-weight="700"'))
        if step.restart:
            back = " ".join(_label(trace, node) for node, _ in step.restart)
            parts.append(text(x + 2, y + 32, f"back to {short(back, LONGEST)}", GOOD))
    return parts


def _head(trace: Trace, step: Step) -> str:
    """The token that was labelled, or the number of steps."""
    depth = trace.nodes[step.front[0]].depth
    return short(trace.input[depth - 1]) if alignment(trace) == TOKENS and depth <= len(trace.input) else str(depth)


def _label(trace: Trace, node: int) -> str:
    at = trace.nodes[node]
    return short(at.action if at.state is None else at.state, LONGEST)


def _width(trace: Trace, steps: list[Step]) -> float:
    labels = [_label(trace, node) for step in steps for node in step.front[:MOST]] + [
        _head(trace, step) for step in steps
    ]
    return max(NARROW, LETTER * max(map(len, labels), default=0) + 36)


def _box(trace: Trace, number: int, x: float, y: float, wide: float) -> str:
    """A state: its last action, or what the problem says of it, and its score."""
    node = trace.nodes[number]
    colour, fill = (GOOD, "#e6f4ec") if node.good else (OTHER, "#f3f4f6")
    frame = (
        f'<rect x="{x:g}" y="{y:g}" width="{wide - 8:g}" height="{HIGH - 6}" rx="6" fill="{fill}" stroke="{colour}"/>'
    )
    label = text(x + 8, y + 17, f"{_label(trace, number)}{' ✓' if node.good else ''}", colour, 'font-weight="600"')
    return frame + label + text(x + 8, y + 33, f"{node.score:.1f}", OTHER, 'font-size="12"')


def text(x: float, y: float, words: str, colour: str = INK, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" {more}>{escape(words)}</text>'


def document(width: float, height: float, title: str, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" {STYLE} role="img">'
    back = f'<rect width="{width:g}" height="{height:g}" fill="white"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", back, *parts, "</svg>"]) + "\n"
