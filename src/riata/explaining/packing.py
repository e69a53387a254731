"""An explanation or a trace in the form of the page: every text and every weight once, nodes in columns, deflated, in base64.

Numbers are rounded to DIGITS significant digits; nothing is left out.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from riata.explaining.arcs import ArcChoice
from riata.explaining.bounds import bounds
from riata.explaining.explain import INSTEAD
from riata.explaining.explanation import Explanation, Side
from riata.explaining.text import changes, summary
from riata.explaining.trace import Feature, Forbidden, Node, Plain, Step, Taken, Trace, Update, as_json
from riata.explaining.trace_text import alignment, heading
from riata.explaining.verdict import BADGES, Verdict, verdict, verdict_of_trace

DIGITS = 6


def pack(shown: Explanation | Trace) -> str:
    """What is shown, as text of letters, digits, + / and =."""
    data = as_data(shown)
    bounds().check()
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def as_data(shown: Explanation | Trace) -> dict[str, Any]:
    tables = _Tables()
    data = _of_trace(shown, tables) if isinstance(shown, Trace) else _of_explanation(shown, tables)
    return {"input": as_json(shown.input), "truth": as_json(shown.truth), **data, **tables.as_data()}


def _of_trace(trace: Trace, tables: _Tables) -> dict[str, Any]:
    head = {
        "output": as_json(trace.output if trace.predicted is None else trace.predicted),
        "restarted": None if trace.predicted is None else as_json(trace.output),
        "verdict": _verdict(verdict_of_trace(trace)),
        "note": None,
        "best": None,
        "exact": False,
        "without": None,
        "constraints": None,
        "decision": None,
        "arcs": None,
    }
    return {**head, "trace": _trace(trace, tables)}


def _of_explanation(explanation: Explanation, tables: _Tables) -> dict[str, Any]:
    return {
        "output": as_json(explanation.decision.chosen.labels),
        "verdict": _verdict(verdict(explanation)),
        "note": (explanation.note or "").replace(INSTEAD, "").strip() or None
        if explanation.exact
        else explanation.note,
        "best": None if explanation.missed is None else as_json(explanation.missed.labels),
        "exact": explanation.exact,
        "restarted": None,
        **_constraints(explanation),
        "decision": _decision(explanation, tables),
        "arcs": None if explanation.arcs is None else [_arc(arc, tables) for arc in explanation.arcs],
        "trace": None if explanation.trace is None else _trace(explanation.trace, tables),
    }


def _constraints(explanation: Explanation) -> dict[str, Any]:
    """What constraints did, in lines, and the labels that they changed; and the output without them."""
    done = explanation.constrained
    if done is None:
        return {"without": None, "constraints": None}
    told = {"lines": summary(done), "changes": changes(explanation, done)}
    return {"without": as_json(done.without.labels) if done.changes else None, "constraints": told}


class _Tables:
    """Plain values and features, each stored once, by number."""

    def __init__(self) -> None:
        self._values: dict[tuple[type, Plain], int] = {}
        self._features: dict[tuple[int, int, float], int] = {}

    def value(self, value: Plain) -> int:
        # 1, 1.0 and True are equal, but not the same.
        return self._values.setdefault((type(value), value), len(self._values))

    def features(self, rows: Iterable[Feature]) -> list[list[Any]]:
        """Numbers of features, and their values."""
        rows = tuple(rows)
        return [[self._feature(row) for row in rows], [number(row.value) for row in rows]]

    def _feature(self, row: Feature) -> int:
        key = (self.value(row.name), self.value(row.label), row.weight)
        return self._features.setdefault(key, len(self._features))

    def as_data(self) -> dict[str, Any]:
        names, labels, weights = zip(*self._features, strict=True) if self._features else ((), (), ())
        return {
            "features": {"name": names, "label": labels, "weight": list(map(number, weights))},
            "values": [as_json(value) for _, value in self._values],
        }


def number(value: float | None) -> float | int | None:
    """The number rounded to DIGITS significant digits, an int if it is whole; None if JSON cannot express it."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def _verdict(said: Verdict) -> dict[str, Any]:
    return {**asdict(said), "badge": BADGES[said.kind]}


