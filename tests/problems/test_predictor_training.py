"""Predictors are trained by the loop of all estimators: development data, weights of examples, going on, and what is told meanwhile."""

import copy
import pickle
import random
import signal

import numpy as np
import pytest

import riata
from checks import refused
from python_problems import TAGS, WORDS, Tagging
from riata import Predictor, RiataWarning
from riata.errors import DataError, SearchError, SettingError
from riata.learning.events import Epoch, Note, Progressed, Started
from riata.learning.loop import train
from riata.problems import training
from samples import for_rows

DRAW = random.Random(1)
X = ["".join(DRAW.choices("abcdefghijklmnopqrstuvwxyz", k=DRAW.randint(1, 6))) for _ in range(40)]
Y = [["V" if c in "aeiou" else "C" for c in word] for word in X]


def made(**params):
    return Predictor(Tagging(), "laso-perceptron", beam=2, **params)


class Events(list):
    def of(self, kind):
        return [event for event in self if isinstance(event, kind)]


def listening(model, *data, **more):
    events = Events()
    model.fit(*data, listener=events.append, **more)
    return events


def test_the_loop_is_that_of_estimators():
    assert training.train is train


def test_history_has_what_it_had_and_the_development_scores():
    model = made(epochs=3, dev=0.25).fit(X, Y)
    assert [set(epoch) for epoch in model.history_] == [
        {"epoch", "examples", "updates", "unreachable", "skipped", "dropped", "seconds", "dev_score", "refit"}
    ] * 3
    assert [epoch["examples"] for epoch in model.history_] == [30] * 3
    scores = [epoch["dev_score"] for epoch in model.history_]
    assert model.best_score_ == max(scores)
    assert model.best_epoch_ == scores.index(max(scores)) + 1
    assert model.score(X[30:], Y[30:]) == pytest.approx(model.best_score_ / 100)


def test_without_development_data_the_last_epoch_counts():
    model = made(epochs=3).fit(X, Y)
    assert (model.best_epoch_, model.best_score_) == (3, None)
    assert [epoch["dev_score"] for epoch in model.history_] == [None] * 3


def test_development_data_may_be_given_in_three_ways():
    held = made(epochs=3, dev=0.25).fit(X, Y)
    pair = made(epochs=3, dev=(X[30:], Y[30:])).fit(X[:30], Y[:30])
    to_fit = made(epochs=3).fit(X[:30], Y[:30], X[30:], Y[30:])
    assert held.weights() == pair.weights() == to_fit.weights()
    assert held.best_score_ == pair.best_score_ == to_fit.best_score_


def test_the_best_epoch_is_the_one_of_a_training_that_stops_there():
    model = made(epochs=6, dev=0.25).fit(X, Y)
    short = made(epochs=model.best_epoch_).fit(X[:30], Y[:30])
    assert model.weights() == short.weights()


def test_patience_ends_training():
    model = made(epochs=50, dev=0.25, patience=2).fit(X, Y)
    assert len(model.history_) == model.best_epoch_ + 2


def test_refit_trains_again_on_all_data():
    model = made(epochs=4, dev=0.25, refit=True)
    events = listening(model, X, Y)
    assert model.weights() == made(epochs=model.best_epoch_).fit(X, Y).weights()
    assert [epoch["refit"] for epoch in model.history_] == [False] * 4 + [True] * model.best_epoch_
    texts = [note.text for note in events.of(Note)]
    assert texts[0] == "The last 10 of 40 examples are held out to choose the epoch."
    assert texts[1].startswith(
        f"Best development score {model.best_score_:.2f}, epoch {model.best_epoch_}; training again"
    )


def test_the_listener_hears_what_happens():
    events = listening(made(epochs=2), X, Y)
    assert [(e.epoch, e.epochs, e.sentences, e.tokens, e.refit) for e in events.of(Started)] == [
        (1, 2, 40, None, False),
        (2, 2, 40, None, False),
    ]
    assert [(e.epoch, e.sentences) for e in events.of(Epoch)] == [(1, 40), (2, 40)]


def test_progress_counts_the_examples_of_an_epoch():
    class Slow(Tagging):
        def initial(self, x):
            import time

            time.sleep(0.03)
            return ()

    events = listening(Predictor(Slow(), epochs=1), X[:12], Y[:12])
    done = [event.sentences for event in events.of(Progressed)]
    assert done
    assert done == sorted(done)
    assert 0 < done[0] <= done[-1] <= 12


def test_a_listener_gets_what_would_be_warnings(recwarn):
    class Reach(Tagging):
        def regret(self, x, s, y):
            return 1 + super().regret(x, s, y)

    notes = listening(Predictor(Reach(), epochs=1), X, Y).of(Note)
    assert [note.text for note in notes if note.warning] == [
        "40 of 40 true outputs cannot be reached: the initial state has a regret above 0."
    ]
    assert not recwarn.list


