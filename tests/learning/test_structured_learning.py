"""Learning by search on segments, and of tags and chunk labels, against slow twins (oracle.segments, oracle.joint), over double."""

import numpy as np
import pytest

import joint_problems
import segment_problems
from chain_problems import UNBOUNDED, options
from checks import refused
from joint_problems import TEMPLATES, noise
from laso_comparison import QUEUES, STEPS, WHAT, WHEN, on_pairs, on_segments
from oracle.joint import path_of
from oracle.searched_margin import JointMargin, wrong
from riata import JointTagger, _core
from riata.errors import RiataError, UnsupportedError
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


@for_each(structure=["segments", "pairs"], step=["perceptron", "alma", "mira"])
def test_sentence_weights(step, structure):
    settings = {**STEPS[step], "beam": 2, "update": "best"}
    for seed in range(4) if structure == "segments" else range(2):
        if structure == "segments":
            problem = segments(seed, seed)
            weights = np.random.default_rng(seed).choice([0.0, 0.25, 1.0, 2.0], len(problem.sentences)).tolist()
            on_segments(problem, settings, problem.random_weights(seed), 2, seed, weights)
        else:
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


# --- svm-subgradient where outputs are searched for ------------------------------------------------------------------
SEARCHES = {
    "greedy": {"queue": "greedy"},
    "beam 2": {"beam": 2},
    "beam 3 without merging": {"beam": 3, "merge": False},
    "unbounded beam": {"beam": UNBOUNDED},
    "beam by pending": {"beam": 3, "beam_by": "pending"},
    "best-first": {"queue": "best-first"},
}
SUBGRADIENT = {"when": "standard", "update": "best", "step": "subgradient"}


def compared(problem, settings, seed, weights=(), epochs=2):
    """Trains the core and the twin. Returns (sentences, twin)."""
    return on_pairs(problem, settings, problem.random_weights(seed), epochs, seed, weights, kind=JointMargin)


@for_each(queue=SEARCHES, C=[0.05, 2.0])
def test_weights_of_subgradient_steps_equal_those_of_the_twin(queue, C):
    done = updates = 0
    for seed, template in enumerate(TEMPLATES):
        problem = noise(seed, template, ahead=bool(seed % 2), sentences=3, limited=seed % 3 == 0)
        some, twin = compared(problem, {**SEARCHES[queue], **SUBGRADIENT, "C": C}, seed)
        done, updates = done + some, updates + twin.updates
    assert done >= 12 and updates >= 5


def test_weights_of_sentences_multiply_steps():
    weights = [0.0, 0.25, 2.0]
    problem = noise(1, TEMPLATES[1], ahead=True, sentences=3)
    done, _ = compared(problem, {"beam": 3, **SUBGRADIENT, "C": 0.5}, 1, weights)
    assert done == 6


@pytest.mark.parametrize("ahead", [False, True])
def test_a_beam_without_a_limit_finds_the_worst_output_of_all(ahead):
    for seed in range(3):
        problem = noise(seed, TEMPLATES[seed + 1], ahead, sentences=1)
        twin = JointMargin(
            problem, options(beam=UNBOUNDED, **SUBGRADIENT, C=0.5), problem.by_name(problem.random_weights(seed))
        )
        (x,), truth, before = problem.sentences, path_of(problem.gold[0], ahead), dict(twin.w)
        twin.sentence(x, truth)
        found, twin.w = twin.found[0], before
        values = [twin.dot(twin.phi(x, path_of(y, ahead))) + wrong(path_of(y, ahead), truth) for y in problem.every(0)]
        assert found == pytest.approx(max(values) - twin.dot(twin.phi(x, truth)))


SENTENCES = [[("the",), ("dog",), ("barks",)], [("dogs",), ("see",), ("the",), ("cat",)]]
PAIRS = [
    [("DT", "B-NP"), ("NN", "I-NP"), ("VB", "B-VP")],
    [("NN", "B-NP"), ("VB", "B-VP"), ("DT", "B-NP"), ("NN", "I-NP")],
]


def test_a_joint_tagger_learns_and_says_that_it_is_approximate():
    told = []
    tagger = JointTagger("svm-subgradient", epochs=10).fit(SENTENCES, PAIRS, listener=told.append)
    assert any("approximate" in getattr(event, "text", "") for event in told)
    assert [list(map(tuple, one)) for one in tagger.predict(SENTENCES)] == PAIRS


def test_no_joint_tagger_goes_on_or_takes_settings_of_exact_search():
    tagger = JointTagger("svm-subgradient", epochs=2, warm_start=True).fit(SENTENCES, PAIRS)
    refused(UnsupportedError, "does not go on", tagger.fit, SENTENCES, PAIRS)
    with pytest.raises(UnsupportedError, match="one objective over all data"):
        JointTagger("svm-subgradient").partial_fit(SENTENCES, PAIRS)
    refused(RiataError, "method", JointTagger("svm-subgradient", settings={"method": "batch"}).fit, SENTENCES, PAIRS)


def test_a_trace_of_training_shows_scores_with_losses():
    tagger = JointTagger("svm-subgradient", epochs=2, settings={"C": 1e-6}).fit(SENTENCES, PAIRS)
    plain, of_training = (tagger.trace(SENTENCES[0], PAIRS[0], training=training) for training in (False, True))
    best = [max(node.score for node in trace.nodes if node.goal) for trace in (plain, of_training)]
    assert best == pytest.approx([0, 6], abs=0.01)  # three tags and three chunk labels
