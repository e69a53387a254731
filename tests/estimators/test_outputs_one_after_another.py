"""Outputs one after another, where the first is not the answer; settings that are named like parameters; pruned models."""

import itertools
import random
from typing import Any

import click
import numpy as np
import pytest

import riata
from checks import copies, refused
from python_problems import LeftToRight
from riata import Chunker, DependencyParser, JointTagger, Predictor, Tagger, other_words, registry
from riata import constraints as c
from riata.commands import main
from riata.commands.base import cli
from riata.errors import SearchError, SettingError, UnknownNameError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.inference.rules.rules import Rules
from riata.models.ruled_search import without
from samples import CHUNKS, INPUTS, TAGS, as_text, for_rows, treebank
from samples import WORDS as PRUNED

TEMPLATES = {"alone": "word[0]", "neighbours": "word[0]\nedge", "two back": "word[0]\nlabel[-2] label[-1]"}


def drawn(seed=0, sentences=30):
    draw = random.Random(seed)
    X = [[f"w{draw.randrange(5)}" for _ in range(draw.randint(1, 5))] for _ in range(sentences)]
    return X, [
        ["ABC"[int(word[1]) % 3] if draw.random() < 0.8 else draw.choice("ABC") for word in words] for words in X
    ]


def tagger(template, **params):
    return Tagger("perceptron", template=parse(TEMPLATES[template]), epochs=3, **params).fit(*drawn())


def accepts_all(_):
    return True


def few_and_apart(labels):
    return labels.count("A") == 1 and labels[0] != labels[-1]


def test_all_outputs_but_some():
    listed = [np.array(one, np.int32) for one in ([0, 1, 1], [0, 1, 2], [2, 2, 2])]
    automaton = without(listed, 3)
    for output in itertools.product(range(3), repeat=3):
        broken = Rules(3, (), (automaton,)).broken(output)
        assert bool(broken) == any(output == tuple(one) for one in listed)


@pytest.mark.parametrize("template", TEMPLATES)
def test_functions_beside_rules_give_the_best_of_all_outputs(template):
    """Against all outputs of short sentences; of longer ones, the rule alone leaves none of the best thousand."""
    model, soft = tagger(template), c.at_least(9, "B", penalty=0.25)
    rules = [c.at_most(1, "A"), soft, c.predicate(few_and_apart)]
    words = ["w0", "w3", "w0", "w1"]
    model.set_params(constraints=rules)
    free = model.twin(inference="none").predict_nbest([words], 81)[0]
    legal = [(labels, score - 0.25) for labels, score in free if few_and_apart(labels)]
    assert dict(map(text, legal))[text((model.predict([words])[0], 0))[0]] == pytest.approx(legal[0][1], abs=1e-4)
    listed = model.predict_nbest([words], 5)[0]
    assert [score for _, score in listed] == pytest.approx([score for _, score in legal[:5]], abs=1e-4)
    long = ["w0"] * 16
    for penalty in (None, 0.5):
        model.set_params(constraints=[c.at_most(1, "A"), soft, c.predicate(accepts_all, penalty=penalty)])
        expected = model.twin(constraints=[c.at_most(1, "A"), soft]).predict([long])
        assert model.predict([long]) == expected


def text(pair):
    labels, score = pair
    return "".join(labels), score


def refuses_all(_):
    return False


def test_a_function_that_makes_every_output_pay_changes_nothing():
    model, long = tagger("two back"), ["w0"] * 16
    expected = model.twin(constraints=[c.at_most(1, "A")]).predict([long])
    assert (
        model.set_params(constraints=[c.at_most(1, "A"), c.predicate(refuses_all, penalty=0.5)]).predict([long])
        == expected
    )


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_error_about_functions_names_the_sentence(template, monkeypatch):
    monkeypatch.setattr("riata.models.ruled_search.MOST_SEARCHES", 3)
    monkeypatch.setattr("riata.models.ruled_search.LONGEST_LIST", 10)
    monkeypatch.setattr("riata.models.ruled_search.FEW", 1)
    model = tagger(template, constraints=[c.predicate(lambda labels: len(labels) < 6)])
    refused(SearchError, r"sentence 1 \(from 0\)", model.predict, [["w1"], ["w1"] * 6])


@pytest.mark.parametrize("template", TEMPLATES)
def test_lists_of_the_best_where_the_best_thousand_keep_nothing(template):
    """Each is legal, none comes twice, and the first is what predict gives."""
    model, words = tagger(template, constraints=[c.at_most(1, "A"), c.at_most(3, "B")]), ["w0"] * 12
    listed = model.predict_nbest([words], 6)[0]
    assert listed[0][0] == model.predict([words])[0]
    assert len({text(one)[0] for one in listed}) == 6
    assert all(labels.count("A") <= 1 and labels.count("B") <= 3 for labels, _ in listed)
    scores = [score for _, score in listed]
    assert scores == sorted(scores, reverse=True)
    given = [["A", *[None] * 11]]
    assert all(labels[0] == "A" for labels, _ in model.predict_nbest([words], 2, given=given)[0])


