"""Rerankers: lists of the best outputs, features of whole outputs, and learning to choose."""

import json
from typing import ClassVar

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

import riata
from checks import copies, refused, texts_of
from riata import Candidate, Chunker, DependencyParser, JointTagger, Reranker, Tagger
from riata.data.encodings.base import spans_of
from riata.errors import (
    DataError,
    ModelFileError,
    NotFittedError,
    SettingError,
    UnknownNameError,
    UnsupportedError,
)
from riata.learning.events import ignore
from riata.reranking.candidates import Listed
from riata.reranking.features import SETS, features_of
from riata.reranking.lists import best_outputs, jackknifed_lists
from samples import embedded, for_each, for_rows, treebank

TRAIN, TEST = riata.load("embedded", "train")[:120], riata.load("embedded", "test")[:40]
LISTS = [
    [Candidate("right", 1.0, {"x": 1.0}, 0.0), Candidate("wrong", 1.5, {"y": 1.0, "z": 0.5}, 2.0)],
    [
        Candidate("wrong", 0.2, {"y": 1.0}, 1.0),
        Candidate("right", 0.1, {"x": 2.0}, 0.0),
        Candidate("odd", -1.0, {}, 3.0),
    ],
    [Candidate("wrong", 0.2, {"y": 2.0}, 1.0), Candidate("right", 0.1, {"x": 1.0, "z": 1.0}, 0.5)],
]


def capitals(tokens, output):
    """A feature of users: chunks that begin with a capital letter."""
    return {"capitals": sum(tokens[span.start][0][:1].isupper() for span in riata.spans(output))}


@pytest.fixture(scope="module")
def reranker():
    return Reranker(Chunker("crf", c2=1), "crf", nbest=5, folds=3, c2=1).fit(TRAIN)


# --- lists ------------------------------------------------------------------------------------------------------------


def test_the_oracle_grows_with_the_list_and_begins_with_the_base(reranker):
    report = reranker.report(TEST)
    oracle = list(report.oracle.values())
    assert oracle == sorted(oracle)
    assert oracle[0] == report.base == pytest.approx(100 * reranker.base_.score(TEST))
    assert report.score == pytest.approx(100 * reranker.score(TEST))
    assert "the truth is in" in str(report)
    metrics = reranker.evaluate(TEST).metrics
    assert (metrics["base"], metrics["oracle"]) == (report.base, pytest.approx(oracle[-1]))


def test_losses_of_outputs_are_wrong_and_missed_chunks(reranker):
    lists = best_outputs(reranker.base_, TEST, 5)
    gold = TEST.columns[-1].texts()
    by = {name: lists.losses(name) for name in ("errors", "sentence", "zero-one")}
    own = lists.losses(lambda truth, output: len({*spans_of(truth)} ^ {*spans_of(output)}))
    for s, found in enumerate(lists.ids):
        truth = {*spans_of(gold[TEST.starts[s] : TEST.starts[s + 1]])}
        for i, ids in enumerate(found):
            output = {*spans_of(reranker.base_.labels.as_outputs(ids))}
            wrong = len(truth ^ output)
            assert by["errors"][s][i] == own[s][i] == wrong
            f1 = 2 * len(truth & output) / (len(truth) + len(output)) if truth or output else 1.0
            assert by["sentence"][s][i] == pytest.approx(1 - f1)
            assert by["zero-one"][s][i] == (wrong > 0)


class Memory(Tagger):
    """Remembers what it has learnt from."""

    learnt: ClassVar = []

    def fit(self, X, *more, **options):
        self.learnt.append({tuple(sentence) for sentence in X.sentences_of(0)})
        return super().fit(X, *more, **options)


def test_no_list_comes_from_a_model_that_has_learnt_from_the_sentence():
    data = embedded(("word", "tag"))[:30]
    Memory.learnt.clear()
    folds, found = jackknifed_lists(Memory(epochs=1, calibrated=False), data, 3, 4, 1, ignore)
    assert sorted(s for fold in folds for s in fold.tolist()) == list(range(30))
    for fold, learnt, lists in zip(folds, Memory.learnt, found, strict=True):
        held_out = {tuple(sentence) for sentence in data[fold].sentences_of(0)}
        assert held_out.isdisjoint(learnt) and len(lists.ids) == len(fold)


