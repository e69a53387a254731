"""Decoding with labels that are known, and within a dictionary of the labels of words, against all labellings that are left."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

import segment_problems
from chain_problems import UNBOUNDED, noise, options, random_model
from checks import refused
from confidence_problems import DOUBLE, SINGLE, chain_model
from oracle import confidence as oracle
from oracle import segments as segment_oracle
from oracle.dictionary import possible
from oracle.memm import step
from oracle.perceptron import score as score_of
from packed_weights import weights_of
from riata import _core, registry
from riata.data.memory import as_corpus
from riata.data.segmentation import Segmentation
from riata.data.types import KnownLabels, Span
from riata.errors import LabelError, UnsupportedError
from riata.features.dictionary import TagDictionary
from riata.inference.structure import Decoder
from riata.models.model import Model
from riata.structures.chain.model import ChainOutputs
from riata.structures.segments.model import SegmentOutputs
from samples import tried

HISTORIES = ["word[0]\nlabel[-1]", "word[0]\nlabel[-2] label[-1]\nedge", "label[-2] word[0]\nlabel[-1]"]
TEMPERATURES = [0.3, 1.0]
EXACT = [Decoder(), Decoder("beam", UNBOUNDED), Decoder("beam", UNBOUNDED, "prefix")]
LOSSY = [Decoder("beam", 1), Decoder("beam", 2), Decoder("greedy")]
LOSSY += [Decoder("beam", 1, "prefix"), *map(Decoder, ["best-first", "depth-first", "breadth-first"])]
MOST = 5  # of a list of the best


def known(rng, labels, paths, length):
    """Of some tokens a set of labels: those of a legal path, most of the time."""
    path = rng.choice(paths)
    sets, of = [], []
    for t in range(length):
        kind = rng.choice(["free", "true", "two", "any"] if rng.random() < 0.3 else ["free", "true", "two"])
        chosen = {"free": (), "true": (path[t],), "two": (path[t], rng.choice(labels)), "any": (rng.choice(labels),)}[
            kind
        ]
        of.append(len(sets) if chosen else -1)
        if chosen:
            sets.append([label in chosen for label in labels])
    flags = np.array(sets, np.uint8).reshape(len(sets), len(labels))
    return KnownLabels(tuple(map(str, range(len(sets)))), flags, np.array(of, np.int32), "some", by_line=False)


def agrees(known, labels, path):
    return all(s < 0 or known.sets[s][labels.index(label)] for s, label in zip(known.of, path, strict=True))


class Case:
    """One sentence, and all outputs that have what is known: their labels and scores."""

    def __init__(self, model, words, known, every, within):
        self.model, self.within = model, within
        self.corpus = replace(as_corpus([words]), known=known)
        self.scores = {path: score for path, score in every.items() if agrees(known, model.labels, path)}

    def labels(self, ids):
        return tuple(self.model.labels[i] for i in ids)

    def check(self, *, chunks, probabilities, nbest=True):
        if not self.scores:
            self.check_refused()
            return
        best = max(self.scores.values())
        for decoder in EXACT:
            found = self.labels(self.model.predict(self.corpus, decoder))
            assert self.scores[found] == pytest.approx(best, abs=self.within)
            self.check_confidences(decoder, found, chunks)
        for decoder in LOSSY:
            assert self.labels(self.model.predict(self.corpus, decoder)) in self.scores
        if nbest:
            self.check_list()
        if probabilities:
            self.check_probabilities()

    def check_refused(self):
        for decoder in (Decoder(), Decoder("beam", 1)):
            refused(LabelError, "no legal labelling", self.model.predict, self.corpus, decoder)
        refused(LabelError, "", self.model.confidences, self.corpus, Decoder(), [1.0], chunks=False)
        refused(LabelError, "", self.model.nbest, self.corpus, 2)

    def check_confidences(self, decoder, found, chunks):
        ids, values = self.model.confidences(self.corpus, decoder, TEMPERATURES, chunks=chunks)
        assert self.labels(ids) == found
        for temperature, (row,) in zip(TEMPERATURES, values, strict=True):
            shares = oracle.shares(list(self.scores.values()), temperature)
            parts = oracle.chunks if chunks else oracle.tokens
            expected = oracle.confidences(list(self.scores), shares, found, parts)
            assert row.tolist() == pytest.approx(expected, abs=self.within)

    def check_list(self):
        (found,) = self.model.nbest(self.corpus, MOST)
        paths = [self.labels(ids) for ids, _ in found]
        assert len(set(paths)) == len(paths) == min(MOST, len(self.scores))
        expected = sorted(self.scores.values(), reverse=True)[:MOST]
        assert [score for _, score in found] == pytest.approx(expected, abs=self.within)
        assert [self.scores[path] for path in paths] == pytest.approx(expected, abs=self.within)

    def check_probabilities(self):
        rows, (log_z,) = self.model.probabilities(self.corpus, 0.7)
        scores = np.array(list(self.scores.values())) / 0.7
        shares = np.exp(scores - scores.max())
        assert log_z == pytest.approx(scores.max() + np.log(shares.sum()), abs=10 * self.within)
        expected = np.zeros_like(rows)
        for path, share in zip(self.scores, shares / shares.sum(), strict=True):
            for t, label in enumerate(path):
                expected[t, self.model.labels.index(label)] += share
        assert rows == pytest.approx(expected, abs=self.within)


def chain_cases(seed, problem, model):
    rng = random.Random(seed)
    for words in [words for words in problem.sentences if 0 < len(words) <= 4][:3]:
        paths = [path for path in itertools.product(model.labels, repeat=len(words)) if problem.is_legal(path)]
        ids = np.array([model.labels.index(label) for path in paths for label in path], np.int32)
        scores = model.scores_of(model.features.instances(as_corpus([words] * len(paths))), ids)
        single = isinstance(model.weights, _core.ChainWeights)
        every = dict(zip(paths, scores.tolist(), strict=True))
        for _ in range(2):
            some = known(rng, model.labels, paths, len(words))
            yield Case(model, words, some, every, SINGLE if single else DOUBLE)


@tried(50, st.integers(0, 10**6), st.sampled_from([None, "iob1", "iob2", "bioes"]), st.booleans(), st.booleans())
def test_chains(seed, encoding, by_word, local):
    """local: every step is normalised over all labels, whatever is known, and the model is then told what is."""
    problem, weights = random_model(seed, encoding, edges=seed % 5 != 0, edges_by_word=by_word, longest=4)
    weights.local = local
    for case in chain_cases(seed, problem, chain_model(problem, weights)):
        case.check(chunks=encoding is not None, probabilities=True)


@tried(30, st.integers(0, 10**6), st.sampled_from([None, "iob2", "bioes"]), st.sampled_from(HISTORIES))
def test_chains_that_look_back(seed, encoding, template):
    problem = noise(seed, template, encoding, sentences=4, longest=4)
    for case in chain_cases(seed, problem, chain_model(problem, problem.random_weights(seed))):
        case.check(chunks=encoding is not None, probabilities=False)


@tried(30, st.integers(0, 10**6), st.sampled_from(segment_problems.TEMPLATES), st.sampled_from(["iob2", "bioes"]))
def test_segments(seed, template, encoding):
    problem = segment_problems.noise(seed, template, most=3, longest=4, sentences=3)
    weights = problem.random_weights(seed)
    spelling = registry.get("encoding", encoding)
    model = Model(problem.features, weights, SegmentOutputs(Segmentation(problem.labels, spelling)))
    rng = random.Random(seed)
    for words in problem.sentences:
        paths = segment_oracle.segmentations(len(words), problem.labels, problem.most)
        instances = problem.features.instances(as_corpus([words] * len(paths)))
        scores = weights.scores_of(problem.features.index, instances, problem.codes(paths))
        tags = [as_tags(spelling, path, len(words)) for path in paths]
        every = dict(zip(tags, scores.tolist(), strict=True))
        for _ in range(2):
            some = known(rng, model.labels, tags, len(words))
            case = Case(model, words, some, every, DOUBLE)
            case.check(chunks=True, probabilities=False, nbest=problem.features.native.exact)


def as_tags(encoding, path, length):
    spans = [span for span in sorted(segment_oracle.spans(path)) if span[2] != "O"]
    return tuple(encoding.encode([Span(*span) for span in spans], length))


@pytest.mark.parametrize("decoder", [*EXACT, *LOSSY])
def test_what_is_free_changes_nothing(decoder):
    for seed, encoding in itertools.product(range(3), [None, "iob2"]):
        problem, weights = random_model(seed, encoding)
        model = chain_model(problem, weights)
        corpus = as_corpus([words for words in problem.sentences if words])
        none = np.zeros((1, len(model.labels)), np.uint8)
        free = KnownLabels(("nobody",), none, np.full(corpus.tokens, -1, np.int32), "some", by_line=False)
        same = replace(corpus, known=free)
        assert model.predict(same, decoder).tolist() == model.predict(corpus, decoder).tolist()


def test_what_is_very_improbable_keeps_its_digits():
    """Steps as improbable as e^-200 vanish as factors in single precision."""
    problem, weights = random_model(0, None, edges=True, most=3200, longest=4, labels=("X", "Y", "Z"))
    model = chain_model(problem, weights)
    for seed in range(6):
        for case in chain_cases(seed, problem, model):
            case.check(chunks=False, probabilities=True)


def test_in_iob1_a_tag_does_not_say_where_a_segment_begins():
    segmentation = Segmentation(("O", "A"), registry.get("encoding", "iob1"))
    with pytest.raises(UnsupportedError, match="IOB1"):
        segmentation.role_sets(np.array([[tag == "I-A" for tag in segmentation.tags]], np.uint8))
    outside = segmentation.role_sets(np.array([[tag == "O" for tag in segmentation.tags]], np.uint8))
    assert outside.tolist() == [[1, 1, 1, 1, 0, 0, 0, 0]]


# --- A dictionary of the labels of words, on chains: everything by listing the labellings that it leaves -------------
ONE_BACK = ["word[0]\nedge", "word[0]\nword[-1]\nedge\nedge word[0]\nlabel[-1] word[0]", "word[0]"]
TWO_BACK = ["word[0]\nedge\nlabel[-2] label[-1]", "word[0]\nlabel[-2]\nlabel[-1] word[0]"]
ENCODINGS = [None, "iob2", "bioes"]


class Limited:
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
    return st.builds(Limited, st.integers(0, 10**6), st.sampled_from(templates), st.sampled_from(ENCODINGS), **more)


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
    flags = Limited(0, ONE_BACK[0], "iob2").problem.encoding.allowed(labels)

    def legal(y, length):
        at = [labels.index(label) for label in y]
        return flags[0][at[0]] and all(flags[2].reshape(5, 5)[a, b] for a, b in itertools.pairwise(at))

    sets, every = possible([{"B-X"}, {"I-Y"}, {"I-Y"}], labels, legal)
    assert sets == [{"B-X"}, set(labels), {"I-Y"}]  # the third follows a B-Y or I-Y, so the second is a B-Y
    assert every == [("B-X", "B-Y", "I-Y")]
