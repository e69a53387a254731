"""The loop around the learner: which epoch is kept, when training stops, what it tells and costs, and what Ctrl-C leaves."""

from dataclasses import replace

import numpy as np
import pytest

import riata
from checks import refused
from packed_weights import weights_of
from riata import Chunker, RiataWarning, Tagger
from riata._core import shuffled
from riata.data.memory import as_corpus
from riata.errors import DataError, LabelError, NotFittedError, SettingError
from riata.estimators.model_file import to_bytes
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.templates import parse
from riata.inference.rules.legality import Legality
from riata.learning.events import Epoch, Note, Progressed, Started, ignore
from riata.learning.loop import EpochPlan, EpochTrainer, SentenceTrainer, TrainingSet, train
from riata.models.model import Model
from riata.structures.chain.model import ChainOutputs
from samples import TAGS, WORDS, for_each, for_rows

TEMPLATE = parse("word[-1]\nword[0]\nword[1]\nsuffix3[0]\nedge")


def train_data(sentences=None):
    return riata.load("embedded", "train")[:sentences]


def dev_data():
    return riata.load("embedded", "test")


def same_model(a, b):
    """Labels, templates, texts, n-grams and weights, byte for byte."""
    (header_a, arrays_a), (header_b, arrays_b) = a.model_.to_parts(), b.model_.to_parts()
    return (
        header_a == header_b
        and arrays_a.keys() == arrays_b.keys()
        and all(arrays_a[name].tobytes() == arrays_b[name].tobytes() for name in arrays_a)
    )


def chunker(**params):
    return Chunker("perceptron", **{"template": TEMPLATE, "epochs": 6, **params})


def fitted(data, **params):
    return chunker(**params).fit(data)


# --- the loop, with development scores made up -----------------------------------------------------------------------------
X, Y = [["a", "b"], ["b", "a"], ["c"]], [["X", "Y"], ["Y", "Y"], ["X"]]


def looped(scores, *, epochs, patience=None, first_epoch=1):
    """train() on a tiny corpus, its development scores told in advance; and a list of the epochs' own models."""
    features = Features(parse("word[0]\nedge"), builtin())
    corpus = as_corpus(X)
    features.extend(corpus)
    instances = features.instances(corpus)
    instances.set_labels(np.array([0, 1, 1, 1, 0], np.int32), 2)
    settings = {"average": True, "shuffle": True, "precision": "double"}
    blank = Model.blank(features, ChainOutputs(("X", "Y"), Legality.free(2)), single=False)
    trainer = SentenceTrainer("perceptron", features, lambda data: blank, settings)
    told, models = iter(scores), []

    def dev_score(model):
        models.append(model)
        return next(told)

    plan = EpochPlan(epochs, patience, first_epoch=first_epoch)
    data = TrainingSet(instances, np.empty(0), np.empty(0))
    return train(trainer, data, plan, dev_score if scores else None, ignore), models


@for_rows(
    "scores, best",
    ([50.0, 70.0, 60.0, 65.0], 2),
    ([50.0, 70.0, 70.0, 70.0], 2),
    ([70.0, 70.0, 70.0, 70.0], 1),
    ([0.0, 0.0, 0.0, 0.0], 1),
    ([10.0, 20.0, 30.0, 40.0], 4),
    ([30.0, 20.0, 30.0, 30.1], 4),
)
def test_the_best_epoch_is_kept_and_the_earliest_of_equals(scores, best):
    outcome, models = looped(scores, epochs=4)
    assert (outcome.best_epoch, outcome.best_score) == (best, scores[best - 1])
    assert outcome.model is models[best - 1]
    assert [event.dev_score for event in outcome.history] == scores
    assert not outcome.interrupted


def test_a_kept_model_is_not_changed_by_later_epochs():
    early, _ = looped([1.0, 0.0, 0.0, 0.0], epochs=4)
    alone, _ = looped([1.0], epochs=1)
    longer, _ = looped([], epochs=4)
    assert weights_of(early.model) == weights_of(alone.model)
    assert weights_of(early.model) != weights_of(longer.model)


