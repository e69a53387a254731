"""Dependency trees whose siblings are scored: what learns them, what they tell apart, and what is refused."""

import pickle

import pytest

import riata
from checks import refused
from riata.data.memory import as_corpus
from riata.errors import DataError, TemplateError, UnsupportedError
from riata.features.arcs import parse
from samples import for_rows, treebank

SMALL = parse(
    "arc head.tag[0] child.tag[0] distance\narc head.word[0] child.word[0]\nrelation head.tag[0] child.tag[0] direction\n"
    "relation child.word[0]\nsibling sibling.tag[0] child.tag[0] direction\nsibling head.tag[0] sibling.tag[0] child.tag[0]"
)


def trained(recipe="mira", **options):
    options = {"epochs": 5, "template": SMALL, **options}
    return riata.DependencyParser(recipe, structure="projective", **options, tags="given").fit(treebank()[:24])


@for_rows(
    "recipe, settings",
    ("perceptron", {}),
    ("mira", {"k": 3}),
    ("crf", {"c2": 0.1}),
    ("crf", {"c2": 0.1, "optimiser": "sgd"}),
    ("m3n", {"C": 0.1}),
    ("svmstruct-margin", {"C": 0.1}),
)
def test_learners_learn_siblings(recipe, settings):
    epochs = 5 if recipe in ("perceptron", "mira") else 40
    parser = trained(recipe, epochs=epochs, settings=settings)
    assert parser.score(treebank()[24:]) > 0.8
    weights = parser.state_features_
    assert any(feature.startswith("sibling ") and "sibling.tag[0]=none" in feature for feature, _ in weights)
    assert any("head.tag[0]=" in feature and "sibling.tag[0]=" in feature for feature, _ in weights)


def test_a_second_child_is_told_from_a_first():
    """The arcs of both sentences look the same one by one: no line reads the head. Only siblings differ."""
    data = [
        [("v", "V", "0", "root"), ("a", "A", "1", "x"), ("b", "B", "2", "y")],
        [("v", "V", "0", "root"), ("c", "C", "1", "x"), ("b", "B", "1", "y")],
    ] * 10
    arcs = "arc child.tag[0] direction\nrelation child.tag[0]\n"
    scores = [
        riata.DependencyParser(epochs=20, template=parse(arcs + more), structure="projective", tags="given")
        .fit(data)
        .score(data)
        for more in ("", "sibling sibling.tag[0] child.tag[0]")
    ]
    assert scores[0] < 1 and scores[1] == 1


def test_models_with_siblings_are_saved_and_pickled(tmp_path):
    parser = trained()
    parser.save(tmp_path / "p.riata")
    for again in (riata.load_model(tmp_path / "p.riata"), pickle.loads(pickle.dumps(parser))):
        assert again.predict(treebank()) == parser.predict(treebank())
        assert again.state_features_ == parser.state_features_
    on = riata.load_model(tmp_path / "p.riata").set_params(warm_start=True).fit(treebank()[:24])
    assert on.score(treebank()[:24]) > 0.9


def test_crossing_trees_refuse_siblings():
    with pytest.raises(UnsupportedError, match="reads siblings"):
        riata.DependencyParser("mira", structure="tree", template=SMALL, tags="given").fit(treebank())


@for_rows(
    "line, words", ("sibling head.tag[0] child.tag[0]", "read the sibling"), ("arc sibling.tag[0]", "read the sibling")
)
def test_lines_without_a_sibling_are_refused(line, words):
    refused(TemplateError, words, parse, line)


def test_lines_are_written_as_they_are_read():
    line = "sibling head.word[0] child.tag[0] sibling.tag[-1] distance"
    assert str(parse(line)[0]) == line


@pytest.mark.parametrize(("template", "most"), [(SMALL, 400), (None, 2000)])
def test_long_sentences_are_refused_with_a_remedy(template, most):
    long = [[("a", "A", "0", "root"), *[("b", "B", "1", "x")] * most]]
    with pytest.raises(DataError, match=f"{most:,}.*\n?.*transitions"):
        riata.DependencyParser("mira", structure="projective", template=template, tags="given").fit(as_corpus(long))
    parser = riata.DependencyParser("mira", structure="projective", template=template, epochs=1, tags="given").fit(
        treebank()
    )
    refused(DataError, f"takes up to {most}", parser.predict, [[token[:2] for token in long[0]]])
