"""A dictionary of the labels of words, on chains: everything by listing the labellings that it leaves."""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st

from chain_problems import UNBOUNDED, noise, options
from oracle.dictionary import possible
from oracle.memm import step
from oracle.perceptron import score as score_of
from packed_weights import weights_of
from riata import _core
from riata.data.memory import as_corpus
from riata.features.dictionary import TagDictionary
from riata.inference.decoder import Decoder
from riata.models.model import Model
from riata.models.structures.chain import ChainOutputs
from samples import tried

ONE_BACK = ["word[0]\nedge", "word[0]\nword[-1]\nedge\nedge word[0]\nlabel[-1] word[0]", "word[0]"]
TWO_BACK = ["word[0]\nedge\nlabel[-2] label[-1]", "word[0]\nlabel[-2]\nlabel[-1] word[0]"]
ENCODINGS = [None, "iob2", "bioes"]


class Case:
    """Noise, random weights, and a dictionary that has random labels of some words. local: every step is normalised."""

    def __init__(self, seed, template, encoding, *, local=False, single=False):
        self.problem = problem = noise(seed, template, encoding, sentences=4, longest=4)
        rng = np.random.default_rng(seed)
        self.labels = problem.labels
        words = sorted({word for sentence in problem.sentences for (word, *_) in sentence})
        counts = {
            (word, int(label)): 1
            for word in words
            for label in rng.choice(len(self.labels), rng.integers(0, len(self.labels)), replace=False)
        }
        self.dictionary = TagDictionary(self.labels, 1, counts, alike=False)
        weights = problem.random_weights(seed)
        problem.features.dictionary = self.dictionary
        weights.local = local
        self.model = Model(problem.features, weights, ChainOutputs(self.labels, problem.legality))

    def legal(self, labels, length):
        ends = [None, *labels] + [None] * (len(labels) == length)
        return all(self.problem.legal(a, b) for a, b in itertools.pairwise(ends))

    def sets(self, sentence):
        return [{self.labels[i] for i in self.dictionary.of(word)} for (word, *_) in sentence]

    def each(self):
        """Every sentence with a word: its corpus, its features, and what `possible` says."""
        inputs = self.problem.inputs()
        for number, sentence in enumerate(self.problem.sentences):
            if sentence:
                yield as_corpus([sentence]), inputs[number], *possible(self.sets(sentence), self.labels, self.legal)

    def texts(self, ids):
        return tuple(self.labels[i] for i in ids)


def cases(templates, **more):
    return st.builds(Case, st.integers(0, 10**6), st.sampled_from(templates), st.sampled_from(ENCODINGS), **more)


def by_score(case, inputs, every):
    weights = weights_of(case.model)
    return {y: score_of(weights, inputs, y) for y in every}


@tried(60, cases(ONE_BACK + TWO_BACK))
def test_every_search_lists_and_sums_over_the_labellings_that_are_left(case):
    beam = Decoder(queue="beam", beam=UNBOUNDED, beam_by="operations")
    for corpus, inputs, _, every in case.each():
        scores = by_score(case, inputs, every)
        instances = case.model.features.instances(corpus)
        best = max(scores.values())
        for decoder in (Decoder(), beam):
            assert scores[case.texts(case.model.decode(instances, decoder))] == pytest.approx(best)
        assert case.texts(case.model.decode(instances, Decoder(queue="greedy", beam=1))) in scores
        (nbest,) = case.model.nbest(corpus, len(every) + 2)
        assert sorted(case.texts(ids) for ids, _ in nbest) == sorted(every)
        assert [score for _, score in nbest] == pytest.approx(sorted(scores.values(), reverse=True))
        rows, log_z = case.model.probabilities(corpus, 1.0)
        assert log_z[0] == pytest.approx(np.logaddexp.reduce(list(scores.values())))
        for t, label in itertools.product(range(corpus.tokens), case.labels):
            mass = sum(np.exp(score - log_z[0]) for y, score in scores.items() if y[t] == label)
            assert rows[t][case.labels.index(label)] == pytest.approx(mass, abs=1e-9)


