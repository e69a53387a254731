"""Makes the pictures and pages of docs/teaching.md, in docs/lecture, from runs on the embedded corpus.

    python tools/lecture.py [FOLDER]

epoch-N.svg and epoch-N.html show the search for one training sentence under the weights after N epochs of LaSO with a narrow beam. lost.svg
counts how often the beam loses the truth, epoch by epoch, and when.svg compares the moments at which recipes update.
"""

from __future__ import annotations

import sys
import warnings
from itertools import pairwise
from pathlib import Path

import riata
from riata.explaining.picture import INK, OTHER, document, text

TARGET = Path(__file__).parent.parent / "docs" / "lecture"
EPOCHS, BEAM = 4, 2
LONGEST = 10  # tokens of the sentence that is shown
WIDTHS = (1, 2, 5, 25)
RECIPES = ("laso-perceptron", "max-violation", "early", "standard")
PALE = "#d1d5db"
COLOURS = ("#1d4ed8", "#1b7f4b", "#b45309", "#c2281d")


# --- runs --------------------------------------------------------------------------------------------------------------


def one_sentence(train: riata.Corpus) -> tuple[int, list[riata.Trace]]:
    """The first short training sentence that is lost after the first epoch and the second, and kept in the end; its search after each."""
    chunker = riata.Chunker(
        "laso-perceptron", beam=BEAM, structure="chain", template="classic", settings={"average": False}
    )
    short = [number for number in range(len(train)) if 6 <= len(train[number]) <= LONGEST]
    traces: dict[int, list[riata.Trace]] = {number: [] for number in short}
    for _ in range(EPOCHS):
        chunker.partial_fit(train)
        for number in short:
            traces[number].append(chunker.trace(train[number : number + 1], True, features=True))
    for number in short:
        losses = [len(trace.losses) for trace in traces[number]]
        if min(losses[:2]) > 0 and losses[-1] == 0:
            return number, traces[number]
    raise SystemExit("no sentence is lost at first and kept in the end: choose other settings")


def losses_of_the_truth(train: riata.Corpus) -> dict[str, list[float]]:
    """By beam, how many updates every epoch makes: one each time the truth leaves the beam."""
    found = {}
    for beam in WIDTHS:
        chunker = riata.Chunker("laso-perceptron", beam=beam, epochs=8, structure="chain", template="classic").fit(
            train
        )
        found[f"beam {beam}"] = [float(epoch["updates"]) for epoch in chunker.history_]
    return found


def scores(train: riata.Corpus, test: riata.Corpus) -> dict[str, list[float]]:
    """By recipe, F1 on the test data after every epoch, whole chunks, beam 5."""
    found = {}
    for recipe in RECIPES:
        chunker, found[recipe] = riata.Chunker(recipe, beam=5), []
        for _ in range(8):
            found[recipe].append(100 * chunker.partial_fit(train).score(test))
    return found


# --- pictures ----------------------------------------------------------------------------------------------------------


def epoch_title(trace: riata.Trace, epoch: int) -> str:
    losses = len(trace.losses)
    times = "once" if losses == 1 else f"{losses} times"
    return f"Epoch {epoch}: the {f'beam loses the truth {times}' if losses else 'truth stays in the beam'}"


def chart(title: str, axis: str, lines: dict[str, list[float]]) -> str:
    """Lines over epochs, each with its name at its end."""
    width, height, left, right, top, bottom = 720, 380, 60, 140, 56, 48
    values = [value for line in lines.values() for value in line]
    low, high = (0.0, max(values)) if min(values) < 0.5 * max(values) else (min(values), max(values))
    epochs = len(next(iter(lines.values())))

    def at(epoch: int, value: float) -> tuple[float, float]:
        x = left + (width - left - right) * epoch / (epochs - 1)
        return x, top + (height - top - bottom) * (high - value) / (high - low)

    parts = [text(left, 28, title, INK, 'font-size="19" font-weight="700"'), text(8, top - 12, axis, OTHER)]
    for k in range(5):
        value = low + (high - low) * k / 4
        y = at(0, value)[1]
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{PALE}"/>')
        parts.append(text(8, y + 5, f"{value:.0f}", OTHER))
    parts += [text(at(e, low)[0] - 4, height - 22, str(e + 1), OTHER) for e in range(epochs)]
    parts.append(text((width - right) / 2, height - 4, "epoch", OTHER))
    ends = placed([at(epochs - 1, line[-1])[1] for line in lines.values()])
    for (name, line), colour, end in zip(lines.items(), COLOURS, ends, strict=True):
        points = " ".join("{:.1f},{:.1f}".format(*at(e, value)) for e, value in enumerate(line))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts.append(text(width - right + 8, end + 5, name, colour, 'font-weight="600"'))
    return document(width, height, title, parts)


def placed(heights: list[float], apart: float = 18) -> list[float]:
    """The heights of names, moved down until none covers another."""
    order, found = sorted(range(len(heights)), key=lambda i: heights[i]), list(heights)
    for above, below in pairwise(order):
        found[below] = max(found[below], found[above] + apart)
    return found


def main(target: Path) -> None:
    warnings.simplefilter("ignore", riata.RiataWarning)
    target.mkdir(exist_ok=True)
    train, test = riata.load("embedded", "train"), riata.load("embedded", "test")
    number, traces = one_sentence(train)
    print(f"sentence {number}: {' '.join(train[number].column(0))}")
    for epoch, trace in enumerate(traces, start=1):
        trace.save_svg(target / f"epoch-{epoch}.svg", title=epoch_title(trace, epoch))
        trace.save_html(target / f"epoch-{epoch}.html")
        print(f"epoch {epoch}: lost {len(trace.losses)} times; output {' '.join(map(str, trace.output or ()))}")
    lost, when = losses_of_the_truth(train), scores(train, test)
    (target / "lost.svg").write_text(
        chart("How often the beam loses the truth in training", "updates", lost), encoding="utf-8"
    )
    (target / "when.svg").write_text(
        chart("When to update: whole chunks, beam of 5", "test F1", when), encoding="utf-8"
    )
    for name, line in {**lost, **when}.items():
        print(f"{name:16}", *(f"{value:.1f}" for value in line))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
