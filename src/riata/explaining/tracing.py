"""Creates traces: runs a search with a recorder, and replaces the numbers of the core by names that people know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from riata import registry
from riata._core import unbounded
from riata.data.memory import as_corpus
from riata.data.types import Corpus
from riata.errors import DataError, UnsupportedError
from riata.explaining.bounds import bounds
from riata.explaining.structure import TracedStructure
from riata.explaining.trace import Cut, Feature, Forbidden, Labels, Node, Plain, Step, Taken, Trace, Update
from riata.inference.structure import EXACT, Decoder
from riata.models.model import Model
from riata.models.outputs import NO_CODES
from riata.models.weights_by_name import by_name

if TYPE_CHECKING:
    from riata.inference.kept import Kept

FOLLOWED = ("recipe", "when", "update", "step", "training")  # what a trace records of the learner


def one_sentence(sentence: Any, read: Callable[[Any], Corpus] = as_corpus) -> Corpus:
    """A corpus of one sentence, from a sentence or from anything of which `predict` takes a list. read: makes a corpus of such a list."""
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
    if decoder.queue == EXACT.queue:
        raise UnsupportedError(
            "Exact decoding has no queue, so there is no search to trace.",
            remedy='Decode with a queue: set_params(queue="beam", beam=5).',
        )


def traced(
    model: Model,
    inputs: Corpus,
    truth: Sequence[str] | None,
    decoder: Decoder,
    learner: Mapping[str, Any] | None,
    features: bool,
    learnt_as: str | None = None,
) -> Trace:
    """inputs: one sentence. truth: its labels. learner: settings of the recipe to follow, with its name as `recipe`, and `training`:
    whether to do everything that it does in training, or to show only the first update; None: no recipe is followed. Functions in
    constraints are not asked.

    learnt_as: see Trace.
    """
    check_queue(decoder)
    said: TracedStructure = registry.of_structure("traced", model.structure)(model, inputs)
    names = by_name(model)
    refusal = names.trace_refusal()
    if refusal is not None:
        raise refusal
    found = model.weights.trace(
        model.features.index,
        model.features.instances(inputs),
        NO_CODES if truth is None else said.codes(truth),
        vars(decoder),
        None if learner is None else dict(learner),
        features,
        None if decoder.kept is None else decoder.kept.on(inputs).native,
        bounds(),
    )
    return built(
        found,
        action=said.action,
        feature=names.in_trace(found["weights"]),
        output=lambda path, _: said.output(path),
        merges=said.merges and decoder.merge,
        input=tuple(inputs.columns[0].texts()) if inputs.width else tuple(map(str, range(1, inputs.tokens + 1))),
        truth=None if truth is None else said.shown(truth),
        forbidden=None if decoder.kept is None else _forbidden(found, said, decoder.kept),
        **searched_with(vars(decoder), learner, learnt_as),
    )


def _forbidden(native: Mapping[str, Any], said: TracedStructure, kept: Kept) -> tuple[Forbidden, ...]:
    """The steps that rules forbid, with the constraints that these come from."""
    return tuple(
        Forbidden(parent, said.action(action), score, heuristic, repr(kept.declared[origin]))
        for parent, action, score, heuristic, origin in native["forbidden"]
    )


def _path(native: Mapping[str, Any], node: int) -> list[Any]:
    """The actions to a node, as the core numbers them."""
    actions = []
    parent, action = native["nodes"][node][:2]
    while parent >= 0:
        actions.append(action)
        parent, action = native["nodes"][parent][:2]
    return actions[::-1]


def searched_with(
    settings: Mapping[str, Any], learner: Mapping[str, Any] | None, learnt_as: str | None = None
) -> dict[str, Any]:
    """The search settings, and the learner that was followed."""
    beam = settings["queue"] == "beam"
    return {
        "queue": settings["queue"],
        "beam": settings["beam"] if beam and settings["beam"] < unbounded else None,
        "beam_by": settings["beam_by"] if beam else None,
        "merge": settings["merge"],
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
    """The trace of the core with names that people know.

    output: of a path, and of the goal at its end. merges: whether a right step that is not a candidate was merged into a better one. state:
    of a node, in words.
    """
    said = _Said(action, feature, state, known=head["truth"] is not None)
    of_nodes = native["features"] or [None] * len(native["nodes"])
    nodes = tuple(said.node(i, *row) for i, row in enumerate(zip(native["nodes"], of_nodes, strict=True)))
    steps: list[Step] = []
    for row in native["steps"]:
        bounds().check()
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
        left_out=_left_out(native),
        **head,
    )


def _left_out(native: Mapping[str, Any]) -> str | None:
    counts = {
        "{:,} dropped steps": native["cut_left_out"],
        "{:,} forbidden steps": native.get("forbidden_left_out", 0),
        "features of {:,} states": native["features"].count(None),
    }
    return ", ".join(text.format(count) for text, count in counts.items() if count) or None


@dataclass(frozen=True)
class _Said:
    """Converts rows of the core to names that people know. known: whether the truth is known."""

    action: Callable[[Any], Plain]
    feature: Callable[[Any], tuple[str, Plain]]
    state: Callable[[int], str] | None
    known: bool
    found: dict[Any, Feature] = field(default_factory=dict)  # states share features

    def features(self, rows: Any) -> tuple[Feature, ...]:
        return tuple(map(self.one, rows))

    def one(self, row: Any) -> Feature:
        (of, weight), value = row
        if not isinstance(of, int):  # a name, in which 1 and True are equal
            return Feature(*self.feature(of), value, weight)
        if row not in self.found:
            self.found[row] = Feature(*self.feature(of), value, weight)
        return self.found[row]

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
    """How the last y-good nodes were lost in the step before the first step without any."""
    assert before is not None  # the initial node is y-good
    if before.lost and not before.restart:
        return None  # lost earlier
    good = [cut for cut in before.cut if cut.good]
    if any(nodes[i].good for i in before.pruned) or any(not cut.merged for cut in good):
        return "pruned"
    return "merged" if good or merges else "dead end"
