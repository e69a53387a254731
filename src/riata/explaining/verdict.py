"""What happened to the truth, in words: the cause of a wrong output, and where the search lost the truth."""

from __future__ import annotations

from dataclasses import dataclass

from riata.explaining.explanation import BY_TRUTH, FAULTS, OF_EXACT, Explanation
from riata.explaining.trace import Labels, Plain, Trace
from riata.explaining.trace_text import LOST, SEGMENT, SPANS, TOKENS, alignment, short

BADGES = {
    "right": "right",
    "lucky": "right by luck",
    "search": "search error",
    "both": "search and model error",
    "model": "model error",
    "tie": "tie",
    "wrong": "wrong",
    "unknown": "no truth",
}
FATES = {"pruned": "pruned", "merged": "merged into a better path to an equal state"}


@dataclass(frozen=True)
class SentenceLoss:
    """Where the truth was dropped from the queue, or came second to a wrong goal."""

    step: int  # the step that found it lost
    token: int | None  # the token that was being labelled, if actions label tokens
    how: str  # as Step.lost_by, or "wrong goal"
    text: str


@dataclass(frozen=True)
class Verdict:
    kind: str  # a key of BADGES
    text: str
    losses: tuple[SentenceLoss, ...]


def verdict(explanation: Explanation) -> Verdict:
    trace, kind = explanation.trace, explanation.kind
    losses = () if trace is None else losses_of(trace)
    if kind is None:
        return Verdict("unknown", "The truth is not known.", losses)
    told = {**FAULTS, **BY_TRUTH} if explanation.test == "truth" else FAULTS
    told = {**told, **OF_EXACT} if explanation.exact else told
    text = told[kind].removeprefix(f"{BADGES[kind]}: ")
    return Verdict(kind, f"{text[0].upper()}{text[1:]}.", losses)


def verdict_of_trace(trace: Trace) -> Verdict:
    """Without a second output to compare with, a wrong output is just wrong.

    The regret of the goal decides, since an output can be written in many ways.
    """
    losses = losses_of(trace)
    if trace.truth is None:
        return Verdict("unknown", "The truth is not known.", losses)
    if trace.predicted is not None and trace.predicted != trace.truth:
        return Verdict("wrong", "The output is wrong.", losses)
    if trace.goal is None:
        stopped = bool(trace.steps) and trace.steps[-1].update is not None
        text = "The search stopped after the update." if stopped else "The search reached no goal."
        return Verdict("wrong", text, losses)
    if not trace.nodes[trace.goal].good:
        return Verdict("wrong", "The output is wrong.", losses)
    again = any(step.restart for step in trace.steps)
    return Verdict("right", "The output is right" + (", after restarts from the truth." if again else "."), losses)


def losses_of(trace: Trace) -> tuple[SentenceLoss, ...]:
    aligned = alignment(trace)
    found = {step: _loss(trace, step, aligned) for step in trace.losses}
    for i, step in enumerate(trace.steps):
        if step.wrong and not step.lost:
            text = f"A wrong goal comes first at step {i}, though the truth has not been lost."
            found[i] = SentenceLoss(i, None, "wrong goal", text)
    return tuple(found[i] for i in sorted(found))


def _loss(trace: Trace, step: int, aligned: str | None) -> SentenceLoss:
    how = trace.steps[step].lost_by
    assert how is not None
    dropped = _dropped(trace, step - 1)
    token, place = _place(trace, step, dropped, aligned)
    what = (
        LOST[how]
        if dropped is None or how not in FATES
        else f"{_in_words(trace, dropped[1], aligned)} was {FATES[how]}"
    )
    return SentenceLoss(step, token, how, f"The truth is lost at step {step}{place}: {what}.")


def _in_words(trace: Trace, action: Plain, aligned: str | None) -> str:
    """An action; for a segment, the label with its words."""
    span = SEGMENT.search(str(action)) if aligned == SPANS else None
    if span is None:
        return short(action)
    words = " ".join(map(str, trace.input[int(span[1]) : int(span[2])]))
    return f"{short(str(action)[: span.start()])} “{short(words)}”"


def _dropped(trace: Trace, step: int) -> tuple[int, Plain] | None:
    """The best right step that the queue did not keep: the node it leads on from, and its action."""
    cut = [(c.score + c.heuristic, c.parent, c.action) for c in trace.steps[step].cut if c.good]
    for node in (trace.nodes[i] for i in trace.steps[step].pruned):
        if node.good and node.parent is not None:
            cut.append((node.score + node.heuristic, node.parent, node.action))
    return max(cut, key=lambda row: row[0])[1:] if cut else None


def _place(trace: Trace, step: int, dropped: tuple[int, Plain] | None, aligned: str | None) -> tuple[int | None, str]:
    """The token at which the truth was lost, counted from 0, and words for it."""
    token: int | None = None
    if aligned == TOKENS:
        front = trace.nodes[trace.steps[step].front[0]].depth - 1
        token = trace.nodes[dropped[0]].depth if dropped is not None else front
    elif aligned == SPANS and dropped is not None and (span := SEGMENT.search(str(dropped[1]))) is not None:
        token = int(span[1])
    if token is None:
        return None, ""
    token = max(0, min(token, len(trace.input) - 1))
    return token, f", token {token + 1} “{short(trace.input[token])}”"


def differences(truth: Labels | None, output: Labels | None) -> tuple[int, ...]:
    """The places at which two rows of labels differ; none if their lengths differ."""
    if truth is None or output is None or len(truth) != len(output):
        return ()
    return tuple(i for i, (a, b) in enumerate(zip(truth, output, strict=True)) if a != b)
