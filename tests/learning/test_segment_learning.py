"""Learning on segments against its slow twin (oracle.segments), over double; exact learning against Collins' algorithm."""

import itertools
import random

import numpy as np
import pytest

from chain_problems import options
from laso_comparison import QUEUES, STEPS, WHAT, WHEN, orders, same, side_by_side
from oracle import segments as oracle
from oracle.laso import add
from riata.features.attributes import builtin
from samples import for_each
from segment_problems import EXACT_TEMPLATES, TEMPLATES, noise, random_segments, segment_problem


def compared(problem, settings, initial, epochs, seed, weights=(), kind=oracle.SegmentLaso):
    """Trains the core and the twin. Returns (sentences, twin)."""
    native = problem.trainer(initial, **settings)
    twin = a_twin(problem, settings, problem.by_name(initial), kind)
    examples = list(zip(problem.sentences, problem.gold, strict=True))
    return side_by_side(problem, native, twin, examples, orders(problem, epochs, seed), weights), twin


def a_twin(problem, settings=None, start=None, kind=oracle.SegmentLaso):
    templates = problem.features.templates
    return kind(problem.labels, problem.most, templates, builtin(), options(**(settings or {})), start)


@for_each(when=WHEN, queue=QUEUES)
def test_weights_equal_those_of_the_twin(queue, when):
    """Every queue and moment with every step or update, in turn."""
    place = list(QUEUES).index(queue) + len(QUEUES) * WHEN.index(when)
    for turn in range(4):
        step, what = list(STEPS)[(place + turn) % len(STEPS)], WHAT[(place // 2 + turn) % len(WHAT)]
        settings = {**QUEUES[queue], **STEPS[step], "when": when, "update": what}
        problem = noise(4 * place + turn, TEMPLATES[(place + turn) % len(TEMPLATES)], longest=4, sentences=4)
        initial = problem.random_weights(place) if turn else problem.zeros()
        compared(problem, settings, initial, 2, place)


@pytest.mark.parametrize("step", STEPS)
def test_the_comparison_with_the_twin_seldom_ends_early(step):
    ended = updates = 0
    for seed in range(10):
        problem = noise(seed, TEMPLATES[seed % len(TEMPLATES)], longest=4, sentences=4)
        done, twin = compared(
            problem, {**STEPS[step], "beam": 3, "update": "best"}, problem.random_weights(seed), 2, seed
        )
        ended += done < 2 * len(problem.sentences)
        updates += twin.updates
    assert ended <= 5
    assert updates >= 30


@pytest.mark.parametrize("step", ["perceptron", "alma", "mira"])
def test_sentence_weights(step):
    for seed in range(4):
        problem = noise(seed, TEMPLATES[seed], longest=4, sentences=4)
        weights = np.random.default_rng(seed).choice([0.0, 0.25, 1.0, 2.0], len(problem.sentences)).tolist()
        compared(problem, {**STEPS[step], "beam": 2, "update": "best"}, problem.random_weights(seed), 2, seed, weights)


@pytest.mark.parametrize("template", EXACT_TEMPLATES)
def test_exact_learning_is_the_perceptron(template):
    wrong = 0
    for seed in range(3):
        problem = noise(seed, template, longest=4, sentences=5)
        native = problem.trainer(problem.zeros(), queue="exact")
        w, snapshots = {}, [{}]
        twin = a_twin(problem)
        for s in itertools.chain.from_iterable(orders(problem, 2, seed)):
            found = problem.decode(native.last(), queue="exact")[s]  # which is the best of all: tests/inference
            if found != problem.gold[s]:
                x = problem.sentences[s]
                add(w, [(twin.phi(x, problem.gold[s]), 1.0), (twin.phi(x, found), -1.0)])
                wrong += 1
            snapshots.append(dict(w))
            problem.epoch(native, [s])
            same(problem.by_name(native.last()), w)
        names = {name for one in snapshots for name in one}
        mean = {name: float(np.mean([one.get(name, 0.0) for one in snapshots])) for name in names}
        same(problem.by_name(native.averaged()), mean)
    assert wrong > 10


@for_each(single=[False, True], queue=["exact", "beam", "greedy"])
def test_what_can_be_learnt_is(queue, single):
    sentences = [
        [(w, t) for w, t in zip(words, tags, strict=True)]
        for words, tags in [("abcab", "xyyxy"), ("cab", "yxy"), ("bbca", "yyyx"), ("acca", "xyyx")]
    ]
    gold = [
        ((2, "A"), (1, "O"), (2, "A")),
        ((1, "O"), (2, "A")),
        ((2, "B"), (1, "O"), (1, "A")),
        ((1, "A"), (1, "O"), (1, "O"), (1, "A")),
    ]
    problem = segment_problem("inside word[0]\nsequence word[0]\nlast tag[1]\nlength", sentences, gold, 3)
    trainer = problem.trainer(single=single, queue=queue)
    for _ in range(20):
        problem.epoch(trainer)
    assert problem.decode(trainer.averaged(), queue=queue) == gold


@for_each(queue=["exact", "beam", "greedy", "best-first"], when=WHEN)
def test_true_segments_that_are_too_long_do_no_harm(queue, when):
    """They cannot be found, so the best that can be is what is learnt from."""
    draw = random.Random(1)
    problem = noise(1, TEMPLATES[3], most=2, longest=6)
    problem.gold = [random_segments(draw, len(s), problem.labels, 6) for s in problem.sentences]
    assert any(size > 2 for gold in problem.gold for size, _ in gold)
    trainer = problem.trainer(queue=queue, when=when)
    for _ in range(3):
        problem.epoch(trainer)
    assert np.isfinite(trainer.averaged().flat()).all()
    assert all(size <= 2 for found in problem.decode(trainer.last()) for size, _ in found)
