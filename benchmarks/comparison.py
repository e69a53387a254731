"""Peers beside Riata: the best of several rounds, ratios within one run, and where Riata loses. Pure functions of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Result = dict[str, Any]
Value = Callable[[Result, str], float | None]  # of a result, by the clock "cpu" or "wall"

QUESTION = "peers"
OURS = "riata_"
NEAR = 0.1  # F1 points


@dataclass(frozen=True)
class Measure:
    name: str
    value: Value
    form: str
    more_is_better: bool = False
    timed: bool = True  # the clock makes a difference

    def text(self, value: float) -> str:
        return self.form.format(value)

    def ratio(self, ours: float, theirs: float) -> float:
        """How many times better ours is."""
        if self.more_is_better:
            ours, theirs = theirs, ours
        return theirs / ours if ours else float("inf")


def stage(*names: str) -> Value:
    """Seconds of stages together; a stage that another one holds counts nothing, and alone it has no value."""

    def value(result: Result, clock: str) -> float | None:
        found = [result["seconds"][name][clock] for name in names if name in result["seconds"]]
        return sum(found) if found else None

    return value


F1 = Measure("F1", lambda result, clock: result["metrics"]["f1"], "{:.2f}", more_is_better=True, timed=False)
INGESTION = Measure("ingestion", stage("ingest"), "{:.2f} s")
TRAINING = Measure("training", stage("train"), "{:.2f} s")
FROM_FILE = Measure("ingestion and training", stage("ingest", "train"), "{:.2f} s")
SAVING = Measure("saving", stage("save"), "{:.3f} s")
FILE_TO_MODEL = Measure("file to saved model", stage("ingest", "train", "save"), "{:.2f} s")
LOADING = Measure("loading", stage("load"), "{:.3f} s")
LABELLING = Measure(
    "raw columns to written labels",
    lambda result, clock: result["tokens_scored"] / result["seconds"]["predict"][clock],
    "{:,.0f} tokens/s",
    more_is_better=True,
)
FIRST = Measure(
    "the first file after loading",
    lambda result, clock: result["tokens_scored"] / result["seconds"]["first"][clock],
    "{:,.0f} tokens/s",
    more_is_better=True,
)
P50 = Measure("latency of a sentence, p50", lambda result, clock: result["latency_us"][clock]["p50"], "{:,.0f} µs")
P99 = Measure("latency of a sentence, p99", lambda result, clock: result["latency_us"][clock]["p99"], "{:,.0f} µs")
MEMORY = Measure("peak memory of training", lambda result, clock: result["peak_mb"], "{:.0f} MB", timed=False)
SIZE = Measure("model file", lambda result, clock: result["model_bytes"] / 1e6, "{:.1f} MB", timed=False)

MEASURES = (F1, INGESTION, TRAINING, SAVING, FILE_TO_MODEL, LOADING, FIRST, LABELLING, P50, P99, MEMORY, SIZE)


@dataclass(frozen=True)
class Floor:
    """What Riata is to reach: so many times better than a peer, or a number outright (no peer)."""

    name: str
    ours: Measure
    contestant: str  # "" : the fastest of ours that is near the peer in F1
    at_least: float  # times better; without a peer, the most that is allowed
    peer: str = ""
    theirs: Measure | None = None  # the same measure, where it is not told
    goal: float | None = None


FLOORS = (
    Floor("file to saved model, 10 epochs, `classic`", FILE_TO_MODEL, "riata_classic", 8, "crfsuite_classic", goal=18),
    Floor(
        f"training from the file to within {NEAR} F1 of VW's single pass, against that pass over prepared text",
        FROM_FILE,
        "",
        1.5,
        "vw_24_bits",
        TRAINING,
    ),
    Floor("raw columns to written labels, `classic`", LABELLING, "riata_classic", 12, "crfsuite_classic"),
    Floor("raw columns to written labels, default template", LABELLING, "riata_default", 4, "crfsuite_default"),
    Floor("the same, first file after loading, `classic`", FIRST, "riata_classic", 12, "crfsuite_classic"),
    Floor("the same, first file after loading, default template", FIRST, "riata_default", 4, "crfsuite_default"),
    Floor("latency p50, `classic`", P50, "riata_classic", 30),
    Floor("latency p99, `classic`", P99, "riata_classic", 80),
    Floor("latency p50, default template", P50, "riata_default", 30),
    Floor("latency p99, default template", P99, "riata_default", 80),
    Floor("peak memory of training, `classic`", MEMORY, "riata_classic", 1, "crfsuite_classic"),
    Floor("peak memory of training, default template", MEMORY, "riata_default", 1, "crfsuite_default"),
    Floor("model file, `classic`", SIZE, "riata_classic", 10),
    Floor("model file, default template", SIZE, "riata_default", 10),
)


def best(rounds: list[Result]) -> Result:
    """One result from several of the same contestant: the least of every number, since noise only adds."""
    if any("error" in result for result in rounds):
        return next(result for result in rounds if "error" in result)
    return _least(rounds)


def _least(values: list[Any]) -> Any:
    if isinstance(values[0], dict):
        return {key: _least([value[key] for value in values]) for key in values[0]}
    if isinstance(values[0], (int, float)):
        return min(values)
    return values[0]


def merged(old: list[Result], new: list[Result], *, whole: bool = True) -> list[Result]:
    """The results on file with those of this run: a question that was run is replaced, all of it or the contestants that were run."""

    def place(result: Result) -> tuple[str, str]:
        return result["question"], "" if whole else result["contestant"]

    run = {place(result) for result in new}
    kept = [result for result in old if place(result) not in run]
    return sorted([*kept, *new], key=lambda result: str(result["question"]))


def rival(peer: str, results: dict[str, Result]) -> str | None:
    """The contestant of ours to hold against a peer: same features; for VW's one pass, the fastest that is near it in F1."""
    if not peer.startswith("vw_"):
        name = OURS + str(results[peer]["features"])
        return name if name in results else None
    need = results[peer]["metrics"]["f1"] - NEAR
    able = [
        name
        for name, result in results.items()
        if name.startswith(OURS) and result["features"] == results[peer]["features"] and result["metrics"]["f1"] >= need
    ]
    return min(able, key=lambda name: FROM_FILE.value(results[name], "cpu") or 0.0, default=None)