def _decision(explanation: Explanation, tables: _Tables) -> dict[str, Any]:
    def side(of: Side) -> dict[str, Any]:
        return {
            "name": of.name,
            "labels": as_json(of.labels),
            "actions": list(map(tables.value, of.actions)),
            "score": number(of.score),
        }

    decision = explanation.decision
    return {
        "sides": [side(of) for of in explanation.sides],
        "other": None if decision.other is None else decision.other.name,
        "difference": number(decision.difference),
        "contributions": tables.features(decision.contributions),
    }


def _arc(arc: ArcChoice, tables: _Tables) -> dict[str, Any]:
    return {
        "head": arc.head,
        "relation": arc.relation,
        "score": number(arc.score),
        "other_head": arc.other_head,
        "other_relation": arc.other_relation,
        "margin": number(arc.margin),
        "confidence": number(arc.confidence),
        "relation_confidence": number(arc.relation_confidence),
        "features": tables.features(arc.features),
    }


def _trace(trace: Trace, tables: _Tables) -> dict[str, Any]:
    return {
        "heading": heading(trace, "★"),
        "alignment": alignment(trace),
        "truth": as_json(trace.truth),
        "output": as_json(trace.output),
        "queue": trace.queue,
        "beam": trace.beam,
        "beam_by": trace.beam_by,
        "merge": trace.merge,
        "followed": None if trace.followed is None else dict(trace.followed),
        "learnt_as": trace.learnt_as,
        "left_out": trace.left_out,
        "predicted": as_json(trace.predicted),
        "first": as_json(trace.first),
        "goal": trace.goal,
        "nodes": _nodes(trace.nodes, tables),
        "steps": [_step(step, tables) for step in trace.steps],
        "true_path": None if trace.true_path is None else _taken(trace.true_path, tables),
        "outputs": as_json(trace.outputs),
        "forbidden": None if trace.forbidden is None else [_forbidden(one) for one in trace.forbidden],
    }


def _forbidden(one: Forbidden) -> dict[str, Any]:
    return {**asdict(one), "score": number(one.score), "heuristic": number(one.heuristic)}


def _taken(path: Sequence[Taken], tables: _Tables) -> dict[str, Any]:
    return {
        "action": [tables.value(taken.action) for taken in path],
        "score": [number(taken.score) for taken in path],
        "features": [None if taken.features is None else tables.features(taken.features) for taken in path],
    }


def _nodes(nodes: Sequence[Node], tables: _Tables) -> dict[str, Any]:
    columns = _columns(
        nodes,
        tables,
        parent=lambda node: node.parent,
        depth=lambda node: node.depth,
        goal=lambda node: int(node.goal),
    )
    known = any(node.features is not None for node in nodes)
    ids, values = tables.features(feature for node in nodes for feature in node.features or ())
    counts = [None if node.features is None else len(node.features) for node in nodes]
    if any(node.state is not None for node in nodes):
        columns["state"] = [tables.value(node.state) for node in nodes]
    return {**columns, "features": {"count": counts, "feature": ids, "value": values} if known else None}


def _columns(rows: Sequence[Any], tables: _Tables, **more: Callable[[Any], Any]) -> dict[str, Any]:
    """The columns that nodes and cut candidates share, and more."""
    return {
        **{name: [of(row) for row in rows] for name, of in more.items()},
        "action": [tables.value(row.action) for row in rows],
        "score": [number(row.score) for row in rows],
        "heuristic": [number(row.heuristic) for row in rows],
        "regret": [number(row.regret) for row in rows],
        "good": [None if row.good is None else int(row.good) for row in rows],
    }


def _step(step: Step, tables: _Tables) -> dict[str, Any]:
    return {
        "front": step.front,
        "margin": number(step.margin),
        "lost": step.lost,
        "lost_by": step.lost_by,
        "wrong": step.wrong,
        "update": None if step.update is None else _update(step.update, tables),
        "restart": [[node, number(score)] for node, score in step.restart],
        "enqueued": step.enqueued,
        "cut": _columns(step.cut, tables, parent=lambda cut: cut.parent, merged=lambda cut: int(cut.merged)),
        "pruned": step.pruned,
    }


def _update(update: Update, tables: _Tables) -> dict[str, Any]:
    competitors = [[node, number(weight)] for node, weight in update.competitors]
    return {"siblings": update.siblings, "competitors": competitors, "difference": tables.features(update.difference)}