@for_rows(
    "scores, patience, ran",
    ([5.0, 4.0, 3.0, 2.0, 9.0], 1, 2),
    ([5.0, 4.0, 3.0, 2.0, 9.0], 2, 3),
    ([5.0, 5.0, 5.0, 9.0, 9.0], 2, 3),  # an equal score is not a better one
    ([1.0, 2.0, 1.0, 3.0, 1.0], 2, 5),
    ([5.0, 4.0, 3.0, 2.0, 9.0], None, 5),
    ([5.0, 4.0, 3.0, 2.0, 9.0], 10, 5),
)
def test_patience_stops_after_so_many_epochs_without_a_better_score(scores, patience, ran):
    outcome, _ = looped(scores, epochs=5, patience=patience)
    assert [event.epoch for event in outcome.history] == list(range(1, ran + 1))
    assert outcome.best_score == max(scores[:ran])


def test_without_a_development_score_patience_waits_and_the_last_epoch_is_kept():
    outcome, _ = looped([], epochs=4, patience=1)
    assert (len(outcome.history), outcome.best_epoch, outcome.best_score) == (4, 4, None)


def test_a_continued_training_counts_and_shuffles_from_where_it_goes_on():
    outcome, _ = looped([1.0, 2.0], epochs=2, first_epoch=5)
    assert [event.epoch for event in outcome.history] == [5, 6]
    assert outcome.best_epoch == 6
    assert list(shuffled(50, 0, 5)) != list(shuffled(50, 0, 1))


# --- development data in an estimator ----------------------------------------------------------------------------------------
def test_the_model_kept_is_that_of_the_best_epoch():
    with_dev = fitted(train_data(120), dev=dev_data(), epochs=6)
    scores = [epoch["dev_score"] for epoch in with_dev.history_]
    assert len(set(scores)) > 1
    assert with_dev.best_epoch_ == 1 + scores.index(max(scores))
    assert with_dev.best_score_ == max(scores) == pytest.approx(100 * with_dev.score(dev_data()))
    assert same_model(with_dev, fitted(train_data(120), epochs=with_dev.best_epoch_))


def test_a_fraction_holds_out_the_end_of_the_data():
    data = replace(train_data(100), document=None)
    notes = []
    held_out = chunker(dev=0.2).fit(data, listener=lambda e: notes.append(e) if isinstance(e, Note) else None)
    assert any("last 20 of 100 sentences" in note.text for note in notes)
    assert {epoch["sentences"] for epoch in held_out.history_} == {80}
    assert held_out.best_score_ == pytest.approx(100 * held_out.score(data[80:]))


@pytest.mark.parametrize("sample_weight", [None, np.tile([1.0, 0.5, 2.0], 30)])
def test_a_refit_is_a_plain_fit_on_all_data_for_the_best_number_of_epochs(sample_weight):
    data = train_data(90)
    refitted = chunker(dev=0.3, refit=True, epochs=4).fit(data, sample_weight=sample_weight)
    first = [epoch for epoch in refitted.history_ if not epoch["refit"]]
    again = [epoch for epoch in refitted.history_ if epoch["refit"]]
    scores = [epoch["dev_score"] for epoch in first]
    best = 1 + scores.index(max(scores))
    assert (refitted.best_epoch_, refitted.best_score_) == (best, max(scores))
    assert [(epoch["epoch"], epoch["sentences"], epoch["dev_score"]) for epoch in again] == [
        (n, 90, None) for n in range(1, best + 1)
    ]
    plain = chunker(epochs=best).fit(data, sample_weight=sample_weight)
    assert same_model(refitted, plain)


def test_a_refit_learns_the_words_of_a_development_corpus_too():
    data = train_data(90)
    train_part, dev_part = data[:60], data[60:]
    plain = fitted(train_part, dev=dev_part, epochs=2)
    refitted = fitted(train_part, dev=dev_part, refit=True, epochs=2)
    only_in_dev = {("inside", t[0]) for s in dev_part for t in s} - {("inside", t[0]) for s in train_part for t in s}
    assert words_of(refitted) & only_in_dev
    assert not words_of(plain) & only_in_dev


def words_of(estimator):
    return {values[0] for (name, values), _ in weights_of(estimator.model_) if name == "word[0]"}


@pytest.mark.parametrize("given", [{"refit": True}, {"patience": 3}])
def test_what_needs_development_data_is_refused_without_them(given):
    refused(SettingError, "no development data", chunker(**given).fit, train_data(30))


