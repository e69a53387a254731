"""Made-up examples of Punyakanok, Roth, Yih & Zimak (2005, Sec. 5.1): binary outputs, half of whose combinations are legal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from papers.inference_ways import separated, separated_key
from papers.tasks import Trial
from riata import constraints
from riata.data.named_features import Given
from riata.data.types import Column, Corpus, interned
from riata.scoring.figures import Sample
from riata.tasks.tag import Tagger

OUTPUTS = 5
SIZES = (100, 300, 1000, 3000, 10_000)  # examples to learn from
QUICK = (10, 20, 30, 45, 60)
SCORED = 2000  # examples that are scored
MOST = 20_000_000  # numbers that are drawn at once
LABELS = ("0", "1")

Numbers = NDArray[np.float32]
Outputs = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Examples:
    """inputs: [examples][outputs][width], the last column being 1. truth: [examples][outputs], of 0 and 1."""

    inputs: Numbers
    truth: Outputs

    def corpus(self, size: int) -> Corpus:
        """The first examples as sentences of five tokens. Every output has weights of its own: its features have its number."""
        inputs = self.inputs[:size]
        examples, outputs, width = inputs.shape
        alphabet, _ = interned([f"x{i}.{j}" for i in range(outputs) for j in range(width)])
        tokens = examples * outputs
        ids = np.tile(np.arange(outputs * width, dtype=np.int32), examples)
        given = Given(alphabet, np.arange(tokens + 1, dtype=np.int64) * width, ids, inputs.reshape(-1))
        labels = Column.of([LABELS[value] for value in self.truth[:size].ravel()])
        starts = np.arange(examples + 1, dtype=np.int64) * outputs
        return Corpus(columns=(labels,), starts=starts, name="made up", given=given)


@dataclass(frozen=True, eq=False)
class World:
    """Hyperplanes drawn at random, and the legal outputs: half of all, drawn at random."""

    planes: NDArray[np.float64]  # [outputs][width + 1], the last number being the threshold
    legal: Outputs  # [legal outputs][outputs]
    kappa: float  # share of examples whose local labels are not legal

    @classmethod
    def of(cls, kappa: float, width: int, seed: int) -> World:
        random = np.random.default_rng([seed, width, round(100 * kappa)])
        every = ((np.arange(2**OUTPUTS)[:, None] >> np.arange(OUTPUTS)) & 1).astype(np.int8)
        legal = np.sort(random.choice(2**OUTPUTS, 2 ** (OUTPUTS - 1), replace=False))
        return cls(random.normal(size=(OUTPUTS, width + 1)), every[legal], kappa)

    def constraint(self) -> constraints.outputs:
        return constraints.outputs([[LABELS[value] for value in output] for output in self.legal])

    def draw(self, examples: int, random: np.random.Generator) -> Examples:
        """Examples of which exactly a share of kappa has local labels that are not legal; others that are drawn are thrown away."""
        outside = round(self.kappa * examples)
        wanted = {True: examples - outside, False: outside}
        kept: list[tuple[Numbers, Outputs]] = []
        width = self.planes.shape[1] - 1
        while any(wanted.values()):
            drawn = random.normal(size=(min(4 * examples, MOST // (OUTPUTS * width)), OUTPUTS, width))
            inputs = np.concatenate([drawn, np.ones((*drawn.shape[:2], 1))], axis=2)
            scores = np.einsum("eow,ow->eo", inputs, self.planes)
            local = (scores > 0).astype(np.int8)
            is_legal = (local[:, None] == self.legal).all(axis=2).any(axis=1)
            truth = self.legal[(scores @ (2.0 * self.legal.T - 1)).argmax(axis=1)]
            for kind in (True, False):
                at = np.flatnonzero(is_legal == kind)[: wanted[kind]]
                kept.append((inputs[at].astype(np.float32), truth[at]))
                wanted[kind] -= len(at)
        order = random.permutation(examples)
        return Examples(np.concatenate([x for x, _ in kept])[order], np.concatenate([y for _, y in kept])[order])


@lru_cache(maxsize=2)
def _data(kappa: float, width: int, seed: int, most: int, scored: int) -> tuple[World, Examples, Examples]:
    world = World.of(kappa, width, seed)
    random = np.random.default_rng([seed, 1])
    return world, world.draw(most, random), world.draw(scored, random)


@lru_cache(maxsize=2000)
def _local(kappa: float, width: int, seed: int, most: int, scored: int, size: int, epochs: int, average: bool) -> Any:
    """Local classifiers: LO and L+I have the same, so that they are trained once."""
    world, train, _ = _data(kappa, width, seed, most, scored)
    return _trained(world, train.corpus(size), "after", epochs, average, seed)


def _trained(world: World, data: Corpus, inference: str, epochs: int, average: bool, seed: int) -> Tagger:
    made = Tagger(
        "perceptron",
        template=[],
        epochs=epochs,
        seed=seed,
        threads=1,
        constraints=[world.constraint()],
        inference=inference,
        settings={"average": average},
    )
    return made.fit(data, listener=lambda _: None)


def trial(asked: Trial) -> dict[str, Sample]:
    """Accuracy of single outputs, in per cent, by number of examples; and whether training ended with a cycle without errors.

    The row's setting: kappa, width, inference (`none`: LO, `after`: L+I, `during`: IBT) and whether weights are averaged.
    """
    kappa, width, inference = (asked.setting[name] for name in ("kappa", "width", "inference"))
    average = asked.setting.get("average", False)
    sizes = QUICK if asked.quick else SIZES
    scored = 100 if asked.quick else SCORED
    found = {}
    world, train, test = _data(kappa, width, asked.seed, max(sizes), scored)
    for size, shown in zip(sizes, SIZES, strict=True):
        asked.tell(f"{size:,} examples")
        if inference == "during":
            made = _trained(world, train.corpus(size), "during", asked.epochs, average, asked.seed)
        else:
            made = _local(kappa, width, asked.seed, max(sizes), scored, size, asked.epochs, average)
        predicted = made.predict(test.corpus(scored), constraints=inference != "none")
        right = np.array([[int(label) for label in output] for output in predicted]) == test.truth
        found[size_key(shown)] = Sample(100 * float(right.mean()))
        found[f"whole_{shown}"] = Sample(100 * float(right.all(axis=1).mean()))
        found[separated_key(shown)] = separated(made)
    return found


def size_key(size: int) -> str:
    return f"accuracy_{size}"
