"""Settings that are named like parameters, and names of other libraries."""

from __future__ import annotations

import pickle
from typing import Any

import click
import pytest

import riata
from riata import other_words, registry
from riata.commands.base import cli
from riata.errors import SettingError, UnknownNameError

WORDS, LABELS = [["a", "b"], ["b"]], [["B-X", "O"], ["O"]]
pytestmark = pytest.mark.filterwarnings("ignore:Labels seen fewer:riata.RiataWarning")

ESTIMATORS = [task.estimator for task in registry.all_of("task").values()]


class Letters(riata.Problem):
    def initial(self, x: str) -> tuple[str, ...]:
        return ()

    def actions(self, x: str, s: tuple[str, ...]) -> tuple[str, ...]:
        return ("V", "C")

    def apply(self, x: str, s: tuple[str, ...], a: str) -> tuple[str, ...]:
        return (*s, a)

    def is_goal(self, x: str, s: tuple[str, ...]) -> bool:
        return len(s) == len(x)

    def observe(self, x: str, s: tuple[str, ...]) -> list[str]:
        return [x[len(s)]]

    def regret(self, x: str, s: tuple[str, ...], y: str) -> float:
        return sum(a != b for a, b in zip(s, y, strict=False))


def test_a_setting_named_like_a_parameter_is_a_setting(tmp_path: Any) -> None:
    model = riata.Chunker("crf", c1=0.1, c2=1, seed=3)
    assert model.settings == {"c1": 0.1, "c2": 1}
    assert model.get_params()["c1"] == model.get_params()["settings__c1"] == 0.1
    assert repr(model) == "Chunker(recipe='crf', seed=3, c1=0.1, c2=1)"
    plain = riata.Chunker("crf", settings={"c1": 0.1, "c2": 1}, seed=3)
    assert plain.get_params() == model.get_params()
    model.fit(WORDS, LABELS)
    assert model.state_features_ == plain.fit(WORDS, LABELS).state_features_
    model.save(tmp_path / "model.riata")
    for copy in (riata.load_model(tmp_path / "model.riata"), pickle.loads(pickle.dumps(model))):
        assert copy.get_params()["c1"] == 0.1
        assert "c1=0.1, c2=1" in repr(copy)


def test_scikit_learn_copies_and_searches_named_settings() -> None:
    base, selection = pytest.importorskip("sklearn.base"), pytest.importorskip("sklearn.model_selection")
    for made in (
        riata.Chunker("crf", c2=1),
        riata.DependencyParser("mira", C=0.1, tags="own"),
        riata.Predictor(Letters(), p=3),
    ):
        assert base.clone(made).get_params(deep=False).keys() == made.get_params(deep=False).keys()
        assert base.clone(made).settings == made.settings
    search = selection.GridSearchCV(riata.Chunker("crf", epochs=2, c1=0.5), {"c2": [0.5, 2.0]}, cv=2)
    search.fit(WORDS * 4, LABELS * 4)
    assert search.best_estimator_.settings == {"c1": 0.5, "c2": search.best_params_["c2"]}


def test_set_params_changes_one_setting_and_leaves_the_others() -> None:
    given = {"c1": 0.25}
    model = riata.Chunker("crf", settings=given).set_params(c2=2.0)
    assert model.settings == {"c1": 0.25, "c2": 2.0}
    assert given == {"c1": 0.25}
    assert model.set_params(settings=None, c1=1).settings == {"c1": 1}
    assert model.set_params(**model.get_params()).settings == {"c1": 1}
    assert model.untrained(c1=2).settings == {"c1": 2}
    assert riata.Chunker.preset("best", update="mean").settings == {"update": "mean"}
    assert riata.Chunker.preset("best", when="early").settings == {"update": "best", "when": "early"}


def test_a_setting_that_is_given_both_ways_is_refused() -> None:
    for given in (
        lambda: riata.Chunker("crf", settings={"c2": 1}, c2=2),
        lambda: riata.Predictor(Letters(), settings={"p": 2}, p=2),
    ):
        with pytest.raises(SettingError, match="given twice"):
            given()
    for twice in ({"settings": {"c2": 1}, "c2": 2}, {"settings__c2": 1, "c2": 2}):
        with pytest.raises(SettingError, match=r"'c2' is given twice: 1 in settings, and 2 as a parameter"):
            riata.Chunker("crf").set_params(**twice)