def test_a_choice_that_is_remembered_is_not_that_of_another_search():
    made = Reranker(Chunker("laso-perceptron", epochs=3, beam=1), nbest=4, folds=2).fit(TRAIN)
    narrow, wide = made.ranked_, made.ranked_.twin(beam=8)
    narrow.predict_ids(TEST)
    again = narrow.twin(beam=8)  # with what the narrow one remembers
    assert (again.predict_ids(TEST) == wide.predict_ids(TEST[list(range(len(TEST)))])).all()


def test_a_beam_gives_lists_where_there_are_no_exact_ones():
    data, test = (riata.load("embedded", part, ("word", "tag", "chunk"))[:40] for part in ("train", "test"))
    made = Reranker(JointTagger(epochs=2, beam=2), "crf", nbest=4, folds=2, c2=1).fit(data)
    assert len(made.report(test).oracle) == 3
    outputs = made.predict_nbest(test, 4)
    assert max(map(len, outputs)) == 4 and made.predict(test) == [found[0][0] for found in outputs]


def test_the_base_is_what_it_predicts_by_itself_also_where_beams_are_widened():
    base = Chunker("laso-perceptron", epochs=3, beam=1)
    made = Reranker(base, nbest=6, folds=2).fit(TRAIN)
    report = made.report(TEST)
    assert report.base == pytest.approx(100 * made.base_.score(TEST))
    assert made.evaluate(TEST).metrics["base"] == report.base <= report.oracle[6]
    assert [found.listed([])[0].outputs[0] for found in [best_outputs(made.base_, TEST[:1], 6)]] == made.base_.predict(
        TEST[:1]
    )


def test_trees_are_reranked():
    made = Reranker(DependencyParser(epochs=2, beam=2, tags="given"), "crf", nbest=4, folds=2, c2=1).fit(treebank())
    assert made.report(treebank()).score >= made.report(treebank()).base
    words = made.predict(treebank())[0]
    assert all(isinstance(head, int) and isinstance(relation, str) for head, relation in words)


# --- features ---------------------------------------------------------------------------------------------------------


def test_what_all_candidates_have_alike_is_left_out():
    these = Listed([("a",), ("b",)], [["B-X", "O"], ["B-X", "B-X"]], np.array([1.0, 0.5]))
    for name in ("chunks", "labels", "lengths"):
        every = [dict(found) for found in SETS[name](these)]
        found = features_of(these, [SETS[name]])
        assert found[0] != found[1]
        for full, short in zip(every, found, strict=True):
            assert short == {key: value for key, value in full.items() if any(e.get(key) != value for e in every)}


def test_chunks_and_trees_have_the_features_that_their_names_say():
    tokens = [("The", "DT"), ("Dog", "NN"), ("barks", "VBZ")]
    these = Listed(tokens, [["B-NP", "I-NP", "B-VP"]], np.zeros(1))
    [found] = SETS["chunks"](these)
    assert {
        "tags NP DT NN": 1,
        "words NP the dog": 1,
        "three ^ NP VP": 1,
        "next NP barks VP": 1,
    }.items() <= found.items()
    [found] = SETS["trees"](Listed(tokens, [[(2, "det"), (3, "nsubj"), (0, "root")]], np.zeros(1)))
    assert {"frame NN nsubj: det": 1, "heavy nsubj NN 2 >1": 1, "chain det nsubj DT NN VBZ": 1}.items() <= found.items()


def test_agreement_is_the_expected_f1_under_the_base():
    outputs = [["B-X", "O", "B-Y"], ["B-X", "O", "O"], ["O", "O", "O"]]
    scores = np.log([0.5, 0.3, 0.2])
    found = [each["agreement"] / 10 for each in SETS["agreement"](Listed(None, outputs, scores))]
    f1 = lambda a, b: 2 * len(a & b) / max(1, len(a) + len(b))  # noqa: E731
    sets = [{*spans_of(output)} for output in outputs]
    assert found == pytest.approx([sum(p * f1(a, b) for p, b in zip((0.5, 0.3, 0.2), sets, strict=True)) for a in sets])


# --- learning ---------------------------------------------------------------------------------------------------------


