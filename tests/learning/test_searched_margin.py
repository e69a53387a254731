"""svm-subgradient where outputs are searched for: tags with chunk labels, against a slow twin (oracle.searched_margin)."""

import pytest

from chain_problems import UNBOUNDED, options
from checks import refused
from joint_problems import TEMPLATES, noise
from laso_comparison import on_pairs
from oracle.joint import path_of
from oracle.searched_margin import JointMargin, wrong
from riata import JointTagger
from riata.errors import RiataError, UnsupportedError
from samples import for_each

QUEUES = {
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


@for_each(queue=QUEUES, C=[0.05, 2.0])
def test_weights_equal_those_of_the_twin(queue, C):
    done = updates = 0
    for seed, template in enumerate(TEMPLATES):
        problem = noise(seed, template, ahead=bool(seed % 2), sentences=3, limited=seed % 3 == 0)
        some, twin = compared(problem, {**QUEUES[queue], **SUBGRADIENT, "C": C}, seed)
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
