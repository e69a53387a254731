"""The setting `dictionary`: frequent words get only labels that training has seen with them."""

import random

import numpy as np
import pytest

import riata
from checks import refused
from riata import Chunker, JointTagger, Tagger, registry
from riata.constraints import at_least, at_most
from riata.data.memory import as_corpus
from riata.errors import ModelFileError, SearchError, SettingError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from samples import as_text, for_each

TAGS = ("N", "V", "D", "A")
KNOWN = {"the": ("D",), "run": ("N", "V"), "red": ("A", "N"), "dog": ("N",)}
RECIPES = [
    name
    for name, recipe in registry.all_of("recipe").items()
    if recipe.needs <= registry.get("structure", "chain").offers and recipe.alias_of is None
]
OFTEN = 5


def corpus(seed, sentences=40):
    """Frequent words with few tags, and rare words with any."""
    draw = random.Random(seed)
    rows = []
    for _ in range(sentences):
        words = [draw.choice([*KNOWN, f"r{draw.randint(0, 60)}"]) for _ in range(draw.randint(1, 6))]
        rows.append([(word, draw.choice(KNOWN.get(word, TAGS))) for word in words])
    return [[w for w, _ in s] for s in rows], [[t for _, t in s] for s in rows]


X, Y = corpus(1)
OTHER, _ = corpus(2)


def seen(x=X, y=Y):
    """Words that occur often enough, with their tags."""
    pairs = [(w, t) for ws, ts in zip(x, y, strict=True) for w, t in zip(ws, ts, strict=True)]
    words = [w for w, _ in pairs]
    return {w: {t for v, t in pairs if v == w} for w in words if words.count(w) >= OFTEN}


def tagger(recipe="perceptron", dictionary=OFTEN, *, settings=None, template="S1", **more):
    given = {} if registry.get("recipe", recipe).templates else {"template": template}
    quick = {"c2": 0.1} if "c2" in {s.name for s in registry.get("recipe", recipe).settings} else {}
    epochs = 10 if registry.get("recipe", recipe).whole else 2 if recipe != "hmm" else 1
    return Tagger(
        recipe, epochs=epochs, settings={"dictionary": dictionary, **quick, **(settings or {})}, **given, **more
    )


def tags_of(model, word):
    """The tags that the model lets a word have."""
    return {model.model_.labels[i] for i in model.model_.features.dictionary.of(word)}


def outside(model, x):
    """Pairs of a frequent word and a tag that training has not seen with it."""
    known = seen()
    return [
        (w, t)
        for ws, ts in zip(x, model.predict(x), strict=True)
        for w, t in zip(ws, ts, strict=True)
        if t not in known.get(w, {t})
    ]


@pytest.mark.parametrize("recipe", RECIPES)
def test_frequent_words_get_only_tags_that_training_has_seen_with_them(recipe):
    model = tagger(recipe).fit(X, Y)
    turned = [sentence[::-1] for sentence in OTHER]
    assert not outside(model, OTHER + turned)
    assert {t for ws, ts in zip(OTHER, model.predict(OTHER), strict=True) for t in ts}
    free = tagger(recipe, 0).fit(X, Y)
    assert to_bytes(free) != to_bytes(model)
    again = from_bytes(to_bytes(model))
    assert again.predict(OTHER) == model.predict(OTHER) == again.predict(OTHER * 300)[: len(OTHER)]
    assert to_bytes(again) == to_bytes(model)


@for_each(template=["word[0]\nedge", "word[0]\nedge\nlabel[-2] label[-1]", "word[0]\nedge word[0]\nlabel[-1] word[0]"])
def test_the_fast_form_labels_as_every_other_search_does(template):
    model = tagger(template=parse(template)).fit(X, Y)
    sentences = [*OTHER, ["unheard", "the", "run"], ["run"]]
    fast = model.predict(sentences)
    nbest = model.predict_nbest(sentences, 1)
    assert fast == [list(best[0][0]) for best in nbest]
    slow = model.model_.decode(model.model_.features.instances(as_corpus(sentences)))
    assert [label for labels in fast for label in labels] == [model.model_.labels[i] for i in slow]


def test_with_one_tag_per_word_there_is_nothing_to_learn():
    x, y = [["a", "b"], ["b", "a", "b"]], [["X", "Y"], ["Y", "X", "Y"]]
    model = Tagger("perceptron", template="S1", settings={"dictionary": 1}).fit(x, y)
    assert [epoch["updates"] for epoch in model.history_][:1] == [0]
    assert model.predict([["b", "b", "a"]]) == [["Y", "Y", "X"]]


