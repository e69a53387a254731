"""Given heads and relations with moves: all systems and beams keep them, and give a tree whenever there is one. Lists of the best trees."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from all_trees import heads_of_trees
from riata.errors import LabelError, UnsupportedError
from riata.structures.transitions.structure import SYSTEMS
from samples import quietly, treebank

pytestmark = pytest.mark.filterwarnings("ignore::riata.RiataWarning")
WORDS = [("the", "DET"), ("dog", "NOUN"), ("saw", "VERB"), ("old", "ADJ"), ("bus", "NOUN")]


@pytest.fixture(scope="module")
def parsers():
    """One for every system, greedy and with a beam."""
    made = {}
    for system in SYSTEMS:
        for queue in ({"queue": "greedy"}, {"beam": 4}):
            parser = riata.DependencyParser(
                "max-violation", structure="transitions", epochs=4, settings={"system": system}, **queue, tags="given"
            )
            made[system, str(queue)] = quietly(parser, treebank()[:24])
    return made


TREES = {(n, crosses): heads_of_trees(n, crosses=crosses) for n in (1, 2, 3, 4, 5) for crosses in (False, True)}


@settings(max_examples=60)
@given(data=st.data())
def test_given_heads_are_kept_wherever_a_tree_has_them(parsers, data):
    (system, _), parser = data.draw(st.sampled_from(sorted(parsers.items(), key=str)))
    length = data.draw(st.integers(1, 5))
    words = data.draw(st.permutations(WORDS))[:length]
    heads = data.draw(st.lists(st.none() | st.integers(0, length), min_size=length, max_size=length))
    if any(head == t for t, head in enumerate(heads, 1)):
        return
    possible = [
        tree
        for tree in TREES[length, system == "swap"]
        if all(head in (None, of) for head, of in zip(heads, tree, strict=True))
    ]
    asked = [[None if head is None else (head, None) for head in heads]]
    if not possible:
        with pytest.raises(LabelError, match="no legal"):
            parser.predict([words], given=asked)
        return
    (tree,) = parser.predict([words], given=asked)
    assert tuple(head for head, _ in tree) in possible


@settings(max_examples=40)
@given(data=st.data())
def test_given_relations_are_kept(parsers, data):
    _, parser = data.draw(st.sampled_from(sorted(parsers.items(), key=str)))
    length = data.draw(st.integers(2, 5))
    names = [name for name in parser.classes_ if name != "root"]
    relations = data.draw(st.lists(st.none() | st.sampled_from(names), min_size=length, max_size=length))
    asked = [[None if name is None else (None, name) for name in relations]]
    if None not in relations:  # nothing is left for the root
        with pytest.raises(LabelError, match="no legal"):
            parser.predict([WORDS[:length]], given=asked)
        return
    (tree,) = parser.predict([WORDS[:length]], given=asked)
    assert all(name in (None, of) for name, (_, of) in zip(relations, tree, strict=True))
    assert sum(head == 0 for head, _ in tree) == 1


def test_the_relation_of_the_root_makes_a_root(parsers):
    for parser in parsers.values():
        for token in range(5):
            asked = [(None, "root") if t == token else None for t in range(5)]
            (tree,) = parser.predict([WORDS], given=[asked])
            assert tree[token] == (0, "root")
        with pytest.raises(LabelError, match="no legal"):
            parser.predict([WORDS], given=[[(None, "root"), (0, None), None, None, None]])
        with pytest.raises(LabelError, match="no legal"):
            parser.predict([WORDS], given=[[(0, "det"), None, None, None, None]])


def test_nothing_given_changes_nothing_and_a_whole_tree_is_kept(parsers):
    for parser in parsers.values():
        free = parser.predict([WORDS, WORDS[:3]])
        assert parser.predict([WORDS, WORDS[:3]], given=[[None] * 5, [None] * 3]) == free
        assert parser.predict([WORDS, WORDS[:3]], given=free) == free


def test_given_arcs_constraints_and_confidences_go_together(parsers):
    asked = [[(2, None), None, None, None, (3, "obj")]]
    for parser in parsers.values():
        assert np.shape(parser.predict_confidence([WORDS], given=asked)[0]) == (5, 2)
        parser.set_params(constraints=[riata.constraints.at_most(1, "nsubj", per="head")])
        (tree,) = parser.predict([WORDS], given=asked)
        assert tree[0][0] == 2 and tree[4] == (3, "obj")
        parser.set_params(constraints=None)


@settings(max_examples=30)
@given(data=st.data())
def test_lists_are_those_of_all_trees_if_the_beam_is_wide_enough(parsers, data):
    system = data.draw(st.sampled_from([system for system in SYSTEMS if system != "swap"]))
    parser, words = parsers[system, str({"beam": 4})], data.draw(st.permutations(WORDS))[: data.draw(st.integers(1, 3))]
    model, inputs = parser.model_, parser.columns.input_columns(riata.data.memory.as_corpus([words]))
    names, root = model.outputs.relations, model.outputs.relations.index(model.outputs.root)
    others = [relation for relation in range(len(names)) if relation != root]
    codes = [
        tuple(head * len(names) + relation for head, relation in zip(heads, relations, strict=True))
        for heads in TREES[len(words), False]
        for relations in itertools.product(*([root] if head == 0 else others for head in heads))
    ]
    flat = np.array(codes, np.int32).ravel()
    scores = model.scores_of(model.instances(inputs[[0] * len(codes)]), flat)
    of = {code: score for code, score in zip(codes, scores.tolist(), strict=True) if score > -np.inf}
    (found,) = parser.twin(beam=10**6).predict_nbest([words], 12)
    assert [score for _, score in found] == pytest.approx(sorted(of.values(), reverse=True)[:12], abs=1e-4)
    for tree, score in found:
        assert of[tuple(head * len(names) + names.index(name) for head, name in tree)] == pytest.approx(score, abs=1e-4)
    assert len({tuple(tree) for tree, _ in found}) == len(found)


def test_the_first_of_a_list_is_the_prediction_and_the_beam_bounds_its_length(parsers):
    for (_, queue), parser in parsers.items():
        lists = parser.predict_nbest([WORDS, WORDS[:1], []], 9)
        assert [one[0][0] for one in lists] == parser.predict([WORDS, WORDS[:1], []])
        assert [len(one) for one in lists[1:]] == [1, 1]
        assert 1 <= len(lists[0]) <= (1 if "greedy" in queue else 4)
        scores = [score for _, score in lists[0]]
        assert scores == sorted(scores, reverse=True)
        with pytest.raises(UnsupportedError, match="summed over all outputs"):
            parser.predict_nbest([WORDS], 2, probabilities=True)
