"""The averaged perceptron against its slow twin (oracle.perceptron), against literal averages, and by hand.

Weights of sentences and classes and given values are multiples of powers of two here, so that sums are exact, and ties
are ties, whatever the order of addition.
"""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from checks import same_weights
from oracle import features as twin
from oracle.perceptron import mean, perceptron, phi, score, sequences
from packed_weights import weights_of
from riata import Chunker, Tagger, registry
from riata._core import shuffled
from riata.data.encodings.base import shown_encodings
from riata.features.attributes import builtin
from riata.features.templates import parse
from samples import tried

DOUBLE = {"precision": "double"}
TEMPLATES = {
    "words": "word[0]",
    "chain": "word[0]\nedge",
    "window": "word[-1]\nword[0]\nword[-1] word[0]\nedge",
    "edges": "word[0]\nedge\nedge word[0]\nedge word[-1] word[1]",
    "edges without a bare one": "bias[0]\nedge word[0]",
    "numbers": "word[0]\nnumber(1)[0]\nnumber(1)[-1]\nedge",
}

NUMBERS = ["0", "1", "-2", "0.5"]


def noisy_corpus(seed):
    """Labels at random, so that every epoch makes mistakes."""
    rng = random.Random(seed)
    sentences = [
        [(rng.choice("abc"), rng.choice(NUMBERS), rng.choice("XXYZ")) for _ in range(rng.randint(0, 4))]
        for _ in range(rng.randint(4, 8))
    ]
    return [*sentences, [("a", "1", "X"), ("b", "0", "Y")]]


tokens = st.tuples(st.sampled_from("abc"), st.sampled_from(NUMBERS), st.sampled_from("XYZ"))
tiny_corpora = st.lists(st.lists(tokens, max_size=3), min_size=1, max_size=4).filter(any)
corpora = st.one_of(st.integers(0, 10**6).map(noisy_corpus), tiny_corpora)
dyadic = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 3.0])


def split(corpus):
    return [[token[:-1] for token in s] for s in corpus], [[token[-1] for token in s] for s in corpus]


def by_frequency(y):
    counts = Counter(label for labels in y for label in labels)
    return sorted(counts, key=lambda label: (-counts[label], label))


def orders(sentences, seed, epochs):
    return [shuffled(sentences, seed, epoch).tolist() for epoch in range(1, epochs + 1)]


def examples(X, y, templates):
    return [(twin.inputs(x, templates, builtin()), labels) for x, labels in zip(X, y, strict=True)]


def trained(X, y, *, estimator=Tagger, sample_weight=None, average=True, **params):
    settings_ = {**DOUBLE, "average": average, **params.pop("settings", {})}
    return estimator(**{"recipe": "perceptron", "settings": settings_, **params}).fit(X, y, sample_weight=sample_weight)


# --- the twin --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("template", TEMPLATES)
@tried(60, corpora, st.integers(1, 3), st.integers(0, 3))
def test_weights_equal_those_of_the_twin(template, corpus, epochs, seed):
    X, y = split(corpus)
    templates = parse(TEMPLATES[template])
    expected = perceptron(examples(X, y, templates), by_frequency(y), orders(len(X), seed, epochs))
    for average, weights in ((True, expected.averaged), (False, expected.last)):
        tagger = trained(X, y, template=templates, epochs=epochs, seed=seed, average=average)
        same_weights(weights_of(tagger.model_), weights)
        # Weights that are not averaged are learnt no further than to 0 updates.
        updates = [epoch["updates"] for epoch in tagger.history_]
        assert updates + [0] * (epochs - len(updates)) == expected.mistakes
        assert tagger.classes_ == by_frequency(y)


