"""Search errors and model errors, against enumeration by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from python_problems import Observing, random_weights, score, with_weights
from riata import Chunker, DependencyParser, JointTagger
from riata.entry import main
from riata.models.model import FoldedModel, Model
from riata.scoring.search_errors import SearchErrors, in_words, judged, pooled

pytestmark = pytest.mark.filterwarnings("default::riata.RiataWarning")  # commands show them

SENTENCES = riata.load("embedded", "test", ("word", "tag", "chunk"))


def trained(**params):
    return Chunker(epochs=2, **params).fit(
        riata.load("embedded", "train", ("word", "tag", "chunk"))[:120], listener=lambda event: None
    )


def test_exact_search_makes_no_search_errors():
    chunker = trained()
    errors = chunker.search_errors(SENTENCES)
    labels, gold = chunker.predict(SENTENCES), SENTENCES.sentences_of(-1)
    assert errors.wrong == sum(a != b for a, b in zip(labels, gold, strict=True)) > 0
    assert (errors.search, errors.both, errors.lucky) == (0, 0, 0)
    assert errors.model + errors.ties == errors.wrong


def test_a_greedy_decoder_makes_search_errors_where_exact_search_finds_another_output():
    chunker = trained()
    exact = chunker.predict(SENTENCES)
    chunker.set_params(queue="greedy")
    greedy, gold = chunker.predict(SENTENCES), SENTENCES.sentences_of(-1)
    parted = sum(g != e and g != t for g, e, t in zip(greedy, exact, gold, strict=True))
    errors = chunker.search_errors(SENTENCES)
    assert parted > 0
    assert errors.search + errors.both == parted
    assert errors.search + errors.both + errors.model + errors.ties == errors.wrong


def test_exact_search_repairs_what_the_search_alone_did_wrong_and_spoils_what_was_right_by_luck():
    """The case that asked for two questions: a beam of one, trained with updates that teach it to be greedy."""
    chunker = Chunker("laso-perceptron", beam=1, epochs=2, template="laso2005")
    chunker.fit(riata.load("embedded", "train", ("word", "tag", "chunk"))[:120])
    errors, gold = chunker.search_errors(SENTENCES), SENTENCES.sentences_of(-1)
    before = chunker.predict(SENTENCES)
    after = chunker.set_params(queue="exact", beam=None).predict(SENTENCES)
    rows = list(zip(before, after, gold, strict=True))
    assert errors.search == sum(b != t and a == t for b, a, t in rows)
    assert errors.lucky == sum(b == t and a != t for b, a, t in rows) > 0
    assert errors.both == sum(b != t and a != t and a != b for b, a, t in rows) > errors.search
    assert errors.right == sum(b == t for b, a, t in rows)


OUTPUTS = st.lists(st.integers(0, 3), min_size=1, max_size=5)  # the scores of all outputs there are; many are equal


@given(OUTPUTS, st.data())
def test_the_four_counts_are_answers_to_two_questions(scores, data):
    found, truth = (data.draw(st.integers(0, len(scores) - 1)) for _ in range(2))
    argmax = data.draw(st.sampled_from([i for i, score in enumerate(scores) if score == max(scores)]))
    row = [np.array([float(scores[i])]) for i in (found, argmax, truth)]
    errors = judged(np.array([found != truth]), *row, np.array([argmax == truth]), "exact")
    best = {i for i, score in enumerate(scores) if score == max(scores)}
    missed = found not in best
    if found == truth:
        assert errors.of == ("right",)
        assert (errors.right, errors.lucky) == (1, int(missed))
    elif missed and argmax == truth:
        assert errors.of == ("search",)
    elif truth in best:  # one of several best outputs
        assert errors.of == ("tie",)
    else:
        assert errors.of == ("both" if missed else "model",)
    assert errors.missed == (missed,)
    assert errors.wrong == errors.search + errors.both + errors.model + errors.ties


def test_counts_of_parts_add_up_and_what_one_part_does_not_know_the_whole_does_not():
    exact = SearchErrors(6, 1, 2, 2, 1, 4, 3).counts
    truth = SearchErrors(3, 1, None, 2, 0, 5, None, "truth").counts
    assert pooled([exact, exact]) == SearchErrors(12, 2, 4, 4, 2, 8, 6).counts
    assert pooled([exact, truth]) == SearchErrors(9, 4, None, 4, 1, 9, None, "truth").counts  # 1 + 2 + 1 surely missed
    for counts in (exact, truth):
        assert str(counts["wrong"]) in in_words(counts)
    assert "at least 1 by the search" in in_words(truth)
    assert "1 by search alone, 2 by model alone, 2 by both, 1 ties; 3 right by luck" in in_words(exact)


@pytest.mark.parametrize(("queue", "searches"), [("exact", ["exact"]), ("beam", ["beam", "exact"])])
def test_evaluating_a_model_decodes_once_by_its_queue_and_once_exactly(tmp_path, monkeypatch, queue, searches):
    trained(recipe="perceptron" if queue == "exact" else "early", structure="chain").save(tmp_path / "m.riata")
    riata.write_columns(SENTENCES, tmp_path / "test.txt")
    used, decode, predict = [], Model._codes, FoldedModel.predict

    def counted(self, instances, decoder, progress=None):
        used.append(decoder.queue)
        return decode(self, instances, decoder, progress)

    def counted_folded(self, *arguments):
        used.append("exact")
        return predict(self, *arguments)

    monkeypatch.setattr(Model, "_codes", counted)
    monkeypatch.setattr(FoldedModel, "predict", counted_folded)
    with pytest.raises(SystemExit) as caught:
        main(["evaluate", "--model", str(tmp_path / "m.riata"), str(tmp_path / "test.txt")])
    assert caught.value.code == 0
    assert used == searches


def test_labels_that_are_known_already_give_the_same_evaluation():
    chunker = trained(recipe="early", beam=1)
    predicted = chunker.predict_ids(SENTENCES)
    assert chunker.search_errors(SENTENCES, predicted=predicted) == chunker.search_errors(SENTENCES)
    assert chunker.evaluate(SENTENCES, predicted=predicted).metrics == chunker.evaluate(SENTENCES).metrics


def test_every_sentence_has_its_fault():
    chunker = trained()
    exact = chunker.predict(SENTENCES)
    chunker.set_params(queue="greedy")
    greedy, gold = chunker.predict(SENTENCES), SENTENCES.sentences_of(-1)
    errors = chunker.search_errors(SENTENCES)
    assert len(errors.of) == len(SENTENCES)
    for fault, g, e, t in zip(errors.of, greedy, exact, gold, strict=True):
        assert (fault == "right") == (g == t)
        assert (fault == "search") == (g != t and e == t)
        assert (fault == "both") == (g != t and e not in (g, t))
    assert {fault: errors.of.count(fault) for fault in ("search", "both", "model", "tie")} == {
        "search": errors.search,
        "both": errors.both,
        "model": errors.model,
        "tie": errors.ties,
    }


def test_the_errors_of_a_problem_against_enumeration():
    problem = Observing(labels=("A", "B"))
    X = ["xyz", "zzyx", "yx", "xzxyz", "zy"]
    Y = [tuple("AB"[(i * len(x) + ord(letter)) % 2] for i, letter in enumerate(x)) for x in X]
    seen = set()
    for seed in range(30):
        weights = random_weights(seed, labels=("A", "B"))
        model = with_weights(problem, weights, queue="greedy")
        errors = model.search_errors(X, Y)
        assert errors.test == "truth"
        assert (errors.both, errors.lucky) == (None, None)
        for x, y, y_hat, fault in zip(X, Y, model.predict(X), errors.of, strict=True):
            found, truth = score(problem, weights, x, y_hat), score(problem, weights, x, y)
            right = tuple(y_hat) == y
            assert fault == ("right" if right else "search" if truth > found + 1e-4 else fault)
            assert fault != "search" or truth > found
            seen.add(fault)
    assert {"right", "search", "model"} <= seen


def test_a_truth_that_no_search_can_give_is_not_missed_by_the_search():
    """With tags and chunks together the dictionary of tags decides what can be given, whatever it would score."""
    made = JointTagger("laso-perceptron", beam=1, epochs=1)
    made.fit(riata.load("embedded", "train")[:150])
    errors, dictionary, found = made.search_errors(SENTENCES), made.model_.features.dictionary, None
    for i, fault in enumerate(errors.of):
        pairs = zip(SENTENCES[i].column(0), SENTENCES[i].column(1), strict=True)
        allowed = all(t in dictionary.tags and dictionary.tags.index(t) in dictionary.of(w) for w, t in pairs)
        if allowed or fault == "right":
            continue
        assert fault == "model"
        if found is None or found.decision.difference >= 0:
            found = made.explain(SENTENCES[i : i + 1], True)
            assert found.best is None
    assert found.decision.difference < 0  # it scores higher than the output, and yet it was not missed
    assert "no search of this model can give it" in found.note


@pytest.mark.parametrize("recipe", ["mira", "max-violation"])
def test_trees_with_relations_that_the_model_does_not_know_are_errors_of_the_model(recipe):
    """Heads of the truth and of the output, mixed token by token, need not form a tree."""
    train = [
        [("the", "2", "det"), ("dog", "3", "nsubj"), ("barks", "0", "root")],
        [("dogs", "2", "nsubj"), ("bark", "0", "root")],
    ] * 4
    parser = DependencyParser(recipe, epochs=4, tags="given").fit(train)
    words = [["the", "dog", "barks"], ["dogs", "bark"]]
    assert parser.predict(words)[0] == [(2, "det"), (3, "nsubj"), (0, "root")]
    errors = parser.search_errors(words, [[(3, "new"), (1, "nsubj"), (0, "root")], [(0, "root"), (1, "new")]])
    assert (errors.wrong, errors.search, errors.model) == (2, 0, 2)
