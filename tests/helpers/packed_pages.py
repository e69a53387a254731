"""Reads what a page holds, without the code that packed it."""

import base64
import json
import re
import zlib

_DATA = re.compile(r'<script type="application/octet-stream" id="data">([A-Za-z0-9+/=]*)</script>')


def data_of(page):
    (packed,) = _DATA.findall(page)
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def trace_of(data):
    """As Trace.to_dict gives it, up to the rounding of numbers."""
    packed, values = data["trace"], data["values"]
    names = (
        "truth",
        "queue",
        "beam",
        "beam_by",
        "merge",
        "followed",
        "goal",
        "output",
        "learnt_as",
        "first",
        "left_out",
        "predicted",
    )
    nodes = [
        {**row, "goal": bool(row["goal"]), "features": features, "state": state}
        for row, features, state in zip(
            rows(packed["nodes"], values),
            node_features(packed["nodes"], data),
            states_of(packed["nodes"], values),
            strict=True,
        )
    ]
    nodes[0]["action"] = None
    return {
        "input": data["input"],
        **{name: packed[name] for name in names},
        "nodes": nodes,
        "steps": [step_of(step, data) for step in packed["steps"]],
        "true_path": None if packed["true_path"] is None else list(taken_of(packed["true_path"], data)),
        "outputs": packed["outputs"],
        "forbidden": packed["forbidden"],
    }


def taken_of(path, data):
    for action, score, said in zip(path["action"], path["score"], path["features"], strict=True):
        features = None if said is None else features_of(said, data)
        yield {"action": data["values"][action], "score": score, "features": features}


def rows(columns, values):
    kept = {name: column for name, column in columns.items() if name not in ("features", "state")}
    for cells in zip(*kept.values(), strict=True):
        row = dict(zip(kept, cells, strict=True))
        good = None if row["good"] is None else bool(row["good"])
        yield {**row, "action": values[row["action"]], "good": good}


def states_of(columns, values):
    return [values[i] for i in columns["state"]] if "state" in columns else [None] * len(columns["parent"])


def step_of(step, data):
    cuts = [{**row, "merged": bool(row["merged"])} for row in rows(step["cut"], data["values"])]
    update = step["update"]
    if update is not None:
        update = {**update, "difference": features_of(update["difference"], data)}
    return {**step, "cut": cuts, "update": update}


def node_features(columns, data):
    said = columns["features"]
    if said is None:
        return [None] * len(columns["parent"])
    found, at = [], 0
    for count in said["count"]:
        part = slice(at, at + (count or 0))
        found.append(None if count is None else features_of([said["feature"][part], said["value"][part]], data))
        at += count or 0
    return found


def features_of(packed, data):
    table, values = data["features"], data["values"]
    return [
        {
            "name": values[table["name"][i]],
            "label": values[table["label"][i]],
            "value": value,
            "weight": table["weight"][i],
        }
        for i, value in zip(*packed, strict=True)
    ]