def test_without_it_a_model_has_the_same_bytes():
    plain = Tagger("perceptron", template="S1", epochs=2).fit(X, Y)
    assert plain.model_.to_parts()[1].keys() == tagger(dictionary=0).fit(X, Y).model_.to_parts()[1].keys()
    assert not any(name.startswith("dictionary") for name in plain.model_.to_parts()[1])


def test_only_the_data_that_are_learnt_from_are_counted():
    model = tagger(dev=0.5).fit(X, Y)
    half = seen(X[:20], Y[:20])
    assert sum(model.model_.features.dictionary.counts.values()) == sum(map(len, X[:20]))
    assert all(tags_of(model, word) == tags for word, tags in half.items())
    whole = tagger(dev=0.5, refit=True).fit(X, Y)
    assert sum(whole.model_.features.dictionary.counts.values()) == sum(map(len, X))


def test_partial_fit_adds_to_the_dictionary_before_it_learns():
    model = tagger(dictionary=2).partial_fit([["a", "a"]], [["N", "N"]], classes=list(TAGS))
    assert model.predict([["a"]]) == [["N"]]
    model.partial_fit([["a", "b"]], [["V", "D"]])
    assert tags_of(model, "a") == {"N", "V"}
    assert tags_of(model, "b") == set(TAGS)  # once is not often enough


@pytest.mark.parametrize("other", [0, 3])
def test_training_goes_on_with_the_same_number_only(other):
    model = tagger(warm_start=True).fit(X, Y)
    model.set_params(settings={"dictionary": other})
    refused(SettingError, f"dictionary is {other}, but the model that training goes on from has 5", model.fit, X, Y)