# --- partial_fit --------------------------------------------------------------------------------------------------------------
class TestPartialFit:
    def test_one_call_with_all_data_is_one_epoch_of_fit(self):
        parts, whole = (
            chunker(epochs=1, calibrated=False).partial_fit(train_data(60)),
            fitted(train_data(60), epochs=1, calibrated=False),
        )
        assert same_model(parts, whole)
        assert parts.classes_ == whole.classes_
        assert to_bytes(parts) == to_bytes(whole)

    def test_calls_with_the_same_data_are_the_epochs_of_fit(self):
        parts = chunker()
        for _ in range(3):
            parts.partial_fit(train_data(60))
        assert same_model(parts, fitted(train_data(60), epochs=3))

    def test_the_average_runs_over_all_calls(self):
        # Mistakes at the first call only: snapshots 0, d and then d for each of the three sentences that follow.
        options = {"template": parse("word[0]"), "settings": {"precision": "double"}}
        tagger = Tagger("perceptron", **options).partial_fit([["a", "b"]], [["X", "Y"]])
        b = ("word[0]", (("inside", "b"),))
        assert weights_of(tagger.model_) == pytest.approx({(b, "Y"): 1 / 2, (b, "X"): -1 / 2})
        tagger.partial_fit([["a"], ["b"], ["a", "b"]], [["X"], ["Y"], ["X", "Y"]])
        assert weights_of(tagger.model_) == pytest.approx({(b, "Y"): 4 / 5, (b, "X"): -4 / 5})

    def test_words_unseen_at_first_are_learnt_later(self):
        tagger = Tagger("perceptron", template=parse("word[0]")).partial_fit([["a", "b"]], [["X", "Y"]])
        assert tagger.predict([["z"]]) == [["X"]]
        tagger.partial_fit([["z"]], [["Y"]])
        assert tagger.predict([["z"], ["b"], ["a"]]) == [["Y"], ["Y"], ["X"]]

    def test_a_model_handed_out_before_is_not_changed_by_later_calls(self):
        tagger = Tagger("perceptron", template=parse("word[0]")).partial_fit([["a", "b"]], [["X", "Y"]])
        before, weights = tagger.model_, weights_of(tagger.model_)
        tagger.partial_fit([["z"], ["b"]], [["Y"], ["X"]])
        assert weights_of(before) == weights != weights_of(tagger.model_)
        assert before.predict(as_corpus([["z", "b"]])).tolist() == [0, 1]

    def test_a_new_label_is_refused_with_the_remedy(self):
        tagger = Tagger("perceptron").partial_fit([["a", "b"]], [["X", "Y"]])
        caught = refused(LabelError, r"label 'Z' is unknown; known: X, Y", tagger.partial_fit, [["c"]], [["Z"]])
        assert "classes=" in caught.remedy

    def test_labels_named_at_the_first_call_may_come_later(self):
        tagger = Tagger("perceptron", template=parse("word[0]")).partial_fit(
            [["a", "b"]], [["X", "Y"]], classes=["Z", "X"]
        )
        assert sorted(tagger.classes_) == ["X", "Y", "Z"]
        tagger.partial_fit([["c"]], [["Z"]])
        assert tagger.predict([["c", "a", "b"]]) == [["Z", "X", "Y"]]

    def test_it_goes_on_from_a_fitted_model(self):
        tagger = Tagger("perceptron", template=parse("word[0]"), epochs=3)
        tagger.fit([["a", "b"]], [["X", "Y"]])
        tagger.partial_fit([["z"]], [["Y"]])
        assert tagger.predict([["z", "b", "a"]]) == [["Y", "Y", "X"]]

    def test_fit_starts_anew_after_partial_fit_and_partial_fit_goes_on_from_that(self):
        tagger = Tagger("perceptron", template=parse("word[0]"), epochs=2).partial_fit([["q", "p"]], [["X", "Y"]])
        tagger.fit([["a", "b"]], [["X", "Y"]])
        tagger.partial_fit([["z"]], [["Y"]])
        assert tagger.predict([["b", "z"]]) == [["Y", "Y"]]
        words = {values[0][1] for (_, values), _ in weights_of(tagger.model_)}
        assert words == {"b", "z"}

    def test_a_call_that_was_refused_leaves_no_trace(self):
        data, more = ([["a", "b"], ["b", "c"]], [["X", "Y"], ["Y", "X"]]), ([["a", "c"]] * 5, [["Y", "X"]] * 5)
        clean, other = Tagger("perceptron").partial_fit(*data), Tagger("perceptron").partial_fit(*data)
        refused(LabelError, "", other.partial_fit, [["new", "words"]], [["X", "Z"]])
        assert to_bytes(other) == to_bytes(clean)
        assert to_bytes(other.partial_fit(*more)) == to_bytes(clean.partial_fit(*more))


