"""What users get without options, and by one word."""

import json
from pathlib import Path

import pytest

import riata
from checks import refused, stored
from riata import Chunker, EntityRecognizer, JointTagger, Tagger
from riata.choosing.options import choice_of
from riata.commands.pieces import ADVICE
from riata.errors import UnknownNameError, UnsupportedError
from samples import for_each, for_rows

TRAIN = riata.load("embedded", "train")[:40]
ESTIMATORS = (Tagger, Chunker, EntityRecognizer, JointTagger)


@for_rows(
    "estimator, recipe, structure",
    (Tagger(), "mira", "chain"),
    (Chunker(), "mira", "chain"),
    (EntityRecognizer(), "mira", "chain"),
    (JointTagger(), "max-violation", "joint"),
    (Chunker(structure="segments"), "laso-alma", "segments"),
    (Chunker(template="laso2005"), "laso-alma", "segments"),
    (Chunker("perceptron"), "perceptron", "chain"),
    (Chunker("laso-perceptron"), "laso-perceptron", "segments"),
)
def test_without_a_recipe_the_task_chooses_one_for_the_structure(estimator, recipe, structure):
    choice = choice_of(estimator)
    assert (choice.recipe.name, choice.structure.name) == (recipe, structure)


def test_the_recipe_that_was_chosen_is_kept_in_the_file(tmp_path):
    chunker = Chunker(epochs=1).fit(TRAIN)
    assert chunker.recipe is None  # parameters stay as they were given
    loaded = stored(chunker, tmp_path)
    assert loaded.recipe == "mira"
    assert loaded.predict(TRAIN) == chunker.predict(TRAIN)


@for_each(cls=ESTIMATORS, name=["fast", "best"])
def test_every_preset_trains(cls, name):
    estimator = cls.preset(name, epochs=1, seeds=1)
    assert estimator.seeds == 1
    assert choice_of(estimator).recipe.name == cls.presets[name].get("recipe", "mira")
    estimator.fit(TRAIN)
    assert len(estimator.predict(TRAIN)) == len(TRAIN)


@pytest.mark.parametrize("given", [{"structure": "segments"}, {"template": "laso2005"}])
def test_a_preset_takes_the_recipe_of_the_structure_that_is_asked_for(given):
    choice = choice_of(Chunker.preset("fast", **given))
    assert (choice.recipe.name, choice.structure.name) == ("laso-alma", "segments")


def test_settings_of_a_preset_are_those_of_its_recipe():
    assert Chunker.preset("best").settings == {"update": "best"}
    assert Chunker.preset("best", settings={"alpha": 0.5}).settings == {"update": "best", "alpha": 0.5}
    assert Chunker.preset("best", settings={"update": "mean"}).settings == {"update": "mean"}
    other = Chunker.preset("best", recipe="mira", epochs=1, seeds=1).fit(TRAIN)
    assert not other.settings


def test_a_preset_that_sets_what_means_nothing_to_the_recipe_is_refused():
    with pytest.raises(UnsupportedError, match="the preset 'best' sets seeds, which means nothing to the recipe 'crf'"):
        Chunker.preset("best", recipe="crf")
    assert Chunker.preset("best", recipe="crf", seeds=1).recipe == "crf"


def test_a_preset_that_is_not_there_is_refused_with_those_that_are():
    refused(UnknownNameError, "Unknown preset 'bset'", Tagger.preset, "bset")


@pytest.fixture
def trained(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    riata.write_columns(TRAIN, tmp_path / "train.txt")
    return lambda *options: run("train", "chunk", "--train", "train.txt", "--model", "m.riata", "--json", *options)


def test_options_of_the_command_line_count_before_the_preset(trained):
    status, out, err = trained("--preset", "fast", "--epochs", "2")
    assert status == 0, err
    assert (json.loads(out)["recipe"], json.loads(out)["best_epoch"]) == ("mira", 2)
    status, out, err = trained("--preset", "best", "--recipe", "perceptron", "--seeds", "1", "--epochs", "1")
    assert status == 0, err
    assert json.loads(out)["recipe"] == "perceptron"


def test_an_unknown_preset_ends_with_status_2_and_names_those_there_are(trained):
    status, _, err = trained("--preset", "quick")
    assert status == 2
    assert "best, fast" in err


def test_the_page_about_recipes_has_the_same_advice():
    page = (Path(__file__).parents[2] / "docs" / "which-recipe.md").read_text(encoding="utf-8")
    for have, use, why in ADVICE:
        assert f"| {have} | `{use}` | {why} |" in page


def test_pieces_say_what_to_use(run):
    shown = run("pieces", "recipes")[1]
    assert all(use.split("(")[0] in shown for _, use, _ in ADVICE[:4])
    found = json.loads(run("pieces", "--json")[1])
    assert found["task"]["chunk"]["recipes"]["chain"] == "mira"


# --- the default template of entities reads two labels back where the learner can ------------------------------------
WORDS = [["Ana", "lives", "in", "Rome"], ["Bob", "saw", "New", "York"]] * 10
LABELS = [["B-P", "O", "O", "B-L"], ["B-P", "O", "B-L", "I-L"]] * 10


@for_rows(
    "parameters, reads",
    ({}, True),
    ({"recipe": "mira"}, True),
    ({"recipe": "laso-alma"}, True),
    ({"recipe": "laso-alma", "bits": 18}, True),
    ({"recipe": "crf", "epochs": 20}, True),
    ({"recipe": "crf", "epochs": 20, "settings": {"optimiser": "sgd"}}, True),
    ({"recipe": "memm", "epochs": 10}, False),
    ({"bits": 18}, False),
    ({"shards": 2}, True),
    ids=str,
)
def test_earlier_labels_are_read_where_they_can_be(parameters, reads):
    made = EntityRecognizer(**parameters).fit(WORDS, LABELS)
    assert any(template.labels for template in made.model_.features.templates) is reads
    assert made.score(WORDS, LABELS) == 1.0
