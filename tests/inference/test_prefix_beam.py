"""A beam over equal covered prefixes, for problems whose operators cover more or less of the input."""

import random

import pytest

import riata
from checks import refused
from python_problems import TAGS, WORDS, LeftToRight, Tagging, with_weights
from riata import Predictor
from riata.errors import DataError, UnsupportedError
from samples import for_each

LABELS = ("A", "B")


class Pieces(LeftToRight):
    """A word is cut into labelled pieces of one to three letters."""

    def actions(self, x, s):
        here = self.covered(x, s)
        return [(size, label) for size in (1, 2, 3) if here + size <= len(x) for label in LABELS]

    def is_goal(self, x, s):
        return self.covered(x, s) == len(x)

    def observe(self, x, s):
        here = self.covered(x, s)
        return [x[here : here + 2], f"after {s[-1][1] if s else None}"]

    def covered(self, x, s):
        return sum(size for size, _ in s)

    def regret(self, x, s, y):
        """Pieces that are not in the truth, and pieces of the truth that can come no more."""

        def spans(pieces):
            ends = [sum(size for size, _ in pieces[: i + 1]) for i in range(len(pieces))]
            return {(end - size, end, label) for end, (size, label) in zip(ends, pieces, strict=True)}

        done, true = spans(s), spans(y)
        here = self.covered(x, s)
        cut = {span for span in true - done if span[0] < here}
        # Within a true piece: whatever follows up to its end is wrong.
        tail = here not in {0, *(end for _, end, _ in true)}
        return len(done - true) + len(cut) + tail


class KeyedPieces(Pieces):
    def key(self, x, s):
        return self.covered(x, s), s[-1:] and s[-1][1]


def weights(seed):
    draw = random.Random(seed)
    names = [a + b for a in "xyz" for b in ("", *"xyz")] + [f"after {label}" for label in (None, *LABELS)]
    return {(name, (size, label)): draw.uniform(-1, 1) for name in names for size in (1, 2, 3) for label in LABELS}


def by_hand(problem, weighing, x, width):
    """Bucket after bucket, shortest prefix first; in each one path per key, then the best."""
    buckets = {n: [] for n in range(len(x) + 1)}
    buckets[0] = [(0.0, ())]
    for covered in range(len(x) + 1):
        kept = {}
        for score, s in sorted(buckets[covered], key=lambda node: -node[0]):
            kept.setdefault(problem.key(x, s) if isinstance(problem, KeyedPieces) else s, (score, s))
        level = list(kept.values())[:width]
        if covered == len(x):
            return list(level[0][1])
        for score, s in level:
            for a in problem.actions(x, s):
                gain = sum(weighing.get((name, a), 0.0) for name in problem.observe(x, s))
                buckets[covered + a[0]].append((score + gain, (*s, a)))
    raise AssertionError


@for_each(problem=[Pieces(), KeyedPieces()], width=[1, 2, 3, 5, None])
def test_states_of_one_prefix_compete(problem, width):
    differing = 0
    for seed in range(30):
        weighing = weights(seed)
        model = with_weights(problem, weighing, beam=width, settings={"beam_by": "prefix"})
        for x in ("xyzzy", "zzyxxy"):
            found = model.predict([x])
            assert found == [by_hand(problem, weighing, x, width)]
            differing += found != model.set_params(settings=None).predict([x])
            model.set_params(settings={"beam_by": "prefix"})
    assert differing > 0 or width is None


@pytest.mark.parametrize("recipe", ["laso-perceptron", "laso-alma", "early", "max-violation", "standard"])
@pytest.mark.parametrize("problem", [Pieces(), KeyedPieces()])
def test_it_learns(problem, recipe):
    data = ["xyz", "yzx", "zxy", "xx", "yxyz", "zzyx"]
    truth = [[(2, "A") if x[i : i + 2] == "xy" else (1, "B") for i in starts(x)] for x in data]
    assert riata.check_problem(problem, data, truth).unreachable == 0
    model = Predictor(problem, recipe, epochs=20, beam=3, settings={"beam_by": "prefix"}).fit(data, truth)
    assert model.score(data, truth) == 1


def starts(x):
    at = 0
    while at < len(x):
        yield at
        at += 2 if x[at : at + 2] == "xy" else 1


class Longer(Tagging):
    """Goals that cover less wait for those that cover more."""

    def is_goal(self, x, s):
        return len(s) == (1 if s[:1] == ("V",) else 3)

    def features(self, x, s, a):
        return [f"{len(s)}{a}"]

    def covered(self, x, s):
        return len(s)


def test_goals_wait_for_each_other():
    short = {"0V": 1.0, "0C": 0.5, "1C": 0.2, "2C": 0.2}
    for width in (1, 2, None):
        model = with_weights(Longer(), short, beam=width, settings={"beam_by": "prefix"})
        assert model.predict([""]) == [["V"]]
    long = short | {"2C": 0.4}
    assert with_weights(Longer(), long, beam=2, settings={"beam_by": "prefix"}).predict([""]) == [["C", "C", "C"]]


def test_without_covered_it_is_refused_with_the_reason():
    model = Predictor(Tagging(), settings={"beam_by": "prefix"})
    with pytest.raises(
        UnsupportedError, match=r"beam_by='prefix' needs covered\(x, s\); the problem 'Tagging' defines none"
    ):
        model.fit(WORDS, TAGS)


@pytest.mark.parametrize("value", [-1, 2**31, 10**30, 1.0, "far", None])
def test_covered_must_be_a_whole_number(value):
    problem = Tagging()
    problem.covered = lambda x, s: value
    with pytest.raises(DataError, match=r"example 0: covered returned .*; expected a whole number from 0"):
        with_weights(problem, {}, settings={"beam_by": "prefix"}).predict(["ab"])


def test_exceptions_of_covered_come_through():
    problem = Tagging()
    problem.covered = lambda x, s: x.nothing
    refused(AttributeError, "nothing", with_weights(problem, {}, settings={"beam_by": "prefix"}).predict, ["ab"])
