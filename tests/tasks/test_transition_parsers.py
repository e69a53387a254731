"""Dependency parsers that search for moves; given heads and relations are kept; lists of the best trees."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from all_trees import heads_of_trees
from checks import refused, stored
from riata import DependencyParser
from riata.data.memory import as_corpus
from riata.data.trees import check_trees, with_trees
from riata.errors import LabelError, SettingError, UnsupportedError
from riata.learning.events import Progressed, Started
from riata.structures.transitions.structure import SYSTEMS
from samples import for_each, treebank

SENTENCES = [
    ("the/DET dog/NOUN sees/VERB a/DET cat/NOUN ./PUNCT", (2, 3, 0, 5, 3, 3), "det nsubj root det obj punct"),
    ("dogs/NOUN bark/VERB", (2, 0), "nsubj root"),
    ("bark/VERB", (0,), "root"),
    ("the/DET old/ADJ cat/NOUN sleeps/VERB", (3, 3, 4, 0), "det amod nsubj root"),
    ("cats/NOUN with/ADP tails/NOUN see/VERB dogs/NOUN ./PUNCT", (4, 3, 1, 0, 4, 4), "nsubj case nmod root obj punct"),
    ("she/PRON sees/VERB dogs/NOUN with/ADP glasses/NOUN", (2, 0, 2, 5, 2), "nsubj root obj case obl"),
    ("a/DET cat/NOUN that/PRON barks/VERB sleeps/VERB", (2, 5, 4, 2, 0), "det nsubj nsubj acl root"),
    ("sleeps/VERB the/DET dog/NOUN ?/PUNCT", (0, 3, 1, 1), "root det nsubj punct"),
]
CROSSING = ("a/DET dog/NOUN came/VERB that/PRON barks/VERB", (2, 3, 0, 5, 2), "det nsubj root nsubj acl")


def data(sentences=SENTENCES):
    words = [[tuple(token.split("/")) for token in text.split()] for text, _, _ in sentences]
    trees = [list(zip(heads, names.split(), strict=True)) for _, heads, names in sentences]
    return words, trees


def parser(recipe="max-violation", *, system="arc-hybrid", **given):
    settings = {"system": system}
    return DependencyParser(
        recipe, structure="transitions", settings=settings, **{"epochs": 12, "seed": 1, **given}, tags="given"
    )


def fitted(recipe="max-violation", sentences=SENTENCES, **given):
    return parser(recipe, **given).fit(*data(sentences))


@for_each(
    system=SYSTEMS, recipe=["laso-perceptron", "laso-alma", "early", "max-violation", "standard", "svm-subgradient"]
)
def test_every_recipe_that_searches_learns_trees(recipe, system):
    assert fitted(recipe, system=system, epochs=20).score(*data()) > 0.9


@pytest.mark.parametrize("queue", ["greedy", "beam"])
def test_queues_learn_trees(queue):
    words, trees = data()
    assert fitted("laso-perceptron", queue=queue, epochs=20).predict(words) == trees


@pytest.mark.parametrize("system", SYSTEMS)
def test_outputs_are_trees_with_one_root_even_for_unknown_words(system):
    rng = np.random.default_rng(0)
    tags = [token.partition("/")[2] for text, _, _ in SENTENCES for token in text.split()]
    words = [[(f"w{rng.integers(9)}", str(rng.choice([*tags, "NEW"]))) for _ in range(n)] for n in range(1, 30)]
    found = fitted(system=system, epochs=2).predict(words)
    check_trees(with_trees(as_corpus(words), found))
    assert all((head == 0) == (relation == "root") for tree in found for head, relation in tree)


def test_of_crossing_arcs_the_closest_tree_is_learnt():
    words, trees = data([*SENTENCES, CROSSING])
    found = fitted(sentences=[*SENTENCES, CROSSING], epochs=20).predict(words)
    assert found[:-1] == trees[:-1]
    assert sum(a != b for a, b in zip(found[-1], trees[-1], strict=True)) == 1


def test_with_swaps_crossing_arcs_are_learnt_as_they_are():
    words, trees = data([*SENTENCES, CROSSING])
    told = []
    learnt = parser(system="swap", epochs=20, beam=4).fit(
        words, trees, listener=lambda event: told.append(getattr(event, "text", ""))
    )
    assert learnt.predict(words) == trees
    assert not any("cross" in text for text in told)
    trace = learnt.trace(words[-1], trees[-1])
    assert "swap" in list(trace.path(trace.goal))


@for_each(queue=["greedy", "beam"], recipe=["laso-perceptron", "laso-alma", "early", "max-violation", "standard"])
def test_every_recipe_learns_crossing_arcs_with_swaps(recipe, queue):
    sentences = [*SENTENCES, CROSSING]
    learnt = fitted(recipe, sentences, system="swap", queue=queue, epochs=30)
    assert learnt.score(*data(sentences)) > 0.9


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_stored_model_predicts_the_same(tmp_path, system):
    words, _ = data()
    learnt = fitted(system=system, epochs=3)
    again = stored(learnt, tmp_path)
    assert again.predict(words) == learnt.predict(words)


def test_confidences_of_arcs_are_probabilities():
    words, _ = data()
    for sentence, tokens in zip(words, fitted(beam=16).predict_confidence(words), strict=True):
        assert len(tokens) == len(sentence)
        assert all(0 <= value <= 1 for value in np.ravel(tokens))


def test_a_trace_shows_moves_and_ends_in_the_prediction():
    words, trees = data()
    learnt = fitted(beam=4)
    trace = learnt.trace(words[0], trees[0])
    assert trace.path(trace.goal) is not None
    moves = list(trace.path(trace.goal))
    assert len(moves) == 2 * len(words[0]) - 1
    assert moves[0] == "shift"
    assert {move.split()[0] for move in moves} == {"shift", "left", "right"}


def test_training_goes_on_and_takes_the_system_of_the_model():
    words, trees = data()
    learnt = fitted(system="arc-eager", epochs=1)
    learnt.set_params(warm_start=True, epochs=20).fit(words, trees)
    assert learnt.predict(words) == trees
    with pytest.raises(SettingError, match="system is arc-hybrid"):
        learnt.set_params(settings={"system": "arc-hybrid"}).fit(words, trees)


def test_a_model_stays_as_it_is_while_training_goes_on():
    words, trees = data()
    learnt = fitted(epochs=1)
    model = learnt.model_
    rows = [part.tolist() for part in model.weights.rows()]
    learnt.set_params(warm_start=True, epochs=5).fit(words, trees)
    assert learnt.model_.weights.size > model.weights.size
    assert [part.tolist() for part in model.weights.rows()] == rows


@for_each(by=["prefix", "pending"], system=["arc-hybrid", "swap"])
def test_beams_may_compare_prefixes_or_all_that_is_pending(system, by):
    words, trees = data()
    learnt = DependencyParser(
        "max-violation",
        structure="transitions",
        settings={"system": system, "beam_by": by},
        beam=8,
        epochs=20,
        seed=1,
        tags="given",
    )
    assert learnt.fit(words, trees).score(words, trees) > 0.9


@pytest.mark.parametrize("queue", ["exact", "best-first", "depth-first", "breadth-first", "a-star", "hill-climb"])
def test_other_queues_are_refused_with_the_reason(queue):
    refused(UnsupportedError, queue, fitted, "laso-perceptron", queue=queue)


def test_recipes_that_need_exact_search_are_refused():
    refused(UnsupportedError, "transitions", fitted, "perceptron")


def test_words_alone_are_enough():
    words, trees = data()
    alone = [[word for word, _ in sentence] for sentence in words]
    learnt = parser(epochs=30).fit(alone, trees)
    assert learnt.predict(alone) == trees


def test_ctrl_c_leaves_the_model_of_the_last_complete_epoch():
    """Features that have come since then have no weights."""

    def listener(event):
        if isinstance(event, Started) and event.epoch == 3:
            listener.third = True
        if isinstance(event, Progressed) and getattr(listener, "third", False):
            raise KeyboardInterrupt

    words, trees = data()
    stopped = parser(epochs=5)
    refused(KeyboardInterrupt, "", stopped.fit, words * 50, trees * 50, listener=listener)
    whole = parser(epochs=2).fit(words * 50, trees * 50)
    assert stopped.best_epoch_ == 2
    assert sorted(stopped.state_features_) == sorted(whole.state_features_)
    assert stopped.predict(words) == whole.predict(words)


def test_a_feature_has_weights_for_many_relations(tmp_path):
    """More than a block of weights has, and all of them are there again after saving."""
    names = [f"r{i}" for i in range(40)]
    words = [[("a", "X"), (f"w{i}", "Y")] for i in range(40)]
    trees = [[(0, "root"), (1, name)] for name in names]
    learnt = parser("laso-perceptron", epochs=20, beam=8).fit(words, trees)
    assert learnt.predict(words) == trees
    counts = learnt.model_.weights.rows()[2]
    assert counts.max() > 30
    again = stored(learnt, tmp_path)
    assert again.predict(words) == trees
    assert sorted(again.state_features_) == sorted(learnt.state_features_)


@pytest.mark.parametrize("system", SYSTEMS)
def test_models_of_several_seeds_are_one(system):
    """The last block of the sum has room for weights that no model has."""
    words, trees = data()
    one, two = (parser("laso-perceptron", seed=seed, epochs=4, system=system).fit(words, trees) for seed in (0, 1))
    both = parser("laso-perceptron", seed=0, seeds=2, epochs=4, system=system).fit(words, trees)
    assert len(both.predict(words)) == len(words)
    first, second, found = one.state_features_, two.state_features_, both.state_features_
    members = np.array([[first.get(feature, 0), second.get(feature, 0)] for feature in found])
    shares, *_ = np.linalg.lstsq(members, np.array(list(found.values())), rcond=None)
    assert np.allclose(members @ shares, list(found.values()), atol=1e-3)


def test_another_system_than_that_of_training_is_refused():
    made = DependencyParser(structure="transitions", epochs=2, tags="given").fit(treebank()[:12])
    trees = made.predict(treebank())
    assert made.set_params(settings={"system": "arc-hybrid"}).predict(treebank()) == trees
    with pytest.raises(SettingError, match="system is swap, but the model was trained with arc-hybrid"):
        made.set_params(settings={"system": "swap"}).predict(treebank())
    assert made.fit(treebank()[:12]).model_.outputs.system == "swap"
    made.predict(treebank())


# --- given heads and relations with moves ----------------------------------------------------------------------------
WORDS = [("the", "DET"), ("dog", "NOUN"), ("saw", "VERB"), ("old", "ADJ"), ("bus", "NOUN")]


@pytest.fixture(scope="module")
def parsers():
    """One for every system, greedy and with a beam."""
    made = {}
    for system in SYSTEMS:
        for queue in ({"queue": "greedy"}, {"beam": 4}):
            parser = DependencyParser(
                "max-violation", structure="transitions", epochs=4, settings={"system": system}, **queue, tags="given"
            )
            made[system, str(queue)] = parser.fit(treebank()[:24])
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
        refused(LabelError, "no legal", parser.predict, [words], given=asked)
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
        refused(LabelError, "no legal", parser.predict, [WORDS[:length]], given=asked)
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
        refused(LabelError, "no legal", parser.predict, [WORDS], given=[[(None, "root"), (0, None), None, None, None]])
        refused(LabelError, "no legal", parser.predict, [WORDS], given=[[(0, "det"), None, None, None, None]])


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
        refused(UnsupportedError, "summed over all outputs", parser.predict_nbest, [WORDS], 2, probabilities=True)
