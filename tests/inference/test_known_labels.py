"""Decoding with labels that are known, against all labellings that have them."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

import segment_problems
from chain_problems import UNBOUNDED, noise, random_model
from checks import refused
from confidence_problems import DOUBLE, SINGLE, chain_model
from oracle import confidence as oracle
from oracle import segments as segment_oracle
from riata import _core, registry
from riata.data.kept_labels import KnownLabels
from riata.data.memory import as_corpus
from riata.data.segmentation import Segmentation
from riata.data.types import Span
from riata.errors import LabelError, UnsupportedError
from riata.inference.decoder import Decoder
from riata.models.model import Model
from riata.models.structures.segments import SegmentOutputs
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
