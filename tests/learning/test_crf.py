"""The recipe `crf`, one label back and two: what it learns, what it says of itself, what it refuses."""

import itertools

import numpy as np
import pytest

from checks import refused
from packed_weights import weights_of
from riata import Chunker, JointTagger, RiataWarning, Tagger
from riata._core import ChainWeights, SegmentWeights
from riata.data.memory import as_corpus, label_column, with_column
from riata.errors import DataError, SettingError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.learning.batch import lbfgs
from riata.learning.events import Note, Progressed, Started
from riata.structures.segments.templates import parse as parse_segments
from samples import CHUNKS, FEATURES, INPUTS, TAGS, WORDS, embedded, for_rows

TEMPLATE = parse("word[0]\ntag[0]\nedge")


def fitted(data=CHUNKS, epochs=None, template=TEMPLATE, **settings):
    return Chunker("crf", epochs=epochs, template=template, settings=settings).fit(data)


def objective(chunker, data, c1, c2):
    """By listing every labelling; the weights by name do not matter, only their sizes."""
    total = 0.0
    for sentence in data:
        truth = [label for *_, label in sentence]
        [listed] = chunker.predict_nbest([[token[:-1] for token in sentence]], 10**6)
        scores = [score for _, score in listed]
        [right] = [score for labels, score in listed if labels == truth]
        total += np.logaddexp.reduce(scores) - right
    weights = np.concatenate([rows[2] for rows in parts(chunker)])
    return total + c1 * np.abs(weights).sum() + c2 * (weights.astype(np.float64) ** 2).sum()


def parts(chunker):
    sparse = chunker.model_.weights.pack(chunker.model_.features.index)
    yield sparse["transition"]
    for family, kind in itertools.product(sparse["families"], ("node", "edge")):
        yield family[kind]


@pytest.mark.parametrize("c1, c2", [(0.0, 0.1), (0.1, 0.1), (0.5, 0.0)])
def test_the_objective_is_what_it_says(c1, c2):
    data = [s[:3] for s in CHUNKS]
    chunker = fitted(data, c1=c1, c2=c2, constrain=True, precision="double")
    said = chunker.history_[-1]
    assert said["objective"] == pytest.approx(objective(chunker, data, c1, c2), rel=1e-4)
    values = [epoch["objective"] for epoch in chunker.history_]
    assert values == sorted(values, reverse=True)


def test_it_learns_and_says_why_it_stops():
    told = []
    chunker = Chunker("crf", template=TEMPLATE).fit(embedded()[:100], listener=told.append)
    assert chunker.score(embedded()[:100]) > 0.95
    notes = [event.text for event in told if isinstance(event, Note)]
    assert any("converged" in note for note in notes)
    assert chunker.history_[-1]["gradient_norm"] < chunker.history_[0]["gradient_norm"] / 10


def test_stochastic_descent_comes_near():
    data = embedded()[:150]
    exact, near = (fitted(data, c2=0.5, optimiser=name) for name in ("lbfgs", "sgd"))
    best = exact.history_[-1]["objective"]
    assert best <= near.history_[-1]["objective"] <= 1.03 * best
    assert near.score(data) == pytest.approx(exact.score(data), abs=0.02)


@pytest.mark.parametrize("optimiser", ["lbfgs", "sgd"])
def test_the_same_bytes_for_any_number_of_threads(optimiser):
    made = [
        Chunker("crf", epochs=6, threads=threads, settings={"optimiser": optimiser}).fit(embedded()[:60])
        for threads in (1, 2, 3)
    ]
    assert len({to_bytes(chunker) for chunker in made}) == 1


def test_a_penalty_on_sizes_leaves_few_weights():
    many, few = fitted(embedded()[:100], c2=0.1), fitted(embedded()[:100], c1=1.0, c2=0.01)
    counts = [sum(len(rows[2]) for rows in parts(chunker)) for chunker in (many, few)]
    assert counts[1] < counts[0] / 5


