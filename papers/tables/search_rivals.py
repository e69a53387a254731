"""When to update, on trees: LaSO, early, max-violation and standard updates of a parser that searches, by the width of the beam."""

from __future__ import annotations

from papers.claims import beats, no_better
from papers.reproduction import Column, Reproduction, Row
from papers.rivals import BEAMS, SENTENCES, las_key, seconds_key, trial
from papers.tasks import Task

LASO, VIOLATION, EARLY, STANDARD, GREEDY = "LaSO", "max-violation", "early", "standard", "greedy, then beam"
RECIPES = {
    LASO: "laso-perceptron",
    VIOLATION: "max-violation",
    EARLY: "early",
    STANDARD: "standard",
    GREEDY: "laso-perceptron",
}
SHOWN = 16  # the beam of the claims

REPRODUCTION = Reproduction(
    name="search-rivals",
    summary="parsing by moves: LaSO, early, max-violation and standard updates, and greedy learning, by the width of the beam",
    paper="huang2012",
    title="When to update: learners by search on dependency trees",
    task=Task("dependency trees by moves", dict, (), data="ud-en-ewt", dev="dev", trial=trial),
    columns=(
        *(Column(las_key(beam), f"LAS {beam}", interval=beam == SHOWN) for beam in BEAMS),
        Column(f"uas_{SHOWN}", f"UAS {SHOWN}"),
        Column(seconds_key(SHOWN), f"train {SHOWN}", "{:.0f} s".format),
    ),
    rows=tuple(Row(name, {"recipe": recipe, "greedy": name == GREEDY}, {}) for name, recipe in RECIPES.items()),
    claims=(
        no_better("Max-violation is no better than LaSO.", las_key(SHOWN), (VIOLATION, LASO)),
        beats("Max-violation beats early updates.", las_key(SHOWN), (VIOLATION, EARLY)),
        beats("Early updates beat standard ones.", las_key(SHOWN), (EARLY, STANDARD)),
        beats("Learning with the beam beats greedy learning.", las_key(SHOWN), (LASO, GREEDY), (VIOLATION, GREEDY)),
    ),
    remarks=(
        f"UD English EWT, gold tags and features, the first {SENTENCES:,} sentences of the training data, arc-hybrid, template `fast`, "
        "perceptron steps, averaged weights of the last epoch. Every row has the same number of epochs.",
        "Greedy, then beam: learnt with a beam of one, where every move that keeps the truth in reach is right (a dynamic oracle), and "
        "decoded with the beam.",
    ),
    epochs=5,
    quick_epochs=2,
    picture="panels",
    drawn=las_key(SHOWN),
)
