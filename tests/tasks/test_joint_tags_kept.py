"""Joint tags with given arcs and tags, with constraints, and in lists of the best: against all trees with all tags."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from all_trees import heads_of_trees
from checks import refused
from riata import DependencyParser
from riata import constraints as c
from riata.data.memory import as_corpus
from riata.data.types import Column
from riata.errors import DataError, LabelError, SearchError, UnsupportedError
from riata.features.likely_tags import tags_in
from samples import for_each, treebank, write_treebank

SYSTEMS = ("arc-hybrid", "arc-standard", "swap")
WORDS = ["saw", "dog", "likes", "old"]
NEW = [*WORDS, "sheds", "the"]
ALL = 10**6
TREES = {(n, crosses): heads_of_trees(n, crosses=crosses) for n in (1, 2, 3) for crosses in (False, True)}


def small(sentences=24):
    """Trees with three relations."""
    names = {"root": "root", "nsubj": "nsubj"}
    return as_corpus(
        [
            [(form, tag, head, names.get(relation, "obj")) for form, tag, head, relation in sentence]
            for sentence in treebank()[:sentences]
        ]
    )


def joint(system="arc-hybrid", recipe="max-violation", **given):
    parameters = {"epochs": 3, "beam": 4, "seed": 1, **given}
    return DependencyParser(recipe, structure="transitions", tags="joint", settings={"system": system}, **parameters)


@pytest.fixture(scope="module")
def parsers():
    """One for every system, whose taggers are not sure of much."""
    made = {}
    for system in SYSTEMS:
        made[system] = joint(system).fit(small())
        for tagger in made[system].taggers_:
            tagger.calibration_ = (riata.confidence.calibration.Calibration(20.0),)
    return made


def outputs_of(parser, words):
    """All outputs of a sentence, each a list of (head, relation, tag), with their scores."""
    model, inputs = parser.model_, parser.columns.input_columns(as_corpus([words]))
    known = model.outputs
    lists = [[tag for tag in tags_in(text) if tag in known.chosen] for text in inputs.columns[-1].texts()]
    others = [relation for relation in known.relations if relation != known.root]
    found = []
    for heads in TREES[len(words), known.crossing]:
        for names in itertools.product(*([known.root] if head == 0 else others for head in heads)):
            for tags in itertools.product(*lists):
                found.append(list(zip(heads, names, tags, strict=True)))
    return found, _scores(parser, words, found)


def _scores(parser, words, outputs):
    model, inputs = parser.model_, parser.columns.input_columns(as_corpus([words]))[[0] * len(outputs)]
    relations = model.outputs.relations
    labels = np.array([h * len(relations) + relations.index(r) for one in outputs for h, r, _ in one], np.int32)
    tags = Column.of([tag for one in outputs for _, _, tag in one])
    codes = model.outputs.with_tags(model.outputs.codes(labels, inputs.starts), tags)
    return model.weights.scores_of(model.features.index, model.instances(inputs), codes)


def ranked(outputs, scores, keeps=lambda one: True):
    """The outputs that can be given and are kept, best first."""
    rows = [(score, one) for one, score in zip(outputs, scores, strict=True) if score > -np.inf and keeps(one)]
    return sorted(rows, key=lambda row: -row[0])


def check_list(parser, words, expected, k, **asked):
    """The list is that of all outputs."""
    (found,) = parser.predict_nbest([words], k, **asked)
    assert [score for _, score in found] == pytest.approx([score for score, _ in expected[:k]], abs=1e-4)
    of = {tuple(one): score for score, one in expected}
    for output, score in found:
        assert of[tuple(output)] == pytest.approx(score, abs=1e-4)
    assert len({tuple(output) for output, _ in found}) == len(found)
    (best,) = parser.predict([words], **asked)
    assert best == [(head, relation) for head, relation, _ in found[0][0]]


def agrees(output, wanted):
    """Whether an output has all parts of tokens that are not None."""
    return all(
        want in (None, has) for one, of in zip(output, wanted, strict=True) for has, want in zip(one, of, strict=True)
    )


def sentences(length=3):
    return st.lists(st.sampled_from(NEW), min_size=1, max_size=length)


@settings(max_examples=24)
@given(data=st.data())
def test_lists_of_an_unbounded_beam_are_those_of_all_outputs(parsers, data):
    parser = parsers[data.draw(st.sampled_from(["arc-hybrid", "arc-standard"]))].twin(beam=ALL)
    words, k = data.draw(sentences()), data.draw(st.integers(1, 40))
    check_list(parser, words, ranked(*outputs_of(parser, words)), k)


@settings(max_examples=40)
@given(data=st.data())
def test_given_arcs_and_tags_are_kept_and_the_best_output_has_them(parsers, data):
    system = data.draw(st.sampled_from(SYSTEMS))
    parser, words = parsers[system], data.draw(sentences())
    n = len(words)
    heads = data.draw(st.lists(st.none() | st.integers(0, n), min_size=n, max_size=n))
    others = [name for name in parser.classes_ if name != "root"]
    names = data.draw(st.lists(st.none() | st.none() | st.sampled_from(others), min_size=n, max_size=n))
    tags = data.draw(st.lists(st.none() | st.sampled_from(parser.model_.outputs.chosen), min_size=n, max_size=n))
    if any(head == t for t, head in enumerate(heads, 1)):
        return
    wanted = list(zip(heads, names, tags, strict=True))
    outputs, _ = outputs_of(parser, words)
    if not any(agrees(one, [(head, name, None) for head, name, _ in wanted]) for one in outputs):
        refused(LabelError, "no legal", parser.predict, [words], given=[wanted])
        return
    asked = [[None if part == (None, None, None) else part for part in wanted]]
    (listed,) = parser.predict_nbest([words], 5, given=asked)
    assert listed and all(agrees(output, wanted) for output, _ in listed)
    assert parser.predict([words], given=asked)[0] == [token[:2] for token in listed[0][0]]
    assert sorted([score for _, score in listed], reverse=True) == [score for _, score in listed]


@settings(max_examples=30)
@given(data=st.data())
def test_given_tags_limit_the_outputs_and_nothing_else(parsers, data):
    """Scores are those without given tags."""
    parser = parsers[data.draw(st.sampled_from(["arc-hybrid", "arc-standard"]))].twin(beam=ALL)
    words = data.draw(sentences())
    outputs, scores = outputs_of(parser, words)
    tags = [token[2] if data.draw(st.booleans()) else None for token in data.draw(st.sampled_from(outputs))]
    wanted = [(None, None, tag) for tag in tags]
    expected = ranked(outputs, scores, lambda one: agrees(one, wanted))
    check_list(parser, words, expected, 10, given=[wanted])


def test_a_tag_that_is_not_likely_can_be_given(parsers):
    for parser in parsers.values():
        likely = tags_in(parser.columns.input_columns(as_corpus([["the"]])).columns[-1].texts()[0])
        for tag in set(parser.model_.outputs.chosen):
            ((output, _),) = parser.predict_nbest([["the", "dog"]], 1, given=[[(None, None, tag), None]])[0]
            assert output[0][2] == tag
        assert set(likely) <= set(parser.model_.outputs.chosen)


def test_giving_what_is_predicted_changes_nothing(parsers):
    sentences = [[token[0] for token in s] for s in treebank()[24:]]
    for parser in parsers.values():
        best = [one[0][0] for one in parser.predict_nbest(sentences, 1)]
        assert [one[0][0] for one in parser.predict_nbest(sentences, 1, given=best)] == best
        assert [[token[:2] for token in one] for one in best] == parser.predict(sentences)
        tags = parser.columns.tagged(as_corpus(sentences)).sentences_of(1)
        assert [[token[2] for token in one] for one in best] == tags
        nothing = [[None] * len(one) for one in sentences]
        assert parser.predict(sentences, given=nothing) == parser.predict(sentences)
        tree = parser.predict(sentences)
        assert parser.predict(sentences, given=tree) == tree
        assert [np.shape(one) for one in parser.predict_confidence(sentences, given=tree)] == [
            (len(one), 2) for one in sentences
        ]


def children(tree, head):
    return [relation for of, relation, *_ in tree if of == head]


RULES = {
    "per head": (
        [c.at_most(1, "obj", per="head")],
        lambda tree: all(children(tree, h).count("obj") <= 1 for h in range(1, len(tree) + 1)),
    ),
    "none": ([c.at_most(0, "nsubj")], lambda tree: "nsubj" not in [r for _, r, _ in tree]),
    "where": (
        [c.at_most(0, "obj", per="head", where={0: "saw"})],
        lambda tree: True,  # of words that are drawn; checked below
    ),
    "excludes": (
        [c.excludes("nsubj", "obj", per="head")],
        lambda tree: all(not {"nsubj", "obj"} <= {*children(tree, h)} for h in range(1, len(tree) + 1)),
    ),
    "requires": (
        [c.requires("obj", "nsubj", per="head")],
        lambda tree: all(
            "obj" not in children(tree, h) or "nsubj" in children(tree, h) for h in range(1, len(tree) + 1)
        ),
    ),
    "function": ([c.predicate(lambda tree: tree[0][0] != 0)], lambda tree: tree[0][0] != 0),
}


@settings(max_examples=40)
@given(data=st.data())
def test_constraints_are_kept_by_the_best_output_and_by_lists(parsers, data):
    parser = parsers[data.draw(st.sampled_from(["arc-hybrid", "arc-standard"]))]
    rules, keeps = RULES[data.draw(st.sampled_from(sorted(RULES)))]
    words = data.draw(sentences())
    outputs, scores = outputs_of(parser, words)
    if "where" in repr(rules):
        heads = [t for t, word in enumerate(words, 1) if word == "saw"]
        expected = ranked(outputs, scores, lambda one: all("obj" not in children(one, head) for head in heads))
    else:
        expected = ranked(outputs, scores, keeps)
    wide, narrow = (parser.twin(beam=beam, constraints=rules) for beam in (ALL, 2))
    if not expected:
        refused(SearchError, "", wide.predict, [words])
        return
    legal = {tuple(one) for _, one in expected}
    check_list(wide, words, expected, 5)
    (found,) = narrow.predict_nbest([words], 5)
    assert {tuple(output) for output, _ in found} <= legal
    assert [token[:2] for token in found[0][0]] == narrow.predict([words])[0]
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


@settings(max_examples=12)
@given(data=st.data())
def test_soft_constraints_lower_scores_in_lists(parsers, data):
    words = data.draw(sentences())
    rules = [c.at_most(0, "obj", penalty=0.7)]
    parser = parsers["arc-hybrid"].twin(beam=ALL, constraints=rules)
    outputs, scores = outputs_of(parser.twin(constraints=None), words)
    lowered = [score - 0.7 * ("obj" in [r for _, r, _ in one]) for one, score in zip(outputs, scores, strict=True)]
    (found,) = parser.predict_nbest([words], 1)
    assert found[0][1] <= max(lowered) + 1e-4
    of = {tuple(one): score for one, score in zip(outputs, lowered, strict=True)}
    for output, score in parser.predict_nbest([words], 6)[0]:
        assert of[tuple(output)] == pytest.approx(score, abs=1e-4)


@for_each(system=SYSTEMS, recipe=["laso-perceptron", "early", "max-violation"])
def test_tags_and_trees_are_learnt_under_constraints(system, recipe):
    rules = [c.at_most(1, "nsubj", per="head"), c.at_most(0, "obj", per="head", where={0: ("the", "old")})]
    made = joint(system, recipe, epochs=8, constraints=rules, inference="during")
    metrics = made.fit(small()).evaluate(small()).metrics
    assert metrics["las"] > 80 and metrics["tags"] > 90
    for tree in made.predict([[token[0] for token in sentence] for sentence in treebank()]):
        assert all(children(tree, head).count("nsubj") <= 1 for head in range(1, len(tree) + 1))


def test_files_have_the_tags_of_every_listed_tree(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run.ok("train", "parse", "--structure", "transitions", "--tags", "joint", *write_treebank(tmp_path))
    bare = "1\tsaw\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdog\t_\t_\t_\t_\t{}\t_\t_\t_\n\n"
    (tmp_path / "new.conllu").write_text(bare.format("_"))
    out = run.ok("predict", "--model", "p.riata", "--nbest", "3", "new.conllu")
    parser = riata.load_model(tmp_path / "p.riata")
    (found,) = parser.predict_nbest([["saw", "dog"]], 3)
    rows = [row.split("\t") for row in out.splitlines() if row and not row.startswith("#")]
    listed = [(int(row[6]), row[7], row[4]) for row in rows]
    assert listed == [token for output, _ in found for token in output]
    (tmp_path / "new.conllu").write_text(bare.format("0").replace("saw\t_\t_\t_", "saw\t_\t_\tDETx"))
    status, out, err = run("predict", "--model", "p.riata", "--given", "6", "--given-tags", "4", "new.conllu")
    rows = [row.split("\t") for row in out.splitlines() if row]
    assert status == 0 and rows[1][6] == "0" and rows[0][4] == "DETx", err
    out = run.ok("predict", "--model", "p.riata", "--given-tags", "4", "new.conllu")
    assert out.splitlines()[0].split("\t")[4] == "DETx"


def test_lists_without_tags_have_every_tree_once(parsers):
    """A tag that the model does not know may be any."""
    for parser in parsers.values():
        (found,) = parser.twin(tags="given", beam=50).predict_nbest([[("saw", "X"), ("dog", "X")]], 50)
        assert len(found) > 1 and len({tuple(tree) for tree, _ in found}) == len(found)
        assert all(len(token) == 2 for tree, _ in found for token in tree)


def test_what_cannot_be_given_is_refused(parsers):
    parser = parsers["arc-hybrid"]
    for bad in ((1, "obj", 3), (1, "obj", "NOUN", "x"), (1,), "NOUN"):
        assert "(head, relation, tag)" in str(refused(DataError, "an arc is", parser.predict, [["saw"]], given=[[bad]]))
    with pytest.raises(LabelError, match="does not know the tag 'NUON' that is given at token 0 of sentence 0"):
        parser.predict([["saw"]], given=[[(None, None, "NUON")]])
    refused(DataError, "an arc is", parser.twin(tags="own").predict, [["saw"]], given=[[(None, None, "NOUN")]])


def test_conditions_on_chosen_tags_are_refused(parsers):
    rules = [c.at_most(0, "obj", per="head", where={1: "NOUN"})]
    with pytest.raises(UnsupportedError, match="chosen together with the tree"):
        parsers["arc-hybrid"].twin(constraints=rules).predict([["saw", "dog"]])
    refused(UnsupportedError, "chosen together with the tree", joint(constraints=rules).fit, small())
    assert parsers["arc-hybrid"].twin(constraints=rules, tags="given").predict([[("saw", "NOUN"), ("dog", "NOUN")]])