def test_training_goes_on_from_any_linear_model():
    data = embedded()[:100]
    cold = fitted(data, epochs=1)
    warm = Chunker("perceptron", epochs=5, template=TEMPLATE).fit(data)
    warm.set_params(recipe="crf", warm_start=True, epochs=1)
    warm.fit(data)
    assert warm.history_[0]["objective"] < cold.history_[0]["objective"]


def test_pairs_all_have_more_weights_and_a_better_likelihood():
    data = embedded()[:60]
    seen, every = (fitted(data, pairs=pairs) for pairs in ("seen", "all"))
    assert every.history_[-1]["objective"] < seen.history_[-1]["objective"]


def test_one_label_and_one_token():
    one = Tagger("crf").fit([["a"], ["b"]], [["X"], ["X"]])
    assert one.predict([["c", "a"]]) == [["X", "X"]]
    two = Tagger("crf").fit([["a"], ["b"]], [["X"], ["Y"]])
    assert two.predict([["a"], ["b"]]) == [["X"], ["Y"]]


def test_features_hashed_and_with_values():
    tagger = Tagger("crf", bits=12).fit(WORDS, TAGS)
    assert tagger.score(WORDS, TAGS) == 1
    given = Tagger("crf").fit(FEATURES, TAGS)
    assert given.score(FEATURES, TAGS) == 1


def test_no_prior_is_warned_of():
    with pytest.warns(RiataWarning, match="grow without bound"):
        Chunker("crf", epochs=3, template=TEMPLATE, settings={"c2": 0.0}).fit(CHUNKS)


def test_huge_values_end_in_a_model_or_a_message():
    for value in (1e10, 1e30, 3e38):
        rows = [[{"x": value}, {"y": -value}]] * 3
        try:
            tagger = Tagger("crf", epochs=20).fit(rows, [["A", "B"]] * 3)
        except DataError as error:
            assert "finite" in str(error) or "value" in str(error)
        else:
            assert np.isfinite(tagger.history_[-1]["objective"])


def test_what_it_refuses():
    chunker = Chunker("crf", template=TEMPLATE)
    refused(UnsupportedError, "all data", chunker.partial_fit, CHUNKS)
    refused(UnsupportedError, "all data", Chunker("crf", shards=2).fit, CHUNKS)
    refused(UnsupportedError, "all data", Chunker("crf", stream=True).fit, "train.txt")
    refused(SettingError, r"'c1' .* optimiser is 'sgd'", fitted, c1=0.1, optimiser="sgd")
    refused(UnsupportedError, "neighbouring", Chunker("crf", template=parse("word[0]\nlabel[-1] word[0]")).fit, CHUNKS)
    refused(UnsupportedError, r"expectations|segments", JointTagger("crf").fit, CHUNKS)
    assert INPUTS


@pytest.mark.parametrize("recipe", ["crf", "memm"])
def test_an_interrupt_leaves_the_model_of_the_last_step(recipe):
    started = []

    def listener(event):
        if isinstance(event, Started):
            started.append(event)
        if isinstance(event, Progressed) and len(started) == 4:
            raise KeyboardInterrupt

    broken = Chunker(recipe, epochs=9, template=TEMPLATE, threads=1)
    refused(KeyboardInterrupt, "", broken.fit, CHUNKS, listener=listener)
    whole = Chunker(recipe, epochs=3, template=TEMPLATE, threads=1).fit(CHUNKS)
    assert broken.best_epoch_ == 3
    assert broken.history_[-1]["objective"] == whole.history_[-1]["objective"]
    assert broken.predict_nbest(INPUTS, 2) == whole.predict_nbest(INPUTS, 2)


