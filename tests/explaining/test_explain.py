"""Explanations: contributions sum to what they explain, under every structure, and the outputs compared are the right ones."""

import random
from fractions import Fraction
from xml.etree import ElementTree

import pytest

import riata
from checks import refused
from explanations import garden_path, own_trace
from python_problems import Observing, Tagging, random_weights, with_weights
from riata import Chunker, JointTagger, Predictor, Tagger
from riata.data.types import inputs_of
from riata.errors import DataError, LabelError, NotFittedError, UnsupportedError
from riata.features.templates import parse
from samples import CHUNKS, FEATURES, TAGS, WORDS

MAKERS = {
    "chain, exact": lambda: Chunker("perceptron", epochs=2),
    "chain, order 2": lambda: Chunker("mira", epochs=2, template=parse("word[0]\nlabel[-2] label[-1]\nedge")),
    "chain, beam": lambda: Chunker("laso-alma", structure="chain", beam=3, epochs=2),
    "chain, hashed": lambda: Chunker("perceptron", epochs=2, bits=12),
    "chain, learnt as bioes": lambda: Chunker("early", structure="chain", epochs=2, learn_as="bioes"),
    "segments, beam": lambda: Chunker("laso-perceptron", beam=3, epochs=2),
    "segments, exact": lambda: Chunker("laso-perceptron", queue="exact", epochs=2),
}


@pytest.fixture(scope="module", params=MAKERS)
def trained(request):
    return MAKERS[request.param]().fit(riata.load("embedded", "train")[:60])


@pytest.fixture(scope="module")
def joint():
    return JointTagger(epochs=2, beam=4).fit(riata.load("embedded", "train")[:60])


TEST = riata.load("embedded", "test")
SENTENCES = TEST[[i for i in range(len(TEST)) if len(TEST[i]) <= 12][:14]]


def each(data=SENTENCES):
    return (data[i : i + 1] for i in range(len(data)))


def exact(features):
    return sum(Fraction(f.value) * Fraction(f.weight) for f in features)


def check_sums(explanation):
    """Exactly: the pushes are products of single-precision numbers, which double precision holds."""
    decision = explanation.decision
    assert decision.difference == float(exact(decision.contributions))
    pushes = [abs(f.push) for f in decision.contributions]
    assert pushes == sorted(pushes, reverse=True)
    assert all(pushes)
    other = 0.0 if decision.other is None else decision.other.score
    assert decision.difference == pytest.approx(decision.chosen.score - other, rel=1e-12, abs=1e-12)
    assert explanation.to_dict()["decision"]["difference"] == decision.difference


def scored(estimator, corpus, labels):
    """The score of labels as the model itself reckons it, in single precision."""
    data = estimator.columns.with_gold(corpus, [labels])
    ids = estimator.labels.label_ids(estimator.labels.learnt_column(data.columns[-1], data.starts))
    return float(estimator.model_.scores_of(estimator.model_.features.instances(inputs_of(data)), ids)[0])


def test_contributions_sum_to_the_difference_of_the_scores(trained):
    wrong = 0
    for corpus in each():
        explanation = trained.explain(corpus, True)
        check_sums(explanation)
        [output], truth = trained.predict(corpus), corpus.columns[-1].texts()
        decision = explanation.decision
        assert decision.chosen.score == pytest.approx(scored(trained, corpus, output), rel=1e-5, abs=1e-4)
        if output != truth and explanation.trace.nodes[0].regret == 0:
            wrong += 1
            assert decision.other.name == "truth"
            assert decision.other.score == pytest.approx(scored(trained, corpus, truth), rel=1e-5, abs=1e-4)
        assert (explanation.fault == "right") == (output == truth)
        assert (explanation.fault == "search") <= (
            decision.difference < 1e-6 or trained.predicting.decoder().queue != "exact"
        )
    assert wrong > 2


def test_contributions_of_pairs_sum_too(joint):
    for corpus in each(SENTENCES[:5]):
        explanation = joint.explain(corpus, True)
        check_sums(explanation)
        [output] = joint.predict(corpus)
        assert explanation.decision.chosen.labels == tuple(output)
        assert explanation.decision.chosen.score == pytest.approx(scored(joint, corpus, output), rel=1e-5, abs=1e-3)


