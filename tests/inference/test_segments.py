"""Segments against enumeration: scores, the exact best, lists, sums and their gradient, regret, beams."""

import random

import numpy as np
import pytest
from hypothesis import strategies as st

from checks import refused
from oracle import segments as oracle
from oracle.segments import Lattice
from riata import _core
from riata.errors import UnsupportedError
from riata.features.attributes import builtin
from samples import for_each, tried
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


@for_each(single=[False, True], template=EXACT_TEMPLATES)
def test_exact_search_finds_the_best_of_all(template, single):
    for seed in range(4):
        problem = noise(seed, template, most=3, longest=4, sentences=4)
        weights = problem.random_weights(seed, single)
        found = problem.decode(weights, queue="exact")
        scores = problem.scores(weights, found)
        for s in range(len(problem.sentences)):
            assert scores[s] == max(all_scores(problem, weights, s)[1])


@for_each(by=["operations", "prefix"], template=TEMPLATES)
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
    refused(UnsupportedError, r"no further than label\[-1\]", problem.decode, problem.random_weights(0), queue="exact")


@for_each(most=[1, 2, 3, 4], labels=[LABELS, ("A", "B"), ("A",), ("O", "A"), ("O",)])
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


# --- sums over segmentations and lists of the best ones --------------------------------------------------------------
def every_scored(problem, weights, s):
    """All segmentations of a sentence with their scores."""
    named, x = problem.by_name(weights), problem.sentences[s]
    every = oracle.segmentations(len(x), problem.labels, problem.most)
    templates = problem.features.templates
    scores = [
        sum(named[key] * value for key, value in oracle.phi(x, templates, builtin(), one).items()) for one in every
    ]
    return every, scores


def sums(problem, weights, sharpness=1.0):
    """log Z of every sentence, and its expected features by place."""
    log_z, (counts, places, values) = weights.sums_of(problem.features.index, problem.instances, sharpness)
    cuts = np.cumsum(counts)[:-1]
    rows = zip(np.split(places, cuts), np.split(values, cuts), strict=True)
    return log_z, [dict(zip(p.tolist(), v.tolist(), strict=True)) for p, v in rows]


def best(problem, weights, k):
    counts, codes, scores = weights.nbest(problem.features.index, problem.instances, k)
    found, at, place = [], 0, 0
    for x, count in zip(problem.sentences, counts.tolist(), strict=True):
        lists = [codes[at + i * len(x) : at + (i + 1) * len(x)].tolist() for i in range(count)]
        one = [
            tuple((c // len(problem.labels) + 1, problem.labels[c % len(problem.labels)]) for c in row if c >= 0)
            for row in lists
        ]
        found.append(list(zip(one, scores[place : place + count].tolist(), strict=True)))
        at, place = at + count * len(x), place + count
    assert at == len(codes)
    return found


def in_order(problem, every, scores):
    """As oracle.segments.ExactSegments: best first, ties by the last label and length, read from the end."""
    tie = [[(problem.labels.index(label), size) for size, label in reversed(one)] for one in every]
    order = sorted(range(len(every)), key=lambda i: (-scores[i], tie[i]))
    return [(every[i], scores[i]) for i in order]


@for_each(sharpness=[1.0, 0.25, 3.0], template=EXACT_TEMPLATES)
def test_sums_are_those_over_every_segmentation(template, sharpness):
    problem = noise(len(template), template, longest=4, sentences=3)
    weights = problem.random_weights(2)
    templates = problem.features.templates
    log_z, expected = sums(problem, weights, sharpness)
    for s, x in enumerate(problem.sentences):
        every, scores = every_scored(problem, weights, s)
        lattice = Lattice(every, scores, sharpness)
        assert log_z[s] == pytest.approx(lattice.log_z, abs=1e-9)
        by_name = {}
        for one, share in zip(every, lattice.shares.tolist(), strict=True):
            for key, value in oracle.phi(x, templates, builtin(), one).items():
                by_name[key] = by_name.get(key, 0.0) + share * value
        place_of = {name: place for place, name in problem.names.items()}
        places = {place_of[name] + problem.labels.index(label): v for (name, label), v in by_name.items() if v > 1e-9}
        found = {place: value for place, value in expected[s].items() if value > 1e-9}
        assert found == pytest.approx(places, abs=1e-9)


@pytest.mark.parametrize("template", EXACT_TEMPLATES)
def test_expected_features_are_the_gradient_of_log_z(template):
    problem = noise(len(template), template, longest=5, sentences=4)
    weights = problem.random_weights(4)
    _, expected = sums(problem, weights)
    flat, step, draw = weights.flat(), 1e-5, np.random.default_rng(0)
    places = sorted({place for one in expected for place in one})
    for place in draw.choice(places, min(12, len(places)), replace=False).tolist():
        moved = []
        for sign in (1, -1):
            changed = flat.copy()
            changed[place] += sign * step
            weights.set_flat(changed)
            moved.append(sums(problem, weights)[0])
        slope = (moved[0] - moved[1]) / (2 * step)
        np.testing.assert_allclose(slope, [one.get(place, 0.0) for one in expected], atol=1e-6)


def test_sums_do_not_overflow():
    problem = noise(1, EXACT_TEMPLATES[4], longest=5)
    weights = problem.random_weights(3)
    log_z, expected = sums(problem, weights, 1e6)
    for s in range(len(problem.sentences)):
        _, scores = every_scored(problem, weights, s)
        assert log_z[s] == pytest.approx(1e6 * max(scores), rel=1e-5)
    assert all(np.isfinite(list(one.values())).all() for one in expected)


@tried(60, st.integers(0, 10**6), st.sampled_from(EXACT_TEMPLATES), st.integers(1, 4), st.integers(1, 12))
def test_the_k_best_are_those_of_the_enumeration(seed, template, most, k):
    problem = noise(seed, template, most=most, longest=4, sentences=2)
    weights = problem.random_weights(seed)
    if seed % 3 == 0:
        weights.set_flat(np.round(weights.flat()))  # many ties
    found = best(problem, weights, k)
    for s in range(len(problem.sentences)):
        assert found[s] == in_order(problem, *every_scored(problem, weights, s))[:k]
    assert [one[0][0] for one in found] == problem.decode(weights, queue="exact")


def test_the_list_ends_with_the_last_segmentation():
    problem = noise(2, EXACT_TEMPLATES[4], longest=4, sentences=3)
    weights = problem.random_weights(2)
    found = best(problem, weights, 10**9)
    for s in range(len(problem.sentences)):
        assert found[s] == in_order(problem, *every_scored(problem, weights, s))


def test_labels_further_back_are_refused():
    problem = noise(1, TEMPLATES[-1])
    for work in (sums, lambda *parts: best(*parts, 2)):
        refused(UnsupportedError, r"label\[-1\]", work, problem, problem.zeros())
