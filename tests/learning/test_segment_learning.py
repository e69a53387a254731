"""Exact learning on segments, against Collins' algorithm and against a twin that lists every segmentation (oracle.segments)."""

import itertools
import random

import numpy as np
import pytest

from checks import refused, stored
from laso_comparison import STEPS, WHAT, WHEN, on_segments, orders, same, twin_of_segments
from oracle.laso import add
from oracle.segments import ExactSegments, loss, segmentations
from riata import Chunker
from riata.errors import SettingError, UnsupportedError
from samples import embedded, for_each, some_slow
from segment_problems import EXACT_TEMPLATES, TEMPLATES, noise, random_segments, segment_problem


@pytest.mark.parametrize("template", EXACT_TEMPLATES)
def test_exact_learning_is_the_perceptron(template):
    wrong = 0
    for seed in range(3):
        problem = noise(seed, template, longest=4, sentences=5)
        native = problem.trainer(problem.zeros(), queue="exact")
        w, snapshots = {}, [{}]
        twin = twin_of_segments(problem)
        for s in itertools.chain.from_iterable(orders(problem, 2, seed)):
            found = problem.decode(native.last(), queue="exact")[s]  # which is the best of all: tests/inference
            if found != problem.gold[s]:
                x = problem.sentences[s]
                add(w, [(twin.phi(x, problem.gold[s]), 1.0), (twin.phi(x, found), -1.0)])
                wrong += 1
            snapshots.append(dict(w))
            problem.epoch(native, [s])
            same(problem.by_name(native.last()), w)
        names = {name for one in snapshots for name in one}
        mean = {name: float(np.mean([one.get(name, 0.0) for one in snapshots])) for name in names}
        same(problem.by_name(native.averaged()), mean)
    assert wrong > 10


@for_each(queue=["exact", "beam", "greedy", "best-first"], when=WHEN)
def test_true_segments_that_are_too_long_do_no_harm(queue, when):
    """They cannot be found, so the best that can be is what is learnt from."""
    draw = random.Random(1)
    problem = noise(1, TEMPLATES[3], most=2, longest=6)
    problem.gold = [random_segments(draw, len(s), problem.labels, 6) for s in problem.sentences]
    assert any(size > 2 for gold in problem.gold for size, _ in gold)
    trainer = problem.trainer(queue=queue, when=when)
    for _ in range(3):
        problem.epoch(trainer)
    assert np.isfinite(trainer.averaged().flat()).all()
    assert all(size <= 2 for found in problem.decode(trainer.last()) for size, _ in found)


# --- learning on segments with exact search --------------------------------------------------------------------------
UPDATES = ["best", "lattice"]


@for_each(step=STEPS, update=UPDATES)
def test_exact_learning_equals_the_twin(update, step):
    updates = 0
    for seed, template in enumerate(EXACT_TEMPLATES):
        problem = noise(seed, template, longest=4, sentences=4)
        initial = problem.random_weights(seed) if seed % 2 else problem.zeros()
        settings = {"queue": "exact", **STEPS[step], "update": update}
        done, twin = on_segments(problem, settings, initial, 3, seed, kind=ExactSegments)
        assert done >= 4 or twin.updates > 0
        updates += twin.updates
    assert updates >= 20


@for_each(step=STEPS, update=UPDATES)
@pytest.mark.parametrize("seeds", some_slow([range(3), range(3, 12)], [range(3, 12)]), ids=str)
def test_what_comes_closest_to_a_truth_that_is_too_long_is_learnt(seeds, update, step):
    updates = 0
    for seed in seeds:
        template = EXACT_TEMPLATES[seed % len(EXACT_TEMPLATES)]
        problem = noise(seed, template, most=2, longest=5, sentences=4, beyond=3)
        settings = {"queue": "exact", **STEPS[step], "update": update}
        updates += on_segments(problem, settings, problem.random_weights(seed), 2, seed, kind=ExactSegments)[1].updates
    assert updates >= 5


def test_the_closest_of_many_outputs_is_found_with_others_of_the_same_loss():
    """One true segment of five tokens where two are the most: every closest output has three segments, and one of them is learnt."""
    sentence = [(word, "x") for word in "abcab"]
    problem = segment_problem("first word[0]\nlabel[-1]\nlength", [sentence], [((5, "A"),)], 2)
    trainer = problem.trainer(problem.random_weights(1), queue="exact")
    for _ in range(30):
        problem.epoch(trainer)
    (found,) = problem.decode(trainer.last(), queue="exact")
    least = min(loss(one, problem.gold[0]) for one in segmentations(5, problem.labels, 2))
    assert loss(found, problem.gold[0]) == least == 4
    assert problem.epoch(trainer)["updates"] == 0


