"""What a refusal advises is accepted by the next call, and settings that cannot be heeded are refused in time."""

import re

import pytest

import riata
from riata.errors import DataError, SettingError, TemplateError, UnsupportedError
from riata.features.joint import parse as parse_joint
from riata.features.segments import parse as parse_segments
from riata.features.templates import parse
from samples import CHUNKS, FEATURES, TAGS, WORDS, quietly

ADVISED = re.compile(r"use (structure|queue)=((?:'[\w-]+'(?: or )?)+)")
JOINT = riata.load("embedded", "train", ("word", "tag", "chunk"))[:30]

REFUSED = [
    (riata.Chunker, CHUNKS, {"recipe": "semicrf", "bits": 16}),
    (riata.Chunker, CHUNKS, {"recipe": "semicrf", "learn_as": "bioes"}),
    (riata.Chunker, CHUNKS, {"recipe": "semicrf", "settings": {"constrain": True}}),
    (riata.Chunker, CHUNKS, {"recipe": "mira", "settings": {"longest": 3}}),
    (riata.Chunker, CHUNKS, {"recipe": "memm", "settings": {"longest": 3}}),
    (riata.Chunker, CHUNKS, {"recipe": "crf", "structure": "segments", "bits": 16}),
    (riata.Chunker, CHUNKS, {"recipe": "laso-alma", "structure": "chain", "settings": {"update": "lattice"}}),
    (riata.Chunker, CHUNKS, {"recipe": "laso-alma", "queue": "exact", "settings": {"siblings": 2}}),
    (riata.JointTagger, JOINT, {"recipe": "laso-alma", "settings": {"update": "lattice"}}),
    (riata.JointTagger, JOINT, {"recipe": "crf"}),
    (riata.JointTagger, JOINT, {"shards": 2}),
]


@pytest.mark.parametrize(("estimator", "data", "params"), REFUSED, ids=lambda value: str(value)[:60])
def test_every_piece_that_a_refusal_advises_is_accepted(estimator, data, params):
    with pytest.raises((UnsupportedError, SettingError)) as refused:
        quietly(estimator(epochs=1, **params), data)
    assert refused.value.remedy
    for kind, names in ADVISED.findall(refused.value.remedy):
        for name in re.findall(r"'([\w-]+)'", names):
            quietly(estimator(epochs=1, **{**params, kind: name}), data)


def test_a_recipe_that_does_not_go_with_a_queue_says_what_to_do():
    with pytest.raises(UnsupportedError, match="Leave out queue"):
        riata.Chunker("mira", queue="beam").fit(CHUNKS)


def test_another_structure_is_advised_only_for_as_many_outputs():
    with pytest.raises(UnsupportedError) as refused:
        riata.JointTagger("perceptron").fit(JOINT)
    assert "structure=" not in refused.value.remedy
    advised = re.search(r"such as ([\w-]+)", refused.value.remedy)
    quietly(riata.JointTagger(advised[1], epochs=1), JOINT)


def test_a_setting_of_another_structure_names_the_structure():
    with pytest.raises(SettingError, match="'longest' belongs to the structure 'segments'") as refused:
        riata.Chunker("mira", settings={"longest": 3}).fit(CHUNKS)
    assert "Did you mean" not in str(refused.value)


@pytest.mark.parametrize("structure", [None, "segments"])
def test_a_template_of_a_structure_that_the_recipe_does_not_learn_is_not_answered_in_a_circle(structure):
    with pytest.raises(TemplateError, match="classic is for templates of chain") as refused:
        riata.Chunker("semicrf", structure=structure, template="classic").fit(CHUNKS)
    assert "Leave out template" in refused.value.remedy
    assert "structure=" not in refused.value.remedy
    with pytest.raises(SettingError, match=r"riata\.features\.segments\.parse makes those that do"):
        riata.Chunker("semicrf", structure=structure, template=parse("word[0]")).fit(CHUNKS)


def test_sentences_of_features_are_advised_a_structure_and_a_recipe_that_take_them():
    with pytest.raises(UnsupportedError, match="features already") as refused:
        riata.Tagger("semicrf").fit(FEATURES, TAGS)
    structure, recipe = re.search(r"structure='(\w+)' and another recipe, such as (\w+)", refused.value.remedy).groups()
    quietly(riata.Tagger(recipe, structure=structure, epochs=1), FEATURES, TAGS)


