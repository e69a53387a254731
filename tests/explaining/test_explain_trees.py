"""Explanations of trees that are scored arc by arc; and what explanations say of constraints."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from all_trees import all_trees
from checks import refused
from packed_pages import data_of
from riata import Chunker, DependencyParser, JointTagger, Tagger, Trace
from riata import constraints as c
from riata.data.memory import as_corpus
from riata.errors import DataError, LabelError, UnsupportedError
from riata.explaining.packing import as_data
from riata.features.arcs import parse
from riata.features.templates import parse as parse_constraint
from riata.inference.declared import Declared
from riata.inference.rules.slots import LabelNames, Slots
from samples import CHUNKS, INPUTS, TAGS, WORDS, for_each, for_rows, treebank

SENTENCE = [("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB")]
TREE = [(2, "det"), (3, "nsubj"), (0, "root")]
SIBLINGS = "arc head.tag[0] child.tag[0]\narc child.word[0]\nrelation head.tag[0] child.tag[0]\nsibling sibling.tag[0] child.tag[0]"


@pytest.fixture(scope="module", params=["projective", "tree", "siblings"])
def parser(request):
    siblings = request.param == "siblings"
    more = {"template": parse(SIBLINGS)} if siblings else {}
    structure = "projective" if siblings else request.param
    return DependencyParser(
        "crf", structure=structure, settings={"c2": 0.1}, **more, tags="given", calibrated=False
    ).fit(treebank()[:24])


def test_the_best_output_is_what_is_predicted(parser):
    for sentence in treebank()[:6]:
        words = [token[:2] for token in sentence]
        assert parser.evaluating.best_output(parser.columns.sentences([words])) == parser.predict([words])[0]


def test_pushes_add_up_to_scores(parser):
    explanation = parser.explain(SENTENCE)
    decision = explanation.decision
    assert decision.other.name == "runner-up" and explanation.trace is None
    ((_, best), (_, second)) = parser.predict_nbest([SENTENCE], 2)[0]
    assert decision.chosen.score == pytest.approx(best, abs=1e-4)
    assert decision.difference == pytest.approx(best - second, abs=1e-4)
    assert math.fsum(arc.score for arc in explanation.arcs) == pytest.approx(decision.chosen.score)
    for arc in explanation.arcs:
        assert math.fsum(feature.push for feature in arc.features) == pytest.approx(arc.score)


def test_runners_up_and_confidences_are_those_of_all_trees(parser):
    trees, logs = all_trees(parser, SENTENCE)
    explanation = parser.explain(SENTENCE)
    (sure,) = parser.predict_confidence([SENTENCE])
    best = max(logs)
    for t, arc in enumerate(explanation.arcs):
        others = [(log, tree[t]) for log, tree in zip(logs, trees, strict=True) if tree[t][0] != arc.head]
        assert arc.margin == pytest.approx(best - max(others)[0], abs=1e-4)
        same = [log for log, token in others if token == (arc.other_head, arc.other_relation)]
        assert max(same) == pytest.approx(max(others)[0], abs=1e-4)  # several trees may be the best
        assert (arc.confidence, arc.relation_confidence) == pytest.approx(sure[t])


def test_the_truth_and_given_trees_are_compared(parser):
    wrong = [("the", "DET", "3", "det"), ("dog", "NOUN", "3", "obj"), ("sleeps", "VERB", "0", "root")]
    explanation = parser.explain(as_corpus([wrong]), True)
    assert explanation.fault == "model" and explanation.decision.other.name == "truth"
    assert explanation.truth == (("3", "det"), ("3", "obj"), ("0", "root"))
    right = parser.explain(SENTENCE, TREE)
    assert right.fault == "right" and right.decision.other.name == "runner-up"
    given = parser.explain(SENTENCE, against=[(2, "det"), (0, "root"), (2, "obj")])
    assert given.decision.other.labels == (("2", "det"), ("0", "root"), ("2", "obj"))
    assert given.decision.difference > 0


@for_rows(
    "against, error",
    ([(2, "det"), (1, "root"), (0, "root")], DataError),
    ([(2, "det"), (0, "root")], DataError),
    ([(2, "det"), (3, "nsubj"), (0, "nsubj")], UnsupportedError),
    ([(2, "det"), (3, "strange"), (0, "root")], LabelError),
)
def test_what_no_model_gives_is_refused(parser, against, error):
    refused(error, "", parser.explain, SENTENCE, against=against)


def test_text_and_page_show_every_arc(parser):
    explanation = parser.explain(SENTENCE, TREE)
    text = str(explanation)
    assert "why every token has its head" in text and "2 dog, det" in text and "0 root, root" in text
    data = json.loads(json.dumps(explanation.to_dict()))
    assert [arc["head"] for arc in data["arcs"]] == [2, 3, 0]
    packed = as_data(explanation)
    assert [arc["relation"] for arc in packed["arcs"]] == ["det", "nsubj", "root"] and packed["trace"] is None
    assert 'id="arcs-panel"' in explanation.to_html()


def test_confidences_that_mean_little_are_said_to():
    parser = DependencyParser("mira", epochs=2, calibrated=False, tags="given").fit(treebank()[:24])
    assert "calibrated" in parser.explain(SENTENCE).note


def test_what_constraints_change_is_explained():
    parser = DependencyParser("mira", epochs=4, tags="given").fit(treebank()[:24])
    kept = parser.twin(constraints=[c.at_most(0, "nsubj")])
    explanation = kept.explain(SENTENCE)
    assert explanation.constrained is not None and explanation.constrained.changes
    assert explanation.decision.other.name == "without constraints"
    assert min(arc.margin for arc in explanation.arcs) < 0 or explanation.decision.difference < 0


def test_traces_are_refused_and_name_explanations(parser):
    assert "explain" in refused(UnsupportedError, "not searched step by step", parser.trace, SENTENCE).remedy


# --- what explanations say of constraints: the output without them, what it breaks, and what every change is for -----
CHUNK_LABELS = [[chunk for _, _, chunk in sentence] for sentence in CHUNKS]
ALONE = {"recipe": "crf", "template": parse_constraint("word[0]\nsuffix1[0]")}
RULES = [c.at_most(1, "NN"), c.requires("DT", "VBZ", side="after"), c.at_least(1, "IN", penalty=0.5)]


def fitted(estimator, X, y):
    return estimator.fit(X, y)


def broken(rules, labels, known):
    names = LabelNames(tuple(known))
    found = Declared(rules).ground(Slots(len(labels), names)).broken([names.labels.index(label) for label in labels])
    return {repr(rules[one.origin]) for one in found}


@pytest.mark.parametrize("settings", [ALONE, {"recipe": "laso-perceptron", "structure": "chain", "beam": 2}])
def test_every_change_is_for_constraints_that_break_without_it(settings):
    tagger = fitted(Tagger(**settings), WORDS, TAGS).set_params(constraints=RULES)
    free, kept = tagger.predict(WORDS, constraints=False), tagger.predict(WORDS)
    assert free != kept
    for words, before, after in zip(WORDS, free, kept, strict=True):
        done = tagger.explain(words).constrained
        assert list(done.without.labels) == before
        assert {one.constraint for one in done.broken} == broken(RULES, before, tagger.classes_)
        assert {one.constraint for one in done.still_broken} == broken(RULES, after, tagger.classes_)
        assert [change.token for change in done.changes] == [
            i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b
        ]
        for change in done.changes:
            assert (change.before, change.after) == (before[change.token], after[change.token])
            undone = [*after[: change.token], change.before, *after[change.token + 1 :]]
            assert set(change.keeps) == broken(RULES, undone, tagger.classes_) - broken(RULES, after, tagger.classes_)


def test_the_cost_is_the_difference_of_the_scores():
    tagger = fitted(Tagger(**ALONE), WORDS, TAGS).set_params(constraints=[c.at_most(0, "NN")])
    explanation = next(one for one in map(tagger.explain, WORDS) if one.constrained.changes)
    done, decision = explanation.constrained, explanation.decision
    assert decision.other == done.without  # what is compared, if there is no truth
    assert done.cost == pytest.approx(-decision.difference)
    assert done.cost > 0
    assert done.found == "by dynamic programming"
    instances = tagger.model_.features.instances(
        tagger.columns.input_columns(tagger.columns.sentences([list(explanation.input)]))
    )
    ids = [
        np.array([tagger.classes_.index(label) for label in side.labels], np.int32)
        for side in (done.without, decision.chosen)
    ]
    free, kept = (tagger.model_.scores_of(instances, one)[0] for one in ids)
    assert done.cost == pytest.approx(free - kept, rel=1e-5)


@for_rows(
    "params",
    {"recipe": "perceptron"},
    {"recipe": "perceptron", "learn_as": "bioes"},
    {"recipe": "laso-perceptron", "structure": "segments", "beam": 2},
    ids=["chain", "bioes", "segments"],
)
def test_chunks_that_constraints_forbid(params):
    chunker = fitted(Chunker(**params, epochs=5), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(1, "NP")])
    changed = [one for one in map(chunker.explain, INPUTS) if one.constrained.changes]
    assert len(changed) == 2
    for explanation in changed:
        done = explanation.constrained
        assert [one.words for one in done.broken] == ["at most 1 NP"]
        assert ("at_most(1, 'NP')",) in [change.keeps for change in done.changes]


def test_pairs_of_tags_and_chunk_labels():
    y = [list(zip(tags, chunks, strict=True)) for tags, chunks in zip(TAGS, CHUNK_LABELS, strict=True)]
    tagger = fitted(JointTagger(structure="joint", epochs=5), WORDS, y).set_params(constraints=[c.at_most(1, "NP")])
    explanation = next(one for one in map(tagger.explain, WORDS) if one.constrained.changes)
    assert any(change.keeps for change in explanation.constrained.changes)
    assert "needed by" in str(explanation)


def test_text_pages_and_json_say_the_same():
    tagger = fitted(Tagger(**ALONE), WORDS, TAGS)
    assert tagger.explain(WORDS[0]).constrained is None
    assert data_of(tagger.explain(WORDS[0]).to_html())["constraints"] is None
    tagger.set_params(constraints=RULES)
    explanation = next(one for one in map(tagger.explain, WORDS) if one.constrained.changes)
    done, text, page = explanation.constrained, str(explanation), data_of(explanation.to_html())
    assert f"Constraints changed {len(done.changes)} label" in text
    assert page["without"] == list(done.without.labels)
    for change, row in zip(done.changes, page["constraints"]["changes"], strict=True):
        assert row[:3] == [f"{change.token + 1} {explanation.input[change.token]}", change.before, change.after]
        assert " ".join(row) in " ".join(text.split())
    assert (
        page["constraints"]["lines"][1]
        == f"Without them, the output breaks {done.broken[0].constraint}: {done.broken[0].words}."
    )
    plain = explanation.to_dict()["constrained"]
    assert plain["cost"] == done.cost
    assert plain["changes"][0]["before"] == done.changes[0].before
    many = replace(explanation, constrained=replace(done, changes=done.changes * 60))
    assert f"and {60 * len(done.changes) - 50} more changes" in str(many)


def test_constraints_that_change_nothing():
    tagger = fitted(Tagger(**ALONE), WORDS, TAGS).set_params(constraints=[c.at_most(9, "NN")])
    assert "kept by the output that the model gives without them. They changed nothing." in " ".join(
        str(tagger.explain(WORDS[0])).split()
    )
    tagger.set_params(constraints=[c.at_most(0, *tagger.classes_, penalty=0.25)])
    text = " ".join(str(tagger.explain(WORDS[0])).split())
    assert "the penalty is worth paying. They changed nothing." in text
    assert "which costs 0.25." in text


def test_search_errors_look_at_outputs_that_keep_constraints():
    tagger = fitted(Tagger("laso-perceptron", structure="chain", beam=2), WORDS, TAGS).set_params(
        constraints=[c.at_most(0, "NN")]
    )
    kept = tagger.search_errors(WORDS, TAGS)
    assert kept.counts == tagger.search_errors(WORDS, TAGS, predicted=tagger.predict_ids(WORDS)).counts
    with_noun = ["NN" in tags for tags in TAGS]
    assert any(with_noun)
    assert all(fault == "model" for fault, noun in zip(kept.of, with_noun, strict=True) if noun)
    for words in WORDS:
        assert "NN" not in tagger.evaluating.best_output(tagger.columns.sentences([words]))
    # Those of predict_ids; judging counts by itself.
    assert sum(tagger.predicting.decoder().kept.tally.found.values()) == len(WORDS)


@pytest.mark.parametrize("structure", ["chain", "segments"])
def test_traces_show_what_constraints_forbid(structure):
    rules = [
        c.at_most(1, "NP"),
        c.transitions(forbidden=[("VP", "PP")] if structure == "segments" else [("B-VP", "B-PP")]),
    ]
    chunker = fitted(Chunker("laso-perceptron", structure=structure, beam=3, epochs=5), INPUTS, CHUNK_LABELS)
    assert chunker.trace(INPUTS[0]).forbidden is None
    chunker.set_params(constraints=rules)
    seen = set()
    for sentence, kept in zip(INPUTS, chunker.predict(INPUTS), strict=True):
        trace = chunker.trace(sentence)
        assert list(trace.output) == kept
        assert Trace.from_dict(json.loads(json.dumps(trace.to_dict()))) == trace
        for one in trace.forbidden:
            path = [*trace.path(one.parent), one.action]
            phrases = sum(action.startswith(("NP[", "B-NP")) for action in path)
            assert (phrases == 2) if one.constraint == repr(rules[0]) else one.action.startswith(("PP[", "B-PP"))
            seen.add(one.constraint)
        assert ("forbidden by" in str(trace)) == bool(trace.forbidden)
    assert seen == set(map(repr, rules))
    assert chunker.trace(INPUTS[0], CHUNK_LABELS[0]).forbidden is None  # as it was trained
    assert chunker.set_params(inference="during").trace(INPUTS[0], CHUNK_LABELS[0]).forbidden is not None


TREES = [
    [("the", "DET", "2", "det"), ("dog", "NOUN", "3", "nsubj"), ("barks", "VERB", "0", "root")],
    [
        ("dogs", "NOUN", "2", "nsubj"),
        ("chase", "VERB", "0", "root"),
        ("the", "DET", "4", "det"),
        ("cat", "NOUN", "2", "obj"),
    ],
    [("a", "DET", "2", "det"), ("cat", "NOUN", "3", "nsubj"), ("sleeps", "VERB", "0", "root")],
]
TREES = TREES[:1] * 5 + TREES * 5
CHASE = [("the", "DET"), ("cat", "NOUN"), ("chases", "VERB"), ("dogs", "NOUN")]
CHASED = [(2, "det"), (3, "nsubj"), (0, "root"), (3, "obj")]


@for_each(structure=["transitions", "projective"], penalty=[None, 1000.0])
def test_a_truth_that_constraints_forbid_is_no_fault_of_the_search(structure, penalty):
    parser = DependencyParser(structure=structure, epochs=5, tags="given").fit(TREES)
    assert parser.predict([CHASE]) == [CHASED]
    parser.set_params(constraints=[c.at_most(0, "obj", penalty=penalty)])
    explanation = parser.explain(CHASE, CHASED)
    assert explanation.kind == "model"
    assert explanation.decision.difference < 0  # of scores alone: the truth has the higher one
    errors = parser.search_errors([CHASE], [CHASED])
    assert (errors.wrong, errors.search, errors.model) == (1, 0, 1)
    beams = parser.errors([CHASE], [CHASED], beams=[1, 4] if structure == "transitions" else []).beams
    assert [(one.errors.search, one.errors.model) for one in beams] == [(0, 1)] * len(beams)


def test_a_truth_with_a_small_penalty_can_be_missed_by_the_search():
    parser = DependencyParser(structure="transitions", epochs=5, tags="given").fit(TREES)
    ids = parser.predict_ids([CHASE])
    wrong = ids.copy()
    wrong[0] = ids[0] % len(parser.classes_) + 3 * len(parser.classes_)  # another head
    parser.set_params(constraints=[c.at_most(0, "obj", penalty=0.01)])
    assert parser.search_errors([CHASE], [CHASED], predicted=wrong).of == ("search",)


def test_a_beam_is_compared_with_the_best_by_scores_less_penalties():
    """Paying a penalty, the output of exact search has a higher score than that of a beam which does not pay, or the other way round."""
    rules = [c.at_least(1, "IN", penalty=0.5), c.at_most(1, "NN", penalty=0.3)]
    tagger = fitted(Tagger(**ALONE), WORDS, TAGS).set_params(constraints=rules)
    assert tagger.search_errors(WORDS, TAGS).search == tagger.search_errors(WORDS, TAGS).both == 0
    tagger.set_params(queue="beam", beam=float("inf"))
    assert not any(tagger.search_errors(WORDS, TAGS).missed)
