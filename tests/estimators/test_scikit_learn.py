"""scikit-learn's searches, folds and scorers, on settings and sentences."""

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riata
from checks import refused
from riata import Chunker, Corpus, DependencyParser, EntityRecognizer, JointTagger, RoleLabeler, Tagger, metrics
from riata.errors import DataError, SettingError, UnknownNameError

base = pytest.importorskip("sklearn.base")
selection = pytest.importorskip("sklearn.model_selection")


CORPUS = riata.load("embedded", "train")[:90]
X = [[{"word": word.lower(), "tag": tag, "bias": 1.0} for word, tag, _ in sentence] for sentence in CORPUS]
Y = CORPUS.sentences_of(2)


def crf(**settings: Any) -> Chunker:
    return Chunker("crf", epochs=8, **settings)


@pytest.mark.parametrize(("data", "labels"), [(X, Y), (CORPUS, None)], ids=["lists", "a corpus"])
def test_cross_val_predict_gives_every_sentence_the_labels_of_the_fold_that_left_it_out(data: Any, labels: Any) -> None:
    found = selection.cross_val_predict(crf(), data, labels, cv=3)
    assert found.shape == (len(CORPUS),)
    for train, test in selection.KFold(3).split(X):
        fold = crf().fit(*(part if part is None else _taken(part, train) for part in (data, labels)))
        assert list(found[test]) == fold.predict(_taken(data, test))


def _taken(data: Any, rows: Any) -> Any:
    return data[rows] if isinstance(data, Corpus) else [data[i] for i in rows]


def test_predictions_as_an_array_have_one_entry_per_sentence() -> None:
    model = crf().fit(X, Y)
    same_length = [X[0], X[0]]
    for found in (model.predict(same_length), model.predict_proba(same_length), model.predict_confidence(same_length)):
        assert np.asarray(found).shape == (2,)
    assert np.asarray(model.predict(same_length))[1] == model.predict(same_length)[1]


def test_settings_are_parameters_by_their_names() -> None:
    given = {"c2": 0.5}
    model = Chunker("crf", settings=given)
    assert model.get_params()["settings__c2"] == 0.5
    assert "settings__c2" not in model.get_params(deep=False)
    model.set_params(settings__c1=0.25, settings__c2=2.0)
    assert model.settings == {"c1": 0.25, "c2": 2.0}
    assert given == {"c2": 0.5}
    assert Chunker("crf").set_params(settings__c2=1).settings == {"c2": 1}
    assert Chunker().set_params(settings={"c1": 1}, settings__c2=3).settings == {"c1": 1, "c2": 3}
    assert base.clone(model).get_params() == model.get_params()
    assert Chunker().set_params(**model.get_params()).get_params() == model.get_params()


def test_a_setting_that_is_named_wrongly_is_refused_with_the_name_it_has() -> None:
    refused(UnknownNameError, "setings__c2", Chunker("crf").set_params, setings__c2=1)
    refused(UnknownNameError, "Unknown setting 'c3'", Chunker("crf").set_params(settings__c3=1).fit, X, Y)
    refused(SettingError, "no entries", Chunker(class_weight="balanced").set_params, class_weight__O=2.0)


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
    by_fit = Chunker(epochs=4).fit(CORPUS, X_dev=held)
    by_parameter = Chunker(epochs=4, dev=held).fit(CORPUS)
    assert by_fit.best_score_ == by_parameter.best_score_ is not None
    assert by_fit.state_features_ == by_parameter.state_features_
    assert by_fit.dev is None
    assert crf().fit(X, Y, X_dev, held.sentences_of(2)).best_score_ > 50
    refused(SettingError, "twice", Chunker(dev=0.1).fit, CORPUS, X_dev=held)
    refused(SettingError, "X_dev is not", Chunker().fit, CORPUS, y_dev=held.sentences_of(2))
    refused(DataError, "", Chunker().fit, X, Y, X_dev=X_dev)


ESTIMATORS = [Tagger, Chunker, EntityRecognizer, JointTagger, DependencyParser, RoleLabeler]


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


# --- sklearn-crfsuite's tutorial -------------------------------------------------------------------------------------
pytest.importorskip("sklearn")
PAGE = Path(__file__).parent.parent.parent / "docs" / "coming-from.md"
SIZES = {"train": 80, "testa": 60}  # sentences; testa is development data


@pytest.fixture(scope="module")
def blocks() -> list[str]:
    """The python blocks of its section, with slices of the Spanish corpus instead of the embedded one."""
    if not (Path(os.environ.get("RIATA_DATA", "")) / "conll2002-es").is_dir():
        pytest.skip("RIATA_DATA does not name a folder with conll2002-es")

    def spanish(match: re.Match[str]) -> str:
        split = {"train": "train", "test": "testa"}[match[1]]
        return f'riata.load("conll2002-es", "{split}")[:{SIZES[split]}]'

    section = PAGE.read_text(encoding="utf-8").split("\n## sklearn-crfsuite\n")[1].split("\n## ")[0]
    found = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return [re.sub(r'riata\.load\("embedded", "(\w+)", columns\)', spanish, block) for block in found]


def run(blocks: list[str]) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    return names


def test_every_line_of_the_tutorial_runs_on_its_own_corpus(
    blocks: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    names = run(blocks)
    assert len(names["train_sents"]) == SIZES["train"]
    assert set(names["rs"].best_params_) == {"c1", "c2"}
    assert names["crf"].settings == {"pairs": "transitions", **names["rs"].best_params_}
    assert len(names["y_cv"]) == SIZES["train"]
    shown = capsys.readouterr().out
    likely, unlikely = shown.split("Top likely transitions:")[1].split("Top unlikely transitions:")
    assert re.search(r"^B-PER +-> I-PER +\d", likely, re.MULTILINE)
    assert re.search(r"^O +-> I-\w+ +-\d", unlikely, re.MULTILINE)
    assert re.search(r"^\d\.\d+ B-\w+ +word", shown.split("Top positive:")[1], re.MULTILINE)


def test_the_same_settings_give_nearly_the_labels_that_sklearn_crfsuite_gives(blocks: list[str]) -> None:
    sklearn_crfsuite = pytest.importorskip("sklearn_crfsuite")
    names = run(blocks[:4])  # up to the first training
    theirs = sklearn_crfsuite.CRF(
        algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True
    ).fit(names["X_train"], names["y_train"])
    found, expected = names["crf"].predict(names["X_test"]), theirs.predict(names["X_test"])
    assert riata.metrics.flat_accuracy_score(expected, found) > 0.98
