"""Shards that come to know features of their own, which are mixed by what they stand for: segments, and chains that read earlier labels."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from learning.test_segment_mira import Twin
from learning.test_shards import orders
from oracle.mira import product
from oracle.perceptron import mean
from oracle.segments import phi, segmentations
from oracle.shards import iterative_mixing
from riata import _core
from riata.estimators.model_file import to_bytes
from riata.features.attributes import builtin
from riata.features.segments import parse as parse_segments
from riata.features.templates import parse
from samples import embedded, for_each
from segment_problems import EXACT_TEMPLATES, noise


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
        return riata.Chunker(recipe, epochs=3, **KINDS[kind], **parameters).fit(data)

    one, two = made(shards=3, threads=1), made(shards=3, threads=2)
    assert to_bytes(one) == to_bytes(two) != to_bytes(made())
    assert one.score(data) > 0.7


@pytest.mark.parametrize("kind", KINDS)
def test_partial_fit_is_fit_epoch_by_epoch(kind):
    data = embedded()[:30]
    bit_by_bit = riata.Chunker("perceptron", shards=3, **KINDS[kind])
    for _ in range(2):
        bit_by_bit.partial_fit(data)
    whole = riata.Chunker("perceptron", shards=3, epochs=2, **KINDS[kind]).fit(data)
    assert bit_by_bit.predict_nbest(data, 2) == whole.predict_nbest(data, 2)


def test_the_mean_of_chains_that_read_earlier_labels_is_over_all_shards():
    """Of one sentence each, from zero: the weights are the mean of single steps, whatever labels a shard has met."""
    X, y = [["a", "b", "c"], ["c", "b", "a"]], [["X", "Y", "X"], ["Y", "Y", "X"]]
    settings = {"average": False}
    template = parse("word[0]\nlabel[-2] label[-1]")
    together = riata.Tagger("perceptron", template=template, epochs=1, shards=2, settings=settings).fit(X, y)
    alone = [riata.Tagger("perceptron", template=template, epochs=1, settings=settings) for _ in X]
    for one, words, labels in zip(alone, X, y, strict=True):
        one.partial_fit(X, y, sample_weight=[0.0, 0.0])  # labels and features only
        one.partial_fit([words], [labels])
    outputs = np.array([[score for _, score in sorted(m.predict_nbest(X, 99)[0])] for m in (together, *alone)])
    assert outputs[0] == pytest.approx((outputs[1] + outputs[2]) / 2)
