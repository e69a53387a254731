"""Learning tags and chunk labels against its slow twin (oracle.joint), over double."""

import numpy as np
import pytest

from chain_problems import options
from joint_problems import TEMPLATES, joint_problem, noise
from laso_comparison import QUEUES, STEPS, WHAT, WHEN, orders, side_by_side
from oracle.joint import JointLaso, path_of
from riata import _core
from samples import for_each

BIOES = ("O", "S-A", "B-A", "E-A")


def compared(problem, settings, initial, epochs, seed, weights=()):
    """Trains the core and the twin. Returns (sentences, twin)."""
    native = problem.trainer(initial, **settings)
    twin = JointLaso(problem, options(**settings), problem.by_name(initial))
    truths = [path_of(gold, problem.ahead) for gold in problem.gold]
    examples = list(zip(problem.sentences, truths, strict=True))
    return side_by_side(problem, native, twin, examples, orders(problem, epochs, seed), weights), twin


@for_each(when=WHEN, queue=QUEUES)
def test_weights_equal_those_of_the_twin(queue, when):
    """Every queue and moment with every step or update, in turn; with look-ahead and without, with fewer tags and with all."""
    place = list(QUEUES).index(queue) + len(QUEUES) * WHEN.index(when)
    for turn in range(2):
        step, what = list(STEPS)[(place + turn) % len(STEPS)], WHAT[(place // 2 + turn) % len(WHAT)]
        settings = {**QUEUES[queue], **STEPS[step], "when": when, "update": what}
        template = TEMPLATES[(place + turn) % len(TEMPLATES)]
        problem = noise(place, template, ahead=turn == (place // 6) % 2, sentences=3, limited=place % 3 == 0)
        compared(problem, settings, problem.random_weights(place) if turn else problem.zeros(), 2, place)


@pytest.mark.parametrize("step", STEPS)
def test_the_comparison_with_the_twin_seldom_ends_early(step):
    ended = updates = 0
    for seed in range(6):
        problem = noise(seed, TEMPLATES[seed % len(TEMPLATES)], ahead=bool(seed % 2), sentences=3)
        settings = {**STEPS[step], "beam": 3, "update": "best"}
        done, twin = compared(problem, settings, problem.random_weights(seed), 3, seed)
        ended += done < 3 * len(problem.sentences)
        updates += twin.updates
    assert ended <= 3
    assert updates >= 15


@pytest.mark.parametrize("step", ["perceptron", "alma", "mira"])
def test_sentence_weights(step):
    for seed in range(2):
        problem = noise(seed, TEMPLATES[seed + 1], ahead=bool(seed), sentences=3)
        weights = [0.0, 0.25, 2.0]
        compared(problem, {**STEPS[step], "beam": 2, "update": "best"}, problem.random_weights(seed), 2, seed, weights)


@pytest.mark.parametrize("ahead", [False, True])
def test_chunk_labels_that_must_be_ended(ahead):
    """BIOES: B must go on, so that beams end in no dead ends, and legality forces errors."""
    for seed in range(3):
        problem = noise(seed, TEMPLATES[3], ahead, sentences=3, chunks=BIOES, encoding="bioes", tags=("N", "V"))
        settings = {"beam": 2, "update": "loss-weighted"}
        compared(problem, settings, problem.random_weights(seed), 2, seed)


@for_each(kind=[_core.JointWeights, _core.JointWeights64], queue=["beam", "greedy"], ahead=[False, True])
def test_what_can_be_learnt_is(ahead, queue, kind):
    sentences = ["abca", "cab", "bb", "acca"]
    gold = [
        (("N", "B-A"), ("V", "I-A"), ("V", "O"), ("N", "B-A")),
        (("V", "O"), ("N", "B-A"), ("V", "I-A")),
        (("V", "B-A"), ("N", "B-A")),
        (("N", "B-A"), ("V", "O"), ("V", "O"), ("N", "B-A")),
    ]
    template = "tag word[0]\ntag tag[-1] word[-1]\nchunk tag[0] word[0]\nchunk chunk[-1] tag[-1] tag[0]\nchunk word[-1] word[0]"
    problem = joint_problem(template, [list(x) for x in sentences], gold, ahead)
    trainer = problem.trainer(problem.weights(kind), queue=queue)
    for _ in range(20):
        problem.epoch(trainer)
    assert problem.decode(trainer.averaged(), queue=queue) == gold
    assert np.isfinite(trainer.norm)
