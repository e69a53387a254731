"""The hidden Markov model: its scores are log-probabilities, by a twin of plain dictionaries; what goes on, and what is refused."""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from checks import refused
from oracle.hmm import Hmm
from riata import Chunker, Tagger
from riata.data.memory import as_corpus
from riata.errors import RiataError, UnsupportedError
from samples import CHUNKS, FEATURES, INPUTS, TAGS, UNSEEN, WORDS, embedded, for_rows, tried

LABELS = ("A", "B", "C")
words = st.text("abA1", min_size=1, max_size=6)
tokens = st.tuples(words, st.sampled_from(("x", "y", "Yz")), st.sampled_from(LABELS))
corpora = st.lists(st.lists(tokens, min_size=1, max_size=4), min_size=1, max_size=5)
chosen = st.fixed_dictionaries(
    {
        "transitions": st.sampled_from([0.01, 1.0, 7.0]),
        "words": st.sampled_from([0.1, 1.0]),
        "suffixes": st.sampled_from([0.5, 3.0]),
        "rare": st.sampled_from([0, 1, 10]),
        "longest": st.integers(0, 4),
    }
)


def scores(model, sentence, labellings):
    instances = model.features.instances(as_corpus([sentence]))
    at = {label: i for i, label in enumerate(model.labels)}
    return np.array(
        [model.scores_of(instances, np.array([at[y] for y in labels], np.int32))[0] for labels in labellings]
    )


@tried(
    60,
    corpora,
    chosen,
    st.lists(st.tuples(words, st.sampled_from(("x", "Yz", "new"))), min_size=1, max_size=3),
    st.data(),
)
def test_a_score_is_the_log_probability_and_a_number_of_the_sentence(sentences, given_settings, unseen, data):
    weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(sentences), max_size=len(sentences)))
    made = Tagger("hmm", settings={**given_settings, "precision": "double"})
    made.fit(as_corpus(sentences), sample_weight=weights)
    twin = Hmm(sentences, made.model_.labels, weights, **given_settings)
    known = [token[:-1] for token in sentences[0]][:3]
    for sentence in (unseen, known, known[:1] + unseen[:1]):
        every = list(itertools.product(made.model_.labels, repeat=len(sentence)))
        rest = scores(made._exact, sentence, every) - [twin.log_joint(sentence, labels) for labels in every]
        assert np.ptp(rest) < 1e-9 * max(1, abs(rest[0]))


@tried(20, corpora, chosen)
def test_the_twin_is_a_probability(sentences, given_settings):
    """Words of training given a label sum to 1, and so do what follows a label and what begins."""
    twin = Hmm(sentences, LABELS, **given_settings)
    for label in LABELS:
        for c, known in enumerate(twin.words):
            assert sum(twin.emission(c, word, label) for word in list(known)) == pytest.approx(1)
        assert sum(twin.transition(label, after) for after in (*LABELS, "<stop>")) == pytest.approx(1)
    assert sum(twin.transition("<start>", label) for label in LABELS) == pytest.approx(1)


def packed(model):
    """Everything of the model, to compare."""
    header, arrays = model.to_parts()
    return header, {name: array.tolist() for name, array in arrays.items()}


def test_portions_are_added_up():
    whole = Tagger("hmm").fit(WORDS, TAGS)
    parts = Tagger("hmm")
    for low in (0, 1, 3):
        high = {0: 1, 1: 3, 3: 4}[low]
        parts.partial_fit(WORDS[low:high], TAGS[low:high], classes=sorted({t for s in TAGS for t in s}))
    for sentence in WORDS + UNSEEN:
        a = whole.model_.nbest(as_corpus([sentence]), 20)[0]
        b = parts.model_.nbest(as_corpus([sentence]), 20)[0]
        np.testing.assert_allclose([s for _, s in a], [s for _, s in b], rtol=1e-4)
        assert [whole.model_.labels[i] for i in a[0][0]] == [parts.model_.labels[i] for i in b[0][0]]
    assert len(parts.history_) == 3


