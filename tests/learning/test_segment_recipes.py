"""MIRA and the perceptron on segments, against twins over dictionaries that know every segmentation; and the recipe semicrf."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import riata
from checks import refused, same_weights, stored
from oracle.mira import multipliers, product
from oracle.perceptron import mean
from oracle.segments import loss, phi, segmentations
from riata import Chunker, RiataWarning, Tagger
from riata.errors import RiataError, UnsupportedError
from riata.features.attributes import builtin
from riata.structures.segments.templates import parse
from samples import CHUNKS, INPUTS, TAGS, WORDS, as_text, embedded
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
    same_weights(problem.by_name(trainer.last()), twin.w)
    same_weights(problem.by_name(trainer.averaged()), mean(twin.snapshots))


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
    chunker = Chunker("mira", structure="segments", epochs=5).fit(train)
    assert chunker.model_.structure == "segments"
    assert chunker.score(test) > 0.85
    assert chunker.history_[0]["wrong_tokens"] is None


@pytest.mark.parametrize("recipe", ["perceptron", "mira"])
def test_a_chunker_weighs_segments_by_the_labels_of_their_tokens(recipe):
    data = embedded()[:40]
    labels = {row[-1] for sentence in data for row in sentence}

    def flat(**parameters):
        params = {"structure": "segments", "epochs": 2, "settings": {"average": False}, **parameters}
        return Chunker(recipe, **params).fit(data).model_.weights.flat()

    plain = flat()
    assert flat(class_weight={"O": 1.0}).tobytes() == plain.tobytes()
    assert flat(class_weight={"O": 0.25}).tobytes() != plain.tobytes()
    assert flat(class_weight="balanced").tobytes() != plain.tobytes()
    if recipe == "perceptron":  # every step is twice as long
        assert flat(class_weight=dict.fromkeys(labels, 2.0)).tolist() == (2 * plain).tolist()
    refused(RiataError, "Unknown label in class_weight 'NP'", flat, class_weight={"NP": 2.0})


@pytest.mark.parametrize("recipe", ["mira", "perceptron"])
def test_class_weights_choose_what_comes_closest_to_a_truth_that_is_too_long(recipe):
    """Of three tokens, two can be one segment: a segment weighs least where it averages over the heavy token, or is beside it."""
    words, tags = [["a", "b", "c"], ["o"]], [["B-X", "I-X", "I-X"], ["O"]]

    def longest_at(heavy, light):
        weights = {"B-X": heavy, "I-X": light}
        made = Chunker(recipe, structure="segments", class_weight=weights, settings={"longest": 2}, epochs=3)
        return made.fit(words, tags).predict(words[:1])[0].index("I-X") - 1

    assert longest_at(8.0, 0.125) == 0
    assert longest_at(0.125, 8.0) == 1


# --- the recipe semicrf as a user meets it: it learns, goes on from other models, and says what it cannot do ---------
SMALL = parse("inside word[0]\ninside tag[0]\nfirst tag[-1]\nlast tag[1]\nsequence tag[0]\nlength\nlabel[-1]")


def trained(recipe="semicrf", data=None, **given):
    return Chunker(recipe, **{"template": SMALL, "threads": 1, **given}).fit(embedded()[:120] if data is None else data)


def flat(made):
    return made.model_.weights.flat()


def test_it_learns_to_chunk_and_survives_a_file(tmp_path):
    made, test = trained(), embedded(split="test")[:40]
    assert made.model_.structure == "segments"
    assert made.score(test) > 0.9
    losses = [epoch["objective"] for epoch in made.history_]
    assert all(after <= before * (1 + 1e-5) for before, after in pairwise(losses))  # single precision
    assert losses[-1] < losses[0] / 4
    assert len(losses) < 1000  # it stops by itself
    assert stored(made, tmp_path).predict(test) == made.predict(test)
    assert made.search_errors(test).search == 0


def test_threads_change_nothing_and_crf_on_segments_is_the_same():
    few = {"data": embedded()[:60], "epochs": 12}
    one = trained(threads=1, **few)
    assert flat(trained(threads=3, **few)).tobytes() == flat(one).tobytes()
    assert flat(trained("crf", structure="segments", **few)).tobytes() == flat(one).tobytes()


def test_where_it_starts_makes_no_difference():
    """The objective is convex: from other weights it comes to the same."""
    tight, data = {"gain_tolerance": 1e-7, "precision": "double"}, embedded()[:25]
    cold = trained(data=data, settings=tight)
    warm = trained("laso-alma", data, queue="exact", epochs=2, settings={"precision": "double"})
    warm.set_params(recipe="semicrf", warm_start=True, epochs=1000, settings=tight).fit(data)
    ends = [made.history_[-1]["objective"] for made in (cold, warm)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-4)
    assert warm.history_[0]["objective"] < cold.history_[0]["objective"]


def test_settings_of_the_prior():
    data = embedded()[:40]
    loose, tight, sparse, every = (
        trained(data=data, epochs=60, settings=chosen)
        for chosen in ({"c2": 0.01}, {"c2": 10.0}, {"c1": 1.0, "c2": 0.0}, {"pairs": "all"})
    )
    assert np.linalg.norm(flat(tight)) < np.linalg.norm(flat(loose)) / 2
    assert 0 < np.count_nonzero(flat(sparse)) < np.count_nonzero(flat(loose)) / 4
    assert np.count_nonzero(flat(every)) > 2 * np.count_nonzero(flat(loose))
    assert every.score(data) > 0.95


def test_weights_of_sentences():
    data = embedded()[:40]
    prior = {"c2": 0.1}
    weighted = Chunker("semicrf", template=SMALL, settings=prior).fit(data, sample_weight=[2.0] * 20 + [0.0] * 20)
    again = Chunker("semicrf", template=SMALL, settings=prior).fit(data, sample_weight=[1.0] * 20 + [0.0] * 20)
    assert not np.allclose(flat(weighted), flat(again))
    halved = Chunker("semicrf", template=SMALL, settings={"c2": 0.2}).fit(data, sample_weight=[2.0] * 20 + [0.0] * 20)
    assert halved.predict(data) == again.predict(data)
    assert halved.history_[-1]["objective"] == pytest.approx(2 * again.history_[-1]["objective"], rel=1e-3)


def test_segments_that_are_too_long_are_told_of():
    with pytest.warns(RiataWarning, match="more than 1 tokens: 3.*left out"):
        made = Chunker("semicrf", template=SMALL, settings={"longest": 1}).fit(CHUNKS)
    assert all(not tag.startswith("I-") for tags in made.predict(INPUTS) for tag in tags)


def test_plain_labels():
    made = Tagger("semicrf").fit(WORDS, TAGS)
    assert made.predict(WORDS) == TAGS


def test_what_it_cannot_do_is_refused(tmp_path):
    data = embedded()[:10]
    path = tmp_path / "train.txt"
    path.write_text(as_text(), encoding="utf-8")
    with pytest.raises(UnsupportedError, match=r"needs whole segments .*; the structure 'chain'"):
        Chunker("semicrf", structure="chain").fit(data)
    with pytest.raises(UnsupportedError, match=r"needs exact search: 'label\[-2\]' reads further back"):
        Chunker("semicrf", template=parse("inside word[0]\nlabel[-2]")).fit(data)
    refused(UnsupportedError, "the queue exact", Chunker("semicrf", queue="beam", beam=5).fit, data)
    for name, value in {"shards": 2, "seeds": 2, "bits": 12, "learn_as": "bioes"}.items():
        refused(UnsupportedError, name, Chunker("semicrf", **{name: value}).fit, data)
    refused(UnsupportedError, "stream", Chunker("semicrf", stream=True).fit, path)
    refused(UnsupportedError, "minimises one objective over all data", Chunker("semicrf").partial_fit, data)
    refused(UnsupportedError, "class_weight", Chunker("semicrf", class_weight={"O": 2.0}).fit, data)


@pytest.mark.parametrize("recipe", ["semicrf", "perceptron"])
def test_it_can_be_explained(recipe):
    made = trained(recipe, CHUNKS, structure="segments", epochs=3)
    explained = made.explain(INPUTS[0], [chunk for _, _, chunk in CHUNKS[0]])
    assert explained.trace.queue == "beam" and "decodes exactly" in explained.note


def test_it_can_be_compared():
    recipes = ["semicrf:c2=1", "perceptron"]
    done = riata.compare(recipes, embedded()[:60], task="chunk", parameters={"epochs": 3}, folds=2, isolated=False)
    assert "semicrf:c2=1" in str(done)