# --- settings that are named like parameters, and names of other libraries -------------------------------------------
WORDS, LABELS = [["a", "b"], ["b"]], [["B-X", "O"], ["O"]]

ESTIMATORS = [task.estimator for task in registry.all_of("task").values()]


class Letters(LeftToRight):
    def actions(self, x: str, s: tuple[str, ...]) -> tuple[str, ...]:
        return ("V", "C")

    def observe(self, x: str, s: tuple[str, ...]) -> list[str]:
        return [x[len(s)]]

    def regret(self, x: str, s: tuple[str, ...], y: str) -> float:
        return sum(a != b for a, b in zip(s, y, strict=False))


def test_a_setting_named_like_a_parameter_is_a_setting(tmp_path: Any) -> None:
    model = Chunker("crf", c1=0.1, c2=1, seed=3)
    assert model.settings == {"c1": 0.1, "c2": 1}
    assert model.get_params()["c1"] == model.get_params()["settings__c1"] == 0.1
    assert repr(model) == "Chunker(recipe='crf', seed=3, c1=0.1, c2=1)"
    plain = Chunker("crf", settings={"c1": 0.1, "c2": 1}, seed=3)
    assert plain.get_params() == model.get_params()
    model.fit(WORDS, LABELS)
    assert model.state_features_ == plain.fit(WORDS, LABELS).state_features_
    for copy in copies(model, tmp_path):
        assert copy.get_params()["c1"] == 0.1
        assert "c1=0.1, c2=1" in repr(copy)


def test_scikit_learn_copies_and_searches_named_settings() -> None:
    base, selection = pytest.importorskip("sklearn.base"), pytest.importorskip("sklearn.model_selection")
    for made in (Chunker("crf", c2=1), DependencyParser("mira", C=0.1, tags="own"), Predictor(Letters(), p=3)):
        assert base.clone(made).get_params(deep=False).keys() == made.get_params(deep=False).keys()
        assert base.clone(made).settings == made.settings
    search = selection.GridSearchCV(Chunker("crf", epochs=2, c1=0.5), {"c2": [0.5, 2.0]}, cv=2)
    search.fit(WORDS * 4, LABELS * 4)
    assert search.best_estimator_.settings == {"c1": 0.5, "c2": search.best_params_["c2"]}


def test_set_params_changes_one_setting_and_leaves_the_others() -> None:
    given = {"c1": 0.25}
    model = Chunker("crf", settings=given).set_params(c2=2.0)
    assert model.settings == {"c1": 0.25, "c2": 2.0}
    assert given == {"c1": 0.25}
    assert model.set_params(settings=None, c1=1).settings == {"c1": 1}
    assert model.set_params(**model.get_params()).settings == {"c1": 1}
    assert model.untrained(c1=2).settings == {"c1": 2}
    assert Chunker.preset("best", update="mean").settings == {"update": "mean"}
    assert Chunker.preset("best", when="early").settings == {"update": "best", "when": "early"}


def test_a_setting_that_is_given_both_ways_is_refused() -> None:
    for given in (
        lambda: Chunker("crf", settings={"c2": 1}, c2=2),
        lambda: Predictor(Letters(), settings={"p": 2}, p=2),
    ):
        refused(SettingError, "given twice", given)
    for twice in ({"settings": {"c2": 1}, "c2": 2}, {"settings__c2": 1, "c2": 2}):
        with pytest.raises(SettingError, match=r"'c2' is given twice: 1 in settings, and 2 as a parameter"):
            Chunker("crf").set_params(**twice)


def test_a_setting_of_another_recipe_is_refused_with_those_of_the_recipe() -> None:
    for made in (Chunker("crf", rare=2), Chunker("crf").set_params(rare=2)):
        caught = refused(UnknownNameError, r"'rare' belongs to another recipe \(hmm\)", made.fit, WORDS, LABELS)
        assert "Leave out rare, or use recipe='hmm'. The recipe 'crf' has these settings:" in caught.remedy
    refused(UnknownNameError, r"Unknown setting 'c2'.*max_depth", Predictor(Letters(), c2=2).fit, ["a"], ["V"])
    assert Predictor(Letters(), max_depth=7).fit(["a"], ["V"]).settings == {"max_depth": 7}


@for_rows(
    "word, here",
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
)
def test_names_of_other_libraries_are_refused_with_the_name_here(word: str, here: str) -> None:
    for given in (lambda: Chunker("crf", **{word: 1}), lambda: Chunker("crf").set_params(**{word: 1})):
        refused(UnknownNameError, f"Unknown parameter of Chunker '{word}'. Did you mean '{here}'?", given)


def test_what_has_no_name_here_is_explained() -> None:
    for made in (Chunker, lambda **given: Predictor(Letters(), **given)):
        refused(UnknownNameError, r"'verbose'. Training tells what it does to the logger", made, verbose=1)
    refused(UnknownNameError, r"Set c2, or use recipe='mira'", Chunker("crf", C=1).fit, WORDS, LABELS)
    refused(UnknownNameError, r"Unknown recipe 'lbfgs'. Did you mean 'crf'?", Chunker("lbfgs").fit, WORDS, LABELS)