def test_a_setting_of_another_recipe_is_refused_with_those_of_the_recipe() -> None:
    for made in (riata.Chunker("crf", rare=2), riata.Chunker("crf").set_params(rare=2)):
        with pytest.raises(UnknownNameError, match=r"'rare' belongs to another recipe \(hmm\)") as caught:
            made.fit(WORDS, LABELS)
        assert "Leave out rare, or use recipe='hmm'. The recipe 'crf' has these settings:" in caught.value.remedy
    with pytest.raises(UnknownNameError, match=r"Unknown setting 'c2'.*max_depth"):
        riata.Predictor(Letters(), c2=2).fit(["a"], ["V"])
    assert riata.Predictor(Letters(), max_depth=7).fit(["a"], ["V"]).settings == {"max_depth": 7}


@pytest.mark.parametrize(
    ("word", "here"),
    [
        ("algorithm", "recipe"),
        ("max_iterations", "epochs"),
        ("max_iter", "epochs"),
        ("epoch", "epochs"),
        ("n_epochs", "epochs"),
        ("n_jobs", "threads"),
        ("random_state", "seed"),
        ("beam_size", "beam"),
        ("min_freq", "cutoff"),
        ("all_possible_transitions", "pairs"),
        ("c3", "c2"),
        ("templat", "template"),
    ],
)
def test_names_of_other_libraries_are_refused_with_the_name_here(word: str, here: str) -> None:
    for given in (lambda: riata.Chunker("crf", **{word: 1}), lambda: riata.Chunker("crf").set_params(**{word: 1})):
        with pytest.raises(UnknownNameError, match=f"Unknown parameter of Chunker '{word}'. Did you mean '{here}'?"):
            given()


def test_what_has_no_name_here_is_explained() -> None:
    for made in (riata.Chunker, lambda **given: riata.Predictor(Letters(), **given)):
        with pytest.raises(UnknownNameError, match=r"'verbose'. Training tells what it does to the logger"):
            made(verbose=1)
    with pytest.raises(UnknownNameError, match=r"Set c2, or use recipe='mira'"):
        riata.Chunker("crf", C=1).fit(WORDS, LABELS)
    with pytest.raises(UnknownNameError, match=r"Unknown recipe 'lbfgs'. Did you mean 'crf'?"):
        riata.Chunker("lbfgs").fit(WORDS, LABELS)


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("CRF", r'riata.Tagger\("crf"\)'),
        ("NER", "riata.EntityRecognizer"),
        ("EntityRecogniser", "riata.EntityRecognizer"),
        ("POSTagger", "riata.Tagger"),
        ("PosTagger", "riata.Tagger"),
        ("load_dataset", "riata.load"),
    ],
)
def test_missing_names_of_the_package_name_the_right_one(name: str, here: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; use {here}$"):
        getattr(riata, name)
    assert not hasattr(riata, name)


@pytest.mark.parametrize(
    ("word", "here"), [("pos", "tag"), ("entities", "ner"), ("chunking", "chunk"), ("dep", "parse")]
)
def test_the_command_line_knows_other_words_for_tasks(word: str, here: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Unknown task '{word}'. Did you mean '{here}'?"):
        cli.main(["train", word, "--train", "none", "--model", "none"], standalone_mode=False)
    with pytest.raises(UnknownNameError) as caught:
        registry.get("task", "crf")
    assert "'crf' is a recipe" in caught.value.remedy


@pytest.mark.parametrize("estimator", [*ESTIMATORS, riata.Predictor], ids=lambda cls: cls.__name__)
def test_no_setting_has_the_name_of_a_parameter(estimator: Any) -> None:
    assert not estimator._names_of_settings() & set(estimator._param_names())


def test_what_messages_suggest_exists() -> None:
    parameters = {name for cls in ESTIMATORS for name in (*cls._param_names(), *cls._names_of_settings())}
    known = {
        "task": registry.names("task"),
        "recipe": registry.names("recipe"),
        "encoding": registry.names("encoding"),
        "parameter": parameters,
        "setting": parameters,
    }
    known["command"] = cli.list_commands(click.Context(cli))
    known["public name"] = riata.__all__
    for kind, words in other_words.WORDS.items():
        for here in words:
            name, _, recipe = here.partition("(")
            assert name in known[kind]
            assert not recipe or recipe.strip('")') in registry.names("recipe")


def test_a_name_of_other_libraries_is_hinted_at_by_import_too() -> None:
    with pytest.raises(ImportError, match=r'use riata.Tagger\("crf"\)'):
        from riata import CRF  # type: ignore[attr-defined]  # noqa: F401
    assert not hasattr(riata, "CRF")
    with pytest.raises(AttributeError, match="EntityRecognizer"):
        _ = riata.NER
