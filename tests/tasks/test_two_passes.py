"""Two passes: the second never learns from labels of a model that saw the sentence, and reads what its mode says."""

import io
import json
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused, stored
from riata import Chunker, EntityRecognizer, JointTagger, Tagger
from riata.commands.base import cli
from riata.data.columns import stream
from riata.data.documents import blocks, in_documents
from riata.errors import (
    DataError,
    ModelFileError,
    NotFittedError,
    SettingError,
    TemplateError,
    UnknownNameError,
    UnsupportedError,
)
from riata.estimators.model_file import from_bytes, to_bytes
from riata.estimators.two_passes import at_documents, in_context
from riata.features.templates import SUMMARIES, parse
from riata.learning.batch import prior
from riata.learning.batch.settings import PRIORS
from riata.models import container
from samples import for_rows

NAMES = ["Ada", "Bo", "Cy", "Di"]


def sentences(number, seed=0):
    """Names of people and places in pairs of sentences: in the first nothing tells which it is, in the second the word before does."""
    random = np.random.default_rng(seed)
    found = []
    for i in range(0, number, 2):
        person = random.integers(2) == 1
        name, label = f"{random.choice(NAMES)}{seed}{i}", "B-PER" if person else "B-LOC"
        found.append([("So", "O"), (name, label), ("came", "O"), (".", "O")])
        found.append([("Mr" if person else "in", "O"), (name, label), ("too", "O"), (".", "O")])
    return found