@tried(80, corpora, st.integers(1, 3), st.data())
def test_class_and_sentence_weights_equal_those_of_the_twin(corpus, epochs, data):
    X, y = split(corpus)
    templates = parse(TEMPLATES["edges"])
    sample_weight = data.draw(st.lists(dyadic, min_size=len(X), max_size=len(X)))
    # Weight 0: left out, unless nothing is left.
    some = any(weight and x for weight, x in zip(sample_weight, X, strict=True))
    learnt = [i for i, weight in enumerate(sample_weight) if weight or not some]
    labels = by_frequency([y[i] for i in learnt])
    class_weight = data.draw(st.dictionaries(st.sampled_from(labels), dyadic))
    expected = perceptron(
        examples([X[i] for i in learnt], [y[i] for i in learnt], templates),
        labels,
        orders(len(learnt), 0, epochs),
        sentence_weight={place: sample_weight[i] for place, i in enumerate(learnt)},
        class_weight=class_weight,
    )
    tagger = trained(X, y, template=templates, epochs=epochs, class_weight=class_weight, sample_weight=sample_weight)
    same_weights(weights_of(tagger.model_), expected.averaged)


@tried(
    80,
    st.lists(
        st.lists(
            st.tuples(
                st.dictionaries(st.sampled_from("fgh"), st.sampled_from([0.0, 1.0, -0.5, 4.0])), st.sampled_from("XYZ")
            ),
            min_size=1,
            max_size=4,
        ),
        min_size=3,
        max_size=6,
    ),
    st.integers(1, 3),
)
def test_given_features_are_learnt_as_the_twin_learns_them(corpus, epochs):
    X, y = [[f for f, _ in s] for s in corpus], [[label for _, label in s] for s in corpus]
    inputs = [[([((name, ()), v) for name, v in f.items()], [(("edge", ()), 1.0)], []) for f in s] for s in X]
    expected = perceptron(list(zip(inputs, y, strict=True)), by_frequency(y), orders(len(X), 0, epochs))
    same_weights(weights_of(trained(X, y, epochs=epochs).model_), expected.averaged)
    same_weights(weights_of(trained(X, y, epochs=epochs, average=False).model_), expected.last)


@pytest.mark.parametrize("encoding", tuple(shown_encodings()))
@tried(30, st.randoms(use_true_random=False))
def test_chunkers_learn_from_mistakes_among_legal_sequences_only(encoding, rng):
    rules = registry.get("encoding", encoding)

    def legal(tags):
        return all(rules.may_follow(before, tag) for before, tag in itertools.pairwise(["O", *tags, "O"]))

    tags = ["O", *(f"{prefix}-X" for prefix in rules.prefixes)]
    by_length = {n: [s for s in itertools.product(tags, repeat=n) if legal(s)] for n in (1, 2, 3)}
    X = [[(rng.choice("abc"),) for _ in range(rng.randint(1, 3))] for _ in range(5)]
    y = [list(rng.choice(by_length[len(x)])) for x in X]
    templates = parse(TEMPLATES["chain"])
    labels = by_frequency(y) if any("O" in s for s in y) else [*by_frequency(y), "O"]
    expected = perceptron(examples(X, y, templates), labels, orders(len(X), 0, 2), legal=legal)
    chunker = trained(X, y, estimator=Chunker, encoding=encoding, template=templates, epochs=2)
    same_weights(weights_of(chunker.model_), expected.averaged)
    assert [epoch["updates"] for epoch in chunker.history_] == expected.mistakes


# --- the average -------------------------------------------------------------------------------------------------------
@tried(80, corpora, st.integers(1, 3))
def test_the_average_is_the_mean_of_the_initial_weights_and_those_after_every_example(corpus, epochs):
    X, y = split(corpus)
    templates = parse(TEMPLATES["window"])
    snapshots = perceptron(examples(X, y, templates), by_frequency(y), orders(len(X), 0, epochs)).snapshots
    assert len(snapshots) == epochs * len(X) + 1
    same_weights(weights_of(trained(X, y, template=templates, epochs=epochs).model_), mean(snapshots))


# Labels by frequency: Y (4 tokens) before X (2), so Y wins ties.
#
#   example   gold   w before                         best found            change
#   a b       X Y    0                                Y Y (all tie)         d = a:X +1, a:Y -1, X>Y +1, Y>Y -1
#   b a       Y X    d: YY -2, XY 0, YX 1, XX 1       Y X (tie with XX)     none
#   a c       Y Y    d: YY -2, YX -1, XX 1, XY 2      X Y                   a:Y +1, a:X -1, Y>Y +1, X>Y -1 = -d
#
# So the weights are 0, d, d, 0 after each example, and every epoch goes the same way.
BY_HAND = ([["a", "b"], ["b", "a"], ["a", "c"]], [["X", "Y"], ["Y", "X"], ["Y", "Y"]])


