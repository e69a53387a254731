"""Calibration in training: what it changes (confidences) and what it does not (all else), where it comes from, and where it is left out."""

import json
import pickle
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import riata
from checks import refused
from oracle import confidence as oracle
from riata import Chunker, DependencyParser, EntityRecognizer, JointTagger, RiataError, Tagger
from riata.confidence.calibration import CALLED, TRAINING
from riata.data.types import inputs_of
from riata.errors import ModelFileError, SettingError, UnsupportedError
from riata.estimators.calibrating import HELD, RUN, _spread, planned
from riata.estimators.facts import facts_of
from riata.estimators.model_file import LONGEST_REASON, from_bytes, to_bytes, uncalibrated_in
from riata.models import container
from samples import TAGS, WORDS, as_text, embedded, for_rows, treebank


def tagged(split="train"):
    return embedded(("word", "tag"), split)


def as_lists(data):
    return [[tuple(map(str, token)) for token in sentence] for sentence in data]


@cache
def chunker(**params):
    return Chunker(**{"epochs": 5, **params}).fit(embedded())


MODELS = {
    "chain": (lambda **p: Chunker(epochs=5, **p), embedded),
    "tags": (lambda **p: Tagger("perceptron", epochs=5, **p), tagged),
    "beam": (lambda **p: Chunker("laso-perceptron", beam=5, epochs=3, **p), embedded),
    "segments": (lambda **p: Chunker("laso-alma", structure="segments", beam=5, epochs=3, **p), embedded),
    "joint": (lambda **p: JointTagger("laso-perceptron", beam=5, epochs=3, **p), embedded),
    "factorial": (lambda **p: JointTagger("mira", structure="factorial", epochs=3, **p), embedded),
    "m3n": (lambda **p: Chunker("m3n", epochs=10, **p), embedded),
    "crf": (lambda **p: Chunker("crf", c2=0.003, **p), embedded),
    "memm": (lambda **p: Tagger("memm", **p), tagged),
    "semicrf": (lambda **p: Chunker("semicrf", epochs=10, c2=0.01, **p), embedded),
    "bits": (lambda **p: Chunker(epochs=3, bits=14, **p), embedded),
    "bioes": (lambda **p: Chunker(epochs=5, learn_as="bioes", **p), embedded),
    "shards": (lambda **p: Chunker(epochs=5, shards=2, seeds=2, **p), embedded),
    "passes": (lambda **p: Chunker(epochs=3, passes=2, folds=2, **p), embedded),
    "dev": (lambda **p: Chunker(epochs=3, dev=0.2, **p), embedded),
    "refit": (lambda **p: Chunker(epochs=3, dev=0.2, refit=True, **p), embedded),
}