def test_the_weights_of_crf_are_those_of_maximum_entropy_over_lists():
    names = ["x", "y", "z"]
    c2 = 0.5

    def objective(weights):
        value = c2 * weights @ weights
        for these in LISTS:
            scores = np.array([sum(weights[names.index(n)] * v for n, v in one.features.items()) for one in these])
            value += logsumexp(scores) - scores[int(np.argmin([one.loss for one in these]))]
        return value

    expected = minimize(objective, np.zeros(3), tol=1e-12).x
    learnt = Reranker(None, "crf", features=[], cutoff=1, c2=c2).fit(LISTS)
    found = learnt.ranker_.predictor.weights()
    assert [found[name] for name in names] == pytest.approx(expected, abs=2e-3)


@for_each(recipe=["crf", "mira", "perceptron", "m3n", "svmstruct-margin", "svm-subgradient", "boost"])
def test_every_learner_of_lists_finds_the_right_candidates(recipe):
    made = Reranker(None, recipe, cutoff=1).fit(LISTS * 4)
    assert made.predict(LISTS) == ["right"] * 3
    assert made.score(LISTS) == 1 - 0.5 / 4  # the third list has none without a loss


def test_recipes_that_search_are_refused():
    assert "searches state by state" in refused(UnsupportedError, "", Reranker(None, "laso-alma").fit, LISTS).message


def test_features_that_tell_few_lists_apart_are_left_out():
    kept = Reranker(None, "crf", features=[], cutoff=2, c2=1).fit(LISTS)
    assert {*kept.ranker_.predictor.weights()} == {"x", "y", "z"}
    assert {*Reranker(None, "crf", features=[], cutoff=3, c2=1).fit(LISTS).ranker_.predictor.weights()} == {"x", "y"}


def test_training_tells_how_good_the_lists_are():
    told = texts_of(Reranker(None, cutoff=1), LISTS)
    assert "3 lists of up to 3 outputs: the truth is in 66.7 % of them" in told[0]


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    files = [tmp_path / name for name in ("a", "b")]
    for file, threads in zip(files, (1, 2), strict=True):
        Reranker(Chunker(epochs=2), "mira", nbest=3, folds=2, threads=threads).fit(TRAIN[:30]).save(file)
    assert files[0].read_bytes() == files[1].read_bytes()


# --- predicting, explaining, keeping ----------------------------------------------------------------------------------


def test_confidence_is_the_share_of_the_candidates_with_the_chunk(reranker):
    found = reranker.predict_nbest(TEST, 5, probabilities=True)
    for tags, sure, listed in zip(reranker.predict(TEST), reranker.predict_confidence(TEST), found, strict=True):
        assert sum(share for _, share in listed) == pytest.approx(1)
        for span in riata.spans(tags):
            share = sum(p for output, p in listed if span in riata.spans(output))
            assert sure[span.start : span.end] == pytest.approx([share] * (span.end - span.start))


def test_an_explanation_tells_what_the_two_candidates_do_not_share(reranker):
    [scores] = [[score for _, score in found] for found in reranker.predict_nbest(TEST[3:4], 2)]
    found = reranker.explain(TEST[3:4])
    assert found.output == reranker.predict(TEST[3:4])[0] and found.compared_with == "runner-up"
    assert [found.score, found.other_score] == pytest.approx(scores)
    by = {part.in_output: dict(part.features) for part in found.parts}
    assert sum(by[True].values()) - sum(by[False].values()) == pytest.approx(scores[0] - scores[1], abs=1e-5)
    assert not by[True].items() & by[False].items()


def test_a_reranker_keeps_its_base_and_the_names_of_functions(tmp_path):
    made = Reranker(Chunker(epochs=2), "crf", nbest=3, folds=2, features=["ranks", "chunks", capitals], c2=1).fit(
        TRAIN[:30]
    )
    made.save(tmp_path / "r.riata")
    assert "capitals" in refused(ModelFileError, "", riata.load_model, tmp_path / "r.riata").message
    again = riata.load_model(tmp_path / "r.riata", using=[capitals])
    assert again.predict(TEST) == made.predict(TEST) and again.nbest == 3 and isinstance(again.base, Chunker)
    assert again.base_.predict(TEST) == made.base_.predict(TEST)