def test_any_output_may_be_compared_with(trained):
    rng = random.Random(0)
    for corpus in each(SENTENCES[:5]):
        [output] = trained.predict(corpus)
        given = list(output)
        at = rng.randrange(len(given))
        given[at] = "O"
        if at + 1 < len(given) and given[at + 1].startswith("I-"):
            given[at + 1] = "B" + given[at + 1][1:]
        explanation = trained.explain(corpus, against=given)
        check_sums(explanation)
        assert explanation.fault is None
        assert explanation.decision.other.name == "given"
        assert explanation.decision.other.score == pytest.approx(scored(trained, corpus, given), rel=1e-5, abs=1e-4)


def test_without_a_truth_the_runner_up_is_compared_with(trained):
    for corpus in each(SENTENCES[:5]):
        explanation = trained.explain(corpus)
        [output], decision = trained.predict(corpus), explanation.decision
        assert decision.other.name == "runner-up"
        assert decision.other.labels != decision.chosen.labels
        check_sums(explanation)
        try:
            second = trained.predict_nbest(corpus, 2)[0][1]
        except UnsupportedError:
            assert decision.other.score <= decision.chosen.score + 1e-6
        else:
            assert decision.other.score == pytest.approx(second[1], rel=1e-5, abs=1e-4)
        assert len(output) == len(decision.chosen.labels)


def test_the_search_shown_is_that_of_prediction(trained):
    if trained.predicting.decoder().queue == "exact":
        assert "exactly" in trained.explain(SENTENCES[:1]).note
        return
    for corpus in each(SENTENCES[:5]):
        explanation = trained.explain(corpus, True)
        assert explanation.note is None
        assert explanation.trace.output == explanation.decision.chosen.labels
        assert not any(step.restart for step in explanation.trace.steps)


def test_what_the_search_missed_is_the_output_of_exact_search_with_its_score(trained):
    if trained.predicting.decoder().queue == "exact":
        assert all(trained.explain(corpus, True).best is None for corpus in each(SENTENCES[:4]))
        return
    narrow, exact, kinds = trained.twin(beam=1), trained.twin(queue="exact", beam=None), set()
    tests = set()
    for corpus in each():
        explanation, [best] = narrow.explain(corpus, True), exact.predict(corpus)
        chosen, missed, truth = explanation.decision.chosen, explanation.best, tuple(corpus.columns[-1].texts())
        kinds.add(explanation.kind)
        tests.add(explanation.test)
        if explanation.test == "truth":  # templates that read too far back for exact search
            assert explanation.kind != "search" or missed.labels == truth
            continue
        if missed is None:
            assert scored(trained, corpus, best) == pytest.approx(chosen.score, rel=1e-4, abs=1e-3)
            assert explanation.kind in ("right", "model", "tie")
            continue
        assert missed.name == "best" and missed.score > chosen.score
        assert missed.score == pytest.approx(scored(trained, corpus, best), rel=1e-5, abs=1e-4)
        if trained.learnt_as_ is None:
            assert missed.labels == tuple(best)
            assert (explanation.kind == "search") == (missed.labels == truth)
            assert (explanation.missed is None) == (explanation.kind == "search")
        rows = [line.split() for line in str(explanation).splitlines()]
        if explanation.kind == "search":
            assert any(row[:2] == ["truth,", "missed"] for row in rows)
        if explanation.missed is not None:
            assert rows[0][:3] == ["token", "output", "best"]
            assert any(row[:1] == ["best"] for row in rows[len(best) :])
    assert kinds & {"both", "search", "lucky"} or "truth" in tests


def test_a_truth_that_outscores_the_output_of_a_problem_is_what_was_missed():
    problem = Observing(labels=("A", "B"))
    x, y = "xyz", ("A", "B", "A")
    kinds = set()
    for seed in range(40):
        model = with_weights(problem, random_weights(seed, labels=("A", "B")), queue="greedy")
        explanation = model.explain(x, y)
        kinds.add(explanation.kind)
        assert explanation.test == "truth"
        assert (explanation.best is not None) == (explanation.kind == "search")
        if explanation.best is not None:
            assert explanation.best.labels == y
            assert explanation.best.score > explanation.decision.chosen.score
            assert "not known" in str(explanation)
    assert {"search", "model", "right"} <= kinds


def test_greedy_search_has_no_runner_up():
    tagger = Tagger("laso-perceptron", beam=1, epochs=2).fit(WORDS, TAGS)
    explanation = tagger.explain(WORDS[0])
    assert explanation.decision.other is None
    assert explanation.decision.difference == pytest.approx(explanation.decision.chosen.score)


