"""Search errors and model errors, against enumeration by hand."""

import pytest

import riata
from python_problems import Observing, random_weights, score, with_weights
from riata.entry import main
from riata.models.chain import ChainModel
from riata.models.folded import FoldedModel

SENTENCES = riata.load("embedded", "test", ("word", "tag", "chunk"))


def trained(**params):
    return riata.Chunker(epochs=2, **params).fit(
        riata.load("embedded", "train", ("word", "tag", "chunk"))[:120], listener=lambda event: None
    )


def test_exact_search_makes_no_search_errors():
    chunker = trained()
    errors = chunker.search_errors(SENTENCES)
    labels, gold = chunker.predict(SENTENCES), SENTENCES.sentences_of(-1)
    assert errors.wrong == sum(a != b for a, b in zip(labels, gold, strict=True)) > 0
    assert errors.search == 0
    assert errors.model + errors.ties == errors.wrong


def test_a_greedy_decoder_makes_search_errors_where_exact_search_finds_another_output():
    chunker = trained()
    exact = chunker.predict(SENTENCES)
    chunker.set_params(queue="greedy")
    greedy, gold = chunker.predict(SENTENCES), SENTENCES.sentences_of(-1)
    parted = sum(g != e and g != t for g, e, t in zip(greedy, exact, gold, strict=True))
    errors = chunker.search_errors(SENTENCES)
    assert parted > 0
    assert errors.search == parted
    assert errors.search + errors.model + errors.ties == errors.wrong


@pytest.mark.parametrize(("queue", "searches"), [("exact", ["exact"]), ("beam", ["beam", "exact"])])
def test_evaluating_a_model_decodes_once_by_its_queue_and_once_exactly(tmp_path, monkeypatch, queue, searches):
    trained(recipe="perceptron" if queue == "exact" else "early", structure="chain").save(tmp_path / "m.riata")
    riata.write_columns(SENTENCES, tmp_path / "test.txt")
    used, decode, predict = [], ChainModel.decode, FoldedModel.predict

    def counted(self, instances, decoder=riata.models.chain.EXACT, progress=None):
        used.append(decoder.queue)
        return decode(self, instances, decoder, progress)

    def counted_folded(self, *arguments):
        used.append("exact")
        return predict(self, *arguments)

    monkeypatch.setattr(ChainModel, "decode", counted)
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
        assert (fault == "search") == (g != t and g != e)
    assert {fault: errors.of.count(fault) for fault in ("search", "model", "tie")} == {
        "search": errors.search,
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
        for x, y, y_hat, fault in zip(X, Y, model.predict(X), errors.of, strict=True):
            found, truth = score(problem, weights, x, y_hat), score(problem, weights, x, y)
            right = tuple(y_hat) == y
            assert fault == ("right" if right else "search" if truth > found + 1e-4 else fault)
            assert fault != "search" or truth > found
            seen.add(fault)
    assert {"right", "search", "model"} <= seen
