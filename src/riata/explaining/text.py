"""An explanation for the terminal: the sentence, the verdict, the search, and the features for the output."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from riata.explaining.arcs import ArcChoice
from riata.explaining.constrained import FREE, BrokenConstraint, KeptAndFree
from riata.explaining.explanation import Decision, Explanation, Side
from riata.explaining.trace import Feature, Labels, Plain, Trace
from riata.explaining.trace_text import in_lines
from riata.explaining.verdict import BADGES, Verdict, differences, verdict
from riata.showing.table import as_text, visible

TOP = 20  # features shown
MOST_TOKENS = 200
MOST_LINES = 400  # lines of the search
PLAIN_WIDTH = 100  # columns of str()
STYLES = {"heading": "dim", "good": "green", "loss": "red", "update": "yellow", "output": "bold"}
COLOURS = {
    "right": "green",
    "lucky": "yellow",
    "search": "red",
    "both": "red",
    "model": "red",
    "tie": "yellow",
    "unknown": "dim",
}


def render(explanation: Explanation, top: int = TOP) -> Group:
    """Everything, ready to print with rich. top: how many features to show."""
    return Group(*_separated(_parts(explanation, top)))


def in_plain_words(explanation: Explanation, top: int = TOP) -> str:
    """The same without colours."""
    return as_text(render(explanation, top), width=PLAIN_WIDTH)


def _parts(explanation: Explanation, top: int) -> Iterator[RenderableType]:
    yield _sentence(explanation)
    yield _verdict(explanation, verdict(explanation))
    if explanation.constrained is not None:
        yield constraints_text(explanation, explanation.constrained)
    if explanation.trace is not None:
        yield _search(explanation.trace)
    if explanation.arcs is not None:
        yield arcs_text(explanation)
    yield _decision(explanation, top)


def _separated(parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    for i, part in enumerate(parts):
        if i:
            yield ""
        yield part


def _sentence(explanation: Explanation) -> RenderableType:
    """One line per token; or, if the labels are not one per token, a line for each of input, output and truth."""
    rows = _rows(explanation)
    if any(len(labels) != len(explanation.input) for labels in rows.values()):
        return _in_rows(explanation)
    output, truth = explanation.decision.chosen.labels, explanation.truth
    wrong = set(differences(truth, output)) if explanation.fault not in (None, "right") else set()
    table = Table("token", *rows, box=None, pad_edge=False)
    for i, token in enumerate(explanation.input[:MOST_TOKENS]):
        style = "red" if i in wrong else ""
        cells = [Text(_words(labels[i]), style) for labels in rows.values()]
        mark = [Text("← differs", "red")] if i in wrong else []
        table.add_row(Text(_words(token)), *cells, *mark)
    more = len(explanation.input) - MOST_TOKENS
    return table if more <= 0 else Group(table, _more(more, "tokens"))


def _more(count: int, what: str) -> Text:
    return Text(f"and {count:,} more {what}", "dim")


def _in_rows(explanation: Explanation) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, labels in {"input": explanation.input, **_rows(explanation)}.items():
        table.add_row(name, Text(" ".join(map(_words, labels))))
    return table


def _rows(explanation: Explanation) -> dict[str, Labels]:
    """The rows of labels beside the input."""
    missed = explanation.missed
    rows = {
        "first pass": explanation.first,
        FREE: explanation.constrained.without.labels
        if explanation.constrained and explanation.constrained.changes
        else None,
        "output": explanation.decision.chosen.labels,
        "best": None if missed is None else missed.labels,
        "truth": explanation.truth,
    }
    return {name: labels for name, labels in rows.items() if labels is not None}


def _verdict(explanation: Explanation, said: Verdict) -> Text:
    text = Text.assemble((BADGES[said.kind], f"bold {COLOURS[said.kind]}"), f": {said.text}")
    for loss in said.losses:
        text.append(f"\n{loss.text}", "red")
    if explanation.note is not None:
        text.append(f"\n{visible(explanation.note)}", "dim")
    return text


def _search(trace: Trace) -> Text:
    """The lines of str(trace): y-good states in green, the loss of the truth in red."""
    found = in_lines(trace)
    more = len(found) - MOST_LINES
    shown = found if more <= 0 else [*found[: MOST_LINES - 1], found[-1]]
    lines = [Text.assemble(*((part, STYLES.get(kind, "")) for part, kind in line)) for line in shown]
    if more > 0:
        lines.insert(-1, _more(more, "lines; str(explanation.trace) has them all"))
    return Text("\n").join(lines)


def _decision(explanation: Explanation, top: int) -> Group:
    decision = explanation.decision
    sides = Table("", "actions", "score", box=None, pad_edge=False)
    sides.columns[2].justify = "right"
    places = _telling([side.score for side in explanation.sides])
    for side in explanation.sides:
        missed = ", missed" if side.name == "truth" and explanation.kind == "search" else ""
        sides.add_row(f"{side.name}{missed}", Text(" ".join(map(_words, side.actions))), f"{side.score:.{places}f}")
    if decision.other is not None:
        between = f"{decision.chosen.name} − {decision.other.name}" if len(explanation.sides) > 2 else "difference"
        sides.add_row(between, "", f"{decision.difference:+.{places}f}", style="bold")
    return Group(sides, "", _contributions(decision, top))


def _contributions(decision: Decision, top: int) -> Table:
    rows, total = decision.contributions, decision.difference
    against = "" if decision.other is None else f", not {_named(decision.other)}"
    table = Table(
        title=Text(f"what speaks for {_named(decision.chosen)}{against}"), title_justify="left", title_style="bold"
    )
    for name in ("feature", "label", "value", "weight", "push"):
        table.add_column(name, justify="left" if name in ("feature", "label") else "right", overflow="fold")
    places = _digits(max((abs(row.push) for row in rows), default=1.0))
    for row in rows[:top]:
        table.add_row(*_cells(row, places), style="" if row.push >= 0 else "yellow")
    if rest := rows[top:]:
        others = math.fsum(row.push for row in rest)
        table.add_row(f"and {len(rest):,} more", "", "", "", f"{others:+.{places}f}", style="dim")
    table.add_section()
    table.add_row("sum", "", "", "", f"{total:+.{places}f}", style="bold")
    return table


def _named(side: Side) -> str:
    if side.name == FREE:
        return f"the output {FREE}"
    return f"the {side.name}{' output' if side.name in ('given', 'best') else ''}"


def _telling(values: Sequence[float]) -> int:
    """The number of decimal places that distinguish these values, at least three."""
    apart = len({f"{value:.6f}" for value in values})
    return next(places for places in (3, 4, 5, 6) if len({f"{value:.{places}f}" for value in values}) == apart)


def _digits(largest: float) -> int:
    """The number of decimal places that distinguish pushes of this size."""
    return max(2, min(8, 2 - math.floor(math.log10(largest or 1.0))))


def _cells(row: Feature, places: int) -> Sequence[RenderableType]:
    label = "" if row.label is None else visible(row.label)
    numbers = (f"{row.value:g}", f"{row.weight:+.{places}f}", f"{row.push:+.{places}f}")
    return Text(visible(row.name)), Text(label), *numbers


def _words(label: Plain | tuple[str, ...]) -> str:
    """A label, or its parts, such as a tag and a chunk label."""
    return " ".join(map(visible, label)) if isinstance(label, tuple) else visible(label)


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
        table.add_row(*_arc_cells(explanation.input, number, arc, sure=sure))
    more = [Text(f"and {len(arcs) - MOST:,} more tokens", "dim")] if len(arcs) > MOST else []
    return Group(title, table, *more)


def _arc_cells(words: Sequence[Plain], number: int, arc: ArcChoice, *, sure: bool) -> list[RenderableType]:
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


MOST_CHANGES = 50  # tokens shown
TOGETHER = "the other changes"


def constraints_text(explanation: Explanation, done: KeptAndFree) -> RenderableType:
    """Lines, and a table of the labels that changed."""
    lines = [Text(line) for line in summary(done)]
    if not done.changes:
        return Group(*lines)
    table = Table("token", "before", "after", "needed by", box=None, pad_edge=False)
    for row in changes(explanation, done)[:MOST_CHANGES]:
        table.add_row(*map(Text, row))
    more = len(done.changes) - MOST_CHANGES
    return Group(*lines, table, *[Text(f"and {more:,} more changes", "dim")] * (more > 0))


def summary(done: KeptAndFree) -> list[str]:
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


def changes(explanation: Explanation, done: KeptAndFree) -> list[tuple[str, str, str, str]]:
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
