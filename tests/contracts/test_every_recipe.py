"""Every recipe: weights of sentences, of which 0 leaves one out; arrays [T, d]; numbers beyond all bounds."""

from typing import Any

import numpy as np
import pytest

import riata
from checks import refused
from riata import Chunker, DependencyParser, JointTagger, Tagger, registry
from riata.errors import DataError, SettingError, UnsupportedError
from riata.models.weights_by_name import by_name
from riata.settings import Setting
from samples import OF_TASKS, TAGS, WORDS, for_each, for_rows

CORPUS = riata.load("embedded", "train", ("word", "tag", "chunk"))[:12]
OTHERS = riata.load("embedded", "test", ("word", "tag", "chunk"))[:8]
TREES = [
    [("The", "DT", "2", "det"), ("bus", "NN", "3", "nsubj"), ("stopped", "VBD", "0", "root")],
    [("She", "PRP", "2", "nsubj"), ("waits", "VBZ", "0", "root")],
    [
        ("Old", "JJ", "2", "amod"),
        ("trams", "NNS", "3", "nsubj"),
        ("run", "VBP", "0", "root"),
        ("daily", "RB", "3", "advmod"),
    ],
    [("It", "PRP", "2", "nsubj"), ("rains", "VBZ", "0", "root"), ("here", "RB", "2", "advmod")],
]
ONCE = ("hmm", "crf", "crf-exp", "crf-pointwise", "memm", "semicrf")  # one objective, or counts


def named(estimator: Any) -> Any:
    """Its weights by name: n-grams have other numbers where the words of sentences that were left out came first."""
    if estimator.model_.structure == "kernel-chain":  # its weights have no names
        return [pytest.approx(best) for ((_, best),) in estimator.predict_nbest(CORPUS, k=1)]
    found = by_name(estimator.model_).heaviest(10**6)
    return {
        (str(one.feature), label): pytest.approx(one.weight, rel=1e-5, abs=1e-7)
        for label, all_ in found.items()
        for one in all_
    }


def chunker(recipe: str, **more: Any) -> Any:
    return Chunker(recipe, epochs=2, threads=1, **more)


@pytest.mark.parametrize("recipe", registry.names("recipe"))
def test_a_sentence_of_weight_zero_is_left_out(recipe: str) -> None:
    """The labels and words of the sentences that are left out are others, and their number changes the order of the rest."""
    weights = np.tile([1.0, 0.0, 2.0, 0.5, 0.0, 1.0], 2)
    learnt = np.flatnonzero(weights)
    one = chunker(recipe).fit(CORPUS, sample_weight=weights)
    other = chunker(recipe).fit([CORPUS[i] for i in learnt], sample_weight=weights[learnt])
    assert named(one) == named(other)
    assert one.classes_ == other.classes_
    assert one.facts_["sentences"] == len(learnt)


@for_rows(
    "make",
    lambda: JointTagger("max-violation", epochs=2),
    lambda: JointTagger("crf", structure="factorial", epochs=2),
    lambda: Tagger(passes=2, folds=2, epochs=2),
    lambda: chunker("mira", dev=0.25),
    lambda: chunker("mira", class_weight="balanced"),
    ids=["joint", "factorial", "two passes", "dev", "balanced"],
)
def test_other_estimators_leave_it_out_too(make: Any) -> None:
    weights = np.tile([1.0, 0.0], 6)
    one = make().fit(CORPUS, sample_weight=weights)
    other = make().fit(CORPUS[np.flatnonzero(weights)], sample_weight=weights[::2])
    assert named(one) == named(other)


@for_rows("given", {"recipe": "laso-perceptron"}, {"recipe": "mira"}, {"recipe": "mira", "tags": "own"}, ids=str)
def test_parsers_leave_it_out_too(given: dict[str, Any]) -> None:
    weights = np.array([1.0, 0.0, 1.0, 1.0])
    one = DependencyParser(epochs=2, **given).fit(TREES, sample_weight=weights)
    other = DependencyParser(epochs=2, **given).fit([TREES[0], *TREES[2:]])
    assert one.predict(TREES[1:2]) == other.predict(TREES[1:2])
    assert named(one) == named(other)


@pytest.mark.parametrize("recipe", ONCE)
def test_a_weight_of_two_is_the_sentence_twice(recipe: str) -> None:
    given = (
        {}
        if recipe == "hmm"
        else {"c2": 0.5, "precision": "double", "gain_tolerance": 1e-9, "gradient_tolerance": 1e-7}
    )
    weights = np.tile([2.0, 1.0], 6)
    twice = [i for i in range(12) for _ in range(int(weights[i]))]
    one, other = (
        Chunker(recipe, epochs=60, calibrated=False, **given).fit(data, sample_weight=weighs)
        for data, weighs in ((CORPUS, weights), (CORPUS[np.array(twice)], None))
    )
    for found, expected in zip(one.predict_proba(OTHERS), other.predict_proba(OTHERS), strict=True):
        places = [one.classes_.index(label) for label in other.classes_]  # in the order of counts
        assert np.asarray(found)[:, places] == pytest.approx(np.asarray(expected), abs=1e-3)


def test_where_all_weights_are_zero_nothing_is_left_out() -> None:
    made = chunker("perceptron").fit(CORPUS, sample_weight=np.zeros(len(CORPUS)))
    assert made.classes_ == chunker("perceptron").fit(CORPUS).classes_


