"""Search without merging, one node per path as in Figures 1 and 2 of LaSO: against its slow twins and against enumeration."""

import pytest

import joint_problems
import segment_problems
from chain_problems import UNBOUNDED, noise
from checks import refused, stored
from inference import test_trace
from inference.test_search import labellings
from laso_comparison import STEPS, WHAT, WHEN, compared, on_pairs, on_segments
from oracle import segments as segment_oracle
from oracle.perceptron import score
from riata import Chunker, Trace
from riata.errors import UnknownNameError, UnsupportedError
from samples import for_each

QUEUES = {
    "beam 1": {"beam": 1},
    "beam 3": {"beam": 3},
    "beam 65": {"beam": 65},
    "unbounded beam": {"beam": UNBOUNDED},
    "beam by prefix": {"beam": 2, "beam_by": "prefix"},
    "beam by pending": {"beam": 3, "beam_by": "pending"},
    "best-first": {"queue": "best-first"},
}
CHAINS = [
    "word[0]",
    "word[0]\nedge",
    "word[-1]\nword[0]\nedge word[0]",
    "word[0]\nlabel[-2] label[-1]\nedge",
    "word[0]\nlabel[-3] word[0]\nlabel[-1]",
]
EVERY_CHAIN = pytest.mark.parametrize("template", CHAINS)
EVERY_SEGMENTS = pytest.mark.parametrize("template", segment_problems.TEMPLATES)
EVERY_JOINT = pytest.mark.parametrize("template", joint_problems.TEMPLATES)
EVERY_QUEUE = pytest.mark.parametrize("queue", QUEUES)


def unmerged(queue="unbounded beam", **settings):
    return {**QUEUES[queue], "merge": False, **settings}


