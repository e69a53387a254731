"""Parsers with taggers of their own, and how a parser reads tags unless told otherwise."""

import pickle

import numpy as np
import pytest

import riata
from checks import refused, stored
from riata import DependencyParser, RiataError, Tagger
from riata.choosing.passes import FOLDS
from riata.data.conllu import write_conllu
from riata.data.documents import blocks
from riata.data.memory import as_corpus
from riata.errors import DataError, ModelFileError, RiataWarning, UnknownNameError, UnsupportedError
from riata.estimators.pairs import PairFitting
from riata.estimators.tag_stage import MANY, new_tagger
from riata.learning.jackknife import joined_labels
from riata.models import container
from samples import BARE, check_words_are_enough, for_rows, other_tags, treebank, write_treebank

WORDS = [[token[0] for token in sentence] for sentence in treebank()]


@pytest.fixture(scope="module")
def parser():
    return DependencyParser(tags="own", epochs=3).fit(treebank()[:24])


def test_words_are_enough(parser):
    check_words_are_enough(parser)
    assert parser.evaluate(treebank()).metrics == parser.evaluate(other_tags(treebank())).metrics


def test_the_parser_learns_from_tags_of_taggers_that_have_not_seen_the_sentence(monkeypatch):
    """A slow twin tags fold by fold; what the parser learns from is compared with it."""
    data = as_corpus(treebank()[:24])
    tags = [None] * len(data)
    for fold in blocks(data, FOLDS.default):
        others = [s for s in range(len(data)) if s not in fold]
        tagger = Tagger(epochs=10).fit(data[others].select([0, 1]))
        for s, found in zip(fold.tolist(), tagger.predict(data[fold].select([0])), strict=True):
            tags[s] = list(found)
    seen = []
    inner = PairFitting.fit  # what learns from the tags that have been made

    def fit(self, X, *more, **options):
        seen.append(X)
        return inner(self, X, *more, **options)

    monkeypatch.setattr(PairFitting, "fit", fit, raising=False)
    DependencyParser(tags="own", epochs=1).fit(data)
    assert seen[-1].sentences_of(1) == tags
    assert [seen[-1].sentences_of(i) for i in (0, 2, 3)] == [data.sentences_of(i) for i in (0, 2, 3)]


def test_folds_are_whole_documents_wherever_their_sentences_are():
    data = as_corpus(treebank()[:6])
    folds = [np.array([0, 3]), np.array([1, 5]), np.array([2, 4])]
    labels = [np.concatenate([np.full(len(data[int(s)]), s, np.int32) for s in fold]) for fold in folds]
    expected = np.repeat(np.arange(6), np.diff(data.starts))
    assert joined_labels(folds, labels, data).tolist() == expected.tolist()


def test_development_data_are_tagged_by_the_taggers():
    parser = DependencyParser(tags="own", epochs=3)
    parser.fit(treebank()[:20], None, other_tags(treebank()[20:]))
    again = DependencyParser(tags="own", epochs=3, dev=as_corpus(treebank()[20:]))
    again.fit(treebank()[:20])
    assert parser.best_score_ == again.best_score_ == pytest.approx(100 * again.score(treebank()[20:]))
    assert DependencyParser(tags="own", epochs=3, dev=0.2).fit(treebank()).best_score_ is not None


def test_models_contain_their_taggers(parser, tmp_path):
    parser.save(tmp_path / "p.riata")
    for again in (riata.load_model(tmp_path / "p.riata"), pickle.loads(pickle.dumps(parser))):
        assert again.predict(WORDS) == parser.predict(WORDS)
    given = riata.load_model(tmp_path / "p.riata").set_params(tags="given", check_input=False)
    assert given.predict(treebank()) != given.predict(other_tags(treebank()))  # the tags of the data count now
    back = stored(given, tmp_path).set_params(tags="own")
    assert back.predict(WORDS) == parser.predict(WORDS)
    anew = parser.untrained(tags="given").fit(treebank()[:24])
    refused(UnsupportedError, "has no taggers", anew.set_params(tags="own").predict, WORDS)


@pytest.mark.parametrize("change", ["none", "one more", "no list", "another task"])
def test_model_files_with_other_taggers_are_refused(parser, tmp_path, change):
    parser.save(tmp_path / "p.riata")
    header, arrays = container.read(tmp_path / "p.riata")
    changed = {
        "none": [],
        "one more": header["taggers"] * 2,
        "no list": {},
        "another task": [{**header["taggers"][0], "task": "chunk"}],
    }
    container.write(tmp_path / "q.riata", container.pack({**header, "taggers": changed[change]}, arrays))
    refused(ModelFileError, "taggers are inconsistent", riata.load_model, tmp_path / "q.riata")


