"""What a user sets is heeded, or refused with a reason: nothing is ignored in silence."""

import re
from dataclasses import replace

import pytest

import riata
from checks import refused
from riata import Chunker, JointTagger, Predictor, Problem, RiataWarning, Tagger, registry
from riata.errors import DataError, SettingError, TemplateError, UnknownNameError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.inference.structure import CHUNK_LABELS, SPACE
from riata.structures.joint.templates import parse as parse_joint
from riata.structures.segments.templates import parse as parse_segments
from samples import CHUNKS, FEATURES, TAGS, WORDS, for_rows


@for_rows("params", {"dev": 0.5}, {"dev": 0.5, "patience": 2}, {"patience": 2}, {"refit": True}, ids=str)
def test_partial_fit_refuses_parameters_that_choose_among_epochs(params):
    made = Chunker("perceptron", **params)
    caught = refused(SettingError, "partial_fit learns one epoch", made.partial_fit, CHUNKS)
    assert "set_params(dev=None, patience=None, refit=False)" in caught.remedy
    made.set_params(dev=None, patience=None, refit=False).partial_fit(CHUNKS)


class Count(Problem):
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
        Predictor(Count(), dev=0.5).partial_fit([1, 2, 3, 4], [1, 2, 3, 4])


@pytest.mark.parametrize(
    "changed",
    [{"recipe": "mira"}, {"settings": {"average": False}}, {"seeds": 2}, {"structure": "chain", "shards": 2}],
    ids=str,
)
def test_partial_fit_heeds_what_changed_since_the_last_call(changed):
    def made():
        return Chunker("perceptron", template=parse("word[0]\nedge")).partial_fit(CHUNKS)

    as_before, other = made().partial_fit(CHUNKS), made().set_params(**changed).partial_fit(CHUNKS)
    from_model = from_bytes(to_bytes(made())).set_params(template=None, **changed).partial_fit(CHUNKS)
    assert other.state_features_ != as_before.state_features_
    assert other.state_features_ == from_model.state_features_


def test_partial_fit_refuses_changes_before_it_learns_anything():
    made = Chunker("mira", structure="segments").partial_fit(CHUNKS)
    before = to_bytes(made)
    for changed in ({"class_weight": {"I-XX": 2.0}}, {"settings": {"longest": 9}}):
        refused(SettingError, "", made.set_params(**changed).partial_fit, CHUNKS)
        made.set_params(class_weight=None, settings=None)
    assert to_bytes(made) == before


def test_partial_fit_of_a_predictor_heeds_them_too():
    inputs = [1, 2, 3, 4]
    first, second = (Predictor(Count(), "laso-perceptron").partial_fit(inputs, inputs) for _ in range(2))
    first.partial_fit(inputs, inputs)
    second.set_params(settings={"average": False}).partial_fit(inputs, inputs)
    assert first.weights() != second.weights()


def test_several_seeds_without_a_random_order_are_refused():
    with pytest.raises(UnsupportedError, match="all models would be the same"):
        Chunker("mira", seeds=2, settings={"shuffle": False}).fit(CHUNKS)


def test_a_loaded_model_of_a_recipe_with_templates_of_its_own_can_be_trained_anew():
    made = Tagger("hmm").fit(WORDS, TAGS)
    loaded = from_bytes(to_bytes(made))
    assert loaded.template is None
    assert to_bytes(loaded.fit(WORDS, TAGS)) == to_bytes(made)


def test_weights_of_labels_that_chunk_types_imply_are_taken():
    given = {"I-VP": 3.0, "B-VP": 2.0}  # no chunk of the type VP has two tokens here, but segments could have
    made = Chunker("mira", structure="segments", class_weight=given).fit(CHUNKS)
    assert set(given) <= set(made.classes_)
    without = Chunker("mira", structure="segments", class_weight={"B-VP": 2.0}).fit(CHUNKS)
    assert made.model_.weights.flat().tolist() == without.model_.weights.flat().tolist()
    with pytest.raises(UnknownNameError, match="label in class_weight 'I-XX'"):
        Chunker("mira", structure="segments", class_weight={"I-XX": 3.0}).fit(CHUNKS)


