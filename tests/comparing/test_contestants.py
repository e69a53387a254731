"""The notation of what is compared, and errors that name the part that is wrong."""

import math

import pytest

from python_problems import Tagging
from riata import Chunker, JointTagger, Predictor, Tagger, registry
from riata.comparing.contestant import Kind, distinct, named, note_on_sums, written
from riata.errors import SettingError, UnknownNameError

CHUNKS = Kind(Chunker)


def one(text, kind=CHUNKS):
    (found,) = written([text], kind)
    return found


def test_a_name_alone_is_the_recipe_as_it_is():
    found = one("laso-alma")
    assert (found.name, found.refused) == ("laso-alma", "")
    assert found.estimator.get_params() == Chunker("laso-alma").get_params()


def test_parameters_and_settings_after_colons():
    found = one("laso-alma:beam=10:update=best:epochs=3:structure=chain:learn-as=bioes:refit=true:dev=0.1")
    expected = Chunker(
        "laso-alma", beam=10, epochs=3, structure="chain", learn_as="bioes", refit=True, dev=0.1,
        settings={"update": "best"},
    )  # fmt: skip
    assert found.estimator.get_params() == expected.get_params()
    assert one("early:beam=inf").estimator.beam == math.inf


def test_several_in_a_text_or_in_several_and_a_name_before():
    found = written(["wide=early:beam=20, perceptron", "mira:C=0.1"], CHUNKS)
    assert [c.name for c in found] == ["wide", "perceptron", "mira:C=0.1"]
    assert found[0].estimator.beam == 20


def test_equal_names_get_numbers():
    found = written(["perceptron,perceptron,x=mira,x=early,perceptron"], CHUNKS)
    assert [c.name for c in found] == ["perceptron", "perceptron (2)", "x", "x (2)", "perceptron (3)"]
    assert len({c.name for c in distinct([*found, *found])}) == 10


def test_all_is_every_recipe_there_is():
    found = written(["all:epochs=2"], CHUNKS)
    assert [c.estimator.recipe for c in found] == list(registry.names("recipe"))
    assert {c.estimator.epochs for c in found} == {2}


def test_what_is_for_all_goes_to_those_that_have_it():
    kind = Kind(Chunker, {"epochs": 7}, {"C": "0.5", "average": "false"}, beam=3)
    found = {c.name: c.estimator for c in written(["perceptron,mira,early,early:beam=9:epochs=1:average=true"], kind)}
    assert {e.epochs for n, e in found.items() if ":" not in n} == {7}
    assert found["perceptron"].settings == {"average": "false"} and found["perceptron"].beam is None
    assert found["mira"].settings == {"C": "0.5", "average": "false"}
    assert found["early"].beam == 3
    last = found["early:beam=9:epochs=1:average=true"]
    assert (last.beam, last.epochs, last.settings["average"]) == (9, 1, "true")


def test_what_is_for_all_and_for_none_is_refused():
    with pytest.raises(UnknownNameError, match="'lookahaed'"):
        written(["perceptron,early"], Kind(Chunker, {}, {"lookahaed": "1"}))
    with pytest.raises(SettingError, match="none of the recipes"):
        written(["perceptron"], Kind(Chunker, beam=3))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("larso", "'larso': Unknown recipe 'larso'"),
        ("early:beem=3", "Unknown setting 'beem'. Did you mean 'beam'"),
        ("early:seed=3", "Unknown setting 'seed'"),
        ("early:beam", "'beam' is no setting; expected KEY=VALUE"),
        ("early:=3", "'=3' is no setting"),
        ("early:beam=", "'beam=' is no setting"),
        ("early:beam=2:beam=3", "'beam' is given twice"),
        ("early:beam=0", "'early:beam=0': setting 'beam'"),
        ("early:beam=wide", "'early:beam=wide': setting 'beam'"),
        ("early:epochs=1.5", "setting 'epochs'"),
        ("early:update=worst", "setting 'update'"),
        ("early:structure=graph", "Unknown structure 'graph'"),
        ("early:refit=true", "refit is True, but there are no development data"),
        ("perceptron:cutoff=2:bits=18", "with bits n-grams are hashed"),
        ("x=all", "one name cannot be that of all"),
        ("", "no recipes to compare"),
        (" , ", "no recipes to compare"),
    ],
)
def test_errors_name_what_is_wrong(text, said):
    with pytest.raises(SettingError) as error:
        written([text], CHUNKS)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("perceptron:beam=3", CHUNKS, "which has no beam"),
        ("memm:structure=segments", CHUNKS, "needs"),
        ("laso-alma:bits=18", CHUNKS, "bits is set"),
        ("perceptron", Kind(JointTagger), "needs argmax"),
        ("perceptron", Kind(Predictor, {"problem": Tagging()}), "searched only"),
        ("tagged=perceptron:learn_as=bioes", Kind(Tagger), "plain labels"),
    ],
)
def test_what_does_not_go_together_is_refused_with_the_reason(text, kind, reason):
    found = one(text, kind)
    assert reason in found.refused
    assert "\n" not in found.refused


def test_recipes_on_a_problem_of_ones_own():
    found = one("laso-alma:beam=3:epochs=2:update=best", Kind(Predictor, {"problem": Tagging()}))
    assert not found.refused
    assert (found.estimator.beam, found.estimator.epochs, found.estimator.settings) == (3, 2, {"update": "best"})


def test_estimators_by_name_are_taken_as_they_are():
    given = {"a": Chunker(epochs=3), "b": Chunker("perceptron", beam=4)}
    a, b = named(given)
    assert a.estimator is given["a"] and not a.refused
    assert b.refused


@pytest.mark.parametrize(
    ("recipes", "told"),
    [
        (["crf", "mira"], "crf: sums"),
        (["crf", "memm", "crf:constrain=true", "semicrf"], "crf: sums"),
        (["crf:constrain=true", "mira"], ""),
        (["mira", "laso-alma"], ""),
        (["crf", "crf-exp"], ""),
    ],
)
def test_sums_over_all_label_sequences_are_told_beside_others(recipes, told):
    found = note_on_sums(written(recipes, CHUNKS))
    assert told in found
    assert bool(found) == bool(told)
    assert note_on_sums(written(["crf", "mira"], Kind(Tagger))) == ""  # of which all are legal
