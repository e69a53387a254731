"""Decoding by search, also under features of earlier labels: against enumeration where it is exact, and against Figure 1.

Weights are binary fractions here, so that sums are exact, and ties are ties, whatever the order of addition.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from chain_problems import UNBOUNDED, noise, options, problem, random_model
from checks import refused, stored
from oracle.laso import Laso
from oracle.perceptron import score
from riata import Chunker, _core
from riata.data.encodings.base import shown_encodings
from riata.data.memory import as_corpus
from riata.errors import RiataError, SearchError
from riata.models.model import Model
from riata.structures.chain.model import ChainOutputs
from samples import for_each, tried

ENCODINGS = [None, *shown_encodings()]
EDGES = {
    "no edges": {"edges": False},
    "edges": {},
    "edges by word": {"edges_by_word": True},
    "edges by word only": {"edges": False, "edges_by_word": True},
}
QUEUES = {
    "greedy": {"queue": "greedy"},
    "beam 1": {"beam": 1},
    "beam 2": {"beam": 2},
    "beam 3": {"beam": 3},
    "beam 64": {"beam": 64},
    "beam 65": {"beam": 65},
    "unbounded beam": {"beam": UNBOUNDED},
    "beam 1 by prefix": {"beam": 1, "beam_by": "prefix"},
    "beam 2 by prefix": {"beam": 2, "beam_by": "prefix"},
    "unbounded beam by prefix": {"beam": UNBOUNDED, "beam_by": "prefix"},
    "one pending": {"beam": 1, "beam_by": "pending"},
    "three pending": {"beam": 3, "beam_by": "pending"},
    "unbounded pending": {"beam": UNBOUNDED, "beam_by": "pending"},
    "best-first": {"queue": "best-first"},
}
EXACT = ["beam 64", "beam 65", "unbounded beam", "unbounded beam by prefix"]
EXACT_DOWNHILL = [*EXACT, "unbounded pending", "best-first"]
BLIND = {"depth-first": {"queue": "depth-first"}, "breadth-first": {"queue": "breadth-first"}}


def labellings(problem, length):
    return [labels for labels in itertools.product(problem.labels, repeat=length) if problem.is_legal(labels)]


def assert_best(problem, weights, found):
    """Each sequence is one of the best of all legal ones."""
    named = problem.by_name(weights)
    for inputs, labels in zip(problem.inputs(), found, strict=True):
        assert labels in labellings(problem, len(inputs))
        assert score(named, inputs, labels) == max(score(named, inputs, y) for y in labellings(problem, len(inputs)))


# --- exactness ---------------------------------------------------------------------------------------------------------
@for_each(edges=EDGES, encoding=ENCODINGS)
def test_a_beam_that_holds_every_last_label_is_exact(encoding, edges):
    for seed in range(4):
        problem, weights = random_model(seed, encoding, longest=4, **EDGES[edges])
        for queue in EXACT:
            assert_best(problem, weights, problem.search(weights, **QUEUES[queue]))
        for by in ("operations", "prefix"):
            assert_best(problem, weights, problem.search(weights, beam=len(problem.labels), beam_by=by))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_unbounded_beam_scores_as_viterbi_does(encoding):
    for seed in range(20):
        problem, weights = random_model(seed, encoding, edges_by_word=seed % 2 == 1, longest=12)
        named = problem.by_name(weights)
        found, exact = problem.search(weights, beam=UNBOUNDED), problem.exact(weights)
        for inputs, labels, best in zip(problem.inputs(), found, exact, strict=True):
            assert problem.is_legal(labels)
            assert score(named, inputs, labels) == score(named, inputs, best)


@for_each(edges=EDGES, encoding=ENCODINGS)
def test_best_first_is_exact_where_no_step_gains(encoding, edges):
    gaining = 0
    for seed in range(4):
        plain, weights = random_model(seed, encoding, longest=4, **EDGES[edges])
        # The same model with every step made worse by the same amount, so that none is above zero.
        problem, downhill = random_model(seed, encoding, longest=4, shift=-64, **EDGES[edges])
        assert max(problem.by_name(downhill).values()) <= 0
        for queue in EXACT_DOWNHILL:
            found = problem.search(downhill, **QUEUES[queue])
            assert_best(problem, downhill, found)
            assert_best(plain, weights, found)
        gaining += plain.search(weights, queue="best-first") != plain.exact(weights)
    assert gaining > 0 or edges == "no edges"


# --- Figure 1 ------------------------------------------------------------------------------------------------------------
@for_each(encoding=ENCODINGS, queue=QUEUES)
def test_every_queue_finds_what_figure_1_finds(queue, encoding):
    for seed, (most, edges) in enumerate(itertools.product([2, 64], EDGES)):  # up to 2: many ties
        problem, weights = random_model(seed, encoding, most=most, **EDGES[edges])
        twin = Laso(problem.labels, options(**QUEUES[queue]), problem.legal, problem.by_name(weights))
        assert problem.search(weights, **QUEUES[queue]) == [twin.search(inputs) for inputs in problem.inputs()]


@for_each(encoding=ENCODINGS, queue=[*QUEUES, *BLIND])
def test_every_queue_returns_complete_and_legal_sequences(queue, encoding):
    for seed in range(10):
        problem, weights = random_model(seed, encoding, edges_by_word=seed % 2 == 1)
        found = problem.search(weights, **(QUEUES | BLIND)[queue])
        assert [len(labels) for labels in found] == [len(s) for s in problem.sentences]
        assert all(map(problem.is_legal, found))
        assert found == problem.search(weights, **(QUEUES | BLIND)[queue])


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_beam_of_one_is_greedy_and_so_is_depth_first_without_dead_ends(encoding):
    for seed in range(20):
        problem, weights = random_model(seed, encoding, most=[2, 64][seed % 2])
        greedy = problem.search(weights, queue="greedy")
        for queue in ("beam 1", "beam 1 by prefix", "one pending"):
            assert problem.search(weights, **QUEUES[queue]) == greedy
        assert problem.search(weights, queue="depth-first") == greedy


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_breadth_first_returns_the_first_sequence_of_all(encoding):
    problem, weights = random_model(0, encoding)
    found = problem.search(weights, queue="breadth-first")
    assert found == [labellings(problem, len(s))[0] for s in problem.sentences]


# --- dead ends and limits --------------------------------------------------------------------------------------------
def test_where_a_label_leads_nowhere_only_queues_with_another_node_go_on():
    # In BIOES a chunk that begins must end, and here is no label to end it with. Some sentences begin with B at best.
    problem, weights = random_model(1, "bioes", labels=("B-X", "I-X", "O"))
    outside = [("O",) * len(s) for s in problem.sentences]
    for queue in (*EXACT, "best-first"):
        assert problem.search(weights, **QUEUES[queue]) == outside
    for queue in BLIND.values():
        assert problem.search(weights, **queue) == outside
    refused(RiataError, r"^sentence 0: the search ended without a goal", problem.search, weights, queue="greedy")


@pytest.mark.parametrize("queue", ["best-first", "breadth-first", "depth-first"])
def test_an_unbounded_queue_stops_at_its_limit(queue):
    problem, weights = random_model(0, longest=30)
    refused(RiataError, "made 20 nodes without reaching a goal", problem.search, weights, queue=queue, max_nodes=20)


@for_each(queue=["best-first", "breadth-first"], encoding=[None, "bioes"])
def test_queues_that_meet_states_again_expand_them_once(encoding, queue):
    # Without a memory of states the tree has as many nodes as there are prefixes: 3 ** 60 and more.
    problem, weights = random_model(0, encoding, longest=60)
    assert len(problem.search(weights, queue=queue, max_nodes=3_000)) == len(problem.sentences)


def test_best_first_learns_from_ordinary_sentences():
    corpus = riata.load("embedded", "train", ("word", "chunk"))
    chunker = Chunker("laso-perceptron", queue="best-first", epochs=3).fit(corpus[:100])
    assert chunker.score(corpus[:100]) > 0.9


def test_a_loaded_model_searches_from_several_threads_at_once(tmp_path):
    corpus = riata.load("embedded", "train")[:60]
    chunker = Chunker("early", epochs=2).fit(corpus)
    loaded = stored(chunker, tmp_path)
    expected = chunker.predict(corpus)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(lambda _: loaded.predict(corpus), range(8)))


# --- search under features of earlier labels, against enumeration and against Figure 1 over dictionaries -------------
READING_LABELS = {
    "one back": "word[0]\nlabel[-1]",
    "one back with words": "word[0]\nlabel[-1] word[0]\nedge",
    "two back": "word[0]\nlabel[-2] label[-1]\nedge",
    "two back with n-grams": "label[-2] word[0]\nlabel[-2] label[-1] word[-1] word[0]\nlabel[-1]",
    "two back, edges by word": "word[0]\nedge word[0]\nlabel[-2] label[-1]",
    "three back": "word[0]\nnumber(1)[0]\nlabel[-3] label[-1]\nedge",
    "four back": "word[0]\nlabel[-4] word[1]\nlabel[-1]\nlabel[-3] label[-2]",
}
ORDER = {name: 1 + ["one", "two", "three", "four"].index(name.split()[0]) for name in READING_LABELS}
SOME_QUEUES = {
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
EVERY_TEMPLATE = pytest.mark.parametrize("template", READING_LABELS)
EVERY_ENCODING = pytest.mark.parametrize("encoding", [None, "iob2", "bioes"])


def sample(seed, template, encoding=None, longest=5):
    corpus = noise(seed, READING_LABELS[template], encoding, longest=longest)
    weights = corpus.random_weights(seed)
    assert corpus.features.program.order == ORDER[template]
    return corpus, weights


def legal_labellings(corpus, length):
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
                every = legal_labellings(corpus, len(inputs))
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
@pytest.mark.parametrize("queue", SOME_QUEUES)
def test_every_queue_finds_what_figure_1_finds_under_earlier_labels(queue, encoding, template):
    corpus, weights = sample(11, template, encoding, longest=4 if encoding == "bioes" else 5)
    twin = Laso(corpus.labels, options(**SOME_QUEUES[queue]), corpus.legal, corpus.by_name(weights))
    expected = [twin.search(inputs) for inputs in corpus.inputs()]
    if None in expected:
        refused(SearchError, "without a goal", corpus.search, weights, **SOME_QUEUES[queue])
    else:
        assert corpus.search(weights, **SOME_QUEUES[queue]) == expected


@pytest.mark.parametrize("queue", ["depth-first", "breadth-first"])
def test_blind_queues_return_complete_and_legal_sequences(queue):
    corpus, weights = sample(2, "three back", "iob2")
    found = corpus.search(weights, queue=queue)
    assert [len(labels) for labels in found] == [len(s) for s in corpus.sentences]
    assert all(map(corpus.is_legal, found))


# --- scores ----------------------------------------------------------------------------------------------------------
@tried(40, st.integers(0, 10**6), st.sampled_from(sorted(READING_LABELS)), st.sampled_from([None, "iob2"]))
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
