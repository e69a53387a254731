"""The outputs that a beam ends with, and how sure it is of them, against sums over all paths."""

import itertools
import math

import numpy as np
import pytest

from checks import refused
from python_problems import (
    TAGS,
    WORDS,
    Keyed,
    KeyedSet,
    LeftToRight,
    Observing,
    Tagging,
    WordSet,
    random_weights,
    score,
    with_weights,
)
from riata import Predictor, Tagger
from riata.errors import NotFittedError, SearchError, SettingError, UnsupportedError
from samples import for_each, for_rows

LETTERS = "xyzzx"


def every_path(problem, weights, x):
    """All labellings with their scores, best first."""
    paths = [
        (list(path), score(problem, weights, x, path)) for path in itertools.product(problem.labels, repeat=len(x))
    ]
    return sorted(paths, key=lambda entry: -entry[1])


def normalised(paths, temperature=1.0):
    logs = np.array([number for _, number in paths]) / temperature
    return np.exp(logs - np.logaddexp.reduce(logs))


class Segmenting(LeftToRight):
    """Cuts x into pieces of one or two letters."""

    def actions(self, x, s):
        return [n for n in (1, 2) if sum(s) + n <= len(x)]

    def is_goal(self, x, s):
        return sum(s) == len(x)

    def observe(self, x, s):
        return [f"w={x[sum(s)]}", f"last={s[-1:]}"]

    def regret(self, x, s, y):
        return 0

    def covered(self, x, s):
        return sum(s)


class KeyedSegmenting(Segmenting):
    """Equal numbers of steps stand in the key: without them, a beam by operations follows only the best path to a key."""

    def __init__(self, counts):
        self.counts = counts

    def key(self, x, s):
        return sum(s), s[-1:], len(s) if self.counts else None


def pieces(x):
    return [path for n in range(len(x) + 1) for path in itertools.product((1, 2), repeat=n) if sum(path) == len(x)]


SEGMENT_WEIGHTS = {
    (name, a): weight
    for (name, a), weight in zip(
        itertools.product(["w=x", "w=y", "w=z", "last=()", "last=(1,)", "last=(2,)"], (1, 2)),
        np.random.default_rng(3).normal(size=12).tolist(),
        strict=True,
    )
}


# --- lists of the best ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_without_a_limit_lists_all_outputs_in_order(seed):
    weights = random_weights(seed)
    model = with_weights(Observing(), weights, beam=None)
    expected = every_path(model.problem, weights, LETTERS[:3])
    for k in (1, 4, 1000):
        [found] = model.predict_nbest([LETTERS[:3]], k)
        assert [output for output, _ in found] == [path for path, _ in expected[:k]]
        assert [number for _, number in found] == pytest.approx([number for _, number in expected[:k]])


@for_each(problem=[Observing(), Keyed()], params=[{"beam": 4}, {"beam": 1}, {"queue": "greedy"}])
def test_the_first_is_what_predict_gives_and_none_is_missing_from_the_beam(problem, params):
    weights = random_weights(5)
    model = with_weights(problem, weights, **params)
    for x in ("x", LETTERS, ""):
        [found] = model.predict_nbest([x], 10)
        assert found[0][0] == model.predict([x])[0]
        numbers = [number for _, number in found]
        assert numbers == sorted(numbers, reverse=True)
        assert numbers == pytest.approx([score(problem, weights, x, path) for path, _ in found])
        assert len(found) <= (params.get("beam") or 1)


def test_equal_outputs_count_once():
    weights = {"take a": 1.0, "take b": 0.5, "take c": -1.0}
    [found] = with_weights(WordSet(), weights, beam=50).predict_nbest([["a", "b", "c"]], 20)
    outputs = [output for output, _ in found]
    assert len(set(outputs)) == len(outputs)
    assert found[0] == ({"a", "b"}, 1.5)


def test_outputs_that_cannot_be_compared_count_as_different():
    class Arrays(Observing):
        def output(self, x, s, path):
            return (np.zeros(2), np.ones(2))

    [found] = with_weights(Arrays(), {}, beam=3).predict_nbest(["x"], 5)
    assert len(found) == 3