def test_a_weight_is_so_many_sentences():
    """Also for the words that are rare: with rare=1, those of the first sentence no longer are."""
    for rare in (0, 1, 2, 10):
        weighted = Tagger("hmm", rare=rare).fit(WORDS, TAGS, sample_weight=[2, 1, 0, 1])
        again = [0, 0, 1, 3]
        repeated = Tagger("hmm", rare=rare).fit([WORDS[i] for i in again], [TAGS[i] for i in again])
        assert weighted.state_features_ == repeated.state_features_
        assert weighted.transition_features_ == repeated.transition_features_


def test_one_epoch_is_all(tmp_path):
    events = []
    made = Tagger("hmm", epochs=5).fit(WORDS, TAGS, listener=events.append)
    assert len(made.history_) == made.best_epoch_ == 1
    assert any("everything is counted" in getattr(event, "text", "") for event in events)
    made = Tagger("hmm").fit(WORDS, TAGS, listener=(quiet := []).append)
    assert not any("Stopped" in getattr(event, "text", "") for event in quiet)


def test_a_file_in_parts_gives_the_same_model(tmp_path):
    path = tmp_path / "train.txt"
    riata.write_columns(embedded(("word", "tag"))[:60], path)
    whole = Tagger("hmm").fit(riata.read_columns(path))
    assert packed(Tagger("hmm", stream=True).fit(path).model_) == packed(whole.model_)


def test_all_that_chains_do_works(tmp_path):
    data = embedded(("word", "tag", "chunk"))
    made = Chunker("hmm").fit(data[:300])
    model, rest = made.model_, data[300:]
    inputs = made.columns.input_columns(rest)
    exact = model.decode(model.features.instances(inputs))
    assert (model.predict(inputs) == exact).all()
    assert model.folded is not None
    assert made.evaluate(rest).metrics["f1"] > 70
    made.save(tmp_path / "hmm.riata")
    again = riata.load_model(tmp_path / "hmm.riata")
    assert (again.predict_ids(rest) == made.predict_ids(rest)).all()
    assert len(made.predict_nbest(INPUTS, 3)[0]) == 3
    assert made.explain(INPUTS[0])
    found = made.predict_confidence(INPUTS)
    assert found
    beam = riata.load_model(tmp_path / "hmm.riata").set_params(queue="beam", beam=50)
    assert (beam.predict_ids(rest) == exact).mean() > 0.99


@for_rows(
    "parameters",
    {"template": "classic"},
    {"lists": {"city": ["Bonn"]}},
    {"attributes": {"last": lambda word: word[-1]}},
    {"cutoff": 2},
    {"bits": 12},
    {"seeds": 2},
    {"shards": 2},
    {"class_weight": "balanced"},
)
def test_what_means_nothing_to_counts_is_refused(parameters):
    with pytest.raises(
        UnsupportedError, match=f"{next(iter(parameters))} is set, but means nothing to the recipe 'hmm'"
    ):
        Tagger("hmm", **parameters).fit(WORDS, TAGS)


def test_features_and_other_models_are_refused():
    refused(UnsupportedError, "reads words", Tagger("hmm").fit, FEATURES, TAGS)
    made = Tagger("hmm", warm_start=True).fit(WORDS, TAGS)
    for go_on in (made.fit, made.partial_fit):
        refused(UnsupportedError, "not the counts", go_on, WORDS, TAGS)
    refused(RiataError, "longest", Tagger("hmm", settings={"longest": 5}).fit, WORDS, TAGS)


def test_nothing_counted_is_no_crash():
    made = Chunker("hmm").fit(as_corpus(CHUNKS), sample_weight=[0] * len(CHUNKS))
    assert [len(labels) for labels in made.predict(INPUTS)] == [len(s) for s in INPUTS]