def test_a_file_in_parts_is_counted_once(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text(as_text([list(zip(ws, ts, strict=True)) for ws, ts in zip(X, Y, strict=True)]))
    model = tagger(stream=True).fit(path)
    assert model.model_.features.dictionary.counts == tagger().fit(X, Y).model_.features.dictionary.counts
    assert not outside(model, OTHER)


@pytest.mark.parametrize(
    "more",
    [{"shards": 2}, {"seeds": 2}, {"passes": 2, "folds": 2}, {"bits": 14}, {"class_weight": "balanced"}, {"cutoff": 2}],
)
def test_it_goes_with_other_parameters(more):
    model = tagger(**more).fit(X, Y)
    assert not outside(model, OTHER)
    again = from_bytes(to_bytes(model))
    assert again.predict(OTHER) == model.predict(OTHER)


def test_a_label_that_is_given_counts_more():
    model = tagger("crf").fit(X, Y)
    assert model.predict([["the", "dog"]], given=[["V", None]])[0][0] == "V"
    assert model.predict_confidence([["the", "dog"]], given=[["V", None]])[0][0] == pytest.approx(1)


def test_probabilities_of_other_tags_are_zero():
    model = tagger("crf").fit(X, Y)
    for sentence, rows in zip(OTHER, model.predict_marginals(OTHER), strict=True):
        for word, row in zip(sentence, rows, strict=True):
            assert sum(row.values()) == pytest.approx(1)
            assert all(p == 0 for tag, p in row.items() if tag not in seen().get(word, TAGS))


def test_labels_that_are_unknown_are_not_counted():
    y = [[t if i % 2 else "?" for i, t in enumerate(tags)] for tags in Y]
    model = tagger("crf", settings={"unknown": "?"}).fit(X, y)
    assert sum(model.model_.features.dictionary.counts.values()) == sum(t != "?" for tags in y for t in tags)


@pytest.mark.parametrize("recipe", ["perceptron", "crf", "memm", "laso-perceptron"])
def test_chunk_labels_stay_legal_where_words_have_labels_that_do_not_follow(recipe):
    x = [["big", "bank"], ["old", "river", "bank"], ["bank"], ["big", "river"]] * 3
    y = [["B-X", "I-X"], ["B-Y", "I-Y", "O"], ["O"], ["O", "B-Y"]] * 3
    model = Chunker(recipe, template="S1", settings={"dictionary": 1}).fit(x, y)
    found = model.predict([["river", "old"], ["bank", "bank"], ["old", "bank"], ["big"], ["river", "bank", "bank"]])
    legal = registry.get("encoding", "iob2").may_follow
    assert all(legal(a, b) for labels in found for a, b in zip(["O", *labels], labels, strict=False))


@pytest.mark.parametrize("structure", ["segments", "factorial"])
def test_structures_without_it_refuse_it(structure):
    kind = JointTagger if structure == "factorial" else Chunker
    with pytest.raises(
        SettingError,
        match=f"'dictionary' belongs to the structure 'chain'; the structure '{structure}' does not have it",
    ):
        kind("perceptron", structure=structure, settings={"dictionary": 5}).fit([[("a", "N", "B-X")]])


def test_sentences_without_words_are_refused():
    with pytest.raises(UnsupportedError, match="have no words to look up"):
        Tagger(settings={"dictionary": 5}).fit([[{"a": 1}], [{"b": 1}]], [["X"], ["Y"]])


@pytest.mark.parametrize("name", ["words", "new", "tags", "counts"])
def test_a_file_whose_dictionary_is_broken_is_refused(name):
    model = tagger().fit(X, Y)
    header, arrays = model.model_.to_parts()
    key = next(each for each in arrays if each.startswith(f"dictionary/{name}"))
    broken = {**arrays, key: np.concatenate([arrays[key], arrays[key][:1]])}
    refused(ModelFileError, "", model.model_.outputs.from_parts, header, broken, riata.features.attributes.builtin())


WORDS, LABELS = [["a", "b"], ["b", "a"], ["a", "c"]], [["P", "Q"], ["Q", "P"], ["P", "R"]]
SEARCHES = {
    "perceptron": {},
    "kernel-perceptron": {},
    "memm": {},
    "laso-perceptron": {"structure": "chain", "queue": "beam", "beam": 2},
}


@pytest.mark.parametrize("recipe", SEARCHES)
def test_it_yields_to_constraints_that_are_searched(recipe):
    model = Tagger(recipe, settings={"dictionary": 2}, constraints=[at_most(1, "P")], **SEARCHES[recipe])
    model.fit(WORDS, LABELS)
    both, one = model.predict([["a", "a"], ["a", "b"]])
    assert both.count("P") <= 1
    assert one[0] == "P"  # here it limits the first word
    if "queue" not in SEARCHES[recipe]:
        assert model.predict_nbest([["a", "a"]], 2)[0][0][0] == both
        assert min(model.predict_confidence([["a", "a"]])[0]) > 0


def test_a_sentence_without_a_legal_output_blames_the_constraint_and_not_the_dictionary():
    rules = [at_most(1, "P"), at_least(2, "R")]
    model = Tagger("perceptron", settings={"dictionary": 2}, constraints=rules).fit(WORDS, LABELS)
    assert model.predict([["a", "a"]]) == [["R", "R"]]
    with pytest.raises(SearchError, match=r"No output of sentence 1 .* keeps the constraint at_least\(2, 'R'\)\."):
        model.predict([["c", "d"], ["a"]])


@pytest.mark.parametrize("recipe", ["mira", "crf", "laso-perceptron"])
def test_rare_words_may_be_limited_to_labels_of_words_like_them(recipe):
    # Rare words in capitals are nouns or adjectives, all others verbs.
    draw = random.Random(3)
    kinds = {"R": ("N", "A"), "r": ("V",)}
    rows = [[f"{draw.choice('Rr')}are{draw.randint(0, 400)}ing" for _ in range(4)] for _ in range(60)]
    labels = [[draw.choice(kinds[word[0]]) for word in row] for row in rows]
    model = tagger(recipe, "alike").fit(X + rows, Y + labels)
    assert tags_of(model, "Rare999ing") == {"N", "A"} and tags_of(model, "rare999ing") == {"V"}
    assert tags_of(model, "dog") == {"N"}
    asked = [*OTHER, ["Rare999ing", "dog", "rare77ing"], ["rare77ing"]]
    found = model.predict(asked)
    assert all(t in tags_of(model, w) for ws, ts in zip(asked, found, strict=True) for w, t in zip(ws, ts, strict=True))
    again = from_bytes(to_bytes(model))
    assert again.predict(asked) == found == again.predict(asked * 300)[: len(asked)]
    assert to_bytes(again) == to_bytes(model)
    exact = model.set_params(queue="exact").predict(asked)
    assert exact == model.set_params(queue="beam", beam=float("inf")).predict(asked)


def test_training_does_not_go_on_with_other_limits_of_rare_words():
    model = tagger("perceptron", "alike", warm_start=True).fit(X, Y)
    model.set_params(settings={"dictionary": 5})
    refused(SettingError, "dictionary is 5, but the model that training goes on from has alike", model.fit, X, Y)
