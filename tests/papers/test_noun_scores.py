"""Scores of NP chunks alone, against the rows of a report and against counts by hand."""

import pytest

import riata
from papers.measures import noun_scores
from papers.reproduction import Trained
from samples import embedded, quietly


@pytest.fixture(scope="module")
def trained():
    data = embedded()
    made = quietly(riata.JointTagger("laso-perceptron", beam=2, epochs=1), data[:40])
    return Trained(made, data[:40], data[40:80], 1.5)


def test_nouns_alone_are_the_row_of_a_report(trained):
    """Chunks of one type are counted in the same way whatever the others are."""
    found = noun_scores(trained)
    evaluation = trained.estimator.evaluate(trained.scored)
    row = next(row for row in evaluation.report.rows if row.type == "NP")
    assert found["f1_np"].value == pytest.approx(row.f1)
    assert found["f1"].value == pytest.approx(evaluation.score)
    assert found["f1_np"].value != found["f1"].value
    for sample in (found["f1_np"], found["tag_accuracy"]):
        assert sample.statistic(sample.counts.sum(axis=0)) == pytest.approx(sample.value)
        assert len(sample.counts) == len(trained.scored)


def test_accuracies_by_hand(trained):
    found = noun_scores(trained)
    gold = [tuple(token[1:]) for sentence in trained.scored for token in sentence]
    said = [pair for sentence in trained.estimator.predict(trained.scored) for pair in sentence]

    def nouns(chunk):
        return chunk if chunk in ("B-NP", "I-NP") else "O"

    def share(right):
        return pytest.approx(100 * sum(right) / len(gold))

    pairs = list(zip(gold, said, strict=True))
    assert found["tag_accuracy"].value == share([a[0] == b[0] for a, b in pairs])
    assert found["accuracy"].value == share([a[1] == b[1] for a, b in pairs])
    assert found["joint_accuracy"].value == share([a == b for a, b in pairs])
    assert found["accuracy_np"].value == share([nouns(a[1]) == nouns(b[1]) for a, b in pairs])
    assert found["joint_accuracy_np"].value == share([a[0] == b[0] and nouns(a[1]) == nouns(b[1]) for a, b in pairs])
    assert found["seconds_train"].value == 1.5