# --- confidence -------------------------------------------------------------------------------------------------------------------
@for_each(temperature=[1.0, 0.3], problem=[Observing(), Keyed()], seed=range(3))
def test_a_beam_without_a_limit_gives_exact_probabilities(problem, seed, temperature):
    weights = random_weights(seed)
    model = with_weights(problem, weights, beam=None)
    paths = every_path(problem, weights, LETTERS)
    probabilities = normalised(paths, temperature)
    [whole] = model.predict_confidence([LETTERS], temperature=temperature)
    assert whole == pytest.approx(probabilities[0])
    [steps] = model.predict_confidence([LETTERS], steps=True, temperature=temperature)
    best = paths[0][0]
    for t, found in enumerate(steps):
        same = [p for (path, _), p in zip(paths, probabilities, strict=True) if path[t] == best[t]]
        assert found == pytest.approx(sum(same))


def test_probabilities_of_the_best_are_those_of_their_paths():
    weights = random_weights(1)
    [found] = with_weights(Observing(), weights, beam=None).predict_nbest([LETTERS[:3]], 5, probabilities=True)
    paths = every_path(Observing(), weights, LETTERS[:3])
    assert [output for output, _ in found] == [path for path, _ in paths[:5]]
    assert [p for _, p in found] == pytest.approx(normalised(paths)[:5])


def test_of_a_narrow_beam_it_is_the_share_of_what_was_kept():
    weights = random_weights(2)
    model = with_weights(Observing(), weights, beam=4)
    [kept] = model.predict_nbest([LETTERS], 9)
    [shares] = model.predict_nbest([LETTERS], 9, probabilities=True)
    assert [p for _, p in shares] == pytest.approx(normalised(kept))
    assert sum(p for _, p in shares) == pytest.approx(1)
    assert model.predict_confidence([LETTERS]) == [pytest.approx(shares[0][1])]


def test_a_beam_of_one_is_sure():
    model = with_weights(Observing(), random_weights(2), queue="greedy")
    assert model.predict_confidence([LETTERS, ""]) == [1.0, 1.0]
    assert model.predict_confidence([LETTERS, ""], steps=True) == [[1.0] * 5, []]


@for_rows(
    "by, problem",
    ("operations", Segmenting()),
    ("prefix", Segmenting()),
    ("operations", KeyedSegmenting(counts=True)),
    ("prefix", KeyedSegmenting(counts=True)),
    ("prefix", KeyedSegmenting(counts=False)),
)
def test_steps_of_unequal_length_are_summed_where_they_are_taken(problem, by):
    x = "xyzzyx"
    model = with_weights(problem, SEGMENT_WEIGHTS, beam=None, settings={"beam_by": by})
    paths = [(path, score(problem, SEGMENT_WEIGHTS, x, path)) for path in pieces(x)]
    probabilities = normalised(paths)
    [best] = model.predict([x])
    assert model.predict_confidence([x])[0] == pytest.approx(
        next(p for (path, _), p in zip(paths, probabilities, strict=True) if list(path) == best)
    )
    [steps] = model.predict_confidence([x], steps=True)
    for t, found in enumerate(steps):

        def here(path, t=t):
            """Whether a path takes the same step at the same place."""
            if by == "operations":
                return t < len(path) and path[t] == best[t]
            starts = [sum(path[:i]) for i in range(len(path))]
            at = sum(best[:t])
            return at in starts and path[starts.index(at)] == best[t]

        assert found == pytest.approx(sum(p for (path, _), p in zip(paths, probabilities, strict=True) if here(path)))


