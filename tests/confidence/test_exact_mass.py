"""Confidences of beams against sums over all legal outputs, or over those of which every state was kept, in every structure."""

import itertools

import pytest
from hypothesis import strategies as st

import joint_problems
import segment_problems
from chain_problems import UNBOUNDED, noise, options, random_model, tags
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
from riata import _core, registry
from riata.data.memory import as_corpus
from riata.errors import UnsupportedError
from riata.inference.rules.legality import Legality
from riata.inference.structure import Decoder
from samples import CHUNKS, for_each, hashed_chunker, history_chunker, recoded_chunker, tried

ENCODINGS = [None, "iob1", "iob2", "bioes", "bilou"]
WHOLE = {
    "beam": {"beam": UNBOUNDED},
    "beam by prefix": {"beam": UNBOUNDED, "beam_by": "prefix"},
    "exact": {"queue": "exact"},
}
HISTORIES = [
    "word[0]\nlabel[-1]",
    "word[0]\nlabel[-2] label[-1]\nedge",
    "label[-2] word[0]\nlabel[-2] label[-1] word[-1] word[0]\nlabel[-1]",
    "word[0]\nnumber(1)[0]\nlabel[-3] label[-1]\nedge word[0]",
]
EVERY_QUEUE = pytest.mark.parametrize("queue", WHOLE)


def sentences_of(problem, longest):
    return [words for words in problem.sentences if 0 < len(words) <= longest][:4]


@EVERY_QUEUE
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_chain_sums_over_all_labellings(encoding, queue):
    for seed in range(3):
        problem, weights = random_model(seed, encoding, edges=seed != 1, edges_by_word=seed == 2, longest=4)
        model = chain_model(problem, weights)
        sentences = sentences_of(problem, 4)
        for one in chain_sentences(model, sentences, problem.is_legal, WHOLE[queue], chunks=encoding is not None):
            check(one)


@tried(
    25,
    st.integers(0, 10**6),
    st.sampled_from(HISTORIES),
    st.sampled_from(ENCODINGS),
    st.booleans(),
    st.sampled_from(list(WHOLE)),
)
def test_a_chain_that_looks_back_does_too(seed, template, encoding, as_single, queue):
    problem = noise(seed, template, encoding, sentences=4, longest=4)
    model = chain_model(problem, problem.random_weights(seed), as_single=as_single)
    sentences = sentences_of(problem, 4)
    for one in chain_sentences(model, sentences, problem.is_legal, WHOLE[queue], chunks=encoding is not None):
        check(one)


@tried(15, st.integers(0, 10**6), st.sampled_from(ENCODINGS[1:]))
def test_chunks_of_two_types_that_touch(seed, encoding):
    """Whichever labels say that a chunk is there: in IOB1, B- and I- may both start one."""
    prefixes = registry.get("encoding", encoding).prefixes
    labels = ("O", *(f"{prefix}-{kind}" for prefix in prefixes for kind in "XY"))
    problem, weights = random_model(seed, encoding, most=40, longest=3, labels=labels)
    for one in chain_sentences(
        chain_model(problem, weights), sentences_of(problem, 3), problem.is_legal, WHOLE["beam"], chunks=True
    ):
        check(one)


def test_chunk_labels_of_which_any_may_follow_any():
    """Nothing but the chunks themselves tells apart what came before."""
    labels = ("O", "I-X", "I-Y")
    for seed in range(4):
        problem, weights = random_model(seed, None, edges=False, longest=4, labels=labels)
        problem.legality = Legality.free(len(labels))
        for one in chain_sentences(
            chain_model(problem, weights), sentences_of(problem, 4), lambda _: True, WHOLE["beam"], chunks=True
        ):
            check(one)


@EVERY_QUEUE
@pytest.mark.parametrize("made", [hashed_chunker, history_chunker, recoded_chunker])
def test_a_trained_chain_sums_over_all_labellings(made, queue):
    """Hashed features, earlier labels and labels that are learnt in another encoding."""
    estimator = made()
    model, encoding = estimator.model_, registry.get("encoding", estimator.learnt_as_)
    second = [[f"{len(word) / 10}" if made is hashed_chunker else tag for word, tag, _ in s] for s in CHUNKS]
    sentences = [
        [(word, other) for (word, _, _), other in zip(s, two, strict=True)][:3]
        for s, two in zip(CHUNKS, second, strict=True)
    ]

    def is_legal(path):
        return all(encoding.may_follow(a, b) for a, b in itertools.pairwise(["O", *path, "O"]))

    assert len(model.labels) > 4
    for one in chain_sentences(model, sentences, is_legal, WHOLE[queue], chunks=True):
        check(one)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_of_equals_it_is_what_exact_decoding_finds(encoding):
    """A beam may put another one first."""
    for seed in range(4):
        problem, weights = random_model(seed, encoding, most=1, edges_by_word=True)
        sentences = sentences_of(problem, 5)
        made = chain_sentences(chain_model(problem, weights), sentences, problem.is_legal, WHOLE["exact"], chunks=True)
        for one in made:
            assert one.found == one.decoded


@tried(
    40,
    st.integers(0, 10**6),
    st.sampled_from(segment_problems.TEMPLATES),
    st.booleans(),
    st.sampled_from(list(WHOLE)),
    st.sampled_from(ENCODINGS[1:]),
)
def test_segments_sum_over_all_segmentations(seed, template, as_single, queue, encoding):
    problem = segment_problems.noise(seed, template, longest=4, sentences=3)
    weights = problem.random_weights(seed, as_single)
    for one in segment_sentences(problem, weights, WHOLE[queue], encoding):
        check(one)


@tried(
    40,
    st.integers(0, 10**6),
    st.sampled_from(joint_problems.TEMPLATES),
    st.booleans(),
    st.booleans(),
    st.sampled_from([_core.JointWeights, _core.JointWeights64]),
    st.sampled_from(["beam", "beam by prefix"]),
    st.sampled_from(["iob1", "iob2", "bioes"]),
)
def test_pairs_sum_over_all_outputs(seed, template, ahead, limited, kind, queue, encoding):
    chunks = tuple(label.replace("X", "A") for label in tags(encoding))
    problem = joint_problems.noise(
        seed, template, ahead, sentences=3, chunks=chunks, encoding=encoding, limited=limited
    )
    weights = problem.random_weights(seed, kind)
    for one in joint_sentences(problem, weights, WHOLE[queue]):
        check(one)


# --- confidences of narrow beams against the sum over all outputs of which every state was kept, ---------------------
NARROW = {
    "beam 2": {"beam": 2},
    "beam 3": {"beam": 3},
    "beam 2 by prefix": {"beam": 2, "beam_by": "prefix"},
    "beam 70": {"beam": 70},
    "beam 2, nothing merged": {"beam": 2, "merge": False},
    "beam 2 by prefix, nothing merged": {"beam": 2, "beam_by": "prefix", "merge": False},
    "greedy": {"queue": "greedy"},
}
SOME_ENCODINGS = [None, "iob1", "iob2", "bioes"]
QUEUES = st.sampled_from(list(NARROW))


@for_each(encoding=SOME_ENCODINGS, queue=NARROW)
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


@tried(20, st.integers(0, 10**6), st.sampled_from(SOME_ENCODINGS), QUEUES, st.booleans())
def test_a_chain_that_looks_back_sums_over_what_is_kept_too(seed, encoding, queue, as_single):
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


@pytest.mark.parametrize("encoding", SOME_ENCODINGS)
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
