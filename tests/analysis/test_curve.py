"""Learning curves: every point is the training that a user would run, on nested data; the command; bad input."""

import itertools
import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest

import riata
from checks import refused
from riata import Chunker, JointTagger, Predictor, Problem, Tagger
from riata.errors import DataError, SettingError, UnknownNameError, UnsupportedError
from riata.scoring.figures import t_interval
from samples import as_text, embedded, for_rows


@pytest.fixture(scope="module")
def data():
    return embedded()[:60], embedded(split="test")[:30]


def test_by_size_data_are_nested_and_the_last_point_is_the_whole_training(data):
    train, test = data
    seen = []
    curve = riata.learning_curve(Chunker(epochs=2, seed=3), train, test, at=[1, 0.1, 30], seeds=2, watch=seen.append)
    assert [point.at for point in curve.points] == [6, 30, 60]
    assert [(one.at, one.seed) for one in seen] == [(n, seed) for seed in (3, 4) for n in (6, 30, 60)]
    for seed in (3, 4):
        parts = [[tuple(sentence) for sentence in one.data] for one in seen if one.seed == seed]
        assert all(set(small) <= set(large) for small, large in itertools.pairwise(parts))
        assert parts[-1] == [tuple(sentence) for sentence in train]
    for one in seen:
        by_hand = Chunker(epochs=2, seed=one.seed).fit(one.data)
        assert one.evaluation.metrics == by_hand.evaluate(test).metrics
        assert one.train == by_hand.evaluate(one.data).score
    last = curve.points[-1]
    assert last.score.values == [one.evaluation.score for one in seen if one.at == 60]
    assert last.interval == t_interval(last.score.values)
    assert last.metrics["f1"] == pytest.approx(np.mean(last.score.values))
    assert (last.sentences, last.tokens) == (60, train.tokens)


def test_of_one_seed_the_interval_is_over_test_sentences(data):
    train, test = data
    curve = riata.learning_curve(Chunker(epochs=1), train, test, at=[1])
    interval = Chunker(epochs=1).fit(train).evaluate(test).interval()
    assert curve.points[0].interval == (interval.low, interval.high)


def test_by_beam_models_are_trained_and_decoded_with_it(data):
    train, test = data
    estimator = Chunker("early", structure="chain", epochs=1)
    curve = riata.learning_curve(estimator, train, test, by="beam", at=[math.inf, 1, 3])
    assert estimator.beam is None and not hasattr(estimator, "model_")
    assert [point.at for point in curve.points] == [1, 3, math.inf]
    for point in curve.points:
        by_hand = Chunker("early", structure="chain", epochs=1, beam=point.at).fit(train)
        assert point.score.values == [by_hand.evaluate(test).score]
    assert curve.to_dict()["points"][-1]["at"] == "inf"


@for_rows(
    "estimator",
    Chunker(epochs=3),
    Chunker("laso-alma", epochs=2, beam=2),
    Chunker("mira", epochs=2, learn_as="bioes", cutoff=2),
    Tagger("early", epochs=2, beam=2),
    JointTagger(epochs=2, beam=2),
    ids=str,
)
def test_by_epoch_points_are_trainings_of_so_many_epochs(data, estimator):
    train, test = data
    if estimator.task_name == "tag":
        train, test = train.select([0, 1]), test.select([0, 1])
    curve = riata.learning_curve(estimator, train, test, by="epoch")
    assert [point.at for point in curve.points] == list(range(1, estimator.epochs + 1))
    for point in curve.points:
        twin = type(estimator)(**{**estimator.get_params(), "epochs": int(point.at)}).fit(train)
        assert point.score.values == [twin.evaluate(test).score]


def test_without_test_data_the_last_tenth_is_held_out(data):
    train = replace(data[0], document=None)
    curve = riata.learning_curve(Chunker(epochs=1), train, at=[1.0])
    assert curve.points[0].sentences == 54
    assert curve.points[0].score.values == [Chunker(epochs=1).fit(train[:54]).evaluate(train[54:]).score]
    assert "last tenth" in str(curve)


def test_warnings_of_trainings_on_all_data_are_told(data):
    train, test = data
    told = []
    riata.learning_curve(Chunker(epochs=1), train, test, at=[0.5, 1], listener=told.append)
    assert any("fewer than 5 times" in getattr(event, "text", "") for event in told)
    broken = [[("a", "O"), ("b", "I-X"), ("c", "B-X")], [("a", "B-X"), ("b", "I-X"), ("c", "O")]] * 3
    told.clear()
    riata.learning_curve(Chunker(epochs=1, encoding="iob2"), broken, broken, by="epoch", listener=told.append)
    assert any("illegal" in event.text or "conlleval" in event.text for event in told)