def test_a_weight_of_zero_leaves_an_example_out_and_others_scale_steps():
    options = {"average": False, "shuffle": False}
    half = [1.0] * 20 + [0.0] * 20
    weighted = made(epochs=2, settings=options).fit(X, Y, sample_weight=half)
    assert weighted.weights() == made(epochs=2, settings=options).fit(X[:20], Y[:20]).weights()
    twice = made(epochs=1, settings=options).fit(X, Y, sample_weight=np.full(40, 2.0)).weights()
    once = made(epochs=1, settings=options).fit(X, Y).weights()
    assert twice == {name: 2 * weight for name, weight in once.items()}


@pytest.mark.parametrize("recipe", ["laso-perceptron", "standard"])
def test_an_example_of_weight_zero_is_not_searched(recipe):
    class Trap(Tagging):
        def actions(self, x, s):
            return () if "!" in x else super().actions(x, s)

    model = Predictor(Trap(), recipe, epochs=1)
    model.fit(["ab", "!"], [["V", "C"], ["C"]], sample_weight=[1, 0])
    assert model.history_[0]["examples"] == 2
    refused(SearchError, "example 1", model.fit, ["ab", "!"], [["V", "C"], ["C"]])


def test_weights_that_are_all_zero_have_no_score():
    refused(DataError, "sample_weight is 0 for every example", made(epochs=1).fit(X, Y).score, X, Y, np.zeros(40))


def test_how_deep_truths_are_is_not_forgotten_when_training_goes_on():
    long, true = ["ab" * 20], [["V", "C"] * 20]
    for goes_on in (lambda m: m.partial_fit(X, Y), lambda m: m.set_params(warm_start=True).fit(X, Y)):
        assert goes_on(made(epochs=1).fit(long, true)).facts_["deepest"] == 40


def test_the_score_heeds_weights():
    model = made(epochs=1).fit(X[:3], Y[:3])
    right = np.array(model.scores_of(X, Y, model.predict(X)))
    weights = np.arange(40.0)
    assert model.score(X, Y, weights) == pytest.approx(float((right * weights).sum() / weights.sum()))


@for_rows(
    "given, message",
    ([1.0], "sample_weight has the shape (1,); expected one number for each of 40 examples"),
    (["a"] * 40, "expected one number per example"),
    ([-1.0] * 40, "expected finite numbers from 0"),
)
def test_weights_that_make_no_sense_are_refused(given, message):
    assert message in str(refused(DataError, "", made().fit, X, Y, sample_weight=given))


@for_rows(
    "params, data, error, message",
    ({"refit": True}, (), SettingError, "refit is True, but there are no development data"),
    ({"patience": 2}, (), SettingError, "patience is 2, but there are no development data"),
    ({"patience": 0, "dev": 0.1}, (), SettingError, "setting 'patience' has the value 0"),
    ({"refit": "yes", "dev": 0.1}, (), SettingError, "refit is 'yes'; expected True or False"),
    ({"warm_start": 1}, (), SettingError, "warm_start is 1; expected True or False"),
    ({"dev": 1.5}, (), SettingError, "dev is 1.5; expected a pair (X, Y), or a fraction"),
    ({"dev": "some"}, (), SettingError, "dev is 'some'; expected a pair (X, Y), or a fraction"),
    ({"dev": 0.999}, (), DataError, "40 examples are too few to hold out 100% of them"),
    ({"dev": 0.1}, (X, Y), SettingError, "development data are given twice"),
    ({}, (None, Y), SettingError, "Y_dev is given, but X_dev is not"),
    ({}, (X, None), DataError, "Y_dev is None"),
    ({"dev": (X, Y[:2])}, (), DataError, "X of dev has 40 examples and Y of dev has 2"),
)
def test_development_data_that_make_no_sense_are_refused(params, data, error, message):
    assert message in str(refused(error, "", made(**params).fit, X, Y, *data))


def test_an_error_in_the_development_data_says_so():
    class Trap(Tagging):
        def actions(self, x, s):
            return () if "!" in x else super().actions(x, s)

    with pytest.raises(SearchError, match="development data: example 1"):
        Predictor(Trap(), dev=(["ab", "!"], [["V", "C"], ["C"]])).fit(X, Y)


# --- going on ---------------------------------------------------------------------------------------------------------------------
def test_a_warm_start_goes_on_from_the_model_and_its_epochs():
    options = {"average": False}
    whole = made(epochs=4, settings=options).fit(X, Y)
    model = made(epochs=2, settings=options, warm_start=True).fit(X, Y)
    assert model.best_epoch_ == 2
    model.fit(X, Y)
    assert model.best_epoch_ == 4
    assert [epoch["epoch"] for epoch in model.history_] == [3, 4]
    assert model.weights() == whole.weights()


