"""A trace as text for the terminal: a line per step, and what happened to the truth."""

from __future__ import annotations

import re

from riata.explaining.trace import Forbidden, Labels, Plain, Step, Trace, Update
from riata.showing.table import visible

MOST = 8  # nodes of a front that are shown
LONGEST = 24  # characters of an action or a token
LONGEST_NAME = 80  # characters of a feature
LONGEST_STATE = 120  # characters of a state in words
FORBIDDEN = 3  # steps that a constraint forbids
PUSHES = 5  # features of an update that are shown

TOKENS, SPANS = "tokens", "spans"  # what actions give labels to
SEGMENT = re.compile(r"\[(\d+):(\d+)\]$")  # as in NP[2:5]
LOST = {
    "pruned": "it was pruned",
    "merged": "a better path to an equal state took its place",
    "dead end": "no right step leads on",
}


Part = tuple[str, str]  # a text and its role: "heading", "good", "loss", "update", "output" or ""


def in_words(trace: Trace) -> str:
    """For every step the front, best first: action and score, + heuristic, - margin, * if it is y-good."""
    return "\n".join("".join(text for text, _ in line) for line in in_lines(trace))


def in_lines(trace: Trace) -> list[list[Part]]:
    """The same, line by line, with the roles of parts, which could be coloured."""
    lines, width = [[(heading(trace), "heading")]], _width(trace)
    if any(step.margin for step in trace.steps):
        lines.append(
            [("      ranked by the score less, where it is y-good, the margin of training: 0.16-0.11*", "heading")]
        )
    for number, step in enumerate(trace.steps):
        lines.append(_front(trace, number, step, width))
        lines += [[(f"      {text}", "")] for text in _states(trace, step)]
        lines += [[(f"      {text}", "")] for text in _forbidden(trace, step)]
        lines += [[(f"      {text}", kind)] for text, kind in _events(trace, number, step)]
    if trace.predicted is not None:
        lines.append([(f"output: {_row(trace.predicted)}", "output")])
    return [*lines, [(_end(trace), "output")]]


def heading(trace: Trace, mark: str = "*") -> str:
    """The search settings, and whether the truth was known. mark: of y-good nodes."""
    beam = "" if trace.queue != "beam" else f" of {trace.beam or 'any width'} by {trace.beam_by}"
    labels = "chunk labels" if _in_pairs(trace) else "tags"
    search = f"{trace.queue}{beam}" + (f"; {labels} as learnt, in {trace.learnt_as.upper()}" if trace.learnt_as else "")
    search += "" if trace.first is None else "; the second of two passes"
    search += "" if trace.forbidden is None else "; under constraints"
    search += "" if trace.merge else "; states that go on alike are not merged"
    search += "" if trace.left_out is None else f"; left out, as there are too many: {trace.left_out}"
    if trace.truth is None:
        return f"{search}; the truth is not known"
    if trace.followed is None:
        return f"{search}; {mark} y-good; watched only, as nothing is trained in this way"
    follows = ", ".join(str(trace.followed[name]) for name in ("when", "update", "step"))
    how = "no weight changed" if trace.followed["training"] else "watched as it predicts"
    return f"{search}; {mark} y-good; {trace.followed['recipe']} ({follows}), {how}"


def _front(trace: Trace, number: int, step: Step, width: int) -> list[Part]:
    shown: list[Part] = []
    for i in step.front[:MOST]:
        shown += [("  " if shown else "", ""), (_node(trace, number, i), "good" if trace.nodes[i].good else "")]
    more = len(step.front) - MOST
    dropped = len(step.cut) + len(step.pruned)
    tail = (f"  and {more} more" if more > 0 else "") + (f"  [{dropped} dropped]" if dropped else "")
    return [(f"{number:4}  {_place(trace, step, width)}", ""), *shown, (tail, "")]


def _states(trace: Trace, step: Step) -> list[str]:
    """The states of a front in words, in its order, if the problem describes them."""
    shown = [(i, trace.nodes[i].state) for i in step.front[:MOST]]
    return [
        f"{'*' if trace.nodes[i].good else '-'} {short(state, LONGEST_STATE)}"
        for i, state in shown
        if state is not None
    ]