# --- warm_start ---------------------------------------------------------------------------------------------------------------
def test_warm_start_goes_on_from_the_present_model():
    # b is learnt at once and then always right, z likewise at the second fit: the first weights stay as they were.
    options = {"template": parse("word[0]"), "epochs": 1, "settings": {"average": False}}
    tagger = Tagger("perceptron", warm_start=True, **options).fit([["a", "b"]], [["X", "Y"]])
    first = weights_of(tagger.model_)
    tagger.fit([["a", "b"], ["a", "z"]], [["X", "Y"], ["X", "Y"]])
    second = weights_of(tagger.model_)
    assert {key: weight for key, weight in second.items() if "z" not in str(key)} == first
    assert len(second) == 2 * len(first)
    assert tagger.history_[0]["updates"] == 1


def test_without_warm_start_fit_forgets():
    options = {"template": parse("word[0]"), "epochs": 1}
    tagger = Tagger("perceptron", **options).fit([["p", "q"]], [["X", "Y"]])
    tagger.fit([["a", "b"]], [["X", "Y"]])
    fresh = Tagger("perceptron", **options).fit([["a", "b"]], [["X", "Y"]])
    assert to_bytes(tagger) == to_bytes(fresh)


def test_warm_start_averages_from_the_present_model_on():
    # The present weights are the first snapshot: with no mistake, nothing changes however long training goes on.
    options = {"template": parse("word[0]"), "epochs": 4, "settings": {"precision": "double"}}
    tagger = Tagger("perceptron", warm_start=True, **options).fit([["a", "b"]], [["X", "Y"]])
    before = weights_of(tagger.model_)
    tagger.fit([["a", "b"]], [["X", "Y"]])
    assert weights_of(tagger.model_) == before != {}


def test_warm_start_refuses_labels_that_the_model_does_not_have():
    tagger = Tagger("perceptron", warm_start=True, epochs=1).fit([["a", "b"]], [["X", "Y"]])
    refused(LabelError, "'Z' is unknown to the model", tagger.fit, [["a"]], [["Z"]])


def test_warm_start_keeps_the_labels_of_the_model_when_the_data_have_fewer():
    tagger = Tagger("perceptron", warm_start=True, epochs=1).fit([["a", "b", "b"]], [["X", "Y", "Y"]])
    tagger.fit([["a", "c"]], [["X", "X"]])
    assert tagger.classes_ == ["Y", "X"]


# --- what training tells ---------------------------------------------------------------------------------------------------------
def test_the_history_holds_every_epoch():
    tagger = Tagger("perceptron", template=parse("word[0]"), epochs=3, settings={"shuffle": False})
    tagger.fit([["a", "b"], ["c"], ["b"]], [["X", "Y"], ["X"], ["Y"]])
    seconds = [epoch.pop("seconds") for epoch in tagger.history_]
    assert all(value >= 0 for value in seconds)
    constant = {"sentences": 3, "tokens": 4, "dev_score": None, "seed_scores": (), "refit": False, "dropped": 0}
    # Of learners that minimise something, or change one weight at a time.
    constant |= {
        "objective": None,
        "gradient_norm": None,
        "dual": None,
        "gap": None,
        "weights": None,
        "features": None,
        "rounds": (),
    }
    # b is wrong once: before the first update.
    assert tagger.history_ == [
        {"epoch": 1, "updates": 1, "wrong_tokens": 1, **constant},
        {"epoch": 2, "updates": 0, "wrong_tokens": 0, **constant},
        {"epoch": 3, "updates": 0, "wrong_tokens": 0, **constant},
    ]