def in_turn(queue, turn):
    """Settings of the learner that meet each other, over queues and turns, in all ways."""
    place = list(QUEUES).index(queue) + len(QUEUES) * turn
    step = list(STEPS)[place % len(STEPS)]
    settings = {"when": WHEN[turn % len(WHEN)], "update": WHAT[(place // 2) % len(WHAT)], **STEPS[step]}
    return place, unmerged(queue, **settings)


# --- Figure 2 ----------------------------------------------------------------------------------------------------------
@EVERY_QUEUE
@pytest.mark.parametrize("turn", range(5))
def test_weights_of_chains_equal_those_of_the_twin(queue, turn):
    place, settings = in_turn(queue, turn)
    corpus = noise(place, CHAINS[turn], [None, "iob2"][place % 2], longest=4)
    compared(corpus, settings, corpus.random_weights(place), 2, place)
    compared(corpus, settings, None, 2, place)


@EVERY_QUEUE
@pytest.mark.parametrize("turn", range(4))
def test_weights_of_segments_equal_those_of_the_twin(queue, turn):
    place, settings = in_turn(queue, turn)
    template = segment_problems.TEMPLATES[place % len(segment_problems.TEMPLATES)]
    problem = segment_problems.noise(place, template, longest=3, sentences=4)
    on_segments(problem, settings, problem.random_weights(place) if turn else problem.zeros(), 2, place)


@EVERY_QUEUE
@pytest.mark.parametrize("turn", range(4))
def test_weights_of_tags_and_chunks_equal_those_of_the_twin(queue, turn):
    place, settings = in_turn(queue, turn)
    template = joint_problems.TEMPLATES[place % len(joint_problems.TEMPLATES)]
    problem = joint_problems.noise(place, template, ahead=place % 2 == 0, sentences=3, longest=2 + (turn > 1))
    initial = problem.random_weights(place) if turn else problem.zeros()
    on_pairs(problem, settings, initial, 2, place)


@pytest.mark.parametrize("step", STEPS)
def test_the_comparison_with_the_twin_seldom_ends_early(step):
    ended = updates = differs = 0
    for seed in range(8):
        corpus = noise(seed, CHAINS[seed % len(CHAINS)])
        settings, initial = {**STEPS[step], "beam": 2, "update": "best"}, corpus.random_weights(seed)
        done, twin = compared(corpus, {**settings, "merge": False}, initial, 2, seed)
        ended += done < 2 * len(corpus.sentences)
        updates += twin.updates
        differs += compared(corpus, settings, initial, 2, seed)[1].w != twin.w
    assert ended <= 3
    assert updates >= 40
    assert differs > 0


# --- Figure 1 ----------------------------------------------------------------------------------------------------------
def by_score(pairs):
    """Outputs with their scores: the scores from the best on, and the outputs."""
    return sorted((number for _, number in pairs), reverse=True), sorted(map(repr, (output for output, _ in pairs)))


def ended_with(trace):
    """The outputs in the last front with their scores."""
    return [(output, trace.nodes[node].score) for node, output in trace.outputs]


@EVERY_CHAIN
@pytest.mark.parametrize("encoding", [None, "iob2"])
def test_an_unbounded_beam_ends_with_every_labelling_once(encoding, template):
    corpus = noise(3, template, encoding, longest=4)
    weights = corpus.random_weights(3)
    named, found = corpus.by_name(weights), corpus.search(weights, **unmerged())
    for s, sentence in test_trace.sentences_of(corpus):
        inputs = corpus.inputs()[s]
        every = [(y, score(named, inputs, y)) for y in labellings(corpus, len(sentence))]
        ended = ended_with(test_trace.trace_of(corpus, weights, sentence, **unmerged()))
        assert by_score(ended) == by_score(every)
        assert ended[0] == (found[s], max(number for _, number in every))


@EVERY_SEGMENTS
def test_an_unbounded_beam_ends_with_every_segmentation_once(template):
    problem = segment_problems.noise(2, template, longest=4, sentences=3)
    weights = problem.random_weights(2)
    found = problem.decode(weights, **unmerged())
    for s, words in enumerate(problem.sentences):
        segmentations = segment_oracle.segmentations(len(words), problem.labels, problem.most)
        scores = all_scores(problem, weights, s, segmentations)
        every = list(zip(map(segment_problems.tags_of, segmentations), scores, strict=True))
        ended = ended_with(segment_problems.trace_of(problem, weights, s, truth=False, **unmerged()))
        assert by_score(ended) == by_score(every)
        assert ended[0] == (segment_problems.tags_of(found[s]), max(scores))


@EVERY_JOINT
@pytest.mark.parametrize("ahead", [False, True])
def test_an_unbounded_beam_ends_with_all_tags_and_chunks_once(ahead, template):
    problem = joint_problems.noise(2, template, ahead, longest=2, sentences=3)
    weights = problem.random_weights(2)
    found = problem.decode(weights, **unmerged())
    for s in range(len(problem.sentences)):
        every = list(zip(problem.every(s), all_scores(problem, weights, s, problem.every(s)), strict=True))
        ended = ended_with(joint_problems.trace_of(problem, weights, s, truth=False, **unmerged()))
        assert by_score(ended) == by_score(every)
        assert ended[0] == (found[s], max(number for _, number in every))


def all_scores(problem, weights, s, outputs):
    """Of these outputs of a sentence, by the core."""
    several = list(problem.gold)
    return [float(problem.scores(weights, [*several[:s], one, *several[s + 1 :]])[s]) for one in outputs]


BY_PREFIX = {"beam": 3, "beam_by": "prefix"}  # so that all goals meet


def test_a_beam_keeps_as_many_paths_as_it_is_wide_and_no_two_alike():
    """With features that read no earlier label, merging leaves one state of a position."""
    problem = segment_problems.noise(1, "inside word[0]\nlength", longest=5, sentences=5)
    weights = problem.random_weights(1)
    for s, words in enumerate(problem.sentences):
        kept = ended_with(segment_problems.trace_of(problem, weights, s, truth=False, **unmerged(**BY_PREFIX)))
        merged = ended_with(segment_problems.trace_of(problem, weights, s, truth=False, **BY_PREFIX))
        assert len(merged) == 1
        assert len({output for output, _ in kept}) == len(kept) == 3
        assert len(words) > 1 or kept[0] == merged[0]


@pytest.mark.parametrize("seed", range(4))
def test_a_beam_of_one_is_greedy_without_merging_too(seed):
    corpus = noise(seed, CHAINS[1 + seed])
    segments = segment_problems.noise(seed, segment_problems.TEMPLATES[seed])
    joint = joint_problems.noise(seed, joint_problems.TEMPLATES[seed], ahead=seed % 2 == 0)
    for problem, found in ((corpus, corpus.search), (segments, segments.decode), (joint, joint.decode)):
        weights = problem.random_weights(seed)
        assert found(weights, **unmerged("beam 1")) == found(weights, queue="greedy")


# --- what users see ----------------------------------------------------------------------------------------------------
SENTENCES = [
    [("a", "x", "B-X"), ("b", "y", "I-X"), ("c", "x", "O")],
    [("b", "x", "O"), ("c", "y", "B-Y"), ("a", "y", "B-X")],
] * 3


def test_the_setting_is_stored_shown_and_can_be_changed_after_training(tmp_path):
    model = Chunker("laso-perceptron", beam=3, epochs=2, settings={"merge": False}).fit(SENTENCES)
    again = stored(model, tmp_path)
    assert again.settings["merge"] is False
    trace = again.trace(SENTENCES[0])
    assert trace.merge is False and "states that go on alike are not merged" in str(trace)
    assert Trace.from_dict(trace.to_dict()) == trace
    assert "not merged" not in str(again.set_params(settings={"merge": True}).trace(SENTENCES[0]))
    again.set_params(queue="exact", beam=None, settings={"merge": False})
    assert again.predict(SENTENCES) == model.set_params(queue="exact", beam=None, settings=None).predict(SENTENCES)


@pytest.mark.parametrize("queue", ["exact", "greedy"])
def test_a_queue_that_never_holds_two_states_refuses_it(queue):
    model = Chunker("laso-perceptron", structure="segments", queue=queue, settings={"merge": False})
    with pytest.raises(
        UnsupportedError, match=rf"needs states side by side .*; the queue '{queue}' has none"
    ) as caught:
        model.fit(SENTENCES)
    assert "or use queue='beam' or 'best-first'" in caught.value.remedy


@for_each(structure=["chain", "segments"], queue=["exact", "greedy"])
def test_decoding_with_such_a_queue_finds_the_same_whether_states_were_merged_or_not(tmp_path, queue, structure):
    trained = Chunker("laso-perceptron", structure=structure, beam=3, epochs=2, settings={"merge": False})
    loaded = stored(trained.fit(SENTENCES), tmp_path).set_params(queue=queue, beam=None)
    unmerged = loaded.predict(SENTENCES)
    assert loaded.set_params(settings={"merge": True}).predict(SENTENCES) == unmerged


def test_a_recipe_that_does_not_search_has_no_such_setting():
    refused(UnknownNameError, "'merge'", Chunker("perceptron", settings={"merge": False}).fit, SENTENCES)
