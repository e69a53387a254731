"""Beams by prefix: what an update compares covers equally much, and the survival margin tells whether the truth is ever lost."""

import ast
import itertools

import pytest

from chain_problems import options
from inference.test_prefix_beam import KeyedPieces, Pieces, weights
from laso_comparison import WHAT, WHEN
from margin_problems import measured, sample
from oracle.margins import FallingTruth, SegmentMargins
from python_problems import with_weights
from riata import Predictor
from riata.features.attributes import builtin
from segment_problems import TEMPLATES, key_of, noise, segment_problem, trace_of

WORDS = ["xyzzy", "zx", "yyx", "zzyxxy", "xyz"]
TRUTH = [
    [(2, "A") if x[i : i + 2] == "xy" else (1, "B") for i in range(len(x)) if x[i - 1 : i + 1] != "xy"] for x in WORDS
]


class Runs(Pieces):
    """Every letter has a label; it does not matter how letters of one label are cut into pieces: many ways are right."""

    def regret(self, x, s, y):
        return sum(a != b for a, b in zip("".join(label * size for size, label in s), y, strict=False))

    def output(self, x, s, path):
        return "".join(label * size for size, label in path)


class KeyedRuns(Runs):
    key = KeyedPieces.key


class Marked(Pieces):
    """Before a piece there may be a mark, which covers nothing. In the truth there is one before every A."""

    def actions(self, x, s):
        return [*super().actions(x, s), *([(0, "!")] if s[-1:] != ((0, "!"),) else [])]

    def regret(self, x, s, y):
        return sum(a != b for a, b in itertools.zip_longest(s, y[: len(s)]))


LABELS = ["".join(label * size for size, label in y) for y in TRUTH]
MARKS = [tuple(itertools.chain(*([(0, "!"), piece] if piece[1] == "A" else [piece] for piece in y))) for y in TRUTH]
PROBLEMS = [(Pieces(), TRUTH), (KeyedPieces(), TRUTH), (Runs(), LABELS), (KeyedRuns(), LABELS), (Marked(), MARKS)]
NAMES = [type(problem).__name__ for problem, _ in PROBLEMS]


def cover(trace, node):
    """Of a goal it does not matter how much."""
    return "goal" if trace.nodes[node].goal else sum(ast.literal_eval(action)[0] for action in trace.path(node))


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize(("problem", "truth"), PROBLEMS, ids=NAMES)
def test_updates_of_a_problem_compare_equal_cover(problem, truth, when):
    updates = 0
    for seed, what in itertools.product(range(3), WHAT):
        settings = {"beam_by": "prefix", "when": when, "update": what}
        model = with_weights(problem, weights(seed), recipe="laso-perceptron", beam=1 + seed % 3, settings=settings)
        for x, y in zip(WORDS, truth, strict=True):
            trace = model.trace(x, y, training=True)
            for step in trace.steps:
                if step.update is None or not step.update.competitors:
                    continue
                updates += 1
                nodes = [*step.update.siblings, *(node for node, _ in step.update.competitors)]
                assert len({cover(trace, node) for node in nodes}) == 1
                assert all(trace.nodes[node].good for node in step.update.siblings)
    assert updates > 20


def end(trace, node):
    path = trace.path(node)
    return int(path[-1].split(":")[1][:-1]) if path else 0


@pytest.mark.parametrize("when", WHEN)
def test_updates_on_segments_compare_equal_cover_and_what_is_merged_with_what_absorbed_it(when):
    updates = absorbed = 0
    for seed in range(12):
        problem = noise(seed, TEMPLATES[seed % len(TEMPLATES)], longest=5, sentences=3)
        what, model = WHAT[seed % len(WHAT)], problem.random_weights(seed)
        for s in range(len(problem.sentences)):
            chosen = {"beam": 1 + seed % 3, "beam_by": "prefix", "when": when, "update": what}
            trace = trace_of(problem, model, s, **chosen)
            key = key_of(trace, problem)
            for step in trace.steps:
                if step.update is None or not step.update.competitors:
                    continue
                updates += 1
                (sibling,), competitors = step.update.siblings, [node for node, _ in step.update.competitors]
                assert {end(trace, node) for node in competitors} == {end(trace, sibling)}
                if when in ("laso", "early") and end(trace, sibling) != end(trace, step.front[0]):
                    (absorber,) = competitors
                    assert key(absorber) == key(sibling)
                    absorbed += 1
    assert updates > 20
    assert absorbed > 0 or when not in ("laso", "early")


