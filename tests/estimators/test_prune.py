"""Pruned models: smaller files, weights near zero dropped, and nothing else changed."""

import numpy as np
import pytest

import riata
from checks import refused
from riata import Chunker, DependencyParser, JointTagger, Tagger
from riata.commands import main
from riata.errors import SettingError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from samples import CHUNKS, INPUTS, TAGS, WORDS, as_text, treebank

MAKERS = {
    "chain": lambda: Chunker("mira", epochs=5).fit(CHUNKS),
    "double": lambda: Chunker("mira", epochs=5, settings={"precision": "double"}).fit(CHUNKS),
    "hashed": lambda: Chunker("mira", epochs=5, bits=12).fit(CHUNKS),
    "segments": lambda: Chunker("perceptron", structure="segments", epochs=5).fit(CHUNKS),
    "joint": lambda: JointTagger("max-violation", epochs=5).fit(CHUNKS),
    "tree": lambda: DependencyParser("mira", structure="tree", epochs=3).fit(treebank()),
    "transitions": lambda: DependencyParser("max-violation", structure="transitions", epochs=3).fit(treebank()),
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_weights_nearest_to_zero_are_dropped(name):
    model = MAKERS[name]()
    before, size = np.abs(model.model_.weights.flat()), len(to_bytes(model))
    assert model.prune(0.5) is model
    after = np.abs(model.model_.weights.flat())
    kept = after > 0
    assert (after[kept] == before[kept]).all()
    assert before[~kept].max() < after[kept].min()
    assert kept.sum() >= (before > 0).sum() / 2
    assert len(to_bytes(model)) <= size
    data = treebank() if name in ("tree", "transitions") else INPUTS if name != "joint" else WORDS
    assert from_bytes(to_bytes(model)).predict(data) == model.predict(data)


def test_files_shrink_by_the_share():
    train = riata.load("embedded", "train")
    sizes = [len(to_bytes(Chunker(epochs=2).fit(train).prune(share))) for share in (0, 0.5, 0.9)]
    assert sizes[1] < 0.65 * sizes[0]
    assert sizes[2] < 0.3 * sizes[0]


def test_none_are_dropped_by_a_share_of_0():
    model = MAKERS["chain"]()
    content = to_bytes(model)
    assert to_bytes(model.prune(0)) == content


def test_both_passes_and_taggers_are_pruned():
    two = Chunker("perceptron", epochs=3, passes=2).fit(CHUNKS)
    before = [np.count_nonzero(m.weights.flat()) for m in (two.model_, two.first_.model_)]
    two.prune(0.9)
    after = [np.count_nonzero(m.weights.flat()) for m in (two.model_, two.first_.model_)]
    assert all(a < b for a, b in zip(after, before, strict=True))


@pytest.mark.parametrize("share", [1, -0.1, 2, float("nan"), "half", None, True])
def test_other_shares_are_refused(share):
    refused(SettingError, "the share of weights to prune is", MAKERS["chain"]().prune, share)


def test_what_cannot_be_pruned_is_refused():
    kernel = Tagger("perceptron", structure="kernel-chain", epochs=2).fit(WORDS, TAGS)
    refused(UnsupportedError, "has no weights of features", kernel.prune)
    calibrated = MAKERS["chain"]()
    calibrated.calibrate(CHUNKS)
    refused(UnsupportedError, "is calibrated", calibrated.prune)


def test_training_can_prune(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.txt").write_text(as_text() * 3)
    sizes = []
    for more in ([], ["--prune", "0.8"]):
        with pytest.raises(SystemExit) as ended:
            main(["train", "chunk", "--train", "d.txt", "--dev", "d.txt", "--model", "m.riata", "--epochs", "3", *more])
        assert ended.value.code == 0
        sizes.append((tmp_path / "m.riata").stat().st_size)
    said = capsys.readouterr().err
    assert "Pruned: " in said
    assert "on the development data" in said
    assert sizes[1] < sizes[0]