@pytest.mark.parametrize("sentences", [[], [[]], [[], []]], ids=str)
def test_sentences_without_tokens_have_their_only_output(sentences):
    made = Tagger("crf", epochs=2).fit(WORDS, TAGS)
    assert made.predict(sentences) == sentences
    assert made.predict_ids(sentences).tolist() == []
    assert made.log_likelihood(sentences, sentences).tolist() == [0.0] * len(sentences)
    refused(DataError, "labels", made.log_likelihood, sentences, [*sentences, ["NN"]])
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
    made = Chunker("mira", structure="segments", epochs=1).fit(CHUNKS)
    lacking(SPACE)
    sentence = [(word, tag) for word, tag, _ in CHUNKS[0]]
    given = {"predict_confidence": [sentence], "diagnose": CHUNKS}.get(ask, sentence)
    with pytest.raises(UnsupportedError, match="The structure 'segments' is not searched step by step") as refused:
        getattr(made, ask)(given)
    assert refused.value.remedy and "recipe" not in refused.value.remedy


def test_chunks_are_refused_on_structures_that_could_give_illegal_labels(lacking):
    lacking(CHUNK_LABELS)
    refused(UnsupportedError, "does not know which of them may follow each other", Chunker("mira").fit, CHUNKS)
    Tagger("mira", epochs=1).fit(WORDS, TAGS)


# --- what a refusal advises is accepted by the next call, and settings that cannot be heeded are refused in time -----
ADVISED = re.compile(r"use (structure|queue)=((?:'[\w-]+'(?: or )?)+)")
JOINT = riata.load("embedded", "train", ("word", "tag", "chunk"))[:30]

REFUSED = [
    (Chunker, CHUNKS, {"recipe": "semicrf", "bits": 16}),
    (Chunker, CHUNKS, {"recipe": "semicrf", "learn_as": "bioes"}),
    (Chunker, CHUNKS, {"recipe": "semicrf", "settings": {"constrain": True}}),
    (Chunker, CHUNKS, {"recipe": "mira", "settings": {"longest": 3}}),
    (Chunker, CHUNKS, {"recipe": "memm", "settings": {"longest": 3}}),
    (Chunker, CHUNKS, {"recipe": "crf", "structure": "segments", "bits": 16}),
    (Chunker, CHUNKS, {"recipe": "laso-alma", "structure": "chain", "settings": {"update": "lattice"}}),
    (Chunker, CHUNKS, {"recipe": "laso-alma", "queue": "exact", "settings": {"siblings": 2}}),
    (JointTagger, JOINT, {"recipe": "laso-alma", "settings": {"update": "lattice"}}),
    (JointTagger, JOINT, {"recipe": "crf"}),
    (JointTagger, JOINT, {"shards": 2}),
]


@pytest.mark.parametrize(("estimator", "data", "params"), REFUSED, ids=lambda value: str(value)[:60])
def test_every_piece_that_a_refusal_advises_is_accepted(estimator, data, params):
    caught = refused((UnsupportedError, SettingError), "", estimator(epochs=1, **params).fit, data)
    assert caught.remedy
    for kind, names in ADVISED.findall(caught.remedy):
        for name in re.findall(r"'([\w-]+)'", names):
            estimator(epochs=1, **{**params, kind: name}).fit(data)


def test_a_recipe_that_does_not_go_with_a_queue_says_what_to_do():
    refused(UnsupportedError, "Leave out queue", Chunker("mira", queue="beam").fit, CHUNKS)


def test_another_structure_is_advised_only_for_as_many_outputs():
    caught = refused(UnsupportedError, "", JointTagger("perceptron").fit, JOINT)
    assert "structure=" not in caught.remedy
    advised = re.search(r"such as ([\w-]+)", caught.remedy)
    JointTagger(advised[1], epochs=1).fit(JOINT)


def test_a_setting_of_another_structure_names_the_structure():
    with pytest.raises(SettingError, match="'longest' belongs to the structure 'segments'") as refused:
        Chunker("mira", settings={"longest": 3}).fit(CHUNKS)
    assert "Did you mean" not in str(refused.value)


@pytest.mark.parametrize("structure", [None, "segments"])
def test_a_template_of_a_structure_that_the_recipe_does_not_learn_is_not_answered_in_a_circle(structure):
    with pytest.raises(TemplateError, match="classic is for templates of chain") as refused:
        Chunker("semicrf", structure=structure, template="classic").fit(CHUNKS)
    assert "Leave out template" in refused.value.remedy
    assert "structure=" not in refused.value.remedy
    with pytest.raises(SettingError, match=r"riata\.structures\.segments\.templates\.parse makes those that do"):
        Chunker("semicrf", structure=structure, template=parse("word[0]")).fit(CHUNKS)


def test_sentences_of_features_are_advised_a_structure_and_a_recipe_that_take_them():
    caught = refused(UnsupportedError, "features already", Tagger("semicrf").fit, FEATURES, TAGS)
    structure, recipe = re.search(r"structure='(\w+)' and another recipe, such as (\w+)", caught.remedy).groups()
    Tagger(recipe, structure=structure, epochs=1).fit(FEATURES, TAGS)


