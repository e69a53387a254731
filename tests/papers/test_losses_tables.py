"""What the tables of losses need of a reproduction: noise in labels, development data of their own, scores by training size."""

from dataclasses import replace

import numpy as np
import pytest

from papers.measures import scores_by_size, size_key
from papers.noise import with_noise
from papers.reproduction import Row
from papers.run import Plan, Split, run
from papers.tasks import PENN
from riata import registry
from riata.data.datasets import load

WORDS = ("word", "tag")


def test_noise_changes_as_many_labels_as_it_says():
    data = load("embedded", "train", WORDS)
    noisy = with_noise(data, 0.05, seed=1)
    before, after = data.columns[-1], noisy.columns[-1]
    changed = before.ids != after.ids
    assert changed.sum() == round(0.05 * len(before.ids))
    assert after.ids.max() < len(before.alphabet.texts())
    assert (with_noise(data, 0.05, seed=1).columns[-1].ids == after.ids).all()
    assert (with_noise(data, 0.05, seed=2).columns[-1].ids != after.ids).any()
    assert with_noise(data, 0.0, seed=1) is data
    np.testing.assert_array_equal(data.columns[0].ids, noisy.columns[0].ids)


def small():
    """A reproduction on the embedded corpus, whose test part serves as development data."""
    task = replace(PENN, data="embedded", columns=WORDS, dev="test", test="test")
    rows = (
        Row("clean", {"recipe": "crf", "template": "S1", "settings": {"c2": 1.0}}, {}, epochs=40),
        Row("noisy", {"recipe": "crf", "template": "S1", "settings": {"c2": 1.0}}, {}, epochs=40, noise=0.3),
    )
    original = registry.get("reproduction", "losses-noise")
    return replace(original, task=task, rows=rows, claims=(), measure=scores_by_size((100,)))


@pytest.mark.parametrize("final", [False, True])
def test_development_data_of_their_own_are_not_learnt_from(final):
    split = Split.of(small(), Plan(final=final))
    assert split.apart and len(split.learnt) == len(load("embedded", "train", WORDS))
    assert split.part == ("test" if final else "dev")


def test_rows_with_noise_and_scores_by_size():
    found = run(small(), Plan(seeds=2), lambda _: None)
    clean, noisy = found.measured["clean"], found.measured["noisy"]
    assert clean["score"].values[0] == clean["score"].values[1]  # one training
    assert noisy["score"].values[0] != noisy["score"].values[1]  # noise of its own with every seed
    assert noisy["score"].mean < clean["score"].mean
    assert clean[size_key(100)].mean < clean["score"].mean
    assert clean["weights"].mean > 0
