"""The label bias problem (Lafferty, McCallum & Pereira 2001): a state with one way on pays no heed to what it reads."""

import numpy as np
import pytest

from riata import Tagger
from riata.features.templates import parse

# Two paths through states, one of which reads r i b and the other r o b. Nothing but the middle letter tells them apart, and from
# each state there is one way on: a model that normalises every step has chosen the path at the first letter, by how frequent it is.
RIB, ROB = (list("rib"), ["1", "2", "3"]), (list("rob"), ["4", "5", "3"])
TEMPLATE = parse("bias[-1]\nedge\nedge word[0]")  # a classifier of its own for every state


def trained(recipe, data):
    own = {} if recipe == "hmm" else {"template": TEMPLATE}
    if recipe in ("memm", "crf"):
        own["settings"] = {"c2": 0.1}  # a strong prior would hide the bias
    return Tagger(recipe, **own).fit([words for words, _ in data], [labels for _, labels in data])


@pytest.mark.parametrize(("ribs", "robs", "path"), [(3, 2, RIB[1]), (2, 3, ROB[1])])
def test_a_memm_takes_the_more_frequent_path_whatever_it_reads(ribs, robs, path):
    made = trained("memm", [RIB] * ribs + [ROB] * robs)
    assert made.predict([RIB[0], ROB[0]]) == [path, path]


@pytest.mark.parametrize("recipe", ["crf", "perceptron", "hmm"])
@pytest.mark.parametrize(("ribs", "robs"), [(3, 2), (2, 3)])
def test_others_read_the_letter(recipe, ribs, robs):
    made = trained(recipe, [RIB] * ribs + [ROB] * robs)
    assert made.predict([RIB[0], ROB[0]]) == [RIB[1], ROB[1]]


def noisy(rng, number):
    """A state writes its letter with probability 29/32, and each of the others with 1/32."""
    found = []
    for _ in range(number):
        letters, path = RIB if rng.random() < 0.5 else ROB
        others = [rng.choice([other for other in "riob" if other != letter]) for letter in letters]
        found.append((np.where(rng.random(3) < 29 / 32, letters, others).tolist(), path))
    return found


def test_paths_that_write_wrong_letters_now_and_then():
    """After the experiment of the paper, with samples of our own: the least share of wrong paths is that of the HMM they come from."""
    rng = np.random.default_rng(0)
    train, test = noisy(rng, 2000), noisy(rng, 500)
    wrong = {}
    for recipe in ("memm", "crf", "hmm"):
        found = trained(recipe, train).predict([letters for letters, _ in test])
        wrong[recipe] = np.mean([path != labels for path, (_, labels) in zip(found, test, strict=True)])
    assert wrong["memm"] > 0.35
    assert wrong["crf"] < 0.1
    assert wrong["hmm"] < 0.1
