"""Estimators on segments: from tags to tags, in every encoding, saved and loaded, with everything they refuse."""

import json
import pickle

import numpy as np
import pytest

import riata
from checks import refused, stored
from riata import Chunker, EntityRecognizer, registry
from riata.commands import main
from riata.data.columns import write_columns
from riata.data.encodings.base import shown_encodings
from riata.errors import ModelFileError, RiataError, SettingError, TemplateError, UnsupportedError
from riata.features import templates
from riata.models.weights_by_name import by_name
from riata.structures.segments import templates as segments
from samples import for_each

TEMPLATE = "inside word[0]\ninside tag[0] tag[1]\nsequence tag[0]\nlast tag[1]\nfirst tag[-1]\nlength\nlabel[-1]"


@pytest.fixture(scope="module")
def data():
    return riata.load("embedded", "train")[:120], riata.load("embedded", "test")[:40]


def chunker(recipe="laso-perceptron", template=TEMPLATE, **params):
    given = {"structure": "segments", "template": segments.parse(template), "epochs": 3, **params}
    return Chunker(recipe, **given)


@pytest.mark.parametrize("recipe", ["laso-alma", "laso-perceptron", "early", "max-violation", "standard", "perceptron"])
def test_it_learns_to_chunk(data, recipe):
    train, test = data
    made = chunker(recipe, epochs=8).fit(train)
    assert made.score(train) > 0.9
    assert made.score(test) > 0.8
    errors = made.search_errors(test)
    assert errors.test == "exact"
    assert errors.wrong == errors.search + errors.both + errors.model + errors.ties
    if recipe == "perceptron":
        assert (errors.search, errors.both, errors.lucky) == (0, 0, 0)


@pytest.mark.parametrize("encoding", sorted(shown_encodings()))
def test_every_encoding_gives_the_same_chunks(data, encoding):
    train, test = data
    iob2, other = registry.get("encoding", "iob2"), registry.get("encoding", encoding)

    def rewritten(corpus):
        tags = [[token[-1] for token in sentence] for sentence in corpus]
        return [other.encode(iob2.spans(one), len(one)) for one in tags]

    inputs = [[token[:-1] for token in sentence] for sentence in train]
    made = chunker(encoding=encoding).fit(inputs, rewritten(train))
    plain = chunker(encoding="iob2").fit(train)
    found = made.predict([[token[:-1] for token in sentence] for sentence in test])
    expected = plain.predict(test)
    assert [other.spans(tags) for tags in found] == [iob2.spans(tags) for tags in expected]


def test_it_comes_back_from_its_file_and_from_pickle(data, tmp_path):
    train, test = data
    made = chunker("laso-alma", settings={"longest": 4}).fit(train)
    made.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    for twin in (loaded, pickle.loads(pickle.dumps(made))):
        assert twin.predict(test) == made.predict(test)
        assert twin.model_.weights.most == 4
        assert twin.classes_ == made.classes_
        assert twin.search_errors(test) == made.search_errors(test)
    loaded.save(tmp_path / "again.riata")
    assert (tmp_path / "again.riata").read_bytes() == (tmp_path / "m.riata").read_bytes()


@for_each(name=["rows/parents", "roots/slots", "weights/steps", "family/0/values", "family/1/parents"])
def test_broken_files_are_refused(data, name):

    made = chunker(epochs=1).fit(data[0])
    header, arrays = made.model_.to_parts()
    functions = made.model_.features.functions
    assert made.model_.outputs.from_parts(header, arrays, functions).labels == made.model_.labels
    for broken in (arrays[name][:-1], np.full_like(arrays[name], 255), np.zeros(3)):
        with pytest.raises((ModelFileError, RiataError)):
            made.model_.outputs.from_parts(header, {**arrays, name: broken}, functions)
    for key, value in [("longest", 0), ("labels", []), ("segment_encoding", "none"), ("templates", ["word[0]"])]:
        refused(ModelFileError, "", made.model_.outputs.from_parts, {**header, key: value}, arrays, functions)


def test_training_goes_on(data):
    train, test = data
    once = chunker(epochs=2, settings={"shuffle": False}).fit(train)
    part = chunker(settings={"shuffle": False})
    for _ in range(2):
        part.partial_fit(train)
    assert part.predict(test) == once.predict(test)
    assert once.set_params(warm_start=True).fit(train).score(train) > 0.9
    refused(SettingError, "another structure", once.set_params(structure="chain", template=None).fit, train)


@pytest.mark.parametrize("setting", [{"bits": 16}, {"learn_as": "bioes"}, {"stream": True}], ids=str)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_parameters_that_segments_cannot_heed_are_refused(data, method, setting):
    (name,) = setting
    with pytest.raises(UnsupportedError, match=f"{name} is set, which the structure 'segments' cannot do"):
        getattr(chunker(**setting), method)(data[0])


def test_new_words_come_with_partial_fit(data):
    train, _ = data
    made = chunker()
    made.partial_fit(train[:60], classes=chunker(epochs=1).fit(train).classes_)
    for _ in range(3):
        made.partial_fit(train[60:])
    assert made.score(train[60:]) > 0.85


