"""The relation of the root belongs to the root: exact parsers learn it from their data, and keep it in everything that they give."""

import numpy as np
import pytest

import riata
from all_trees import all_trees
from riata.errors import LabelError
from riata.estimators.model_file import from_bytes, to_bytes
from samples import quietly, treebank

pytestmark = pytest.mark.filterwarnings("ignore::riata.RiataWarning")
SENTENCE = [("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB")]
WORDS = [[token[:2] for token in sentence] for sentence in treebank()[24:40]]


def rooted(tree):
    return all((head == 0) == (relation == "root") for head, relation in tree)


@pytest.fixture(scope="module", params=["projective", "tree"])
def parser(request):
    return quietly(
        riata.DependencyParser("crf", structure=request.param, settings={"c2": 1.0}, tags="given", calibrated=False),
        treebank()[:24],
    )


def test_the_root_has_its_relation_and_no_other_token_has_it(parser):
    assert all(map(rooted, parser.predict(WORDS)))
    assert all(rooted(tree) for trees in parser.predict_nbest(WORDS, 20) for tree, _ in trees)
    assert all(map(rooted, parser.twin(settings={"c2": 1.0, "decode": "marginals"}).predict(WORDS)))


def test_probabilities_are_those_of_trees_that_are_offered(parser):
    trees, logs = all_trees(parser, SENTENCE)
    legal = np.array([rooted(tree) for tree in trees])
    assert np.isneginf(logs[~legal]).all()
    assert np.exp(logs[legal]).sum() == pytest.approx(1, abs=1e-4)
    listed = parser.predict_nbest([SENTENCE], 10_000)[0]
    assert len(listed) == legal.sum()


def test_the_relation_of_the_root_gives_its_head(parser):
    (tree,) = parser.predict([SENTENCE], given=[[(None, "root"), None, None]])
    assert tree[0] == (0, "root") and rooted(tree)
    (tree,) = parser.predict([SENTENCE], given=[[(0, None), None, None]])
    assert tree[0] == (0, "root") and rooted(tree)


@pytest.mark.parametrize(
    "given",
    [
        [(0, "nsubj"), None, None],
        [(2, "root"), None, None],
        [(None, "root"), (None, "root"), None],
        [(None, "det"), (None, "nsubj"), (None, "obj")],
    ],
)
def test_given_arcs_that_contradict_it_are_refused(parser, given):
    with pytest.raises(LabelError, match="trees with one root"):
        parser.predict([SENTENCE], given=[given])


def test_a_stored_parser_keeps_it(parser):
    again = from_bytes(to_bytes(parser))
    assert again.predict_nbest(WORDS[:4], 10) == parser.predict_nbest(WORDS[:4], 10)


def test_what_later_data_show_is_offered_from_then_on():
    first = [[("a", "X", "0", "root"), ("b", "Y", "1", "obj")]] * 3
    later = [[("a", "X", "0", "parataxis"), ("b", "Y", "1", "root")]] * 6
    parser = riata.DependencyParser("perceptron", epochs=3, tags="given")
    parser.partial_fit(first, classes=["root", "obj", "parataxis"])
    assert parser.predict([[("a", "X"), ("b", "Y")]])[0] == [(0, "root"), (1, "obj")]
    for _ in range(3):
        parser.partial_fit(later)
    assert parser.predict([[("a", "X"), ("b", "Y")]])[0] == [(0, "parataxis"), (1, "root")]


@pytest.mark.parametrize("structure", ["projective", "tree"])
def test_a_treebank_whose_root_has_no_relation_of_its_own_offers_it_everywhere(structure):
    data = [[(word, tag, head, "dep") for word, tag, head, _ in sentence] for sentence in treebank()[:24]]
    parser = quietly(riata.DependencyParser(structure=structure, epochs=3, tags="given"), data)
    assert all(relation == "dep" for tree in parser.predict(WORDS) for _, relation in tree)


def test_errors_of_the_model_are_told_from_what_it_never_gives(parser):
    odd = [[("the", "DET", "2", "det"), ("dog", "NOUN", "3", "root"), ("sleeps", "VERB", "0", "nsubj")]]
    assert parser.search_errors(odd).of == ("model",)
    assert np.isneginf(parser.log_likelihood(odd))


def test_the_closest_tree_that_is_learnt_instead_of_a_crossing_one_has_its_root():
    heads, relations = (2, 0, 1, 1, 1), ("nsubj", "root", "obj", "obl", "punct")  # closest of all is (0, 3, 1, 1, 1)
    crossing = [(f"w{i}", "X", str(head), relations[i]) for i, head in enumerate(heads)]
    parser = quietly(
        riata.DependencyParser(structure="projective", epochs=2, tags="given"), [crossing, *treebank()[:24]]
    )
    root, others = parser.model_.weights.seen_relations()
    assert [relation for relation, seen in zip(parser.classes_, root, strict=True) if seen] == ["root"]
    assert not others[parser.classes_.index("root")]


def test_probabilities_of_trees_are_found_however_far_scores_are_apart():
    parser = quietly(
        riata.DependencyParser("perceptron", structure="tree", epochs=5, tags="given", calibrated=False),
        treebank()[:24],
    )
    weights = parser.model_.weights
    weights.set_flat(weights.flat() * np.float32(1e4))
    (tree,), (sure,) = parser.predict([SENTENCE]), parser.predict_confidence([SENTENCE])
    assert rooted(tree) and all(head == pytest.approx(1) for head, _ in sure)
    assert parser.log_likelihood([SENTENCE], [tree])[0] == pytest.approx(0, abs=0.1)  # of scores in single precision