def test_what_is_shown(data, tmp_path):
    pytest.importorskip("matplotlib")
    for by, estimator in (("size", Tagger(epochs=1)), ("beam", Tagger("early", epochs=1)), ("epoch", Tagger(epochs=2))):
        curve = riata.learning_curve(estimator, data[0].select([0, 1]), data[1].select([0, 1]), by=by)
        assert f"by {by}" in str(curve) and "accuracy" in curve._repr_html_()
        curve.plot(tmp_path / "curve.svg")
        assert "<!-- accuracy, % -->" in (tmp_path / "curve.svg").read_text()
        assert json.loads(json.dumps(curve.to_dict()))["by"] == by
    refused(SettingError, "ends in", curve.plot, tmp_path / "curve.gif")


@for_rows(
    "options, error, says",
    ({"by": "sise"}, UnknownNameError, "Did you mean 'size'"),
    ({"seeds": 0}, SettingError, "seeds is 0"),
    ({"at": []}, SettingError, "above 0"),
    ({"at": [0]}, SettingError, "above 0"),
    ({"at": ["x"]}, SettingError, "above 0"),
    ({"at": [61]}, SettingError, "of 60 sentences"),
    ({"at": [1.5]}, SettingError, "whole number of sentences"),
    ({"by": "epoch", "at": [1]}, SettingError, "after every epoch"),
    ({"by": "beam"}, UnsupportedError, "has no beam"),
)
def test_bad_settings_are_refused(data, options, error, says):
    refused(error, says, riata.learning_curve, Chunker(epochs=1), *data, **options)


def test_bad_data_are_refused(data):
    refused(DataError, "one sentence", riata.learning_curve, Chunker(epochs=1), data[0][:1])
    with pytest.raises(DataError, match="scoring needs the output column"):
        riata.learning_curve(Chunker(epochs=1), data[0], data[1].select([0, 1]))
    refused(UnsupportedError, "outputs of its own", riata.learning_curve, Predictor(Problem()), data[0])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.txt").write_text(as_text() * 5, encoding="utf-8")
    return tmp_path


def test_the_command_prints_what_the_function_finds(folder, run):
    options = ("--train", "data.txt", "--test", "data.txt", "--sizes", "0.5,1", "--epochs", "2", "--seeds", "2")
    status, out, err = run("curve", "chunk", *options)
    assert status == 0 and "mira on chain, by size" in out
    assert [line.split(":")[0] for line in err.splitlines() if "seed" in line] == [
        f"size {size}, seed {seed}" for seed in (0, 1) for size in (10, 20)
    ]
    status, out, _ = run("curve", "chunk", *options, "--json")
    found = json.loads(out)
    corpus = riata.read_columns("data.txt")
    by_hand = riata.learning_curve(Chunker(epochs=2), corpus, corpus, at=[0.5, 1], seeds=2).to_dict()
    for curve in (found, by_hand):
        for point in curve["points"]:
            del point["seconds_train"]
    assert found == by_hand
    assert run("curve", "tag", "--train", "data.txt", "--outputs", "1", "--inputs", "0", "--by", "epoch")[0] == 0
    status, _, err = run("curve", "chunk", "--train", "data.txt", "--by", "epoch", "--recipe", "crf")
    assert (status, "Set the epochs" in err) == (2, True)
    assert run("curve", "chunk", "--train", "data.txt", "--by", "epoch", "--recipe", "crf", "--epochs", "2")[0] == 0
    beams = ("--by", "beam", "--recipe", "early", "--beams", "1,inf", "--set", "average=false", "--epochs", "1")
    assert run("curve", "joint", "--train", "data.txt", *beams)[0] == 0


@for_rows(
    "options, says",
    (("--sizes", "x"), "--sizes is 'x'"),
    (("--sizes", "0,1"), "--sizes is '0,1'"),
    (("--sizes", "nan"), "--sizes is 'nan'"),
    (("--sizes", "99"), "of 18 sentences"),
    (("--beams", "1,2"), "--beams is for curves by beam"),
    (("--by", "epoch", "--sizes", "1"), "--sizes is for curves by size"),
    (("--by", "beam", "--recipe", "early", "--beam", "3"), "Give the widths as --beams"),
    (("--by", "beam"), "has no beam"),
    (("--by", "nothing"), "nothing"),
    (("--plot", "c.gif"), "ends in .svg or .png"),
    (("--test", "none.txt"), "none.txt: no such file"),
    (("--recipe", "earli"), "Did you mean 'early'"),
)
def test_bad_options_are_told(folder, run, options, says):
    err = run.refused("curve", "chunk", "--train", "data.txt", *options)
    assert says in err and "Traceback" not in err and "seed 0" not in err


def test_without_matplotlib_a_picture_is_refused_before_the_work(folder, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    err = run.fails("curve", "chunk", "--train", "data.txt", "--plot", "c.svg")
    assert "pip install matplotlib" in err and "seed 0" not in err
