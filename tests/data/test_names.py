"""Tokens that are lists of strings: names of features, as python-crfsuite takes them, or columns; and which is meant."""

import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata import Chunker, RiataWarning, Tagger
from riata.data.memory import as_corpus
from riata.data.named_features import are_names
from riata.errors import DataError
from riata.importing.items import from_strings
from samples import for_rows

TRAIN, TEST = riata.load("embedded", "train"), riata.load("embedded", "test")
LABELS = TRAIN.sentences_of(2)


def tutorial(sentence: Any) -> list[list[str]]:
    """The features of python-crfsuite's own tutorial, in short: more of them inside a sentence than at its ends."""
    found = []
    for i, (word, tag, _) in enumerate(sentence):
        features = ["bias", f"word.lower={word.lower()}", f"word[-3:]={word[-3:]}", f"postag={tag}"]
        features += [f"-1:postag={sentence[i - 1][1]}"] if i else ["BOS"]
        features += [f"+1:postag={sentence[i + 1][1]}", "inside"] if i + 1 < len(sentence) else ["EOS"]
        found.append(features)
    return found


NAMES = {
    "the tutorial's": [tutorial(sentence) for sentence in TRAIN[:20]],
    "of one length": [[["w=The", "pos=DT", "bias"], ["w=dog", "pos=NN", "bias"]]],
    "bias first": [[["bias", "w=The"], ["bias", "w=dog"]]],
    "with colons": [[["w:The"], ["w:dog", "t:NN"]]],
    "a single token": [[["w=The", "pos=DT"]]],
    "flags after the first": [[["w=The", "title"], ["w=dog", "lower"]]],
    "sets": [[{"The", "DT"}, {"dog"}]],
    "frozen sets": [[frozenset({"The"})]],
}
COLUMNS = {
    "words and tags": [[["The", "DT"], ["dog", "NN"]]],
    "words with signs among them": [[["10:30", "CD"], ["a=b", "NN"], ["ends", "VBZ"]]],
    "lists of one": [[["The"], ["dog"]]],
    "tuples, whatever they hold": [[("w=The", "pos=DT"), ("w=dog", "pos=NN")]],
    "a sign at the start alone": [[["=", ":"], [":", "="]]],
    "morphology that some words lack": [[["cats", "Number=Plur"], [",", "_"]]],
}


@pytest.mark.parametrize("X", NAMES.values(), ids=NAMES)
def test_lists_of_names_are_recognised(X: Any) -> None:
    corpus = as_corpus(X)
    assert corpus.width == 0
    same = as_corpus(from_strings(X))
    assert corpus.given is not None
    assert same.given is not None
    assert corpus.given.alphabet.texts() == same.given.alphabet.texts()
    assert corpus.given.ids.tolist() == same.given.ids.tolist()


@pytest.mark.parametrize("X", COLUMNS.values(), ids=COLUMNS)
def test_columns_stay_columns_without_a_word(X: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = as_corpus(X)
    assert [list(map(list, sentence)) for sentence in corpus] == [list(map(list, sentence)) for sentence in X]


def test_words_with_morphology_at_every_word_are_columns_with_a_warning() -> None:
    with pytest.warns(RiataWarning, match="read as columns.*from_strings"):
        corpus = as_corpus([[["cats", "Number=Plur"], ["dog", "Number=Sing"]]])
    assert corpus.width == 2


@for_rows(
    "X",
    [[["The", "DT"], ["dog"]]],
    [[["walk"], ["walk", "shop"]]],
    [[["cats", "Number=Plur"], ["dog", "NN", "Number=Sing"]]],
    ids=["a column is missing", "names without signs", "morphology"],
)
def test_lists_of_different_lengths_that_may_be_either_are_refused_with_both_ways_out(X: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DataError, match="columns") as caught:
            as_corpus(X)
    assert "tuples" in caught.value.remedy
    assert "from_strings" in caught.value.remedy


words = st.text(st.characters(codec="utf-8", exclude_characters="=:"), min_size=1, max_size=5)


@given(st.lists(st.lists(st.lists(words, min_size=2, max_size=2), min_size=1, max_size=4), min_size=1, max_size=4))
def test_without_a_sign_lists_of_one_length_are_columns(X: list[list[list[str]]]) -> None:
    assert not are_names(X)


@given(
    st.lists(
        st.lists(st.lists(words.map("w=".__add__), min_size=1, max_size=3), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
    )
)
def test_lists_of_signed_strings_alone_are_names(X: list[list[list[str]]]) -> None:
    assert are_names(X)


def test_what_is_learnt_from_names_is_what_dictionaries_teach() -> None:
    train, test = [tutorial(s) for s in TRAIN], [tutorial(s) for s in TEST]
    by_names = Chunker(epochs=3).fit(train, LABELS)
    by_dictionaries = Chunker(epochs=3).fit(from_strings(train), LABELS)
    assert by_names.state_features_ == by_dictionaries.state_features_
    assert by_names.predict(test) == by_dictionaries.predict(from_strings(test))
    assert by_names.score(test, TEST.sentences_of(2)) > 0.9


def test_a_model_reads_lists_as_it_has_learnt_to_whatever_they_look_like() -> None:
    by_names = Tagger(epochs=2).fit([[["w=a", "bias"], ["w=b"]]], [["A", "B"]])
    odd = [["w=a"], ["nothing", "known"], []]
    assert by_names.predict([odd]) == by_names.predict(from_strings([odd]))
    assert by_names.evaluate([odd], [["A", "B", "B"]]).rows.sum() > 0
    by_columns = Tagger(epochs=2).fit([[("w=a", "x=x"), ("w=b", "x=y")]], [["A", "B"]])
    assert by_columns.predict([[["w=a", "x=x"]]]) == by_columns.predict([[("w=a", "x=x")]])
    refused(DataError, "columns", by_columns.predict, [[["w=a", "x=x"], ["w=b"]]])
    refused(DataError, "list of names", by_names.predict, [[["w=a"], "word"]])


def test_a_trace_and_an_explanation_read_names_too() -> None:
    tagger = Tagger(epochs=3).fit([[["w=a", "bias"], ["w=b", "bias"]]], [["A", "B"]])
    explanation = tagger.explain([["w=a", "unseen"], ["alone"]])
    assert explanation.decision.chosen.labels[0] == "A"
