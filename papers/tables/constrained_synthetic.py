"""Figure 2 of Punyakanok, Roth, Yih & Zimak (2005): learning without, before and during inference, on made-up data."""

from __future__ import annotations

from papers.claims import Claim, Measured, Statistic, between
from papers.inference_ways import WAYS, separated_key
from papers.reproduction import Column, Reproduction, Row
from papers.synthetic import OUTPUTS, SCORED, SIZES, size_key, trial
from papers.tasks import Task

KAPPAS, WIDTHS = (0.0, 0.15, 1.0), (100, 300)
CYCLES = 100


def panel(kappa: float, width: int) -> str:
    return f"κ = {kappa:g}, d = {width}"


def named(way: str, kappa: float, width: int, *, average: bool = False) -> str:
    return f"{panel(kappa, width)}: {way}{', averaged' if average else ''}"


def row(way: str, kappa: float, width: int, *, average: bool = False) -> Row:
    setting = {"kappa": kappa, "width": width, "inference": WAYS[way], "average": average}
    return Row(named(way, kappa, width, average=average), setting, {})


def of_sizes(text: str, a: str, b: str, kappa: float, sizes: tuple[int, ...] = SIZES) -> Claim:
    """The claim that the first way is better than the second by more than 0, at every one of these sizes and both widths."""

    def statistics(measured: Measured) -> list[Statistic]:
        found = []
        for width in WIDTHS:
            for size in sizes:
                first, second = (measured[named(way, kappa, width)][size_key(size)] for way in (a, b))
                said = f"d = {width}, {size:,} examples: {a} {first.mean:.1f}, {b} {second.mean:.1f}"
                found.append(between(said, first.minus(second), low=0.0))
        return found

    return Claim(text, tuple(named(way, kappa, width) for width in WIDTHS for way in (a, b)), statistics)


REPRODUCTION = Reproduction(
    name="constrained-synthetic",
    summary="made-up outputs under a random constraint: learning without inference, before it, and with it, by number of examples",
    paper="punyakanok2005",
    title="Punyakanok, Roth, Yih & Zimak 2005, Fig. 2: should inference join learning?",
    task=Task("binary outputs", dict, (), data="", trial=trial),
    columns=(
        *(Column(size_key(size), f"{size:,}", interval=size == SIZES[-1]) for size in SIZES),
        *(Column(separated_key(size), f"right, {size:,}", "{:.0f} %".format) for size in (SIZES[0], SIZES[-1])),
    ),
    rows=(
        *(row(way, kappa, width) for kappa in KAPPAS for width in WIDTHS for way in WAYS),
        *(row(way, kappa, WIDTHS[0], average=True) for kappa in KAPPAS for way in ("L+I", "IBT")),
    ),
    claims=(
        of_sizes("Local classifiers can be learnt (κ = 0): L+I is better than IBT at every size.", "L+I", "IBT", 0.0),
        of_sizes("They cannot (κ = 1): IBT is better than L+I with many examples.", "IBT", "L+I", 1.0, SIZES[-2:]),
        of_sizes("In between (κ = 0.15): with few examples, L+I is better.", "L+I", "IBT", 0.15, SIZES[:1]),
        of_sizes("In between (κ = 0.15): with many examples, IBT is better.", "IBT", "L+I", 0.15, SIZES[-1:]),
        *(
            of_sizes(f"Inference helps classifiers that were learnt without it (κ = {kappa:g}).", "L+I", "LO", kappa)
            for kappa in KAPPAS
        ),
    ),
    remarks=(
        f"An example has {OUTPUTS} binary outputs, each with d numbers of its own, drawn from a normal distribution (the paper's is lost), "
        "and a hyperplane, drawn with its threshold. Half of the 32 combinations are legal, drawn at random. The truth is the best legal "
        "output.",
        "κ is the share of examples whose outputs, each by its own hyperplane, are not legal; it is exact: other examples are thrown away. "
        "The paper's text has 0.1 and its caption 0.15.",
        f"Every seed is a world of its own. Columns are accuracies of single outputs of {SCORED:,} new examples, by number of examples "
        "learnt from; and in how many worlds training came to a cycle without errors, so that the examples are separable: one by one for "
        "LO and L+I, together for IBT.",
        "LO: each output alone. L+I: the same weights, best legal output. IBT: learning updates against the best legal output. "
        f"Perceptrons, last weights, at most {CYCLES} cycles or to a cycle without errors; all rows have the same features and cycles.",
    ),
    epochs=CYCLES,
    quick_epochs=10,
    picture="panels",
    drawn=size_key(SIZES[-1]),
)