@pytest.mark.parametrize("anew", [False, True])
def test_weights_stay_with_their_features_when_words_come(data, anew):
    """New words without weight in training change no weight, wherever their rows come to stand."""
    train, _ = data
    made = chunker(settings={"average": False})

    def named(estimator):
        found = by_name(estimator.model_).heaviest(10**6)
        return {(weight.feature, label): weight.weight for label, weights in found.items() for weight in weights}

    made.partial_fit(train[:60], classes=chunker(epochs=1).fit(train).classes_)
    before, size = named(made), made.model_.features.index.size(0)
    if anew:
        made = pickle.loads(pickle.dumps(made))  # forgets the learner
    made.partial_fit(train[60:], sample_weight=[0.0] * len(train[60:]))
    assert made.model_.features.index.size(0) > size
    assert named(made) == before


def test_segments_that_are_too_long_are_reported(data):
    told = []
    made = chunker(settings={"longest": 2}).fit(data[0], listener=told.append)
    text = " ".join(getattr(event, "text", "") for event in told)
    spans = [registry.get("encoding", "iob2").spans([t[-1] for t in s]) for s in data[0]]
    number = sum(span.end - span.start > 2 for one in spans for span in one)
    assert f"Segments of more than 2 tokens: {number:,}." in text
    found = [registry.get("encoding", "iob2").spans(tags) for tags in made.predict(data[1])]
    assert max(span.end - span.start for one in found for span in one) == 2


def on_segments():
    """Every recipe that learns segments, with the queue that it has and, where it searches, with exact search."""
    every = [(name, registry.get("recipe", name)) for name in registry.names("recipe")]
    fits = [(name, recipe) for name, recipe in every if recipe.searches or name in ("perceptron", "semicrf")]
    return [(name, queue) for name, recipe in fits for queue in (None, "exact") if recipe.searches or queue is None]


@pytest.mark.parametrize(("recipe", "queue"), on_segments())
def test_a_model_of_data_with_segments_that_are_too_long_can_be_loaded(recipe, queue, data, tmp_path):
    given = {} if recipe == "semicrf" else {"structure": "segments", "queue": queue}
    made = Chunker(recipe, epochs=2, settings={"longest": 2}, **given).fit(data[0][:60])
    assert stored(made, tmp_path).predict(data[1][:20]) == made.predict(data[1][:20])


def test_dev_data_and_refit(data):
    made = chunker(dev=0.2, refit=True, patience=2).fit(data[0])
    assert made.best_score_ > 70
    assert made.score(data[1]) > 0.8


def test_history_beyond_exact_search(data):
    made = chunker(template=f"{TEMPLATE}\nlabel[-2] label[-1]").fit(data[0])
    assert made.score(data[1]) > 0.8
    assert made.set_params(queue="exact", beam=None).score(data[1]) > 0.8  # by an unbounded beam
    with pytest.raises(UnsupportedError, match=r"label\[-1\]"):
        chunker("perceptron", template=f"{TEMPLATE}\nlabel[-2] label[-1]").fit(data[0])


def test_double_precision(data):
    made = chunker(settings={"precision": "double"}).fit(data[0])
    assert made.score(data[1]) > 0.8


def test_other_recipes_and_methods_are_refused(data):
    refused(UnsupportedError, "memm", chunker("memm").fit, data[0])
    made = chunker(epochs=1).fit(data[0])
    refused(UnsupportedError, "found exactly; the queue 'beam'", made.predict_nbest, data[1], 2)
    refused(UnsupportedError, "no search to trace", made.set_params(queue="exact", beam=None).trace, data[1][:1])
    further = chunker(template=f"{TEMPLATE}\nlabel[-2] label[-1]", epochs=1).fit(data[0])
    refused(UnsupportedError, r"label\[-2\]", further.set_params(queue="exact", beam=None).predict_nbest, data[1], 2)
    refused(UnsupportedError, "class_weight is set", chunker(class_weight="balanced").fit, data[0])
    refused(UnsupportedError, "features already", chunker(template="length").fit, [[{"a": 1.0}]], [["O"]])


def test_the_best_come_in_order(data):
    made = chunker("perceptron").fit(data[0])
    test, predicted = data[1], made.predict(data[1])
    for tags, found in zip(predicted, made.predict_nbest(test, 3), strict=True):
        assert found[0][0] == tags
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
        assert len({tuple(one) for one, _ in found}) == len(found) == (3 if len(tags) > 1 else len(found))
    tags = [[found[-1][0] for found in made.predict_nbest(test, 2)][:5]][0]
    instances = made.model_.features.instances(made.columns.input_columns(test[:5]))
    ids = np.array([made.model_.labels.index(tag) for one in tags for tag in one], np.int32)
    scores = [found[-1][1] for found in made.predict_nbest(test[:5], 2)]
    assert made.model_.scores_of(instances, ids) == pytest.approx(scores, abs=1e-3)
    assert made.predict_nbest([[]], 2) == [[([], 0.0)]]


