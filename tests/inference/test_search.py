"""Decoding by search: against enumeration where it is exact, and everywhere against Figure 1 over dictionaries.

Weights are binary fractions here, so that sums are exact, and ties are ties, whatever the order of addition.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest

import riata
from chain_problems import UNBOUNDED, options, random_model
from checks import refused, stored
from oracle.laso import Laso
from oracle.perceptron import score
from riata import Chunker
from riata.data.chunk_labels import shown_encodings
from riata.errors import RiataError
from samples import for_each

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
