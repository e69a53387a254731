"""The best outputs by score plus loss, on every structure that has exact search, against every output."""

import numpy as np
import pytest
from hypothesis import strategies as st

from checks import refused
from learning import test_likelihood
from likelihood_problems import model_at
from oracle import segments as oracle
from oracle.mira import product
from riata.errors import RiataError
from riata.features.attributes import builtin
from samples import tried
from second_order_problems import CHUNKS, FREE, Case
from segment_problems import EXACT_TEMPLATES, noise

COSTS = st.sampled_from([1.0, 0.5, 3.0, 0.0, -1.0])
CLASSES = st.sampled_from([(), (1.0, 0.25, 2.0)])
N = st.integers(1, 5)


def mean_of(weights):
    return lambda start, end: weights[start:end].mean()


def outputs_of(found, lengths):
    """Of each sentence, its outputs with their scores."""
    counts, codes, scores = found
    codes, scores = list(codes), list(scores)
    listed = []
    for count, length in zip(counts, lengths, strict=True):
        listed.append([])
        for _ in range(count):
            listed[-1].append((tuple(codes[:length]), scores.pop(0)))
            del codes[:length]
    assert not codes and not scores
    return listed


def check(found, every, n, tolerance=1e-9):
    """every: of each sentence, a dictionary from outputs to score plus loss."""
    assert len(found) == len(every)
    for outputs, totals in zip(found, every, strict=True):
        best = sorted(totals.values(), reverse=True)[:n]
        assert [score for _, score in outputs] == pytest.approx(best, abs=tolerance)
        assert len({codes for codes, _ in outputs}) == len(outputs)
        assert all(totals[codes] == pytest.approx(score, abs=tolerance) for codes, score in outputs)


def check_chain(case, seed, cost, n, classes):
    model = model_at(case, np.random.default_rng(seed).normal(size=case.function.size))
    gold, by_class = np.concatenate(case.gold).astype(np.int32), np.array(classes[: len(case.labels)])
    every = []
    for number, truth in enumerate(case.gold):
        one = case.features.instances(case.corpus[number : number + 1])
        weights = by_class[truth] if len(by_class) else np.ones(len(truth))
        every.append({})
        for labels in case.legal(len(truth)):
            score = float(model.scores_of(one, labels.astype(np.int32))[0])
            every[-1][tuple(labels)] = score + cost * weights[labels != truth].sum()
    parts = (case.features.index, case.instances, gold)
    found = model.weights.loss_augmented(*parts, cost, n, by_class)
    check(outputs_of(found, map(len, case.gold)), every, n)
    last = [labels for labels, *_ in [list(totals)[::-1] for totals in every]]
    wrong = [labels != truth for labels, truth in zip(map(np.array, last), case.gold, strict=True)]
    losses = [
        (by_class[truth] if len(by_class) else np.ones(len(truth)))[one].sum()
        for one, truth in zip(wrong, case.gold, strict=True)
    ]
    assert model.weights.losses_of(*parts, np.concatenate(last).astype(np.int32), by_class) == pytest.approx(losses)


@tried(25,
    st.builds(test_likelihood.Case, st.integers(0, 10**6), st.sampled_from(test_likelihood.TEMPLATES), st.sampled_from([None, "iob2"])),
    st.integers(0, 10**6), COSTS, N, CLASSES,
)  # fmt: skip
def test_chains(case, seed, cost, n, classes):
    check_chain(case, seed, cost, n, classes)


@tried(
    25,
    st.builds(
        Case,
        st.integers(0, 10**6),
        st.sampled_from(
            [
                "word[0]\nedge\nlabel[-2] label[-1]",
                "word[0]\nlabel[-2] word[0]\nedge word[-1]",
                "word[0]\nlabel[-1]\nlabel[-1] word[0]",  # one label back, as features of earlier labels
            ]
        ),
        st.sampled_from([FREE, CHUNKS]),
    ),
    st.integers(0, 10**6),
    COSTS,
    N,
    CLASSES,
)
def test_chains_whose_features_read_earlier_labels(case, seed, cost, n, classes):
    check_chain(case, seed, cost, n, classes)


@tried(
    40,
    st.builds(
        noise,
        st.integers(0, 10**6),
        st.sampled_from(EXACT_TEMPLATES),
        most=st.integers(1, 3),
        longest=st.just(4),
        sentences=st.just(3),
        beyond=st.sampled_from([0, 1]),
    ),
    st.integers(0, 10**6),
    COSTS,
    N,
    CLASSES,
)
def test_segments(problem, seed, cost, n, classes):
    weights, by_class = problem.random_weights(seed), np.array(classes)
    named, lengths = problem.by_name(weights), [len(x) for x in problem.sentences]
    tags = np.random.default_rng(seed).integers(3, size=sum(lengths)).astype(np.int32)  # labels of tokens
    if len(by_class):
        problem.instances.set_labels(tags, 3)
    every, losses = [], []
    for x, gold, own in zip(problem.sentences, problem.gold, np.split(tags, np.cumsum(lengths)[:-1]), strict=True):
        of_tokens = by_class[own] if len(by_class) else np.ones(len(x))
        every.append({})
        for segments in oracle.segmentations(len(x), problem.labels, problem.most):
            score = product(oracle.phi(x, problem.features.templates, builtin(), segments), named)
            loss = oracle.loss(segments, gold, mean_of(of_tokens))
            every[-1][tuple(problem.codes([segments]))] = score + cost * loss
        losses.append(loss)  # of the last one
    parts = (problem.features.index, problem.instances, problem.codes(problem.gold))
    check(outputs_of(weights.loss_augmented(*parts, cost, n, by_class), lengths), every, n)
    last = np.concatenate([list(totals)[-1] for totals in every]).astype(np.int32)
    assert weights.losses_of(*parts, last, by_class) == pytest.approx(losses)


def test_class_weights_without_labels_of_tokens_are_an_error():
    problem = noise(0, EXACT_TEMPLATES[0])
    parts = (problem.features.index, problem.instances, problem.codes(problem.gold))
    refused(RiataError, "do not fit the labels", problem.weights().loss_augmented, *parts, 1.0, 1, np.array([1.0, 2.0]))
