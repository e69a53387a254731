"""riata.compat.pycrfsuite: programs for python-crfsuite run by one import line, and label as CRFsuite does."""

import doctest
import pickle
import random
from pathlib import Path

import pytest

import riata
from checks import refused
from riata import RiataWarning, Tagger
from riata.compat import pycrfsuite
from riata.compat.algorithms import ALGORITHMS, parameters_of
from riata.compat.sklearn_crfsuite import estimator
from riata.errors import DataError, RiataError, SettingError, UnknownNameError, UnsupportedError
from samples import for_rows

TOY = Path(__file__).parents[1] / "importing" / "data" / "toy.crfsuite"


def features(sentence):
    return [
        {
            "word": word,
            "bias": 1.0,
            "length": len(word) / 10,
            "title": word.istitle(),
            "near": {"before": sentence[i - 1][0] if i else "", "tags": [tag]},
            b"suffix": word[-2:].encode(),
        }
        for i, (word, tag, *_) in enumerate(sentence)
    ]


def corpus(part="train"):
    data = riata.load("embedded", part, ("word", "tag", "chunk"))
    return [features(sentence) for sentence in data], data.sentences_of(2)


def trained(tmp_path, algorithm="lbfgs", holdout=-1, **params):
    trainer = pycrfsuite.Trainer(algorithm, params, verbose=False)
    X, y = corpus()
    for i, (items, labels) in enumerate(zip(X[:60], y[:60], strict=True)):
        trainer.append(items, labels, i % 3)
    trainer.train(str(tmp_path / "m.riata"), holdout)
    return trainer


def test_an_imported_model_labels_as_pycrfsuite_does_and_gives_its_probabilities(tmp_path):
    real = pytest.importorskip("pycrfsuite")
    X, y = corpus()
    trainer = real.Trainer("lbfgs", {"c2": 0.1, "max_iterations": 50}, verbose=False)
    for items, labels in zip(X[:200], y[:200], strict=True):
        trainer.append(items, labels)
    trainer.train(str(tmp_path / "m.crfsuite"))
    theirs, ours = real.Tagger(), pycrfsuite.Tagger()
    theirs.open(str(tmp_path / "m.crfsuite"))
    ours.open(tmp_path / "m.crfsuite")
    assert ours.labels() == theirs.labels()
    rng, tokens = random.Random(1), 0
    for items in corpus("test")[0]:
        assert ours.tag(items) == theirs.tag(items)
        guess = [rng.choice(ours.labels()) for _ in items]
        for labels in (guess, theirs.tag()):
            assert ours.probability(labels) == pytest.approx(theirs.probability(labels), abs=1e-5)
        for position in range(len(items)):
            for label in ours.labels():
                assert ours.marginal(label, position) == pytest.approx(theirs.marginal(label, position), abs=1e-5)
        tokens += len(items)
    assert tokens > 1000
    of_both = [tagger.info() for tagger in (theirs, ours)]
    assert of_both[0].transitions.keys() == of_both[1].transitions.keys()
    assert of_both[1].state_features == pytest.approx(
        {k: w for k, w in of_both[0].state_features.items() if w}, abs=1e-5
    )


def test_items_may_be_what_python_crfsuite_takes():
    item = {"a": 1, "b": True, "c": "x", "d": {"e": ["f", b"g"]}, b"h": b"i"}
    read = {"a": 1.0, "b": 1.0, "c:x": 1.0, "d:e:f": 1.0, "d:e:g": 1.0, "h:i": 1.0}
    sequence = pycrfsuite.ItemSequence([item, ["n", b"m"], ("n",), {"k": 0.5}.keys(), {"s"}, []])
    assert sequence.items() == [read, {"n": 1.0, "m": 1.0}, {"n": 1.0}, {"k": 1.0}, {"s": 1.0}, {}]
    assert (len(sequence), repr(sequence)) == (6, "<ItemSequence of size 6>")
    for bad in ("text", ["text"]):
        refused(DataError, "the text", pycrfsuite.ItemSequence, bad)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_trains_and_its_file_is_read(algorithm, tmp_path):
    trained(tmp_path, algorithm, max_iterations=10)
    X, y = corpus()
    with pycrfsuite.Tagger().open(str(tmp_path / "m.riata")) as tagger:
        right = sum(
            a == b for items, gold in zip(X, y, strict=True) for a, b in zip(tagger.tag(items), gold, strict=True)
        )
        assert right > 0.8 * sum(map(len, y))
        assert tagger.tag(pycrfsuite.ItemSequence(X[0])) == tagger.tag(X[0])
        assert tagger.tag([]) == []
    again = pycrfsuite.Tagger()
    again.open_inmemory((tmp_path / "m.riata").read_bytes())
    assert sorted(again.labels()) == sorted({label for labels in y[:60] for label in labels})


def test_parameters_become_settings():
    made, idle = parameters_of(
        "lbfgs", {"c1": 0.1, "feature.possible_transitions": True, "feature.minfreq": 1.5, "period": 3}
    )
    assert made["recipe"] == "crf"
    assert made["cutoff"] == 2
    assert made["settings"] == {
        "c1": 0.1,
        "c2": 1.0,
        "memory": 6,
        "gradient_tolerance": 1e-5,
        "gain_steps": 3,
        "gain_tolerance": 1e-5,
        "pairs": "transitions",
    }  # fmt: skip
    assert idle == []
    assert parameters_of("lbfgs", {"linesearch": "Backtracking"})[1] == ["linesearch"]
    assert parameters_of("l2sgd", {})[0]["settings"] == {"c2": 1.0, "pairs": "seen", "optimiser": "sgd"}
    assert parameters_of("pa", {"c": 0.5, "error_sensitive": False})[0]["settings"] == {
        "C": 0.5,
        "average": True,
        "loss": "zero-one",
    }  # fmt: skip
    assert parameters_of("ap", {})[0] == {"recipe": "perceptron", "settings": {}, "epochs": 100, "cutoff": 1}


