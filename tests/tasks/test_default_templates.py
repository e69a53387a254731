"""The default template of entities reads two labels back where the learner can, and does without where it cannot."""

import pytest

import riata
from samples import quietly

WORDS = [["Ana", "lives", "in", "Rome"], ["Bob", "saw", "New", "York"]] * 10
LABELS = [["B-P", "O", "O", "B-L"], ["B-P", "O", "B-L", "I-L"]] * 10


@pytest.mark.parametrize(
    ("parameters", "reads"),
    [
        ({}, True),
        ({"recipe": "mira"}, True),
        ({"recipe": "laso-alma"}, True),
        ({"recipe": "laso-alma", "bits": 18}, True),
        ({"recipe": "crf", "epochs": 20}, True),
        ({"recipe": "crf", "epochs": 20, "settings": {"optimiser": "sgd"}}, True),
        ({"recipe": "memm", "epochs": 10}, False),
        ({"bits": 18}, False),
        ({"shards": 2}, True),
    ],
    ids=str,
)
def test_earlier_labels_are_read_where_they_can_be(parameters, reads):
    made = quietly(riata.EntityRecognizer(**parameters), WORDS, LABELS)
    assert any(template.labels for template in made.model_.features.templates) is reads
    assert made.score(WORDS, LABELS) == 1.0
