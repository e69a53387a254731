"""Makes traces: runs a search with a recorder and gives what the core has recorded the names that people know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riata._core import unbounded
from riata.data.memory import as_corpus
from riata.data.pairs import parts_of
from riata.data.types import Corpus, Ids
from riata.errors import DataError, LabelError, UnsupportedError
from riata.explaining.trace import Cut, Feature, Labels, Node, Plain, Step, Taken, Trace, Update
from riata.models.chain import ChainModel, Decoder
from riata.models.joint import JointModel
from riata.models.names.chain import name_of
from riata.models.names.joint import JointNames
from riata.models.names.segments import SegmentNames
from riata.models.segments import SegmentModel

FOLLOWED = ("recipe", "when", "update", "step", "training")  # what a trace says of the learner


def one_sentence(sentence: Any, read: Callable[[Any], Corpus] = as_corpus) -> Corpus:
    """A corpus of one sentence, from one or from what `predict` takes a list of. read: makes a corpus of such a list."""
    if not isinstance(sentence, Corpus):
        return read([sentence])
    if len(sentence) != 1 or sentence.tokens == 0:
        found = f"{len(sentence):,} sentences" if len(sentence) != 1 else "an empty one"
        raise DataError(
            f"a trace is of one sentence with at least one token; found {found}.",
            remedy="Take one of them: corpus[3:4].",
            file=sentence.name,
        )
    return sentence


def check_queue(decoder: Decoder) -> None:
    if decoder.queue == "exact":
        raise UnsupportedError(
            "Exact decoding has no queue, so there is no search to trace.",
            remedy='Decode with a queue: set_params(queue="beam", beam=5).',
        )


def gold_ids(labels: Sequence[str], known: Sequence[str]) -> Ids:
    """Labels as numbers of the model; LabelError where it does not have one."""
    for label in labels:
        if label not in known:
            raise LabelError(
                f"label {label!r} is unknown to the model, so no path leads to it; it has {', '.join(known[:12])}."
            )
    return np.array([known.index(label) for label in labels], np.int32)


def trace_chain(
    model: ChainModel,
    inputs: Corpus,
    truth: Sequence[str] | None,
    decoder: Decoder,
    learner: Mapping[str, Any] | None,
    features: bool,
    learnt_as: str | None = None,
) -> Trace:
    """inputs: one sentence. learner: settings of the recipe to follow, with its name as `recipe`, and `training`: whether to do all that it
    does in training, or to show only the first update; None: none is followed.

    learnt_as: as in the trace.
    """
    check_queue(decoder)
    gold = np.empty(0, np.int32) if truth is None else gold_ids(truth, model.labels)
    index, instances = model.features.index, model.features.instances(inputs)
    found = model.weights.trace(index, instances, gold, vars(decoder), _native(learner), features)
    return built(
        found,
        action=lambda step: model.labels[step[1]],
        feature=lambda entry: name_of(model, found["weights"].place(index, entry)),
        output=lambda path, _: tuple(model.labels[label] for _, label in path),
        merges=True,
        input=tuple(inputs.columns[0].texts()) if inputs.width else tuple(map(str, range(1, inputs.tokens + 1))),
        truth=None if truth is None else tuple(truth),
        **searched_with(vars(decoder), learner, learnt_as),
    )


def trace_segments(
    model: SegmentModel,
    inputs: Corpus,
    truth: Sequence[str] | None,
    decoder: Decoder,
    learner: Mapping[str, Any] | None,
    features: bool,
    learnt_as: str | None = None,
) -> Trace:
    """As trace_chain. An action is a segment, such as NP[2:5]: its tokens are 2, 3 and 4, the first of the sentence being 0."""
    check_queue(decoder)
    segmentation, instances = model.segmentation, model.features.instances(inputs)
    gold = np.empty(0, np.int32)
    if truth is not None:
        gold = segmentation.codes(model.labels, gold_ids(truth, model.labels), inputs.starts)
    found = model.weights.trace(model.features.index, instances, gold, vars(decoder), _native(learner), features)
    names = SegmentNames(model, (found["weights"].roots(), found["weights"].rows()))

    def action(step: tuple[int, int]) -> str:
        length, kind = divmod(step[1], len(segmentation.types))
        return f"{segmentation.types[kind]}[{step[0]}:{step[0] + length + 1}]"

    return built(
        found,
        action=action,
        feature=names.name_of,
        output=lambda path, _: model.tags_of(path, inputs.tokens),
        merges=True,
        input=tuple(inputs.columns[0].texts()),
        truth=None if truth is None else tuple(truth),
        **searched_with(vars(decoder), learner, learnt_as),
    )


def trace_joint(
    model: JointModel,
    inputs: Corpus,
    truth: Sequence[str] | None,
    decoder: Decoder,
    learner: Mapping[str, Any] | None,
    features: bool,
    learnt_as: str | None = None,
) -> Trace:
    """As trace_chain, with pairs as their texts for labels. An action is a tag and a chunk label, such as DT B-NP.

    With look-ahead the chunk label is that of the token before, so the first action is a tag and the last a chunk label.
    """
    check_queue(decoder)
    tags, chunks = model.parts.tags, model.parts.chunks
    pairs = None if truth is None else tuple(map(parts_of, truth))
    gold = np.empty(0, np.int32)
    if pairs is not None:
        of_tag, of_chunk = gold_ids([tag for tag, _ in pairs], tags), gold_ids([chunk for _, chunk in pairs], chunks)
        gold = of_tag * np.int32(len(chunks)) + of_chunk
    instances = model.features.instances(inputs)
    found = model.weights.trace(model.features.index, instances, gold, vars(decoder), _native(learner), features)
    names, ahead = JointNames(model, found["weights"].rows()), int(model.weights.ahead)

    def given(step: tuple[int, int]) -> tuple[str | None, str | None]:
        """The tag and the chunk label that an operator gives; None where it gives none."""
        before, code = step
        tag, chunk = divmod(code, len(chunks))
        return tags[tag] if before < inputs.tokens else None, chunks[chunk] if before >= ahead else None

    def output(path: Sequence[Any], _: int) -> Labels:
        steps = [given(step) for step in path]
        return tuple((str(tag), str(chunk)) for (tag, _), (_, chunk) in zip(steps, steps[ahead:], strict=False))

    return built(
        found,
        action=lambda step: " ".join(label for label in given(step) if label is not None),
        feature=names.name_of,
        output=output,
        merges=False,
        input=tuple(inputs.columns[0].texts()),
        truth=pairs,
        **searched_with(vars(decoder), learner, learnt_as),
    )


BY_STRUCTURE: Mapping[str, Callable[..., Trace]] = {
    ChainModel.structure: trace_chain,
    SegmentModel.structure: trace_segments,
    JointModel.structure: trace_joint,
}


def _native(learner: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if learner is None else dict(learner)


def _path(native: Mapping[str, Any], node: int) -> list[Any]:
    """The actions to a node, as the core knows them."""
    actions = []
    parent, action = native["nodes"][node][:2]
    while parent >= 0:
        actions.append(action)
        parent, action = native["nodes"][parent][:2]
    return actions[::-1]


def searched_with(
    settings: Mapping[str, Any], learner: Mapping[str, Any] | None, learnt_as: str | None = None
) -> dict[str, Any]:
    """What was searched with, and which learner was followed."""
    beam = settings["queue"] == "beam"
    return {
        "queue": settings["queue"],
        "beam": settings["beam"] if beam and settings["beam"] < unbounded else None,
        "beam_by": settings["beam_by"] if beam else None,
        "followed": None if learner is None else {name: learner[name] for name in FOLLOWED},
        "learnt_as": learnt_as,
    }


def built(
    native: Mapping[str, Any],
    *,
    action: Callable[[Any], Plain],
    feature: Callable[[Any], tuple[str, Plain]],
    output: Callable[[Sequence[Any], int], Labels],
    merges: bool,
    state: Callable[[int], str] | None = None,
    **head: Any,
) -> Trace:
    """The trace of the core in names that people know.

    output: of a path, and of the goal at its end. merges: a right step that is not even a candidate was merged into a better one.
    state: of a node, in words.
    """
    said = _Said(action, feature, state, known=head["truth"] is not None)
    of_nodes = native["features"] or [None] * len(native["nodes"])
    nodes = tuple(said.node(i, *row) for i, row in enumerate(zip(native["nodes"], of_nodes, strict=True)))
    steps: list[Step] = []
    for row in native["steps"]:
        lost_by = _lost_by(nodes, steps[-1] if steps else None, merges) if row["lost"] else None
        steps.append(said.step(row, lost_by))
    goal = None if native["goal"] < 0 else native["goal"]
    path = tuple(
        Taken(action(by), score, said.features(of) if native["features"] else None) for by, score, of in native["truth"]
    )
    goals = [i for i in native["steps"][-1]["front"] if nodes[i].goal]
    outputs = tuple((i, output(_path(native, i), i)) for i in goals)
    return Trace(
        nodes=nodes,
        steps=tuple(steps),
        goal=goal,
        output=None if goal is None else output(_path(native, goal), goal),
        outputs=outputs,
        true_path=path or None,
        **head,
    )


@dataclass(frozen=True)
class _Said:
    """Rows of the core in names that people know. known: whether the truth is."""

    action: Callable[[Any], Plain]
    feature: Callable[[Any], tuple[str, Plain]]
    state: Callable[[int], str] | None
    known: bool

    def features(self, rows: Any) -> tuple[Feature, ...]:
        return tuple(Feature(*self.feature(of), value, weight) for (of, weight), value in rows)

    def node(self, number: int, row: Any, features: Any) -> Node:
        parent, by, depth, score, heuristic, regret, goal, good = row
        start = parent < 0
        return Node(
            None if start else parent,
            None if start else self.action(by),
            depth,
            score,
            heuristic,
            regret if self.known else None,
            good if self.known else None,
            goal,
            None if features is None else self.features(features),
            None if self.state is None else self.state(number),
        )

    def step(self, row: Mapping[str, Any], lost_by: str | None) -> Step:
        return Step(
            front=tuple(row["front"]),
            margin=row["margin"],
            lost=row["lost"] if self.known else None,
            lost_by=lost_by,
            wrong=row["wrong"] if self.known else None,
            update=self.update(row["update"]),
            restart=tuple(row["restart"]),
            enqueued=tuple(row["enqueued"]),
            cut=tuple(map(self.cut, row["cut"])),
            pruned=tuple(row["pruned"]),
        )

    def cut(self, row: Any) -> Cut:
        parent, by, score, heuristic, regret, good, merged = row
        return Cut(parent, self.action(by), score, heuristic, regret, good if self.known else None, merged)

    def update(self, row: Any) -> Update | None:
        return None if row is None else Update(tuple(row[0]), tuple(row[1]), self.features(row[2]))


def _lost_by(nodes: tuple[Node, ...], before: Step | None, merges: bool) -> str | None:
    """What became of the last y-good nodes in the step before the one that has none."""
    assert before is not None  # the initial node is y-good
    if before.lost and not before.restart:
        return None  # lost long ago
    good = [cut for cut in before.cut if cut.good]
    if any(nodes[i].good for i in before.pruned) or any(not cut.merged for cut in good):
        return "pruned"
    return "merged" if good or merges else "dead end"
