"""Exact inference over segments on arrays of scores, against every segmentation."""

import signal

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from checks import refused
from oracle.segments import loss, segmentations, spans
from riata.errors import DataError, RiataError, SettingError
from samples import for_each, for_rows, tried

NEVER = -np.inf
whole = st.integers(-3, 3).map(float)
constrained = st.one_of(whole, st.just(NEVER))
real = st.floats(-5, 5, width=32)


@st.composite
def problems(draw, numbers):
    """span and edge, which may be None, of all tokens or per token."""
    tokens, most, labels = draw(st.integers(1, 4)), draw(st.integers(1, 5)), draw(st.integers(1, 3))

    def array(*shape):
        size = int(np.prod(shape))
        return np.array(draw(st.lists(numbers, min_size=size, max_size=size))).reshape(shape)

    edge = draw(st.sampled_from([None, (labels, labels), (tokens, labels, labels)]))
    return array(tokens, most, labels), edge if edge is None else array(*edge)


def every(span):
    """All segmentations, as lists of (start, end, label)."""
    tokens, most, labels = span.shape
    return [sorted(spans(one)) for one in segmentations(tokens, range(labels), most)]


def score(span, edge, segments):
    total, before = 0.0, None
    for start, end, label in segments:
        total += span[start, end - start - 1, label]
        if before is not None and edge is not None:
            total += (edge if edge.ndim == 2 else edge[start])[before, label]
        before = label
    return total


def order(segments):
    """Among equals: the lowest label, then the shortest segment, read from the end."""
    return [(label, end - start) for start, end, label in reversed(segments)]


def enumerated(span, edge):
    """All that are allowed, best first."""
    scored = [(segments, score(span, edge, segments)) for segments in every(span)]
    return sorted((pair for pair in scored if pair[1] > NEVER), key=lambda pair: (-pair[1], order(pair[0])))


@tried(80, problems(constrained))
def test_the_best_is_the_first_of_all_ties_included(problem):
    found = riata.segment_viterbi(*problem)
    assert found == (enumerated(*problem) or [([], NEVER)])[0]


@tried(80, problems(constrained), st.integers(1, 60))
def test_the_k_best_have_the_scores_of_the_first_k(problem, k):
    found, expected = riata.segment_kbest(*problem, k), enumerated(*problem)
    assert [total for _, total in found] == [total for _, total in expected[:k]]
    assert all(total == score(*problem, segments) for segments, total in found)
    assert len({tuple(segments) for segments, _ in found}) == len(found)
    assert found[:1] == expected[:1]


@tried(60, problems(st.one_of(real, st.just(NEVER))))
def test_sums_and_posteriors_are_those_of_all_segmentations(problem):
    span = problem[0]
    listed = enumerated(*problem)
    total = np.logaddexp.reduce([value for _, value in listed]) if listed else NEVER
    assert riata.segment_log_sum(*problem) == pytest.approx(total, abs=1e-9)
    if not listed:
        refused(DataError, "every segmentation is forbidden", riata.segment_posteriors, *problem)
        return
    expected = np.zeros(span.shape)
    for segments, value in listed:
        for start, end, label in segments:
            expected[start, end - start - 1, label] += np.exp(value - total)
    assert riata.segment_posteriors(*problem) == pytest.approx(expected, abs=1e-9)


@tried(60, problems(constrained), st.sampled_from([0.0, 1.0, 2.5, -1.0]), st.data())
def test_the_loss_counts_wrong_and_missed_segments(problem, cost, data):
    span, edge = problem
    longest = data.draw(st.integers(1, len(span)))  # which may be beyond the scores
    gold = data.draw(st.sampled_from(segmentations(len(span), range(span.shape[2]), longest)))

    def augmented(segments):
        sizes = tuple((end - start, label) for start, end, label in segments)
        return score(span, edge, segments) + cost * loss(sizes, gold)

    segments, best = riata.loss_augmented_segment_viterbi(span, edge, sorted(spans(gold)), cost)
    allowed = [one for one, _ in enumerated(span, edge)]
    assert best == max(map(augmented, allowed), default=NEVER)
    assert not allowed or augmented(segments) == best


@tried(40, problems(st.one_of(st.integers(-3, 3).map(lambda n: n * 2.0**48), st.just(NEVER))))
def test_sums_of_large_scores_lose_no_digits(problem):
    listed = enumerated(*problem)  # whose scores are whole, hence exact
    if not listed:
        return
    # Others weigh exp(-2 ** 48).
    best, ties = (listed[0][1], [segments for segments, value in listed if value == listed[0][1]])
    assert riata.segment_log_sum(*problem) == best + np.log(len(ties))
    expected = np.zeros(problem[0].shape)
    for segments in ties:
        for start, end, label in segments:
            expected[start, end - start - 1, label] += 1 / len(ties)
    assert riata.segment_posteriors(*problem) == pytest.approx(expected, abs=1e-12)


def test_scores_far_below_others_count_for_nothing():
    span, lowest = np.zeros((3, 2, 2)), np.finfo(float).min  # whose sums are below all numbers
    span[:, :, 1] = lowest
    forbidden = np.where(span == lowest, NEVER, span)
    assert riata.segment_log_sum(span) == riata.segment_log_sum(forbidden) == pytest.approx(np.log(3))
    assert (riata.segment_posteriors(span) == riata.segment_posteriors(forbidden)).all()
    assert riata.segment_kbest(span, None, 3) == riata.segment_kbest(forbidden, None, 3)