def test_features_with_values():
    tagger = Tagger(epochs=3).fit(FEATURES, TAGS)
    for sentence, truth in zip(FEATURES, TAGS, strict=True):
        explanation = tagger.explain(sentence, truth)
        assert explanation.decision.difference == pytest.approx(float(exact(explanation.decision.contributions)))


def test_training_shows_restarts():
    chunker = Chunker("laso-perceptron", beam=1, epochs=1).fit(riata.load("embedded", "train")[:60])
    assert any(step.restart for corpus in each() for step in chunker.explain(corpus, True, training=True).trace.steps)


# --- problems in Python ---------------------------------------------------------------------------------------------
def test_problems_are_explained_too():
    X = ["aab", "bba", "abab", "b"]
    Y = [[{"a": "V", "b": "C"}[letter] for letter in x] for x in X]
    model = Predictor(Tagging(), "laso-perceptron", beam=3, epochs=2).fit(X, Y)
    faults = set()
    for x, y in zip(X, Y, strict=True):
        [output] = model.predict([x])
        for truth in (y, y[::-1]):
            explanation = model.explain(x, truth)
            decision = explanation.decision
            faults.add(explanation.fault)
            assert decision.chosen.labels == tuple(output)
            assert decision.other.name == ("runner-up" if truth == output else "truth")
            assert decision.difference == pytest.approx(float(exact(decision.contributions)), abs=1e-12)
            assert decision.other.score == pytest.approx(score_of(model, x, decision.other.labels))
            assert decision.chosen.score == pytest.approx(score_of(model, x, output))
        same = model.explain(x, against=output).decision
        assert (same.difference, same.contributions) == (0, ())
    assert {"right", "model"} <= faults


def score_of(model, x, path):
    """By the problem's own features, and the weights by name."""
    problem, weights, total = model.problem, model.weights(), 0.0
    s = problem.initial(x)
    for a in path:
        for name in problem.features(x, s, a):
            total += weights.get(name, 0.0) if isinstance(name, str) else weights.get(name[0], 0.0) * name[1]
        s = problem.apply(x, s, a)
    return total


# --- refusals -------------------------------------------------------------------------------------------------------
def test_labels_that_no_path_leads_to_are_refused():
    chunker = Chunker("laso-perceptron", beam=3, epochs=1).fit(CHUNKS)
    corpus = [("a", "DT")] * 9
    refused(LabelError, "XX", chunker.explain, corpus, against=["B-XX"] + ["O"] * 8)
    refused(DataError, "label", chunker.explain, corpus, against=["O"])
    with pytest.raises(UnsupportedError, match="no path"):  # the longest of the training data has two tokens
        chunker.explain(corpus, against=["B-NP"] + ["I-NP"] * 8)


def test_a_truth_that_the_model_does_not_know_is_said_so():
    chunker = Chunker("laso-perceptron", beam=3, epochs=1).fit(riata.load("embedded", "train")[:60])
    corpus = SENTENCES[:1]
    explanation = chunker.explain(corpus, ["B-NEW"] + ["O"] * (corpus.tokens - 1))
    assert "B-NEW" in explanation.note or "NEW" in explanation.note
    assert explanation.fault == "model"
    assert explanation.decision.other.name == "runner-up"


def test_an_untrained_estimator_and_several_sentences_are_refused():
    refused(NotFittedError, "", Chunker().explain, SENTENCES[:1])
    chunker = Chunker(epochs=1).fit(CHUNKS)
    refused(DataError, "one sentence", chunker.explain, SENTENCES[:2])


# --- pictures of searches --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("trace", [garden_path(1), garden_path(2), garden_path(3, truth=False), own_trace()])
def test_a_picture_is_svg_with_a_box_per_state_of_the_front(trace, tmp_path):
    trace.save_svg(tmp_path / "search.svg")
    root = ElementTree.parse(tmp_path / "search.svg").getroot()
    boxes = [each for each in root.iter() if each.tag.endswith("rect")]
    shown = [step for step in trace.steps if trace.nodes[step.front[0]].parent is not None]
    assert len(boxes) == 1 + sum(len(step.front) for step in shown) + len(trace.losses)


def test_a_picture_says_where_the_truth_is_lost(tmp_path):
    garden_path(1).save_svg(tmp_path / "search.svg", title="Epoch 1 <of 4>")
    text = (tmp_path / "search.svg").read_text()
    assert "Epoch 1 &lt;of 4&gt;" in text
    assert "lost" in text and "back to N" in text


def test_a_picture_that_cannot_be_written_is_refused(tmp_path):
    refused(DataError, "the picture", garden_path(1).save_svg, tmp_path / "none" / "search.svg")
