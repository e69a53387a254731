"""The likelihood of given labels where chunks are learnt in another encoding than that of the data, against enumeration."""

from itertools import product

import numpy as np
import pytest

from riata import Chunker, registry
from riata.data.encodings.base import convert
from riata.features.templates import parse

WORDS = [["a", "b"], ["b", "a"], ["c", "a", "b"], ["a", "c", "b", "b"]]
CHUNKS = [["B-P", "O"], ["O", "B-Q"], ["B-P", "I-P", "B-P"], ["B-P", "I-P", "I-P", "B-Q"]]
ENCODINGS = ("iob1", "iob2", "bioes", "bilou")
PAIRS = [(data, learnt) for data, learnt in product(ENCODINGS, repeat=2) if data != learnt]


def in_encoding(name):
    return [convert(labels, registry.get("encoding", "iob2"), registry.get("encoding", name)) for labels in CHUNKS]


@pytest.mark.parametrize(("data", "learnt"), PAIRS, ids=[f"{data} as {learnt}" for data, learnt in PAIRS])
def test_illegal_labels_have_no_likelihood_and_all_labellings_sum_to_one(data, learnt):
    made = Chunker(
        "crf", epochs=3, encoding=data, learn_as=learnt, template=parse("word[0]\nedge"), settings={"c2": 0.1}
    )
    made.fit(WORDS, in_encoding(data))
    encoding = registry.get("encoding", data)
    every = list(product(made.classes_, repeat=2))
    found = made.log_likelihood([["a", "b"]] * len(every), every)
    legal = [not list(encoding.violations(labels, np.arange(2, dtype=np.int32), np.array([0, 2]))) for labels in every]
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-5)
    assert (np.isfinite(found) <= np.array(legal)).all()