def test_a_calibration_is_kept_with_the_reranker(tmp_path):
    made = Reranker(Chunker(epochs=2), nbest=3, folds=2).fit(TRAIN[:40])
    made.calibrate(TRAIN[40:])
    made.ranked_.save(tmp_path / "r.riata")
    again = riata.load_model(tmp_path / "r.riata")
    assert again.predict_confidence(TEST) == made.predict_confidence(TEST)
    assert again.ranked_.calibration_ == made.ranked_.calibration_ != ()


def test_a_reranker_of_lists_comes_back_from_file_and_pickle(tmp_path):
    made = Reranker(None, "crf", cutoff=1, c2=1).fit(LISTS)
    for again in copies(made, tmp_path):
        assert again.predict_nbest(LISTS, 2) == made.predict_nbest(LISTS, 2)


# --- bad input --------------------------------------------------------------------------------------------------------


@for_rows(
    "lists, says",
    ([[]], "list 0 has no candidates"),
    ([LISTS[0], [Candidate("a", float("nan"), {}, 0.0)]], "list 1: the score of a candidate is nan"),
    ([[Candidate("a", 0.0, {"f": float("inf")}, 0.0)]], "the feature 'f' of a candidate is inf"),
    ([[Candidate("a", 0.0, {}, None), Candidate("b", 0.0, {}, 1.0)]], "a candidate has no loss"),
    ([["a", "b"]], "expected a list of riata.Candidate"),
    ([[Candidate("a", 0.0, {}, -1.0), Candidate("b", 0.0, {}, 1.0)]], "the loss of a candidate is -1"),
    ("lists.jsonl", "lists of candidates are str"),
    ([[Candidate("a", 0.0, {}, 0.0)]], "no list has two candidates"),
    ([], "no list has two candidates"),
)
def test_bad_lists_are_refused(lists, says):
    error = refused(DataError, "", Reranker(None, cutoff=1).fit, lists)
    assert says in str(error)


def test_bad_parameters_are_refused():
    assert "Did you mean 'chunks'" in str(refused(UnknownNameError, "", Reranker(features=["chunk"]).fit, LISTS))
    refused(UnknownNameError, "loss of whole outputs", Reranker(measure="f1").fit, LISTS)
    refused(UnsupportedError, "gives no lists", Reranker(5).fit, TRAIN)
    refused(UnsupportedError, "more than", Reranker(riata.RoleLabeler()).fit, TRAIN)
    refused(SettingError, "nothing to choose", Reranker(Chunker(), nbest=1).fit, TRAIN)
    refused(NotFittedError, "not been trained", Reranker().predict, LISTS)
    wrong = Tagger(epochs=1).fit([["a", "b"]] * 4, [["X", "Y"]] * 4)
    refused(DataError, "gives none of the labels", Reranker(wrong).fit, embedded(("word", "tag"))[:10])


def test_features_of_other_outputs_are_refused():
    for base, features in ((Chunker(epochs=1), ["trees"]), (Chunker(epochs=1), "ranks")):
        refused(
            (DataError, SettingError),
            "trees|expected a list",
            Reranker(base, nbest=2, folds=2, features=features).fit,
            TRAIN[:10],
        )


def test_parameters_of_the_base_are_set_as_in_scikit_learn():
    made = Reranker(Chunker("crf", c2=1))
    assert made.get_params()["base__recipe"] == "crf"
    assert made.set_params(base__c2=5, base__seed=3, nbest=4).base.settings == {"c2": 5}
    assert (made.base.seed, made.nbest) == (3, 4)
    refused(UnknownNameError, "parameter of Chunker", made.set_params, base__nothing=1)


def test_a_measure_that_raises_is_named():
    made = Reranker(Chunker(epochs=1), nbest=2, folds=2, measure=lambda truth: 0)
    refused(DataError, "the measure of an output raised TypeError", made.fit, TRAIN[:10])


def test_features_that_raise_are_named(reranker):
    def broken(tokens, output):
        return 1 / 0

    error = refused(DataError, "", Reranker(Chunker(epochs=1), nbest=2, folds=2, features=[broken]).fit, TRAIN[:10])
    assert "'broken'" in error.message and "ZeroDivisionError" in error.message


