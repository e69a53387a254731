"""Several seeds in one model: the sum by hand, whatever the threads, and everything that one seed can do."""

import numpy as np
import pytest

import riata
from checks import refused
from learning.test_online import same_model
from packed_weights import weights_of
from riata import Chunker, Tagger
from riata._core import normalised_sum
from riata.errors import SettingError, UnsupportedError
from riata.estimators.model_file import to_bytes
from riata.features.templates import parse
from riata.learning.loop import SentenceTrainer
from riata.models.weights_by_name import by_name
from riata.structures.segments.templates import parse as parse_segments
from samples import FEATURES, TAGS, embedded, for_each

HISTORY = parse("word[0]\nword[-1] word[0]\nedge\nlabel[-2] label[-1]\nword[0] label[-1]")
PLAIN = parse("word[0]\nword[-1]\ntag[0]\ntag[-1] tag[0]\nedge\nedge tag[0]")
SEGMENTS = parse_segments(
    "inside word[0]\ninside tag[0] tag[1]\nsequence tag[0]\nlast tag[1]\nfirst tag[-1]\nlength\nlabel[-1]\nlabel[-1] first tag[0]"
)
KINDS = {
    "perceptron": {"recipe": "perceptron"},
    "mira": {"recipe": "mira"},
    "laso": {"recipe": "laso-alma"},
    "history": {"recipe": "early", "template": HISTORY},
    "last weights": {"recipe": "perceptron", "settings": {"average": False}},
    "segments": {"recipe": "laso-alma", "structure": "segments", "template": SEGMENTS},
    "segments exactly": {"recipe": "perceptron", "structure": "segments", "template": SEGMENTS},
}
KIND = pytest.mark.parametrize("kind", KINDS)


def chunker(kind, **params):
    return Chunker(**{"epochs": 3, "template": PLAIN, **KINDS[kind], **params})


def named(estimator):
    """Every weight by name, those of earlier labels included."""
    if estimator.model_.structure == "segments":
        found = by_name(estimator.model_).heaviest(10**6)
        return {(weight.feature, label): weight.weight for label, weights in found.items() for weight in weights}
    return weights_of(estimator.model_)


def sum_by_hand(parts):
    norms = [np.sqrt(sum(weight**2 for weight in part.values())) for part in parts]
    scale = np.mean(norms) / len(parts)
    keys = {key for part in parts for key in part}
    return {
        key: sum(scale * part.get(key, 0.0) / norm for part, norm in zip(parts, norms, strict=True)) for key in keys
    }


@KIND
def test_the_model_is_the_sum_of_those_of_the_seeds(kind):
    data = embedded()[:60]
    parts = [named(chunker(kind, seed=seed).fit(data)) for seed in (7, 8, 9)]
    whole = named(chunker(kind, seed=7, seeds=3).fit(data))
    expected = sum_by_hand(parts)
    assert whole.keys() <= expected.keys()
    assert whole == pytest.approx({key: expected[key] for key in whole}, abs=1e-5)
    assert all(abs(value) < 1e-5 for key, value in expected.items() if key not in whole)
    assert len({*parts[0]} ^ {*parts[1]}) > 10  # they differ, in the features that carry weight too
    if kind == "history":
        assert any("label[" in template for (template, _), _ in whole)
    if kind.startswith("segments"):
        assert {"label[-1]=NP", "sequence tag[0]=DT tag[0]=NN", "length=2"} <= {feature for feature, _ in whole}


def test_rows_that_grow_in_another_order_are_the_same_rows():
    """Of segments: each seed meets sequences and labels in its own order."""
    data = embedded()[:60]
    parts = [chunker("segments", seed=seed).fit(data).model_.weights.rows() for seed in (7, 8)]
    trie = [list(zip(*(array.tolist() for array in part), strict=True)) for part in parts]
    assert trie[0] != trie[1]
    whole = chunker("segments", seed=7, seeds=2).fit(data).model_.weights.rows()
    assert len(whole[0]) > max(map(len, trie))
    assert len({*zip(*(array.tolist() for array in whole), strict=True)}) == len(whole[0])  # none twice


