"""Learning by search on segments, and of tags and chunk labels, against slow twins (oracle.segments, oracle.joint), over double."""

import numpy as np
import pytest

import joint_problems
import segment_problems
from laso_comparison import QUEUES, STEPS, WHAT, WHEN, on_pairs, on_segments
from riata import _core
from samples import for_each

BIOES = ("O", "S-A", "B-A", "E-A")


def segments(seed, template, **_):
    templates = segment_problems.TEMPLATES
    return segment_problems.noise(seed, templates[template % len(templates)], longest=4, sentences=4)


def pairs(seed, template, ahead=None, limited=False):
    templates, ahead = joint_problems.TEMPLATES, bool(seed % 2) if ahead is None else ahead
    return joint_problems.noise(seed, templates[template % len(templates)], ahead, sentences=3, limited=limited)


@for_each(when=WHEN, queue=QUEUES)
def test_weights_on_segments_equal_those_of_the_twin(queue, when):
    """Every queue and moment with every step or update, in turn."""
    for turn, place, settings in in_turn(queue, when, 4):
        problem = segments(4 * place + turn, place + turn)
        on_segments(problem, settings, problem.random_weights(place) if turn else problem.zeros(), 2, place)


@for_each(when=WHEN, queue=QUEUES)
def test_weights_of_tags_and_chunks_equal_those_of_the_twin(queue, when):
    """The same; with look-ahead and without, with fewer tags and with all."""
    for turn, place, settings in in_turn(queue, when, 2):
        problem = pairs(place, place + turn, turn == (place // 6) % 2, limited=place % 3 == 0)
        on_pairs(problem, settings, problem.random_weights(place) if turn else problem.zeros(), 2, place)


def in_turn(queue, when, turns):
    place = list(QUEUES).index(queue) + len(QUEUES) * WHEN.index(when)
    for turn in range(turns):
        step, what = list(STEPS)[(place + turn) % len(STEPS)], WHAT[(place // 2 + turn) % len(WHAT)]
        yield turn, place, {**QUEUES[queue], **STEPS[step], "when": when, "update": what}


SELDOM = {"segments": (segments, on_segments, 10, 2, 5, 30), "pairs": (pairs, on_pairs, 6, 3, 3, 15)}


@for_each(structure=SELDOM, step=STEPS)
def test_the_comparison_with_the_twin_seldom_ends_early(structure, step):
    made, compared, seeds, epochs, most_ended, least_updates = SELDOM[structure]
    ended = updates = 0
    for seed in range(seeds):
        problem = made(seed, seed)
        settings = {**STEPS[step], "beam": 3, "update": "best"}
        done, twin = compared(problem, settings, problem.random_weights(seed), epochs, seed)
        ended += done < epochs * len(problem.sentences)
        updates += twin.updates
    assert ended <= most_ended
    assert updates >= least_updates


@for_each(step=["perceptron", "alma", "mira"])
def test_sentence_weights(step):
    settings = {**STEPS[step], "beam": 2, "update": "best"}
    for seed in range(4):
        problem = segments(seed, seed)
        weights = np.random.default_rng(seed).choice([0.0, 0.25, 1.0, 2.0], len(problem.sentences)).tolist()
        on_segments(problem, settings, problem.random_weights(seed), 2, seed, weights)
    for seed in range(2):
        problem = pairs(seed, seed + 1)
        on_pairs(problem, settings, problem.random_weights(seed), 2, seed, [0.0, 0.25, 2.0])


@pytest.mark.parametrize("ahead", [False, True])
def test_chunk_labels_that_must_be_ended(ahead):
    """BIOES: B must go on, so that beams end in no dead ends, and legality forces errors."""
    for seed in range(3):
        more = {"sentences": 3, "chunks": BIOES, "encoding": "bioes", "tags": ("N", "V")}
        problem = joint_problems.noise(seed, joint_problems.TEMPLATES[3], ahead, **more)
        on_pairs(problem, {"beam": 2, "update": "loss-weighted"}, problem.random_weights(seed), 2, seed)


@for_each(single=[False, True], queue=["exact", "beam", "greedy"])
def test_segments_that_can_be_learnt_are(queue, single):
    words = [("abcab", "xyyxy"), ("cab", "yxy"), ("bbca", "yyyx"), ("acca", "xyyx")]
    gold = [
        ((2, "A"), (1, "O"), (2, "A")),
        ((1, "O"), (2, "A")),
        ((2, "B"), (1, "O"), (1, "A")),
        ((1, "A"), (1, "O"), (1, "O"), (1, "A")),
    ]
    sentences = [list(zip(*pair, strict=True)) for pair in words]
    template = "inside word[0]\nsequence word[0]\nlast tag[1]\nlength"
    problem = segment_problems.segment_problem(template, sentences, gold, 3)
    trainer = problem.trainer(single=single, queue=queue)
    for _ in range(20):
        problem.epoch(trainer)
    assert problem.decode(trainer.averaged(), queue=queue) == gold


@for_each(kind=[_core.JointWeights, _core.JointWeights64], queue=["beam", "greedy"], ahead=[False, True])
def test_tags_and_chunks_that_can_be_learnt_are(ahead, queue, kind):
    gold = [
        (("N", "B-A"), ("V", "I-A"), ("V", "O"), ("N", "B-A")),
        (("V", "O"), ("N", "B-A"), ("V", "I-A")),
        (("V", "B-A"), ("N", "B-A")),
        (("N", "B-A"), ("V", "O"), ("V", "O"), ("N", "B-A")),
    ]
    template = "tag word[0]\ntag tag[-1] word[-1]\nchunk tag[0] word[0]\nchunk chunk[-1] tag[-1] tag[0]\nchunk word[-1] word[0]"
    problem = joint_problems.joint_problem(template, list(map(list, ("abca", "cab", "bb", "acca"))), gold, ahead)
    trainer = problem.trainer(problem.weights(kind), queue=queue)
    for _ in range(20):
        problem.epoch(trainer)
    assert problem.decode(trainer.averaged(), queue=queue) == gold
    assert np.isfinite(trainer.norm)