def test_labels_of_development_data():
    """One that only they have is told of; data of another task are refused, for every recipe."""
    words, labels = [["a", "b"], ["b", "a"]] * 4, [["X", "Y"], ["Y", "X"]] * 4

    def dev(*rows):
        corpus = as_corpus(words)
        return with_column(corpus, label_column(list(rows) * 4, corpus))

    notes = []
    crf = Tagger("crf", epochs=9, dev=dev(["X", "Z"], ["Y", "X"])).fit(words, labels, listener=notes.append)
    assert crf.best_score_ == 75.0
    assert any(isinstance(note, Note) and note.warning and "Z" in note.text for note in notes)
    assert crf.score(words, [["Q", "Y"], ["Y", "X"]] * 4) == 0.75
    for recipe in ("crf", "perceptron"):
        with pytest.raises(DataError, match="no label of the training data: they have B-NP, O, and those have X, Y"):
            Tagger(recipe, dev=dev(["B-NP", "O"], ["O", "O"])).fit(words, labels, listener=notes.append)
        with pytest.raises(DataError, match="same task"):
            Chunker(recipe, dev=dev(["X", "O"], ["Y", "O"])).fit(
                words, [["B-NP", "O"], ["O", "B-NP"]] * 4, listener=notes.append
            )


def test_long_and_short_sentences():
    rng = np.random.default_rng(0)
    words = [[f"w{i}" for i in rng.integers(0, 50, 20_000)], ["w1"]]
    labels = [[f"L{i}" for i in rng.integers(0, 5, 20_000)], ["L1"]]
    crf = Tagger("crf", epochs=5, template=parse("word[0]\nedge")).fit(words, labels)
    for sentence, rows in zip(words, crf.predict_proba(words), strict=True):
        assert rows.shape == (len(sentence), 5)
        assert rows.sum(axis=1) == pytest.approx(1)
    for found in crf.predict_nbest(words, 2, probabilities=True):
        assert found[0][1] >= found[1][1] >= 0
    assert all(0 <= value <= 1 for values in crf.predict_confidence(words) for value in values)


@for_rows(
    "recipe, template",
    ("crf", TEMPLATE),
    ("memm", TEMPLATE),
    ("crf", parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]")),
    ("semicrf", parse_segments("inside word[0]\nfirst tag[0]\nlabel[-1]")),
)
def test_double_precision_takes_over_where_single_is_not_enough(recipe, template, monkeypatch):
    monkeypatch.setattr(lbfgs, "TRIES", 0)  # every step is a sign that it is not
    options = {"template": template, "settings": {"c2": 1e-3, "gain_tolerance": 0.0, "gradient_tolerance": 1e-9}}
    mixed = Chunker(recipe, **options).fit(CHUNKS)
    options["settings"] = {**options["settings"], "precision": "double"}
    double = Chunker(recipe, **options).fit(CHUNKS)
    assert mixed.history_[-1]["objective"] == pytest.approx(double.history_[-1]["objective"], rel=1e-9)
    single = (ChainWeights, SegmentWeights)
    assert isinstance(mixed.model_.weights, single)
    assert not isinstance(double._exact.weights, single)
    for found, expected in zip(mixed.predict_proba(INPUTS), double.predict_proba(INPUTS), strict=True):
        assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("text", ["word[0]\ntag[0]\nedge", "word[0]\nedge\nlabel[-2] label[-1]"])
def test_pairs_of_labels_have_weights_that_features_do_not_need(text):
    template, data = parse(text), embedded()[:40]
    seen, transitions, everything = (
        Tagger("crf", template=template, settings={"c2": 0.1, "pairs": pairs}).fit(data)
        for pairs in ("seen", "transitions", "all")
    )
    labels = len(seen.classes_)
    assert len(transitions.transition_features_) == len(everything.transition_features_) == labels**2
    assert len(seen.transition_features_) < labels**2
    of_words = {key for key in seen.state_features_ if key[0].startswith("word")}
    assert {key for key in transitions.state_features_ if key[0].startswith("word")} == of_words
    assert len(everything.state_features_) > len(transitions.state_features_)


