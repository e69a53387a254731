"""Exact search where templates read one or two labels back, against enumeration.

Weights are binary fractions, so that sums are exact and ties are ties, whatever the order of addition.
"""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from chain_problems import UNBOUNDED, noise, problem
from checks import refused
from oracle.perceptron import score, sequences
from riata import Chunker, Tagger, _core
from riata.errors import UnsupportedError
from riata.features.templates import parse
from samples import embedded

TEMPLATES = {
    "label": "word[0]\nlabel[-1]",
    "label with word, edge": "word[0]\nlabel[-1] word[0]\nlabel[-1]\nedge",
    "label with word, edges by word": "label[-1] word[-1]\nedge word[0]",
    "pair": "word[0]\nlabel[-2] label[-1]\nedge",
    "pair and its parts": "word[0]\nlabel[-2] label[-1]\nlabel[-2]\nlabel[-1]",
    "pair with words": "label[-2] label[-1] word[0]\nlabel[-2] label[-1] word[-1] word[0]\nlabel[-2] label[-1]\nedge",
    "two back alone": "word[0]\nlabel[-2]",
    "two back with word": "label[-2] word[1]\nlabel[-1] word[0]\nnumber(1)[0]",
    "everything": "word[0]\nedge\nedge word[0]\nlabel[-1]\nlabel[-1] word[0]\nlabel[-2] word[0]\nlabel[-2] label[-1]\n"
    "label[-2] label[-1] word[0]",
}
ENCODINGS = [None, "iob2", "bioes"]
EVERY_TEMPLATE = pytest.mark.parametrize("template", TEMPLATES)
EVERY_ENCODING = pytest.mark.parametrize("encoding", ENCODINGS)


def sample(seed, template, encoding, longest=None):
    corpus = noise(seed, TEMPLATES[template], encoding, longest=longest or (4 if encoding == "bioes" else 5))
    return corpus, corpus.random_weights(seed)


def lists(corpus, weights, n):
    """Per sentence, the n best labellings with their scores, as the core gives them."""
    counts, labels, scores = weights.nbest(corpus.index, corpus.instances, n)
    found, at, number = [], 0, 0
    for sentence, count in zip(corpus.sentences, counts, strict=True):
        found.append([])
        for _ in range(count):
            ids = labels[at : at + len(sentence)]
            found[-1].append((tuple(corpus.labels[i] for i in ids), scores[number]))
            at, number = at + len(sentence), number + 1
    return found


def enumerated(corpus, named, inputs):
    """All legal labellings, best first; of equals the lowest labels first, read from the end."""
    every = [(y, score(named, inputs, y)) for y in sequences(corpus.labels, len(inputs)) if corpus.is_legal(y)]
    return sorted(every, key=lambda pair: -pair[1])


@EVERY_TEMPLATE
@EVERY_ENCODING
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.sampled_from([1, 2, 7, UNBOUNDED]))
def test_the_best_and_the_lists_are_the_enumerated_ones_ties_included(template, encoding, seed, n):
    corpus, weights = sample(seed, template, encoding)
    named = corpus.by_name(weights)
    found, best = lists(corpus, weights, n), corpus.exact(weights)
    for inputs, some, first in zip(corpus.inputs(), found, best, strict=True):
        every = enumerated(corpus, named, inputs)
        assert some == every[:n]
        assert first == every[0][0]


def test_the_weights_of_these_samples_do_read_earlier_labels_and_do_tie():
    """Otherwise the test above would show little."""
    reads, ties = dict.fromkeys(TEMPLATES, 0), 0
    for template in TEMPLATES:
        corpus, weights = sample(1, template, None)
        named = corpus.by_name(weights)
        reads[template] = sum("label" in feature for (feature, _), _ in named)
        for inputs in corpus.inputs():
            scores = [total for _, total in enumerated(corpus, named, inputs)]
            ties += len(set(scores)) < len(scores)
    assert min(reads.values()) >= 5
    assert ties > 0


@EVERY_TEMPLATE
@EVERY_ENCODING
def test_single_precision_finds_the_enumerated_ones_too(template, encoding):
    corpus, _ = sample(3, template, encoding)
    perceptron = corpus.trainer(single=True, learner="perceptron", settings={})
    for _ in range(2):
        corpus.epoch(perceptron)
    weights = perceptron.last()
    named = corpus.by_name(weights)
    assert any("label" in feature for (feature, _), _ in named)
    for inputs, some, best in zip(corpus.inputs(), lists(corpus, weights, 3), corpus.exact(weights), strict=True):
        assert some == enumerated(corpus, named, inputs)[:3]
        assert some[0][0] == best