@dataclass(frozen=True)
class Loss:
    measure: Measure
    peer: str
    theirs: float
    ours: str
    our_value: float


def losses(results: dict[str, Result], measures: Sequence[Measure] = MEASURES) -> Iterator[Loss]:
    """Every measure in which a peer is better than Riata, by CPU seconds where it is timed."""
    for peer in sorted(name for name in results if not name.startswith(OURS)):
        ours = rival(peer, results)
        for measure in measures:
            theirs = measure.value(results[peer], "cpu")
            value = None if ours is None else measure.value(results[ours], "cpu")
            if ours is not None and theirs is not None and value is not None and measure.ratio(value, theirs) < 1:
                yield Loss(measure, peer, theirs, ours, value)


def section(all_results: list[Result]) -> list[str]:
    """The part of docs/benchmarks.md; nothing where the question was never run."""
    asked = [result for result in all_results if result["question"] == QUESTION]
    if not asked:
        return []
    results = {result["contestant"]: result for result in asked if "error" not in result}
    lines = ["", "## Peers and Riata", ""]
    lines += [
        f"How do other tools compare with Riata, stage by stage? CoNLL-2000 chunks ({asked[0]['data']} data), one thread, "
        f"{asked[0]['cpu']}, Python {asked[0]['python']}, at commit {asked[0]['commit']}, {asked[0]['date']}.",
        f"The contestants ran in turn, and the table shows the best of {asked[0]['rounds']} rounds. "
        "Times and speeds are CPU time, with wall-clock time in brackets.",
        "",
        "- *Ingestion*: from the column file to the input of the trainer, features included. sklearn-crfsuite reads its "
        "dictionaries while it trains.",
        "- *File to model*: ingestion, training and saving. CRFsuite saves while it trains.",
        "- *First tokens/s*, *tokens/s*: labelling from raw columns to written labels, after loading, for the first file and "
        "for the best of three more runs.",
        "- *p50*, *p99*: latency of one sentence of 25 tokens given as a Python list.",
        "- *Peak MB*: the peak memory of training minus the memory after imports.",
        "",
    ]
    lines += measure_table(asked, MEASURES)
    lines += [
        "",
        "### Floors",
        "",
        "A floor is the ratio that Riata is to reach or, without a peer, the most that it may take:",
        "",
        *floor_table(results, FLOORS),
    ]
    lines += ["", "### Where Riata loses", "", *loss_lines(results, MEASURES)]
    return lines