@pytest.mark.parametrize("update", UPDATES)
def test_the_margin_is_asked_for_once(update):
    """Of ALMA: a right segmentation is learnt from too, while the second best comes close."""
    problem = noise(3, EXACT_TEMPLATES[3], longest=4, sentences=4)
    settings = {"queue": "exact", "step": "alma", "alpha": 0.1, "update": update}
    on_segments(problem, settings, problem.zeros(), 6, 3, kind=ExactSegments)
    right = []
    trainer = problem.trainer(problem.zeros(), **settings)
    for _ in range(6):
        found = problem.decode(trainer.last(), queue="exact")
        for s, one in enumerate(found):
            before = trainer.stats()["updates"]
            problem.epoch(trainer, [s])
            right.append(one == problem.gold[s] and trainer.stats()["updates"] > before)
    assert any(right)


@for_each(update=UPDATES, step=["perceptron", "alma", "mira"])
def test_sentence_weights_of_exact_learning(step, update):
    for seed in range(3):
        problem = noise(seed, EXACT_TEMPLATES[seed + 2], longest=4, sentences=4)
        weights = np.random.default_rng(seed).choice([0.0, 0.25, 1.0, 2.0], 4).tolist()
        settings = {"queue": "exact", **STEPS[step], "update": update}
        on_segments(problem, settings, problem.random_weights(seed), 2, seed, weights, kind=ExactSegments)


def test_there_is_one_moment_and_one_rival():
    """Exact search ends with one output: when to update and against which states of a queue makes no difference."""
    problem = noise(5, EXACT_TEMPLATES[4], longest=5)
    found, initial = [], problem.zeros()
    for when in WHEN:
        for what in WHAT:
            trainer = problem.trainer(initial, queue="exact", step="alma", when=when, update=what)
            for _ in range(3):
                problem.epoch(trainer)
            found.append(trainer.averaged().flat().tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("single", [False, True])
def test_lattice_updates_with_scores_far_apart(single):
    """Neither sums nor weights leave the range of numbers, and the rest of the lattice vanishes: the update is one-best."""
    problem = noise(1, EXACT_TEMPLATES[4], longest=5)
    flat = problem.random_weights(7, single).flat() * 4096
    found, initial = [], problem.zeros(single)
    initial.set_flat(flat)
    for update in UPDATES:
        trainer = problem.trainer(initial, single, queue="exact", step="perceptron", update=update)
        problem.epoch(trainer)
        found.append(trainer.last().flat())
    assert np.isfinite(found[0]).all()
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    assert (found[0] != flat).any()


def chunker(recipe, update=None, **params):
    settings = {} if update is None else {"update": update}
    given = {"structure": "segments", "queue": "exact", "epochs": 4, "settings": settings, **params}
    return Chunker(recipe, **given)


@for_each(update=[None, *UPDATES], recipe=["laso-perceptron", "laso-alma"])
def test_estimators_learn_to_chunk(recipe, update, tmp_path):
    data, test = embedded()[:120], embedded(split="test")[:40]
    made = chunker(recipe, update, seeds=2).fit(data)
    assert made.score(test) > 0.8
    assert made.search_errors(test).search == 0
    loaded = stored(made, tmp_path)
    assert loaded.predict(test) == made.predict(test)
    loaded.set_params(queue="beam", beam=float("inf"))  # the update is an affair of training alone
    assert loaded.predict(test) == made.predict(test)
    assert loaded.set_params(queue="exact", beam=None, warm_start=True, epochs=1).fit(data).score(data) > 0.9


def test_with_exact_search_the_laso_perceptron_is_the_perceptron():
    data = embedded()[:60]
    assert chunker("laso-perceptron").fit(data).model_.weights.flat().tobytes() == (
        chunker("perceptron").fit(data).model_.weights.flat().tobytes()
    )


def test_what_has_no_lattice_is_refused():
    data = embedded()[:10]
    refused(UnsupportedError, "needs all outputs", chunker("laso-alma", "lattice", queue="beam").fit, data)
    with pytest.raises(UnsupportedError, match="needs all outputs"):
        chunker("laso-alma", "lattice", queue=None, structure="chain").fit(data)
    refused(UnsupportedError, "keeps states", chunker("laso-alma", structure="chain").fit, data)
    refused(SettingError, "setting 'update' belongs to other recipes", chunker("perceptron", "lattice").fit, data)
