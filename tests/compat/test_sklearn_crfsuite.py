"""riata.compat.sklearn_crfsuite: programs for sklearn-crfsuite run by one import line."""

import inspect
import pickle

import numpy as np
import pytest

from checks import refused
from riata import RiataError
from riata.compat import pycrfsuite, sklearn_crfsuite
from riata.compat.sklearn_crfsuite import CRF, metrics
from riata.errors import DataError, NotFittedError, SettingError, UnsupportedError

X = [
    [{"w": word, "p": {"x": 0.5}} for word in sentence.split()] for sentence in ("the dog barks", "a cat", "dogs bark")
]
Y = [["D", "N", "V"], ["D", "N"], ["N", "V"]]


def test_parameters_are_those_of_sklearn_crfsuite():
    real = pytest.importorskip("sklearn_crfsuite")
    ours, theirs = (inspect.signature(module.CRF).parameters.values() for module in (sklearn_crfsuite, real))
    assert [(p.name, p.default) for p in ours] == [(p.name, p.default) for p in theirs]
    theirs = pytest.importorskip("sklearn_crfsuite.metrics")
    assert set(dir(metrics)) >= {name for name in dir(theirs) if name.endswith(("score", "report"))}


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "ap", "pa"])
def test_fit_predict_score_and_pickle(algorithm):
    crf = CRF(algorithm, max_iterations=20).fit(X, Y, X, Y)
    assert crf.predict(X).tolist() == Y
    assert crf.predict_single(X[0]) == Y[0]
    assert crf.score(X, Y) == 1
    marginals = crf.predict_marginals(X)
    assert marginals[1] == crf.predict_marginals_single(X[1])
    assert np.allclose([sum(row.values()) for row in marginals[0]], 1)
    again = pickle.loads(pickle.dumps(crf))
    assert again.predict(X).tolist() == Y
    assert again.training_log_.last_iteration["item_accuracy_float"] == 1


def test_the_same_likelihood_gives_the_same_weights():
    real = pytest.importorskip("sklearn_crfsuite")
    params = {"c2": 0.5, "all_possible_transitions": True, "min_freq": 0, "max_iterations": 200}
    ours, theirs = (module.CRF("lbfgs", **params).fit(X, Y) for module in (sklearn_crfsuite, real))
    assert ours.transition_features_.keys() == theirs.transition_features_.keys()
    assert len(ours.transition_features_) == 9
    assert ours.transition_features_ == pytest.approx(theirs.transition_features_, abs=2e-3)
    assert ours.state_features_ == pytest.approx(theirs.state_features_, abs=2e-3)
    assert sorted(ours.attributes_) == sorted(theirs.attributes_)
    assert ours.num_attributes_ == theirs.num_attributes_
    assert ours.size_ > 500


def test_a_model_has_a_file_if_it_is_named(tmp_path):
    path = str(tmp_path / "m.model")
    assert CRF(model_filename=path).classes_ is None
    CRF(model_filename=path).fit(X, Y)
    again = CRF(model_filename=path)
    assert again.score(X, Y) == 1
    assert sorted(again.classes_) == ["D", "N", "V"]
    assert pickle.loads(pickle.dumps(again)).score(X, Y) == 1


def test_scikit_learn_takes_the_estimator():
    model_selection = pytest.importorskip("sklearn.model_selection")
    from riata.compat.sklearn_crfsuite import scorers

    found = model_selection.GridSearchCV(CRF(), {"c2": [0.1, 1.0]}, cv=2, scoring=scorers.flat_accuracy).fit(
        X * 4, Y * 4
    )
    assert found.best_score_ == 1
    assert model_selection.cross_val_score(CRF("pa"), X * 4, Y * 4, cv=2).mean() == 1
    assert metrics.sequence_accuracy_score([[1, 2], [3]], [[1, 2], [4]]) == 0.5


def test_verbose_prints_a_line_for_every_iteration(capsys):
    CRF(verbose=True, max_iterations=2).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:6] for line in lines] == ["Iter 1", "Iter 2"]

    class Own(pycrfsuite.Trainer):
        def on_iteration(self, log, info):
            print("own", info["num"])

    CRF(verbose=True, max_iterations=2, trainer_cls=Own).fit(X, Y)
    assert "own 2" in capsys.readouterr().out


def test_refusals_name_the_remedy():
    for ask in (lambda crf: crf.predict(X), lambda crf: crf.score(X, Y)):
        refused(NotFittedError, "fit", ask, CRF())
    assert CRF().tagger_ is CRF().size_ is CRF().attributes_ is CRF().state_features_ is None
    refused(SettingError, "both", CRF().fit, X, Y, X)
    refused(UnsupportedError, "pa", CRF("arow").fit, X, Y)
    refused(RiataError, "c1", CRF("ap", c1=0.1).fit, X, Y)


def test_estimators_are_shown_and_searched_inside_pipelines():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import Pipeline

    crf = CRF(c1=0.1)
    assert repr(crf) == "CRF(c1=0.1)" and crf.get_params()["c1"] == 0.1
    X, y = [[{"w": "the"}, {"w": "dog"}]] * 6, [["DT", "NN"]] * 6
    search = GridSearchCV(Pipeline([("crf", CRF(max_iterations=3))]), {"crf__c2": [0.1, 1.0]}, cv=2).fit(X, y)
    assert list(search.best_estimator_.predict(X[:1])[0]) == ["DT", "NN"]


def test_no_iterations_are_as_many_as_it_takes():
    found = [CRF(max_iterations=n).fit(X, Y).score(X, Y) for n in (0, None)]
    assert found[0] == found[1] == 1.0


def test_slips_are_told_of():
    refused(DataError, "2 sentences and labels of 1", CRF().fit, X[:2], Y[:1])
    refused(NotFittedError, "there is no file", CRF(model_filename="nowhere.model").predict, X)
    refused(TypeError, "a token is None", CRF().fit, [[None]], [["A"]])
