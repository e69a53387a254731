"""Decoding by probabilities of labels and of chunks, against all outputs, in every structure."""

import itertools
import random
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import segment_problems
from chain_problems import noise, random_model
from confidence_problems import DOUBLE, SINGLE, chain_model
from inference.test_known_labels import agrees, known
from oracle import confidence, risk
from oracle import segments as segment_oracle
from riata import Chunker, JointTagger, _core, registry
from riata.data.memory import as_corpus
from riata.data.segmentation import Segmentation
from riata.inference.rules.legality import Legality
from riata.inference.structure import MARGINALS, SPANS, Decoder, Risk
from riata.models.model import Model
from riata.structures.segments.model import SegmentOutputs
from samples import CHUNKS, recoded_chunker, tagger, tried
from segment_problems import tags_of

ENCODINGS = ["iob1", "iob2", "bioes", "bilou"]
TEMPERATURES = [0.3, 1.0, 7.0]
COSTS = [0.0, 0.6, 1.0, 1.4]
HISTORIES = [
    "word[0]\nlabel[-1]",
    "word[0]\nlabel[-2] label[-1]\nedge",
    "label[-2] word[0]\nlabel[-2] label[-1] word[-1] word[0]\nlabel[-1]",
]


@dataclass
class Case:
    """One sentence, and the labels and scores of all its outputs."""

    model: Model
    corpus: Any
    outputs: list
    scores: Any
    within: float

    def found(self, asked):
        """The labels of least expected loss, and what they are expected to have right."""
        codes, expected = self.model._least_risk(self.model.instances(self.corpus), asked)
        ids = self.model.outputs.label_ids(codes, self.corpus.starts)
        assert (self.model.decode(self.model.instances(self.corpus), Decoder(risk=asked)) == ids).all()
        return tuple(self.model.labels[i] for i in ids), expected[0]

    def shares(self, temperature):
        return confidence.shares(self.scores, temperature)


def check_labels(case):
    for temperature in TEMPERATURES:
        shares = case.shares(temperature)
        found, (right, number, true) = case.found(Risk(MARGINALS, temperature=temperature))
        assert found in case.outputs
        values = [risk.right_labels(case.outputs, shares, output) for output in case.outputs]
        assert values[case.outputs.index(found)] == pytest.approx(max(values), abs=case.within)
        assert right == pytest.approx(max(values), abs=case.within)
        assert number == true == len(found)


def check_spans(case):
    for temperature, cost in itertools.product(TEMPERATURES, COSTS):
        shares = case.shares(temperature)
        found, numbers = case.found(Risk(SPANS, cost, temperature))
        assert found in case.outputs
        counts = [risk.spans_counted(case.outputs, shares, output) for output in case.outputs]
        here = counts[case.outputs.index(found)]
        most = max(risk.gain(one, cost) for one in counts)
        assert risk.gain(here, cost) == pytest.approx(most, abs=20 * case.within)
        assert numbers.tolist() == pytest.approx(here, abs=20 * case.within)


# --- chains ----------------------------------------------------------------------------------------------------------
def chain_cases(model, sentences, is_legal):
    for words in sentences:
        paths = [path for path in itertools.product(model.labels, repeat=len(words)) if is_legal(path)]
        ids = np.array([model.labels.index(label) for path in paths for label in path], np.int32)
        scores = model.scores_of(model.features.instances(as_corpus([words] * len(paths))), ids)
        within = SINGLE if isinstance(model.weights, _core.ChainWeights) else DOUBLE
        yield Case(model, as_corpus([words]), paths, scores, within)


def sentences_of(problem, longest=4):
    return [words for words in problem.sentences if 0 < len(words) <= longest][:3]


@pytest.mark.parametrize("encoding", [None, *ENCODINGS])
def test_a_chain_equals_enumeration(encoding):
    for seed in range(3):
        problem, weights = random_model(seed, encoding, edges=seed != 1, edges_by_word=seed == 2, longest=4)
        for case in chain_cases(chain_model(problem, weights), sentences_of(problem), problem.is_legal):
            check_labels(case)
            if encoding is not None:
                check_spans(case)


@tried(25, st.integers(0, 10**6), st.sampled_from(HISTORIES), st.sampled_from([None, *ENCODINGS]), st.booleans())
def test_a_chain_that_looks_back_does_too(seed, template, encoding, as_single):
    problem = noise(seed, template, encoding, sentences=4, longest=4)
    model = chain_model(problem, problem.random_weights(seed), as_single=as_single)
    for case in chain_cases(model, sentences_of(problem), problem.is_legal):
        check_labels(case)
        if encoding is not None:
            check_spans(case)


