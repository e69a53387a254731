"""ALMA with a normalised threshold: against its slow twin, and what Theorem 4 says of it."""

import math

import pytest

from chain_problems import noise
from checks import refused
from laso_comparison import compared
from python_problems import LeftToRight
from riata import Chunker, Predictor, Problem
from riata.errors import SettingError
from riata.features.templates import parse
from samples import CHUNKS, for_each, for_rows

BEAMS = {"greedy": {"queue": "greedy"}, "beam 2": {"beam": 2}, "beam 3": {"beam": 3}, "beam 65": {"beam": 65}}
ALMAS = {
    "alma": {"alpha": 0.5},
    "alma of Theorem 4": {"alpha": 0.9, "B": math.sqrt(8) / 0.9, "C": math.sqrt(2)},
    "alma in another norm": {"alpha": 0.7, "p": 3.0},
}
TEMPLATES = ["word[0]", "word[0]\nedge", "word[-1]\nword[0]\nedge word[0]", "word[0]\nlabel[-2] label[-1]\nedge"]


@for_each(merge=[True, False], alma=ALMAS, beam=BEAMS)
def test_weights_equal_those_of_the_twin(beam, alma, merge):
    learnt = 0
    for turn, (when, update) in enumerate(
        [
            ("laso", "mean"),
            ("laso", "best"),
            ("early", "queue"),
            ("max-violation", "loss-weighted"),
            ("standard", "mean"),
        ]
    ):
        settings = {
            **BEAMS[beam], **ALMAS[alma], "step": "alma", "when": when, "update": update, "merge": merge, "threshold": "normalised",
        }  # fmt: skip
        corpus = noise(turn, TEMPLATES[turn % 4], [None, "iob2"][turn % 2], longest=4)
        learnt += compared(corpus, settings, corpus.random_weights(turn), 2, turn)[0]
        learnt += compared(corpus, settings, None, 2, turn)[0]
    assert learnt > 20


def chunker(threshold, **settings):
    chosen = {"B": math.sqrt(8) / 0.9, "C": math.sqrt(2), "record": True, "threshold": threshold, **settings}
    return Chunker(
        "laso-alma", structure="chain", beam=2, epochs=60, template=parse("x0[0]\nx1[0]\nedge"), settings=chosen
    )


def test_every_update_violates_and_the_bound_holds():
    plain, normalised = (chunker(threshold).fit(CHUNKS) for threshold in ("plain", "normalised"))
    for trained in (plain, normalised):
        found = trained.diagnose(CHUNKS)
        assert found.non_violating == 0
        assert found.updates <= found.bounds["Theorem 4"].value
    assert any(a != b for a, b in zip(plain.history_, normalised.history_, strict=True))


def test_where_no_difference_is_longer_than_one_both_thresholds_are_the_same():
    class Tiny(LeftToRight):
        def actions(self, x, s):
            return ("V", "C")

        def features(self, x, s, a):
            return [(f"w={x[len(s)]}|{a}", 0.01), (f"p={s[-1:]}|{a}", 0.01)]

        def regret(self, x, s, y):
            return sum(a != b for a, b in zip(s, y, strict=False))

    words = ["tree", "lasso", "beam", "queue"]
    truth = [["V" if letter in "aeiou" else "C" for letter in word] for word in words]
    both = [
        Predictor(Tiny(), "laso-alma", beam=2, epochs=3, settings={"threshold": threshold}).fit(words, truth)
        for threshold in ("plain", "normalised")
    ]
    assert both[0].weights() == both[1].weights()


class Named(Problem):
    """One decision. x: names of features, each with a value."""

    def initial(self, x):
        return ()

    def actions(self, x, s):
        return ("A", "B")

    def apply(self, x, s, a):
        return (a,)

    def is_goal(self, x, s):
        return bool(s)

    def observe(self, x, s):
        return list(x.items())

    def regret(self, x, s, y):
        return float(s != () and s[0] != y)


@pytest.mark.parametrize("queue", [{"queue": "greedy"}, {"beam": 1}])
def test_training_ends_only_when_long_differences_have_their_margin_too(queue):
    """The second example is right from the first update on, by less than its margin, which is ten times that of the first."""
    inputs, outputs = [{"a": 1.0}, {"a": 1.0, "b": 10.0}], ["A", "A"]
    settings = {"threshold": "normalised", "alpha": 0.5, "average": False, "shuffle": False}
    made = Predictor(Named(), "laso-alma", epochs=100, settings=settings, **queue).fit(inputs, outputs)
    assert made.history_[-1]["updates"] == 0
    updates = sum(epoch["updates"] for epoch in made.history_)
    threshold = (1 - 0.5) * (1 / 0.5) / math.sqrt(1 + updates)
    for x in inputs:
        ahead = sum(
            value * (made.weights().get((name, "A"), 0) - made.weights().get((name, "B"), 0))
            for name, value in x.items()
        )
        length = math.sqrt(2 * sum(value**2 for value in x.values()))
        assert ahead >= threshold * max(1, length)


def test_greedy_search_is_a_beam_of_one():
    made = [
        Chunker("laso-alma", structure="chain", epochs=3, settings={"threshold": "normalised"}, **queue)
        for queue in ({"queue": "greedy"}, {"beam": 1})
    ]
    greedy, beam = (one.fit(CHUNKS).state_features_ for one in made)
    assert greedy == beam
    plain = Chunker("laso-alma", structure="chain", epochs=3, queue="greedy")
    assert plain.fit(CHUNKS).state_features_ != greedy


def test_a_refusal_says_what_it_is_for():
    chunker = Chunker("laso-alma", settings={"threshold": "normalised", "beam_by": "prefix"})
    refused(SettingError, "is for states after equal numbers of operations: beam_by is 'prefix'", chunker.fit, CHUNKS)


@for_rows("settings", {"step": "perceptron"}, {"beam_by": "prefix"}, ids=lambda settings: next(iter(settings)))
def test_it_is_refused_where_it_means_nothing(settings):
    with pytest.raises(SettingError, match="threshold"):
        Chunker("laso-alma", structure="chain", settings={"threshold": "normalised", **settings}).fit(CHUNKS)
