"""Contestants of `sentences` in one process: what is timed of them, and the page."""

from collections import Counter

import riata
from benchmarks import side_by_side, tutorial
from benchmarks.contest import Split

CORPUS = riata.load("embedded", "test")[:30]
ABOUT = {"commit": "c", "date": "d", "cpu": "m", "python": "3"}


class Constant(side_by_side.Contestant):
    """Calls everything O, and counts."""

    features = "dictionaries"

    def __init__(self):
        self.calls = Counter()

    def sentence(self, rows):
        return tutorial.dictionaries(rows)

    def fit(self, sentences, labels):
        assert [len(sentence) for sentence in sentences] == [len(truth) for truth in labels]
        self.calls["fit"] += 1

    def predict(self, sentences):
        self.calls["predict"] += 1
        return [["O"] * len(sentence) for sentence in sentences]

    def predict_one(self, sentence):
        self.calls["one"] += 1
        return ["O"] * len(sentence)


def test_a_round_predicts_all_sentences_and_one_of_them_again_and_again(monkeypatch):
    monkeypatch.setattr(side_by_side, "LENGTH", len(CORPUS[0:1].columns[0].ids))
    contestant = Constant()
    ready = side_by_side.Ready(contestant, Split(CORPUS, CORPUS))
    result = ready.round()
    assert contestant.calls["fit"] == 1
    assert contestant.calls["predict"] == side_by_side.TIMES
    assert contestant.calls["one"] > 100
    assert result["tokens_scored"] == CORPUS.tokens
    assert result["metrics"]["f1"] == 0


def result(name, features, predict, p50):
    return {
        "question": side_by_side.QUESTION, "contestant": name, "data": "dev", "rounds": 3, "features": features,
        "metrics": {"f1": 70.0}, **ABOUT,
        "seconds": {stage: {"cpu": value, "wall": value} for stage, value in {"train": 1.0, "predict": predict}.items()},
        "latency_us": {clock: {"p50": p50, "p99": 2 * p50} for clock in ("cpu", "wall")}, "tokens_scored": 1000,
    }  # fmt: skip


def test_the_page_tells_floors_and_where_riata_loses():
    peer = result("sklearn_crfsuite_dictionaries", "dictionaries", 1.0, 100.0)
    text = "\n".join(side_by_side.section([result("riata_dictionaries", "dictionaries", 0.25, 200.0), peer]))
    assert (
        "| dictionaries to labels | sklearn_crfsuite_dictionaries 1,000 tokens/s | riata_dictionaries 4,000 tokens/s"
        in text
    )
    assert "| 4.00 | 4.00 | 2 × | reached |" in text
    assert "riata_dictionaries 200 µs (200 µs) |  |  | ≤ 60 µs | **missed** |" in text
    assert (
        "- latency of a sentence, p50: sklearn_crfsuite_dictionaries 100 µs, riata_dictionaries 200 µs (2.00 ×)."
        in text
    )
    assert "default `EntityRecognizer` | | | | | ≤ 30 µs | not measured |" in text
    assert side_by_side.section([]) == []


def test_the_tutorial_has_a_dictionary_per_token_with_both_neighbours():
    first, last = tutorial.dictionaries([("Ana", "NP"), ("vive", "VMI")])
    assert first["BOS"] is True and last["EOS"] is True
    assert first["+1:word.lower()"] == "vive" and last["-1:postag[:2]"] == "NP"
    assert len(first) == len(last) == 15
