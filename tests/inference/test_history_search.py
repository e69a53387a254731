"""Search under features of earlier labels, against enumeration and against Figure 1 over dictionaries.

Weights are binary fractions, so that sums are exact and ties are ties, whatever the order of addition.
"""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st

from chain_problems import UNBOUNDED, noise, options, problem
from checks import refused
from oracle.laso import Laso
from oracle.perceptron import score
from riata import _core
from riata.data.memory import as_corpus
from riata.errors import SearchError
from riata.models.model import Model
from riata.models.structures.chain import ChainOutputs
from samples import tried

TEMPLATES = {
    "one back": "word[0]\nlabel[-1]",
    "one back with words": "word[0]\nlabel[-1] word[0]\nedge",
    "two back": "word[0]\nlabel[-2] label[-1]\nedge",
    "two back with n-grams": "label[-2] word[0]\nlabel[-2] label[-1] word[-1] word[0]\nlabel[-1]",
    "two back, edges by word": "word[0]\nedge word[0]\nlabel[-2] label[-1]",
    "three back": "word[0]\nnumber(1)[0]\nlabel[-3] label[-1]\nedge",
    "four back": "word[0]\nlabel[-4] word[1]\nlabel[-1]\nlabel[-3] label[-2]",
}
ORDER = {name: 1 + ["one", "two", "three", "four"].index(name.split()[0]) for name in TEMPLATES}
QUEUES = {
    "greedy": {"queue": "greedy"},
    "beam 1": {"beam": 1},
    "beam 2": {"beam": 2},
    "beam 3": {"beam": 3},
    "beam 70": {"beam": 70},
    "unbounded beam": {"beam": UNBOUNDED},
    "beam by prefix": {"beam": 2, "beam_by": "prefix"},
    "unbounded beam by prefix": {"beam": UNBOUNDED, "beam_by": "prefix"},
    "three pending": {"beam": 3, "beam_by": "pending"},
    "best-first": {"queue": "best-first"},
}
EVERY_TEMPLATE = pytest.mark.parametrize("template", TEMPLATES)
EVERY_ENCODING = pytest.mark.parametrize("encoding", [None, "iob2", "bioes"])


def sample(seed, template, encoding=None, longest=5):
    corpus = noise(seed, TEMPLATES[template], encoding, longest=longest)
    weights = corpus.random_weights(seed)
    assert corpus.features.program.order == ORDER[template]
    return corpus, weights


def labellings(corpus, length):
    return [labels for labels in itertools.product(corpus.labels, repeat=length) if corpus.is_legal(labels)]


def model_of(corpus, weights):
    return Model(corpus.features, weights, ChainOutputs(corpus.labels, corpus.legality))


# --- exactness -------------------------------------------------------------------------------------------------------
@EVERY_TEMPLATE
@EVERY_ENCODING
def test_an_unbounded_beam_finds_the_best_of_all(template, encoding):
    history = 0
    for seed in range(3):
        corpus, weights = sample(seed, template, encoding, longest=4 if encoding == "bioes" else 5)
        named = corpus.by_name(weights)
        history += sum("label" in feature for (feature, _), _ in named)
        for queue in ({"beam": UNBOUNDED}, {"beam": UNBOUNDED, "beam_by": "prefix"}):
            for inputs, labels in zip(corpus.inputs(), corpus.search(weights, **queue), strict=True):
                every = labellings(corpus, len(inputs))
                assert labels in every
                assert score(named, inputs, labels) == max(score(named, inputs, y) for y in every)
    assert history > 10


@EVERY_TEMPLATE
def test_a_narrower_beam_is_not_exact(template):
    """Otherwise the test above would show nothing."""
    worse = 0
    for seed in range(6):
        corpus, weights = sample(seed, template)
        named = corpus.by_name(weights)
        best, greedy = corpus.search(weights, beam=UNBOUNDED), corpus.search(weights, queue="greedy")
        for inputs, one, other in zip(corpus.inputs(), best, greedy, strict=True):
            assert score(named, inputs, one) >= score(named, inputs, other)
            worse += score(named, inputs, one) > score(named, inputs, other)
    assert worse > 0