def test_events_come_in_the_order_of_training():
    events = []
    data = replace(train_data(300), document=None)
    chunker(dev=0.1, refit=True, epochs=2).fit(data, listener=events.append)
    kinds = [type(event) for event in events]
    notes = [i for i, kind in enumerate(kinds) if kind is Note]
    first_start = kinds.index(Started)
    again = next(i for i in notes if "training again" in events[i].text)
    assert all(i < first_start or i == again for i in notes)
    one_epoch = [Started, Progressed, Epoch]
    told_once = [kind for i, kind in enumerate(kinds) if not (kind is Progressed and kinds[i - 1] is Progressed)]
    again_at = told_once.index(Note, told_once.index(Started))
    assert told_once[told_once.index(Started) : again_at] == one_epoch * 2
    best = next(e for e in events[::-1] if isinstance(e, Epoch)).epoch
    assert told_once[again_at + 1 :] == one_epoch * best
    starts = [e for e in events if isinstance(e, Started)]
    assert [(e.epoch, e.epochs, e.sentences, e.refit) for e in starts] == [
        (1, 2, 270, False),
        (2, 2, 270, False),
        *((n, best, 300, True) for n in range(1, best + 1)),
    ]
    progress = [e.sentences for e in events if isinstance(e, Progressed)]
    assert progress.count(0) == 2 + best
    assert max(progress) > 100
    assert [e.epoch for e in events if isinstance(e, Epoch)] == [e.epoch for e in starts]


def test_the_speed_of_an_epoch_is_tokens_by_seconds():
    epoch = Epoch(1, 0, 1, 500, 0, 0.25, None, False)
    assert epoch.tokens_per_second == 2000
    assert Epoch(1, 0, 1, 500, 0, 0.0, None, False).tokens_per_second == 0


def test_rare_labels_are_pointed_out_with_their_counts():
    sentence, labels = ["a"] * 10, ["X"] * 5 + ["Y"] * 4 + ["Z"]
    with pytest.warns(RiataWarning, match=r"fewer than 5 times.*: Y \(4\), Z \(1\)\.") as caught:
        Tagger("perceptron", epochs=1).fit([sentence], [labels])
    assert len(caught) == 1
    notes = []
    Tagger("perceptron", epochs=1).fit([sentence], [labels], listener=notes.append)
    told = [n for n in notes if isinstance(n, Note)]
    assert [n.warning for n in told] == [False, True]
    assert told[0].text == "3 labels: X 5, Y 4, Z 1."


@pytest.mark.filterwarnings("error")
def test_frequent_labels_and_a_silent_training_warn_of_nothing():
    Tagger("perceptron", epochs=1).fit([["a"] * 10], [["X"] * 5 + ["Y"] * 5])


# --- Ctrl-C -------------------------------------------------------------------------------------------------------------------
def interrupt_at(kind, epoch, refit=False):
    """A listener that presses Ctrl-C at an event of an epoch."""
    now = None

    def listener(event):
        nonlocal now
        now = event if isinstance(event, Started) else now
        if now and (now.epoch, now.refit) == (epoch, refit) and isinstance(event, kind):
            raise KeyboardInterrupt

    return listener


@for_each(kind=[Started, Progressed], with_dev=[False, True])
def test_ctrl_c_in_the_second_epoch_keeps_the_model_of_the_first(kind, with_dev):
    stopped = chunker(epochs=5, dev=dev_data() if with_dev else None)
    refused(KeyboardInterrupt, "", stopped.fit, train_data(60), listener=interrupt_at(kind, 2))
    assert same_model(stopped, fitted(train_data(60), epochs=1))
    assert stopped.best_epoch_ == 1
    assert [epoch["epoch"] for epoch in stopped.history_] == [1]
    assert stopped.predict(dev_data())


def test_ctrl_c_in_the_midst_of_an_epoch_does_not_reach_the_model():
    stopped = chunker(epochs=5)

    def listener(event):
        listener.epochs += isinstance(event, Started)
        if listener.epochs == 2 and isinstance(event, Progressed) and event.sentences > 0:
            raise KeyboardInterrupt

    listener.epochs = 0
    refused(KeyboardInterrupt, "", stopped.fit, train_data(), listener=listener)
    assert same_model(stopped, fitted(train_data(), epochs=1))


@pytest.mark.parametrize("kind", [Started, Progressed])
def test_ctrl_c_before_the_first_epoch_is_done_leaves_no_model(kind):
    stopped = chunker()
    refused(KeyboardInterrupt, "", stopped.fit, train_data(60), listener=interrupt_at(kind, 1))
    assert not hasattr(stopped, "model_")
    refused(NotFittedError, "", stopped.predict, dev_data())


