"""Learning from parts of the data: against the slow twin of the paper's figure, also where shards come to know features of their own."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checks import refused, same_weights
from learning.test_perceptron import by_frequency, corpora, dyadic, examples, noisy_corpus, split, trained
from learning.test_seeds import loads_and_goes_on
from learning.test_segment_recipes import Twin
from oracle.mira import mira, product
from oracle.perceptron import mean, perceptron
from oracle.segments import phi, segmentations
from oracle.shards import iterative_mixing
from packed_weights import weights_of
from riata import Chunker, Tagger, _core
from riata._core import shuffled
from riata.errors import DataError, SettingError, UnsupportedError
from riata.estimators.model_file import to_bytes
from riata.features.attributes import builtin
from riata.features.templates import parse
from riata.models import parts as feature_parts
from riata.structures.segments.templates import parse as parse_segments
from samples import embedded, for_each, tried
from segment_problems import EXACT_TEMPLATES, noise

TEMPLATE = parse("word[-1]\nword[0]\nnumber(1)[0]\nedge\nedge word[0]")
PLAIN = parse("word[0]\nword[-1]\ntag[0]\ntag[-1] tag[0]\nedge\nedge tag[0]")
RECIPES = pytest.mark.parametrize("recipe", ["perceptron", "mira"])


def chunker(recipe="perceptron", **params):
    return Chunker(recipe, **{"epochs": 3, "template": PLAIN, **params})


def orders(sentences, seed, epochs, shards):
    """Per epoch and shard, the sentences in their order."""
    cut = shuffled(sentences, seed, 0).tolist()
    shard = {n: place * shards // sentences for place, n in enumerate(cut)}
    visited = [shuffled(sentences, seed, epoch).tolist() for epoch in range(1, epochs + 1)]
    return [[[n for n in order if shard[n] == i] for i in range(shards)] for order in visited]


# --- the twin --------------------------------------------------------------------------------------------------------


# Halves and quarters are exact, so that ties are ties.
@tried(60, corpora, st.sampled_from([1, 2, 4]), st.integers(1, 3), st.integers(0, 3), st.data())
def test_perceptrons_are_mixed_as_in_the_figure(corpus, shards, epochs, seed, data):
    X, y = split(corpus)
    assume(len(X) >= shards)
    weights = data.draw(st.lists(dyadic.filter(bool), min_size=len(X), max_size=len(X)))
    known, labels = examples(X, y, TEMPLATE), by_frequency(y)
    expected = iterative_mixing(
        lambda order, start: perceptron(known, labels, [order], start=start, sentence_weight=dict(enumerate(weights))),
        orders(len(X), seed, epochs, shards),
    )
    for average, found in ((True, expected.averaged), (False, expected.last)):
        params = {"template": TEMPLATE, "epochs": epochs, "seed": seed, "average": average}
        tagger = trained(X, y, shards=shards, sample_weight=weights, **params)
        same_weights(weights_of(tagger.model_), found)


# Of two labels, so that from zero weights one output alone has the highest loss.
@tried(30, st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3), st.integers(0, 3))
def test_mira_is_mixed_as_in_the_figure(drawn, shards, epochs, seed):
    X, y = split(noisy_corpus(drawn))
    y = [["X" if label == "X" else "Y" for label in labels] for labels in y]
    known, labels, gaps = examples(X, y, TEMPLATE), by_frequency(y), []

    def one_epoch(order, start):
        found = mira(known, labels, [order], C=0.3, cost=1.0, start=start)
        gaps.append(found.closest)
        return found

    expected = iterative_mixing(one_epoch, orders(len(X), seed, epochs, shards))
    assume(min(gaps) > 1e-9)  # which of two equals is taken may hang on how sums are rounded
    for average, found in ((True, expected.averaged), (False, expected.last)):
        params = {"template": TEMPLATE, "epochs": epochs, "seed": seed, "average": average, "recipe": "mira"}
        same_weights(weights_of(trained(X, y, shards=shards, settings={"C": 0.3}, **params).model_), found)


# --- what does not matter, and what does -----------------------------------------------------------------------------
@RECIPES
def test_one_shard_is_the_recipe_as_it_was(recipe):
    data = embedded()[:60]
    assert to_bytes(chunker(recipe).fit(data)) == to_bytes(chunker(recipe, shards=1, threads=3).fit(data))


@RECIPES
def test_threads_change_nothing(recipe):
    data = embedded()[:60]
    models = [to_bytes(chunker(recipe, shards=4, threads=threads).fit(data)) for threads in (1, 2, 7, None)]
    assert models[0] == models[1] == models[2] == models[3]
    assert models[0] != to_bytes(chunker(recipe, shards=3).fit(data))


def test_as_many_shards_as_sentences_is_the_mean_of_single_steps():
    """From zero, every shard sees one sentence, and all have the same start."""
    X, y = [["a"], ["b"], ["b"]], [["X"], ["Y"], ["Y"]]
    template = parse("word[0]")
    tagger = trained(X, y, template=template, epochs=1, shards=3, average=False)
    # Y, the more frequent, is what zero weights find: only the first sentence is wrong.
    assert weights_of(tagger.model_) == pytest.approx(
        {(("word[0]", (("inside", "a"),)), "X"): 1 / 3, (("word[0]", (("inside", "a"),)), "Y"): -1 / 3}
    )


@RECIPES
def test_everything_around_a_learner_works_for_shards(recipe, tmp_path):
    data = embedded()[:60]
    made = chunker(recipe, shards=3, dev=0.2, refit=True, patience=2).fit(data)
    assert {epoch["sentences"] for epoch in made.history_} == {44, 60}  # the last 16 are one of two documents
    assert loads_and_goes_on(made, data, tmp_path / "m.riata").shards == 3


def test_shards_go_on_over_features_that_are_new():
    data = embedded()[:60]
    made = chunker(shards=2).partial_fit(data[:30], classes=data.columns[-1].alphabet.texts())
    before = weights_of(made.model_)
    made.partial_fit(data[30:])
    assert len(weights_of(made.model_)) > len(before)


# --- what is refused -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("wrong", [0, -1, 1.5, "x", None])
def test_counts_without_sense_are_refused(wrong):
    refused(SettingError, "'shards'", Tagger("perceptron", shards=wrong).fit, [["a"]], [["X"]])


def test_more_shards_than_sentences_are_refused():
    with pytest.raises(SettingError, match="shards is 3, but there are only 2 sentences"):
        Tagger("perceptron", shards=3).fit([["a"], ["b"]], [["X"], ["Y"]])


@pytest.mark.parametrize("recipe", ["laso-perceptron", "early"])
def test_recipes_that_search_are_refused_with_the_reason(recipe):
    with pytest.raises(UnsupportedError, match=f"'{recipe}' learns from the states of a search"):
        chunker(recipe, shards=2).fit(embedded()[:20])


@pytest.mark.parametrize("structure", ["chain", "segments"])
def test_the_memory_of_all_shards_is_asked_for_before_training(structure, monkeypatch):
    data = embedded()[:20]
    model = Chunker("perceptron", structure=structure, epochs=1).fit(data).model_
    _, need = model.outputs.memory(model.features)
    monkeypatch.setattr(feature_parts, "MOST_MEMORY", 2 * need)
    Chunker("perceptron", structure=structure, epochs=1, shards=2).fit(data)
    refused(DataError, "3 shards need", Chunker("perceptron", structure=structure, epochs=1, shards=3).fit, data)


# --- shards that come to know features of their own ------------------------------------------------------------------
class Exact(Twin):
    """Of equals, the one that exact search finds: of the lowest label, then the shortest, read from the end."""

    def ranked(self, x, gold, cost, k):
        every = segmentations(len(x), self.problem.labels, self.problem.most)
        totals = {one: product(self.features(x, one), self.w) for one in every}
        best = [one for one in every if totals[one] == max(totals.values())]
        return [min(best, key=lambda one: [(self.problem.labels.index(label), size) for size, label in reversed(one)])]


# With 1, 2 or 4 shards all weights are exact, so that ties are ties.
@pytest.mark.parametrize("template", EXACT_TEMPLATES)
@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1, 2, 4]), st.integers(1, 3))
def test_perceptrons_on_segments_are_mixed_as_in_the_figure(template, seed, shards, epochs):
    problem = noise(seed, template, most=2, longest=4, sentences=5)
    visits = orders(len(problem.sentences), seed, epochs, shards)
    trainers = [problem.trainer(learner="perceptron", settings={}) for _ in range(shards)]
    for of_shards in visits:
        for trainer, order in zip(trainers, of_shards, strict=True):
            problem.epoch(trainer, order)
        _core.mix(trainers, [1 / shards] * shards)

    def one_epoch(order, start):
        twin = Exact(problem, start)
        for n in order:
            twin.perceptron(problem.sentences[n], problem.gold[n], 1.0)
        return SimpleNamespace(last=twin.w, averaged=mean(twin.snapshots))

    expected = iterative_mixing(one_epoch, visits)
    assert len({len(trainer.last().flat()) for trainer in trainers}) == 1
    for weights, named in (
        *((trainer.last(), expected.last) for trainer in trainers),
        (_core.average_of_all(trainers), expected.averaged),
    ):
        every = [segmentations(len(x), problem.labels, problem.most) for x in problem.sentences]
        for turn in range(max(map(len, every))):
            some = [one[turn % len(one)] for one in every]
            features = [
                phi(x, problem.features.templates, builtin(), one)
                for x, one in zip(problem.sentences, some, strict=True)
            ]
            assert problem.scores(weights, some) == pytest.approx([product(f, named) for f in features], abs=1e-9)


KINDS = {
    "segments": {
        "structure": "segments",
        "template": parse_segments("inside word[0]\nlast tag[0]\nsequence tag[0]\nlabel[-1]\nlabel[-1] first tag[0]"),
    },
    "earlier labels": {"template": parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]\nlabel[-1] tag[0]")},
}


@for_each(kind=KINDS, recipe=["perceptron", "mira"])
def test_threads_change_nothing_and_shards_do(kind, recipe):
    data = embedded()[:40]

    def made(**parameters):
        return Chunker(recipe, epochs=3, **KINDS[kind], **parameters).fit(data)

    one, two = made(shards=3, threads=1), made(shards=3, threads=2)
    assert to_bytes(one) == to_bytes(two) != to_bytes(made())
    assert one.score(data) > 0.7


@pytest.mark.parametrize("kind", KINDS)
def test_partial_fit_is_fit_epoch_by_epoch_where_shards_grow(kind):
    data = embedded()[:30]
    bit_by_bit = Chunker("perceptron", shards=3, **KINDS[kind])
    for _ in range(2):
        bit_by_bit.partial_fit(data)
    whole = Chunker("perceptron", shards=3, epochs=2, **KINDS[kind]).fit(data)
    assert bit_by_bit.predict_nbest(data, 2) == whole.predict_nbest(data, 2)


def test_the_mean_of_chains_that_read_earlier_labels_is_over_all_shards():
    """Of one sentence each, from zero: the weights are the mean of single steps, whatever labels a shard has met."""
    X, y = [["a", "b", "c"], ["c", "b", "a"]], [["X", "Y", "X"], ["Y", "Y", "X"]]
    settings = {"average": False}
    template = parse("word[0]\nlabel[-2] label[-1]")
    together = Tagger("perceptron", template=template, epochs=1, shards=2, settings=settings).fit(X, y)
    alone = [Tagger("perceptron", template=template, epochs=1, settings=settings) for _ in X]
    for one, words, labels in zip(alone, X, y, strict=True):
        one.partial_fit(X, y, sample_weight=[0.0, 0.0])  # labels and features only
        one.partial_fit([words], [labels])
    outputs = np.array([[score for _, score in sorted(m.predict_nbest(X, 99)[0])] for m in (together, *alone)])
    assert outputs[0] == pytest.approx((outputs[1] + outputs[2]) / 2)