HEADS = {
    FILE_TO_MODEL: "file to model",
    FIRST: "first tokens/s",
    P50: "p50 µs",
    P99: "p99 µs",
    MEMORY: "peak MB",
    SIZE: "model MB",
}


def measure_table(asked: list[Result], measures: Sequence[Measure]) -> list[str]:
    heads = [HEADS.get(measure, "tokens/s" if "tokens/s" in measure.form else measure.name) for measure in measures]
    lines = ["| contestant | features | " + " | ".join(heads) + " |", "|---|---|" + "---:|" * len(measures)]
    for result in asked:
        if "error" in result:
            lines.append(f"| {result['contestant']} | did not run: {result['error']} |" + " |" * len(measures))
            continue
        cells = [result["contestant"], result["features"], *(_cell(measure, result) for measure in measures)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _cell(measure: Measure, result: Result) -> str:
    values = [measure.value(result, clock) for clock in (("cpu", "wall") if measure.timed else ("cpu",))]
    if values[0] is None:
        return ""
    first, *rest = (measure.text(value).split(" ")[0] for value in values if value is not None)
    return first + "".join(f" ({text})" for text in rest)


def floor_table(results: dict[str, Result], floors: Sequence[Floor]) -> list[str]:
    lines = [
        "| what | peer | Riata | × better, CPU | wall | floor | |",
        "|---|---|---|---:|---:|---|---|",
    ]
    for floor in floors:
        outcome = reached(floor, results)
        asked = f"{floor.at_least:g} ×" if floor.peer else "≤ " + floor.ours.text(floor.at_least)
        asked += f" (goal {floor.goal:g} ×)" if floor.goal else ""
        if outcome is None:
            lines.append(f"| {floor.name} | | | | | {asked} | not measured |")
            continue
        peer = f"{floor.peer} {outcome.theirs}" if floor.peer else ""
        ratios = " | ".join(f"{ratio:.2f}" for ratio in outcome.ratios) if outcome.ratios else " | "
        verdict = "reached" if outcome.met else "**missed**"
        lines.append(
            f"| {floor.name} | {peer} | {outcome.contestant} {outcome.ours} | {ratios} | {asked} | {verdict} |"
        )
    return lines


@dataclass(frozen=True)
class Outcome:
    contestant: str
    ours: str
    theirs: str
    ratios: tuple[float, ...]  # CPU, wall
    met: bool


def reached(floor: Floor, results: dict[str, Result]) -> Outcome | None:
    """How Riata stands to a floor; None where one of the two did not run."""
    if floor.peer and floor.peer not in results:
        return None
    contestant = floor.contestant or rival(floor.peer, results)
    if contestant not in results:
        return None
    ours = [floor.ours.value(results[contestant], clock) for clock in ("cpu", "wall")]
    assert ours[0] is not None
    text = floor.ours.text(ours[0])
    if floor.ours.timed and ours[1] is not None:
        text += f" ({floor.ours.text(ours[1])})"
    if not floor.peer:
        return Outcome(contestant, text, "", (), ours[0] <= floor.at_least)
    their_measure = floor.theirs or floor.ours
    theirs = [their_measure.value(results[floor.peer], clock) for clock in ("cpu", "wall")]
    ratios = tuple(floor.ours.ratio(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None)
    assert theirs[0] is not None
    return Outcome(contestant, text, their_measure.text(theirs[0]), ratios, ratios[0] >= floor.at_least)


def loss_lines(results: dict[str, Result], measures: Sequence[Measure]) -> list[str]:
    found = [_sentence(loss) for loss in losses(results, measures)]
    return found or ["Nowhere in this run. No other tool is better in any measure."]


def _sentence(loss: Loss) -> str:
    times = 1 / loss.measure.ratio(loss.our_value, loss.theirs)
    by = f"by {loss.theirs - loss.our_value:.2f}" if loss.measure is F1 else f"{times:.2f} ×"
    return (
        f"- {loss.measure.name}: {loss.peer} {loss.measure.text(loss.theirs)}, {loss.ours} {loss.measure.text(loss.our_value)} "
        f"({by})."
    )
