"""Several labels per token against enumeration: sums, exact and approximate; and search for tags with chunk labels."""

import random

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from chain_problems import options
from checks import refused
from joint_problems import TEMPLATES, noise
from oracle import joint as oracle
from oracle.factorial import marginals
from riata import _core
from riata.errors import DataError, RiataError, SettingError
from riata.inference.factorial import factorial_marginals
from samples import for_each, for_rows, tried


def drawn(seed, labels, length, scale, joined=True, forbid=0.0):
    """Random scores of columns with these numbers of labels; all columns are joined, or none. forbid: share of pairs that are forbidden."""
    draw = np.random.default_rng(seed)
    node = [draw.uniform(-scale, scale, (length, n)) for n in labels]
    within = [draw.uniform(-scale, scale, (length, n, n) if draw.random() < 0.5 else (n, n)) for n in labels]
    pairs = [(a, b) for b in range(len(labels)) for a in range(b)] if joined else []
    between = {(a, b): draw.uniform(-scale, scale, (labels[a], labels[b])) for a, b in pairs}
    for table in (*within, *between.values()):
        table[(draw.random(table.shape) < forbid) & (np.arange(table.shape[-1]) > 0)] = -np.inf
    return node, within, between


def distance(found, expected):
    return max(np.abs(one - other).max() for one, other in zip(found.labels, expected, strict=True))


@tried(
    60,
    seed=st.integers(0, 10**6),
    labels=st.lists(st.integers(1, 3), min_size=2, max_size=3),
    length=st.integers(1, 3),
    scale=st.sampled_from([0.1, 1.0, 5.0, 300.0]),
    forbid=st.sampled_from([0.0, 0.3]),
)
def test_exact_sums_equal_enumeration(seed, labels, length, scale, forbid):
    assume(np.prod(labels) ** length <= 300)  # all outputs are listed
    scores = drawn(seed, labels, length, scale, forbid=forbid)
    log_z, expected = marginals(*scores)
    found = factorial_marginals(*scores)
    assert found.converged
    assert found.log_z == pytest.approx(log_z, abs=1e-9, rel=1e-12)
    assert distance(found, expected) < 1e-9


@pytest.mark.parametrize("sums", ["loopy", "trp"])
@tried(30, seed=st.integers(0, 10**6), tree=st.sampled_from([((3, 2), 1, True), ((3, 2), 3, False), ((3, 1), 3, True)]))
def test_approximate_sums_are_exact_on_trees(sums, seed, tree):
    labels, length, joined = tree
    scores = drawn(seed, labels, length, 2.0, joined)
    log_z, expected = marginals(*scores)
    found = factorial_marginals(*scores, sums=sums)
    assert found.converged
    assert found.log_z == pytest.approx(log_z, abs=1e-7)
    assert distance(found, expected) < 1e-7


@pytest.mark.parametrize("sums", ["loopy", "trp"])
@pytest.mark.parametrize(("scale", "of_log_z", "of_labels"), [(0.5, 0.05, 0.02), (1.0, 0.4, 0.15)])
def test_approximate_sums_are_within_a_distance_that_grows_with_the_scores(sums, scale, of_log_z, of_labels):
    for seed in range(8):
        scores = drawn(seed, (3, 2), 4, scale)
        log_z, expected = marginals(*scores)
        found = factorial_marginals(*scores, sums=sums)
        assert found.converged
        assert abs(found.log_z - log_z) < of_log_z
        assert distance(found, expected) < of_labels


def test_both_ways_to_send_messages_come_to_the_same():
    scores = drawn(3, (4, 3), 6, 1.0)
    loopy, trees = (factorial_marginals(*scores, sums=how) for how in ("loopy", "trp"))
    assert loopy.log_z == pytest.approx(trees.log_z, abs=1e-6)
    assert distance(loopy, trees.labels) < 1e-6


def test_many_combinations_are_summed_in_parts():
    scores = drawn(1, (44, 23), 5, 1.0)
    found = factorial_marginals(*scores)
    for column in found.labels:
        assert column.sum(axis=1) == pytest.approx(np.ones(5))


@for_rows(
    "change, says",
    (lambda n, w, b: ([], [], {}), "no columns"),
    (lambda n, w, b: (n, w[:1], b), "1 tables; expected one for each of the 2"),
    (lambda n, w, b: (n, w, {(1, 0): b[0, 1]}), "pairs"),
    (lambda n, w, b: (n, w, {(0, 1): b[0, 1].T}), r"between\[0, 1\] has the shape"),
    (lambda n, w, b: ([n[0], n[1] * np.nan], w, b), "NaN"),
    (lambda n, w, b: ([np.zeros((1, 300))] * 2, [np.zeros((300, 300))] * 2, {}), "90,000 combinations"),
)
def test_scores_of_other_shapes_are_refused(change, says):
    refused(DataError, says, factorial_marginals, *change(*drawn(0, (3, 2), 3, 1.0)))


def test_unknown_sums_are_refused():
    refused(SettingError, "exact, loopy, trp", factorial_marginals, *drawn(0, (3, 2), 3, 1.0), sums="sampled")


# --- tags and chunk labels against enumeration: scores, the best of all, legality, regret, queues --------------------
UNBOUNDED = _core.unbounded
BIOES = ("O", "S-A", "B-A", "E-A")
HALF = ("O", "I-A", "B-A", "E-B")  # of BIOES, in which nothing that begins can ever end
AHEAD = pytest.mark.parametrize("ahead", [False, True])


def drawn_outputs(problem, seed):
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
            outputs = drawn_outputs(problem, turn)
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
            outputs = drawn_outputs(problem, turn)
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