@for_rows(
    "name, here",
    ("CRF", r'riata.Tagger\("crf"\)'),
    ("NER", "riata.EntityRecognizer"),
    ("EntityRecogniser", "riata.EntityRecognizer"),
    ("POSTagger", "riata.Tagger"),
    ("PosTagger", "riata.Tagger"),
    ("load_dataset", "riata.load"),
)
def test_missing_names_of_the_package_name_the_right_one(name: str, here: str) -> None:
    refused(AttributeError, f"no attribute '{name}'; use {here}$", getattr, riata, name)
    assert not hasattr(riata, name)


@for_rows("word, here", ("pos", "tag"), ("entities", "ner"), ("chunking", "chunk"), ("dep", "parse"))
def test_the_command_line_knows_other_words_for_tasks(word: str, here: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Unknown task '{word}'. Did you mean '{here}'?"):
        cli.main(["train", word, "--train", "none", "--model", "none"], standalone_mode=False)
    assert "'crf' is a recipe" in refused(UnknownNameError, "", registry.get, "task", "crf").remedy


@pytest.mark.parametrize("estimator", [*ESTIMATORS, Predictor], ids=lambda cls: cls.__name__)
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


# --- pruned models: smaller files, weights near zero dropped, and nothing else changed -------------------------------
MAKERS = {
    "chain": lambda: Chunker("mira", epochs=5).fit(CHUNKS),
    "double": lambda: Chunker("mira", epochs=5, settings={"precision": "double"}).fit(CHUNKS),
    "hashed": lambda: Chunker("mira", epochs=5, bits=12).fit(CHUNKS),
    "segments": lambda: Chunker("perceptron", structure="segments", epochs=5).fit(CHUNKS),
    "joint": lambda: JointTagger("max-violation", epochs=5).fit(CHUNKS),
    "tree": lambda: DependencyParser("mira", structure="tree", epochs=3).fit(treebank()),
    "transitions": lambda: DependencyParser("max-violation", structure="transitions", epochs=3).fit(treebank()),
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_weights_nearest_to_zero_are_dropped(name):
    model = MAKERS[name]()
    before, size = np.abs(model.model_.weights.flat()), len(to_bytes(model))
    assert model.prune(0.5) is model
    after = np.abs(model.model_.weights.flat())
    kept = after > 0
    assert (after[kept] == before[kept]).all()
    assert before[~kept].max() < after[kept].min()
    assert kept.sum() >= (before > 0).sum() / 2
    assert len(to_bytes(model)) <= size
    data = treebank() if name in ("tree", "transitions") else INPUTS if name != "joint" else PRUNED
    assert from_bytes(to_bytes(model)).predict(data) == model.predict(data)


def test_files_shrink_by_the_share():
    train = riata.load("embedded", "train")
    sizes = [len(to_bytes(Chunker(epochs=2).fit(train).prune(share))) for share in (0, 0.5, 0.9)]
    assert sizes[1] < 0.65 * sizes[0]
    assert sizes[2] < 0.3 * sizes[0]


def test_none_are_dropped_by_a_share_of_0():
    model = MAKERS["chain"]()
    content = to_bytes(model)
    assert to_bytes(model.prune(0)) == content


def test_both_passes_and_taggers_are_pruned():
    two = Chunker("perceptron", epochs=3, passes=2).fit(CHUNKS)
    before = [np.count_nonzero(m.weights.flat()) for m in (two.model_, two.first_.model_)]
    two.prune(0.9)
    after = [np.count_nonzero(m.weights.flat()) for m in (two.model_, two.first_.model_)]
    assert all(a < b for a, b in zip(after, before, strict=True))


@pytest.mark.parametrize("share", [1, -0.1, 2, float("nan"), "half", None, True])
def test_other_shares_are_refused(share):
    refused(SettingError, "the share of weights to prune is", MAKERS["chain"]().prune, share)


def test_what_cannot_be_pruned_is_refused():
    kernel = Tagger("perceptron", structure="kernel-chain", epochs=2).fit(PRUNED, TAGS)
    refused(UnsupportedError, "has no weights of features", kernel.prune)
    calibrated = MAKERS["chain"]()
    calibrated.calibrate(CHUNKS)
    refused(UnsupportedError, "is calibrated", calibrated.prune)


def test_training_can_prune(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.txt").write_text(as_text() * 3)
    sizes = []
    for more in ([], ["--prune", "0.8"]):
        with pytest.raises(SystemExit) as ended:
            main(["train", "chunk", "--train", "d.txt", "--dev", "d.txt", "--model", "m.riata", "--epochs", "3", *more])
        assert ended.value.code == 0
        sizes.append((tmp_path / "m.riata").stat().st_size)
    said = capsys.readouterr().err
    assert "Pruned: " in said
    assert "on the development data" in said
    assert sizes[1] < sizes[0]
