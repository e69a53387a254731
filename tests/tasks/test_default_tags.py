"""How a parser reads tags unless told otherwise: by taggers of its own, wherever the training data have tags."""

import pytest

import riata
from riata.data.conllu import write_conllu
from riata.data.memory import as_corpus
from riata.errors import UnsupportedError
from riata.estimators.taggers import MANY, new_tagger
from samples import for_rows, treebank

TRAIN, OTHER = treebank()[:24], treebank()[24:]
WORDS = [[token[0] for token in sentence] for sentence in OTHER]


def silent(sentences, at=1):
    """The sentences with a column that is the same throughout."""
    return [[(*token[:at], "_", *token[at:]) for token in sentence] for sentence in sentences]


def told(parser, *data):
    texts = []
    parser.fit(*data, listener=lambda event: texts.append(getattr(event, "text", "")))
    return "\n".join(texts)


@pytest.fixture(scope="module")
def parser():
    return riata.DependencyParser(epochs=3).fit(TRAIN)


def test_words_are_enough_without_options(parser):
    own = riata.DependencyParser(tags="own", epochs=3).fit(TRAIN)
    assert parser.predict(WORDS) == parser.predict(OTHER) == own.predict(WORDS)
    with pytest.raises(
        UnsupportedError, match=r"(?s)the model has taggers of its own, but warm_start=True.*--tags given"
    ):
        parser.set_params(warm_start=True).fit(TRAIN)
    parser.set_params(warm_start=False)


def test_a_parser_with_taggers_goes_on_learning_from_given_tags():
    parser = riata.DependencyParser(epochs=2).fit(TRAIN)
    parser.set_params(tags="given").partial_fit(OTHER)
    assert parser.tags_read == "given" and not parser.taggers_ and parser.predict(OTHER)


@for_rows(
    "options, data, why",
    ({"warm_start": True}, TRAIN, "warm_start=True goes on"),
    ({}, TRAIN[:1], "one sentence is too little"),
)
def test_tags_are_read_as_they_are_where_taggers_cannot_learn_and_this_is_said(options, data, why):
    parser = riata.DependencyParser(epochs=1, **options)
    assert why in told(parser, data) and not parser.taggers_


def test_portions_are_read_with_their_tags():
    parser = riata.DependencyParser(epochs=1).partial_fit(TRAIN)
    assert not parser.taggers_ and parser.predict(OTHER)


@pytest.mark.parametrize("tags", [None, "own", "given"])
def test_columns_that_are_the_same_throughout_are_left_out(tags):
    plain = riata.DependencyParser(tags=tags, epochs=3).fit(TRAIN)
    more = riata.DependencyParser(tags=tags, epochs=3, dev=as_corpus(silent(OTHER)))
    assert "column 1 is '_' throughout: it is left out." in told(more, silent(TRAIN))
    assert more.inputs_ == (0, *(column + 1 for column in plain.inputs_[1:]))
    assert more.predict(silent(OTHER)) == plain.predict(OTHER)
    assert more.best_score_ == pytest.approx(100 * plain.score(OTHER))
    other = riata.DependencyParser(tags=tags, epochs=3).fit(silent(TRAIN), None, silent(OTHER))
    assert other.best_score_ == more.best_score_
    if tags == "given":
        more.set_params(dev=None)
        assert more.partial_fit(silent(OTHER)).predict(silent(OTHER)) == plain.partial_fit(OTHER).predict(OTHER)


def test_conllu_without_xpos_needs_no_options(tmp_path, parser):
    """Tags of the file to predict do not count: not even where all of them are `_`."""
    fields = ("form", "upos", "head", "deprel")
    for name, data in (
        ("train", TRAIN),
        ("test", OTHER),
        ("bare", [[(t[0], "_", "_", "_") for t in s] for s in OTHER]),
    ):
        two = [[(token[0], token[1], *token[-2:]) for token in sentence] for sentence in data]
        write_conllu(two, tmp_path / f"{name}.conllu", fields)
    read = [riata.read_conllu(tmp_path / f"{name}.conllu") for name in ("test", "bare")]
    roles = {"inputs": ["form", "upos", "xpos", "feats"], "output": ["head", "deprel"]}
    learnt = riata.DependencyParser(epochs=3)
    from riata.data.files import read_roles

    text = told(learnt, read_roles(tmp_path / "train.conllu", **roles))
    assert "column 4 (xpos) is '_' throughout" in text and "column 5 (feats)" in text
    assert learnt.predict(read[0]) == learnt.predict(read[1]) == learnt.predict(WORDS)


def test_hundreds_of_tags_are_limited_to_those_of_similar_words():
    def data(number):
        return as_corpus([[(f"word{i}", f"T{i % number}") for i in range(900)]])

    assert new_tagger(data(MANY), seed=0, threads=1).settings is None
    tagger = new_tagger(data(MANY + 1), seed=0, threads=1)
    assert tagger.settings == {"dictionary": "alike"}
    tagger.set_params(epochs=1).fit(data(MANY + 1))
    assert tagger.model_.features.dictionary.alike
