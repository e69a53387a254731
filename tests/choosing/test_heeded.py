"""What a user sets is heeded, or refused with a reason: nothing is ignored in silence."""

from dataclasses import replace

import pytest

import riata
from riata import registry
from riata.errors import DataError, SettingError, UnknownNameError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.inference.structure import CHUNK_LABELS, SPACE
from samples import CHUNKS, TAGS, WORDS, quietly


@pytest.mark.parametrize(
    "params", [{"dev": 0.5}, {"dev": 0.5, "patience": 2}, {"patience": 2}, {"refit": True}], ids=str
)
def test_partial_fit_refuses_parameters_that_choose_among_epochs(params):
    made = riata.Chunker("perceptron", **params)
    with pytest.raises(SettingError, match="partial_fit learns one epoch") as refused:
        made.partial_fit(CHUNKS)
    assert "set_params(dev=None, patience=None, refit=False)" in refused.value.remedy
    made.set_params(dev=None, patience=None, refit=False).partial_fit(CHUNKS)


class Count(riata.Problem):
    """Counts to x."""

    def initial(self, x):
        return 0

    def actions(self, x, s):
        return ("on", "stop")

    def apply(self, x, s, a):
        return s + 1 if a == "on" else -1 - s

    def is_goal(self, x, s):
        return s < 0 or s >= 5

    def features(self, x, s, a):
        return [f"{x}|{s}|{a}"]

    def regret(self, x, s, y):
        return float(s > y if s >= 0 else -1 - s != y)

    def output(self, x, s, path):
        return path.count("on")


def test_partial_fit_of_a_predictor_refuses_them_too():
    with pytest.raises(SettingError, match="partial_fit learns one epoch"):
        riata.Predictor(Count(), dev=0.5).partial_fit([1, 2, 3, 4], [1, 2, 3, 4])


@pytest.mark.parametrize(
    "changed",
    [{"recipe": "mira"}, {"settings": {"average": False}}, {"seeds": 2}, {"structure": "chain", "shards": 2}],
    ids=str,
)
def test_partial_fit_heeds_what_changed_since_the_last_call(changed):
    def made():
        return riata.Chunker("perceptron", template=parse("word[0]\nedge")).partial_fit(CHUNKS)

    as_before, other = made().partial_fit(CHUNKS), made().set_params(**changed).partial_fit(CHUNKS)
    from_model = from_bytes(to_bytes(made())).set_params(template=None, **changed).partial_fit(CHUNKS)
    assert other.state_features_ != as_before.state_features_
    assert other.state_features_ == from_model.state_features_


def test_partial_fit_refuses_changes_before_it_learns_anything():
    made = riata.Chunker("mira", structure="segments").partial_fit(CHUNKS)
    before = to_bytes(made)
    for changed in ({"class_weight": {"I-XX": 2.0}}, {"settings": {"longest": 9}}):
        with pytest.raises(SettingError):
            made.set_params(**changed).partial_fit(CHUNKS)
        made.set_params(class_weight=None, settings=None)
    assert to_bytes(made) == before


def test_partial_fit_of_a_predictor_heeds_them_too():
    inputs = [1, 2, 3, 4]
    first, second = (riata.Predictor(Count(), "laso-perceptron").partial_fit(inputs, inputs) for _ in range(2))
    first.partial_fit(inputs, inputs)
    second.set_params(settings={"average": False}).partial_fit(inputs, inputs)
    assert first.weights() != second.weights()


def test_several_seeds_without_a_random_order_are_refused():
    with pytest.raises(UnsupportedError, match="all models would be the same"):
        riata.Chunker("mira", seeds=2, settings={"shuffle": False}).fit(CHUNKS)


def test_a_loaded_model_of_a_recipe_with_templates_of_its_own_can_be_trained_anew():
    made = quietly(riata.Tagger("hmm"), WORDS, TAGS)
    loaded = from_bytes(to_bytes(made))
    assert loaded.template is None
    assert to_bytes(quietly(loaded, WORDS, TAGS)) == to_bytes(made)


def test_weights_of_labels_that_chunk_types_imply_are_taken():
    given = {"I-VP": 3.0, "B-VP": 2.0}  # no chunk of the type VP has two tokens here, but segments could have
    made = quietly(riata.Chunker("mira", structure="segments", class_weight=given), CHUNKS)
    assert set(given) <= set(made.classes_)
    without = quietly(riata.Chunker("mira", structure="segments", class_weight={"B-VP": 2.0}), CHUNKS)
    assert made.model_.weights.flat().tolist() == without.model_.weights.flat().tolist()
    with pytest.raises(UnknownNameError, match="label in class_weight 'I-XX'"):
        quietly(riata.Chunker("mira", structure="segments", class_weight={"I-XX": 3.0}), CHUNKS)


@pytest.mark.parametrize("sentences", [[], [[]], [[], []]], ids=str)
def test_sentences_without_tokens_have_their_only_output(sentences):
    made = quietly(riata.Tagger("crf", epochs=2), WORDS, TAGS)
    assert made.predict(sentences) == sentences
    assert made.predict_ids(sentences).tolist() == []
    assert made.log_likelihood(sentences, sentences).tolist() == [0.0] * len(sentences)
    with pytest.raises(DataError, match="labels"):
        made.log_likelihood(sentences, [*sentences, ["NN"]])
    beside = made.log_likelihood([*sentences, WORDS[0]], [*sentences, TAGS[0]])
    assert beside[:-1].tolist() == [0.0] * len(sentences)


@pytest.fixture
def lacking(monkeypatch):
    """Makes all structures lack an operation."""
    real = registry.get

    def lack(operation):
        def got(kind, name):
            found = real(kind, name)
            return replace(found, offers=found.offers - {operation}) if kind == "structure" else found

        monkeypatch.setattr(registry, "get", got)

    return lack


@pytest.mark.parametrize("ask", ["trace", "explain", "predict_confidence", "diagnose"])
def test_what_needs_a_search_is_refused_for_structures_without_one(lacking, ask):
    made = quietly(riata.Chunker("mira", structure="segments", epochs=1), CHUNKS)
    lacking(SPACE)
    sentence = [(word, tag) for word, tag, _ in CHUNKS[0]]
    given = {"predict_confidence": [sentence], "diagnose": CHUNKS}.get(ask, sentence)
    with pytest.raises(UnsupportedError, match="The structure 'segments' is not searched step by step") as refused:
        getattr(made, ask)(given)
    assert refused.value.remedy and "recipe" not in refused.value.remedy


def test_chunks_are_refused_on_structures_that_could_give_illegal_labels(lacking):
    lacking(CHUNK_LABELS)
    with pytest.raises(UnsupportedError, match="does not know which of them may follow each other"):
        riata.Chunker("mira").fit(CHUNKS)
    quietly(riata.Tagger("mira", epochs=1), WORDS, TAGS)