def test_only_chains_have_pairs_of_labels_alone():
    refused(UnsupportedError, "label pairs", Chunker("semicrf", settings={"pairs": "transitions"}).fit, CHUNKS)


@pytest.mark.parametrize("recipe, settings", [("crf", {"c2": 0.3}), ("perceptron", {}), ("mira", {})])
@pytest.mark.parametrize("text, value", [("U1:%x[0,0]\nU2:%x[0,0]", 2**0.5), ("U1:%x[0,0]\nU1:%x[0,0]", 2.0)])
def test_repeated_lines_of_crfpp_learn_as_one_feature_of_a_larger_value(recipe, settings, text, value):
    data = embedded()[:60]
    labels = data.sentences_of(2)
    valued = [[{word: value, f"tag {tag}": 1.0} for word, tag, _ in sentence] for sentence in data]
    template = parse(f"{text}\nU3:%x[0,1]\nB")
    lines = Tagger(recipe, template=template, settings=settings, epochs=40)
    one = Tagger(recipe, settings=settings, epochs=40)
    rows = [[(word, tag) for word, tag, _ in sentence] for sentence in data]
    lines.fit(rows, labels)
    one.fit(valued, labels)
    assert lines.predict(rows) == one.predict(valued)
    for ours, expected in zip(lines.predict_proba(rows[:20]), one.predict_proba(valued[:20]), strict=True):
        assert ours == pytest.approx(expected, abs=2e-3)
    again = from_bytes(to_bytes(lines))
    assert again.predict(rows) == lines.predict(rows)
    assert again.state_features_ == lines.state_features_


@pytest.mark.parametrize("dev", [None, 0.2])
def test_training_stops_when_scores_or_the_objective_stay_within_a_window(dev):
    """As Wapiti does: see its --objwin, --stopwin and --stopeps."""
    data = embedded()[:100]
    settings = {"c1": 0.5, "c2": 1e-4, "precision": "double"}

    def steps(**more):
        made = Chunker("crf", template=TEMPLATE, settings={**settings, **more}, dev=dev).fit(data)
        return made.history_

    plain, by_scores = steps(), steps(score_steps=5, score_tolerance=0.5)
    assert 5 <= len(by_scores) < len(plain)
    if dev:
        window = [epoch["dev_score"] for epoch in by_scores]
        spread = [max(window[i : i + 5]) - min(window[i : i + 5]) for i in range(len(window) - 4)]
        assert [gap < 0.5 for gap in spread] == [False] * (len(spread) - 1) + [True]
    values = [epoch["objective"] for epoch in steps(gain_steps=4, gain_tolerance=0.02)]
    gains = [(values[i - 4] - values[i]) / values[i] for i in range(4, len(values))]
    assert [gain < 0.02 for gain in gains] == [False] * (len(gains) - 1) + [True]


def test_scores_of_the_training_data_need_all_labels():
    rows, labels = [["a", "b"], ["c"]], [["X", None], ["Y"]]
    refused(SettingError, "score_steps", Tagger("crf", settings={"c2": 0.1, "score_steps": 3}).fit, rows, labels)


# --- the recipe `crf` on chains that look two labels back ------------------------------------------------------------
PAIR = parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]")
HISTORY = parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]\nlabel[-2] label[-1] tag[0]\nlabel[-1] word[0]")


@pytest.mark.parametrize("c1, c2", [(0.0, 0.1), (0.1, 0.1)])
def test_the_objective_of_the_second_order_is_what_it_says(c1, c2):
    """By listing every labelling."""
    data = [s[:3] for s in CHUNKS]
    chunker = fitted(data, template=HISTORY, c1=c1, c2=c2, constrain=True, precision="double")
    total = 0.0
    for sentence in data:
        [listed] = chunker.predict_nbest([[token[:-1] for token in sentence]], 10**6)
        [right] = [score for labels, score in listed if labels == [label for *_, label in sentence]]
        total += np.logaddexp.reduce([score for _, score in listed]) - right
    weights = np.array(list(weights_of(chunker.model_).values()))
    assert any("label" in feature for (feature, _), _ in weights_of(chunker.model_))
    expected = total + c1 * np.abs(weights).sum() + c2 * (weights**2).sum()
    assert chunker.history_[-1]["objective"] == pytest.approx(expected, rel=1e-4)