@tried(15, st.integers(0, 10**6), st.sampled_from(ENCODINGS))
def test_chunks_of_two_types_that_touch(seed, encoding):
    prefixes = registry.get("encoding", encoding).prefixes
    labels = ("O", *(f"{prefix}-{kind}" for prefix in prefixes for kind in "XY"))
    problem, weights = random_model(seed, encoding, most=40, longest=3, labels=labels)
    for case in chain_cases(chain_model(problem, weights), sentences_of(problem, 3), problem.is_legal):
        check_labels(case)
        check_spans(case)


def test_chunk_labels_of_which_any_may_follow_any():
    labels = ("O", "I-X", "I-Y")
    for seed in range(4):
        problem, weights = random_model(seed, None, edges=False, longest=4, labels=labels)
        problem.legality = Legality.free(len(labels))
        for case in chain_cases(chain_model(problem, weights), sentences_of(problem), lambda _: True):
            check_labels(case)
            check_spans(case)


@tried(20, st.integers(0, 10**6), st.sampled_from(ENCODINGS), st.sampled_from(HISTORIES))
def test_known_labels_are_kept(seed, encoding, template):
    rng = random.Random(seed)
    problem = noise(seed, template, encoding, sentences=4, longest=4)
    model = chain_model(problem, problem.random_weights(seed))
    for case in chain_cases(model, sentences_of(problem), problem.is_legal):
        given = known(rng, model.labels, case.outputs, case.corpus.tokens)
        left = [agrees(given, model.labels, output) for output in case.outputs]
        if not any(left):
            continue
        corpus = replace(case.corpus, known=given)
        outputs = [output for output, agreed in zip(case.outputs, left, strict=True) if agreed]
        one = Case(model, corpus, outputs, np.array(case.scores)[left], case.within)
        check_labels(one)
        check_spans(one)


def test_a_chain_of_recoded_labels_equals_enumeration():
    estimator = recoded_chunker()
    model, encoding = estimator.model_, registry.get("encoding", estimator.learnt_as_)
    sentences = [[(word, tag) for word, tag, _ in s][:3] for s in CHUNKS]

    def is_legal(path):
        return all(encoding.may_follow(a, b) for a, b in itertools.pairwise(["O", *path, "O"]))

    for case in chain_cases(model, sentences, is_legal):
        check_labels(case)
        check_spans(case)


@pytest.mark.parametrize("recipe", ["memm", "winnow", "hmm", "crf-pointwise"])
def test_normalised_and_truncated_steps(recipe):
    words = [[(word, label) for word, _, label in sentence] for sentence in CHUNKS]
    estimator = Chunker(recipe, epochs=3).fit(words)
    encoding = registry.get("encoding", estimator.learnt_as_)

    def is_legal(path):
        return all(encoding.may_follow(a, b) for a, b in itertools.pairwise(["O", *path, "O"]))

    for case in chain_cases(estimator.model_, [[(word,) for word, _ in s][:3] for s in words], is_legal):
        check_labels(case)
        check_spans(case)


# --- segments --------------------------------------------------------------------------------------------------------
@tried(30, st.integers(0, 10**6), st.sampled_from(segment_problems.TEMPLATES), st.booleans())
def test_segments_equal_enumeration(seed, template, as_single):
    """Tokens are right if they are written alike in IOB2."""
    problem = segment_problems.noise(seed, template, longest=4, sentences=3)
    weights = problem.random_weights(seed, as_single)
    model = Model(
        problem.features, weights, SegmentOutputs(Segmentation(problem.labels, registry.get("encoding", "iob2")))
    )
    if model.outputs.exact_refusal(model.features) is not None:
        return
    for words in problem.sentences:
        paths = segment_oracle.segmentations(len(words), problem.labels, problem.most)
        instances = problem.features.instances(as_corpus([words] * len(paths)))
        scores = weights.scores_of(problem.features.index, instances, problem.codes(paths))
        outputs = [tuple(tags_of(path)) for path in paths]
        case = Case(model, as_corpus([words]), outputs, scores, SINGLE if as_single else DOUBLE)
        check_labels(case)
        check_spans(case)


