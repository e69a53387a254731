"""Learning only, learning plus inference, and inference based training, side by side."""

import json

import pytest

import riata
from checks import refused
from riata import Tagger
from riata import constraints as c
from riata.comparing.contestant import Kind, written
from riata.errors import SettingError, UnknownNameError
from samples import TAGS, WORDS, as_text

THREE = [f"perceptron:inference={when}" for when in ("none", "after", "during")]
RULES = [c.at_most(0, "DT"), c.at_least(1, "VBZ")]


def test_inference_is_a_word_of_the_notation():
    found = written(THREE, Kind(Tagger, {"constraints": RULES}))
    assert [one.estimator.inference for one in found] == ["none", "after", "during"]
    assert not any(one.refused for one in found)
    with pytest.raises(SettingError, match=r"inference is 'befor'; expected 'none', 'after' or 'during'"):
        written(["perceptron:inference=befor"], Kind(Tagger, {"constraints": RULES}))
    refused(SettingError, "there are no constraints", written, THREE, Kind(Tagger))
    refused(UnknownNameError, "", written, ["perceptron:constraints=roles"], Kind(Tagger))


def test_recipes_that_cannot_learn_under_constraints_are_refused_with_the_reason():
    [perceptron, crf] = written(["perceptron,crf"], Kind(Tagger, {"constraints": RULES, "inference": "during"}))
    assert not perceptron.refused
    assert "the recipe 'crf' learns from more than the best output" in crf.refused


def test_scores_are_those_of_the_three_estimators(tmp_path):
    params = {"constraints": RULES, "epochs": 3}
    found = riata.compare(THREE, WORDS, TAGS, task="tag", test=(WORDS, TAGS), parameters=params, work=tmp_path)
    scores = {}
    for name in THREE:
        scores[name] = 100 * Tagger("perceptron", **params, inference=name.split("=")[1]).fit(WORDS, TAGS).score(
            WORDS, TAGS
        )
        assert found[name].quality.score == pytest.approx(scores[name])
    assert scores[THREE[0]] > scores[THREE[1]]  # no determiner is right under these rules
    again = riata.compare(THREE, WORDS, TAGS, task="tag", test=(WORDS, TAGS), parameters=params, work=tmp_path)
    assert again.to_dict()["trainings"] == {"kept": 3, "trained": 0}
    assert json.dumps(found.to_dict())
    other = {**params, "constraints": RULES[:1]}
    changed = riata.compare(THREE, WORDS, TAGS, task="tag", test=(WORDS, TAGS), parameters=other, work=tmp_path)
    assert changed.to_dict()["trainings"]["trained"] == 3


def test_functions_of_ones_own_are_asked_in_this_process(tmp_path):
    own = {"constraints": [c.predicate(lambda labels: labels[0] != "DT")], "epochs": 1}
    found = riata.compare(["perceptron"], WORDS, TAGS, task="tag", test=(WORDS, TAGS), parameters=own)
    assert found["perceptron"].quality.score < 100
    with pytest.raises(SettingError, match="has Python of yours"):
        riata.compare(["perceptron"], WORDS, TAGS, task="tag", test=(WORDS, TAGS), parameters=own, work=tmp_path)


def test_the_command_has_constraints_for_all(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(as_text(), encoding="utf-8")
    (tmp_path / "rules.txt").write_text('at_most(1, "NP")\n', encoding="utf-8")
    given = ("compare", "chunk", "--train", "train.txt", "--test", "train.txt", "--work", "w", "--epochs", "5")
    out = run.ok(*given, "--recipes", ",".join([*THREE, "crf:inference=during"]), "--constraint", "rules.txt", "--json")
    rows = {row["name"]: row for row in json.loads(out)["rows"]}
    assert rows[THREE[0]]["score"] == 100
    assert rows[THREE[1]]["score"] < 100
    assert rows[THREE[2]]["status"] == "done"
    assert rows["crf:inference=during"]["status"] == "refused"
    assert "learns from more than the best output" in rows["crf:inference=during"]["problem"]
    err = run.fails(*given, "--recipes", "perceptron", "--constraint", 'at_most(1, "NPS")')
    assert "failed" not in err  # refused before anything is trained
    assert "Did you mean 'NP'?" in err