@EVERY_TEMPLATE
@EVERY_ENCODING
def test_an_unbounded_beam_gives_the_same_score(template, encoding):
    for seed in range(4):
        corpus, weights = sample(seed, template, encoding)
        named = corpus.by_name(weights)
        for inputs, one, other in zip(
            corpus.inputs(), corpus.exact(weights), corpus.search(weights, beam=UNBOUNDED), strict=True
        ):
            assert score(named, inputs, one) == score(named, inputs, other)


def test_a_long_sentence_scores_at_least_as_well_as_by_any_beam():
    corpus = noise(5, TEMPLATES["everything"], "iob2", sentences=3, longest=5)
    weights = corpus.random_weights(5)
    rng = np.random.default_rng(0)
    words = [[(str(w), "0.5") for w in rng.choice(list("abc"), 2000)]]
    long = problem(TEMPLATES["everything"], words, [["O"] * 2000], corpus.labels, "iob2")
    long.features, long.instances = corpus.features, corpus.features.instances(riata.data.memory.as_corpus(words))
    named, (inputs,) = corpus.by_name(weights), long.inputs()
    (best,), (narrow,) = long.exact(weights), long.search(weights, beam=3)
    assert long.is_legal(best)
    assert score(named, inputs, best) >= score(named, inputs, narrow)
    ((_, high), (second, low)) = lists(long, weights, 2)[0]
    assert high == pytest.approx(score(named, inputs, best)) and low == pytest.approx(score(named, inputs, second))
    assert high >= low and second != best


def test_labels_further_back_are_refused_with_the_reason():
    corpus = noise(0, "word[0]\nlabel[-3] label[-1]\nlabel[-2]")
    weights = corpus.random_weights(0)
    for ask in (corpus.exact, lambda w: lists(corpus, w, 2)):
        caught = refused(UnsupportedError, r"looks two labels back; the templates read label\[-3\]", ask, weights)
        assert "beam" in caught.remedy


def test_more_labels_than_the_dynamic_program_takes_are_refused_or_searched():
    count = _core.most_exact_labels + 1
    words, labels = [[f"w{i}" for i in range(count)]], [[f"L{i}" for i in range(count)]]
    template = parse("word[0]\nlabel[-2]")
    with pytest.raises(UnsupportedError, match=f"up to {count - 1} labels, not for {count}"):
        Tagger(template=template, epochs=1).fit(words, labels)
    by_beam = Tagger("early", beam=1, template=template, epochs=1).fit(words, labels)
    by_beam.set_params(queue="exact", beam=None)
    assert len(by_beam.predict([["w1", "w2"]])[0]) == 2
    refused(UnsupportedError, f"up to {count - 1} labels", by_beam.predict_nbest, [["w1"]], 2)


def test_a_sentence_that_would_not_fit_into_memory_is_refused():
    count = _core.most_exact_labels
    words, labels = [[f"w{i}" for i in range(count)]], [[f"L{i}" for i in range(count)]]
    tagger = Tagger("early", beam=1, template=parse("word[0]\nlabel[-2]"), epochs=1).fit(words, labels)
    tagger.set_params(queue="exact", beam=None)
    with pytest.raises(UnsupportedError, match=r"sentence 1 .* has 20000 tokens: too many") as caught:
        tagger.predict([["w1"], ["w1"] * 20_000])
    assert "beam" in caught.value.remedy


def test_predict_is_the_first_of_predict_nbest_and_single_and_double_agree():
    train, test = embedded()[:120], embedded(split="test")[:60]
    template = parse("word[0]\ntag[0]\ntag[-1] tag[0]\nedge\nlabel[-2] label[-1]\nlabel[-2] label[-1] tag[0]")
    single, double = (
        Chunker("perceptron", template=template, epochs=3, settings={"precision": precision}).fit(train)
        for precision in ("single", "double")
    )
    found = single.predict_nbest(test, 3)
    assert [some[0][0] for some in found] == single.predict(test) == double.predict(test)
    for some in found:
        totals = [total for _, total in some]
        assert totals == sorted(totals, reverse=True) and len({tuple(y) for y, _ in some}) == 3
    ids = np.array([single.classes_.index(label) for some in found for label in some[1][0]], np.int32)
    instances = single.model_.features.instances(single.columns.input_columns(test))
    assert single.model_.scores_of(instances, ids) == pytest.approx([some[1][1] for some in found], rel=1e-5)


def test_a_copy_of_weights_has_its_own_rows():
    corpus, weights = sample(2, "everything", None)
    before = lists(corpus, weights, 4)
    assert lists(corpus, copy.copy(weights), 4) == before
