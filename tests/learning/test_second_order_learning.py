"""The perceptron and MIRA on chains that look two labels back, against their slow twins, and as recipes."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain_problems import noise
from checks import same_weights, stored
from inference.test_second_order import EVERY_TEMPLATE, TEMPLATES
from learning.test_mira import learnt_by_the_twin
from oracle.perceptron import mean, perceptron
from packed_weights import weights_of
from riata import Chunker, Tagger, _core
from riata.errors import UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from samples import embedded, for_each

HISTORY = parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]\nlabel[-2] label[-1] tag[0]\nlabel[-1] word[0]")
RECIPES = pytest.mark.parametrize("recipe", ["perceptron", "mira"])


def weighting(problem, seed, weighted):
    """Weights of sentences and of classes, or none."""
    rng = random.Random(seed)
    by_sentence = [rng.choice([0.0, 0.5, 1.0, 2.0]) for _ in problem.sentences] if weighted else []
    return by_sentence, [rng.choice([0.0, 0.5, 2.0]) for _ in problem.labels] if weighted else []


def trained(problem, trainer, orders, by_sentence, by_class):
    return [problem.epoch(trainer, order, by_sentence, by_class)["updates"] for order in orders]


# --- the twins -------------------------------------------------------------------------------------------------------
@EVERY_TEMPLATE
@pytest.mark.parametrize("encoding", [None, "iob2"])
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_the_perceptron_learns_what_its_twin_learns(template, encoding, seed, weighted):
    problem = noise(seed, TEMPLATES[template], encoding, sentences=6, longest=4)
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
    assert trained(problem, trainer, orders, by_sentence, by_class) == expected.mistakes
    same_weights(problem.by_name(trainer.last()), expected.last)
    same_weights(problem.by_name(trainer.averaged()), mean(expected.snapshots))


@EVERY_TEMPLATE
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_mira_learns_what_its_twin_learns(template, data):
    seed = data.draw(st.integers(0, 10**6), "seed")
    problem = noise(seed, TEMPLATES[template], data.draw(st.sampled_from([None, "iob2"])), sentences=5, longest=3)
    chosen = {"C": data.draw(st.sampled_from([0.01, 0.125, 100.0])), "cost": 1.0, "k": data.draw(st.integers(1, 3))}
    by_sentence, by_class = weighting(problem, seed, data.draw(st.booleans(), "weighted"))
    orders = [_core.shuffled(len(problem.sentences), seed, epoch).tolist() for epoch in (1, 2)]
    start = problem.random_weights(seed)
    expected = learnt_by_the_twin(problem, orders, start, by_sentence, by_class, **chosen)
    trainer = problem.trainer(start, learner="mira", settings=chosen)
    assert trained(problem, trainer, orders, by_sentence, by_class) == expected.updates
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