def test_without_a_warm_start_fit_forgets():
    model = made(epochs=2).fit(X, Y)
    first = model.weights()
    assert model.fit(X, Y).weights() == first


def test_partial_fit_is_an_epoch_of_fit():
    model = made()
    for _ in range(3):
        model.partial_fit(X, Y)
    whole = made(epochs=3).fit(X, Y)
    assert model.weights() == whole.weights()
    assert model.best_epoch_ == 3
    assert [epoch["epoch"] for epoch in model.history_] == [1, 2, 3]
    assert model.predict(X) == whole.predict(X)


def test_partial_fit_goes_on_after_fit_and_after_loading(tmp_path):
    options = {"average": False}
    model = made(epochs=2, settings=options).fit(X, Y)
    model.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata", using=[Tagging()])
    copies = [loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model), model]
    third = made(epochs=3, settings=options).fit(X, Y).weights()
    assert [each.partial_fit(X, Y).weights() for each in copies] == [third] * 4
    again = pickle.loads(pickle.dumps(model))  # the learner of partial_fit is left behind
    assert again.weights() == model.weights()


def test_a_second_fit_after_partial_fit_starts_anew():
    model = made(epochs=1).partial_fit(X[:5], Y[:5])
    assert model.fit(X, Y).weights() == made(epochs=1).fit(X, Y).weights()


@pytest.mark.usefixtures("answers_ctrl_c")
def test_ctrl_c_keeps_the_best_epoch_so_far():
    class Interrupted(Tagging):
        left = 1 << 30

        def initial(self, x):
            self.left -= 1
            if self.left == 0:
                signal.raise_signal(signal.SIGINT)
            return ()

    problem = Interrupted()
    model = Predictor(problem, "laso-perceptron", beam=2, epochs=9, dev=0.25)
    problem.left = 3 * 40 + 5
    refused(KeyboardInterrupt, "", model.fit, X, Y)
    assert [epoch["epoch"] for epoch in model.history_] == [1, 2, 3]
    three = made(epochs=3, dev=0.25).fit(X, Y)
    assert model.weights() == three.weights()
    assert model.best_epoch_ == three.best_epoch_


# --- files ------------------------------------------------------------------------------------------------------------------------
def test_files_hold_the_new_parameters_and_what_training_chose(tmp_path):
    model = made(epochs=3, dev=0.25, patience=2, refit=True).fit(X, Y)
    model.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata", using=[Tagging()])
    assert (loaded.dev, loaded.patience, loaded.refit, loaded.warm_start) == (0.25, 2, True, False)
    assert (loaded.best_epoch_, loaded.best_score_) == (model.best_epoch_, model.best_score_)
    made(dev=(X, Y)).fit(X, Y).save(tmp_path / "pair.riata")
    assert riata.load_model(tmp_path / "pair.riata", using=[Tagging()]).dev is None


# --- examples whose regret is not exact -------------------------------------------------------------------------------------------
class Blind(Tagging):
    """Whose regret rises on every step behind the letter q."""

    def regret(self, x, s, y):
        return super().regret(x, s, y) + (1 if "q" in x[: len(s)] else 0)


@pytest.mark.parametrize("recipe", ["laso-perceptron", "early", "max-violation", "standard"])
def test_an_example_whose_regret_is_not_exact_is_skipped_counted_and_told(recipe):
    data, truth = [*WORDS, "aqe", "oqo"], [*TAGS, ["V", "C", "V"], ["V", "C", "V"]]
    model = Predictor(Blind(), recipe, epochs=10, settings={"shuffle": False})
    with pytest.warns(RiataWarning, match="examples were skipped in epoch 1: their regret is not exact") as told:
        model.fit(data, truth)
    assert model.history_[0]["skipped"] == 2
    assert model.facts_["skipped"] == model.history_[-1]["skipped"]
    [text] = [str(w.message) for w in told]
    assert text.startswith("2 of 8 examples")
    assert "The first: example 6, state " in text
    assert "a y-good state has no y-good child" in text
    assert "check_problem" in text
    assert told[0].filename == __file__
    assert model.score(WORDS, TAGS) == 1


def test_search_errors_of_such_an_example_are_none_that_are_known():
    model = Predictor(Blind(), epochs=3)
    with pytest.warns(RiataWarning, match="skipped"):
        model.fit([*WORDS, "aqe"], [*TAGS, ["V", "C", "V"]])
    found = model.search_errors(["aqe", WORDS[0]], [["V", "C", "V"], TAGS[0]])
    assert not found.missed[0]
    assert found.of[0] == "model"


def test_where_all_examples_are_so_it_is_an_error():
    for call in ("fit", "partial_fit"):
        with pytest.raises(SearchError, match=r"example [01], state .*: a y-good state has no y-good child"):
            getattr(Predictor(Blind()), call)(["aqe", "oqo"], [["V", "C", "V"]] * 2)
