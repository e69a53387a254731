"""Learning weights of earlier labels against the slow twin (oracle.laso); and recipes that search on data in portions."""

import itertools

import numpy as np
import pytest

from chain_problems import UNBOUNDED, noise
from checks import same_weights, stored
from laso_comparison import QUEUES, STEPS, WHAT, WHEN, combined, compared, orders, same
from margin_problems import same_as_the_twin
from packed_weights import weights_of
from riata import Tagger, registry
from riata.errors import UnsupportedError
from riata.features.templates import parse
from samples import embedded, for_each

TEMPLATES = [
    "word[0]\nlabel[-1]",
    "word[0]\nlabel[-2] label[-1]\nedge",
    "word[0]\nnumber(1)[0]\nlabel[-2] label[-1] word[0]\nlabel[-1] word[-1] word[0]\nedge word[0]",
    "word[0]\nlabel[-3] label[-1]\nlabel[-2]\nedge",
    "label[-4] word[1]\nlabel[-1]\nlabel[-3] label[-2] word[0]",
]
RECIPES = [name for name, recipe in registry.all_of("recipe").items() if recipe.searches]
SOME_QUEUES = ["greedy", "beam 3", "unbounded beam", "beam by prefix", "beam by pending", "best-first"]


def history(weights):
    return {key: value for key, value in weights.items() if "label" in key[0][0]}


# --- the twin --------------------------------------------------------------------------------------------------------
@combined(queue=SOME_QUEUES, when=WHEN, what=WHAT, step=["perceptron", "alma", "mira"])
def test_weights_equal_those_of_the_twin(queue, when, what, step):
    chosen = {**QUEUES[queue], **STEPS[step], "when": when, "update": what}
    place = [SOME_QUEUES.index(queue), WHEN.index(when), WHAT.index(what), list(STEPS).index(step)]
    seed = int(np.ravel_multi_index(place, (len(SOME_QUEUES), len(WHEN), len(WHAT), len(STEPS))))
    corpus = noise(seed, TEMPLATES[sum(place) % len(TEMPLATES)], [None, "iob2"][seed % 2], sentences=6)
    compared(corpus, chosen, corpus.random_weights(seed) if sum(place) % 3 else None, 2, seed)


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_comparison_with_the_twin_reaches_the_features_of_earlier_labels(template):
    done = learnt = 0
    for seed in range(4):
        corpus = noise(seed, template)
        sentences, twin = compared(corpus, {"beam": 2, "update": "best"}, None, 2, seed)
        done += sentences == 2 * len(corpus.sentences)
        learnt += len(history(twin.w))
    assert done == 4
    assert learnt > 20


def test_alma_under_another_norm_equals_the_twin():
    for seed in range(4):
        corpus = noise(seed, TEMPLATES[1 + seed], sentences=6)
        settings = {"step": "alma", "alpha": 0.5, "p": 3.0, "beam": 2}
        done, twin = compared(corpus, settings, corpus.random_weights(seed), 2, seed)
        assert done > 3
        assert history(twin.w)


@pytest.mark.parametrize("step", STEPS)
def test_the_average_is_the_mean_of_the_weights_after_every_sentence(step):
    """A feature that comes late was zero before."""
    for seed, template in enumerate(TEMPLATES):
        corpus = noise(seed, template)
        trainer = corpus.trainer(beam=2, **STEPS[step])
        snapshots = [{}]
        for s in itertools.chain.from_iterable(orders(corpus, 3, seed)):
            corpus.epoch(trainer, [s])
            snapshots.append(corpus.by_name(trainer.last()))
        assert len(history(snapshots[-1])) > len(history(snapshots[2]))
        keys = {key for weights in snapshots for key in weights}
        mean = {key: sum(weights.get(key, 0.0) for weights in snapshots) / len(snapshots) for key in keys}
        same(corpus.by_name(trainer.averaged()), mean)


