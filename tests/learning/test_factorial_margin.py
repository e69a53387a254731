"""Max-margin learning of several labels per token, against a generic solver on all outputs."""

import itertools
import random

import pytest

from enumerated_margins import least
from oracle.margin import combined
from riata import JointTagger
from riata.errors import UnsupportedError
from riata.features import joint as joint_templates
from samples import for_rows

TAGS, CHUNKS = ("N", "V"), ("B-A", "O")
TEMPLATE = joint_templates.parse("tag x0[0]\nchunk x0[0]\nchunk tag[0]\ntag tag[-1]\nchunk chunk[-1]")
C = 0.3


def sentences(seed):
    draw = random.Random(seed)
    return [
        [(draw.choice("abc"), draw.choice(TAGS), draw.choice(CHUNKS)) for _ in range(draw.randint(1, 3))]
        for _ in range(5)
    ]


def phi(words, labels):
    found = {}
    for t, (word, (tag, chunk)) in enumerate(zip(words, labels, strict=True)):
        names = [("tag", word, tag), ("chunk", word, chunk), ("both", tag, chunk)]
        if t > 0:
            names += [("tags", labels[t - 1][0], tag), ("chunks", labels[t - 1][1], chunk)]
        for name in names:
            found[name] = found.get(name, 0.0) + 1
    return found


def planes(sentence):
    words, gold = [row[0] for row in sentence], [row[1:] for row in sentence]
    outputs = itertools.product(itertools.product(TAGS, CHUNKS), repeat=len(words))
    return [
        (
            combined((1, phi(words, gold)), (-1, phi(words, output))),
            float(
                sum(a != b for one, other in zip(gold, output, strict=True) for a, b in zip(one, other, strict=True))
            ),
        )
        for output in outputs
    ]


@pytest.mark.parametrize("seed", range(3))
@for_rows(
    "recipe, settings, close",
    *(
        ("m3n", {"solver": solver, "gap": 4e-5, "average": False}, 1e-4)
        for solver in ("frank-wolfe", "pairwise", "exponentiated-gradient", "extragradient")
    ),
    ("svmstruct-margin", {"epsilon": 1e-5, "slacks": "one"}, 1e-4),
    ("svmstruct-margin", {"epsilon": 1e-5, "slacks": "each"}, 1e-4),
    ("svm-subgradient", {}, 0.02),
)
def test_the_objective_is_that_of_a_generic_solver(recipe, settings, close, seed):
    data = sentences(seed)
    asked = {"C": C, "precision": "double", **settings}
    epochs = 1000 if recipe == "svm-subgradient" else 20_000
    made = JointTagger(recipe, structure="factorial", template=TEMPLATE, epochs=epochs, settings=asked)
    last = made.fit(data).history_[-1]
    _, expected = least([planes(sentence) for sentence in data], [C] * len(data))
    assert last["objective"] == pytest.approx(expected, rel=close)
    if last["dual"] is not None:
        assert last["dual"] <= expected * (1 + 1e-9)


def test_slacks_that_are_scaled_need_a_search_of_their_own():
    with pytest.raises(UnsupportedError, match="needs slack-rescaled argmax"):
        JointTagger("svmstruct-slack", structure="factorial").fit(sentences(0))