def test_templates_of_the_other_language_are_refused(data, tmp_path):
    with pytest.raises(SettingError, match="does not fit the structure 'segments'"):
        Chunker("early", structure="segments", template=templates.parse("word[0]")).fit(data[0])
    with pytest.raises(SettingError, match="does not fit the structure 'chain'"):
        Chunker("early", structure="chain", template=segments.parse("length")).fit(data[0])
    path = tmp_path / "mine.template"
    path.write_text("word[0]\nedge\n")
    refused(TemplateError, "has no role", Chunker("early", structure="segments", template=path).fit, data[0])
    path.write_text("inside word[0]\n")
    refused(TemplateError, "templates of segments", Chunker("early", structure="chain", template=path).fit, data[0])
    refused(TemplateError, "laso2005", Chunker("early", structure="chain", template="laso2005").fit, data[0])


def test_where_no_structure_is_named_the_template_speaks_for_one(data, tmp_path):
    """Without a template of either language, chunkers that search have segments."""
    path = tmp_path / "mine.template"
    path.write_text("# mine\ninside word[0]  # all of them\nlabel[-1]\n")
    other = tmp_path / "other.template"
    other.write_text("word[0]\nlabel[-1]\n")
    for recipe, template, structure in [
        ("early", None, "segments"),
        ("perceptron", None, "chain"),
        ("early", "chunk", "segments"),
        ("early", "classic", "chain"),
        ("early", "laso2005", "segments"),
        ("perceptron", "laso2005", "segments"),
        ("early", path, "segments"),
        ("early", str(other), "chain"),
        ("early", templates.parse("word[0]"), "chain"),
        ("early", segments.parse("length"), "segments"),
    ]:
        made = Chunker(recipe, template=template, epochs=1).fit(data[0][:20])
        assert made.model_.structure == structure
    assert EntityRecognizer("early", epochs=1).fit(data[0][:20]).model_.structure == "chain"


def test_training_goes_on_in_the_structure_of_the_model(data, tmp_path):
    train = data[0][:20]
    made = Chunker("early", structure="chain", epochs=1).fit(train).set_params(structure=None)
    made.predict(train)
    for one in (made, stored(made, tmp_path)):
        assert one.set_params(warm_start=True).fit(train).model_.structure == "chain"
        assert one.partial_fit(train).model_.structure == "chain"
    assert made.set_params(warm_start=False).fit(train).model_.structure == "segments"


def test_the_default_template_keeps_to_what_exact_search_can_read(data):
    made = Chunker("laso-alma", queue="exact", epochs=2).fit(data[0])
    assert max(-t.labels[0] for t in made.model_.features.templates if t.labels) == 1
    assert made.score(data[0]) > 0.9
    refused(UnsupportedError, "no further than", Chunker("laso-alma", queue="exact", template="chunk").fit, data[0])


def test_from_words_alone_and_with_lists(data):
    train = [[token[0] for token in sentence] for sentence in data[0]]
    tags = [[token[-1] for token in sentence] for sentence in data[0]]
    made = Chunker("laso-perceptron", structure="segments", epochs=5, lists={"month": ["May", "June"]}).fit(train, tags)
    assert made.score(train, tags) > 0.9
    assert any("list(month)" in str(template) for template in made.model_.features.templates)


def test_the_heaviest_features_have_names(data):
    made = chunker().fit(data[0])
    found = by_name(made.model_).heaviest(10_000)
    assert set(found) == set(made.model_.outputs.segmentation.types)
    names = {weight.feature for weights in found.values() for weight in weights}
    assert {"length=1", "label[-1]=NP", "label[-1]="} <= names
    assert any(name.startswith("sequence tag[0]=DT tag[0]=NN") for name in names)
    assert any(name.startswith("inside tag[0]=DT tag[1]=") for name in names)
    assert "first tag[-1]=_B-1" in names


def test_from_the_command_line(data, tmp_path, capsys):
    for name, corpus in zip(("train", "test"), data, strict=True):
        write_columns(corpus, tmp_path / f"{name}.txt")
    (tmp_path / "mine.segments").write_text(TEMPLATE)
    model = str(tmp_path / "m.riata")
    given = ["--structure", "segments", "--recipe", "laso-alma", "--beam", "3", "--epochs", "2"]
    given += ["--template", str(tmp_path / "mine.segments"), "--set", "longest=6"]

    def run(*arguments):
        assert refused(SystemExit, "", main, [*arguments]).code in (0, None)
        return capsys.readouterr().out

    run("train", "chunk", "--train", str(tmp_path / "train.txt"), "--model", model, *given)
    found = run("evaluate", "--model", model, "--json", str(tmp_path / "test.txt"))
    assert json.loads(found)["structure"] == "segments"
    assert run("predict", "--model", model, str(tmp_path / "test.txt")).count("\n") > 100
    assert "sequence tag[0]=" in run("inspect", model)
    assert json.loads(run("inspect", model, "--json"))["weights"] > 100