@tried(40, cases(ONE_BACK))
def test_other_labellings_score_minus_infinity(case):
    for corpus, _, _, every in case.each():
        instances = case.model.features.instances(corpus)
        for y in itertools.product(case.labels, repeat=corpus.tokens):
            ids = np.array([case.labels.index(label) for label in y], np.int32)
            assert np.isfinite(case.model.scores_of(instances, ids)[0]) == (y in every)


@tried(40, cases([ONE_BACK[0], ONE_BACK[2], "word[0]\nedge\nedge word[0]"], local=st.just(True)))
def test_models_that_normalise_every_step_do_so_over_the_labels_that_are_left(case):
    beam = Decoder(queue="beam", beam=UNBOUNDED, beam_by="operations")
    weights = weights_of(case.model)
    for corpus, inputs, _, every in case.each():
        left = [{y[t] for y in every} for t in range(corpus.tokens)]

        def may(before, label, token, left=left, length=corpus.tokens):
            return label in left[token] and case.legal([*before, label], length)

        expected = {
            y: sum(step(weights, inputs, list(y[:t]), t, case.labels, may)[y[t]] for t in range(len(y))) for y in every
        }
        assert np.exp(list(expected.values())).sum() == pytest.approx(1)
        instances = case.model.features.instances(corpus)
        ids = {y: np.array([case.labels.index(label) for label in y], np.int32) for y in every}
        assert [case.model.scores_of(instances, ids[y])[0] for y in every] == pytest.approx(list(expected.values()))
        for decoder in (Decoder(), beam):
            assert expected[case.texts(case.model.decode(instances, decoder))] == pytest.approx(max(expected.values()))


@tried(60, cases(ONE_BACK + TWO_BACK), st.randoms(use_true_random=False))
def test_the_dictionary_yields_to_labels_that_are_given(case, rng):
    labels = case.labels
    for sentence, inputs in zip(case.problem.sentences, case.problem.inputs(), strict=True):
        given_labels = [rng.choice([None, None, *labels]) for _ in sentence]
        of = np.array([-1 if label is None else labels.index(label) for label in given_labels], np.int32)
        alone = np.eye(len(labels), dtype=np.uint8)
        if not sentence or len(case.problem.legality.stuck(np.array([0, len(of)]), alone, of)):
            continue  # what is refused before the dictionary is asked
        instances = case.model.features.instances(as_corpus([sentence]))
        _core.allow(instances, alone, of)
        sets, _ = possible(case.sets(sentence), labels, case.legal, given_labels)
        kept = [one if label is None else one & {label} for one, label in zip(sets, given_labels, strict=True)]
        scores = by_score(case, inputs, [y for y in itertools.product(*map(sorted, kept)) if case.legal(y, len(y))])
        found = case.texts(case.model.weights.decode(case.problem.index, instances, options(queue="exact")))
        assert scores[found] == pytest.approx(max(scores.values()))


def test_where_nothing_legal_is_left_the_dictionary_yields_at_the_token_where_it_ends():
    labels = ("B-X", "I-X", "B-Y", "I-Y", "O")
    flags = Case(0, ONE_BACK[0], "iob2").problem.encoding.allowed(labels)

    def legal(y, length):
        at = [labels.index(label) for label in y]
        return flags[0][at[0]] and all(flags[2].reshape(5, 5)[a, b] for a, b in itertools.pairwise(at))

    sets, every = possible([{"B-X"}, {"I-Y"}, {"I-Y"}], labels, legal)
    assert sets == [{"B-X"}, set(labels), {"I-Y"}]  # the third follows a B-Y or I-Y, so the second is a B-Y
    assert every == [("B-X", "B-Y", "I-Y")]