@for_rows(
    "line, says",
    ('{"candidates": 5}', 'expected an object with a list "candidates"'),
    ('{"candidates": [{"score": 1}]}', 'expected an object with "output"'),
    ('{"candidates": [{"output": 1, "size": 2}]}', "a candidate has 'size'"),
    ('{"candidates": [{"output": 1, "score": "x"}]}', "the score of a candidate is 'x'"),
    ('{"candidates": [{"output": 1, "features": [1]}]}', "among the features of a candidate is 1"),
    ("[1", "this is no JSON"),
)
def test_bad_lines_are_named(tmp_path, line, says):
    file = tmp_path / "lists.jsonl"
    file.write_text('{"candidates": [{"output": "a", "features": ["f", "g"], "loss": 0}]}\n' + line + "\n")
    assert says in str(error := refused(DataError, "", riata.read_lists, file)) and error.line == 2


# --- commands ---------------------------------------------------------------------------------------------------------


def test_commands_train_and_use_rerankers(run, tmp_path):
    train, test = tmp_path / "train.txt", tmp_path / "test.txt"
    riata.write_columns(TRAIN[:60], train), riata.write_columns(TEST, test)
    base, model, labelled = (tmp_path / name for name in ("base.riata", "r.riata", "labelled.txt"))
    run.ok("train", "chunk", "--train", train, "--epochs", 2, "--model", base)
    of_base = ("train", "rerank", "--base", base, "--train", train, "--model", model)
    out = run.ok(
        *of_base, "--nbest", 4, "--folds", 2, "--recipe", "crf", "--set", "c2=1", "--measure", "sentence", "--json"
    )
    facts = json.loads(out)
    assert (facts["task"], facts["recipe"], facts["structure"]) == ("rerank", "crf", "list")
    facts = json.loads(run.ok("evaluate", "--model", model, test, "--json"))
    assert facts["task"] == "rerank" and {"f1", "base", "oracle"} <= facts["metrics"].keys()
    assert facts["metrics"]["oracle"] >= facts["metrics"]["base"]
    run.ok("predict", "--model", model, test, "--output", labelled)
    again = json.loads(run.ok("evaluate", "--gold", test, "--predicted", labelled, "--task", "chunk", "--json"))
    assert again["metrics"]["f1"] == facts["metrics"]["f1"]
    run.ok("calibrate", "--model", model, test), run.ok("errors", "--model", model, test)
    assert "heaviest features" in run.ok("inspect", model)
    assert json.loads(run.ok("inspect", model, "--json"))["recipe"] == "crf"
    assert "riata inspect shows" in run.fails("card", model)
    assert "against the runner-up" in run.ok("explain", "--model", model, test, "--sentence", 2)
    assert "--beam is not for the task 'rerank'" in run.fails(*of_base, "--beam", 4)
    assert "--nbest is for rerank" in run.fails("train", "chunk", "--train", train, "--nbest", 4, "--model", base)


def test_commands_take_lists_from_outside(run, tmp_path):
    file, model = tmp_path / "lists.jsonl", tmp_path / "r.riata"
    rows = [{"id": n, "candidates": [vars(one) for one in these]} for n, these in enumerate(LISTS)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run.ok("train", "rerank", "--train", file, "--cutoff", 1, "--model", model)
    assert "--nbest is for models that label" in run.fails("predict", "--model", model, "--nbest", 2, file)
    (tmp_path / "empty.jsonl").write_text("")
    assert "there are no lists to score" in run.fails("evaluate", "--model", model, tmp_path / "empty.jsonl")
    answers = [json.loads(line) for line in run.ok("predict", "--model", model, file).splitlines()]
    assert [(answer["id"], answer["output"]) for answer in answers] == [(0, "right"), (1, "right"), (2, "right")]
    assert [rows[n]["candidates"][answer["best"]]["output"] for n, answer in enumerate(answers)] == ["right"] * 3
    metrics = json.loads(run.ok("evaluate", "--model", model, file, "--json"))["metrics"]
    assert metrics == {
        "loss": pytest.approx(1 / 6, abs=1e-4),
        "base": pytest.approx(4 / 3, abs=1e-4),
        "oracle": metrics["loss"],
    }
