"""The notation of what is compared, and errors that name the part that is wrong."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from python_problems import Tagging
from riata import Chunker, JointTagger, Predictor, Tagger, registry
from riata.comparing.contestant import Kind, distinct, named, note_on_sums, written
from riata.comparing.planning import deals_documents, folds, of_corpus, others
from riata.comparing.run import ENDING, Store
from riata.errors import SettingError, UnknownNameError
from samples import for_rows

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
    refused(UnknownNameError, "'lookahaed'", written, ["perceptron,early"], Kind(Chunker, {}, {"lookahaed": "1"}))
    refused(SettingError, "none of the recipes", written, ["perceptron"], Kind(Chunker, beam=3))


@for_rows(
    "text, said",
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
)
def test_errors_name_what_is_wrong(text, said):
    assert said in str(refused(SettingError, "", written, [text], CHUNKS))


@for_rows(
    "text, kind, reason",
    ("perceptron:beam=3", CHUNKS, "which has no beam"),
    ("memm:structure=segments", CHUNKS, "needs"),
    ("laso-alma:bits=18", CHUNKS, "bits is set"),
    ("perceptron", Kind(JointTagger), "needs argmax"),
    ("perceptron", Kind(Predictor, {"problem": Tagging()}), "searched only"),
    ("tagged=perceptron:learn_as=bioes", Kind(Tagger), "plain labels"),
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


@for_rows(
    "recipes, told",
    (["crf", "mira"], "crf: sums"),
    (["crf", "memm", "crf:constrain=true", "semicrf"], "crf: sums"),
    (["crf:constrain=true", "mira"], ""),
    (["mira", "laso-alma"], ""),
    (["crf", "crf-exp"], ""),
)
def test_sums_over_all_label_sequences_are_told_beside_others(recipes, told):
    found = note_on_sums(written(recipes, CHUNKS))
    assert told in found
    assert bool(found) == bool(told)
    assert note_on_sums(written(["crf", "mira"], Kind(Tagger))) == ""  # of which all are legal


# --- comparisons keep what is finished under a digest of the data, which must know the roles -------------------------
CORPUS = riata.load("embedded-roles")


def test_other_roles_are_other_data():
    bare = CORPUS.with_propositions([[one.with_roles(()) for one in each] for each in CORPUS.propositions])
    assert of_corpus(bare) != of_corpus(CORPUS)
    assert of_corpus(bare.with_propositions(CORPUS.propositions)) == of_corpus(CORPUS)


# --- A finished training is read back as it was, or not at all -------------------------------------------------------
RESULT = {"score": 93.15, "counts": [[1, 2], [3, 4]], "peak": None, "name": "größer"}


def test_what_was_put_in_comes_out(tmp_path):
    store = Store(tmp_path / "a" / "b")
    assert store.get("k") is None
    store.put("k", RESULT)
    assert Store(tmp_path / "a" / "b").get("k") == RESULT
    assert [path.name for path in store.folder.iterdir()] == [f"k{ENDING}"]
    store.forget(["k", "never there"])
    assert store.get("k") is None and not store.damaged


@given(st.data())
def test_a_damaged_file_counts_as_not_there(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("store")
    Store(folder).put("k", RESULT)
    path = folder / f"k{ENDING}"
    content = path.read_bytes()
    at = data.draw(st.integers(0, len(content) - 1))
    cut = data.draw(st.booleans())
    changed = bytes([content[at] ^ data.draw(st.integers(1, 255))])
    path.write_bytes(content[:at] if cut else content[:at] + changed + content[at + 1 :])
    store = Store(folder)
    assert store.get("k") is None
    assert store.damaged == [path.name]


def test_a_folder_that_is_none_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        assert "--work" in str(refused(SettingError, "no folder", Store, place))


def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write everywhere
    refused(SettingError, "may not be written to", Store, tmp_path)


# --- folds are dealt once, for all: disjoint, covering, of nearly equal size, and the same for the same seed ---------
@given(st.integers(2, 200), st.data(), st.integers(0, 2**32))
def test_every_sentence_is_in_one_fold(size, data, seed):
    number = data.draw(st.integers(2, size))
    parts = folds(size, number, seed)
    assert len(parts) == number
    assert sorted(np.concatenate(parts)) == list(range(size))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert all((np.diff(part) > 0).all() for part in parts)
    for part in parts:
        assert sorted([*part, *others(part, size)]) == list(range(size))


@given(st.integers(2, 50), st.integers(0, 100))
def test_the_seed_decides(size, seed):
    assert all((a == b).all() for a, b in zip(folds(size, 2, seed), folds(size, 2, seed), strict=True))


@given(st.lists(st.integers(0, 12), min_size=2, max_size=60), st.data(), st.integers(0, 2**32))
def test_whole_documents_are_dealt_where_there_are_enough(document, data, seed):
    """Their sentences need not be neighbours. No fold is empty."""
    number = data.draw(st.integers(2, len(document)))
    parts = folds(len(document), number, seed, np.array(document, np.int32))
    assert sorted(np.concatenate(parts)) == list(range(len(document)))
    assert all((np.diff(part) > 0).all() and len(part) for part in parts)
    if deals_documents(np.array(document), number):
        held = [{document[i] for i in part} for part in parts]
        assert sum(map(len, held)) == len(set(document))
        sizes = sorted(map(len, parts))
        assert sizes[-1] - sizes[0] <= max(document.count(name) for name in document)
    else:
        assert all((a == b).all() for a, b in zip(parts, folds(len(document), number, seed), strict=True))


def test_another_seed_deals_otherwise():
    assert any((a != b).any() for a, b in zip(folds(100, 4, 0), folds(100, 4, 1), strict=True))


@pytest.mark.parametrize("number", [1, 0, -3, True, 2.5, "5", None])
def test_a_number_that_is_none_is_refused(number):
    refused(SettingError, "folds is", folds, 10, number, 0)


def test_more_folds_than_sentences_are_refused():
    refused(SettingError, "only 3 sentences", folds, 3, 4, 0)
