"""Tags and chunk labels against enumeration: scores, the best of all, legality, regret, queues."""

import random

import numpy as np
import pytest
from hypothesis import strategies as st

from chain_problems import options
from checks import refused
from joint_problems import TEMPLATES, noise
from oracle import joint as oracle
from riata import _core
from riata.errors import RiataError
from samples import for_each, tried

UNBOUNDED = _core.unbounded
BIOES = ("O", "S-A", "B-A", "E-A")
HALF = ("O", "I-A", "B-A", "E-B")  # of BIOES, in which nothing that begins can ever end
AHEAD = pytest.mark.parametrize("ahead", [False, True])


def drawn(problem, seed):
    draw = random.Random(seed)
    return [draw.choice(problem.every(s)) for s in range(len(problem.sentences))]


@AHEAD
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_score_is_that_of_the_features(template, ahead):
    for seed in range(2):
        problem = noise(seed, template, ahead)
        weights = problem.random_weights(seed)
        named = problem.by_name(weights)
        for turn in range(5):
            outputs = drawn(problem, turn)
            for x, one, score in zip(problem.sentences, outputs, problem.scores(weights, outputs), strict=True):
                phi = oracle.JointLaso.phi(_holder(problem), x, oracle.path_of(one, ahead))
                assert score == sum(named[name] * count for name, count in phi.items())


def _holder(problem):
    class Holder:
        ahead = problem.ahead

    Holder.problem = problem
    return Holder


@AHEAD
@for_each(single=[False, True], template=TEMPLATES)
def test_an_unbounded_beam_finds_the_best_of_all(template, single, ahead):
    for seed in range(3):
        problem = noise(seed, template, ahead, limited=seed == 2)
        weights = problem.random_weights(seed, _core.JointWeights if single else _core.JointWeights64)
        found = problem.scores(weights, problem.decode(weights, beam=UNBOUNDED))
        best = [-np.inf] * len(found)
        every = [problem.every(s) for s in range(len(problem.sentences))]
        for turn in range(max(map(len, every))):
            scores = problem.scores(weights, [one[turn % len(one)] for one in every])
            best = np.maximum(best, scores)
        assert found.tolist() == best.tolist()


@AHEAD
def test_queues_that_take_states_one_by_one(ahead):
    worse = 0
    for seed in range(6):
        problem = noise(seed, TEMPLATES[2], ahead)
        weights = problem.random_weights(seed)
        best = problem.scores(weights, problem.decode(weights, beam=UNBOUNDED))
        greedy = problem.decode(weights, queue="greedy")
        assert greedy == problem.decode(weights, beam=1)
        worse += (problem.scores(weights, greedy) < best).any()
        for queue in ("best-first", "depth-first", "breadth-first"):
            assert (problem.scores(weights, problem.decode(weights, queue=queue)) <= best).all()
    assert worse > 0


@tried(
    60,
    seed=st.integers(0, 10**6),
    template=st.sampled_from(TEMPLATES),
    ahead=st.booleans(),
    beam=st.sampled_from([1, 2, 5, UNBOUNDED]),
    labels=st.sampled_from([(("O", "B-A", "I-A", "B-B", "I-B"), "iob2"), (BIOES, "bioes"), (HALF, "bioes")]),
)
def test_no_output_is_illegal(seed, template, ahead, beam, labels):
    chunks, encoding = labels
    problem = noise(seed, template, ahead, longest=4, chunks=chunks, encoding=encoding, limited=bool(seed % 2))
    weights = problem.grown()
    weights.set_flat(np.random.default_rng(seed).normal(size=len(weights.flat())))
    for x, output in zip(problem.sentences, problem.decode(weights, beam=beam), strict=True):
        assert oracle.is_legal([chunk for _, chunk in output], problem.legal)
        assert all(tag in problem.allowed(x, t, None) for t, (tag, _) in enumerate(output))


@AHEAD
@pytest.mark.parametrize("labels", [(("O", "B-A", "I-A"), "iob2"), (BIOES, "bioes"), (("O", "I-A", "B-A"), "iob1")])
def test_regret_is_the_least_loss_of_any_completion(labels, ahead):
    forced = 0
    for seed in range(8):
        problem = noise(seed, TEMPLATES[0], ahead, longest=4, chunks=labels[0], encoding=labels[1])
        for turn in range(6):
            outputs = drawn(problem, turn)
            for x, one, gold, found in zip(
                problem.sentences, outputs, problem.gold, problem.regrets(outputs), strict=True
            ):
                path, truth = oracle.path_of(one, ahead), oracle.path_of(gold, ahead)
                expected = [
                    oracle.regret(path[:i], truth, len(x), problem.chunks, problem.legal) for i in range(len(path) + 1)
                ]
                assert found == expected, (path, truth)
                wrong = [(p[0] != t[0]) + (p[1] != t[1]) for p, t in zip(path, truth, strict=True)]
                forced += any(found[i] > sum(wrong[:i]) for i in range(len(path)))
    assert forced > 0  # legality has forced errors


def test_what_does_not_fit_is_refused():
    problem = noise(0, TEMPLATES[1], True)
    weights = problem.random_weights(0)
    index, instances = problem.features.index, problem.instances
    refused(RiataError, "do not fit", weights.scores_of, index, instances, np.full(instances.tokens, 6, np.int32))
    refused(RiataError, "do not fit", problem.weights().decode, index, instances, options())
    for starts, tags, of, count in [
        ([0, 1], [2], [0], 2),
        ([0, 2], [1, 0], [0], 2),
        ([0, 0], [], [0], 2),
        ([0, 1], [0], [1], 2),
    ]:
        sets = np.array(of * instances.tokens, np.int32)
        with pytest.raises(RiataError, match="sets of tags"):
            instances.set_choices(np.array(starts, np.int32), np.array(tags, np.int32), sets, count)