# --- tags with chunks ------------------------------------------------------------------------------------------------
def test_tags_with_chunks_equal_enumeration():
    """The loss is a sum over columns: with spans, tags still count one by one."""
    data = [[(w, "N" if w < "n" else "V", c) for w, _, c in sentence][:4] for sentence in CHUNKS]
    estimator = JointTagger("crf", structure="factorial", settings={"c2": 0.3}, epochs=5).fit(data)
    model = estimator.model_
    encoding = registry.get("encoding", estimator.learnt_as_)
    for sentence in data[:4]:
        words = [(word,) for word, *_ in sentence][:3]
        pairs = list(itertools.product(model.outputs.tags, model.outputs.chunks))
        paths = [
            path
            for path in itertools.product(pairs, repeat=len(words))
            if all(encoding.may_follow(a, b) for a, b in itertools.pairwise(["O", *(c for _, c in path), "O"]))
        ]
        ids = np.array([pairs.index(pair) for path in paths for pair in path], np.int32)
        scores = model.scores_of(model.features.instances(as_corpus([words] * len(paths))), ids)
        instances = model.features.instances(as_corpus([words]))
        of_tags, of_chunks = ([tuple(pair[c] for pair in path) for path in paths] for c in (0, 1))
        for temperature in TEMPERATURES:
            shares = confidence.shares(scores, temperature)
            values = [risk.right_labels(of_tags, shares, tags) for tags in of_tags]
            more = [risk.right_labels(of_chunks, shares, chunks) for chunks in of_chunks]
            codes, expected = model._least_risk(instances, Risk(MARGINALS, temperature=temperature))
            at = paths.index(tuple(pairs[code] for code in codes))
            assert values[at] + more[at] == pytest.approx(max(map(sum, zip(values, more, strict=True))), abs=SINGLE)
            assert expected[0].tolist() == pytest.approx(
                [values[at] + more[at], 2 * len(words), 2 * len(words)], abs=SINGLE
            )
            counts = [risk.spans_counted(of_chunks, shares, chunks) for chunks in set(of_chunks)]
            for cost in COSTS:
                codes, expected = model._least_risk(instances, Risk(SPANS, cost, temperature))
                tags, chunks = zip(*(pairs[code] for code in codes), strict=True)
                here = risk.spans_counted(of_chunks, shares, chunks)
                most = max(risk.gain(one, cost) for one in counts)
                assert values[of_tags.index(tags)] == pytest.approx(max(values), abs=SINGLE)
                assert risk.gain(here, cost) == pytest.approx(most, abs=1e-3)  # chunks of less than 1e-4 are left out
                assert expected[0].tolist() == pytest.approx(here, abs=1e-3)


# --- estimators ------------------------------------------------------------------------------------------------------
def test_the_expected_f1_is_the_largest_ratio_of_expectations():
    estimator = Chunker("crf", settings={"c2": 0.5}).fit([[(w, c) for w, _, c in s] for s in CHUNKS])
    encoding = registry.get("encoding", estimator.learnt_as_)
    sentences = [[w for w, *_ in s][:3] for s in CHUNKS][:3]

    def is_legal(path):
        return all(encoding.may_follow(a, b) for a, b in itertools.pairwise(["O", *path, "O"]))

    cases = list(chain_cases(estimator.model_, [[(w,) for w in s] for s in sentences], is_legal))
    counts = [{risk.spans_counted(case.outputs, case.shares(1.0), output) for output in case.outputs} for case in cases]
    best = risk.best_f1([sorted({(round(a, 9), b, round(c, 9)) for a, b, c in one}) for one in counts])
    found = estimator.expected_f1(sentences)
    assert found == pytest.approx(best, abs=1e-4)
    estimator.set_params(settings__decode="spans", settings__span_cost=found)
    right = chunks = true = 0
    for case, output in zip(cases, estimator.predict(sentences), strict=True):
        a, b, c = risk.spans_counted(case.outputs, case.shares(1.0), tuple(output))
        right, chunks, true = right + a, chunks + b, true + c
    assert 2 * right / (chunks + true) == pytest.approx(best, abs=1e-4)


def test_free_labels_are_the_most_probable_ones_and_agree_with_predict_proba():
    estimator = tagger()
    sentences = [[word for word, *_ in sentence] for sentence in CHUNKS]
    found = estimator.predict(sentences, decode="marginals")
    most = [[estimator.classes_[i] for i in rows.argmax(axis=1)] for rows in estimator.predict_proba(sentences)]
    assert list(found) == most
