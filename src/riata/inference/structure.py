"""Structures offer operations; recipes name the operations that they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from riata._core import unbounded
from riata.errors import UnsupportedError
from riata.settings import Setting

if TYPE_CHECKING:
    from riata.inference.kept import Kept


DECODE = "decode"  # the setting that says which output is chosen; its values:
SECONDS = 10.0  # time limit of one sentence where search goes on by other means, unless a decoder has one
BEST, MARGINALS, SPANS = "best", "marginals", "spans"  # values of the setting decode


@dataclass(frozen=True)
class Risk:
    """The loss whose expectation an output is chosen by: wrong labels (MARGINALS), or wrong and missed chunks (SPANS).

    Outputs have the probability exp(score / temperature) / Z.
    """

    decode: str
    span_cost: float = 1.0  # the sum of 2 x probability - span_cost over the chunks of an output is maximised
    temperature: float = 1.0


@dataclass(frozen=True)
class Decoder:
    """Exactly, or by search with a queue."""

    queue: str = "exact"
    beam: int = unbounded
    beam_by: str = "operations"
    merge: bool = True  # whether only the best of the states with the same continuations is kept
    max_nodes: int = 1_000_000  # nodes of one search; exceeding it is an error
    seconds: float = 0.0  # time limit of one search, which then returns the best output so far; 0: no limit
    risk: Risk | None = None  # None: the output with the highest score is looked for
    kept: Kept | None = None  # constraints that outputs keep

    @property
    def width(self) -> str:
        """The queue and the number of states that it keeps, in words."""
        return self.queue if self.beam == unbounded else f"{self.queue}, {self.beam:,} wide"

    def at(self, temperature: float) -> Decoder:
        """The same, with probabilities at this temperature."""
        return self if self.risk is None else replace(self, risk=replace(self.risk, temperature=temperature))


EXACT = Decoder()


SPACE, CHUNK_LABELS = "a search space", "chunk labels"
STEP_LOSSES = "losses of steps"
POSTERIORS = "posteriors"
FEATURE_WEIGHTS, SUPPORT_TOKENS = "weights of features", "support tokens"
CHOSEN_TAGS = "chosen tags"

# The operations of structures, with an explanation of each. Recipes and settings name the operations that they need.
OF_STRUCTURES = {
    "argmax": "the best output",
    "loss-augmented argmax": "the best output when wrong parts get a bonus",
    "slack-rescaled argmax": "the output with the largest product of its wrong labels and its shortfall",
    "k best": "the k best outputs",
    "losses of tokens": "a loss that counts tokens with wrong labels",
    "costs of labels": "a loss that adds up what labels cost, token by token",
    "losses of chunks": "1 - F1 of the chunks of an output",
    "expectations": "sums over all outputs",
    "expected features": "the mean features of all outputs of one sentence, by their probability",
    "single weights": "sums that are kept up to date while one weight changes at a time",
    "local sums": "sums over the labels of one step, after the true label before it",
    "label sums": "sums over all outputs that have a given label at a given token",
    "stochastic steps": "the gradient of one sentence at a time",
    "legal sums": "sums over the legal outputs alone",
    POSTERIORS: "the probabilities of labels and chunks, over all outputs",
    "label pairs": "weights of pairs of neighbouring labels that the words do not matter to",
    "unknown labels": "sums over all that an unknown label may be",
    "counts": "labels that are counted one by one",
    SPACE: "states that are built step by step",
    STEP_LOSSES: "what every step of a search adds to the loss",
    CHUNK_LABELS: "labels that form chunks, in legal sequences only",
    "several right states": "more than one state from which the least loss can be reached",
    "exact updates": "search recipes that learn from the exact best output",
    "whole segments": "segments that are scored as a whole",
    "hashed features": "features without names, in a table of fixed size",
    "vectors": "vectors of words, beside what templates read",
    "recoded labels": "labels that are learnt in another encoding than that of the data",
    "class weights": "weights of labels, by which errors count",
    FEATURE_WEIGHTS: "one weight per feature, so that products of outputs are sums over features",
    SUPPORT_TOKENS: "a kernel function, by which tokens are scored against tokens of the training data",
    "parts of the data": "data that are read in parts, while they are learnt",
    CHOSEN_TAGS: "tags that are chosen together with the output",
}
STATES, BEAM, SIDE_BY_SIDE, ALL_OUTPUTS = "states of a search", "a beam", "states side by side", "all outputs"
LEVELS = "levels"
OF_QUEUES = {
    STATES: "the states that a search keeps, with the truth among them or not",
    BEAM: "a limited number of states that compete with each other",
    LEVELS: "states that are cut together, level by level",
    SIDE_BY_SIDE: "more than one state at a time, of which some may go on alike",
    ALL_OUTPUTS: "every output, not only those that a search meets",
}
OPERATIONS = OF_STRUCTURES | OF_QUEUES


@dataclass(frozen=True)
class StructureKind:
    name: str
    summary: str
    paper: str
    offers: frozenset[str]  # operations
    queues: frozenset[str]  # queues that can search it
    # Queues that make no sense here, with the reason.
    refused: Mapping[str, str] = field(default_factory=dict, hash=False)
    settings: tuple[Setting, ...] = ()
    columns: int = 1  # how many columns it predicts
    trees: bool = False  # whether these are heads and relations
    recipe: str = "perceptron"  # the recipe that tasks prefer for it

    @cached_property
    def gives(self) -> tuple[int, bool]:
        """What tasks and structures must agree on: the number of columns, and whether they are heads and relations."""
        return self.columns, self.trees


@dataclass(frozen=True)
class Queue:
    """A queue: which states are kept, and which comes out next. decode_only: why nothing can be learnt with it (empty: it trains)."""

    name: str
    summary: str
    paper: str
    has_beam: bool = False
    searches: bool = True  # false: the structure's own dynamic program is used instead
    single: bool = False  # whether it keeps one state at a time
    by_levels: bool = False  # whether it goes on from level to level, as queues that have a beam do
    decode_only: str = ""
    settings: tuple[Setting, ...] = ()

    @property
    def offers(self) -> frozenset[str]:
        """The operations that it offers."""
        if not self.searches:
            return frozenset({ALL_OUTPUTS})
        kept = {BEAM: self.has_beam, LEVELS: self.has_beam or self.by_levels, SIDE_BY_SIDE: not self.single}
        return frozenset({STATES, *(name for name, offered in kept.items() if offered)})

    def check_trains(self) -> None:
        if self.decode_only:
            raise UnsupportedError(
                f"The queue {self.name!r} is decode only: {self.decode_only}.",
                remedy=f"Train with another one, such as beam; then set_params(queue={self.name!r}).",
            )


@dataclass(frozen=True)
class Loss:
    name: str
    summary: str
    paper: str
    adds_up_over: str  # what the loss is a sum over: tokens, edges, segments or the whole output
    needs: tuple[str, ...] = ()  # operations that the structure must offer
    # Whether search finds the output with the best sum of score and loss. Otherwise, learners can only count the loss of given outputs.
    searched: bool = True
    settings: tuple[Setting, ...] = ()