def _forbidden(trace: Trace, step: Step) -> list[str]:
    """The steps from a front that constraints forbid, by constraint, the best first."""
    found: dict[str, list[Forbidden]] = {}
    for one in trace.forbidden or ():
        if one.parent in step.front:
            found.setdefault(one.constraint, []).append(one)
    lines = []
    for constraint, some in found.items():
        best = sorted(some, key=lambda one: -one.score - one.heuristic)
        shown = "  ".join(f"{short(one.action)} {one.score:.2f}" for one in best[:FORBIDDEN])
        more = f"  and {len(best) - FORBIDDEN} more" if len(best) > FORBIDDEN else ""
        lines.append(f"forbidden by {short(constraint, LONGEST_NAME)}: {shown}{more}")
    return lines


def alignment(trace: Trace) -> str | None:
    """What actions give labels to: single tokens, one after the other; spans of several tokens; None: neither."""
    if len(trace.input) < 2 or not all(isinstance(token, str) for token in trace.input):
        return None
    if any(SEGMENT.search(str(node.action)) for node in trace.nodes):
        return SPANS
    ahead = (0, 1) if _in_pairs(trace) else (0,)  # with look-ahead, the last operator gives only a chunk label
    one_by_one = all(node.depth - len(trace.input) in ahead for node in trace.nodes if node.goal)
    return TOKENS if one_by_one else None


def _width(trace: Trace) -> int:
    """The width of the tokens, if tokens are labelled one after the other; 0: the input is of another kind."""
    if alignment(trace) != TOKENS:
        return 0
    return min(LONGEST, max(len(visible(token)) for token in trace.input))


def _place(trace: Trace, step: Step, width: int) -> str:
    """The token of the front."""
    if width == 0:
        return ""
    depth = trace.nodes[step.front[0]].depth
    token = trace.input[depth - 1] if 0 < depth <= len(trace.input) else ""
    return f"{visible(token)[:width]:{width}}  "


def _node(trace: Trace, step: int, number: int) -> str:
    node = trace.nodes[number]
    action = "start" if node.parent is None else short(node.action)
    estimate = f"+{node.heuristic:.2f}" if node.heuristic else ""
    margin = trace.steps[step].margin if node.good else 0.0
    less = f"-{margin:.2f}" if margin else ""
    return f"{action} {trace.score(step, number):.2f}{estimate}{less}{'*' * bool(node.good)}"


def short(action: Plain, longest: int = LONGEST) -> str:
    text = visible(action)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _events(trace: Trace, number: int, step: Step) -> list[Part]:
    lines: list[Part] = []
    if step.lost_by is not None:
        lines.append((f"the truth is lost: {LOST[step.lost_by]}", "loss"))
    if step.wrong:
        lines.append(("a wrong goal comes first", "loss"))
    if step.update is not None:
        lines += [(text, "update") for text in _update(trace, number, step.update)]
    if step.restart:
        siblings = "  ".join(short(trace.nodes[i].action) for i, _ in step.restart[:MOST])
        lines.append((f"restart from {siblings}", "update"))
    return lines


def _update(trace: Trace, step: int, update: Update) -> list[str]:
    if not update.competitors:
        return ["no update: nothing outranks the truth"]
    good = "  ".join(_node(trace, step, i) for i in update.siblings[:MOST])
    bad = "  ".join(_node(trace, step, i) for i, _ in update.competitors[:MOST])
    pushing = sorted(update.difference, key=lambda f: f.push)
    blamed = [f for f in pushing if f.push < 0][:PUSHES]
    said = [
        f"{short(f.name, LONGEST_NAME)}{'' if f.label is None else f' ({visible(f.label)})'} {f.push:+.2f}"
        for f in blamed
    ]
    return [f"update: towards {good}, away from {bad}", *([f"misled by {'; '.join(said)}"] if said else [])]


def _in_pairs(trace: Trace) -> bool:
    """Whether every token has a tag and a chunk label."""
    return any(isinstance(label, tuple) for label in (*(trace.output or ()), *(trace.truth or ())))


def _row(labels: Labels) -> str:
    pairs = [label for label in labels if isinstance(label, tuple)]
    return "  ".join(" ".join(map(visible, pair)) for pair in pairs) if pairs else " ".join(map(visible, labels))


def _end(trace: Trace) -> str:
    if trace.output is not None:
        return f"{'output' if trace.predicted is None else 'with restarts'}: {_row(trace.output)}"
    stopped = bool(trace.steps) and trace.steps[-1].update is not None
    return "stopped after the update" if stopped else "no goal was reached"
