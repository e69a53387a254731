"""Segments against enumeration: scores, the exact best, regret, beams."""

import random

import pytest

from oracle import segments as oracle
from riata import _core
from riata.errors import UnsupportedError
from segment_problems import EXACT_TEMPLATES, LABELS, TEMPLATES, noise, random_segments, segment_problem

UNBOUNDED = _core.unbounded


def all_scores(problem, weights, s):
    """Every segmentation of a sentence with its score by the core."""
    every = oracle.segmentations(len(problem.sentences[s]), problem.labels, problem.most)
    found = []
    for one in every:
        several = list(problem.gold)
        several[s] = one
        found.append(problem.scores(weights, several)[s])
    return every, found


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("template", EXACT_TEMPLATES)
def test_exact_search_finds_the_best_of_all(template, single):
    for seed in range(4):
        problem = noise(seed, template, most=3, longest=4, sentences=4)
        weights = problem.random_weights(seed, single)
        found = problem.decode(weights, queue="exact")
        scores = problem.scores(weights, found)
        for s in range(len(problem.sentences)):
            assert scores[s] == max(all_scores(problem, weights, s)[1])


@pytest.mark.parametrize("by", ["operations", "prefix"])
@pytest.mark.parametrize("template", TEMPLATES)
def test_an_unbounded_beam_is_exact(template, by):
    for seed in range(4):
        problem = noise(seed, template, most=3, longest=4, sentences=4)
        weights = problem.random_weights(seed)
        scores = problem.scores(weights, problem.decode(weights, beam=UNBOUNDED, beam_by=by))
        for s in range(len(problem.sentences)):
            assert scores[s] == max(all_scores(problem, weights, s)[1])


def test_narrow_beams_miss_something():
    missed = 0
    for seed in range(10):
        problem = noise(seed, TEMPLATES[4], most=3, longest=4)
        weights = problem.random_weights(seed)
        best = problem.scores(weights, problem.decode(weights, queue="exact"))
        greedy = problem.scores(weights, problem.decode(weights, queue="greedy"))
        assert (greedy <= best).all()
        missed += (greedy < best).any()
    assert missed > 0


def test_exact_search_refuses_to_look_further_back():
    problem = noise(0, "inside word[0]\nlabel[-2] label[-1]")
    with pytest.raises(UnsupportedError, match=r"no further than label\[-1\]"):
        problem.decode(problem.random_weights(0), queue="exact")


@pytest.mark.parametrize("most", [1, 2, 3, 4])
@pytest.mark.parametrize("labels", [LABELS, ("A", "B"), ("A",), ("O", "A"), ("O",)])
def test_regret_is_the_least_loss_of_any_completion(labels, most):
    draw = random.Random(most)
    length = 4
    every = oracle.segmentations(length, labels, most)
    problem = segment_problem("inside word[0]", [[("a", "x")] * length], [], most, labels)
    for _ in range(12):
        gold = random_segments(draw, length, labels, 4)  # with a most below 4, some are longer than can be found
        for segments in draw.sample(every, min(len(every), 30)):
            found = problem.weights().regrets_of(
                problem.features.index, problem.instances, problem.codes([gold]), problem.codes([segments])
            )
            for i in range(len(segments)):
                expected = oracle.regret(segments[:i], gold, length, labels, most)
                assert found[i] == expected, (gold, segments[:i])