@pytest.mark.parametrize(("epochs", "share"), [(1, 2 / 4), (2, 4 / 7), (3, 6 / 10)])
def test_three_sentences_by_hand(epochs, share):
    X, y = BY_HAND
    options = {"template": parse("word[0]\nedge"), "epochs": epochs, "settings": {"shuffle": False}}
    tagger = trained(X, y, **options)
    assert tagger.classes_ == ["Y", "X"]
    a = ("word[0]", (("inside", "a"),))
    d = {(a, "X"): 1, (a, "Y"): -1, (("edge", ()), ("X", "Y")): 1, (("edge", ()), ("Y", "Y")): -1}
    assert weights_of(tagger.model_) == pytest.approx({key: share * value for key, value in d.items()}, abs=1e-7)
    assert weights_of(trained(X, y, average=False, **options).model_) == {}
    assert [(e["updates"], e["wrong_tokens"]) for e in tagger.history_] == [(2, 2)] * epochs


def test_the_counter_ticks_on_every_example_and_not_on_updates_alone():
    # One mistake at the first of n sentences: snapshots 0, d, d, ..., d, so the average is n / (n + 1) times d.
    X = [["a", "b"]] + [["a"]] * 5
    y = [["X", "Y"]] + [["X"]] * 5
    options = {"template": parse("word[0]"), "epochs": 1, "settings": {"shuffle": False}}
    last = weights_of(trained(X, y, average=False, **options).model_)
    averaged = weights_of(trained(X, y, **options).model_)
    assert last and averaged == pytest.approx({key: 6 / 7 * value for key, value in last.items()}, abs=1e-7)


# --- properties ----------------------------------------------------------------------------------------------------------
def embedded():
    return riata.load("embedded", "train")[:150], riata.load("embedded", "test")


@pytest.mark.parametrize("average", [True, False])
def test_single_and_double_precision_predict_the_same(average):
    train, test = embedded()
    single, double = (
        Chunker("perceptron", epochs=3, settings={"precision": precision, "average": average}).fit(train)
        for precision in ("single", "double")
    )
    assert single._exact is None
    assert not double._exact.single
    assert single.predict(test) == double.predict(test)


@tried(
    50, st.lists(st.lists(st.sampled_from("abcd"), min_size=2, max_size=4), min_size=4, max_size=8), st.integers(0, 5)
)
def test_on_separable_data_the_updates_stay_within_the_bound(X, seed):
    label_of = {"a": "X", "b": "Y", "c": "Z", "d": "Y"}
    y = [[label_of[word] for word in sentence] for sentence in X]
    labels, templates = by_frequency(y), parse("word[0]\nedge")
    data = examples([[(word,) for word in s] for s in X], y, templates)
    # A separator: one for every word with its label. gamma is its smallest margin, at norm 1.
    words = {word for s in X for word in s}
    separator = {(("word[0]", (("inside", word),)), label_of[word]): len(words) ** -0.5 for word in words}
    gammas, norms = [], [0.0]
    for inputs, gold in data:
        for wrong in sequences(labels, len(gold)):
            if wrong != tuple(gold):
                gammas.append(score(separator, inputs, gold) - score(separator, inputs, wrong))
                norms.append(squared_distance(inputs, gold, wrong))
    bound = max(norms) / min(gammas) ** 2 if gammas else 0.0
    epochs = int(bound) + 2  # one update per epoch would already break the bound
    tagger = trained(X, y, template=templates, epochs=epochs, seed=seed, average=False)
    assert sum(epoch["updates"] for epoch in tagger.history_) <= bound
    assert tagger.predict(X) == y


def squared_distance(inputs, gold, other):
    difference = Counter()
    for t in range(len(inputs)):
        difference.update(phi(inputs, gold, t))
        difference.subtract(phi(inputs, other, t))
    return sum(value**2 for value in difference.values())


