"""Draws docs/regret.svg: the structured perceptron as online convex optimisation, on the embedded corpus.

    python tools/regret.py [OUT.svg]

A round is a sentence. Where the best chunk labels under w_t are wrong, delta_t is the features of the truth minus those found, and the
loss of any weights w is max(0, 1 - w . delta_t); where they are right, it is 0. A gradient step of size nu is a perceptron update.
The comparator is the one vector u of norm at most RADIUS that has the least loss over all rounds, in hindsight.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import brentq, minimize

import riata

TARGET = Path(__file__).parent.parent / "docs" / "regret.svg"
EPOCHS = 5
RADIUS = 3.0
POINTS = 200  # on each curve

Vector = NDArray[np.float64]


# --- the run -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sentence:
    features: list[list[int]]  # of every token
    labels: NDArray[np.int32]


@dataclass(frozen=True)
class Rounds:
    """One run. Everything but `wrong` is about the rounds with an error."""

    wrong: NDArray[np.bool_]  # [rounds]
    gram: NDArray[np.float64]  # [errors][errors] delta_s . delta_t


def sentences() -> tuple[list[Sentence], int, int]:
    """The embedded corpus, with the number of its features and labels."""
    corpus = riata.load("embedded", "train")
    words, tags, chunks = (column.texts() for column in corpus.columns)
    names: dict[str, int] = {}
    labels = {label: i for i, label in enumerate(sorted(set(chunks)))}
    made = []
    for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True):
        padded = ["^", *tags[low:high], "$"]
        tokens = []
        for t in range(high - low):
            word = words[low + t]
            fired = [word, word[-2:], word[:1].isupper(), *padded[t : t + 3], padded[t : t + 2], padded[t + 1 : t + 3]]
            tokens.append([names.setdefault(f"{kind} {value}", len(names)) for kind, value in enumerate(fired)])
        made.append(Sentence(tokens, np.array([labels[c] for c in chunks[low:high]], np.int32)))
    return made, len(names), len(labels)


def run() -> Rounds:
    """The perceptron: its updates do not depend on nu, which only scales its weights."""
    data, features, count = sentences()
    node, edge = np.zeros((features, count)), np.zeros((count, count))
    random = np.random.default_rng(0)
    wrong, deltas = [], []
    for _ in range(EPOCHS):
        for s in random.permutation(len(data)):
            found, _ = riata.viterbi(np.array([node[fired].sum(axis=0) for fired in data[s].features]), edge)
            wrong.append(bool((found != data[s].labels).any()))
            if not wrong[-1]:
                continue
            change = np.zeros((features + count, count))
            for labels, sign in ((data[s].labels, 1.0), (found, -1.0)):
                for fired, label in zip(data[s].features, labels, strict=True):
                    change[fired, label] += sign
                np.add.at(change, (features + labels[:-1], labels[1:]), sign)
            node += change[:features]
            edge += change[features:]
            deltas.append(sparse.csr_matrix(change.ravel()))
    stacked = sparse.vstack(deltas)
    return Rounds(np.array(wrong), np.asarray((stacked @ stacked.T).todense()))


# --- the comparator ----------------------------------------------------------------------------------------------------


def hindsight(gram: NDArray[np.float64]) -> Vector:
    """u . delta for the u of norm at most RADIUS with the least loss over all rounds, up to the solver's tolerance."""
    alpha = np.full(len(gram), 0.5)

    def solved(log_penalty: float) -> tuple[Vector, float]:
        """u . delta and |u| for the minimiser of the losses + penalty/2 |u|^2, by its dual: u = sum of alpha delta / penalty."""
        penalty = float(np.exp(log_penalty))

        def dual(alpha: Vector) -> tuple[float, Vector]:
            pulled = gram @ alpha
            return float(alpha @ pulled / (2 * penalty) - alpha.sum()), pulled / penalty - 1

        found = minimize(dual, alpha, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * len(gram)).x
        pulled = gram @ found
        return pulled / penalty, float(np.sqrt(found @ pulled)) / penalty

    at = brentq(lambda log_penalty: solved(log_penalty)[1] - RADIUS, 0.0, 8.0, xtol=1e-3)
    scores, length = solved(at)
    return scores * min(1.0, RADIUS / length)


@dataclass(frozen=True)
class Curves:
    """Sums over the rounds so far."""

    errors: Vector
    loss: Vector  # of the perceptron, with the step nu that suits the whole run
    best: Vector  # of the fixed weights that are best for the whole run
    bound: Vector  # |u|^2 / (2 nu) + nu/2 sum of |delta|^2, on loss - best

    @property
    def regret(self) -> Vector:
        return self.loss - self.best


def curves(rounds: Rounds) -> Curves:
    squares = rounds.gram.diagonal()
    nu = RADIUS / np.sqrt(squares.sum())
    # W_t . delta_t with nu = 1: what all earlier updates say about this one.
    before = np.tril(rounds.gram, -1).sum(axis=1)

    def summed(values: Vector) -> Vector:
        """Of rounds with an error, to all rounds: nothing happens in the others."""
        everywhere = np.zeros(len(rounds.wrong))
        everywhere[rounds.wrong] = values
        return np.cumsum(everywhere)

    return Curves(
        errors=summed(np.ones(len(squares))),
        loss=summed(1 - nu * before),
        best=summed(np.maximum(0.0, 1 - hindsight(rounds.gram))),
        bound=RADIUS**2 / (2 * nu) + nu / 2 * summed(squares),
    )


