"""What all formats share: how a model is recognised, what it becomes, and that nothing broken gets through."""

import random
from pathlib import Path

import pytest

import riata
from oracle import crfpp
from riata import registry
from riata.errors import ModelFileError, RiataError, UnknownNameError, UnsupportedError

DATA = Path(__file__).parent / "data"


def model_of(labels):
    """A model of CRF++ with these labels."""
    return crfpp.model_text(labels, ["U00:%x[0,0]", "B"], {"B": 0}, [0.5] * len(labels) ** 2, 1)


def imported(folder, labels, **options):
    (folder / "m.txt").write_text(model_of(labels))
    return riata.import_model(folder / "m.txt", "crf++", **options)


@pytest.mark.parametrize(
    ("labels", "task", "encoding"),
    [
        (["NN", "DT"], "tag", None),
        (["O", "X"], "tag", None),
        (["O"], "tag", None),
        (["B-NP", "I-NP", "O"], "chunk", "iob2"),
        (["I-NP", "O", "B-NP", "I-VP"], "chunk", "iob1"),
        (["B-NP", "I-NP", "E-NP", "S-NP", "O"], "chunk", "bioes"),
        (["B-X", "I-X", "L-X", "U-X", "O"], "chunk", "bilou"),
        (["B-PER", "I-PER", "B-LOC", "O"], "ner", "iob2"),
    ],
)
def test_labels_tell_the_task_and_the_encoding(tmp_path, labels, task, encoding):
    found = imported(tmp_path, labels)
    assert (found.task_name, found.encoding_) == (task, encoding)


def test_the_task_may_be_named(tmp_path):
    labels = ["B-PER", "I-PER", "O"]
    assert imported(tmp_path, labels, task="chunk").task_name == "chunk"
    assert imported(tmp_path, labels, task="tag").encoding_ is None
    assert imported(tmp_path, labels, encoding="iob1").encoding_ == "iob1"


def test_what_makes_no_sense_is_refused(tmp_path):
    for options in ({"task": "chunk"}, {"legal": True}, {"task": "joint"}, {"encoding": "iob2"}):
        with pytest.raises(UnsupportedError):
            imported(tmp_path, ["NN", "DT"], **options)
    with pytest.raises(UnknownNameError, match="Did you mean 'crfsuite'"):
        riata.import_model(DATA / "toy.crfsuite", "crfsuit")


@pytest.mark.parametrize("name", ["toy.txt", "README.md", "nosuch"])
def test_what_is_no_model_is_refused_in_one_message(name, tmp_path, run):
    with pytest.raises(ModelFileError) as caught:
        riata.import_model(DATA / name)
    assert caught.value.file == str(DATA / name)
    code, out, err = run("import", DATA / name, "--model", tmp_path / "m.riata")
    assert (code, out) == (2, "")
    assert err.startswith(f"Error: {DATA / name}: ")
    assert not (tmp_path / "m.riata").exists()


def test_a_format_that_is_named_wrongly_is_refused():
    for name in registry.names("model format"):
        for file in ("toy.crfsuite", "toy.dump", "toy.wapiti"):
            if not registry.get("model format", name).recognises((DATA / file).read_bytes()):
                with pytest.raises(ModelFileError):
                    riata.import_model(DATA / file, name)


def test_the_command_writes_a_model(tmp_path, run):
    target = tmp_path / "m.riata"
    code, out, err = run(
        "import", DATA / "toy.wapiti", "--from", "wapiti", "--task", "ner", "--legal", "--model", target
    )
    assert (code, err) == (0, "")
    assert "EntityRecognizer of 5 labels that reads columns 0, 1" in out
    expected = riata.import_model(DATA / "toy.wapiti", legal=True)
    corpus = riata.read_columns(DATA / "toy.txt")
    assert riata.load_model(target).predict(corpus) == expected.predict(corpus)
    code, out, _ = run("import", DATA / "toy.dump", "--model", target)
    assert code == 0
    assert "dictionaries of features" in out
    assert run("inspect", target)[0] == 0


def contents():
    texts = {name: (DATA / name).read_bytes() for name in ("toy.crfsuite", "toy.dump", "toy.wapiti")}
    return {**texts, "crfpp.txt": model_of(["B-NP", "I-NP", "O"]).encode()}


@pytest.mark.parametrize("name", contents())
def test_whatever_is_broken_is_refused_or_read(name, tmp_path):
    """Cut anywhere, or with bytes changed: an error of Riata with the file's name, or a model that predicts."""
    rng, content, refused = random.Random(name), contents()[name], 0
    path = tmp_path / "m"
    for round_ in range(150):
        broken = bytearray(content[: rng.randrange(len(content.rstrip()))] if round_ % 2 else content)
        for _ in range(rng.randrange(1, 4) if round_ % 2 == 0 else 0):
            broken[rng.randrange(len(broken))] = rng.choice(b"\0\n 0:=\xff9-")
        path.write_bytes(broken)
        try:
            riata.import_model(path).model_.to_parts()
        except RiataError as error:
            refused += 1
            assert error.file == str(path)
        else:
            assert round_ % 2 == 0, "a model that was cut off is not whole"
    assert refused >= 75
