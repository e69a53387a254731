"""Exact decoding and lists of the k best against enumeration: on arrays of scores, and on trained models with their legal tags."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from chain_problems import UNBOUNDED, random_model
from checks import refused
from oracle import features as twin
from oracle.perceptron import argmax, score, sequences
from packed_weights import weights_of
from riata import Chunker, Tagger, registry
from riata.data.encodings.base import convert, shown_encodings
from riata.errors import DataError, SettingError, UnsupportedError
from riata.features.attributes import builtin
from riata.features.templates import parse
from samples import embedded, for_each, for_rows, tried

NEVER = -np.inf


def path_score(node, edge, labels):
    """In the order in which Viterbi adds, so that whole numbers and real ones are exact alike."""
    total = node[0][labels[0]]
    for t in range(1, len(labels)):
        pair = edge[t] if np.ndim(edge) == 3 else edge
        total = (total + pair[labels[t - 1]][labels[t]]) + node[t][labels[t]]
    return total


def enumerated(node, edge):
    """The best labels, the lowest of equals read from the end, and their score."""
    best = max(sequences(range(len(node[0])), len(node)), key=lambda labels: path_score(node, edge, labels))
    return best, path_score(node, edge, best)


def chains(element):
    def arrays(shape):
        T, L, per_token = shape
        flat = st.lists(element, min_size=L * L * (T if per_token else 1), max_size=L * L * (T if per_token else 1))
        return st.tuples(
            st.lists(element, min_size=T * L, max_size=T * L).map(lambda v: np.array(v, float).reshape(T, L)),
            flat.map(lambda v: np.array(v, float).reshape((T, L, L) if per_token else (L, L))),
        )

    return st.tuples(st.integers(1, 5), st.integers(1, 4), st.booleans()).flatmap(arrays)


whole = st.integers(-2, 2).map(float)
constrained = st.one_of(whole, whole, st.just(NEVER))
real = st.one_of(st.floats(-10, 10, allow_subnormal=False), st.just(NEVER))


@given(chains(constrained))
def test_viterbi_is_the_enumerated_maximum_with_ties_to_the_lowest_label_from_the_end(chain):
    labels, best = riata.viterbi(*chain)
    expected, maximum = enumerated(*chain)
    assert best == maximum
    if maximum > NEVER:
        assert tuple(labels) == expected


@given(chains(real))
def test_viterbi_on_real_scores_finds_a_path_of_the_maximal_score(chain):
    labels, best = riata.viterbi(*chain)
    assert best == pytest.approx(enumerated(*chain)[1], abs=1e-9)
    assert best == path_score(*chain, labels)


@given(chains(constrained), st.data())
def test_loss_augmented_viterbi_adds_the_cost_to_every_wrong_label(chain, data):
    node, edge = chain
    gold = data.draw(st.lists(st.integers(0, node.shape[1] - 1), min_size=len(node), max_size=len(node)))
    cost = data.draw(st.sampled_from([-1.0, 0.5, 1.0, 3.0]))

    def augmented(labels):
        return path_score(node, edge, labels) + cost * sum(a != b for a, b in zip(labels, gold, strict=True))

    expected = max(sequences(range(node.shape[1]), len(node)), key=augmented)
    labels, best = riata.loss_augmented_viterbi(node, edge, gold, cost)
    assert best == augmented(expected)
    if best > NEVER:
        assert tuple(labels) == expected


@given(chains(constrained), st.data())
def test_loss_augmented_viterbi_without_cost_is_viterbi(chain, data):
    gold = data.draw(st.lists(st.integers(0, chain[0].shape[1] - 1), min_size=len(chain[0]), max_size=len(chain[0])))
    labels, best = riata.loss_augmented_viterbi(*chain, gold, cost=0.0)
    expected, maximum = riata.viterbi(*chain)
    assert best == maximum
    assert list(labels) == list(expected)


def test_the_cost_is_one_where_nothing_is_said():
    labels, best = riata.loss_augmented_viterbi([[0.0, 0.5], [3.0, 0.0]], np.zeros((2, 2)), [1, 0])
    assert (list(labels), best) == ([0, 0], 4.0)


@given(chains(constrained), st.integers(-3, 3))
def test_a_constant_added_to_every_node_changes_no_argmax(chain, constant):
    node, edge = chain
    labels, best = riata.viterbi(node, edge)
    moved, moved_best = riata.viterbi(node + constant, edge)
    assert list(moved) == list(labels)
    assert moved_best == best + constant * len(node)


@given(chains(constrained))
def test_equal_edges_at_every_token_are_the_same_as_one_matrix(chain):
    node, edge = chain
    if edge.ndim == 3:
        edge = edge[0]
    labels, best = riata.viterbi(node, edge)
    again, same = riata.viterbi(node, np.stack([edge] * len(node)))
    assert (list(labels), best) == (list(again), same)


def test_the_edges_into_the_first_token_are_not_used():
    node, edge = np.array([[0.0, 1.0], [2.0, 0.0]]), np.zeros((2, 2, 2))
    edge[0] = [[5.0, -7.0], [9.0, NEVER]]
    labels, best = riata.viterbi(node, edge)
    assert (list(labels), best) == ([1, 0], 3.0)


def test_everything_tied_gives_the_first_label_throughout():
    labels, best = riata.viterbi(np.zeros((4, 3)), np.zeros((3, 3)))
    assert (list(labels), best) == ([0, 0, 0, 0], 0.0)


def test_ties_are_read_from_the_end():
    # 0 then 1, and 1 then 0, both score 1: the lower label at the last token wins, not at the first.
    labels, _ = riata.viterbi(np.zeros((2, 2)), [[0.0, 1.0], [1.0, 0.0]])
    assert list(labels) == [1, 0]


@for_rows(
    "node, edge",
    (np.full((3, 2), NEVER), np.zeros((2, 2))),
    (np.zeros((3, 2)), np.full((2, 2), NEVER)),
    ([[0.0, NEVER], [0.0, NEVER]], [[NEVER, 0.0], [0.0, 0.0]]),
)
def test_where_everything_is_forbidden_the_score_is_minus_infinity(node, edge):
    labels, best = riata.viterbi(node, edge)
    assert best == NEVER
    assert all(0 <= label < 2 for label in labels)


@for_each(bad=[np.nan, np.inf], where=["node", "edge", "edges"])
def test_nan_and_plus_infinity_are_refused(bad, where):
    arrays = {"node": np.zeros((2, 2)), "edge": np.zeros((2, 2)), "edges": np.zeros((2, 2, 2))}
    arrays[where].flat[-1] = bad
    edge = arrays["edges" if where == "edges" else "edge"]
    refused(DataError, "NaN or plus infinity", riata.viterbi, arrays["node"], edge)
    refused(DataError, "NaN or plus infinity", riata.loss_augmented_viterbi, arrays["node"], edge, [0, 0])


@pytest.mark.parametrize(
    "function",
    [riata.viterbi, lambda *chain: riata.kbest(*chain, 9), lambda *chain: riata.loss_augmented_viterbi(*chain, [0, 1])],
)
def test_the_edges_into_the_first_token_may_be_anything(function):
    node, edge = np.array([[0.0, 1.0], [2.0, 0.0]]), np.zeros((2, 2, 2))
    plain = function(node, edge)
    edge[0] = [[np.nan, np.inf], [NEVER, 9.0]]
    assert str(function(node, edge)) == str(plain)


@pytest.mark.parametrize("where", ["node", "edge"])
def test_scores_that_are_masked_or_too_large_are_refused(where):
    arrays = {"node": np.zeros((2, 2)), "edge": np.zeros((2, 2))}
    with pytest.raises(DataError, match=f"{where} is an array with masked values"):
        riata.viterbi(**arrays | {where: np.ma.masked_equal(arrays[where], 0)})
    with pytest.raises(DataError, match=rf"{where} has the score 1e\+308; expected at most 1e\+290"):
        riata.viterbi(**arrays | {where: np.full((2, 2), 1e308)})


@for_rows(
    "node, edge",
    ((3,), (3, 3)),
    ((2, 3, 1), (3, 3)),
    ((0, 3), (3, 3)),
    ((2, 0), (0, 0)),
    ((2, 3), (2, 2)),
    ((2, 3), (9,)),
    ((2, 3), (1, 9)),
    ((2, 3), (3, 2, 3)),
    ((2, 3), (3, 3, 3)),
    ((2, 3), (1, 2, 3, 3)),
)
def test_arrays_of_the_wrong_shape_are_refused_by_shape(node, edge):
    caught = refused(DataError, "", riata.viterbi, np.zeros(node), np.zeros(edge))
    assert str(node) in str(caught)
    assert str(edge) in str(caught)


@pytest.mark.parametrize("gold", [[0], [0, 0, 0], [0, 2], [-1, 0], [0.5, 0], [[0, 0]], [0, 2**32]])
def test_gold_that_is_not_one_label_id_per_token_is_refused(gold):
    with pytest.raises(DataError, match="2 label ids from 0 to 1"):
        riata.loss_augmented_viterbi(np.zeros((2, 2)), np.zeros((2, 2)), gold)


@pytest.mark.parametrize("cost", [np.nan, np.inf, -np.inf])
def test_a_cost_that_is_not_finite_is_refused(cost):
    with pytest.raises(DataError, match=r"cost is .*expected a finite number"):
        riata.loss_augmented_viterbi(np.zeros((1, 2)), np.zeros((2, 2)), [0], cost)


# --- legal tags --------------------------------------------------------------------------------------------------------
ENCODINGS = tuple(shown_encodings())


def recoded(corpus, encoding):
    """Words, tags and chunk labels of a corpus in another encoding."""
    target, source = registry.get("encoding", encoding), registry.get("encoding", "iob2")
    X = [[token[:-1] for token in sentence] for sentence in corpus]
    return X, [convert(sentence.column(-1), source, target) for sentence in corpus]


def is_legal(encoding, tags):
    pairs = itertools.pairwise(["O", *tags, "O"])
    return all(encoding.may_follow(before, tag) for before, tag in pairs)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_chunker_never_gives_an_illegal_sequence_even_on_random_text(encoding):
    rng = random.Random(0)
    X, y = recoded(riata.load("embedded", "train")[:40], encoding)
    # One epoch of the last, not averaged, weights: a bad model, which errs in every direction.
    chunker = Chunker(encoding=encoding, epochs=1, settings={"average": False})
    chunker.fit(X, y)
    tokens = [token for sentence in X for token in sentence]
    nonsense = [("zzz", "??"), ("東京", "NN"), ("", ",")]
    text = [[rng.choice(rng.choice([tokens, nonsense])) for _ in range(rng.randint(0, 12))] for _ in range(300)]
    predicted = chunker.predict(text)
    assert [len(tags) for tags in predicted] == [len(words) for words in text]
    rules = registry.get("encoding", encoding)
    assert all(is_legal(rules, tags) for tags in predicted)
    assert len({tag for tags in predicted for tag in tags}) > 5  # the model does say something


def test_without_the_constraint_the_same_weights_do_err():
    """Otherwise the test above would prove nothing."""
    X, y = recoded(riata.load("embedded", "train")[:40], "bioes")
    tagger = Tagger(template="chunk", epochs=1, settings={"average": False})
    tagger.fit(X, y)
    rules = registry.get("encoding", "bioes")
    shuffled = [random.Random(0).sample(sentence, len(sentence)) for sentence in X]
    assert not all(is_legal(rules, tags) for tags in tagger.predict(shuffled))


@pytest.mark.parametrize("encoding", ENCODINGS)
@tried(
    30, st.randoms(use_true_random=False), st.sampled_from(["word[0]\nedge", "word[-1]\nword[0]\nedge word[0]\nedge"])
)
def test_a_chunker_decodes_the_best_legal_sequence(encoding, rng, template):
    rules = registry.get("encoding", encoding)
    words = "abc"
    labels = ["O", *(f"{prefix}-X" for prefix in rules.prefixes)]
    legal = {n: [tags for tags in itertools.product(labels, repeat=n) if is_legal(rules, tags)] for n in (1, 2, 3, 4)}

    def sentence():
        return [(rng.choice(words),) for _ in range(rng.randint(1, 4))]

    X = [sentence() for _ in range(8)]
    y = [list(rng.choice(legal[len(tokens)])) for tokens in X]
    templates = parse(template)
    chunker = Chunker(encoding=encoding, template=templates, epochs=2, settings={"precision": "double"})
    chunker.fit(X, y)
    weights = weights_of(chunker.model_)
    known = twin.kept(X, [t for t in templates if t.reads], builtin())
    for tokens in [*X, *(sentence() for _ in range(5))]:
        inputs = twin.inputs(tokens, templates, builtin(), known)
        (found,) = chunker.predict([tokens])
        assert is_legal(rules, found)
        best = argmax(weights, inputs, chunker.classes_, legal=lambda tags: is_legal(rules, tags))
        assert score(weights, inputs, found) == pytest.approx(score(weights, inputs, best), abs=1e-5)


# --- the k best sequences against enumeration: on arrays of scores, and of trained models with their legal tags ------
def listed(node, edge):
    """All allowed sequences, best first; the lowest labels of equals first, read from the end, which is their order here."""
    scored = [(labels, path_score(node, edge, labels)) for labels in sequences(range(len(node[0])), len(node))]
    return sorted((pair for pair in scored if pair[1] > NEVER), key=lambda pair: -pair[1])


def plain(found):
    return [(tuple(map(int, labels)), total) for labels, total in found]


@tried(100, chains(constrained), st.integers(1, 40))
def test_whole_scores_give_the_enumerated_list_ties_included(chain, k):
    assert plain(riata.kbest(*chain, k)) == listed(*chain)[:k]


@tried(100, chains(real), st.integers(1, 40))
def test_real_scores_give_the_enumerated_scores_by_different_sequences(chain, k):
    found = plain(riata.kbest(*chain, k))
    assert [total for _, total in found] == pytest.approx([total for _, total in listed(*chain)[:k]], abs=1e-9)
    assert all(total == path_score(*chain, labels) for labels, total in found)
    assert len({labels for labels, _ in found}) == len(found)


@tried(50, chains(real))
def test_the_first_is_that_of_viterbi_to_the_bit(chain):
    labels, best = riata.viterbi(*chain)
    found = plain(riata.kbest(*chain, 1))
    assert found == ([] if best == NEVER else [(tuple(labels), best)])


@tried(50, chains(constrained))
def test_everything_is_found_once_and_no_more(chain):
    everything = listed(*chain)
    assert plain(riata.kbest(*chain, UNBOUNDED)) == everything


def test_a_sentence_of_a_hundred_thousand_tokens_has_a_second_best():
    rng = np.random.default_rng(0)
    node, edge = rng.normal(size=(100_000, 3)), rng.normal(size=(3, 3))
    found = plain(riata.kbest(node, edge, 3))
    assert found[0][0] == tuple(riata.viterbi(node, edge)[0])
    assert found[0][1] >= found[1][1] >= found[2][1]
    assert len({labels for labels, _ in found}) == 3


@pytest.mark.parametrize("k", [0, -1, 1.5, "many", None, True])
def test_a_k_that_is_no_count_is_refused(k):
    refused(SettingError, "'k'", riata.kbest, np.zeros((2, 2)), np.zeros((2, 2)), k)


# --- models --------------------------------------------------------------------------------------------------------------
@for_each(encoding=[None, "iob2", "bioes"], edges_by_word=[False, True])
@tried(20, seed=st.integers(0, 10**6), k=st.integers(1, 30))
def test_a_model_gives_its_best_legal_labellings(encoding, edges_by_word, seed, k):
    problem, weights = random_model(seed, encoding, edges_by_word=edges_by_word, longest=4)
    counts, labels, scores = weights.nbest(problem.index, problem.instances, k)
    named = problem.by_name(weights)
    at = first = 0
    for sentence, inputs, count in zip(problem.sentences, problem.inputs(), counts, strict=True):
        legal = [y for y in sequences(problem.labels, len(sentence)) if problem.is_legal(y)]
        # Weights are binary fractions, so scores are exact: the order of equals is that of the labels, read from the end.
        expected = sorted(legal, key=lambda y: -score(named, inputs, y))[:k]
        found = [
            tuple(problem.labels[i] for i in labels[at + n * len(sentence) :][: len(sentence)]) for n in range(count)
        ]
        assert found == expected
        assert list(scores[first : first + count]) == [score(named, inputs, y) for y in expected]
        at, first = at + count * len(sentence), first + count
    assert (at, first) == (len(labels), len(scores))


def test_an_estimator_gives_lists_whose_first_is_its_prediction():
    data = embedded(("word", "tag", "chunk"))[:60]
    chunker = Chunker(epochs=3).fit(data)
    nbest = chunker.predict_nbest(data, 4)
    assert [found[0][0] for found in nbest] == chunker.predict(data)
    assert all(len(found) == 4 for found in nbest if len(found[0][0]) > 1)
    assert all(a[1] >= b[1] for found in nbest for a, b in itertools.pairwise(found))
    assert chunker.predict_nbest([[], []], 2) == [[([], 0.0)]] * 2
    mixed = chunker.predict_nbest([[("The", "DT")], []], 2)
    assert [len(found) for found in mixed] == [2, 1]
    assert mixed[1] == [([], 0.0)]


def test_there_are_no_more_labellings_than_there_are():
    tagger = Tagger(template=parse("word[0]"), epochs=1).fit([["a"]], [["X"]])
    assert [labels for labels, _ in tagger.predict_nbest([["a"]], 5)[0]] == [["X"]]


def test_models_without_exact_lists_say_why():
    data = embedded(("word", "tag", "chunk"))[:10]
    by_beam = Chunker("laso-perceptron", structure="chain", epochs=1).fit(data)
    refused(UnsupportedError, r"the queue 'beam'.*\n?.*queue='exact'", by_beam.predict_nbest, data, 2)
    assert len(by_beam.set_params(queue="exact").predict_nbest(data, 2)) == len(data)
    reader = Chunker("laso-perceptron", template=parse("word[0]\nlabel[-1] label[-3]"), epochs=1)
    refused(UnsupportedError, r"reads label\[-3\]", reader.fit(data).set_params(queue="exact").predict_nbest, data, 2)