def test_equal_outputs_of_the_last_front_add_up():
    weights = {"take a": 1.0, "take b": 0.5}
    x = ["a", "b"]
    model = with_weights(WordSet(), weights, beam=50)
    ends = {("."): 0.0, ("a", "."): 1.0, ("b", "."): 0.5, ("a", "b", "."): 1.5, ("b", "a", "."): 1.5}
    total = sum(math.exp(number) for number in ends.values())
    assert model.predict([x]) == [{"a", "b"}]
    assert model.predict_confidence([x]) == [pytest.approx(2 * math.exp(1.5) / total)]
    [found] = model.predict_nbest([x], 2, probabilities=True)
    assert found == [({"a", "b"}, pytest.approx(2 * math.exp(1.5) / total)), ({"a"}, pytest.approx(math.e / total))]


def test_paths_that_a_key_merged_count_in_the_sum():
    weights = {"take a": 1.0, "take b": 0.5}
    model = with_weights(KeyedSet(), weights, beam=None)
    ends = [0.0, 1.0, 0.5, 1.5, 1.5]
    assert model.predict_confidence([["a", "b"]]) == [pytest.approx(math.exp(1.5) / sum(map(math.exp, ends)))]


def test_confidence_agrees_with_that_of_the_native_chain():
    """A tagger and a problem that say the same: confidence of every label, by a beam that keeps all."""
    tagger = Tagger("laso-perceptron", beam=float("inf"), template=riata_template(), epochs=3)
    tagger.fit([list(word) for word in WORDS if word], [tags for tags in TAGS if tags])
    weights = {(name, label): weight for (name, label), weight in tagger.state_features_.items()}
    pairs = {(f"y={before}", label): weight for (before, label), weight in tagger.transition_features_.items()}

    class Same(Keyed):
        def observe(self, x, s):
            return [f"word[0]={x[len(s)]}", *(f"y={label}" for label in s[-1:])]

    model = with_weights(Same(tuple(tagger.classes_)), {**weights, **pairs}, beam=None)
    for word in ("hello", "aeon"):
        assert model.predict([list(word)]) == tagger.predict([list(word)])
        [expected] = tagger.predict_confidence([list(word)])
        assert model.predict_confidence([list(word)], steps=True)[0] == pytest.approx(expected, rel=1e-4)


def riata_template():
    from riata.features.templates import parse

    return parse("word[0]\nedge")


# --- refusals ---------------------------------------------------------------------------------------------------------------------
@for_each(params=[{"queue": "best-first"}, {"queue": "depth-first"}, {"settings": {"beam_by": "pending"}}])
def test_queues_that_keep_no_levels_are_refused_with_the_reason(params):
    model = with_weights(Observing(), {}, **params)
    for call in (lambda: model.predict_nbest(["x"], 2), lambda: model.predict_confidence(["x"])):
        assert "beam by operations or by prefix" in refused(UnsupportedError, "keeps no levels", call).remedy


def test_what_makes_no_sense_is_refused():
    model = with_weights(Observing(), {})
    refused(SettingError, "'k' has the value 0", model.predict_nbest, ["x"], 0)
    for temperature in (0, -1, math.nan, "hot"):
        with pytest.raises(SettingError, match=r"temperature is .*; expected a number"):
            model.predict_confidence(["x"], temperature=temperature)
    for call in (lambda p: p.predict_nbest(["x"], 1), lambda p: p.predict_confidence(["x"])):
        refused(NotFittedError, "", call, Predictor(Observing()))


def test_a_search_that_time_ended_lists_its_best_and_knows_no_confidence():
    class Slow(Observing):
        def is_goal(self, x, s):
            return len(s) == len(x) or s[-1:] == ("A",)

        def actions(self, x, s):
            import time

            time.sleep(0.02)
            return super().actions(x, s)

    model = with_weights(Slow(), {}, beam=None, settings={"seconds": 0.001})
    [found] = model.predict_nbest(["xyzx"], 3)
    assert [output for output, _ in found] == model.predict(["xyzx"])
    refused(SearchError, "the time was over before the search had ended", model.predict_confidence, ["xyzx"])


def test_a_trained_predictor_is_surer_at_a_lower_temperature():
    model = Predictor(Tagging(), epochs=10).fit(WORDS, TAGS)
    one, sharp = (model.predict_confidence(["banana"], temperature=t)[0] for t in (1.0, 0.05))
    assert 0 < one < sharp <= 1