TRAIN = sentences(48)
DOCUMENTS = in_documents(TRAIN, [i // 8 for i in range(48)])
X = [[word for word, _ in sentence] for sentence in sentences(24, seed=1)]
TEMPLATE = parse("word[-1]\nword[1]\nshape[0]\nedge")


def fitted(make=EntityRecognizer, data=DOCUMENTS, **params):
    return make(**{"epochs": 4, "passes": 2, "folds": 3, "template": TEMPLATE, **params}).fit(data)


@pytest.fixture(scope="module")
def model():
    return fitted(context="file")


def test_what_other_sentences_say_is_learnt(model):
    gold = [[label for _, label in sentence] for sentence in sentences(24, seed=1)]
    one = EntityRecognizer(epochs=4, template=TEMPLATE).fit(TRAIN)
    assert model.score(X, gold) > one.score(X, gold)
    assert {str(t).partition("[")[0] for t in model.model_.features.templates} >= {"guess", "sameword", "samechunk"}


@given(st.lists(st.integers(1, 4), min_size=4, max_size=30), st.integers(2, 4), st.booleans())
def test_folds_cover_every_sentence_once_and_keep_documents_whole(lengths, folds, marked):
    corpus = in_documents([["w"] * n for n in lengths], [i // 2 if marked else i for i in range(len(lengths))])
    corpus = corpus if marked else replace(corpus, document=None)
    units = (len(lengths) + 1) // 2 if marked else len(lengths)
    found = blocks(corpus, folds)
    assert len(found) == min(folds, units)
    assert all(len(fold) for fold in found)
    assert np.array_equal(np.concatenate(found), np.arange(len(lengths)))
    if marked:
        documents = [set(corpus.document[fold].tolist()) for fold in found]
        assert all(a.isdisjoint(b) for i, a in enumerate(documents) for b in documents[:i])


@pytest.mark.parametrize("data", [DOCUMENTS, TRAIN])
def test_no_model_labels_what_it_has_seen(monkeypatch, data):
    seen = {}
    fit, predict = EntityRecognizer.fit, EntityRecognizer.predict_ids

    def watched_fit(self, corpus, *args, **options):
        seen[id(self)] = {tuple(s) for s in corpus}
        return fit(self, corpus, *args, **options)

    asked = []

    def watched_predict(self, corpus):
        asked.extend(tuple(s) for s in corpus)
        assert not seen[id(self)] & {tuple(s) for s in corpus}
        return predict(self, corpus)

    monkeypatch.setattr(EntityRecognizer, "fit", watched_fit)
    monkeypatch.setattr(EntityRecognizer, "predict_ids", watched_predict)
    unique = [[*sentence, (f"n{i}", "O")] for i, sentence in enumerate(TRAIN)]
    corpus = (
        in_documents(unique, [i // 8 for i in range(48)]) if data is DOCUMENTS else riata.data.memory.as_corpus(unique)
    )
    EntityRecognizer(epochs=1, passes=2, folds=3, template=TEMPLATE).fit(corpus)
    assert sorted(asked) == sorted(tuple(sentence) for sentence in corpus)


def test_few_documents_make_few_folds():
    corpus = in_documents([["w"]] * 7, [0, 0, 0, 0, 1, 1, 1])
    assert [fold.tolist() for fold in blocks(corpus, 5)] == [[0, 1, 2, 3], [4, 5, 6]]
    assert len(blocks(corpus[:4], 3)) == 3  # one document: its sentences
    mixed = in_documents([["w"]] * 7, [0, 0, 1, 1, 2, 2, 2])[[0, 2, 1, 3, 4, 5, 6]]
    assert [fold.tolist() for fold in blocks(mixed, 3)] == [[0, 2], [1, 3], [4, 5, 6]]  # no document is on both sides
    refused(DataError, "two sentences", blocks, corpus[:1], 2)


def test_the_mode_is_that_of_the_data_unless_it_is_set():
    assert fitted().context_.mode == "document"
    assert fitted(data=TRAIN).context_.mode == "window"
    assert fitted(context="file").context_.mode == "file"


def test_threads_do_not_change_the_model():
    assert to_bytes(fitted(threads=1)) == to_bytes(fitted(threads=3))


def test_a_model_file_has_both_passes(model, tmp_path):
    loaded = stored(model, tmp_path)
    assert loaded.predict(X) == model.predict(X)
    assert loaded.first_.predict(X) == model.first_.predict(X)
    assert loaded.columns.scope() == model.columns.scope()
    assert to_bytes(loaded) == to_bytes(model)
    assert pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)
    again = loaded.untrained(template=None).fit(DOCUMENTS)
    assert again.first_ is not None


def test_a_set_context_is_stored_beside_that_of_training(model):
    loaded = from_bytes(to_bytes(model.twin(context="window", window=3)))
    assert loaded.columns.scope() == ("window", 3)
    assert loaded.context_ == model.context_ == ("file", 100)


def test_scopes_are_of_two_passes():
    refused(NotFittedError, "", EntityRecognizer(passes=2).columns.scope)
    refused(UnsupportedError, "one pass", fitted(passes=1, folds=5).columns.scope)


def test_a_held_out_part_is_as_development_data_of_their_own():
    for context in ("file", "window", "document"):
        share = fitted(dev=1 / 3, context=context)
        given = fitted(data=DOCUMENTS[:32], dev=DOCUMENTS[32:], context=context)
        assert share.best_score_ == given.best_score_ == 100 * share.score(DOCUMENTS[32:])
        assert share.predict(X) == given.predict(X)


@pytest.mark.parametrize("dev", [1 / 3, DOCUMENTS[32:]])
def test_held_out_labels_change_nothing_but_the_epoch(dev):
    swapped = [
        [(word, {"B-PER": "B-LOC", "B-LOC": "B-PER"}.get(label, label)) for word, label in s] for s in TRAIN[32:]
    ]
    other = in_documents(TRAIN[:32] + swapped, [i // 8 for i in range(48)])
    first = fitted(data=DOCUMENTS if isinstance(dev, float) else DOCUMENTS[:32], dev=dev, epochs=1)
    dev = dev if isinstance(dev, float) else other[32:]
    second = fitted(data=other if isinstance(dev, float) else other[:32], dev=dev, epochs=1)
    assert first.predict(X) == second.predict(X)


@pytest.mark.parametrize("dev", [1 / 3, DOCUMENTS[32:]])
def test_refit_chooses_the_epoch_by_a_model_that_has_not_seen_the_development_data(dev):
    data = DOCUMENTS if isinstance(dev, float) else DOCUMENTS[:32]
    once, again = fitted(data=data, dev=dev), fitted(data=data, dev=dev, refit=True)
    assert once.best_score_ == again.best_score_
    assert again.first_.facts_["sentences"] == 48


@pytest.mark.parametrize("params", [{}, {"dev": 1 / 3}, {"dev": 1 / 3, "refit": True}])
def test_what_held_out_data_chose_is_told(params):
    model = fitted(recipe="crf", settings={"c2": "auto"}, **params)
    chosen = [one.facts_["chosen"]["c2"] for one in (model, model.first_)]
    assert chosen[0] in prior.TRIED_IN_CONTEXT + PRIORS
    assert chosen[1] in PRIORS
    kept = from_bytes(to_bytes(model))
    assert [one.facts_["chosen"]["c2"] for one in (kept, kept.first_)] == chosen


def test_what_is_given_was_not_chosen():
    model = fitted(recipe="crf", settings={"c2": 0.1}, dev=1 / 3, refit=True)
    assert "chosen" not in model.facts_
    assert "chosen" in fitted(recipe="crf", first="perceptron").facts_


def test_the_number_of_trainings_is_told_before_the_first():
    def told(**params):
        notes = []
        estimator = EntityRecognizer(**{"epochs": 1, "passes": 2, "template": TEMPLATE, **params})
        estimator.fit(TRAIN, listener=lambda event: notes.append(event) if hasattr(event, "text") else None)
        return notes

    assert "of 5 trainings" in told(folds=3)[0].text
    assert "of 2 trainings" in told(folds=1)[0].text
    assert "of 7 trainings" in told(folds=3, dev=1 / 3, refit=True)[0].text
    few, many = told(folds=3), told(folds=1000)
    assert not any(note.warning and "folds" in note.text for note in few)
    assert "only 48 sentences" in many[0].text
    assert many[1].warning and "there are 49 trainings" in many[1].text
    assert "of 50 trainings" in many[2].text


@pytest.mark.parametrize("mode", ["document", "window", "file"])
def test_parts_of_a_stream_are_labelled_as_the_whole(model, mode, tmp_path):
    file, estimator = tmp_path / "in.txt", model.twin(context=mode, window=5)
    lines = []
    for i, sentence in enumerate(X):
        lines += ["-DOCSTART-\n\n"] * (i % 7 == 3) + [f"{word}\n" for word in sentence] + ["\n"]
    file.write_text("".join(lines))
    whole = estimator.predict(riata.read_columns(file))
    for size in (7, 50, 400, 10_000):
        parts = in_context(estimator, stream(file, size=size))
        assert [labels for part in parts for labels in estimator.predict(part)] == whole
    estimator.predict_file(file, tmp_path / "out.txt")
    assert [[token[1] for token in s] for s in riata.read_columns(tmp_path / "out.txt")] == whole
    assert (tmp_path / "out.txt").read_text().count("-DOCSTART-") == sum(i % 7 == 3 for i in range(len(X)))


def test_a_window_looks_back_and_not_ahead(model):
    estimator = model.twin(context="window", window=4)
    whole = estimator.predict(X)
    assert estimator.predict(X[:9]) == whole[:9]
    assert estimator.predict(X[5:])[4:] == whole[9:]


def test_documents_are_labelled_one_by_one(model):
    estimator = model.twin(context="document")
    corpus = in_documents(X, [i // 5 for i in range(len(X))])
    assert estimator.predict(corpus) == [
        labels for i in range(0, len(X), 5) for labels in estimator.predict(X[i : i + 5])
    ]


def test_a_single_sentence_works(model):
    for mode in ("document", "window", "file"):
        assert len(model.twin(context=mode).predict(X[:1])[0]) == len(X[0])
    assert model.predict([[]]) == [[]]
    assert model.predict([]) == []


def test_lists_confidences_explanations_and_traces_are_of_the_second_pass(model):
    assert [found[0][0] for found in model.predict_nbest(X, 2)] == model.predict(X)
    assert list(map(len, model.predict_confidence(X))) == list(map(len, X))
    trace = model.twin(queue="beam", beam=3).trace(X[0])
    assert trace.first == tuple(model.first_.predict(X[:1])[0])
    assert "the second of two passes" in str(trace)
    assert type(trace).from_dict(trace.to_dict()) == trace
    corpus = model.columns.seen_whole(model.columns.sentences(X))
    explained = model.explain(corpus[9:10])
    assert explained.decision.chosen.labels == tuple(model.predict(X)[9])
    assert explained.first == tuple(model.first_.predict(X)[9])
    assert "first pass" in str(explained) and "second of two passes" in str(explained)
    assert any(f.name.startswith("sameword") for f in explained.decision.contributions)


@for_rows(
    "make, data, params",
    (Tagger, DOCUMENTS, {}),
    (Chunker, DOCUMENTS, {"recipe": "perceptron", "structure": "segments", "template": None}),
    (EntityRecognizer, DOCUMENTS, {"recipe": "crf", "settings": {"c2": "auto"}}),
    (EntityRecognizer, DOCUMENTS, {"recipe": "crf", "first": "perceptron"}),
    (Chunker, DOCUMENTS, {"recipe": "laso-perceptron", "first": "hmm", "template": None}),
    (EntityRecognizer, DOCUMENTS, {"folds": 1}),
    (EntityRecognizer, DOCUMENTS, {"recipe": "laso-perceptron", "structure": "chain", "queue": "beam"}),
    (EntityRecognizer, DOCUMENTS, {"learn_as": "bioes", "bits": 14}),
    (EntityRecognizer, DOCUMENTS, {"dev": 0.25, "patience": 2, "refit": True}),
    (EntityRecognizer, DOCUMENTS, {"dev": DOCUMENTS[:8], "seeds": 2}),
    (EntityRecognizer, DOCUMENTS, {"class_weight": "balanced", "shards": 2}),
)
def test_every_learner_and_parameter_goes_with_two_passes(make, data, params):
    model = fitted(make, data, **params)
    assert from_bytes(to_bytes(model)).predict(X) == model.predict(X)


@pytest.mark.parametrize("params", [{}, {"dev": 1 / 3, "refit": True}, {"learn_as": "bioes", "context": "window"}])
def test_tags_and_chunks_are_learnt_in_two_passes(params, tmp_path):
    rows = [[(word, "NN" if label != "O" else "X", label) for word, label in s] for s in TRAIN]
    data = in_documents(rows, [i // 8 for i in range(48)])
    model = JointTagger("max-violation", epochs=3, passes=2, folds=3, **params).fit(data)
    assert from_bytes(to_bytes(model)).predict(X) == model.predict(X)
    first = model.explain(model.columns.seen_whole(model.columns.sentences(X))[3:4]).first
    assert [tuple(text.split("/")) for text in first] == model.first_.predict(X)[3]
    assert any("guess" in str(t) for t in model.model_.features.templates)
    riata.write_columns(X, tmp_path / "in.txt")
    model.predict_file(tmp_path / "in.txt", tmp_path / "out.txt")
    assert [[t[1:] for t in s] for s in riata.read_columns(tmp_path / "out.txt")] == model.predict(X)
    assert model.evaluate(data).score > 0


def test_development_data_and_weights_are_given_to_fit():
    estimator = EntityRecognizer(epochs=3, passes=2, folds=3, template=TEMPLATE, patience=1)
    weights = np.linspace(0.5, 2, len(TRAIN))
    model = estimator.fit(DOCUMENTS, X_dev=DOCUMENTS[:8], sample_weight=weights)
    assert model.best_score_ is not None
    listed = estimator.untrained(dev=TRAIN[:8]).fit(DOCUMENTS)
    assert listed.best_score_ is not None


@pytest.mark.parametrize("weights", ["abc", 1.0, [1.0] * 60])
def test_weights_that_do_not_fit_are_refused_before_training(weights):
    with pytest.raises(DataError, match="sample_weight"):
        EntityRecognizer(passes=2, dev=0.25).fit(DOCUMENTS, sample_weight=weights, listener=lambda event: pytest.fail())


@pytest.mark.parametrize("params", [{}, {"dev": 0.25, "refit": True}, {"learn_as": "bioes"}])
def test_a_fold_without_a_label_takes_the_weights_of_the_others(params):
    data = in_documents(
        [[("a", "O"), ("b", "B-X")]] * 12 + [[("a", "O"), ("c", "B-Y")]] * 4, [i // 4 for i in range(16)]
    )
    assert fitted(data=data, class_weight={"B-X": 2.0, "B-Y": 3.0}, **params).class_weight == {"B-X": 2.0, "B-Y": 3.0}
    refused(UnknownNameError, "B-Z", fitted, data=data, class_weight={"B-Z": 2.0}, **params)


def test_a_model_of_two_passes_is_saved_as_such(model):
    assert from_bytes(to_bytes(model.twin(passes=1))).passes == 2


def test_both_passes_tell_a_note_once():
    told = []
    EntityRecognizer(epochs=1, passes=2, template=TEMPLATE).fit(DOCUMENTS, listener=told.append)
    notes = [event.text for event in told if hasattr(event, "text")]
    assert any("labels:" in note for note in notes)
    assert len({note for note in notes if "labels:" in note}) == sum("labels:" in note for note in notes)
    assert "times as long" in notes[-1]


def test_a_template_may_say_what_it_reads_of_the_first_pass():
    model = fitted(template=parse("word[0]\nguess[0]\nedge"))
    assert [str(t) for t in model.model_.features.templates] == ["word[0]", "guess[0]", "edge"]
    assert [str(t) for t in model.first_.model_.features.templates] == ["word[0]", "edge"]
    refused(TemplateError, "passes=2", fitted, passes=1, folds=5, template=parse("word[0]\nguess[0]"))
    refused(TemplateError, "chunks", fitted, Tagger, template=parse("word[0]\nsamechunk[0]"))


@for_rows(
    "params, error, match",
    ({"passes": 3}, SettingError, "passes"),
    ({"context": "page"}, UnknownNameError, "context"),
    ({"window": 0}, SettingError, "window"),
    ({"folds": 0}, SettingError, "folds"),
    ({"first": "miro"}, UnknownNameError, "mira"),
    ({"passes": 1, "context": "file", "folds": 5}, SettingError, "passes is 1"),
    ({"context": "file", "window": 3}, SettingError, "no window"),
    ({"recipe": "hmm", "template": None}, UnsupportedError, "templates of its own"),
    ({"warm_start": True}, UnsupportedError, "has seen"),
    ({"stream": True}, UnsupportedError, "stream"),
    ({"attributes": {"guess": str}}, SettingError, "guess"),
)
def test_what_cannot_be_is_refused(params, error, match):
    refused(error, match, fitted, **params)


def test_what_has_no_words_is_refused(model):
    refused(DataError, "features already", EntityRecognizer(passes=2).fit, [[{"w": 1.0}]] * 9, [["O"]] * 9)
    refused(UnsupportedError, "partial_fit", EntityRecognizer(passes=2).partial_fit, TRAIN)


def test_files_that_contradict_themselves_are_refused(model):
    header, arrays = container.unpack(memoryview(to_bytes(model)))

    def damaged(**changes):
        return container.pack({**header, **changes}, arrays)

    params = header["params"]
    for content in (
        damaged(params={**params, "passes": 1}),
        damaged(context=None),
        damaged(context=["window", -1]),
        damaged(context=["window", 0]),
        damaged(context=[["window"], 1]),
        damaged(context=["page", 1]),
        damaged(first={**header["first"], "task": "tag"}),
        damaged(first={**header["first"], "first": header["first"]}),
        damaged(first={**header["first"], "inputs": [1]}),
        damaged(first=3),
        container.pack({k: v for k, v in header.items() if k != "first"}, arrays),
    ):
        refused(ModelFileError, "", from_bytes, content)


def test_the_command_line_trains_predicts_and_explains(tmp_path):
    train, test, file = tmp_path / "train.txt", tmp_path / "test.txt", tmp_path / "m.riata"
    riata.write_columns(TRAIN, train)
    riata.write_columns(sentences(24, seed=1), test)

    def run(*args):
        found = CliRunner().invoke(cli, [*map(str, args)])
        assert found.exit_code == 0, found.output
        return found.output

    run(
        "train",
        "ner",
        "--train",
        train,
        "--model",
        file,
        "--passes",
        2,
        "--folds",
        3,
        "--context",
        "file",
        "--epochs",
        3,
    )
    whole = run("predict", "--model", file, test)
    assert whole != run("predict", "--model", file, "--context", "window", "--window", 1, test)
    assert "guess" in run("explain", "--model", file, "--sentence", 2, "--top", 500, test)
    assert '"passes": 2' in run("inspect", file, "--json")
    assert "first_pass" in run("inspect", file)
    run("errors", "--model", file, "--context", "window", test)
    for arguments in (
        ["predict", "--window", "3", "--model", str(file), str(test)],
        ["train", "ner", "--train", str(train), "--model", str(file), "--resume"],
    ):
        error = CliRunner().invoke(cli, arguments).exception
        assert "--context window" in str(error) or "two passes" in str(error)
    run("evaluate", "--model", file, "--context", "document", test)
    one = tmp_path / "one.riata"
    run("train", "ner", "--train", train, "--model", one, "--epochs", 1)
    found = CliRunner().invoke(cli, ["predict", "--model", str(one), "--context", "file", str(test)])
    assert "--passes 2" in str(found.exception)


def test_models_are_compared_in_the_context_that_is_asked_for(model, tmp_path, run):
    one = EntityRecognizer(epochs=1, template=TEMPLATE).fit(TRAIN)
    test = sentences(24, seed=1)
    riata.write_columns(test, tmp_path / "test.txt")
    files = {name: str(tmp_path / name) for name in ("one.riata", "two.riata", "test.txt")}
    one.save(files["one.riata"])
    model.save(files["two.riata"])
    for options, expected in (
        ([], model),
        (["--context", "window", "--window", "1"], model.twin(context="window", window=1)),
    ):
        for a, b, side in (("one.riata", "two.riata", "b"), ("two.riata", "one.riata", "a")):
            status, out, err = run("compare-models", files[a], files[b], files["test.txt"], "--json", *options)
            assert (status, err) == (0, "")
            assert json.loads(out)["scores"]["f1"][side] == pytest.approx(expected.evaluate(test).metrics["f1"])
    status, _, err = run(
        "compare-models", files["one.riata"], files["one.riata"], files["test.txt"], "--context", "file"
    )
    assert status == 2 and "--passes 2" in err


def test_standard_input_is_labelled_as_the_file(model, tmp_path, monkeypatch):
    file = tmp_path / "in.txt"
    riata.write_columns(X, file)
    model.predict_file(file, tmp_path / "a.txt")

    class Piped(io.BytesIO):
        @property
        def buffer(self):
            return self

    monkeypatch.setattr(sys, "stdin", Piped(file.read_bytes()))
    model.predict_file("-", tmp_path / "b.txt")
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()


def test_pieces_name_the_attributes_of_context():
    assert all(name in CliRunner().invoke(cli, ["pieces"]).output for name in SUMMARIES)


def test_folds_are_whole_documents_wherever_their_sentences_stand():
    together = riata.in_documents([["a", "b"]] * 12, [s // 3 for s in range(12)])
    for order in (range(12), [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11], [0, 3, 4, 1, 2, 5, 6, 7, 8, 9, 10, 11]):
        shuffled = together[np.array(order)]
        folds = blocks(shuffled, 3)
        assert sorted(s for fold in folds for s in fold.tolist()) == list(range(12))
        seen = [set(shuffled.document[fold].tolist()) for fold in folds]
        assert sum(map(len, seen)) == len(set.union(*seen)) == 4


def test_a_part_of_a_stream_is_cut_before_its_last_document():
    text = riata.in_documents([["a"], ["b"], ["c"], ["d"]], [1, 1, 2, 2])
    assert [len(part) for part in at_documents([text, text[:2], riata.in_documents([["e"]], [3])])] == [2, 2, 2, 1]
