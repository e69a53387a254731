"""MIRA and the perceptron on segments, against twins over dictionaries that know every segmentation."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import riata
from oracle.mira import multipliers, product
from oracle.perceptron import mean
from oracle.segments import loss, phi, segmentations
from riata.errors import RiataError
from riata.features.attributes import builtin
from samples import embedded, quietly
from segment_problems import EXACT_TEMPLATES, noise


def added(w, delta, step):
    for key, value in delta.items():
        w[key] = w.get(key, 0.0) + step * value


class Twin:
    """Takes one sentence after another. `closest`: how far the last output taken is ahead of the first one left."""

    def __init__(self, problem, start, token_weights=None):
        """token_weights: by sentence, what the true labels of its tokens weigh."""
        self.problem, self.w, self.token_weights = problem, dict(start), token_weights
        self.snapshots, self.updates, self.closest = [dict(start)], 0, np.inf

    def features(self, x, segments, weight=lambda start, end: 1.0):
        return phi(x, self.problem.features.templates, builtin(), segments, weight)

    def weight(self, x):
        """How much a segment counts: as much as the true labels of its tokens weigh on average."""
        if self.token_weights is None:
            return lambda start, end: 1.0
        [own] = [weights for one, weights in zip(self.problem.sentences, self.token_weights, strict=True) if one is x]
        return lambda start, end: own[start:end].mean()

    def ranked(self, x, gold, cost, k):
        """The k segmentations of the highest score plus loss."""
        every = segmentations(len(x), self.problem.labels, self.problem.most)
        totals = [product(self.features(x, one), self.w) + cost * loss(one, gold, self.weight(x)) for one in every]
        order = np.argsort(-np.array(totals), kind="stable")
        if len(order) > k:
            self.closest = min(self.closest, totals[order[k - 1]] - totals[order[k]])
        return [every[i] for i in order[:k]]

    def target(self, x, gold):
        """The truth or, where a segment of it is too long, of the segmentations of least loss the one that scores best."""
        every = segmentations(len(x), self.problem.labels, self.problem.most)
        if gold in every:
            return gold
        losses = {one: loss(one, gold, self.weight(x)) for one in every}
        least = min(losses.values()) + 1e-9
        scores = {one: product(self.features(x, one), self.w) for one in every if losses[one] <= least}
        first, *others = sorted(scores.values(), reverse=True)
        self.closest = min(self.closest, *(first - other for other in others[:1]), np.inf)
        return max(scores, key=scores.__getitem__)

    def away(self, x, gold, segments, weight=lambda start, end: 1.0):
        delta = self.features(x, gold, weight)
        added(delta, self.features(x, segments, weight), -1.0)
        return {key: value for key, value in delta.items() if abs(value) > 1e-12}

    def perceptron(self, x, gold, weight):
        (found,) = self.ranked(x, gold, 0.0, 1)
        if found != gold:
            self.updates += 1
            added(self.w, self.away(x, gold, found, self.weight(x)), weight)
        self.snapshots.append(dict(self.w))

    def mira(self, x, gold, weight, *, C, cost, k):
        target = self.target(x, gold)
        rivals = [(one, self.away(x, target, one)) for one in self.ranked(x, gold, cost, k) if one != target]
        rivals = [(one, delta) for one, delta in rivals if delta]
        costs = [cost * (loss(one, gold, self.weight(x)) - loss(target, gold, self.weight(x))) for one, _ in rivals]
        b = np.array([c - product(delta, self.w) for c, (_, delta) in zip(costs, rivals, strict=True)])
        if any(b > 1e-6 * cost):
            g = np.array([[product(one, other) for _, other in rivals] for _, one in rivals])
            steps = multipliers(b, g, C * weight)
            self.updates += any(steps > 0)
            for step, (_, delta) in zip(steps, rivals, strict=True):
                added(self.w, delta, step)
        self.snapshots.append(dict(self.w))


def same(weights, expected):
    for key in {*weights, *expected}:
        assert weights.get(key, 0.0) == pytest.approx(expected.get(key, 0.0), abs=1e-6), key


def compared(problem, seed, learner, chosen, weights, classes=()):
    start, of_tokens, classes = problem.random_weights(seed), None, np.array(classes)
    if len(classes):
        lengths = [len(x) for x in problem.sentences]
        labels = np.random.default_rng(seed).integers(len(classes), size=sum(lengths)).astype(np.int32)
        problem.instances.set_labels(labels, len(classes))
        of_tokens = np.split(classes[labels], np.cumsum(lengths)[:-1])
    twin = Twin(problem, problem.by_name(start), of_tokens)
    trainer = problem.trainer(start, learner=learner, settings=chosen)
    updates = 0
    for _ in range(2):
        updates += problem.epoch(trainer, weights=weights, classes=classes)["updates"]
        for s, (x, gold) in enumerate(zip(problem.sentences, problem.gold, strict=True)):
            getattr(twin, learner)(x, gold, weights[s] if weights else 1.0, **chosen)
    assume(twin.closest > 1e-9)  # which of two equals is taken may hang on how sums are rounded
    assert updates == twin.updates
    same(problem.by_name(trainer.last()), twin.w)
    same(problem.by_name(trainer.averaged()), mean(twin.snapshots))


CLASSES = st.sampled_from([(), (0.5, 1.0, 2.0), (1.0, 0.25, 4.0)])  # of labels of tokens
WEIGHTS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=3, max_size=3) | st.just([])


@pytest.mark.parametrize("template", EXACT_TEMPLATES)
@settings(max_examples=4, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.01, 0.125, 100.0]),
    st.sampled_from([1.0, 0.5]),
    st.integers(1, 3),
    WEIGHTS,
    CLASSES,
)
def test_mira_learns_what_its_twin_learns(template, seed, C, cost, k, weights, classes):
    for beyond in (0, 2):  # by how many tokens true segments may be longer than those that can be found
        problem = noise(seed, template, most=2, longest=4, sentences=3, beyond=beyond)
        compared(problem, seed, "mira", {"C": C, "cost": cost, "k": k}, weights, classes)


@pytest.mark.parametrize("template", EXACT_TEMPLATES)
@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10**6), WEIGHTS, CLASSES)
def test_the_perceptron_learns_what_its_twin_learns(template, seed, weights, classes):
    problem = noise(seed, template, most=2, longest=4, sentences=3)
    compared(problem, seed, "perceptron", {}, weights, classes)


def test_a_chunker_learns_segments_by_mira():
    train, test = embedded()[:250], embedded(split="test")
    chunker = quietly(riata.Chunker("mira", structure="segments", epochs=5), train)
    assert chunker.model_.structure == "segments"
    assert chunker.score(test) > 0.85
    assert chunker.history_[0]["wrong_tokens"] is None


@pytest.mark.parametrize("recipe", ["perceptron", "mira"])
def test_a_chunker_weighs_segments_by_the_labels_of_their_tokens(recipe):
    data = embedded()[:40]
    labels = {row[-1] for sentence in data for row in sentence}

    def flat(**parameters):
        params = {"structure": "segments", "epochs": 2, "settings": {"average": False}, **parameters}
        return quietly(riata.Chunker(recipe, **params), data).model_.weights.flat()

    plain = flat()
    assert flat(class_weight={"O": 1.0}).tobytes() == plain.tobytes()
    assert flat(class_weight={"O": 0.25}).tobytes() != plain.tobytes()
    assert flat(class_weight="balanced").tobytes() != plain.tobytes()
    if recipe == "perceptron":  # every step is twice as long
        assert flat(class_weight=dict.fromkeys(labels, 2.0)).tolist() == (2 * plain).tolist()
    with pytest.raises(RiataError, match="Unknown label in class_weight 'NP'"):
        flat(class_weight={"NP": 2.0})


@pytest.mark.parametrize("recipe", ["mira", "perceptron"])
def test_class_weights_choose_what_comes_closest_to_a_truth_that_is_too_long(recipe):
    """Of three tokens, two can be one segment: a segment weighs least where it averages over the heavy token, or is beside it."""
    words, tags = [["a", "b", "c"], ["o"]], [["B-X", "I-X", "I-X"], ["O"]]

    def longest_at(heavy, light):
        weights = {"B-X": heavy, "I-X": light}
        made = riata.Chunker(recipe, structure="segments", class_weight=weights, settings={"longest": 2}, epochs=3)
        return quietly(made, words, tags).predict(words[:1])[0].index("I-X") - 1

    assert longest_at(8.0, 0.125) == 0
    assert longest_at(0.125, 8.0) == 1