def test_ctrl_c_keeps_the_best_epoch_so_far_and_not_the_last():
    data = train_data(120)
    whole = fitted(data, dev=dev_data(), epochs=8)
    scores = [epoch["dev_score"] for epoch in whole.history_]
    after = next(n for n in range(2, 9) if scores.index(max(scores[:n])) < n - 1)  # an epoch that did not improve
    stopped = chunker(dev=dev_data(), epochs=8)
    refused(KeyboardInterrupt, "", stopped.fit, data, listener=interrupt_at(Started, after + 1))
    assert stopped.best_epoch_ == 1 + scores.index(max(scores[:after])) < after
    assert same_model(stopped, fitted(data, epochs=stopped.best_epoch_))


def test_ctrl_c_at_the_start_of_a_refit_keeps_the_model_chosen_before():
    data, options = train_data(90), {"dev": 0.3, "epochs": 3}
    stopped = chunker(refit=True, **options)
    refused(KeyboardInterrupt, "", stopped.fit, data, listener=interrupt_at(Progressed, 1, refit=True))
    assert same_model(stopped, fitted(data, **options))


def test_rare_labels_are_warned_of_once_per_process(monkeypatch):
    from riata.learning import events

    monkeypatch.setattr(events, "_given_once", set())
    with pytest.warns(RiataWarning) as found:
        for _ in range(3):
            Tagger("perceptron", epochs=1).fit([["a", "b"]], [["X", "Y"]])
    assert [str(one.message).startswith("Labels seen fewer") for one in found] == [True]


# --- trainings that take minutes or gigabytes say so before they begin -----------------------------------------------
class Stopped(Exception):
    pass


def told(labels, sentences, **params):
    """The warnings before the first epoch begins, which never does."""
    words = [[f"w{(7 * s + t) % 500}" for t in range(20)] for s in range(sentences)]
    tags = [[f"L{(20 * s + t) % labels}" for t in range(20)] for s in range(sentences)]
    notes = []

    def listen(event):
        if isinstance(event, Started):
            raise Stopped
        if isinstance(event, Note) and event.warning and "GiB" in event.text:
            notes.append(event.text)

    params = {"template": riata.features.templates.parse("word[0]\nedge"), **params}
    refused(Stopped, "", Tagger(**params).fit, words, tags, listener=listen)
    return notes


def test_thousands_of_labels_are_told_with_an_estimate_before_training_begins():
    (note,) = told(3000, 200)
    assert "3,000 labels" in note
    assert "9 seconds of one core" in note  # 4,000 tokens, 9,000,000 pairs of labels, 0.25 ns each
    assert "another column" in note
    assert "beam" in note


def test_trainings_as_people_have_them_say_nothing():
    assert told(50, 200) == []
    assert told(50, 200, recipe="crf") == []


def test_a_beam_compares_no_pairs_of_labels():
    assert told(3000, 200, recipe="laso-perceptron", beam=5) == []


def test_gigabytes_are_told_even_where_time_is_short(monkeypatch):
    monkeypatch.setattr("riata.structures.chain.learning.MUCH", 1 << 20)
    (note,) = told(200, 200, recipe="laso-perceptron", beam=5)
    assert "about 0 seconds" in note
    assert "about 0.0 GiB" in note


def test_a_training_from_a_file_in_parts_is_told_of_too(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("".join(f"w{t % 50} L{t}\n" + "\n" * (t % 20 == 19) for t in range(4000)))
    notes = []

    def listen(event):
        if isinstance(event, Started):
            raise Stopped
        notes.append(getattr(event, "text", ""))

    refused(Stopped, "", Tagger(stream=True).fit, path, listener=listen)
    assert any("4,000 labels: every pass" in note for note in notes)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_training_that_runs_out_of_memory_is_an_error_with_a_way_out(monkeypatch, method):
    def full(*_):
        raise MemoryError

    made = Tagger(epochs=1).fit(WORDS, TAGS)
    before = made.predict(WORDS)
    monkeypatch.setattr(EpochTrainer, "epoch", full)
    refused(DataError, r"out of memory(.|\n)*number of labels", getattr(made, method), WORDS, TAGS)
    assert made.predict(WORDS) == before
