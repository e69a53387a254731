"""MIRA against its slow twin (oracle.mira), by hand, and what makes it what it is; with the perceptron, also two labels back."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chain_problems import noise
from checks import refused, same_weights, stored
from inference.test_second_order import EVERY_TEMPLATE
from inference.test_second_order import TEMPLATES as TWO_BACK
from learning.test_online import same_model
from oracle.mira import difference, loss, mira, product
from oracle.perceptron import mean, perceptron, score, sequences
from packed_weights import weights_of
from riata import Chunker, Tagger, _core
from riata.errors import SettingError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from samples import embedded, for_each, tried

TEMPLATES = {
    "chain": "word[0]\nnumber(1)[0]\nedge",
    "window": "word[-1]\nword[0]\nword[-1] word[0]\nnumber(1)[0]\nedge",
    "edges": "word[0]\nnumber(1)[0]\nedge word[0]\nedge",
}


def trained(problem, orders, *, C, cost, k, start, sentence_weight=(), class_weight=()):
    trainer = problem.trainer(start, learner="mira", settings={"C": C, "cost": cost, "k": k})
    return trainer, [problem.epoch(trainer, order, sentence_weight, class_weight)["updates"] for order in orders]


# --- the twin --------------------------------------------------------------------------------------------------------------
def learnt_by_the_twin(problem, orders, start, by_sentence, by_class, **chosen):
    expected = mira(
        problem.examples(),
        problem.labels,
        orders,
        **chosen,
        start=problem.by_name(start),
        sentence_weight=by_sentence or None,
        class_weight=dict(zip(problem.labels, by_class, strict=bool(by_class))),
        legal=problem.is_legal,
    )
    assume(expected.closest > 1e-9)  # which of two equals is taken may hang on how sums are rounded
    return expected


@for_each(encoding=[None, "iob2"], template=TEMPLATES)
@tried(15, data=st.data())
def test_weights_equal_those_of_the_twin(template, encoding, data):
    seed = data.draw(st.integers(0, 10**6), "seed")
    problem = noise(seed, TEMPLATES[template], encoding, sentences=5, longest=3)
    chosen = {
        "C": data.draw(st.sampled_from([0.01, 0.125, 1.0, 100.0]), "C"),
        "cost": data.draw(st.sampled_from([0.125, 1.0]), "cost"),
        "k": data.draw(st.integers(1, 3), "k"),
    }
    weighted = data.draw(st.booleans(), "weighted")
    rng = random.Random(seed)
    by_sentence = [rng.choice([0.0, 0.5, 1.0, 2.0]) for _ in problem.sentences] if weighted else []
    by_class = [rng.choice([0.0, 0.5, 2.0]) for _ in problem.labels] if weighted else []
    orders = [_core.shuffled(len(problem.sentences), seed, epoch).tolist() for epoch in (1, 2)]
    start = problem.random_weights(seed)
    expected = learnt_by_the_twin(problem, orders, start, by_sentence, by_class, **chosen)
    trainer, updates = trained(
        problem, orders, **chosen, start=start, sentence_weight=by_sentence, class_weight=by_class
    )
    assert updates == expected.updates
    same_weights(problem.by_name(trainer.last()), expected.last)
    same_weights(problem.by_name(trainer.averaged()), expected.averaged)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_after_a_step_without_cap_the_truth_beats_each_of_the_k_outputs_by_its_loss(k):
    held = 0
    for seed in range(20):
        problem = noise(seed, TEMPLATES["chain"], sentences=4, longest=3)
        start = problem.random_weights(seed)
        before = problem.by_name(start)
        for n, (inputs, gold) in enumerate(problem.examples()):
            if not gold:
                continue
            trainer, _ = trained(problem, [[n]], C=1e6, cost=1.0, k=k, start=start)
            after = problem.by_name(trainer.last())
            outputs = sorted(
                sequences(problem.labels, len(gold)), key=lambda y: -score(before, inputs, y) - loss(gold, y, 1.0, {})
            )
            for y in outputs[:k]:
                ahead = product(difference(inputs, gold, y), after)
                assert ahead >= loss(gold, y, 1.0, {}) - 1e-4
                held += 1
    assert held > 50


# Labels by frequency: Y (4 tokens) before X (2), so Y wins ties. Cost 1, C 100 (never reached).
#
#   example   gold   best with the cost                       loss - w.d     |d|^2   step
#   a b       X Y    all weights 0: the wrong labels Y X      2 - 0          a:X a:Y b:Y b:X X>Y Y>X: 6      1/3
def test_the_first_step_by_hand():
    tagger = Tagger(
        "mira", template=parse("word[0]\nedge"), epochs=1, settings={"C": 100, "average": False, "shuffle": False}
    )
    tagger.fit([["a", "b"], ["c", "c"], ["d"]], [["X", "Y"], ["Y", "Y"], ["Y"]], sample_weight=[1, 0, 0])
    a, b = (("word[0]", (("inside", word),)) for word in "ab")
    edge = ("edge", ())
    signs = {(a, "X"): 1, (a, "Y"): -1, (b, "Y"): 1, (b, "X"): -1, (edge, ("X", "Y")): 1, (edge, ("Y", "X")): -1}
    assert weights_of(tagger.model_) == pytest.approx({key: sign / 3 for key, sign in signs.items()})
    assert tagger.history_[0]["updates"] == 1


def test_steps_are_capped():
    X, y = [["a"]], [["X"]]
    for C, step in ((0.1, 0.1), (0.3, 0.3), (7.0, 0.5)):  # loss 1, and a difference of two features
        tagger = Tagger("mira", template=parse("word[0]"), epochs=1, settings={"C": C, "average": False})
        tagger.partial_fit(X, y, classes=["Z"])
        assert sorted(weights_of(tagger.model_).values()) == pytest.approx([-step, step])


def test_only_the_ratio_of_the_cap_to_the_cost_matters():
    data = embedded()[:25]
    settings_ = {"precision": "double"}
    one = Chunker("mira", epochs=3, settings={**settings_, "C": 0.5, "cost": 1.0}).fit(data)
    two = Chunker("mira", epochs=3, settings={**settings_, "C": 2.0, "cost": 4.0}).fit(data)
    same_weights({key: 4 * value for key, value in weights_of(one.model_).items()}, weights_of(two.model_))
    assert one.predict(data) == two.predict(data)


def test_one_output_of_k_is_the_recipe_without_k():
    data = embedded()[:40]
    by_default = Chunker("mira", epochs=2).fit(data)
    assert same_model(by_default, Chunker("mira", epochs=2, settings={"k": 1}).fit(data))
    assert not same_model(by_default, Chunker("mira", epochs=2, settings={"k": 3}).fit(data))


# --- as a recipe -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("k", [1, 4])
def test_data_that_can_be_learnt_are_learnt_with_a_margin(k):
    data = embedded()[:100]
    chunker = Chunker("mira", epochs=30, settings={"C": 10, "k": k, "average": False}).fit(data)
    assert chunker.score(data) == 1.0
    assert chunker.history_[-1]["updates"] == 0
    for sentence, found in zip(data, chunker.predict_nbest(data, 2), strict=True):
        (best, high), *others = found
        gold = sentence.column(-1)
        assert best == gold
        for labels, low in others:
            assert high - low >= sum(a != b for a, b in zip(labels, gold, strict=True)) - 1e-3


def test_sentences_of_weight_zero_change_nothing():
    X, y = [["a", "b"], ["c", "d"]], [["X", "Y"], ["X", "Y"]]
    tagger = Tagger("mira", template=parse("word[0]"), epochs=2).fit(X, y, sample_weight=[1, 0])
    assert {values[0][1] for (_, values), _ in weights_of(tagger.model_)} == {"a", "b"}


def test_a_class_of_more_weight_is_defended_by_a_larger_margin():
    X, y = [["a"], ["b"]], [["X"], ["Y"]]
    made = Tagger("mira", template=parse("word[0]"), epochs=1, class_weight={"X": 3.0}, settings={"C": 100})
    weights = weights_of(made.set_params(settings={"C": 100, "average": False}).fit(X, y).model_)
    by_word = {values[0][1]: weight for ((_, values), label), weight in weights.items() if label == "X"}
    assert by_word["a"] == pytest.approx(1.5)
    assert by_word["b"] == pytest.approx(-0.5)


@pytest.mark.parametrize(
    "wrong", [{"C": 0}, {"C": -1}, {"C": float("nan")}, {"cost": 0}, {"cost": "x"}, {"k": 0}, {"k": 1.5}, {"k": 10**6}]
)
def test_settings_without_sense_are_refused(wrong):
    refused(SettingError, next(iter(wrong)), Tagger("mira", settings=wrong).fit, [["a"]], [["X"]])


# --- the perceptron and MIRA on chains that look two labels back, against their slow twins, and as recipes -----------
HISTORY = parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]\nlabel[-2] label[-1] tag[0]\nlabel[-1] word[0]")
RECIPES = pytest.mark.parametrize("recipe", ["perceptron", "mira"])


def weighting(problem, seed, weighted):
    """Weights of sentences and of classes, or none."""
    rng = random.Random(seed)
    by_sentence = [rng.choice([0.0, 0.5, 1.0, 2.0]) for _ in problem.sentences] if weighted else []
    return by_sentence, [rng.choice([0.0, 0.5, 2.0]) for _ in problem.labels] if weighted else []


def updates_in(problem, trainer, orders, by_sentence, by_class):
    return [problem.epoch(trainer, order, by_sentence, by_class)["updates"] for order in orders]


# --- the twins -------------------------------------------------------------------------------------------------------
@EVERY_TEMPLATE
@pytest.mark.parametrize("encoding", [None, "iob2"])
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_the_perceptron_learns_what_its_twin_learns(template, encoding, seed, weighted):
    problem = noise(seed, TWO_BACK[template], encoding, sentences=6, longest=4)
    by_sentence, by_class = weighting(problem, seed, weighted)
    orders = [_core.shuffled(len(problem.sentences), seed, epoch).tolist() for epoch in (1, 2, 3)]
    expected = perceptron(
        problem.examples(),
        problem.labels,
        orders,
        sentence_weight=dict(enumerate(by_sentence)),
        class_weight=dict(zip(problem.labels, by_class, strict=bool(by_class))),
        legal=problem.is_legal,
    )
    trainer = problem.trainer(learner="perceptron", settings={})
    assert updates_in(problem, trainer, orders, by_sentence, by_class) == expected.mistakes
    same_weights(problem.by_name(trainer.last()), expected.last)
    same_weights(problem.by_name(trainer.averaged()), mean(expected.snapshots))


@EVERY_TEMPLATE
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_mira_learns_what_its_twin_learns(template, data):
    seed = data.draw(st.integers(0, 10**6), "seed")
    problem = noise(seed, TWO_BACK[template], data.draw(st.sampled_from([None, "iob2"])), sentences=5, longest=3)
    chosen = {"C": data.draw(st.sampled_from([0.01, 0.125, 100.0])), "cost": 1.0, "k": data.draw(st.integers(1, 3))}
    by_sentence, by_class = weighting(problem, seed, data.draw(st.booleans(), "weighted"))
    orders = [_core.shuffled(len(problem.sentences), seed, epoch).tolist() for epoch in (1, 2)]
    start = problem.random_weights(seed)
    expected = learnt_by_the_twin(problem, orders, start, by_sentence, by_class, **chosen)
    trainer = problem.trainer(start, learner="mira", settings=chosen)
    assert updates_in(problem, trainer, orders, by_sentence, by_class) == expected.updates
    same_weights(problem.by_name(trainer.last()), expected.last)
    same_weights(problem.by_name(trainer.averaged()), expected.averaged)


# Y is the more frequent label, so it wins ties. Without edges and words, labels before are all that tells tokens apart.
#
#   example   gold   best found            change
#   a a a     X Y Y  Y Y Y (all tie)       at token 0: _B _B > X +1, > Y -1; at 1: _B X > Y +1, _B Y > Y -1; at 2: X Y > Y +1, Y Y > Y -1
def test_one_sentence_by_hand():
    tagger = Tagger("perceptron", template=parse("label[-2] label[-1]"), epochs=1, settings={"average": False})
    tagger.fit([["a", "a", "a"]], [["X", "Y", "Y"]])
    expected = {
        (None, None, "X"): 1,
        (None, None, "Y"): -1,
        (None, "X", "Y"): 1,
        (None, "Y", "Y"): -1,
        ("X", "Y", "Y"): 1,
        ("Y", "Y", "Y"): -1,
    }
    assert {labels: weight for (_, labels), weight in weights_of(tagger.model_).items()} == expected
    averaged = Tagger("perceptron", template=parse("label[-2] label[-1]"), epochs=1)
    averaged.fit([["a"] * 3], [["X", "Y", "Y"]])
    assert {y: w for (_, y), w in weights_of(averaged.model_).items()} == {y: w / 2 for y, w in expected.items()}


# --- as recipes ------------------------------------------------------------------------------------------------------
@for_each(recipe=["perceptron", "mira", "crf"])
def test_what_only_two_labels_back_can_tell_is_learnt(recipe):
    X = [["s"] + ["w"] * n for n in range(2, 12)] * 4
    y = [["XXYY"[t % 4] for t in range(len(s))] for s in X]  # X X Y Y X X Y Y …
    chosen = {"settings": {"c2": 0.1}} if recipe == "crf" else {"epochs": 10}
    templates = map(parse, ("word[0]\nedge", "word[0]\nedge\nlabel[-2] label[-1]"))
    first, second = (Tagger(recipe, template=template, **chosen).fit(X, y) for template in templates)
    assert second.score(X, y) == 1.0 > first.score(X, y)
    if recipe == "crf":
        assert second.history_[-1]["objective"] < first.history_[-1]["objective"] / 10


@for_each(recipe=["perceptron", "mira", "crf"])
def test_a_saved_model_predicts_the_same(recipe):
    train, test = (
        (embedded()[:25], embedded(split="test")[:40])
        if recipe == "crf"
        else (embedded()[:100], embedded(split="test"))
    )
    chunker = Chunker(recipe, template=HISTORY, epochs=6 if recipe == "crf" else 3).fit(train)
    loaded = from_bytes(to_bytes(chunker))
    assert loaded.predict(test) == chunker.predict(test)
    assert loaded.predict_nbest(test[:20], 3) == chunker.predict_nbest(test[:20], 3)
    assert weights_of(loaded.model_) == weights_of(chunker.model_)
    assert sum("label" in feature for (feature, _), _ in weights_of(chunker.model_)) > 100


@RECIPES
def test_partial_fit_takes_words_that_come_later(recipe):
    data = embedded()[:60]
    chunker = Chunker(recipe, template=HISTORY)
    chunker.partial_fit(data[:30], classes=sorted({label for s in data.sentences_of(-1) for label in s}))
    chunker.partial_fit(data[30:])
    words = {values[0][1] for (name, values), _ in weights_of(chunker.model_) if name == "label[-1] word[0]"}
    assert words & {w for s in data[30:].sentences_of(0) for w in s} - {w for s in data[:30].sentences_of(0) for w in s}


@RECIPES
def test_a_training_that_goes_on_keeps_earlier_labels(recipe, tmp_path):
    data = embedded()[:40]
    chunker = Chunker(recipe, template=HISTORY, epochs=2, settings={"average": False}).fit(data)
    loaded = stored(chunker, tmp_path).set_params(warm_start=True, template=None, epochs=1)
    whole = Chunker(recipe, template=HISTORY, epochs=3, settings={"average": False}).fit(data)
    same_weights(weights_of(loaded.fit(data).model_), weights_of(whole.model_))


@RECIPES
def test_several_seeds_are_summed(recipe):
    data = embedded()[:40]
    parts = [weights_of(Chunker(recipe, template=HISTORY, epochs=2, seed=s).fit(data).model_) for s in (0, 1)]
    norms = [sum(w**2 for w in part.values()) ** 0.5 for part in parts]
    summed = weights_of(Chunker(recipe, template=HISTORY, epochs=2, seeds=2).fit(data).model_)
    scale = sum(norms) / 4
    for key in {*parts[0], *parts[1]}:
        expected = scale * sum(part.get(key, 0.0) / norm for part, norm in zip(parts, norms, strict=True))
        assert summed.get(key, 0.0) == pytest.approx(expected, abs=1e-5)


def test_exact_search_has_no_search_errors():
    train, test = embedded()[:80], embedded(split="test")[:40]
    errors = Chunker(template=HISTORY, epochs=2).fit(train).search_errors(test)
    assert (errors.search, errors.test) == (0, "exact")
    assert errors.wrong > 0


@RECIPES
def test_labels_further_back_are_refused_with_file_and_line(recipe, tmp_path):
    path = tmp_path / "my.template"
    path.write_text("word[0]\nedge\nlabel[-2] label[-1]\n# too far\nlabel[-3] word[0]\n")
    with pytest.raises(UnsupportedError, match=rf"'{recipe}' needs exact search: 'label\[-3\] word\[0\]'") as caught:
        Chunker(recipe, template=path, epochs=1).fit(embedded()[:5])
    assert (caught.value.file, caught.value.line) == (str(path), 5)
    assert "laso-perceptron" in caught.value.remedy
