"""Figure 5 of Punyakanok, Roth, Yih & Zimak (2005): bounds of local and global learning, beside where they cross in fact."""

from __future__ import annotations

from papers.claims import Claim, Measured, Statistic
from papers.learning_bounds import DELTA, NEVER, trial
from papers.reproduction import Column, Reproduction, Row
from papers.synthetic import OUTPUTS
from papers.synthetic import SIZES as MEASURED
from papers.tasks import Task

KAPPAS, WIDTH = (0.0, 0.15, 1.0), 100


def named(kappa: float) -> str:
    return f"κ = {kappa:g}"


def examples(power: float) -> str:
    """A power of ten as a number of examples."""
    return "none" if 10**power >= NEVER else f"{10**power:,.0f}"


def sooner(measured: Measured) -> list[Statistic]:
    """The crossing by the bounds comes the sooner, the less local classifiers can do."""
    hard, easy = (measured[named(kappa)]["crossing"] for kappa in (KAPPAS[-1], KAPPAS[1]))
    said = f"{named(KAPPAS[-1])} {examples(hard.mean)}, {named(KAPPAS[1])} {examples(easy.mean)}"
    return [Statistic(said, easy.minus(hard), low=0.0, counted=True)]


def late(measured: Measured) -> list[Statistic]:
    found = []
    for kappa in KAPPAS[1:]:
        row = measured[named(kappa)]
        said = (
            f"{named(kappa)}: by the bounds {examples(row['crossing'].mean)}, measured {examples(row['measured'].mean)}"
        )
        found.append(Statistic(said, row["crossing"].minus(row["measured"]), low=0.0, counted=True))
    return found


REPRODUCTION = Reproduction(
    name="constrained-bounds",
    summary="bounds on the errors of local and global learning, and where they cross, beside the crossing that is measured",
    paper="punyakanok2005",
    title="Punyakanok, Roth, Yih & Zimak 2005, Fig. 5: bounds of local and global learning",
    task=Task("bounds", dict, (), data="", trial=trial),
    columns=(
        Column("least", "local error", "{:.1f} %".format),
        Column("crossing", "bounds cross", examples),
        Column("measured", "measured", examples),
        Column("local_1000000", "6.3 at 10⁶", "{:.0f} %".format),
        Column("together_1000000", "6.4 at 10⁶", "{:.0f} %".format),
    ),
    rows=tuple(Row(named(kappa), {"kappa": kappa, "width": WIDTH}, {}) for kappa in KAPPAS),
    claims=(
        Claim(
            "The harder the local tasks are, the sooner learning with inference wins.",
            tuple(map(named, KAPPAS[1:])),
            sooner,
        ),
        Claim("The bounds put the crossing later than it is found to be.", tuple(map(named, KAPPAS[1:])), late),
    ),
    remarks=(
        f"Corollaries 6.3 and 6.4 as printed, with d = {WIDTH}, c = {OUTPUTS} and δ = {DELTA}; the paper's own parameters are lost. "
        "Theorem 6.2 has twice the number of examples, so that 6.3 should have ln(2em/d); counting hyperplanes gives 6.4 a term c²d ln 3 "
        "instead of c²d.",
        "Corollary 6.3 bounds the error of one output, 6.4 that of the whole vector: they are not the same error.",
        "Local error: of outputs that are learnt alone, with 10,000 examples, in place of the least that any hyperplane could have. "
        f"Measured: the number of examples, of {', '.join(f'{size:,}' for size in MEASURED)}, from which on IBT is more accurate than L+I.",
    ),
    epochs=100,
    quick_epochs=10,
    picture="curves",
    drawn="local_1000",
)