@pytest.mark.parametrize(
    ("estimator", "data", "language", "line"),
    [
        (riata.Chunker, CHUNKS, parse, "word[0]"),
        (riata.Chunker, CHUNKS, parse_segments, "inside word[0]"),
        (riata.JointTagger, JOINT, parse_joint, "tag word[0]"),
    ],
    ids=["chain", "segments", "joint"],
)
def test_the_line_that_is_advised_for_a_list_is_read(estimator, data, language, line):
    def made(lines):
        return quietly(estimator("laso-perceptron", epochs=1, template=language(lines), lists={"city": ["Rome"]}), data)

    with pytest.raises(SettingError, match="no template reads it") as refused:
        made(line)
    made(line + "\n" + re.search("such as '(.*)'", refused.value.remedy)[1])


@pytest.mark.parametrize("recipe", ["perceptron", "crf"])
def test_earlier_labels_with_bits_are_advised_what_is_accepted(recipe):
    given = {"template": parse("word[0]\nlabel[-1] word[0]"), "bits": 10}
    with pytest.raises(UnsupportedError, match="needs exact search") as refused:
        riata.Tagger(recipe, **given).fit(WORDS, TAGS)
    assert "edge in place of label[-1]" in refused.value.remedy
    assert "a recipe that searches, such as laso-perceptron" in refused.value.remedy
    quietly(riata.Tagger(recipe, epochs=1, template=parse("word[0]\nedge word[0]"), bits=10), WORDS, TAGS)
    quietly(riata.Tagger("laso-perceptron", epochs=1, **given), WORDS, TAGS)


@pytest.mark.parametrize("params", [{"shards": 2}, {"stream": True}])
def test_an_objective_over_all_data_is_the_reason_against_parts_of_them(params):
    with pytest.raises(UnsupportedError, match="minimises one objective over all data"):
        riata.Chunker("crf", settings={"optimiser": "sgd"}, **params).fit(CHUNKS)


def test_longest_is_refused_where_every_token_is_a_segment():
    words, tags = [["a", "a", "b"], ["b"]] * 3, [["X", "X", "Y"], ["Y"]] * 3
    with pytest.raises(UnsupportedError, match="every token is a segment"):
        quietly(riata.Tagger("mira", structure="segments", settings={"longest": 3}), words, tags)
    listed = quietly(riata.Tagger("mira", structure="segments"), words, tags).predict_nbest([["a", "b"]], 10)[0]
    assert len({tuple(labels) for labels, _ in listed}) == len(listed) == 4


def test_longest_of_a_model_cannot_change_while_training_goes_on():
    short, long = ([["a"], ["b"]] * 3, [["B-X"], ["O"]] * 3), ([["a", "b", "c"]] * 3, [["B-X", "I-X", "I-X"]] * 3)
    made = quietly(riata.Chunker("mira", structure="segments", warm_start=True), *short)
    with pytest.raises(SettingError, match="segments of at most 1 tokens"):
        quietly(made.set_params(settings={"longest": 3}), *long)
    with pytest.warns(riata.RiataWarning, match=r"more than 1 tokens(.|\n)*Train anew"):
        made.set_params(settings=None).fit(*long)


@pytest.mark.parametrize("optimiser", ["lbfgs", "sgd"])
def test_data_that_leave_no_sentence_to_learn_from_are_refused(optimiser):
    settings = {"longest": 1, "optimiser": optimiser}
    with pytest.raises(DataError, match="every sentence has a segment of more than 1"):
        quietly(riata.Chunker("semicrf", settings=settings), [["a", "b"]] * 20, [["B-X", "I-X"]] * 20)


def test_parameters_that_could_not_be_loaded_are_not_saved(tmp_path):
    made = quietly(riata.Chunker(epochs=1), CHUNKS).set_params(queue="foo")
    with pytest.raises(riata.errors.UnknownNameError, match="foo"):
        made.save(tmp_path / "c.riata")
    assert not list(tmp_path.iterdir())


def test_a_setting_of_other_recipes_names_them():
    with pytest.raises(
        SettingError,
        match=r"belongs to other recipes \(crf, .*'mira' does not have it.*\n.*Set C, or use recipe='crf'",
    ):
        riata.Tagger(c2=1).fit(WORDS, TAGS)


@pytest.mark.parametrize("name", ["strict", "check_input", "refit", "stream", "warm_start"])
def test_flags_given_as_text_are_refused(name):
    with pytest.raises(SettingError, match=f"{name} is 'False'; expected True or False"):
        riata.Tagger(**{name: "False"}).fit(WORDS, TAGS)


def test_a_setting_can_be_an_attribute():
    tagger = riata.Tagger("crf")
    tagger.c2 = 9
    assert tagger.c2 == 9 and tagger.settings == {"c2": 9} and tagger.get_params()["c2"] == 9
    assert not hasattr(tagger, "c1")