def test_an_epoch_without_mistakes_changes_nothing():
    X, y = [["a", "b"], ["b", "a"], ["c"]], [["X", "Y"], ["Y", "X"], ["X"]]
    tagger = trained(X, y, epochs=20, average=False)
    quiet = next(epoch["epoch"] for epoch in tagger.history_ if epoch["updates"] == 0)
    assert 1 < quiet < 20
    before = trained(X, y, epochs=quiet - 1, average=False)
    assert weights_of(before.model_) == weights_of(tagger.model_) != {}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path):
    train, _ = embedded()

    def content(seed):
        chunker = Chunker("perceptron", epochs=2, seed=seed).fit(train)
        chunker.save(tmp_path / "m.riata")
        _, arrays = chunker.model_.to_parts()
        return (tmp_path / "m.riata").read_bytes(), [array.tobytes() for array in arrays.values()]

    assert content(0) == content(0)
    assert content(0)[1] != content(1)[1]


def test_every_epoch_visits_every_sentence_once_in_an_order_of_its_own():
    visited = [tuple(shuffled(50, seed, epoch)) for seed in (0, 1, 2**63 - 1) for epoch in (1, 2, 3)]
    assert all(sorted(order) == list(range(50)) for order in visited)
    assert len(set(visited)) == len(visited)
    assert [tuple(shuffled(50, 0, epoch)) for epoch in (1, 2, 3)] == visited[:3]


def test_every_order_of_three_sentences_is_about_equally_likely():
    seen = Counter(tuple(shuffled(3, seed, 1)) for seed in range(6000))
    assert len(seen) == 6
    assert max(abs(n - 1000) for n in seen.values()) < 150  # five standard deviations


@tried(50, corpora)
def test_without_shuffling_the_order_is_that_of_the_corpus(corpus):
    X, y = split(corpus)
    templates = parse(TEMPLATES["chain"])
    expected = perceptron(examples(X, y, templates), by_frequency(y), [range(len(X))] * 2)
    tagger = trained(X, y, template=templates, epochs=2, seed=7, settings={"shuffle": False})
    same_weights(weights_of(tagger.model_), expected.averaged)


def test_a_class_of_weight_zero_never_causes_an_update():
    # The two Z are found wrong in every epoch; with edges, their right neighbours would still learn what precedes them.
    X, y = [["a", "a"], ["b", "a"], ["b"]], [["X", "X"], ["Z", "X"], ["Z"]]
    options = {"template": parse("word[0]"), "epochs": 3}
    weightless = trained(X, y, class_weight={"Z": 0.0}, **options)
    assert weights_of(weightless.model_) == {}
    assert [epoch["wrong_tokens"] for epoch in weightless.history_] == [2, 2, 2]
    assert weights_of(trained(X, y, **options).model_) != {}


def test_sentences_of_weight_zero_are_as_if_they_were_always_right():
    X, y = [["a", "b"], ["c", "d"]], [["X", "Y"], ["X", "Y"]]
    options = {"template": parse("word[0]"), "epochs": 2, "average": False}
    weights = weights_of(trained(X, y, sample_weight=[1, 0], **options).model_)
    assert {values[0][1] for (_, values), _ in weights} == {"b"}


@tried(50, corpora)
def test_sentence_weights_of_two_double_every_step(corpus):
    X, y = split(corpus)
    options = {"template": parse(TEMPLATES["window"]), "epochs": 2}
    once = weights_of(trained(X, y, **options).model_)
    same_weights(
        weights_of(trained(X, y, sample_weight=np.full(len(X), 2.0), **options).model_),
        {k: 2 * v for k, v in once.items()},
    )


def test_balanced_class_weights_are_inverse_to_frequency():
    X, y = [["a", "b", "b"], ["b", "b", "a"]], [["X", "Y", "Y"], ["Y", "Y", "X"]]
    options = {"template": parse("word[0]\nedge"), "epochs": 2}
    balanced = trained(X, y, class_weight="balanced", **options)
    by_hand = trained(X, y, class_weight={"X": 6 / (2 * 2), "Y": 6 / (2 * 4)}, **options)
    assert weights_of(balanced.model_) == weights_of(by_hand.model_) != {}