@EVERY_TEMPLATE
@EVERY_ENCODING
def test_the_queue_exact_scores_as_an_unbounded_beam(template, encoding):
    corpus, weights = sample(7, template, encoding)
    named, exact = corpus.by_name(weights), corpus.sequences(model_of(corpus, weights).decode(corpus.instances))
    beam = corpus.search(weights, beam=UNBOUNDED)
    for inputs, one, other in zip(corpus.inputs(), exact, beam, strict=True):
        assert corpus.is_legal(one)
        assert score(named, inputs, one) == score(named, inputs, other)
    assert exact == beam or ORDER[template] <= _core.exact_order  # a beam settles ties by age


# --- greedy by hand, and Figure 1 ------------------------------------------------------------------------------------
@EVERY_TEMPLATE
@EVERY_ENCODING
def test_a_beam_of_one_takes_the_best_next_label(template, encoding):
    def label_by_label(corpus, named, inputs):
        done = ()
        for t in range(len(inputs)):
            last = t + 1 == len(inputs)
            legal = [
                y
                for y in corpus.labels
                if corpus.legal(done[-1] if done else None, y) and (not last or corpus.legal(y, None))
            ]
            done = max(((*done, y) for y in legal), key=lambda labels: score(named, inputs[: t + 1], labels))
        return done

    for seed in range(4):
        corpus, weights = sample(seed, template, encoding)
        named = corpus.by_name(weights)
        by_hand = [label_by_label(corpus, named, inputs) for inputs in corpus.inputs()] if encoding != "bioes" else None
        greedy = None
        for queue in ({"queue": "greedy"}, {"beam": 1}, {"beam": 1, "beam_by": "prefix"}):
            try:
                found = corpus.search(weights, **queue)
            except SearchError:
                assert encoding == "bioes"  # a chunk that cannot end any more
                continue
            greedy = greedy or found
            assert found == greedy
            assert by_hand is None or found == by_hand


@EVERY_TEMPLATE
@EVERY_ENCODING
@pytest.mark.parametrize("queue", QUEUES)
def test_every_queue_finds_what_figure_1_finds(queue, encoding, template):
    corpus, weights = sample(11, template, encoding, longest=4 if encoding == "bioes" else 5)
    twin = Laso(corpus.labels, options(**QUEUES[queue]), corpus.legal, corpus.by_name(weights))
    expected = [twin.search(inputs) for inputs in corpus.inputs()]
    if None in expected:
        refused(SearchError, "without a goal", corpus.search, weights, **QUEUES[queue])
    else:
        assert corpus.search(weights, **QUEUES[queue]) == expected


@pytest.mark.parametrize("queue", ["depth-first", "breadth-first"])
def test_blind_queues_return_complete_and_legal_sequences(queue):
    corpus, weights = sample(2, "three back", "iob2")
    found = corpus.search(weights, queue=queue)
    assert [len(labels) for labels in found] == [len(s) for s in corpus.sentences]
    assert all(map(corpus.is_legal, found))


# --- scores ----------------------------------------------------------------------------------------------------------
@tried(40, st.integers(0, 10**6), st.sampled_from(sorted(TEMPLATES)), st.sampled_from([None, "iob2"]))
def test_the_score_of_given_labels_is_the_sum_over_their_features(seed, template, encoding):
    corpus, weights = sample(seed, template, encoding)
    named = corpus.by_name(weights)
    ids = np.array([corpus.labels.index(label) for labels in corpus.gold for label in labels], np.int32)
    scores = model_of(corpus, weights).scores_of(corpus.instances, ids)
    assert scores.tolist() == [score(named, *example) for example in corpus.examples()]


# --- merging ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_states_are_merged_by_as_many_labels_as_templates_read(order):
    # With three labels and no legality an unbounded beam holds every sequence of the last `order` labels, once.
    length = 6
    corpus = problem(f"word[0]\nlabel[-{order}]", [[("a",)] * length], [["X"] * length], ("X", "Y", "Z"))
    weights = corpus.random_weights(0)
    unlabelled = corpus.features.instances(as_corpus(corpus.sentences))
    trace = weights.trace(corpus.index, unlabelled, np.empty(0, np.int32), options(beam=UNBOUNDED), None, False)
    paths = [()]
    for parent, (_, action), *_ in trace["nodes"][1:]:
        paths.append((*paths[parent], action))
    for depth in range(1, length + 1):
        last = [labels[-order:] for labels in paths if len(labels) == depth]
        assert len(set(last)) == len(last) == 3 ** min(order, depth)