def without_calibration(estimator):
    header, arrays = container.unpack(memoryview(to_bytes(estimator)))
    header.pop("calibration", None)
    header.pop("uncalibrated", None)
    return json.dumps(header), {name: np.asarray(array).tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("name", MODELS)
def test_models_are_calibrated_and_otherwise_the_same(name):
    make, data = MODELS[name]
    made, plain = (make(calibrated=calibrated).fit(data()) for calibrated in (True, False))
    assert made.uncalibrated_ == ""
    assert [each.source for each in made.calibration_] == [TRAINING] * made.outputs
    assert plain.calibration_ == ()
    assert plain.uncalibrated_ == "it was trained with calibrated=False"
    assert without_calibration(made) == without_calibration(plain)
    test = data(split="test")
    assert made.predict(test) == plain.predict(test)
    for calibrated, uncalibrated in zip(made.reliability(test), plain.reliability(test), strict=True):
        assert calibrated.log_loss < uncalibrated.log_loss + 0.02


@pytest.mark.parametrize("name", ["chain", "tags", "beam", "crf"])
def test_confidences_become_more_reliable(name):
    make, data = MODELS[name]
    made, plain = (make(calibrated=calibrated).fit(data()) for calibrated in (True, False))
    (after,), (before,) = (each.reliability(data(split="test")) for each in (made, plain))
    assert after.ece < before.ece
    assert after.log_loss < before.log_loss
    (best,) = (each.after for each in plain.calibrate(data(split="test")).outputs)
    assert after.log_loss < best.log_loss + 0.1


def test_the_same_seed_gives_the_same_bytes():
    one, other = (Chunker(epochs=3, seed=1, threads=threads).fit(embedded()) for threads in (1, 2))
    assert to_bytes(one) == to_bytes(other)


def test_trees_are_calibrated_head_by_head_and_relation_by_relation():
    data = treebank(150)
    made = DependencyParser("mira", structure="projective", tags="given", epochs=3).fit(data)
    assert len(made.calibration_) == 2
    moves = DependencyParser(tags="given", beam=4, epochs=1).fit(treebank(300))
    assert len(moves.calibration_) == 2
    test = treebank(60, seed=2)
    plain = moves.twin()
    plain.calibration_ = ()
    for after, before in zip(moves.reliability(test), plain.reliability(test), strict=True):
        assert after.log_loss < before.log_loss


# --- how it is found -------------------------------------------------------------------------------------------------
def test_the_spread_is_that_of_its_definition():
    made, data = chunker(), made_ready()
    gold = [[str(token[-1]) for token in sentence] for sentence in data]
    labels = {text: i for i, text in enumerate(made.model_.labels)}

    def score(sentence, output):
        instances = made.model_.instances(inputs_of(data[sentence : sentence + 1]))
        return float(made.model_.scores_of(instances, np.array([labels[text] for text in output], np.int32))[0])

    assert _spread(made, data) == pytest.approx(oracle.spread(score, gold), rel=1e-5)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_trees_that_no_moves_reach_are_not_compared():
    trees = [[tuple(map(str, token)) for token in sentence] for sentence in treebank(60)]
    crossing = [("a", "X", "3", "x"), ("b", "X", "4", "x"), ("c", "X", "0", "root"), ("d", "X", "3", "x")]
    parser = DependencyParser(structure="transitions", tags="given", beam=4, epochs=1)
    made = parser.fit([*trees, crossing, crossing])
    assert len(made.calibration_) == 2
    with pytest.raises(UnsupportedError, match="too little data to compare"):
        _spread(made, made.columns.with_gold([crossing, crossing], None))


def made_ready():
    """Sentences with their outputs as they are learnt, as training has them."""
    return embedded()[:60]


class Fits:
    """What `planned` reads of a training."""

    class options:
        epochs = 20

        class choice:
            class recipe:
                whole = probabilistic = False


def test_what_is_held_out_is_not_learnt_from():
    data = embedded()
    plan = planned(data, Fits, 4000)
    assert not set(plan.held.tolist()) & set(plan.learnt.tolist())
    assert 0 < data[plan.held].tokens < 2 * HELD * data.tokens
    assert 1 <= plan.epochs <= 20
    longest = max(len(part) for part in np.split(plan.held, np.flatnonzero(np.diff(plan.held) > 1) + 1))
    assert data.tokens / len(data) * longest > RUN / 2  # neighbours are held out together


@pytest.mark.parametrize("most", [0, 1, 2])
def test_too_few_sentences_are_told(most):
    refused(UnsupportedError, "too little data", planned, embedded()[:most], Fits, 4000)


# --- where it is left out --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", [1, 2, 5])
def test_little_data_leave_it_out(number):
    made = Tagger(epochs=2).fit(WORDS[:number], TAGS[:number])
    assert made.calibration_ == ()
    assert "little data" in made.uncalibrated_
    assert "little data" in facts_of(made, 0)["calibration"]


def test_without_chunks_there_is_nothing_to_judge():
    data = [
        [(word, tag, "B-X" if s == 0 else "O") for word, tag, _ in sentence] for s, sentence in enumerate(embedded())
    ]
    made = Chunker(epochs=2).fit(data)
    assert made.calibration_ == ()
    assert "no chunk is predicted" in made.uncalibrated_


@for_rows(
    "make, reason",
    (lambda: Chunker("laso-perceptron", queue="greedy", epochs=2), "alternatives"),
    (lambda: Chunker("laso-perceptron", queue="best-first", epochs=2), "best-first"),
    (lambda: Chunker("boost", epochs=5), "by heart"),
)
def test_searches_without_confidences_leave_it_out(make, reason):
    made = make().fit(embedded())
    assert made.calibration_ == ()
    assert reason in made.uncalibrated_


def test_recipes_that_learn_probabilities_can_be_believed_without():
    made = Chunker("crf", epochs=5, calibrated=False).fit(embedded())
    assert (made.calibration_, made.uncalibrated_) == ((), "it was trained with calibrated=False")
    assert made.confidence.believable
    assert "learns probabilities" in facts_of(made, 0)["calibration"]


def test_portions_are_not_calibrated():
    made = Chunker(epochs=2).fit(embedded())
    made.partial_fit(embedded()[:50])
    assert made.calibration_ == ()
    assert "partial_fit" in made.uncalibrated_
    made.set_params(warm_start=True).fit(embedded())
    assert made.calibration_


def test_streams_are_not_calibrated(tmp_path):
    (tmp_path / "t.txt").write_text(as_text(as_lists(embedded())))
    made = Chunker(epochs=1, stream=True).fit(tmp_path / "t.txt")
    assert made.calibration_ == ()
    assert "stream=True" in made.uncalibrated_


# --- what becomes of it ----------------------------------------------------------------------------------------------
def test_files_and_pickles_keep_where_it_comes_from(tmp_path):
    made = Chunker(epochs=2).fit(embedded())
    for again in (from_bytes(to_bytes(made)), pickle.loads(pickle.dumps(made))):
        assert again.calibration_ == made.calibration_
    assert "from training" in facts_of(made, 0)["calibration"]
    made.calibrate(embedded(split="test"))
    assert [each.source for each in from_bytes(to_bytes(made)).calibration_] == [CALLED]
    assert "from calibrate(dev)" in facts_of(made, 0)["calibration"]
    little = Tagger(epochs=2).fit(WORDS, TAGS)
    assert from_bytes(to_bytes(little)).uncalibrated_ == little.uncalibrated_


@pytest.mark.parametrize("reason", [None, 1, ["x"], "x" * (LONGEST_REASON + 1)])
def test_hostile_reasons_are_refused(reason):
    refused(ModelFileError, "calibration is inconsistent", uncalibrated_in, {"uncalibrated": reason})


def test_pruning_leaves_a_calibration_of_other_weights_out():
    made = Chunker(epochs=2).fit(embedded()).prune(0.5)
    assert (made.calibration_, made.uncalibrated_) == ((), "it was pruned")


def test_calibrate_is_a_method_and_calibrated_the_parameter():
    refused(RiataError, "calibrated", Tagger, calibrate=False)
    refused(RiataError, "calibrated", Tagger().set_params, calibrate=False)
    refused(SettingError, "calibrated is 'no'", Tagger(calibrated="no").fit, WORDS, TAGS)


def test_a_command_leaves_it_out(run, tmp_path):
    (tmp_path / "t.txt").write_text(as_text(as_lists(embedded())))
    for options, expected in (((), "from training"), (("--no-calibrate",), "calibrated=False")):
        run.ok("train", "chunk", "--train", tmp_path / "t.txt", "--epochs", 2, "--model", tmp_path / "m", *options)
        assert expected in run("inspect", tmp_path / "m")[1]


def test_margins_tell_what_speaks_against_every_other_label():
    """On a chain, by how much the best labelling falls if a token must have another label, among lists of the best."""
    made = Tagger(epochs=3).fit(WORDS, TAGS)
    margins = made.confidence.margins_of(WORDS[:3])[0]
    lists, at = made.predict_nbest(WORDS[:3], 2000), 0
    for found in lists:
        best, score = found[0]
        for t in range(len(best)):
            expected = score - max(s for labels, s in found if labels[t] != best[t])
            assert margins[at] == pytest.approx(expected, rel=0.15, abs=1e-3)
            at += 1


def test_a_search_without_alternatives_has_no_margin():
    made = Tagger("laso-perceptron", queue="greedy", epochs=2).fit(WORDS, TAGS)
    assert np.isnan(made.confidence.margins_of(WORDS)).all()


# --- what `dir` shows of an estimator is what the documentation lists, and nothing else ------------------------------
PAGE = Path(__file__).parent.parent.parent / "docs" / "api" / "estimators.md"


def listed(section: str) -> set[str]:
    """The names in the first column of a section's table."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)", row)}


@pytest.fixture(scope="module")
def shown_chunker() -> Chunker:
    return Chunker(epochs=1).fit(riata.load("embedded", "train"))


def test_dir_shows_parameters_methods_and_what_was_learnt(shown_chunker: Chunker) -> None:
    parameters = set(shown_chunker.get_params(deep=False))
    assert set(dir(shown_chunker)) == parameters | listed("What it does") | listed("What it has learnt")
    assert set(dir(Chunker())) == parameters | listed("What it does")


def test_all_that_is_shown_is_there_and_documented(shown_chunker: Chunker) -> None:
    for name in dir(shown_chunker):
        assert getattr(shown_chunker, name, self := object()) is not self
    for name in listed("What it does"):
        assert (getattr(Chunker, name).__doc__ or "").strip(), name


def test_nothing_private_is_shown_of_other_estimators_either() -> None:
    for estimator in (Tagger(), EntityRecognizer(), JointTagger()):
        assert "fit" in dir(estimator)
        assert not [name for name in dir(estimator) if name.startswith("_") or name.endswith("_")]
