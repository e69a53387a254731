"""scikit-learn's searches, folds and scorers, on settings and sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import riata
from riata import metrics
from riata.errors import DataError, SettingError, UnknownNameError

base = pytest.importorskip("sklearn.base")
selection = pytest.importorskip("sklearn.model_selection")

pytestmark = pytest.mark.filterwarnings("ignore:Labels seen fewer:riata.RiataWarning")

CORPUS = riata.load("embedded", "train")[:90]
X = [[{"word": word.lower(), "tag": tag, "bias": 1.0} for word, tag, _ in sentence] for sentence in CORPUS]
Y = CORPUS.sentences_of(2)


def crf(**settings: Any) -> riata.Chunker:
    return riata.Chunker("crf", epochs=8, **settings)


@pytest.mark.parametrize(("data", "labels"), [(X, Y), (CORPUS, None)], ids=["lists", "a corpus"])
def test_cross_val_predict_gives_every_sentence_the_labels_of_the_fold_that_left_it_out(data: Any, labels: Any) -> None:
    found = selection.cross_val_predict(crf(), data, labels, cv=3)
    assert found.shape == (len(CORPUS),)
    for train, test in selection.KFold(3).split(X):
        fold = crf().fit(*(part if part is None else _taken(part, train) for part in (data, labels)))
        assert list(found[test]) == fold.predict(_taken(data, test))


def _taken(data: Any, rows: Any) -> Any:
    return data[rows] if isinstance(data, riata.Corpus) else [data[i] for i in rows]


def test_predictions_as_an_array_have_one_entry_per_sentence() -> None:
    model = crf().fit(X, Y)
    same_length = [X[0], X[0]]
    for found in (model.predict(same_length), model.predict_proba(same_length), model.predict_confidence(same_length)):
        assert np.asarray(found).shape == (2,)
    assert np.asarray(model.predict(same_length))[1] == model.predict(same_length)[1]


def test_settings_are_parameters_by_their_names() -> None:
    given = {"c2": 0.5}
    model = riata.Chunker("crf", settings=given)
    assert model.get_params()["settings__c2"] == 0.5
    assert "settings__c2" not in model.get_params(deep=False)
    model.set_params(settings__c1=0.25, settings__c2=2.0)
    assert model.settings == {"c1": 0.25, "c2": 2.0}
    assert given == {"c2": 0.5}
    assert riata.Chunker("crf").set_params(settings__c2=1).settings == {"c2": 1}
    assert riata.Chunker().set_params(settings={"c1": 1}, settings__c2=3).settings == {"c1": 1, "c2": 3}
    assert base.clone(model).get_params() == model.get_params()
    assert riata.Chunker().set_params(**model.get_params()).get_params() == model.get_params()


def test_a_setting_that_is_named_wrongly_is_refused_with_the_name_it_has() -> None:
    with pytest.raises(UnknownNameError, match="setings__c2"):
        riata.Chunker("crf").set_params(setings__c2=1)
    with pytest.raises(UnknownNameError, match="Unknown setting 'c3'"):
        riata.Chunker("crf").set_params(settings__c3=1).fit(X, Y)
    with pytest.raises(SettingError, match="no entries"):
        riata.Chunker(class_weight="balanced").set_params(class_weight__O=2.0)


def test_a_random_search_over_both_priors_finds_what_trying_them_finds() -> None:
    stats = pytest.importorskip("scipy.stats")
    sklearn_metrics = pytest.importorskip("sklearn.metrics")
    spaces = {"settings__c1": stats.expon(scale=0.5), "settings__c2": stats.expon(scale=0.05)}
    scorer = sklearn_metrics.make_scorer(metrics.span_f1_score)
    search = selection.RandomizedSearchCV(crf(), spaces, cv=2, n_iter=3, scoring=scorer, random_state=0).fit(X, Y)
    tried = search.cv_results_["params"]
    scores = [
        np.mean(selection.cross_val_score(crf(**{k[10:]: v for k, v in params.items()}), X, Y, cv=2))
        for params in tried
    ]
    assert search.cv_results_["mean_test_score"] == pytest.approx(scores)
    assert search.best_params_ == tried[int(np.argmax(scores))]
    assert search.best_estimator_.settings == {name[10:]: value for name, value in search.best_params_.items()}


def test_a_grid_reaches_settings_through_a_pipeline() -> None:
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    steps = pipeline.Pipeline([("same", preprocessing.FunctionTransformer()), ("crf", crf(c2=1.0))])
    assert "crf__settings__c2" in steps.get_params()
    search = selection.GridSearchCV(steps, {"crf__settings__c2": [0.01, 10.0]}, cv=2).fit(X, Y)
    assert search.best_estimator_.named_steps["crf"].settings["c2"] == search.best_params_["crf__settings__c2"]


def test_development_data_may_be_given_to_fit() -> None:
    held = riata.load("embedded", "test")[:30]
    X_dev = [[{"word": word.lower(), "tag": tag, "bias": 1.0} for word, tag, _ in sentence] for sentence in held]
    by_fit = riata.Chunker(epochs=4).fit(CORPUS, X_dev=held)
    by_parameter = riata.Chunker(epochs=4, dev=held).fit(CORPUS)
    assert by_fit.best_score_ == by_parameter.best_score_ is not None
    assert by_fit.state_features_ == by_parameter.state_features_
    assert by_fit.dev is None
    assert crf().fit(X, Y, X_dev, held.sentences_of(2)).best_score_ > 50
    with pytest.raises(SettingError, match="twice"):
        riata.Chunker(dev=0.1).fit(CORPUS, X_dev=held)
    with pytest.raises(SettingError, match="X_dev is not"):
        riata.Chunker().fit(CORPUS, y_dev=held.sentences_of(2))
    with pytest.raises(DataError):
        riata.Chunker().fit(X, Y, X_dev=X_dev)


ESTIMATORS = [
    riata.Tagger,
    riata.Chunker,
    riata.EntityRecognizer,
    riata.JointTagger,
    riata.DependencyParser,
    riata.RoleLabeler,
]


@pytest.mark.filterwarnings("ignore:Can't test estimator")
@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_the_checks_of_scikit_learn_that_do_not_need_a_matrix_pass(cls: Any) -> None:
    """Its other checks fit arrays [samples, features], which are no sentences; the tags of the estimators say so."""
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    assert not cls().__sklearn_tags__().input_tags.two_d_array
    if hasattr(checks, "check_estimator"):
        checks.check_estimator(cls())
    for name in (
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_get_params_invariance",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
    ):
        if hasattr(checks, name):
            getattr(checks, name)(cls.__name__, cls())
