"""The k best sequences against enumeration: on arrays of scores, and of trained models with their legal tags."""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from chain_problems import UNBOUNDED, random_model
from checks import refused
from inference.test_viterbi import NEVER, chains, constrained, path_score, real
from oracle.perceptron import score, sequences
from riata.errors import SettingError, UnsupportedError
from riata.features.templates import parse
from samples import embedded, for_each, tried


def enumerated(node, edge):
    """All allowed sequences, best first; the lowest labels of equals first, read from the end, which is their order here."""
    scored = [(labels, path_score(node, edge, labels)) for labels in sequences(range(len(node[0])), len(node))]
    return sorted((pair for pair in scored if pair[1] > NEVER), key=lambda pair: -pair[1])


def plain(found):
    return [(tuple(map(int, labels)), total) for labels, total in found]


@tried(100, chains(constrained), st.integers(1, 40))
def test_whole_scores_give_the_enumerated_list_ties_included(chain, k):
    assert plain(riata.kbest(*chain, k)) == enumerated(*chain)[:k]


@tried(100, chains(real), st.integers(1, 40))
def test_real_scores_give_the_enumerated_scores_by_different_sequences(chain, k):
    found = plain(riata.kbest(*chain, k))
    assert [total for _, total in found] == pytest.approx([total for _, total in enumerated(*chain)[:k]], abs=1e-9)
    assert all(total == path_score(*chain, labels) for labels, total in found)
    assert len({labels for labels, _ in found}) == len(found)


@tried(50, chains(real))
def test_the_first_is_that_of_viterbi_to_the_bit(chain):
    labels, best = riata.viterbi(*chain)
    found = plain(riata.kbest(*chain, 1))
    assert found == ([] if best == NEVER else [(tuple(labels), best)])


@tried(50, chains(constrained))
def test_everything_is_found_once_and_no_more(chain):
    everything = enumerated(*chain)
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
    chunker = riata.Chunker(epochs=3).fit(data)
    nbest = chunker.predict_nbest(data, 4)
    assert [found[0][0] for found in nbest] == chunker.predict(data)
    assert all(len(found) == 4 for found in nbest if len(found[0][0]) > 1)
    assert all(a[1] >= b[1] for found in nbest for a, b in itertools.pairwise(found))
    assert chunker.predict_nbest([[], []], 2) == [[([], 0.0)]] * 2
    mixed = chunker.predict_nbest([[("The", "DT")], []], 2)
    assert [len(found) for found in mixed] == [2, 1]
    assert mixed[1] == [([], 0.0)]


def test_there_are_no_more_labellings_than_there_are():
    tagger = riata.Tagger(template=parse("word[0]"), epochs=1).fit([["a"]], [["X"]])
    assert [labels for labels, _ in tagger.predict_nbest([["a"]], 5)[0]] == [["X"]]


def test_models_without_exact_lists_say_why():
    data = embedded(("word", "tag", "chunk"))[:10]
    by_beam = riata.Chunker("laso-perceptron", structure="chain", epochs=1).fit(data)
    refused(UnsupportedError, r"the queue 'beam'.*\n?.*queue='exact'", by_beam.predict_nbest, data, 2)
    assert len(by_beam.set_params(queue="exact").predict_nbest(data, 2)) == len(data)
    reader = riata.Chunker("laso-perceptron", template=parse("word[0]\nlabel[-1] label[-3]"), epochs=1)
    with pytest.raises(UnsupportedError, match=r"reads label\[-3\]"):
        reader.fit(data).set_params(queue="exact").predict_nbest(data, 2)