@pytest.mark.parametrize("queue", ["greedy", "beam 2", "unbounded beam", "best-first"])
def test_margins_equal_those_of_the_twin(queue):
    for seed, template in enumerate(TEMPLATES):
        corpus = noise(seed, template, [None, "iob2"][seed % 2], longest=4)
        weights = corpus.random_weights(seed)
        same_as_the_twin(corpus, weights, **QUEUES[queue])


# --- by hand, and through estimators ---------------------------------------------------------------------------------
def test_what_only_the_label_two_back_can_tell_is_learnt():
    """A word that says nothing, and labels of period three: X Y Y. One label back cannot tell the two Y apart."""
    words, labels = [["a"] * 9] * 3, [["X", "Y", "Y"] * 3] * 3
    made = {
        text: Tagger("early", beam=4, epochs=10, template=parse(text)).fit(words, labels)
        for text in ("bias[0]\nlabel[-1]", "bias[0]\nlabel[-2] label[-1]")
    }
    assert [tagger.predict(words) == labels for tagger in made.values()] == [False, True]


def test_training_goes_on_from_a_loaded_model(tmp_path):
    data = embedded(("word", "tag"))[:20]
    template = parse("word[0]\nedge\nlabel[-2] label[-1] word[0]")
    tagger = Tagger("early", beam=2, epochs=2, template=template).fit(data)
    loaded = stored(tagger, tmp_path)
    before = weights_of(loaded.model_)
    words, tags = [["entirely", "new", "words"]], [data.sentences_of(1)[0][:3]]
    loaded.partial_fit(words, tags)
    after = weights_of(loaded.model_)
    assert history(before)
    assert history(after).keys() >= history(before).keys()
    assert any(word in str(key) for key in history(after) for word in words[0])


def test_the_same_seed_learns_the_same_in_single_and_double_precision():
    for seed, template in enumerate(TEMPLATES):
        corpus = noise(seed, template, "iob2")
        single, double = (
            corpus.trainer(single=one, beam=UNBOUNDED if seed % 2 else 2, update="best") for one in (True, False)
        )
        for order in orders(corpus, 2, seed):
            corpus.epoch(single, order)
            corpus.epoch(double, order)
        same(corpus.by_name(single.last()), corpus.by_name(double.last()))
        same(corpus.by_name(single.averaged()), corpus.by_name(double.averaged()))


# --- recipes that search, on data that arrive in portions and with sentences that weigh more or less -----------------
SEARCHING = [name for name, recipe in registry.all_of("recipe").items() if recipe.searches]
DATA = embedded(("word", "tag"))[:30]
WORDS, TAGS = DATA.sentences_of(0), DATA.sentences_of(1)


OF_PORTIONS = {
    "tokens": "word[0]\nword[-1] word[0]\nedge\nedge word[0]",
    "earlier labels": "word[0]\nword[-1] word[0]\nedge\nlabel[-2] label[-1]\nlabel[-1] word[0]\nlabel[-3] word[0] word[1]",
}


def tagger(recipe, template="tokens", **settings):
    settings |= {"shuffle": False, "precision": "double"}
    return Tagger(recipe, epochs=1, beam=3, template=parse(OF_PORTIONS[template]), settings=settings)


def assert_same(one, other):
    left, right = weights_of(one.model_), weights_of(other.model_)
    assert left.keys() == right.keys() != set()
    same_weights(left, right, rel=1e-6)


@for_each(recipe=SEARCHING, average=[True, False], template=OF_PORTIONS)
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


@pytest.mark.parametrize("recipe", SEARCHING)
def test_given_features_that_come_later_are_learnt_too(recipe):
    made = Tagger(recipe, epochs=1)
    first, later = ([[{f"w={n}": 1.0} for n in numbers]] for numbers in (range(4), range(4, 8)))
    for _ in range(10):
        made.partial_fit(first, [["X", "Y", "X", "Y"]]).partial_fit(later, [["Y", "X", "Y", "X"]])
    assert made.predict(first) == [["X", "Y", "X", "Y"]]
    assert made.predict(later) == [["Y", "X", "Y", "X"]]


@pytest.mark.parametrize("recipe", SEARCHING)
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
