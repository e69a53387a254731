"""Confidences of narrow beams against the sum over all outputs of which every state was kept,
as the trace of the same search shows them.
"""

import pytest
from hypothesis import strategies as st

import joint_problems
import segment_problems
from chain_problems import noise, options, random_model
from checks import refused
from confidence_problems import (
    TEMPERATURES,
    chain_kept,
    chain_model,
    chain_sentences,
    check,
    joint_kept,
    joint_sentences,
    segment_kept,
    segment_sentences,
)
from riata.data.memory import as_corpus
from riata.errors import UnsupportedError
from riata.inference.decoder import Decoder
from samples import for_each, tried

NARROW = {
    "beam 2": {"beam": 2},
    "beam 3": {"beam": 3},
    "beam 2 by prefix": {"beam": 2, "beam_by": "prefix"},
    "beam 70": {"beam": 70},
    "beam 2, nothing merged": {"beam": 2, "merge": False},
    "beam 2 by prefix, nothing merged": {"beam": 2, "beam_by": "prefix", "merge": False},
    "greedy": {"queue": "greedy"},
}
ENCODINGS = [None, "iob1", "iob2", "bioes"]
QUEUES = st.sampled_from(list(NARROW))


@for_each(encoding=ENCODINGS, queue=NARROW)
def test_a_chain_sums_over_what_is_kept(queue, encoding):
    cut = 0
    for seed in range(3):
        problem, weights = random_model(seed, encoding, edges=seed != 1, longest=4)
        model, sentences = chain_model(problem, weights), [words for words in problem.sentences if words][:4]
        made = chain_sentences(model, sentences, problem.is_legal, NARROW[queue], chunks=encoding is not None)
        for words, one in zip(sentences, made, strict=True):
            kept = chain_kept(model, words, NARROW[queue])
            cut += sum(not kept(path) for path in one.paths)
            check(one, kept)
    assert (cut > 0) == (NARROW[queue].get("beam", 1) < len(problem.labels))


@tried(20, st.integers(0, 10**6), st.sampled_from(ENCODINGS), QUEUES, st.booleans())
def test_a_chain_that_looks_back_does_too(seed, encoding, queue, as_single):
    template = ["word[0]\nlabel[-2] label[-1]\nedge", "word[0]\nlabel[-3] word[0]\nlabel[-1]"][seed % 2]
    problem = noise(seed, template, encoding, sentences=4, longest=4)
    model = chain_model(problem, problem.random_weights(seed), as_single=as_single)
    sentences = [words for words in problem.sentences if words]
    made = chain_sentences(model, sentences, problem.is_legal, NARROW[queue], chunks=encoding is not None)
    for words, one in zip(sentences, made, strict=True):
        check(one, chain_kept(model, words, NARROW[queue]))


@tried(40, st.integers(0, 10**6), st.sampled_from(segment_problems.TEMPLATES), QUEUES)
def test_segments_sum_over_what_is_kept(seed, template, queue):
    problem = segment_problems.noise(seed, template, longest=4, sentences=2)
    weights = problem.random_weights(seed)
    for s, one in enumerate(segment_sentences(problem, weights, NARROW[queue])):
        check(one, segment_kept(problem, weights, s, NARROW[queue]))


@tried(30, st.integers(0, 10**6), st.sampled_from(joint_problems.TEMPLATES), st.booleans(), QUEUES)
def test_pairs_sum_over_what_is_kept(seed, template, ahead, queue):
    problem = joint_problems.noise(seed, template, ahead, sentences=2)
    weights = problem.random_weights(seed)
    for s, one in enumerate(joint_sentences(problem, weights, NARROW[queue])):
        check(one, joint_kept(problem, weights, s, NARROW[queue]))


def test_what_is_kept_makes_a_difference():
    """Otherwise the tests here would show no more than those of unbounded beams."""
    problem, weights = random_model(0, "bioes", longest=4)
    sentences = [words for words in problem.sentences if len(words) == 4]
    for one in chain_sentences(
        chain_model(problem, weights), sentences, problem.is_legal, NARROW["beam 2"], chunks=True
    ):
        refused(AssertionError, "", check, one)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_greedy_search_on_a_chain_is_always_sure(encoding):
    for seed in range(4):
        problem, weights = random_model(seed, encoding)
        corpus = as_corpus(problem.sentences)
        _, values = chain_model(problem, weights).confidences(corpus, Decoder("greedy"), TEMPERATURES, chunks=True)
        assert (values == 1).all()


def test_greedy_search_is_sure_where_no_paths_merge():
    """Where they do, the label of a segment is in doubt among those that lead to the same state."""
    for template in segment_problems.TEMPLATES:
        problem = segment_problems.noise(1, template, longest=4, sentences=3)
        made = segment_sentences(problem, problem.random_weights(1), NARROW["greedy"])
        assert all((one.values == 1).all() for one in made) == ("label[" in template)
    problem = joint_problems.noise(1, joint_problems.TEMPLATES[1], ahead=True)
    assert all((one.values == 1).all() for one in joint_sentences(problem, problem.random_weights(1), NARROW["greedy"]))


@pytest.mark.parametrize("queue", [{"queue": "best-first"}, {"beam": 3, "beam_by": "pending"}])
def test_a_queue_without_levels_is_refused(queue):
    problem, weights = random_model(0)
    asked = options(**queue)
    decoder = Decoder(asked["queue"], asked["beam"], asked["beam_by"])
    with pytest.raises(UnsupportedError, match="keeps no levels") as caught:
        chain_model(problem, weights).confidences(as_corpus(problem.sentences), decoder, [1.0], chunks=False)
    assert f"the queue '{asked['queue']}'" in str(caught.value)
    assert caught.value.remedy == "Use the queue beam by operations or by prefix."
