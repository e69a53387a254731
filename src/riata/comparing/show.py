"""A comparison as people read it: tables for a terminal, Markdown and HTML, with what they mean below."""

from __future__ import annotations

from collections.abc import Callable
from html import escape as escape_html
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from riata.comparing.comparison import LEVEL, Comparison, ComparisonRow, Costs, Quality
from riata.errors import UnsupportedError
from riata.showing.plotting import check_installed

TITLES = {"f1": "F1", "accuracy": "accuracy", "score": "score"}
NONE = "–"


class ShownColumn(NamedTuple):
    title: str
    show: Callable[[ComparisonRow], str]
    cost: bool = False  # not of quality: the second table, where one would be too wide


def columns(comparison: Comparison) -> list[ShownColumn]:
    title = TITLES.get(comparison.metric, comparison.metric)
    one_seed = len(comparison.seeds) == 1
    unit = "examples/s" if comparison.task is None else "tokens/s"
    found = [
        ShownColumn(title, _quality(lambda q: f"{q.score:.2f}")),
        ShownColumn("95 %", _quality(lambda q: f"{q.low:.2f}–{q.high:.2f}")),
        ShownColumn("± seeds", _quality(lambda q: NONE if q.spread is None else f"{q.spread:.2f}")),
        ShownColumn("Δ", _quality(lambda q: "" if q.difference is None else f"{q.difference:+.2f}")),
        ShownColumn("p", _quality(_p)),
        ShownColumn("search/both/model/ties", _quality(_errors)),
        ShownColumn("lucky", _quality(lambda q: _count(q.errors["lucky"]))),
        ShownColumn("train s", _costs(lambda c: _seconds(c.seconds_train)), cost=True),
        ShownColumn("CPU s", _costs(lambda c: _seconds(c.cpu_train)), cost=True),
        ShownColumn(unit, _costs(lambda c: f"{c.tokens_per_second:,.0f}"), cost=True),
        ShownColumn("peak MB", _costs(lambda c: NONE if c.peak_rss_mb is None else f"{c.peak_rss_mb:.1f}"), cost=True),
        ShownColumn("model MB", _costs(lambda c: NONE if c.model_mb is None else f"{c.model_mb:.2f}"), cost=True),
        ShownColumn("weights", _costs(lambda c: f"{c.weights:,}"), cost=True),
    ]
    return [column for column in found if column.title != "± seeds" or not one_seed]


def _quality(show: Callable[[Quality], str]) -> Callable[[ComparisonRow], str]:
    return lambda row: NONE if row.quality is None else show(row.quality)


def _costs(show: Callable[[Costs], str]) -> Callable[[ComparisonRow], str]:
    return lambda row: NONE if row.costs is None else show(row.costs)


