"""The bounds of Daumé & Marcu 2005, as corrected: formulas, and runs that must keep them."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from chain_problems import UNBOUNDED, noise, random_model
from checks import copies, refused
from margin_problems import Labels, Subset, check_diagnosed, labelled, measured, sample
from riata import Chunker, Predictor
from riata.data.memory import as_corpus
from riata.errors import NotFittedError, SettingError, UnsupportedError
from riata.learning import diagnostics as theory
from samples import chunker, embedded, for_rows, tried

THEOREM4 = {"step": "alma", "alpha": 0.9, "B": math.sqrt(8) / 0.9, "C": math.sqrt(2)}
COROLLARY5 = {"step": "alma", "alpha": 0.5, "B": 1.5, "C": 0.5}  # C^2 + 2 (1 - alpha) B C = 1
QUEUES = {"greedy": {"queue": "greedy"}, "beam 2": {"beam": 2}, "beam 3": {"beam": 3}, "all": {"beam": UNBOUNDED}}
SEEDS = st.integers(0, 2**31)
MANY = 3000  # epochs; more than any of these data need


# --- formulas ----------------------------------------------------------------------------------------------------------
def test_theorem_4_gives_the_number_of_the_paper():
    assert round(theory.theorem4(0.9, 0.012985)) == 17724
    assert round(theory.theorem4(0.9, 1.299e-2)) == 17711  # from the margin as printed, which is rounded


def test_formulas_by_hand():
    assert theory.theorem1(3, 0.5) == 36
    assert theory.corollary2(3, 1, 0.5) == 64
    assert theory.corollary2(3, 0, 0.5) == theory.theorem1(3, 0.5)
    assert theory.corollary3(50, 99) == 1
    assert theory.theorem4(1, 0.5) == 2 / 0.25 + 4
    assert theory.theorem4(1, 0.5, p=4) == 3 * 2 / 0.25 + 4
    assert theory.corollary5(0.5, 1, 0) == pytest.approx(2 + 2 * math.sqrt(2))  # rho = 2
    assert theory.corollary5(0.5, 2, 6) == pytest.approx(3 + 0.5 + math.sqrt(0.25 + 3 + 1))  # rho = 1
    assert theory.corollary6(50, 99) == 1
    assert theory.shortfall2([1, -2, 0.5, 4], 1) == pytest.approx(math.sqrt(9 + 0.25))
    assert theory.shortfall1([1, -2, 0.5, 4], 1) == 3.5
    assert theory.shortfall1([], 1) == theory.shortfall2([], 1) == 0


@pytest.mark.parametrize("gamma", [0.0, -1.0, math.nan])
def test_a_bound_needs_a_margin(gamma):
    for bound in (
        lambda: theory.theorem1(1, gamma),
        lambda: theory.corollary2(1, 1, gamma),
        lambda: theory.theorem4(0.9, gamma),
        lambda: theory.corollary5(0.5, gamma, 1),
    ):
        refused(UnsupportedError, r"gamma is .*; the bound needs one above 0", bound)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_the_conditions_of_the_settings(alpha):
    theory.check_theorem4(alpha, math.sqrt(8) / alpha, math.sqrt(2))
    refused(UnsupportedError, "B = sqrt", theory.check_theorem4, alpha, 1 / alpha, math.sqrt(2))
    for C in (0.1, 0.5, 0.99):
        theory.check_corollary5(alpha, (1 - C**2) / (2 * (1 - alpha) * C), C)
    theory.check_corollary5(1.0, 7.0, 1.0)
    for B, C in ((1 / alpha, math.sqrt(2)), (math.sqrt(8) / alpha, math.sqrt(2)), (1.0, 1.0)):
        with pytest.raises(UnsupportedError, match="Corollary 5 is proved for") as caught:
            theory.check_corollary5(alpha, B, C)
    remedy = dict(pair.split("=") for pair in caught.value.remedy.rstrip(".").split("such as ")[1].split(" and "))
    theory.check_corollary5(alpha, float(remedy["B"]), float(remedy["C"]))


@tried(50, st.lists(st.floats(-5, 5), min_size=1, max_size=20), st.floats(0.1, 10), st.integers(1, 5))
def test_the_best_margin_is_as_good_as_any(p, R, epochs):
    least2, at2 = theory.best_corollary2(R, p, epochs)
    least5, at5 = theory.best_corollary5(0.5, p, epochs)
    assert least2 == theory.corollary2(R, math.sqrt(epochs) * theory.shortfall2(p, at2), at2)
    assert least5 == theory.corollary5(0.5, at5, epochs * theory.shortfall1(p, at5))
    for gamma in np.logspace(-3, 2, 60):
        assert least2 <= theory.corollary2(R, math.sqrt(epochs) * theory.shortfall2(p, gamma), gamma) * (1 + 1e-3)
        assert least5 <= theory.corollary5(0.5, gamma, epochs * theory.shortfall1(p, gamma)) * (1 + 1e-2)


# --- data that can be separated ----------------------------------------------------------------------------------------
def separable(seed, queue):
    """A chain, weights that separate it in the sense of Theorem 1, and their margins."""
    corpus, weights = sample(seed, truth="greedy", edges=seed % 2 == 0, longest=3)
    found = measured(corpus, weights, **(QUEUES["greedy"] if queue == "greedy" else QUEUES["all"]))
    assume(len(found["raw"]) and found["raw"].min() > 0)
    return corpus, found


def converged(corpus, **chosen):
    """A trainer that has gone through an epoch without an update."""
    trainer = corpus.trainer(record=True, **chosen)
    for _ in range(MANY):
        if corpus.epoch(trainer)["updates"] == 0:
            return trainer
    raise AssertionError("no convergence")


@pytest.mark.parametrize("queue", QUEUES)
@tried(25, seed=SEEDS)
def test_theorem_1(queue, seed):
    corpus, separating = separable(seed, queue)
    trainer = converged(corpus, **QUEUES[queue])
    stats = trainer.stats()
    assert stats["non_violating"] == 0
    R, updates = stats["largest_difference"], stats["updates"]
    assert updates <= theory.theorem1(R, separating["raw"].min() / separating["norm"]) + 1e-6
    raw, _ = trainer.recorded_margins()
    if updates and raw > 0:
        assert updates <= theory.theorem1(R, raw / trainer.norm) + 1e-6
    # The margin of the weights found: along the search if it is greedy, over all states otherwise.
    final = measured(corpus, trainer.last(), **(QUEUES[queue] if queue == "greedy" else QUEUES["all"]))
    if updates and final["raw"].min() > 0:
        assert updates <= theory.theorem1(R, final["raw"].min() / final["norm"]) + 1e-6
    if queue == "greedy":
        assert final["losses"] == 0  # no update in an epoch: the search works
        assert final["survival"] > 0


@pytest.mark.parametrize("queue", QUEUES)
@tried(25, seed=SEEDS)
def test_theorem_4(queue, seed):
    corpus, separating = separable(seed, queue)
    trainer = converged(corpus, **QUEUES[queue], **THEOREM4)
    stats = trainer.stats()
    assert stats["non_violating"] == 0
    R, updates = max(1.0, stats["largest_difference"]), stats["updates"]
    # Every state is seen normalised by a greedy search; where states are merged, R bounds the lengths.
    least = separating["normalised"].min() if queue == "greedy" else separating["raw"].min() / R
    assert updates <= theory.theorem4(0.9, least / separating["norm"])
    _, level = trainer.recorded_margins()
    if updates and level > 0:
        assert updates <= theory.theorem4(0.9, level / trainer.norm)


def test_the_margin_of_updates_is_the_least_over_the_differences_of_the_weights():
    corpus, _ = sample(3, longest=2)
    trainer = corpus.trainer(record=True, queue="greedy")
    assert trainer.recorded_margins() == (math.inf, math.inf)
    before, deltas = {}, []
    for s in [s for s, words in enumerate(corpus.sentences) if len(words) == 1] * 3:  # one update at most
        corpus.epoch(trainer, [s])
        after = corpus.by_name(trainer.last())
        if after != before:
            deltas.append({key: after.get(key, 0.0) - before.get(key, 0.0) for key in {*after, *before}})
        before = after
    dots = [
        (sum(after.get(k, 0.0) * v for k, v in d.items()), math.sqrt(sum(v * v for v in d.values()))) for d in deltas
    ]
    assert len(dots) == trainer.stats()["updates"] > 2
    expected = min(a for a, _ in dots), min(a / max(1.0, length) for a, length in dots)
    assert trainer.recorded_margins() == pytest.approx(expected)


# --- noise -------------------------------------------------------------------------------------------------------------
def noisy_run(seed, **chosen):
    """(updates, R, raw, normalised) of a greedy run of three epochs; the margins are those of weights that it knows nothing of."""
    corpus = noise(seed, "word[0]\nnumber(1)[0]\nedge", sentences=6, longest=4)
    trainer = corpus.trainer(queue="greedy", **chosen)
    for _ in range(3):
        corpus.epoch(trainer)
    stats = trainer.stats()
    assert stats["non_violating"] == 0
    labelled(corpus, corpus.gold)
    found = measured(corpus, corpus.random_weights(seed), queue="greedy")
    return (
        stats["updates"],
        stats["largest_difference"],
        found["raw"] / found["norm"],
        found["normalised"] / found["norm"],
    )


@tried(60, seed=SEEDS, gamma=st.floats(0.01, 10))
def test_corollary_2(seed, gamma):
    updates, R, p, _ = noisy_run(seed)
    assert updates <= theory.corollary2(R, math.sqrt(3) * theory.shortfall2(p, gamma), gamma)
    assert updates <= theory.best_corollary2(R, p, epochs=3)[0]


@tried(60, seed=SEEDS, gamma=st.floats(0.01, 10))
def test_corollary_5(seed, gamma):
    updates, _, _, p = noisy_run(seed, **COROLLARY5)
    C = COROLLARY5["C"]
    assert updates <= theory.corollary5(C, gamma, 3 * theory.shortfall1(p, gamma))
    assert updates <= theory.best_corollary5(C, p, epochs=3)[0]


def test_corollary_5_fails_as_printed():
    """With the 2-norm of shortfalls in place of their sum, runs break the bound."""
    broken = 0
    for seed in range(10):
        updates, _, _, p = noisy_run(seed, **COROLLARY5)
        bounds = [theory.corollary5(0.5, gamma, math.sqrt(3) * theory.shortfall2(p, gamma)) for gamma in (1, 3, 10, 30)]
        broken += updates > min(bounds)
    assert broken > 5


# --- what users see ----------------------------------------------------------------------------------------------------
X, Y = ["xyx", "y", "zzx", "xz"], [tuple("ABA"), ("C",), tuple("CCB"), tuple("AB")]
EASY = [tuple("ABC"["xyz".index(c)] for c in x) for x in X]
PERCEPTRON_BOUNDS = ["Theorem 1", "Corollary 2", "Corollary 3"]
ALMA_BOUNDS = ["Theorem 4", "Corollary 5", "Corollary 6"]


def predictor(recipe="laso-perceptron", problem=None, data=(X, Y), **params):
    params = {"epochs": 30, **params}
    return Predictor(problem or Labels(), recipe, **params).fit(*data)


@pytest.mark.parametrize("beam", [1, 2, 5])
@for_rows(
    "recipe, names, chosen",
    ("laso-perceptron", PERCEPTRON_BOUNDS, {}),
    ("laso-alma", ["Theorem 4"], {"B": math.sqrt(8) / 0.9}),
    ("laso-alma", ["Corollary 5", "Corollary 6"], {"alpha": 0.5, "B": 1.5, "C": 0.5}),
)
def test_bounds_of_a_problem(recipe, names, chosen, beam):
    for record in (False, True):
        model = predictor(recipe, data=(X, EASY), beam=beam, settings={**chosen, "record": record})
        found = model.diagnose(X, EASY, beam=math.inf)
        assert found.updates == model.stats_["updates"] > 0
        assert model.stats_["largest_difference"] == found.R
        assert found.examples == 4
        assert (found.update_margin is None) != record
        for name, bound in found.bounds.items():
            if name not in names:
                assert bound.value is None
                assert bound.note
            else:
                assert bound.holds or ("do not separate" in bound.note and not record)
                assert name in ("Corollary 3", "Corollary 6") or (bound.value or math.inf) >= found.updates
        assert all(name in str(found) for name in found.bounds)


def test_a_greedy_run_is_covered_by_its_own_search_and_a_beam_is_not():
    for problem, data, holds in (
        (Labels(), (X, Y), True),
        (Subset(), (["abcd", "bce"], [frozenset("bd"), frozenset("ce")]), False),  # several paths are right
    ):
        found = predictor(problem=problem, data=data, queue="greedy").diagnose(*data)
        assert found.bounds["Corollary 2"].holds == holds
    narrow = predictor(beam=2).diagnose(X, Y).bounds["Corollary 2"]
    assert narrow.value is not None
    assert not narrow.holds
    assert "no promise" in narrow.note
    assert predictor(beam=2).diagnose(X, Y, beam=math.inf).bounds["Corollary 2"].holds
    assert not predictor(queue="best-first").diagnose(X, Y, beam=math.inf).bounds["Corollary 2"].holds


@for_rows(
    "chosen, data, reason",
    ({}, (X[:2], Y[:2]), "training saw 4 examples, and these are 2"),
    ({"update": "queue"}, (X, Y), "y-good states"),
    ({"step": "mira"}, (X, Y), "this run took mira"),
)
def test_a_bound_that_says_nothing_says_why(chosen, data, reason):
    found = predictor(beam=1, settings=chosen).diagnose(*data)
    bounds = [found.bounds[name] for name in PERCEPTRON_BOUNDS]
    assert all(bound.value is None and reason in bound.note for bound in bounds)


def test_updates_without_a_violation_void_the_bounds():
    model = predictor(beam=5, epochs=1)
    model._run.stats["non_violating"] = 2
    for name, bound in model.diagnose(X, Y).bounds.items():
        assert bound.value is None
        assert name not in PERCEPTRON_BOUNDS or "2 updates violated nothing" in bound.note


def test_data_that_are_not_separated_have_no_theorem_but_a_corollary():
    data = [*X, *X], [*Y, *(tuple("C" * len(y)) for y in Y)]
    found = predictor(beam=1, data=data, epochs=5).diagnose(*data)
    assert found.losses > 0
    assert found.survival_margin <= 0
    assert found.level_margin <= 0
    assert "do not separate" in found.bounds["Theorem 1"].note
    assert found.bounds["Corollary 2"].value >= found.updates


@pytest.mark.parametrize("beam", [1, 5])
def test_chunks_are_diagnosed(beam):
    data = embedded()[:60]
    model = Chunker("laso-perceptron", beam=beam, epochs=15, settings={"record": True}).fit(data)
    found = model.diagnose(data)
    check_diagnosed(model, found, beam)
    assert found.decisions > 60
    assert str(model.diagnose([list(s) for s in inputs_of(data)], labels_of(data))) == str(found)


def inputs_of(data):
    columns = [column.texts() for column in data.columns[:-1]]
    rows = list(zip(*columns, strict=True))
    return [rows[a:b] for a, b in zip(data.starts[:-1], data.starts[1:], strict=True)]


def labels_of(data):
    texts = data.columns[-1].texts()
    return [texts[a:b] for a, b in zip(data.starts[:-1], data.starts[1:], strict=True)]


def test_what_was_not_kept_cannot_be_diagnosed(tmp_path):
    data = embedded()[:20]
    model = Chunker("laso-alma", epochs=1).fit(data)
    for other in copies(model, tmp_path):
        caught = refused(UnsupportedError, "was not trained here", other.diagnose, data)
        assert caught.remedy == "Call fit, and diagnose the same object."
    refused(UnsupportedError, "'perceptron' learns from whole outputs", chunker().diagnose, data)
    for untrained in (lambda: Chunker("perceptron").diagnose(data), lambda: Predictor(Labels()).diagnose(X, Y)):
        refused(NotFittedError, "", untrained)


def test_partial_fit_keeps_no_run_to_diagnose():
    data = embedded()[:20]
    model = Chunker("laso-alma", epochs=1).fit(data).partial_fit(data)
    refused(UnsupportedError, "nor partial_fit keeps", model.diagnose, data)


@pytest.mark.parametrize("truncate", [0.1, 1])
def test_what_the_model_leaves_out_is_there_for_theory(truncate):
    """Bounds are about the weights of training, of which truncation leaves some out of the model."""
    data, chosen = embedded()[:60], {"step": "alma", "record": True}
    for model, examples in (
        (lambda more: Chunker("laso-alma", epochs=2, settings=chosen | more).fit(data), (data,)),
        (lambda more: Predictor(Labels(), epochs=2, settings=chosen | more).fit(X, Y), (X, Y)),
    ):
        whole, cut = model({}), model({"truncate": truncate})
        assert cut.history_[-1]["dropped"] > 0
        assert str(cut.diagnose(*examples)) == str(whole.diagnose(*examples))


def test_a_warm_start_has_no_bounds():
    data = embedded()[:20]
    model = Chunker("laso-perceptron", epochs=2, warm_start=True).fit(data)
    assert model.diagnose(data).bounds["Corollary 2"].value is not None
    note = model.fit(data).diagnose(data).bounds["Corollary 2"].note
    assert "other weights than zero" in note


def test_a_predictor_keeps_its_run_when_pickled():
    model = predictor(beam=1)
    assert str(pickle.loads(pickle.dumps(model)).diagnose(X, Y)) == str(model.diagnose(X, Y))


@pytest.mark.parametrize("beam", [0, 2.5, -1])
def test_beams_that_make_no_sense_are_refused(beam):
    refused(SettingError, "beam", predictor().diagnose, X, Y, beam=beam)
    with pytest.raises(SettingError, match="beam"):
        Chunker("laso-alma", epochs=1).fit(embedded()[:20]).diagnose(embedded()[:20], beam=beam)


def test_the_survival_margin_of_a_beam_bounds_nothing():
    """Theorem 1 as printed fails for beams (Xu & Fern 2007): these weights search without a fault, and training never ends."""
    corpus, weights = random_model(366)
    corpus.sentences = [[(word,) for word in words] for words in ("dcc", "dcbbb")]
    corpus.instances = corpus.features.instances(as_corpus(corpus.sentences))
    labelled(corpus, ["XXY", "XXYZX"])
    found = measured(corpus, weights, beam=2)
    assert found["losses"] == 0
    assert found["raw"].min() < 0 < found["survival"]
    assert found["survival"] / found["norm"] == pytest.approx(0.083, abs=5e-4)  # as docs/theory.md says
    trainer = corpus.trainer(beam=2)
    for _ in range(10_000):
        assert corpus.epoch(trainer)["updates"] > 0
    stats = trainer.stats()
    assert stats["non_violating"] == 0
    bound = theory.theorem1(stats["largest_difference"], found["survival"] / found["norm"])
    assert stats["updates"] > 10 * bound
    assert round(bound) == 1015
    assert trainer.norm < 10  # it goes round in circles
