"""Explanations of trees that are scored arc by arc: against enumeration, as text, as data and as a page."""

import json
import math

import pytest

import riata
from all_trees import all_trees
from riata import constraints as c
from riata.data.memory import as_corpus
from riata.errors import DataError, LabelError, UnsupportedError
from riata.explaining.packing import as_data
from riata.features.arcs import parse
from samples import quietly, treebank

pytestmark = pytest.mark.filterwarnings("ignore::riata.RiataWarning")
SENTENCE = [("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB")]
TREE = [(2, "det"), (3, "nsubj"), (0, "root")]
SIBLINGS = "arc head.tag[0] child.tag[0]\narc child.word[0]\nrelation head.tag[0] child.tag[0]\nsibling sibling.tag[0] child.tag[0]"


@pytest.fixture(scope="module", params=["projective", "tree", "siblings"])
def parser(request):
    siblings = request.param == "siblings"
    more = {"template": parse(SIBLINGS)} if siblings else {}
    structure = "projective" if siblings else request.param
    return quietly(
        riata.DependencyParser(
            "crf", structure=structure, settings={"c2": 0.1}, **more, tags="given", calibrated=False
        ),
        treebank()[:24],
    )


def test_the_best_output_is_what_is_predicted(parser):
    for sentence in treebank()[:6]:
        words = [token[:2] for token in sentence]
        assert parser.judging.best_output(parser.columns.sentences([words])) == parser.predict([words])[0]


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


@pytest.mark.parametrize(
    ("against", "error"),
    [
        ([(2, "det"), (1, "root"), (0, "root")], DataError),
        ([(2, "det"), (0, "root")], DataError),
        ([(2, "det"), (3, "nsubj"), (0, "nsubj")], UnsupportedError),
        ([(2, "det"), (3, "strange"), (0, "root")], LabelError),
    ],
)
def test_what_no_model_gives_is_refused(parser, against, error):
    with pytest.raises(error):
        parser.explain(SENTENCE, against=against)


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
    parser = quietly(riata.DependencyParser("mira", epochs=2, calibrated=False, tags="given"), treebank()[:24])
    assert "calibrated" in parser.explain(SENTENCE).note


def test_what_constraints_change_is_explained():
    parser = quietly(riata.DependencyParser("mira", epochs=4, tags="given"), treebank()[:24])
    kept = parser.twin(constraints=[c.at_most(0, "nsubj")])
    explanation = kept.explain(SENTENCE)
    assert explanation.constrained is not None and explanation.constrained.changes
    assert explanation.decision.other.name == "without constraints"
    assert min(arc.margin for arc in explanation.arcs) < 0 or explanation.decision.difference < 0


def test_traces_are_refused_and_name_explanations(parser):
    with pytest.raises(UnsupportedError, match="not searched step by step") as refused:
        parser.trace(SENTENCE)
    assert "explain" in refused.value.remedy
