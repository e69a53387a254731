"""Parsers with taggers of their own: tags of sentences that taggers have not seen, in training; words alone, in prediction."""

import pickle

import numpy as np
import pytest

import riata
from checks import refused, stored
from riata.choosing.passes import FOLDS
from riata.data.memory import as_corpus
from riata.errors import DataError, ModelFileError, UnsupportedError
from riata.estimators.own_tags import OwnTags
from riata.learning.jackknife import blocks, joined_labels
from riata.models import container
from samples import check_words_are_enough, for_rows, other_tags, treebank

WORDS = [[token[0] for token in sentence] for sentence in treebank()]


@pytest.fixture(scope="module")
def parser():
    return riata.DependencyParser(tags="own", epochs=3).fit(treebank()[:24])


def test_words_are_enough(parser):
    check_words_are_enough(parser)
    assert parser.evaluate(treebank()).metrics == parser.evaluate(other_tags(treebank())).metrics


def test_the_parser_learns_from_tags_of_taggers_that_have_not_seen_the_sentence(monkeypatch):
    """A slow twin tags fold by fold; what the parser learns from is compared with it."""
    data = as_corpus(treebank()[:24])
    tags = [None] * len(data)
    for fold in blocks(data, FOLDS.default):
        others = [s for s in range(len(data)) if s not in fold]
        tagger = riata.Tagger(epochs=10).fit(data[others].select([0, 1]))
        for s, found in zip(fold.tolist(), tagger.predict(data[fold].select([0])), strict=True):
            tags[s] = list(found)
    seen = []
    classes = riata.DependencyParser.__mro__
    after = classes[classes.index(OwnTags) + 1]  # the class after the one that makes the tags
    inner = after.fit

    def fit(self, X, *more, **options):
        seen.append(X)
        return inner(self, X, *more, **options)

    monkeypatch.setattr(after, "fit", fit, raising=False)
    riata.DependencyParser(tags="own", epochs=1).fit(data)
    assert seen[-1].sentences_of(1) == tags
    assert [seen[-1].sentences_of(i) for i in (0, 2, 3)] == [data.sentences_of(i) for i in (0, 2, 3)]


def test_folds_are_whole_documents_wherever_their_sentences_are():
    data = as_corpus(treebank()[:6])
    folds = [np.array([0, 3]), np.array([1, 5]), np.array([2, 4])]
    labels = [np.concatenate([np.full(len(data[int(s)]), s, np.int32) for s in fold]) for fold in folds]
    expected = np.repeat(np.arange(6), np.diff(data.starts))
    assert joined_labels(folds, labels, data).tolist() == expected.tolist()


def test_development_data_are_tagged_by_the_taggers():
    parser = riata.DependencyParser(tags="own", epochs=3)
    parser.fit(treebank()[:20], None, other_tags(treebank()[20:]))
    again = riata.DependencyParser(tags="own", epochs=3, dev=as_corpus(treebank()[20:]))
    again.fit(treebank()[:20])
    assert parser.best_score_ == again.best_score_ == pytest.approx(100 * again.score(treebank()[20:]))
    assert riata.DependencyParser(tags="own", epochs=3, dev=0.2).fit(treebank()).best_score_ is not None


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
    line = "{0}\t{1}\t_\t{2}\t{2}\t_\t{3}\t{4}\t_\t_"
    trees = ["\n".join(line.format(i, *token) for i, token in enumerate(s, 1)) + "\n\n" for s in treebank()]
    (tmp_path / "train.conllu").write_text("".join(trees[:24]))
    bare = "1\t{}\t_\t_\t_\t_\t_\t_\t_\t_\n2\t{}\t_\t_\t_\t_\t_\t_\t_\t_\n\n".format(*WORDS[0][:2])
    (tmp_path / "new.conllu").write_text("# a remark\n" + bare)
    arguments = ("--train", "train.conllu", "--inputs", "form,upos,xpos", "--epochs", "3", "--model", "p.riata")
    assert run("train", "parse", "--tags", "own", *arguments)[0] == 0
    status, out, _ = run("predict", "--model", "p.riata", "new.conllu")
    rows = [row.split("\t") for row in out.splitlines()[1:3]]
    assert status == 0 and all(row[3] == row[4] != "_" and row[6].isdecimal() for row in rows)
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
    with pytest.raises(riata.RiataError, match=message):
        riata.DependencyParser(**{"tags": "own", **options}).fit(treebank())


def test_parts_of_data_and_words_alone_are_refused(parser):
    refused(UnsupportedError, "partial_fit goes on", parser.partial_fit, treebank())
    alone = [[(word, head, relation) for word, _, head, relation in sentence] for sentence in treebank()]
    refused(DataError, "no tags beside the words", riata.DependencyParser(tags="own").fit, alone)
    with pytest.raises(DataError, match="fewer than two sentences"):
        riata.DependencyParser(tags="own").fit(treebank()[:1])


def test_other_tasks_have_no_taggers(run):
    err = run.fails("train", "tag", "--train", "train.txt", "--model", "t.riata", "--tags", "own")
    assert "--tags is for tasks that read tags beside words" in err
