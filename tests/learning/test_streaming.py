"""Training from a file in parts: the same model as in memory wherever the order is the same, and nothing read twice that cannot be."""

import gzip
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from packed_weights import weights_of
from riata import Chunker, Tagger, errors
from riata.data.columns import resized
from riata.data.files import ColumnFile
from riata.entry import main
from riata.estimators.model_file import to_bytes
from riata.features.templates import parse
from riata.learning.events import Epoch, Note, Progressed, Started
from riata.learning.fit import Fit
from samples import CHUNKS, TAGS, WORDS, as_text, embedded, for_rows

pytestmark = pytest.mark.filterwarnings("default::riata.RiataWarning")  # commands show them

SMALL = 3000  # bytes: a few parts
SENTENCES = 70
IN_ORDER = {"shuffle": False}
FEW = parse("word[0]\ntag[0]\ntag[-1] tag[0]\nedge\nedge tag[0]")
EARLIER = parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]\nlabel[-1] word[0]")


@pytest.fixture
def path(tmp_path):
    (tmp_path / "train.txt").write_text(as_text(embedded()[:SENTENCES]))  # marks no documents
    return tmp_path / "train.txt"


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr("riata.data.files.PART", SMALL)


def both(path, estimator=Chunker, **params):
    """Trained in memory, and from the file in parts."""
    params = {"calibrated": False, **params}
    held = estimator(**params).fit(riata.read_columns(path))
    return held, estimator(stream=True, **params).fit(path)


def messages(estimator, data):
    told = []
    estimator.fit(data, listener=told.append)
    return told


def test_true_outputs_that_break_constraints_are_counted_over_all_parts(path, small):
    held, streamed = (
        [
            str(event.text)
            for event in messages(Chunker(epochs=1, constraints=["at_most(2, 'NP')"], stream=stream), data)
            if hasattr(event, "text")
        ]
        for stream, data in ((False, riata.read_columns(path)), (True, path))
    )
    said = [text for text in held if "true outputs break constraints" in text]
    assert said
    assert said[0] in streamed


# --- the same model --------------------------------------------------------------------------------------------------
@for_rows(
    "params",
    {},
    {"bits": 16},
    {"dev": 0.2, "patience": 1, "seed": 3},
    {"dev": 0.2, "refit": True, "bits": 14},
    {"dev": embedded(split="test")[:30]},
    {"class_weight": "balanced"},
    {"dev": 0.2, "constraints": ["at_most(2, 'NP')"]},
    {"recipe": "mira", "seeds": 2},
    {"recipe": "early", "beam": 3, "template": EARLIER},
    {"recipe": "laso-perceptron", "bits": 16, "template": EARLIER},
    ids=str,
)
def test_a_part_that_holds_everything_gives_the_same_bytes(path, params):
    held, streamed = both(path, epochs=2, **params)
    assert to_bytes(streamed) == to_bytes(held)
    assert streamed.facts_ == held.facts_
    drop = {"seconds"}
    assert [{k: v for k, v in e.items() if k not in drop} for e in streamed.history_] == [
        {k: v for k, v in e.items() if k not in drop} for e in held.history_
    ]


@pytest.mark.parametrize(
    "params",
    [{}, {"dev": 0.3}, {"dev": 0.3, "refit": True}, {"recipe": "mira"}, {"recipe": "early", "structure": "chain"}],
    ids=str,
)
def test_in_the_order_of_the_file_parts_make_no_difference(path, small, params):
    """Hashed: byte for byte. With dictionaries, n-grams have other numbers, and the same weights."""
    held, streamed = both(path, epochs=2, bits=16, settings=IN_ORDER, **params)
    assert sum(1 for _ in ColumnFile(path).parts()) > 4
    assert to_bytes(streamed) == to_bytes(held)
    held, streamed = both(path, epochs=2, template=FEW, settings={**IN_ORDER, "precision": "double"}, **params)
    weights, expected = weights_of(streamed.model_), weights_of(held.model_)
    assert max(abs(weights.get(key, 0.0) - expected.get(key, 0.0)) for key in {*weights, *expected}) < 1e-6
    assert streamed.best_score_ == held.best_score_


def test_sentences_are_shuffled_within_parts(path, small):
    contents = [to_bytes(Chunker(bits=14, epochs=1, seed=s, stream=True).fit(path)) for s in (0, 0, 1)]
    in_order = to_bytes(Chunker(bits=14, epochs=1, stream=True, settings=IN_ORDER).fit(path))
    assert contents[0] == contents[1] != contents[2] != in_order