def test_where_a_true_segment_is_absorbed_the_absorber_is_what_it_is_moved_away_from():
    # All segments of two tokens lead to one state. At a tie B wins against A, which is right, before any state that covers two tokens
    # is at the front.
    problem = segment_problem("inside word[0]", [[("a", "x"), ("b", "x"), ("c", "x")]], [((2, "A"), (1, "O"))], 2)
    trace = trace_of(problem, problem.zeros(), 0, beam=5, beam_by="prefix", update="mean")
    step = next(step for step in trace.steps if step.update is not None)
    assert [trace.path(node) for node in step.update.siblings] == [("A[0:2]",)]
    assert [(trace.path(node), weight) for node, weight in step.update.competitors] == [(("B[0:2]",), 1.0)]


# --- the survival margin -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("epochs", [1, 3, 20])
@pytest.mark.parametrize(("problem", "truth"), PROBLEMS, ids=NAMES)
def test_a_search_over_a_problem_works_if_and_only_if_its_survival_margin_is_above_zero(problem, truth, epochs):
    for beam in (1, 2, 3, 8):
        settings = {"beam_by": "prefix", "average": False}
        model = Predictor(problem, "laso-perceptron", beam=beam, epochs=epochs, settings=settings)
        found = model.fit(WORDS, truth).diagnose(WORDS, truth)
        assert (found.survival_margin > 0) == (found.losses == 0)


@pytest.mark.parametrize("width", [1, 2, 3, 8])
def test_a_search_over_segments_works_if_and_only_if_its_survival_margin_is_above_zero(width):
    lost = kept = 0
    for seed in range(20):
        problem = noise(seed, TEMPLATES[seed % len(TEMPLATES)], longest=5, sentences=1)
        model = problem.random_weights(seed)
        if seed % 2:
            problem.gold = problem.decode(model, beam=2**40, beam_by="prefix")
        found = problem.margins(model, beam=width, beam_by="prefix")
        assert (found["survival"] > 0) == (found["losses"] == 0)
        lost += found["losses"] > 0
        kept += found["losses"] == 0
    assert lost > 0 and kept > 0


def test_the_survival_margin_of_a_beam_by_prefix_is_how_far_the_truth_may_fall():
    class Falling(FallingTruth, SegmentMargins): ...

    checked = 0
    for seed in range(30):
        problem = noise(seed, TEMPLATES[seed % len(TEMPLATES)], longest=4, sentences=1)
        model, asked = problem.random_weights(seed), options(beam=1 + seed % 3, beam_by="prefix")
        problem.gold = problem.decode(model, beam=2**40, beam_by="prefix")
        margin = problem.margins(model, **asked)["survival"]
        if not 0 < margin < float("inf"):
            continue
        checked += 1

        def losses(fall, problem=problem, model=model, asked=asked):
            twin = Falling(
                problem.labels, problem.most, problem.features.templates, builtin(), asked, problem.by_name(model)
            )
            twin.fall = fall
            twin.sentence(problem.sentences[0], problem.gold[0])
            return twin.losses

        assert losses(margin - 1e-6) == 0
        assert losses(margin + 1e-6) > 0
    assert checked >= 5


@pytest.mark.parametrize("truth", ["random", "exact", "greedy"])
def test_on_chains_a_beam_by_prefix_has_the_margins_of_a_beam_by_operations(truth):
    for seed in range(6):
        corpus, model = sample(seed, truth=truth, longest=4)
        one, other = (measured(corpus, model, beam=2, beam_by=by) for by in ("operations", "prefix"))
        assert one["raw"] == pytest.approx(other["raw"])
        assert {k: v for k, v in one.items() if k not in ("raw", "normalised")} == pytest.approx(
            {k: v for k, v in other.items() if k not in ("raw", "normalised")}
        )
