"""Dependency trees that are built by moves of a stack and the tokens to come (Nivre 2003; Kuhlmann, Gómez-Rodríguez & Satta 2011)."""

from riata._core import operations_of
from riata.inference.structure import CHOSEN_TAGS, STEP_LOSSES, Structure
from riata.settings import Setting

SYSTEMS = ("arc-hybrid", "arc-eager", "arc-standard", "swap")  # as TransitionSystem of the core
CROSSING = frozenset({"swap"})  # systems that build trees with crossing arcs
UNTAGGED = frozenset({"arc-eager"})  # systems that push tokens by other moves than shift, which chooses tags

STRUCTURE = Structure(
    name="transitions",
    summary="a dependency tree, built by moves from left to right",
    paper="kuhlmann2011",
    offers=frozenset(operations_of("transitions")) | frozenset({STEP_LOSSES, CHOSEN_TAGS, "several right states"}),
    queues=frozenset({"beam", "greedy"}),
    refused={
        "exact": "features read all of the tree that was built before, for which there is no dynamic program.",
        "best-first": "scores go up and down along the moves to a tree: of ten tokens, a million states may come before the first tree.",
        "depth-first": "it takes the first tree that it meets, which is that of greedy search.",
        "breadth-first": "it meets all states of short sentences before the first tree.",
        "a-star": "there is no heuristic for the moves to come.",
        "hill-climb": "trees are built move by move; hill-climbing starts from a complete one.",
    },
    settings=(Setting("system", "arc-hybrid", "the moves by which trees are built", choices=SYSTEMS),),
    columns=2,
    trees=True,
    recipe="laso-perceptron",
)