def test_gzip_has_the_parts_of_the_plain_file(path, small):
    packed = path.with_name("train.txt.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    plain, unpacked = (Chunker(epochs=1, template=FEW, stream=True).fit(p) for p in (path, packed))
    assert weights_of(unpacked.model_) == weights_of(plain.model_)


@given(st.lists(st.binary(max_size=20)), st.integers(1, 9))
def test_pieces_are_resized(pieces, size):
    found = list(resized(iter(pieces), size))
    assert b"".join(found) == b"".join(pieces)
    assert [len(piece) for piece in found[:-1]] == [size] * (len(found) - 1)
    assert all(found)


def test_parts_hold_every_sentence_once_with_its_lines(path, small):
    whole, parts = riata.read_columns(path), list(ColumnFile(path).parts())
    assert [s for part in parts for s in part] == list(whole)
    assert [line for part in parts for line in part.lines] == whole.lines.tolist()


def test_columns_have_the_roles_that_they_are_given(path, tmp_path):
    made = Tagger(epochs=1, stream=True, calibrated=False).fit(ColumnFile(path, inputs=[0], output=1))
    held = Tagger(epochs=1, calibrated=False).fit(riata.read_columns(path).select([0, 1]))
    assert to_bytes(made) == to_bytes(held)
    rows = "".join(
        f"{i}\t{w}\t_\t_\t{t}\t_\t_\t_\t_\t_\n" for i, (w, t) in enumerate(zip(WORDS[0], TAGS[0], strict=True), 1)
    )
    (tmp_path / "a.conllu").write_text(f"# one\n{rows}\n", encoding="utf-8")
    assert Tagger(epochs=1, stream=True).fit(tmp_path / "a.conllu").inputs_ == (1,)


def test_training_goes_on_from_a_model(path):
    first = Chunker(epochs=1, calibrated=False).fit(riata.read_columns(path))
    streamed = Chunker(epochs=1, calibrated=False).fit(riata.read_columns(path))
    for estimator, data in ((first, riata.read_columns(path)), (streamed.set_params(stream=True), path)):
        estimator.set_params(warm_start=True).fit(data)
    assert to_bytes(streamed) == to_bytes(first)


def test_the_development_data_are_learnt_last_when_all_are(path, small):
    dev = embedded(split="test")[:20]
    made = Chunker(bits=14, dev=dev, refit=True, epochs=2, stream=True, settings=IN_ORDER).fit(path)
    everything = riata.data.memory.joined(riata.read_columns(path), dev)
    expected = Chunker(bits=14, epochs=made.best_epoch_, settings=IN_ORDER).fit(everything)
    assert made.classes_ == expected.classes_
    assert made.predict(dev) == expected.predict(dev)
    assert made.model_.to_parts()[1]["table/rows/values"].tolist() == pytest.approx(
        expected.model_.to_parts()[1]["table/rows/values"].tolist()
    )


# --- what is told ----------------------------------------------------------------------------------------------------
def test_progress_counts_the_sentences_of_the_file(path, small):
    told = messages(Chunker(epochs=2, dev=0.1, stream=True), path)
    notes = [event.text for event in told if isinstance(event, Note)]
    assert (
        f"{path}: 70 sentences, {riata.read_columns(path).tokens:,} tokens; every epoch reads them in parts." in notes
    )
    assert "The last 7 of 70 sentences are held out to choose the epoch." in notes
    assert [(e.epoch, e.epochs, e.sentences, e.tokens) for e in told if isinstance(e, Started)] == [
        (1, 2, 63, None),
        (2, 2, 63, None),
    ]
    epochs = [e for e in told if isinstance(e, Epoch)]
    assert [(e.sentences, e.tokens) for e in epochs] == [(63, riata.read_columns(path)[:63].tokens)] * 2
    second = told[next(i for i, e in enumerate(told) if isinstance(e, Started) and e.epoch == 2) :]
    done = [e.sentences for e in second if isinstance(e, Progressed)]
    assert done == sorted(done)
    assert done[0] == 0
    assert 40 < done[-1] <= 63


@pytest.mark.parametrize("part", [60, 1 << 20])
def test_illegal_tags_are_read_and_told_as_in_memory(tmp_path, monkeypatch, part):
    """The encoding is found over all parts, and the labels are those after the repair."""
    monkeypatch.setattr("riata.data.files.PART", part)
    illegal = [[("a", "B-X"), ("b", "I-Y")], [("c", "I-Z")]]
    path = tmp_path / "t.txt"
    path.write_text(as_text([[(w, c) for w, _, c in s] for s in CHUNKS] + illegal), encoding="utf-8")
    settings = {"epochs": 2, "settings": IN_ORDER, "bits": 12}
    told = [messages(Chunker(stream=s, **settings), path if s else riata.read_columns(path)) for s in (True, False)]
    illegal_notes = [[e.text for e in events if isinstance(e, Note) and "Illegal" in e.text] for events in told]
    assert illegal_notes[0] == illegal_notes[1] != []
    held, streamed = both(path, **settings)
    assert to_bytes(streamed) == to_bytes(held)
    caught = refused(errors.LabelError, "'I-Y' follows 'B-X'", Chunker(stream=True, strict=True).fit, path)
    assert f"{path}:{len(path.read_text().splitlines()) - 3}: " in str(caught)


def test_ctrl_c_keeps_the_last_epoch(path):
    def interrupt(event):
        if isinstance(event, Started) and event.epoch == 2:
            raise KeyboardInterrupt

    estimator = Chunker(epochs=3, stream=True)
    refused(KeyboardInterrupt, "", estimator.fit, path, listener=interrupt)
    one = Chunker(epochs=1).fit(riata.read_columns(path))
    assert estimator.best_epoch_ == 1
    assert weights_of(estimator.model_) == weights_of(one.model_)


# --- what is refused -------------------------------------------------------------------------------------------------
def refuses(error, match, data, remedy, *, y=None, sample_weight=None, **params):
    caught = refused(error, match, Tagger(stream=True, **params).fit, data, y, sample_weight=sample_weight)
    assert remedy in caught.remedy


def test_what_is_in_memory_needs_no_stream(path):
    refuses(errors.DataError, "needs a file, found list", WORDS, "Give the path", y=None)
    refuses(errors.DataError, "needs a file, found Corpus", embedded(), "leave out stream")
    refuses(errors.UnsupportedError, "cannot take y", path, "Leave out y", y=TAGS)
    refuses(errors.UnsupportedError, "cannot take sample_weight", path, "Leave out", sample_weight=[1.0])
    refused(errors.SettingError, "stream is 'yes'; expected True or False", Tagger(stream="yes").fit, path)
    with pytest.raises(errors.UnsupportedError, match="partial_fit takes sentences from memory"):
        Tagger(stream=True).partial_fit(WORDS, TAGS)


def test_what_can_be_read_once_is_refused(tmp_path):
    refuses(
        errors.DataError, "<standard input>: stream=True reads the data once per epoch", "-", "Write the data to a file"
    )
    os.mkfifo(tmp_path / "pipe")
    refuses(errors.DataError, "cannot be read twice", tmp_path / "pipe", "leave out stream")


def test_counts_of_all_data_are_refused(path):
    refuses(errors.UnsupportedError, "cutoff is 2", path, "Leave out cutoff", cutoff=2)
    refuses(errors.UnsupportedError, "shards is 2", path, "Leave out shards", shards=2)
    refuses(
        errors.UnsupportedError, "frequency needs counts", path, "frequency", template=parse("word[0]\nfrequency[0]")
    )


@pytest.mark.parametrize("epoch", [1, 2])
def test_a_file_that_changes_while_it_is_read(path, epoch):
    def change(event):
        if isinstance(event, Started) and event.epoch == epoch:
            riata.write_columns(embedded()[:50], path)

    with pytest.raises(
        errors.DataError, match=r"train.txt: the file has changed .* 70 sentences, and now there are 50"
    ):
        Chunker(stream=True).fit(path, listener=change)


GOOD = as_text(CHUNKS * 50)
BAD = {
    "ragged in the middle": (GOOD.encode() + b"a b\n\n" + GOOD.encode(), [":1001: expected 3 columns", "found 2"]),
    "not UTF-8": (GOOD.encode() + b"\xff X B-NP\n", [":1001: ", "not valid UTF-8"]),
    "plain tags": (GOOD.encode() + b"a b NOUN\n", [":1001: label 'NOUN' is no chunk label"]),
    "empty": (b"\n\n", ["holds no tokens"]),
    "gzip cut short": (gzip.compress(os.urandom(100) + GOOD.encode())[:-300], ["gzip file is damaged or cut short"]),
    "one column": (b"a\nb\n", ["one column"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_told_with_their_place_and_no_model_is_overwritten(tmp_path, capsys, monkeypatch, case):
    monkeypatch.setattr("riata.data.files.PART", 1000)
    content, says = BAD[case]
    path, model = tmp_path / "bad.txt", tmp_path / "m.riata"
    path.write_bytes(content)
    Tagger(epochs=1).fit(WORDS, TAGS).save(model)
    before = model.read_bytes()
    stopped = refused(SystemExit, "", main, ["train", "chunk", "--train", str(path), "--model", str(model), "--stream"])
    err = capsys.readouterr().err
    assert stopped.code == 2
    assert err.count("Error: ") == 1
    assert all(text in " ".join(err.split()) for text in [path.name, *says]), err
    assert model.read_bytes() == before


def test_the_command_line_streams(path, tmp_path, capsys):
    for name, options in (("a", ["--stream"]), ("b", [])):
        arguments = [
            "train",
            "tag",
            "--train",
            path,
            "--inputs",
            "0",
            "--outputs",
            "1",
            "--epochs",
            "1",
            "--bits",
            "15",
            "--no-calibrate",
        ]
        with pytest.raises(SystemExit) as stopped:
            main([*map(str, arguments), "--model", str(tmp_path / name), *options, "--json"])
        assert stopped.value.code == 0
        assert f'"tokens": {riata.read_columns(path).tokens}' in capsys.readouterr().out
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with pytest.raises(SystemExit) as stopped:
        main(["train", "tag", "--train", "-", "--model", str(tmp_path / "c"), "--stream"])
    assert stopped.value.code == 2
    assert "cannot be read twice" in capsys.readouterr().err


def test_a_training_makes_its_structure_once(path, small, monkeypatch):
    made, structure = [], Fit.structure
    monkeypatch.setattr(Fit, "structure", lambda fit, labels: made.append(labels) or structure(fit, labels))
    Chunker("perceptron", stream=True, template=FEW, epochs=3).fit(path)
    assert len(made) == 1