def test_files_come_out_with_tags_and_trees(parser, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new.conllu").write_text("# a remark\n" + BARE.format(*WORDS[0][:2]))
    run.ok("train", "parse", "--tags", "own", *write_treebank(tmp_path))
    rows = [row.split("\t") for row in run.ok("predict", "--model", "p.riata", "new.conllu").splitlines()[1:3]]
    assert all(row[4] == f"{row[3]}x" and row[6].isdecimal() for row in rows)
    (tmp_path / "words.txt").write_text("".join(f"{word}\n" for word in WORDS[0]) + "\n")
    parser.save(tmp_path / "c.riata")
    out = run.ok("predict", "--model", "c.riata", "words.txt")
    assert {len(row.split()) for row in out.splitlines() if row} == {4}


@for_rows(
    "options, message",
    ({"stream": True}, "part of the data at a time"),
    ({"warm_start": True}, "goes on from a model"),
    ({"tags": "onw"}, "Did you mean 'own'"),
)
def test_what_taggers_cannot_be_combined_with_is_refused(options, message):
    refused(RiataError, message, DependencyParser(**{"tags": "own", **options}).fit, treebank())


def test_parts_of_data_and_words_alone_are_refused(parser):
    refused(UnsupportedError, "partial_fit goes on", parser.partial_fit, treebank())
    alone = [[(word, head, relation) for word, _, head, relation in sentence] for sentence in treebank()]
    refused(DataError, "no tags beside the words", DependencyParser(tags="own").fit, alone)
    refused(DataError, "fewer than two sentences", DependencyParser(tags="own").fit, treebank()[:1])


def test_other_tasks_have_no_taggers(run):
    err = run.fails("train", "tag", "--train", "train.txt", "--model", "t.riata", "--tags", "own")
    assert "--tags is for tasks that read tags beside words" in err


# --- how a parser reads tags unless told otherwise -----------------------------------------------------------
TRAIN, OTHER = treebank()[:24], treebank()[24:]
OTHER_WORDS = [[token[0] for token in sentence] for sentence in OTHER]


def silent(sentences, at=1):
    """The sentences with a column that is the same throughout."""
    return [[(*token[:at], "_", *token[at:]) for token in sentence] for sentence in sentences]


def told(default_parser, *data):
    texts = []
    default_parser.fit(*data, listener=lambda event: texts.append(getattr(event, "text", "")))
    return "\n".join(texts)


@pytest.fixture(scope="module")
def default_parser():
    return DependencyParser(epochs=3).fit(TRAIN)


def test_words_are_enough_without_options(default_parser):
    own = DependencyParser(tags="own", epochs=3).fit(TRAIN)
    assert default_parser.predict(OTHER_WORDS) == default_parser.predict(OTHER) == own.predict(OTHER_WORDS)
    with pytest.raises(
        UnsupportedError, match=r"(?s)the model has taggers of its own, but warm_start=True.*--tags given"
    ):
        default_parser.set_params(warm_start=True).fit(TRAIN)
    default_parser.set_params(warm_start=False)


def test_a_parser_with_taggers_goes_on_learning_from_given_tags():
    default_parser = DependencyParser(epochs=2).fit(TRAIN)
    refused(UnknownNameError, "'zz'", default_parser.set_params(tags="zz").predict, OTHER)
    with pytest.warns(RiataWarning, match="own taggers are dropped"):
        default_parser.set_params(tags="given").partial_fit(OTHER)
    assert default_parser.columns.tags_read == "given" and not default_parser.taggers_ and default_parser.predict(OTHER)


@for_rows(
    "options, data, why",
    ({"warm_start": True}, TRAIN, "warm_start=True goes on"),
    ({}, TRAIN[:1], "one sentence is too little"),
)
def test_tags_are_read_as_they_are_where_taggers_cannot_learn_and_this_is_said(options, data, why):
    default_parser = DependencyParser(epochs=1, **options)
    assert why in told(default_parser, data) and not default_parser.taggers_


def test_portions_are_read_with_their_tags():
    default_parser = DependencyParser(epochs=1).partial_fit(TRAIN)
    assert not default_parser.taggers_ and default_parser.predict(OTHER)


@pytest.mark.parametrize("tags", [None, "own", "given"])
def test_columns_that_are_the_same_throughout_are_left_out(tags):
    plain = DependencyParser(tags=tags, epochs=3).fit(TRAIN)
    more = DependencyParser(tags=tags, epochs=3, dev=as_corpus(silent(OTHER)))
    assert "column 1 is '_' throughout: it is left out." in told(more, silent(TRAIN))
    assert more.inputs_ == (0, *(column + 1 for column in plain.inputs_[1:]))
    assert more.predict(silent(OTHER)) == plain.predict(OTHER)
    assert more.best_score_ == pytest.approx(100 * plain.score(OTHER))
    other = DependencyParser(tags=tags, epochs=3).fit(silent(TRAIN), None, silent(OTHER))
    assert other.best_score_ == more.best_score_
    if tags == "given":
        more.set_params(dev=None)
        assert more.partial_fit(silent(OTHER)).predict(silent(OTHER)) == plain.partial_fit(OTHER).predict(OTHER)


def test_conllu_without_xpos_needs_no_options(tmp_path, default_parser):
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
    learnt = DependencyParser(epochs=3)
    from riata.data.files import read_roles

    text = told(learnt, read_roles(tmp_path / "train.conllu", **roles))
    assert "column 4 (xpos) is '_' throughout" in text and "column 5 (feats)" in text
    assert learnt.predict(read[0]) == learnt.predict(read[1]) == learnt.predict(OTHER_WORDS)


def test_hundreds_of_tags_are_limited_to_those_of_similar_words():
    def data(number):
        return as_corpus([[(f"word{i}", f"T{i % number}") for i in range(900)]])

    assert new_tagger(data(MANY), seed=0, threads=1).settings is None
    tagger = new_tagger(data(MANY + 1), seed=0, threads=1)
    assert tagger.settings == {"dictionary": "alike"}
    tagger.set_params(epochs=1).fit(data(MANY + 1))
    assert tagger.model_.features.dictionary.alike