@for_rows(
    "estimator, data, language, line",
    (Chunker, CHUNKS, parse, "word[0]"),
    (Chunker, CHUNKS, parse_segments, "inside word[0]"),
    (JointTagger, JOINT, parse_joint, "tag word[0]"),
    ids=["chain", "segments", "joint"],
)
def test_the_line_that_is_advised_for_a_list_is_read(estimator, data, language, line):
    def made(lines):
        return estimator("laso-perceptron", epochs=1, template=language(lines), lists={"city": ["Rome"]}).fit(data)

    caught = refused(SettingError, "no template reads it", made, line)
    made(line + "\n" + re.search("such as '(.*)'", caught.remedy)[1])


@pytest.mark.parametrize("recipe", ["perceptron", "crf"])
def test_earlier_labels_with_bits_are_advised_what_is_accepted(recipe):
    given = {"template": parse("word[0]\nlabel[-1] word[0]"), "bits": 10}
    caught = refused(UnsupportedError, "needs exact search", Tagger(recipe, **given).fit, WORDS, TAGS)
    assert "edge in place of label[-1]" in caught.remedy
    assert "a recipe that searches, such as laso-perceptron" in caught.remedy
    Tagger(recipe, epochs=1, template=parse("word[0]\nedge word[0]"), bits=10).fit(WORDS, TAGS)
    Tagger("laso-perceptron", epochs=1, **given).fit(WORDS, TAGS)


@pytest.mark.parametrize("params", [{"shards": 2}, {"stream": True}])
def test_an_objective_over_all_data_is_the_reason_against_parts_of_them(params):
    with pytest.raises(UnsupportedError, match="minimises one objective over all data"):
        Chunker("crf", settings={"optimiser": "sgd"}, **params).fit(CHUNKS)


def test_longest_is_refused_where_every_token_is_a_segment():
    words, tags = [["a", "a", "b"], ["b"]] * 3, [["X", "X", "Y"], ["Y"]] * 3
    with pytest.raises(UnsupportedError, match="every token is a segment"):
        Tagger("mira", structure="segments", settings={"longest": 3}).fit(words, tags)
    listed = Tagger("mira", structure="segments").fit(words, tags).predict_nbest([["a", "b"]], 10)[0]
    assert len({tuple(labels) for labels, _ in listed}) == len(listed) == 4


def test_longest_of_a_model_cannot_change_while_training_goes_on():
    short, long = ([["a"], ["b"]] * 3, [["B-X"], ["O"]] * 3), ([["a", "b", "c"]] * 3, [["B-X", "I-X", "I-X"]] * 3)
    made = Chunker("mira", structure="segments", warm_start=True).fit(*short)
    refused(SettingError, "segments of at most 1 tokens", made.set_params(settings={"longest": 3}).fit, *long)
    with pytest.warns(RiataWarning, match=r"more than 1 tokens(.|\n)*Train anew"):
        made.set_params(settings=None).fit(*long)


@pytest.mark.parametrize("optimiser", ["lbfgs", "sgd"])
def test_data_that_leave_no_sentence_to_learn_from_are_refused(optimiser):
    settings = {"longest": 1, "optimiser": optimiser}
    with pytest.raises(DataError, match="every sentence has a segment of more than 1"):
        Chunker("semicrf", settings=settings).fit([["a", "b"]] * 20, [["B-X", "I-X"]] * 20)


def test_parameters_that_could_not_be_loaded_are_not_saved(tmp_path):
    made = Chunker(epochs=1).fit(CHUNKS).set_params(queue="foo")
    refused(UnknownNameError, "foo", made.save, tmp_path / "c.riata")
    assert not list(tmp_path.iterdir())


def test_a_setting_of_other_recipes_names_them():
    with pytest.raises(
        SettingError, match=r"belongs to other recipes \(crf, .*'mira' does not have it.*\n.*Set C, or use recipe='crf'"
    ):
        Tagger(c2=1).fit(WORDS, TAGS)


@pytest.mark.parametrize("name", ["strict", "check_input", "refit", "stream", "warm_start"])
def test_flags_given_as_text_are_refused(name):
    refused(SettingError, f"{name} is 'False'; expected True or False", Tagger(**{name: "False"}).fit, WORDS, TAGS)


def test_a_setting_can_be_an_attribute():
    tagger = Tagger("crf")
    tagger.c2 = 9
    assert tagger.c2 == 9 and tagger.settings == {"c2": 9} and tagger.get_params()["c2"] == 9
    assert not hasattr(tagger, "c1")
