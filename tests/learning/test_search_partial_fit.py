"""Recipes that search, on data that arrive in portions and with sentences that weigh more or less."""

import numpy as np
import pytest

from checks import same_weights
from packed_weights import weights_of
from riata import Tagger, registry
from riata.errors import UnsupportedError
from riata.features.templates import parse
from samples import embedded, for_each

RECIPES = [name for name, recipe in registry.all_of("recipe").items() if recipe.searches]
DATA = embedded(("word", "tag"))[:30]
WORDS, TAGS = DATA.sentences_of(0), DATA.sentences_of(1)


TEMPLATES = {
    "tokens": "word[0]\nword[-1] word[0]\nedge\nedge word[0]",
    "earlier labels": "word[0]\nword[-1] word[0]\nedge\nlabel[-2] label[-1]\nlabel[-1] word[0]\nlabel[-3] word[0] word[1]",
}


def tagger(recipe, template="tokens", **settings):
    settings |= {"shuffle": False, "precision": "double"}
    return Tagger(recipe, epochs=1, beam=3, template=parse(TEMPLATES[template]), settings=settings)


def assert_same(one, other):
    left, right = weights_of(one.model_), weights_of(other.model_)
    assert left.keys() == right.keys() != set()
    same_weights(left, right, rel=1e-6)


@for_each(recipe=RECIPES, average=[True, False], template=TEMPLATES)
def test_portions_are_one_epoch_over_all_of_them(recipe, average, template):
    """Each portion has words of its own, so the vector of weights grows and is laid out anew, the rows of earlier labels behind
    all others; tags, and so the labels, are equal.
    """
    words, tags = (WORDS, TAGS) if template == "tokens" else (WORDS[:12], TAGS[:12])
    portions = [
        [[f"{word}{end}" if t % 2 else word for t, word in enumerate(s)] for s in words] for end in ("", "1", "2")
    ]
    parts = tagger(recipe, template, average=average)
    for portion in portions:
        parts.partial_fit(portion, tags)
    whole = tagger(recipe, template, average=average).fit([s for portion in portions for s in portion], tags * 3)
    assert len(parts.history_) == 3
    assert_same(parts, whole)
    assert parts.predict(words) == whole.predict(words)
    reading = [name for (name, _), _ in weights_of(parts.model_) if "label" in name]
    assert len(reading) > 100 or template == "tokens"


@pytest.mark.parametrize("recipe", RECIPES)
def test_given_features_that_come_later_are_learnt_too(recipe):
    made = Tagger(recipe, epochs=1)
    first, later = ([[{f"w={n}": 1.0} for n in numbers]] for numbers in (range(4), range(4, 8)))
    for _ in range(10):
        made.partial_fit(first, [["X", "Y", "X", "Y"]]).partial_fit(later, [["Y", "X", "Y", "X"]])
    assert made.predict(first) == [["X", "Y", "X", "Y"]]
    assert made.predict(later) == [["Y", "X", "Y", "X"]]


@pytest.mark.parametrize("recipe", RECIPES)
def test_sentences_of_weight_zero_teach_nothing(recipe):
    half, some = np.resize([1.0, 0.0], len(WORDS)), tagger(recipe, average=False)
    some.fit(WORDS, TAGS, sample_weight=half)
    one_by_one = tagger(recipe, average=False)
    one_by_one.partial_fit(WORDS[::2], TAGS[::2], sample_weight=np.zeros(len(WORDS[::2])))  # labels and features only
    assert weights_of(one_by_one.model_) == {}
    for words, tags in zip(WORDS[::2], TAGS[::2], strict=True):
        one_by_one.partial_fit([words], [tags])
    assert_same(some, one_by_one)


def test_a_weight_of_two_doubles_the_perceptrons_step():
    once, twice = (
        tagger("early", average=False).fit(WORDS[:1], TAGS[:1], sample_weight=[weight]) for weight in (1.0, 2.0)
    )
    assert weights_of(twice.model_) == {key: 2 * value for key, value in weights_of(once.model_).items()} != {}


def test_class_weights_are_refused_with_the_reason():
    with pytest.raises(UnsupportedError, match=r"class_weight is set, .* not single labels"):
        Tagger("laso-alma", epochs=1, class_weight="balanced").fit(DATA)
