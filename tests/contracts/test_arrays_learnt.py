"""Arrays [T, d] as sentences: every recipe on every structure learns from them, or says why not."""

import numpy as np
import pytest

import riata
from checks import refused
from riata import registry
from riata.errors import DataError, UnsupportedError
from samples import for_each

DRAW = np.random.default_rng(0)
SIGNALS = [DRAW.normal(size=(DRAW.integers(2, 6), 3)) for _ in range(40)]
CHUNKS = [["B-A" if row[0] > 0 else "O" for row in signal] for signal in SIGNALS]
PAIRS = [
    [("N" if row[1] > 0 else "V", chunk) for row, chunk in zip(signal, chunks, strict=True)]
    for signal, chunks in zip(SIGNALS, CHUNKS, strict=True)
]
TREES = [[(token, "x") for token in range(len(signal))] for signal in SIGNALS]  # each token is under the one before
QUICK = {"C": 0.1, "c2": 0.1}  # instead of a choice on held-out sentences
CHAINS = {"chain", "kernel-chain"}  # structures whose tokens may be features already
NEVER = {"hmm"}  # on chains; the others refuse structures that are scored by templates alone


def made(recipe, structure):
    declared = registry.get("recipe", recipe)
    quick = {s.name: QUICK[s.name] for s in declared.settings if s.name in QUICK and declared.whole}
    kinds = {(1, False): riata.Chunker, (2, False): riata.JointTagger, (2, True): riata.DependencyParser}
    kind = kinds[registry.get("structure", structure).gives]
    return kind(recipe, structure=structure, epochs=10, settings=quick)


@for_each(structure=registry.names("structure"), recipe=registry.names("recipe"))
def test_a_recipe_learns_from_arrays_or_says_why_not(recipe, structure):
    estimator, labels = made(recipe, structure), CHUNKS
    if registry.get("structure", structure).columns > 1:
        labels = TREES if registry.get("structure", structure).trees else PAIRS
    try:
        estimator.fit(SIGNALS, labels)
    except UnsupportedError as error:
        assert error.remedy
        assert any(word in str(error) for word in (" needs ", "read columns", "reads words")), error
        needs = registry.get("recipe", recipe).needs
        assert recipe in NEVER or structure not in CHAINS or not needs <= registry.get("structure", structure).offers
        return
    assert structure in CHAINS
    found = estimator.predict(SIGNALS)
    assert [len(one) for one in found] == [len(signal) for signal in SIGNALS]
    assert estimator.score(SIGNALS, CHUNKS) > 0.7
    assert estimator.array_width_ == 3


@pytest.mark.parametrize("recipe", ["m3n", "svmstruct-margin", "svmstruct-slack", "svm-subgradient"])
def test_numbers_and_widths_that_cannot_be_learnt_from(recipe):
    spoilt = [signal.copy() for signal in SIGNALS]
    spoilt[3][1, 2] = np.nan
    caught = refused(DataError, r"nan|NaN", made(recipe, "chain").fit, spoilt, CHUNKS)
    assert "3" in str(caught) and "2" in str(caught)
    narrow = [*SIGNALS[:-1], SIGNALS[-1][:, :2]]
    refused(DataError, r"columns|width", made(recipe, "chain").fit, narrow, CHUNKS)
    refused(DataError, r"columns|width", made(recipe, "chain").fit(SIGNALS, CHUNKS).predict, [SIGNALS[0][:, :2]])
