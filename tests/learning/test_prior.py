"""c2=auto: what is chosen, by which sentences, and what is kept of it."""

from dataclasses import replace

import numpy as np
import pytest

import riata
from checks import refused, stored
from riata import Chunker, EntityRecognizer, Tagger
from riata.errors import SettingError
from riata.estimators.model_file import to_bytes
from riata.features.templates import parse
from riata.learning import loop
from riata.learning.batch import prior
from riata.learning.batch.settings import PRIORS, PRIORS_OF_EXP
from riata.learning.events import Note
from samples import for_rows

TRAIN = riata.load("embedded", "train")


def fitted(data=TRAIN, task=Chunker, recipe="crf", template="classic", listener=None, **parameters):
    return task(recipe, template=template, threads=1, **parameters).fit(data, listener=listener)


def notes_of(**parameters):
    notes = []
    estimator = fitted(
        listener=lambda event: notes.append(event.text) if isinstance(event, Note) else None, **parameters
    )
    return estimator, notes


@for_rows(
    "recipe, template", ("crf", "classic"), ("memm", "classic"), ("semicrf", "laso2005"), ids=["crf", "memm", "semicrf"]
)
def test_the_choice_gives_the_model_of_the_value_chosen(recipe, template):
    data = TRAIN[:40]
    chosen = fitted(data, recipe=recipe, template=template)
    c2 = chosen.facts_["chosen"]["c2"]
    assert c2 in PRIORS
    named = fitted(data, recipe=recipe, template=template, settings={"c2": c2, "gain_tolerance": prior.NEAR})
    assert chosen.predict(TRAIN[60:120]) == named.predict(TRAIN[60:120])
    assert [row["objective"] for row in chosen.history_] == [row["objective"] for row in named.history_]


def test_a_tolerance_that_is_given_counts_beside_a_chosen_value():
    steps = {}
    for tolerance in (None, 0.05, prior.NEAR):
        made = fitted(TRAIN[:60], **({} if tolerance is None else {"gain_tolerance": tolerance}))
        steps[tolerance] = len(made.history_)
    assert steps[0.05] < steps[None] == steps[prior.NEAR]


def test_trainings_that_take_long_say_about_how_long(monkeypatch):
    says = "Some 250 to 700 steps are usual, which take about 0 to"
    _, notes = notes_of(data=TRAIN[:60], c2=0.1)
    assert not any(says in note for note in notes)
    monkeypatch.setattr(loop, "LONG", 0)
    for parameters, told in (({}, True), ({"epochs": 50}, False), ({"optimiser": "sgd", "epochs": 4}, False)):
        _, notes = notes_of(data=TRAIN[:60], c2=0.1, **parameters)
        assert any(says in note for note in notes) == told
    _, notes = notes_of(data=TRAIN[:60], c2=0.1, epochs=50)
    assert any("Some 50 steps are usual" in note for note in notes)


@pytest.mark.parametrize("recipe", ["crf-exp", "crf-pointwise-exp"])
def test_exponential_losses_try_stronger_priors(recipe):
    _, notes = notes_of(data=TRAIN[:60], recipe=recipe)
    assert any(all(f"{value:g}: " in note for value in PRIORS_OF_EXP) for note in notes)


def test_the_value_chosen_is_told_with_what_was_tried_and_kept_in_the_file(tmp_path):
    estimator, notes = notes_of(data=TRAIN[:40])
    c2 = estimator.facts_["chosen"]["c2"]
    (text,) = [note for note in notes if note.startswith("c2 is")]
    assert f"c2 is {c2:g}, chosen on held-out sentences (3: " in text and "0.003: " in text
    assert stored(estimator, tmp_path).facts_["chosen"] == {"c2": c2}


def test_any_number_of_threads_makes_the_same_choice_and_the_same_bytes():
    models = []
    for threads in (1, 2):
        estimator = Chunker("crf", template="classic", threads=threads).fit(TRAIN[:40])
        models.append(to_bytes(estimator.set_params(threads=None)))
    assert models[0] == models[1]


def test_too_few_sentences_leave_a_fixed_value_and_say_so():
    estimator, notes = notes_of(data=TRAIN[: prior.FEWEST - 1])
    assert estimator.facts_["chosen"] == {"c2": prior.LEFT_OVER}
    assert "c2 is 0.1: too few sentences with all their labels to choose it by." in notes


def test_values_that_all_score_alike_choose_nothing():
    """A name or two among few sentences: no value finds one that it has not seen, and the strongest prior would not even learn
    those it has.
    """
    data = riata.load("embedded", "train", ("word", "entity"))[100:115]
    estimator, notes = notes_of(data=data, task=EntityRecognizer, template="tag")
    assert estimator.facts_["chosen"] == {"c2": prior.LEFT_OVER}
    assert "c2 is 0.1: with every value tried, held-out sentences score 0.00." in notes
    assert estimator.score(data) == 1


def test_sentences_that_are_partly_labelled_are_said_to_be_too_few():
    words, tags = ([list(sentence) for sentence in TRAIN[:20].sentences_of(column)] for column in (0, 1))
    for labels in tags:
        labels[0] = None
    notes = []
    Tagger("crf", epochs=2).fit(words, tags, listener=notes.append)
    assert "c2 is 0.1: too few sentences with all their labels to choose it by." in [
        note.text for note in notes if isinstance(note, Note)
    ]