def test_defaults_are_those_of_python_crfsuite():
    real = pytest.importorskip("pycrfsuite")
    for algorithm in ALGORITHMS:
        ours, theirs = (module.Trainer(algorithm, verbose=False) for module in (pycrfsuite, real))
        assert ours.get_params() == theirs.get_params()
        assert ours.params() == theirs.params()
        assert all(ours.help(name) for name in ours.params())


def test_what_cannot_be_mapped_is_refused_with_a_remedy(tmp_path):
    refused(UnsupportedError, "pa", pycrfsuite.Trainer, "arow")
    refused(UnknownNameError, "'lbfgs'", pycrfsuite.Trainer, "lbgfs")
    trainer = pycrfsuite.Trainer("l2sgd", verbose=False)
    refused(UnknownNameError, "c1", trainer.set, "c1", 1)
    refused(SettingError, "c2", trainer.set, "c2", "much")
    refused(UnsupportedError, "both", trained, tmp_path, **{"feature.possible_states": 1})
    refused(UnsupportedError, "type=1", trained, tmp_path, "pa", type=2)
    with pytest.warns(RiataWarning, match=r"no effect.*calibration\.eta"):
        trained(tmp_path, "l2sgd", **{"calibration.eta": 0.5, "max_iterations": 1})
    refused(DataError, "1 and 2", trainer.append, [["a"]], ["X", "Y"])


def test_messages_are_crfsuites_and_a_group_is_held_out(tmp_path, capsys):
    class Listening(pycrfsuite.Trainer):
        def __init__(self):  # which does not call that of the base class
            self.lines, self.iterations = [], []

        def message(self, message):
            self.lines.append(message)

        def on_iteration(self, log, info):
            self.iterations.append(info["num"])

    trainer, (X, y) = Listening(), corpus()
    trainer.set("max_iterations", 3)
    for i in range(30):
        trainer.append(X[i], y[i], i % 3)
    trainer.train("", holdout=2)
    assert "type: CRF1d\n" in trainer.lines
    assert "***** Iteration #3 *****\n" in trainer.lines
    assert trainer.iterations == [1, 2, 3]
    last = trainer.logparser.last_iteration
    assert last["num"] == 3
    assert 0.5 < last["item_accuracy_float"] <= 1
    assert last["scores"]["B-NP"].ref == sum(labels.count("B-NP") for labels in y[2:30:3])
    assert pickle.loads(pickle.dumps(trainer.logparser)).iterations == trainer.logparser.iterations
    trainer.clear()
    assert not capsys.readouterr().out
    pycrfsuite.BaseTrainer("ap", {"max_iterations": 1}).message("line\n")
    assert capsys.readouterr().out == "line\n"


def test_a_dump_is_read_back(tmp_path, capsys):
    trained(tmp_path, c2=0.1, max_iterations=20)
    with pycrfsuite.Tagger().open(tmp_path / "m.riata") as tagger:
        tagger.dump(tmp_path / "dump.txt")
        tagger.dump()
        assert capsys.readouterr().out == (tmp_path / "dump.txt").read_text(encoding="utf-8")
        X = corpus()[0][:20]
        labels = [tagger.tag(items) for items in X]
        assert tagger.info().header["num_labels"] == str(len(tagger.labels()))
    assert riata.import_model(tmp_path / "dump.txt", task="tag").predict(X) == labels


def test_taggers_without_a_usable_model_say_so(tmp_path):
    tagger = pycrfsuite.Tagger()
    for ask in (tagger.labels, tagger.info, lambda: tagger.tag([["a"]])):
        for kind in (ValueError, RuntimeError, RiataError):
            refused(kind, "no model", ask)
    refused(OSError, "missing", tagger.open, tmp_path / "missing")
    for content in (b"foo", b"lCRFfoo", b"lCRFfoo" * 100):
        (tmp_path / "bad").write_bytes(content)
        refused(ValueError, "bad", tagger.open, tmp_path / "bad")
    Tagger(epochs=1).fit([["a", "b"]], [["X", "Y"]]).save(tmp_path / "words")
    refused(UnsupportedError, r"words.*reads columns", tagger.open, tmp_path / "words")
    tagger.open(TOY)
    tagger.set([["a"]])
    refused(DataError, "no position 1", tagger.marginal, "B-NP", 1)


@for_rows(
    "items, labels", ([[None]], ["X"]), ([{"a": None}], ["X"]), ([{5: 1}], ["X"]), ([["a"]], [None]), ([["a"]], [5])
)
def test_items_and_labels_of_another_type_are_refused_at_once_as_type_errors(items, labels):
    for kind in (TypeError, DataError):
        refused(kind, r"expected|key", pycrfsuite.Trainer(verbose=False).append, items, labels)


def test_unknown_labels_are_runtime_errors_as_there():
    tagger = pycrfsuite.Tagger()
    tagger.open(TOY)
    tagger.set([["a"]])
    for ask in (lambda: tagger.marginal("ZZ", 0), lambda: tagger.probability(["ZZ"])):
        for kind in (RuntimeError, DataError):
            refused(kind, "'ZZ'", ask)


@pytest.mark.parametrize("module", [pycrfsuite, estimator])
def test_examples_of_docstrings_print_what_they_say(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed
