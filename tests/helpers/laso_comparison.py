"""The native learner beside its slow twin (oracle.laso), sentence by sentence; and the settings to compare them with."""

import itertools
import math

import pytest

from chain_problems import UNBOUNDED, options
from oracle.joint import JointLaso, path_of
from oracle.laso import Laso, TooClose, norm
from oracle.segments import SegmentLaso
from riata import _core
from riata.features.attributes import builtin

WHEN = ["laso", "early", "max-violation", "standard"]
WHAT = ["mean", "queue", "best", "loss-weighted"]
STEPS = {
    "perceptron": {"step": "perceptron"},
    "alma": {"step": "alma", "alpha": 0.5},
    "alma of Theorem 4": {"step": "alma", "alpha": 0.9, "B": math.sqrt(8) / 0.9, "C": math.sqrt(2)},
    "alma without margin": {"step": "alma", "alpha": 1.0, "B": 3.0, "C": 0.5},
    "mira": {"step": "mira"},
    "mira in small steps": {"step": "mira", "C": 0.05},
}
QUEUES = {
    "greedy": {"queue": "greedy"},
    "beam 2": {"beam": 2},
    "beam 3": {"beam": 3},
    "beam 65": {"beam": 65},
    "unbounded beam": {"beam": UNBOUNDED},
    "beam by prefix": {"beam": 2, "beam_by": "prefix"},
    "unbounded beam by prefix": {"beam": UNBOUNDED, "beam_by": "prefix"},
    "one pending": {"beam": 1, "beam_by": "pending"},
    "beam by pending": {"beam": 3, "beam_by": "pending"},
    "best-first": {"queue": "best-first"},
}


def combined(**values):
    """Parametrizes a test by every combination of values, at least three of each kind; all but a third of them are slow.

    Any values of all kinds but one meet in that third: of the last kind, one value in three makes the sum of places right.
    """
    places = itertools.product(*(range(len(kind)) for kind in values.values()))
    lists = [list(kind) for kind in values.values()]
    some = [
        pytest.param(
            *(kind[at] for kind, at in zip(lists, place, strict=True)),
            marks=[pytest.mark.slow] * (sum((1 + k % 2) * at for k, at in enumerate(place)) % 3 != 0),
        )
        for place in places
    ]
    return pytest.mark.parametrize(tuple(values), some)


def orders(problem, epochs, seed):
    return [_core.shuffled(len(problem.sentences), seed, epoch).tolist() for epoch in range(1, epochs + 1)]


def same(weights, expected):
    for key in {*weights, *expected}:
        assert weights.get(key, 0.0) == pytest.approx(expected.get(key, 0.0), rel=1e-6, abs=1e-6), key


def compared(problem, settings, initial, epochs, seed, weights=()):
    """Trains the core and the twin on a chain. Returns (sentences, twin)."""
    start = None if initial is None else problem.by_name(initial)
    twin = Laso(problem.labels, options(**settings), problem.legal, start)
    native, order = problem.trainer(initial, **settings), orders(problem, epochs, seed)
    return side_by_side(problem, native, twin, problem.examples(), order, weights), twin


def on_segments(problem, settings, initial, epochs, seed, weights=(), kind=SegmentLaso):
    """The same on segments."""
    native = problem.trainer(initial, **settings)
    twin = twin_of_segments(problem, settings, problem.by_name(initial), kind)
    examples = list(zip(problem.sentences, problem.gold, strict=True))
    return side_by_side(problem, native, twin, examples, orders(problem, epochs, seed), weights), twin


def twin_of_segments(problem, settings=None, start=None, kind=SegmentLaso):
    templates = problem.features.templates
    return kind(problem.labels, problem.most, templates, builtin(), options(**(settings or {})), start)


def on_pairs(problem, settings, initial, epochs, seed, weights=(), kind=JointLaso):
    """The same for tags and chunk labels."""
    native = problem.trainer(initial, **settings)
    twin = kind(problem, options(**settings), problem.by_name(initial))
    truths = [path_of(gold, problem.ahead) for gold in problem.gold]
    examples = list(zip(problem.sentences, truths, strict=True))
    return side_by_side(problem, native, twin, examples, orders(problem, epochs, seed), weights), twin


def side_by_side(problem, native, twin, examples, order, weights=()):
    """Trains the core and the twin, sentence by sentence, until rounding would decide a tie. Returns how many sentences were learnt from.

    examples: what the twin takes of each sentence.
    """
    done = 0
    for s in itertools.chain.from_iterable(order):
        try:
            twin.sentence(*examples[s], *weights[s : s + 1])
        except TooClose:
            break
        problem.epoch(native, [s], weights)
        done += 1
        stats = native.stats()
        assert (stats["updates"], stats["non_violating"]) == (twin.updates, twin.non_violating), done
        same(problem.by_name(native.last()), twin.w)
        if done % len(examples) == 0:
            same(problem.by_name(native.averaged()), twin.averaged())
            assert stats["largest_difference"] == pytest.approx(twin.largest_difference)
            assert native.norm == pytest.approx(norm(twin.w, twin.p / (twin.p - 1)), abs=1e-9)
    return done