# --- arrays [T, d] as sentences: every recipe on every structure learns from them, or says why not -------------------
DRAW = np.random.default_rng(0)
SIGNALS = [DRAW.normal(size=(DRAW.integers(2, 6), 3)) for _ in range(40)]
CHUNKS = [["B-A" if row[0] > 0 else "O" for row in signal] for signal in SIGNALS]
PAIRS = [
    [("N" if row[1] > 0 else "V", chunk) for row, chunk in zip(signal, chunks, strict=True)]
    for signal, chunks in zip(SIGNALS, CHUNKS, strict=True)
]
# Each token is under the one before.
ARRAY_TREES = [[(token, "x") for token in range(len(signal))] for signal in SIGNALS]
QUICK = {"C": 0.1, "c2": 0.1}  # instead of a choice on held-out sentences
CHAINS = {"chain", "kernel-chain"}  # structures whose tokens may be features already
NEVER = {"hmm"}  # on chains; the others refuse structures that are scored by templates alone


def made(recipe, structure):
    declared = registry.get("recipe", recipe)
    quick = {s.name: QUICK[s.name] for s in declared.settings if s.name in QUICK and declared.whole}
    kinds = {(1, False): Chunker, (2, False): JointTagger, (2, True): DependencyParser}
    kind = kinds[registry.get("structure", structure).gives]
    return kind(recipe, structure=structure, epochs=10, settings=quick)


@for_each(structure=OF_TASKS, recipe=registry.names("recipe"))
def test_a_recipe_learns_from_arrays_or_says_why_not(recipe, structure):
    estimator, labels = made(recipe, structure), CHUNKS
    if registry.get("structure", structure).columns > 1:
        labels = ARRAY_TREES if registry.get("structure", structure).trees else PAIRS
    try:
        estimator.fit(SIGNALS, labels)
    except UnsupportedError as error:
        assert error.remedy
        assert any(word in str(error) for word in (" needs ", "read columns", "reads words")), error
        needs = registry.get("recipe", recipe).needs
        assert recipe in NEVER or structure not in CHAINS or not needs <= registry.get("structure", structure).offers
        return
    assert structure in CHAINS
    found = estimator.predict(SIGNALS)
    assert [len(one) for one in found] == [len(signal) for signal in SIGNALS]
    assert estimator.score(SIGNALS, CHUNKS) > 0.7
    assert estimator.array_width_ == 3


@pytest.mark.parametrize("recipe", ["m3n", "svmstruct-margin", "svmstruct-slack", "svm-subgradient"])
def test_numbers_and_widths_that_cannot_be_learnt_from(recipe):
    spoilt = [signal.copy() for signal in SIGNALS]
    spoilt[3][1, 2] = np.nan
    caught = refused(DataError, r"nan|NaN", made(recipe, "chain").fit, spoilt, CHUNKS)
    assert "3" in str(caught) and "2" in str(caught)
    narrow = [*SIGNALS[:-1], SIGNALS[-1][:, :2]]
    refused(DataError, r"columns|width", made(recipe, "chain").fit, narrow, CHUNKS)
    refused(DataError, r"columns|width", made(recipe, "chain").fit(SIGNALS, CHUNKS).predict, [SIGNALS[0][:, :2]])


# --- numbers beyond all bounds, and of more digits than Python prints, are refused in words --------------------------
HUGE = 10**5000
WHOLE = ("beam", "epochs", "seed", "seeds", "bits", "cutoff", "threads", "shards", "patience")


@for_rows("value", HUGE, -HUGE, 2**64, 1e308, "9" * 5000, b"3", bytearray(b"3"), ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_beyond_all_bounds_are_refused(name, value):
    made = Tagger("early", dev=0.5, **{name: value})
    assert len(str(refused(SettingError, name, made.fit, WORDS, TAGS))) < 400
    assert len(repr(made)) < 200


def test_whole_numbers_without_a_limit_of_their_own_have_that_of_the_core():
    setting = Setting("many", 1, "", low=1)
    assert setting.parse(10**15) == 10**15
    refused(SettingError, r"from 1 to 1e\+15", setting.parse, 10**15 + 1)
    refused(SettingError, "number of about 5,000 digits>; expected a whole number from 1 to", setting.parse, HUGE)
    refused(SettingError, "at least 1", setting.parse, 0)


@pytest.mark.parametrize("sentences", [[[{"w": HUGE}]], [["a", HUGE]], [[["a", HUGE]]]])
def test_huge_numbers_in_data_are_refused(sentences):
    refused(DataError, r"digits|cannot be printed", Tagger().fit, sentences, [["A"] * len(sentences[0])])


def test_huge_labels_and_weights_are_refused():
    refused(DataError, "digits", Tagger().fit, [["a"]], [[HUGE]])
    refused(DataError, "sample_weight", Tagger(epochs=1).fit, WORDS, TAGS, sample_weight=[HUGE] * len(WORDS))


def test_a_huge_loss_is_refused():
    from riata.problems.outputs import _finite

    refused(DataError, "number of about 5,000 digits", _finite, HUGE)


@pytest.mark.parametrize("option", ["--inputs", "--outputs", "--epochs", "--cutoff", "--beam"])
def test_options_of_thousands_of_digits_are_refused_in_few_words(run, option):
    err = run.fails("train", "tag", "--train", "-", "--model", "m.riata", option, "9" * 5000)
    assert option[2:] in err
    assert len(err) < 600


def test_a_cutoff_beyond_64_bits_is_refused(run, tmp_path):
    (tmp_path / "t.txt").write_text("a A\nb B\n")
    err = run.fails("train", "tag", "--train", tmp_path / "t.txt", "--model", tmp_path / "m", "--cutoff", 2**63)
    assert "expected a whole number from 1 to 1e+15" in err