def test_segments_of_one_token_are_a_chain():
    draw = np.random.default_rng(0)
    node, edge = draw.normal(size=(7, 3)), draw.normal(size=(3, 3))
    segments, best = riata.segment_viterbi(node[:, None], edge)
    labels, score_of_labels = riata.viterbi(node, edge)
    assert [label for _, _, label in segments] == labels.tolist()
    assert best == pytest.approx(score_of_labels)


def test_a_long_sentence_is_quick():
    draw = np.random.default_rng(1)
    segments, best = riata.segment_viterbi(draw.normal(size=(2000, 6, 4)), draw.normal(size=(4, 4)))
    assert segments[0][0] == 0 and segments[-1][1] == 2000 and np.isfinite(best)


FUNCTIONS = [
    riata.segment_viterbi,
    riata.segment_log_sum,
    riata.segment_posteriors,
    lambda span, edge: riata.segment_kbest(span, edge, 2),
    lambda span, edge: riata.loss_augmented_segment_viterbi(span, edge, [(0, 2, 0)]),
]


@pytest.mark.parametrize("function", FUNCTIONS)
@for_rows(
    "span, edge",
    ((2, 2), None),
    ((0, 2, 2), None),
    ((2, 0, 2), None),
    ((2, 2, 0), (0, 0)),
    ((2, 2, 2), (2,)),
    ((2, 2, 2), (3, 3)),
    ((2, 2, 2), (3, 2, 2)),
)
def test_shapes_that_do_not_fit_are_named(function, span, edge):
    with pytest.raises(DataError, match=r"span has the shape .* expected \[T, M, L\]"):
        function(np.zeros(span), None if edge is None else np.zeros(edge))


@for_each(function=FUNCTIONS, wrong=[np.nan, np.inf], where=["span", "edge"])
def test_scores_without_meaning_are_refused(function, wrong, where):
    arrays = {"span": np.zeros((2, 2, 2)), "edge": np.zeros((2, 2))}
    arrays[where].flat[1] = wrong
    refused(DataError, "NaN or plus infinity", function, **arrays)


@for_each(function=FUNCTIONS, where=["span", "edge"])
def test_scores_whose_sums_would_be_infinite_are_refused(function, where):
    arrays = {"span": np.zeros((2, 2, 2)), "edge": np.zeros((2, 2))}
    arrays[where].flat[1] = 1e300
    refused(DataError, rf"{where} has the score 1e\+300; expected at most 1e\+290", function, **arrays)


@for_each(function=FUNCTIONS, where=["span", "edge"])
def test_masked_scores_are_refused(function, where):
    arrays = {"span": np.zeros((2, 2, 2)), "edge": np.zeros((2, 2))}
    plain = function(**arrays)
    arrays[where] = np.ma.array(arrays[where])
    assert str(function(**arrays)) == str(plain)  # nothing is masked
    arrays[where][0] = np.ma.masked
    refused(DataError, rf"{where} is an array with masked values", function, **arrays)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_entries_that_are_not_read_may_be_anything(function):
    draw = np.random.default_rng(2)
    span, edge = draw.normal(size=(2, 3, 2)), draw.normal(size=(2, 2, 2))
    plain = function(span, edge)
    edge[0] = np.nan
    for t in range(2):
        span[t, 2 - t :] = [np.nan, np.inf]
    assert str(function(span, edge)) == str(plain)


def test_a_huge_list_is_interrupted():
    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        refused(Alarm, "", riata.segment_kbest, np.zeros((60, 3, 4)), np.zeros((4, 4)), 2**40)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@for_rows(
    "gold",
    [],
    [(0, 1, 0)],
    [(0, 1, 0), (0, 2, 0)],
    [(0, 3, 0)],
    [(0, 2, 2)],
    [(0, 2, -1)],
    [(0, 0, 0), (0, 2, 0)],
    [(0, 2)],
    [(0, 1, 0), (1, 2)],
    [(0.0, 2.0, 0.0)],
    3,
)
def test_a_truth_that_does_not_cover_the_tokens_is_refused(gold):
    refused(DataError, "gold is", riata.loss_augmented_segment_viterbi, np.zeros((2, 2, 2)), None, gold)


@pytest.mark.parametrize("cost", [np.nan, np.inf, 1e300, "1", None])
def test_a_cost_without_meaning_is_refused(cost):
    refused(DataError, "cost is", riata.loss_augmented_viterbi, np.zeros((1, 1)), np.zeros((1, 1)), [0], cost)
    refused(DataError, "cost is", riata.loss_augmented_segment_viterbi, np.zeros((1, 1, 1)), None, [(0, 1, 0)], cost)


@pytest.mark.parametrize("k", [0, -1, 1.5, "x"])
def test_a_k_without_meaning_is_refused(k):
    refused(SettingError, "'k'", riata.segment_kbest, np.zeros((1, 1, 1)), None, k)


def test_all_errors_are_riata_errors():
    refused(RiataError, "", riata.segment_viterbi, "words")
