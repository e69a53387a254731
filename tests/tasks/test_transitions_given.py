"""Given heads and relations with moves: all systems and beams keep them, and give a tree whenever there is one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from all_trees import heads_of_trees
from riata.errors import LabelError
from riata.inference.structures.transitions import SYSTEMS
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
                "max-violation", structure="transitions", epochs=4, settings={"system": system}, **queue
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
