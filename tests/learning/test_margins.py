"""Margins that the core measures along a search, against a slow twin and against enumeration."""

import itertools
import math

import pytest

from chain_problems import UNBOUNDED, options
from margin_problems import Labels, Subset, measured, same_as_the_twin, sample
from oracle.laso import norm
from oracle.margins import Margins
from riata import Predictor
from samples import for_each, for_rows

QUEUES = {
    "greedy": {"queue": "greedy"},
    "beam 2": {"beam": 2},
    "beam 4": {"beam": 4},
    "unbounded beam": {"beam": UNBOUNDED},
    "beam by prefix": {"beam": 2, "beam_by": "prefix"},
    "beam by pending": {"beam": 3, "beam_by": "pending"},
    "best-first": {"queue": "best-first"},
}
LEVELS = [name for name in QUEUES if name not in ("beam by pending", "best-first")]


# --- the twin ----------------------------------------------------------------------------------------------------------
@for_each(truth=["random", "exact", "greedy"], encoding=[None, "iob2"], queue=QUEUES)
def test_margins_equal_those_of_the_twin(queue, encoding, truth):
    lost = 0
    for seed in range(6):
        corpus, weights = sample(seed, encoding, truth=truth, edges_by_word=seed % 2 == 1, longest=4)
        found = same_as_the_twin(corpus, weights, **QUEUES[queue])
        assert found["norm"] == pytest.approx(norm(corpus.by_name(weights)))
        assert found["most_good"] == 1
        assert (found["survival"] > 0) == (found["losses"] == 0)
        lost += found["losses"] > 0
    assert lost > 0 or truth != "random"


@pytest.mark.parametrize("queue", LEVELS)
def test_the_survival_margin_is_how_far_the_truth_may_fall(queue):
    class Falling(Margins):
        fall = 0.0

        def margin(self):
            return self.fall

        def rank(self, node):
            return node.score - self.fall * node.good

    def losses(corpus, weights, fall):
        twin = Falling(corpus.labels, options(**QUEUES[queue]), corpus.legal, corpus.by_name(weights))
        twin.fall = fall
        for x, y in corpus.examples():
            twin.sentence(x, y)
        return twin.losses

    checked = 0
    for seed in range(30):
        corpus, weights = sample(seed, truth=["exact", "greedy"][seed % 2], longest=3)
        margin = measured(corpus, weights, **QUEUES[queue])["survival"]
        if not 0 < margin < math.inf:
            continue
        checked += 1
        assert losses(corpus, weights, margin - 1 / 64) == 0  # scores are multiples of 1/32
        assert losses(corpus, weights, margin) > 0
    assert checked >= 3


# --- enumeration -------------------------------------------------------------------------------------------------------
def difference(twin, x, good, bad):
    a, b = twin.phi(x, good), twin.phi(x, bad)
    return {key: a.get(key, 0.0) - b.get(key, 0.0) for key in {*a, *b}}


@pytest.mark.parametrize("encoding", [None, "iob2"])
def test_an_unbounded_beam_measures_every_prefix_that_has_not_met_the_truth_again(encoding):
    for seed in range(8):
        corpus, weights = sample(seed, encoding, truth="exact", longest=4)
        found = measured(corpus, weights, beam=UNBOUNDED)
        if found["losses"]:  # a tie
            continue
        twin = Margins(corpus.labels, options(), corpus.legal, corpus.by_name(weights))
        expected = []
        for x, y in corpus.examples():
            for t in range(1, len(x) + 1):
                ahead = []
                for bad in itertools.product(corpus.labels, repeat=t):
                    parts = next((i for i in range(t) if bad[i] != y[i]), None)
                    if parts is None or any(bad[i] == y[i] for i in range(parts, t - 1)):
                        continue
                    ends = [None] if t == len(x) else []
                    if all(corpus.legal(a, b) for a, b in itertools.pairwise([None, *bad, *ends])):
                        ahead.append(twin.dot(difference(twin, x, tuple(y[:t]), bad)))
                expected += [min(ahead)] if ahead else []
        assert found["raw"] == pytest.approx(expected)


def by_enumeration(problem, weights, x, y):
    """(raw, normalised) of every level, over all paths of that length."""
    paths, margins = [((), problem.initial(x), {})], []
    while not all(problem.is_goal(x, s) for _, s, _ in paths):
        longer = []
        for path, s, phi in paths:
            for a in problem.actions(x, s):
                more = dict(phi)
                for feature in problem.features(x, s, a):
                    name, value = feature if isinstance(feature, tuple) else (feature, 1.0)
                    more[name] = more.get(name, 0.0) + value
                longer.append(((*path, a), problem.apply(x, s, a), more))
        paths = longer
        good = [phi for _, s, phi in paths if problem.regret(x, s, y) == 0]
        bad = [phi for _, s, phi in paths if problem.regret(x, s, y) > 0]
        pairs = []
        for g, b in itertools.product(good, bad):
            delta = {k: g.get(k, 0.0) - b.get(k, 0.0) for k in {*g, *b}}
            pairs.append((sum(weights.get(k, 0.0) * v for k, v in delta.items()), norm(delta)))
        if pairs:
            margins.append((min(a for a, _ in pairs), min(a / max(1.0, length) for a, length in pairs)))
    return margins


@for_rows(
    "problem, X, Y",
    (Labels(), ["xyx", "y", "zzx"], [tuple("ABA"), ("C",), tuple("CCB")]),
    (Subset(), ["abcd", "bce", "ad"], [frozenset("bd"), frozenset("ce"), frozenset("ad")]),
    ids=["labels", "subset"],
)
@pytest.mark.parametrize("epochs", [1, 8])
def test_an_unbounded_beam_over_a_problem_measures_every_state(problem, X, Y, epochs):
    model = Predictor(problem, "laso-perceptron", beam=2, epochs=epochs, settings={"average": False}).fit(X, Y)
    found = model.diagnose(X, Y, beam=math.inf)
    expected = [level for x, y in zip(X, Y, strict=True) for level in by_enumeration(problem, model.weights(), x, y)]
    length = math.sqrt(sum(w**2 for w in model.weights().values()))
    assert found.norm == pytest.approx(length)
    assert found.raw_margins * length == pytest.approx([raw for raw, _ in expected])
    assert found.level_margins * length == pytest.approx([level for _, level in expected])
    assert found.raw_margin == min(found.raw_margins)
    assert found.level_margin == min(found.level_margins)


def test_a_greedy_search_is_measured_against_all_children_of_the_truth():
    X, Y = ["xyx", "zy"], [tuple("ABA"), tuple("CC")]
    model = Predictor(Labels(), "laso-perceptron", queue="greedy", epochs=9, settings={"average": False})
    found = model.fit(X, Y).diagnose(X, Y)
    weights, expected = model.weights(), []
    for x, y in zip(X, Y, strict=True):
        for t, a in enumerate(y):
            scores = {}
            for label in "ABC":
                pairs = [f if isinstance(f, tuple) else (f, 1.0) for f in Labels().features(x, y[:t], label)]
                scores[label] = sum(weights.get(name, 0.0) * value for name, value in pairs)
            expected.append(scores[a] - max(score for label, score in scores.items() if label != a))
    assert found.raw_margins * found.norm == pytest.approx(expected)
    assert found.survival_margin == pytest.approx(min(found.raw_margins))
    assert found.losses == 0