def _seconds(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _p(quality: Quality) -> str:
    if quality.p_holm is None:
        return ""
    return f"{quality.p_holm:.4f}{'*' * bool(quality.significant)}"


def _errors(quality: Quality) -> str:
    errors = quality.errors
    counts = "/".join(_count(errors[name]) for name in ("search", "both", "model", "ties"))
    return counts + "†" * (errors["test"] == "truth")


def _count(value: Any) -> str:
    return NONE if value is None else f"{value:,}"


def remarks(comparison: Comparison) -> list[str]:
    """What the numbers are, and what went wrong."""
    over = comparison.resampled
    over = f"{comparison.sentences:,} {over}" if over.startswith("sentences") else over
    found = [f"Scored: {comparison.scored}; intervals: bootstrap over {over}."]
    if comparison.task is None:
        found[0] = found[0].replace("sentences", "examples")
    tested = sum(row.quality is not None and row.quality.p_holm is not None for row in comparison.rows)
    if comparison.baseline is not None and tested:
        found.append(
            f"Δ and p: against {comparison.baseline}, paired approximate randomisation, p with Holm's correction for "
            f"{tested} test{'s' * (tested > 1)}; * significant at {LEVEL}, for these training data."
        )
    if len(comparison.seeds) > 1:
        found.append(f"Means over {len(comparison.seeds)} seeds; error counts are of all of them together.")
    found.append(
        "Wrong sentences: the search alone (it missed the best output, which is the truth), both (it missed it, and it is not the truth), "
        "the model alone (it found it, and it is not the truth), ties. Lucky: right, though the best output was missed."
    )
    found.append("Times are of one training on average.")
    if any(row.quality is not None and row.quality.errors["test"] == "truth" for row in comparison.rows):
        found.append(
            "† Exact search is too costly: under search stands where the truth scores higher than what was found, a lower bound; "
            "under model where it scores lower; the rest is not known (–)."
        )
    found += comparison.notes
    found += [f"{row.name} {row.status}: {' '.join(row.problem.split())}" for row in comparison.rows if row.problem]
    return found


def rich_table(comparison: Comparison, *, cost: bool | None = None) -> Table:
    """cost: only what rows cost, or only how good they are (None: both)."""
    chosen = [column for column in columns(comparison) if cost is None or column.cost == cost]
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for column in chosen:
        table.add_column(column.title, justify="right", no_wrap=True)
    for row in comparison.rows:
        style = "bold" if row.name == comparison.baseline else "dim" if row.quality is None else ""
        cells = [column.show(row) for column in chosen]
        if row.quality is None:
            cells[0] = row.status
        table.add_row(escape(row.name), *cells, style=style)
    return table


def show(comparison: Comparison, console: Console) -> None:
    """The table and what it means; where the terminal is too narrow, as two tables."""
    table = rich_table(comparison)
    if console.is_terminal and width_of(table) > console.width:
        console.print(rich_table(comparison, cost=False))
        console.print(rich_table(comparison, cost=True))
    else:
        print_whole(table, console)
    for remark in remarks(comparison):
        console.print(escape(remark), soft_wrap=True)


def text(comparison: Comparison) -> str:
    out = StringIO()
    show(comparison, Console(file=out, highlight=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")


def _texts(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """The titles, and the cells of every row."""
    chosen = columns(comparison)
    rows = []
    for row in comparison.rows:
        cells = [column.show(row) for column in chosen]
        if row.quality is None:
            cells[0] = row.status
        rows.append([row.name, *cells])
    return ["", *(column.title for column in chosen)], rows


def markdown(comparison: Comparison) -> str:
    titles, rows = _texts(comparison)
    lines = ["| " + " | ".join(titles) + " |", "|---|" + "---:|" * (len(titles) - 1)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([*lines, "", *(f"- {remark}" for remark in remarks(comparison))]) + "\n"


def html(comparison: Comparison) -> str:
    titles, rows = _texts(comparison)
    head = "".join(f"<th>{escape_html(title)}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{escape_html(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    below = "".join(f"<li>{escape_html(remark)}</li>" for remark in remarks(comparison))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><ul>{below}</ul>"


def width_of(table: Table) -> int:
    """How many characters its lines have."""
    return Console(width=10_000).measure(table).maximum


def print_whole(table: Table, console: Console) -> None:
    """Prints a table, in a file or a pipe as wide as it is."""
    if console.is_terminal:
        console.print(table)
    else:
        Console(file=console.file, width=max(width_of(table), console.width), highlight=False).print(table)


def plot(comparison: Comparison, path: str | Path | None = None) -> Any:
    """A point per row that was trained, with its interval; time on a logarithmic scale."""
    check_installed()
    from matplotlib.figure import Figure

    rows = [(row.name, row.quality, row.costs) for row in comparison.rows]
    if not any(quality for _, quality, _ in rows):
        raise UnsupportedError("there is nothing to draw: no row was trained.")
    canvas = Figure(figsize=(7, 4.5), layout="constrained")
    axes = canvas.subplots()
    for number, (name, quality, costs) in enumerate(rows):
        if quality is None or costs is None:
            continue
        colour = f"C{number % 10}"
        seconds = max(costs.cpu_train, 1e-4)
        axes.plot([seconds, seconds], [quality.low, quality.high], color=colour, alpha=0.5)
        axes.plot(seconds, quality.score, "o", color=colour)
        axes.annotate(
            name, (seconds, quality.score), xytext=(6, 4), textcoords="offset points", fontsize=8, color=colour
        )
    axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.set_xlabel("CPU seconds of training")
    axes.set_ylabel(f"{TITLES.get(comparison.metric, comparison.metric)}, with 95 % intervals")
    axes.set_title(f"Scored: {comparison.scored}", fontsize=9)
    axes.grid(alpha=0.3)
    if path is not None:
        canvas.savefig(path, dpi=150)
    return canvas
