"""Hashed features: against a slow twin that computes every row in Python, collisions and all, and against exact dictionaries."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import refused
from oracle import features as twin
from oracle import perceptron as oracle
from oracle.hashing import Table, table_of, text_number
from riata import Chunker, Tagger, errors
from riata._core import hashed_texts, shuffled
from riata.data.memory import as_corpus
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.attributes import builtin
from riata.features.templates import parse
from riata.models.weights_by_name import by_name
from samples import CHUNKS, FEATURES, INPUTS, TAGS, WORDS, chunker, embedded, history_chunker, tried

FIRST_ORDER = {
    "window": "word[-1]\nword[0]\nword[-1] word[0]\nword[0] word[1]\nedge",
    "edges": "word[0]\nedge\nedge word[0]\nedge word[-1] word[1]",
    "numbers": "word[0]\nnumber(1)[0]\nnumber(1)[-1]\nedge",
}
EARLIER = "word[0]\nedge\nlabel[-2] label[-1]\nlabel[-1] word[0]\nlabel[-3] label[-1] word[-1] word[0]"

tokens = st.tuples(st.sampled_from("abc"), st.sampled_from(["0", "1", "-2", "0.5"]), st.sampled_from("XYZ"))
corpora = st.lists(st.lists(tokens, max_size=4), min_size=1, max_size=6).filter(any)


def split(corpus):
    return [[token[:-1] for token in s] for s in corpus], [[token[-1] for token in s] for s in corpus]


@given(st.text())
def test_texts_have_the_numbers_of_the_twin(text):
    assert hashed_texts([text]).tolist() == [text_number(text)]


# --- with collisions: 2^10 weights in rows of eight ------------------------------------------------------------------
@pytest.mark.parametrize("template", FIRST_ORDER)
@tried(25, corpora, st.integers(0, 3))
def test_the_perceptron_learns_what_the_twin_learns(template, corpus, seed):
    X, y = split(corpus)
    templates = parse(FIRST_ORDER[template])
    made = Tagger("perceptron", template=templates, bits=10, epochs=2, seed=seed, settings={"precision": "double"})
    made.fit(X, y)
    table = Table(templates, made.classes_, 10)
    plain = oracle.phi
    with patch("oracle.perceptron.phi", lambda *arguments: table.entries(plain(*arguments))):
        orders = [shuffled(len(X), seed, epoch).tolist() for epoch in (1, 2)]
        examples = [(twin.inputs(x, templates, builtin()), labels) for x, labels in zip(X, y, strict=True)]
        expected = oracle.perceptron(examples, made.classes_, orders).averaged
    found = table_of(made.model_)
    for entry in {*found, *expected}:
        assert found.get(entry, 0.0) == pytest.approx(expected.get(entry, 0.0), abs=1e-5), entry


@pytest.mark.parametrize("recipe", ["early", "laso-perceptron", "laso-alma"])
def test_searches_read_the_rows_of_the_twin(recipe):
    sentences = [[token[:1] for token in s] for s in CHUNKS]
    templates = parse(EARLIER)
    made = Tagger(recipe, beam=3, template=templates, bits=10, epochs=3).fit(sentences, TAGS)
    table, weights, model = Table(templates, made.classes_, 10), table_of(made.model_), made.model_
    corpus = as_corpus(sentences)
    ids = model.predict(corpus)
    found = model.scores_of(model.features.instances(corpus), ids)
    for s, sentence in enumerate(sentences):
        labels = [made.classes_[i] for i in ids[corpus.starts[s] : corpus.starts[s + 1]]]
        fired = [oracle.phi(twin.inputs(sentence, templates, builtin()), labels, t) for t in range(len(sentence))]
        expected = sum(weights.get(e, 0.0) * v for phi in fired for e, v in table.entries(phi).items())
        assert found[s] == pytest.approx(expected, rel=1e-5)
    assert len({row for row, _ in weights}) > 20


# --- without: a table so large that nothing meets ----------------------------------------------------------------------
def assert_same(exact, hashed, probe):
    """Every weight is there once, so nothing met; and the scores are the same."""
    values = [sorted(_values(e.model_)) for e in (exact, hashed)]
    assert values[0] == values[1] != []
    ids = exact.model_.predict(as_corpus(probe))
    scores = [e.model_.scores_of(e.model_.features.instances(as_corpus(probe)), ids) for e in (exact, hashed)]
    assert scores[0].tolist() == scores[1].tolist()
    assert hashed.predict(probe) == exact.predict(probe)


def _values(model):
    packed = model.weights.pack(model.features.index)
    rows = [packed["given"], packed["transition"], packed["history"]["rows"]]
    rows += [family[kind] for family in packed["families"] for kind in ("node", "edge")]
    return np.concatenate([values for _, _, values in rows]).tolist()


@pytest.mark.parametrize("params", [{}, {"recipe": "mira"}, {"recipe": "mira", "seeds": 2, "settings": {"k": 3}}])
def test_a_large_table_is_as_good_as_dictionaries(params):
    given = {"template": chunker().template, "epochs": 3, **params}
    exact, hashed = (Chunker(**{"recipe": "perceptron", **given}, bits=bits).fit(CHUNKS) for bits in (None, 22))
    assert_same(exact, hashed, INPUTS)


@pytest.mark.parametrize("recipe", ["early", "laso-perceptron", "laso-alma", "max-violation", "standard"])
def test_so_it_is_for_recipes_that_search_and_earlier_labels(recipe):
    given = {"recipe": recipe, "beam": 3, "template": history_chunker().template, "epochs": 3}
    exact, hashed = (Chunker(**{"recipe": "perceptron", **given}, bits=bits).fit(CHUNKS) for bits in (None, 22))
    assert_same(exact, hashed, INPUTS)


def test_so_it_is_for_given_features():
    exact, hashed = (Tagger("perceptron", epochs=3, bits=bits).fit(FEATURES, TAGS) for bits in (None, 22))
    assert_same(exact, hashed, FEATURES)


def test_nothing_is_kept_of_the_words():
    hashed = Chunker("perceptron", epochs=2, bits=14).fit(embedded())
    features = hashed.model_.features
    assert [len(alphabet) for alphabet in (*features.alphabets, features.given)] == [0] * (len(features.alphabets) + 1)
    assert sum(features.index.size(f) for f in range(len(features.program.families))) == 0
    assert b"Cuttlefish" not in to_bytes(Tagger("perceptron", bits=12).fit([["Cuttlefish", "swim"]], [["N", "V"]]))


def test_more_bits_lose_less():
    test = embedded(split="test")
    scores = [Chunker("perceptron", epochs=3, bits=bits).fit(embedded()).score(test) for bits in (10, 14, 20)]
    exact = Chunker("perceptron", epochs=3).fit(embedded()).score(test)
    assert scores == sorted(scores)
    assert abs(scores[-1] - exact) < 0.02 < exact - scores[0]


# --- going on, saving --------------------------------------------------------------------------------------------------
@tried(40, corpora, st.sampled_from(list(FIRST_ORDER)), st.integers(10, 16))
def test_a_hashed_model_comes_back_from_its_file(corpus, template, bits):
    X, y = split(corpus)
    made = Tagger("perceptron", template=parse(FIRST_ORDER[template]), bits=bits, epochs=2).fit(X, y)
    content = to_bytes(made)
    loaded = from_bytes(content)
    assert table_of(loaded.model_) == table_of(made.model_)
    assert (loaded.bits, loaded.predict(X), to_bytes(loaded)) == (bits, made.predict(X), content)


def test_training_goes_on_and_the_parts_add_up():
    whole = Tagger("perceptron", bits=12, settings={"shuffle": False})
    for sentence, tags in zip(WORDS, TAGS, strict=True):
        whole.partial_fit([sentence], [tags], classes=sorted({tag for s in TAGS for tag in s}))
    assert table_of(whole.model_)
    resumed = from_bytes(to_bytes(whole)).set_params(warm_start=True, epochs=1)
    assert resumed.fit(WORDS, TAGS).model_.features.bits == 12
    with pytest.raises(errors.SettingError, match="bits is 13, but the model that training goes on from has 12"):
        resumed.set_params(bits=13).fit(WORDS, TAGS)
    exact = Tagger("perceptron", epochs=1).fit(WORDS, TAGS).set_params(warm_start=True, bits=13)
    refused(errors.SettingError, "has exact dictionaries", exact.fit, WORDS, TAGS)


# --- what is refused ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("bits", [0, 9, 31, -5, "x", 12.5, float("nan"), True])
def test_bits_out_of_range(bits):
    with pytest.raises(errors.SettingError, match=r"whole number from 10 to 30") as caught:
        Tagger("perceptron", bits=bits).fit(WORDS, TAGS)
    assert "22 is a good start" in caught.value.remedy


def test_counts_need_dictionaries():
    refused(errors.SettingError, "cutoff is 2, but with bits", Tagger("perceptron", bits=12, cutoff=2).fit, WORDS, TAGS)
    with pytest.raises(errors.UnsupportedError, match="frequency needs counts"):
        Tagger("perceptron", bits=12, template=parse("word[0]\nfrequency[0]")).fit(WORDS, TAGS)


def test_a_table_too_small_for_the_labels():
    labels = [[f"L{i}"] for i in range(40)]
    for learn in (Tagger("perceptron", bits=10).fit, Tagger("perceptron", bits=10).partial_fit):
        with pytest.raises(errors.SettingError, match="no room for the pairs of 40 labels") as caught:
            learn([["w"] for _ in labels], labels)
        assert caught.value.remedy == "Set bits to at least 11."
    assert Tagger("perceptron", bits=11, epochs=1).fit([["w"] for _ in labels], labels).classes_


def test_names_are_gone_but_counts_and_transitions_are_there():
    hashed = Chunker("perceptron", epochs=2, bits=16).fit(CHUNKS)
    assert by_name(hashed.model_).count() > 0
    assert by_name(hashed.model_).transitions(3)
    refused(errors.UnsupportedError, "hashed", by_name(hashed.model_).heaviest, 3)
    trace = hashed.set_params(queue="beam", beam=2).trace(INPUTS[0], features=True)
    assert "of the table" in str(trace.__dict__)