def test_features_of_two_labels_that_weigh_nothing_leave_the_first_order_as_it_is():
    """Where all pairs of labels before tell no more than the second, both find the same minimum; here,
    by a prior that nothing outweighs.
    """
    data = embedded()[:30]
    first, second = (fitted(data, template=t, c1=3.0, c2=0.1) for t in (parse("word[0]\ntag[0]\nedge"), PAIR))
    assert second.history_[-1]["objective"] <= first.history_[-1]["objective"] * (1 + 1e-4)


def test_threads_and_precision():
    data = embedded()[:40]
    settings = {"c2": 1.0}
    one, two = (Chunker("crf", template=HISTORY, epochs=6, threads=n, settings=settings).fit(data) for n in (1, 2))
    assert to_bytes(one) == to_bytes(two)
    double = fitted(data, 6, HISTORY, precision="double", c2=1.0)
    assert double.history_[-1]["objective"] == pytest.approx(one.history_[-1]["objective"], rel=1e-4)


def test_it_goes_on_from_a_perceptron_with_the_same_templates():
    data = embedded()[:15]
    chunker = Chunker("perceptron", template=HISTORY, epochs=3).fit(data)
    chunker.set_params(recipe="crf", warm_start=True, epochs=1, settings={"c2": 0.001, "pairs": "all"})
    start = weights_of(chunker.model_)
    fresh = Chunker("crf", template=HISTORY, epochs=1, settings={"c2": 0.001, "pairs": "all"}).fit(data)
    gone_on = chunker.fit(data)
    assert gone_on.history_[-1]["objective"] < fresh.history_[-1]["objective"]
    now = weights_of(gone_on.model_)
    reading = [key for key in start if "label" in key[0][0] and abs(start[key]) > 0.5]
    assert len(reading) > 20
    assert np.corrcoef([start[key] for key in reading], [now.get(key, 0.0) for key in reading])[0, 1] > 0.5


def test_numbers():
    X = [[("w", f"{(-1) ** (t * k) * 0.5}") for t in range(6)] for k in range(6)]
    y = [["N" if number.startswith("-") else "P" for _, number in sentence] for sentence in X]
    tagger = Tagger("crf", template=parse("number(1)[0]\nedge\nlabel[-2]")).fit(X, y)
    assert tagger.score(X, y) == 1.0


def test_what_two_labels_back_refuse():
    refused(UnsupportedError, "neighbouring", Chunker("memm", template=PAIR).fit, CHUNKS)
    refused(UnsupportedError, "looks back no further", Chunker("crf", template=parse("word[0]\nlabel[-3]")).fit, CHUNKS)
    refused(UnsupportedError, "bits", Chunker("crf", template=PAIR, bits=14).fit, CHUNKS)


def test_a_sentence_that_would_not_fit_into_memory_is_refused():
    X, y = [["a", "b"], [f"w{i}" for i in range(256)] * 80], [["L1", "L2"], [f"L{i}" for i in range(256)] * 80]
    with pytest.raises(UnsupportedError, match=r"sentence 1 .* has 20480 tokens: too many") as caught:
        Tagger("crf", template=parse("word[0]\nlabel[-2]")).fit(X, y)
    assert "label[-2]" in caught.value.remedy
    with pytest.raises(UnsupportedError, match="up to 256 labels"):
        Tagger("crf", template=parse("word[0]\nlabel[-2]")).fit([*X, ["c"]], [*y, ["M"]])