def test_development_data_choose_where_they_are_given():
    data, dev = TRAIN[:100], TRAIN[100:]
    estimator, notes = notes_of(data=data, dev=dev)
    scores = _told(notes)
    best = max(scores, key=scores.get)
    assert estimator.facts_["chosen"]["c2"] == best
    reached = fitted(data, settings={"c2": best}).evaluate(dev).score
    assert scores[best] == pytest.approx(reached, abs=1.5)  # the trial stops earlier than training


def _told(notes):
    (text,) = [note for note in notes if "held-out sentences (" in note]
    pairs = text[text.index("(") + 1 : -2].split(", ")
    return {float(c2): float(score) for c2, score in (pair.split(": ") for pair in pairs)}


def test_trials_reach_what_whole_trainings_reach():
    data, dev = TRAIN[:40], TRAIN[100:]
    _, notes = notes_of(data=data, dev=dev)
    for c2, score in _told(notes).items():
        assert score == pytest.approx(fitted(data, settings={"c2": c2}).evaluate(dev).score, abs=2)


def test_sentences_with_unknown_labels_are_learnt_from_and_not_scored():
    words, labels = TRAIN.sentences_of(0)[:40], TRAIN.sentences_of(1)[:40]
    partly = [[None if s % 3 == 0 and t == 0 else y for t, y in enumerate(row)] for s, row in enumerate(labels)]
    estimator = Tagger("crf", template=parse("word[0]\nsuffix3[0]\nedge"), threads=1)
    estimator.fit(words, partly)
    assert estimator.facts_["chosen"]["c2"] in PRIORS
    none_whole = [[None, *row[1:]] for row in labels]
    estimator.fit(words, none_whole)
    assert estimator.facts_["chosen"]["c2"] == prior.LEFT_OVER


def test_stochastic_descent_takes_the_value_that_the_minimiser_prefers():
    data = TRAIN[:40]
    exact, stochastic = fitted(data), fitted(data, settings={"optimiser": "sgd"})
    assert exact.facts_["chosen"] == stochastic.facts_["chosen"]


def test_many_labels_make_fewer_sentences_enough(monkeypatch):
    seen = []
    scores = prior._scores
    monkeypatch.setattr(
        prior, "_scores", lambda fit, data, *rest: (seen.append(len(data)), scores(fit, data, *rest))[1]
    )
    monkeypatch.setattr(prior, "MOST", 100)
    monkeypatch.setattr(prior, "LABELS", 7)
    fitted(TRAIN[:40])
    assert seen and max(seen) < 50


def test_sample_weights_go_with_their_sentences():
    weights = np.ones(40)
    weights[::2] = 0
    left = fitted(TRAIN[:40][1::2]).facts_["chosen"]  # only says that both run
    assert left["c2"] in PRIORS
    chunker = Chunker("crf", template="classic", threads=1)
    assert chunker.fit(TRAIN[:40], sample_weight=weights).facts_["chosen"]["c2"] in PRIORS


def test_an_interrupted_choice_leaves_the_estimator_as_it_was(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(prior, "choose", interrupted)
    chunker = Chunker("crf", template="classic")
    refused(KeyboardInterrupt, "", chunker.fit, TRAIN)
    assert not hasattr(chunker, "model_")


@pytest.mark.parametrize("value", ["automatic", -1, float("nan"), None])
def test_other_words_and_numbers_are_refused(value):
    refused(SettingError, "expected auto or a number of at least 0", Chunker("crf", settings={"c2": value}).fit, TRAIN)


def test_training_that_goes_on_keeps_the_value(monkeypatch):
    chunker = fitted(TRAIN[:40], warm_start=True)
    before = chunker.facts_["chosen"]
    monkeypatch.setattr(prior, "choose", lambda *arguments: pytest.fail("chosen again"))
    assert chunker.fit(TRAIN[:40]).facts_["chosen"] == before


@for_rows(
    "lengths, whole",
    ((20, 15, 25, 20), True),
    ((300, 200, 280, 310, 290), True),
    ((1, 78, 1), False),  # most of the data are one document
    ((80,), False),
    ((1300, 300), True),
    ((10, 1580, 10), False),
)
def test_held_out_sentences_are_whole_documents(lengths, whole):
    document = np.repeat(np.arange(len(lengths)), lengths)
    data = TRAIN[np.arange(sum(lengths)) % len(TRAIN)]
    data, plain = (replace(data, document=each) for each in (document.astype(np.int32), None))
    counts = np.ones(len(data), bool)
    found, expected = (list(prior._splits(each, None, prior.MOST, counts)) for each in (data, plain))
    assert sum(len(part) for _, part in found) >= len(data) // 10
    assert whole == all(not set(document[learnt]) & set(part.document) for learnt, part in found)
    if not whole:
        assert all(np.array_equal(a[0], b[0]) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize(("optimiser", "steps"), [("lbfgs", 2), ("sgd", prior.STEPS)])
def test_trials_take_no_more_steps_than_the_training_itself(monkeypatch, optimiser, steps):
    most = []
    scores = prior._scores
    monkeypatch.setattr(prior, "_scores", lambda fit, *rest: most.append(fit.options.epochs) or scores(fit, *rest))
    fitted(TRAIN[:60], epochs=2, settings={"optimiser": optimiser})
    assert set(most) == {steps}