# --- the picture -------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT = 920, 400
STYLE = """
  .page { fill: #ffffff } text { fill: #24292f; font: 13px system-ui, sans-serif } .title { font-weight: 600; font-size: 15px }
  .small { font-size: 12px; fill: #57606a } .axis { stroke: #8c959f; fill: none } .grid { stroke: #d8dee4; fill: none }
  .line { fill: none; stroke-width: 2.5; stroke-linejoin: round } .gap { fill: #0969da; opacity: 0.10 }
  .loss { stroke: #0969da } .errors { stroke: #0969da; stroke-dasharray: 2 4 } .best { stroke: #1a7f37 }
  .bound { stroke: #cf222e; stroke-dasharray: 7 5 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #e6edf3 } .small { fill: #9198a1 } .axis { stroke: #6e7681 } .grid { stroke: #262c36 }
    .gap { fill: #58a6ff; opacity: 0.16 } .loss, .errors { stroke: #58a6ff } .best { stroke: #3fb950 } .bound { stroke: #ff7b72 }
  }
"""


@dataclass(frozen=True)
class Panel:
    """Axes from 0, on part of the page."""

    left: float
    right: float
    most_x: float
    most_y: float
    top: float = 64.0
    bottom: float = HEIGHT - 52.0

    def x(self, value: float) -> float:
        return self.left + (self.right - self.left) * value / self.most_x

    def y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * value / self.most_y

    def points(self, xs: Vector, ys: Vector) -> str:
        return " ".join(f"{self.x(a):.1f},{self.y(b):.1f}" for a, b in zip(xs, ys, strict=True))

    def line(self, kind: str, xs: Vector, ys: Vector) -> str:
        return f'<polyline class="line {kind}" points="{self.points(xs, ys)}"/>'

    def frame(self, title: str) -> list[str]:
        out = [f'<text class="title" x="{self.left}" y="36">{title}</text>']
        for value in ticks(self.most_y):
            at = self.y(value)
            out.append(f'<path class="grid" d="M{self.left} {at:.1f}H{self.right}"/>')
            out.append(
                f'<text class="small" x="{self.left - 8}" y="{at + 4:.1f}" text-anchor="end">{value:,.0f}</text>'
            )
        for value in ticks(self.most_x):
            out.append(
                f'<text class="small" x="{self.x(value):.1f}" y="{self.bottom + 18}" text-anchor="middle">{value:,.0f}</text>'
            )
        out.append(f'<path class="axis" d="M{self.left} {self.bottom}H{self.right}"/>')
        middle = (self.left + self.right) / 2
        out.append(
            f'<text class="small" x="{middle}" y="{self.bottom + 38}" text-anchor="middle">sentences seen</text>'
        )
        return out


def ticks(most: float) -> list[float]:
    """Round numbers from 0 on, four to nine of them."""
    step = 10.0 ** np.floor(np.log10(most / 4))
    step *= next(times for times in (5, 2, 1) if most / (step * times) >= 4)
    return [float(value) for value in np.arange(0, most * 1.0001, step)]


def legend(panel: Panel, rows: dict[str, str]) -> list[str]:
    out = []
    for i, (kind, text) in enumerate(rows.items()):
        y = panel.top + 10 + 20 * i
        out.append(f'<path class="line {kind}" d="M{panel.left + 14} {y}h26"/>')
        out.append(f'<text x="{panel.left + 48}" y="{y + 4}">{text}</text>')
    return out


def picture(found: Curves) -> str:
    at = np.unique(np.linspace(0, len(found.loss) - 1, POINTS).round().astype(int))
    rounds = at + 1.0
    errors, loss, best, regret, bound = (
        curve[at] for curve in (found.errors, found.loss, found.best, found.regret, found.bound)
    )
    left = Panel(64, 440, rounds[-1], 1.25 * loss.max())
    right = Panel(524, 900, rounds[-1], 1.25 * bound.max())
    shown = {
        "loss": f"perceptron: {loss[-1]:,.0f}",
        "errors": f"its errors: {errors[-1]:,.0f}",
        "best": f"best fixed weights: {best[-1]:,.0f}",
    }
    bounded = {"bound": f"bound of online gradient descent: {bound[-1]:,.0f}", "loss": f"regret: {regret[-1]:,.0f}"}
    parts = [
        *left.frame("Loss so far"),
        f'<polygon class="gap" points="{left.points(rounds, loss)} {left.points(rounds[::-1], best[::-1])}"/>',
        left.line("errors", rounds, errors),
        left.line("best", rounds, best),
        left.line("loss", rounds, loss),
        *legend(left, shown),
        *right.frame("Regret: the gap between the two"),
        right.line("bound", rounds, bound),
        right.line("loss", rounds, regret),
        *legend(right, bounded),
    ]
    about = f"Structured perceptron on the embedded corpus, {EPOCHS} epochs; best weights of norm at most {RADIUS:g}."
    body = "\n".join(parts)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">
<title>{about}</title>
<style>{STYLE}</style>
<rect class="page" width="{WIDTH}" height="{HEIGHT}" rx="8"/>
{body}
</svg>
"""


def main(target: Path) -> None:
    rounds = run()
    found = curves(rounds)
    assert (found.regret <= found.bound).all(), "the theorem does not hold: there is a mistake in this file"
    target.write_text(picture(found), encoding="utf-8")
    print(f"rounds  {len(rounds.wrong):10d}")
    for name in ("errors", "loss", "best", "regret", "bound"):
        print(f"{name:7s} {getattr(found, name)[-1]:10.1f}")
    print(f"R       {np.sqrt(rounds.gram.diagonal().max()):10.1f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