@KIND
def test_threads_change_nothing(kind):
    data = embedded()[:60]
    models = [to_bytes(chunker(kind, seeds=4, threads=threads).fit(data)) for threads in (1, 2, 7, None)]
    assert models[0] == models[1] == models[2] == models[3]


def test_equal_parts_give_themselves_and_their_scale():
    data = embedded()[:40]
    one = chunker("perceptron").fit(data)
    four = one.twin()
    four.labels.set_model(one.model_.with_weights(normalised_sum([one.model_.weights] * 4)), one.labels.tags())
    assert named(four) == pytest.approx(named(one), rel=1e-5)


def test_one_seed_is_the_recipe_as_it_was():
    data = embedded()[:40]
    assert same_model(chunker("mira").fit(data), chunker("mira", seeds=1, threads=3).fit(data))


def test_development_scores_are_told_of_each_seed_and_of_the_sum():
    data, dev = embedded()[:80], embedded(split="test")
    whole = chunker("mira", seeds=3, seed=5, dev=dev).fit(data)
    alone = [chunker("mira", seed=seed, dev=dev).fit(data) for seed in (5, 6, 7)]
    for epoch, *singles in zip(whole.history_, *(one.history_ for one in alone), strict=True):
        assert epoch["seed_scores"] == tuple(single["dev_score"] for single in singles)
        assert epoch["updates"] == sum(single["updates"] for single in singles)
        assert epoch["sentences"] == singles[0]["sentences"]
    assert whole.best_score_ == max(epoch["dev_score"] for epoch in whole.history_)
    assert 100 * whole.score(dev) == pytest.approx(whole.best_score_)


def loads_and_goes_on(made, data, path):
    made.save(path)
    loaded = riata.load_model(path)
    assert loaded.predict(data) == made.predict(data)
    made.set_params(warm_start=True, dev=None, refit=False, patience=None, epochs=1).fit(data)
    assert made.best_epoch_ == loaded.best_epoch_ + 1
    return loaded


@KIND
def test_everything_around_a_learner_works_for_a_sum(kind, tmp_path):
    data = embedded()[:60]
    made = chunker(kind, seeds=2, dev=0.2, refit=True, patience=2).fit(data)
    loaded = loads_and_goes_on(made, data, tmp_path / "m.riata")
    assert loaded.seeds == 2
    assert loaded.threads is None


def test_features_given_by_the_user_are_summed_too():
    taggers = [Tagger(epochs=3, seed=seed).fit(FEATURES, TAGS) for seed in (0, 1)]
    whole = Tagger(epochs=3, seeds=2).fit(FEATURES, TAGS)
    assert weights_of(whole.model_) == pytest.approx(sum_by_hand([weights_of(t.model_) for t in taggers]), abs=1e-5)


def test_an_error_in_one_seed_is_the_error_of_all(monkeypatch):
    run, started = SentenceTrainer.run, []

    def fails_once(*arguments):
        started.append(arguments)
        if len(started) == 2:
            raise UnsupportedError("this seed fails")
        return run(*arguments)

    monkeypatch.setattr(SentenceTrainer, "run", fails_once)
    refused(UnsupportedError, "this seed fails", chunker("laso", seeds=3).fit, embedded()[:20])


@for_each(wrong=[{"seeds": 0}, {"seeds": 1.5}, {"seeds": "x"}, {"threads": 0}, {"threads": -1}, {"threads": "x"}])
def test_counts_without_sense_are_refused(wrong):
    refused(SettingError, next(iter(wrong)), Tagger(**wrong).fit, [["a"]], [["X"]])


def test_no_single_run_is_there_to_diagnose():
    data = embedded()[:20]
    refused(UnsupportedError, "seeds", chunker("laso", seeds=2).fit(data).diagnose, data)
