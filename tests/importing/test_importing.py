"""What all formats share: how a model is recognised, what it becomes, and that nothing broken gets through."""

import pickle
import random
import shutil
import subprocess
from pathlib import Path

import pytest

import riata
from checks import refused
from oracle import crfpp
from riata import Chunker, registry
from riata.errors import ModelFileError, RiataError, UnknownNameError, UnsupportedError
from samples import for_rows

DATA = Path(__file__).parent / "data"


def model_of(labels):
    """A model of CRF++ with these labels."""
    return crfpp.model_text(labels, ["U00:%x[0,0]", "B"], {"B": 0}, [0.5] * len(labels) ** 2, 1)


def imported(folder, labels, **options):
    (folder / "m.txt").write_text(model_of(labels))
    return riata.import_model(folder / "m.txt", "crf++", **options)


@for_rows(
    "labels, task, encoding",
    (["NN", "DT"], "tag", None),
    (["O", "X"], "tag", None),
    (["O"], "tag", None),
    (["B-NP", "I-NP", "O"], "chunk", "iob2"),
    (["I-NP", "O", "B-NP", "I-VP"], "chunk", "iob1"),
    (["B-NP", "I-NP", "E-NP", "S-NP", "O"], "chunk", "bioes"),
    (["B-X", "I-X", "L-X", "U-X", "O"], "chunk", "bilou"),
    (["B-PER", "I-PER", "B-LOC", "O"], "ner", "iob2"),
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
        refused(UnsupportedError, "", imported, tmp_path, ["NN", "DT"], **options)
    refused(UnknownNameError, "Did you mean 'crfsuite'", riata.import_model, DATA / "toy.crfsuite", "crfsuit")


@pytest.mark.parametrize("name", ["toy.txt", "README.md", "nosuch"])
def test_what_is_no_model_is_refused_in_one_message(name, tmp_path, run):
    assert refused(ModelFileError, "", riata.import_model, DATA / name).file == str(DATA / name)
    err = run.refused("import", DATA / name, "--model", tmp_path / "m.riata")
    assert err.startswith(f"Error: {DATA / name}: ")
    assert not (tmp_path / "m.riata").exists()


def test_a_format_that_is_named_wrongly_is_refused():
    for name in registry.names("model format"):
        for file in ("toy.crfsuite", "toy.dump", "toy.wapiti"):
            if not registry.get("model format", name).recognises((DATA / file).read_bytes()):
                refused(ModelFileError, "", riata.import_model, DATA / file, name)


def test_the_command_writes_a_model(tmp_path, run):
    target = tmp_path / "m.riata"
    out = run.silent("import", DATA / "toy.wapiti", "--from", "wapiti", "--task", "ner", "--legal", "--model", target)
    assert "EntityRecognizer of 5 labels that reads columns 0, 1" in out
    expected = riata.import_model(DATA / "toy.wapiti", legal=True)
    corpus = riata.read_columns(DATA / "toy.txt")
    assert riata.load_model(target).predict(corpus) == expected.predict(corpus)
    out = run.ok("import", DATA / "toy.dump", "--model", target)
    assert "dictionaries of features" in out
    assert run("inspect", target)[0] == 0


def contents():
    texts = {name: (DATA / name).read_bytes() for name in ("toy.crfsuite", "toy.dump", "toy.wapiti")}
    return {**texts, "crfpp.txt": model_of(["B-NP", "I-NP", "O"]).encode()}


@pytest.mark.parametrize("name", contents())
def test_whatever_is_broken_is_refused_or_read(name, tmp_path):
    """Cut anywhere, or with bytes changed: an error of Riata with the file's name, or a model that predicts."""
    rng, content, bad = random.Random(name), contents()[name], 0
    path = tmp_path / "m"
    for round_ in range(150):
        broken = bytearray(content[: rng.randrange(len(content.rstrip()))] if round_ % 2 else content)
        for _ in range(rng.randrange(1, 4) if round_ % 2 == 0 else 0):
            broken[rng.randrange(len(broken))] = rng.choice(b"\0\n 0:=\xff9-")
        path.write_bytes(broken)
        try:
            riata.import_model(path).model_.to_parts()
        except RiataError as error:
            bad += 1
            assert error.file == str(path)
        else:
            assert round_ % 2 == 0, "a model that was cut off is not whole"
    assert bad >= 75


# --- models of Wapiti label as Wapiti does ---------------------------------------------------------------------------
PATTERNS = """u:w0:%x[0,0]
u:w:%X[-1,0]/%x[0,0]
u:w1:%x[1,0]
u:t:%x[-2,1]/%x[-1,1]/%x[0,1]
u:t:%x[0,1]/%x[1,1]/%x[2,1]
*
b:t:%x[0,1]
u:suffix:%m[0,0,".?.?.?$"]
u:prefix:%M[0,0,"^.?.?.?"]
u:shape:%t[-1,0,"^\\u"]/%t[0,0,"^\\u"]/%m[1,0,"\\d*\\p"]
"""


def labelled_by_wapiti(column):
    corpus = riata.read_columns(DATA / "toy.txt")
    return corpus, corpus.sentences_of(column)


def test_the_labels_are_those_of_wapiti():
    corpus, expected = labelled_by_wapiti(2)
    found = riata.import_model(DATA / "toy.wapiti")
    assert isinstance(found, Chunker)
    assert found.predict(corpus) == expected
    assert found.evaluate(corpus.select([0, 1, 2])).report.f1 == 100


def test_a_model_with_regular_expressions_is_kept_whole(tmp_path, run):
    corpus, expected = labelled_by_wapiti(2)
    found = riata.import_model(DATA / "toy.wapiti")
    found.save(tmp_path / "m.riata")
    assert riata.load_model(tmp_path / "m.riata").predict(corpus) == expected
    assert pickle.loads(pickle.dumps(found)).predict(corpus) == expected
    out = run.ok("predict", "--model", tmp_path / "m.riata", DATA / "toy.txt")
    assert [line.split()[-1] for line in out.split("\n") if line] == [label for s in expected for label in s]
    assert run("inspect", tmp_path / "m.riata")[0] == 0


def test_patterns_are_templates():
    found = riata.import_model(DATA / "toy.wapiti", "wapiti")
    assert [str(t) for t in found.template] == [
        "word[0]",
        "asciilower[0]",
        "word[-1]",
        "word[1]",
        "tag[-1] tag[0] tag[1]",
        "word[-6]",
        "word[0] tag[0]",
        "bias[0]",
        "edge",
        "edge tag[0]",
        "asciilower[-2]",
        "edge asciilower[-2]",
        "matched__2e_3f_2e_3f_2e_3f_24[0]",
        "matchedlower__5e_2e_3f_2e_3f[-1]",
        "matches__5e_5cu[1]",
        "matches__5cp[-1] matched__5cl_2ae[0]",
        "matches__5fx[-5]",
        "edge matches__5cd[0]",
    ]


def changed(tmp_path, old, new):
    content = (DATA / "toy.wapiti").read_bytes()
    assert old in content
    path = tmp_path / "m.wapiti"
    path.write_bytes(content.replace(old, new, 1))
    return path


@for_rows(
    "old, new, line, says",
    (b"#mdl#2#", b"#mdl#1#", 1, "MEMM"),
    (b"#rdr#17", b"#rdx#17", 2, "expected #rdr#"),
    (b"12:u:w0:%x[0,0],", b'17:u:w0:%t[0,0,"**"],', 3, "regular expression"),
    (b"12:u:w0:%x[0,0],", b"12:u:w0:%t[0,0],", 3, "%t[0,0]"),
    (b"12:u:w0:%x[0,0],", b"13:u:w0:%x[@0,0],", 3, "%x[@0,0]"),
    (b"12:u:w0:%x[0,0],", b"13:u:w0:%x[-9,0],", 3, "too far"),
    (b"12:u:w0:%x[0,0],", b"12:x:w0:%x[0,0],", 3, "u, b or *"),
    (b"12:u:w0:%x[0,0],", b"11:u:w0:%x[0,0],", 3, "LENGTH:TEXT"),
    (b"12:u:w0:%x[0,0],", b"5011:u:w0:%x[" + b"9" * 5000 + b",0],", 3, "cannot express"),
    (b"4:B-NP,", b"4:B-N\xff,", 21, "UTF-8"),
    (b"4:B-NP,", b"4:B-VP,", None, "twice"),
    (b"#qrk#5", b"#qrk#4", None, "#qrk#NUMBER"),
    (b"=0x1.", b"=zz1.", None, "expected a number"),
)  # fmt: skip
def test_a_bad_line_is_named(tmp_path, old, new, line, says):
    path = changed(tmp_path, old, new)
    caught = refused(ModelFileError, "", riata.import_model, path)
    assert says in str(caught)
    assert caught.file == str(path)
    assert caught.line is not None
    assert line in (None, caught.line)


@pytest.mark.parametrize("weight", ["nan", "inf", "0x1p2000"])
def test_a_weight_that_is_no_finite_number_is_refused(tmp_path, weight):
    lines = (DATA / "toy.wapiti").read_bytes().split(b"\n")
    lines[-2] = lines[-2].split(b"=")[0] + b"=" + weight.encode()
    path = tmp_path / "m.wapiti"
    path.write_bytes(b"\n".join(lines))
    assert refused(ModelFileError, "", riata.import_model, path).line == len(lines) - 1


def wapiti():
    """The program, which shares its name with another one."""
    program = shutil.which("wapiti")
    said = subprocess.run([program, "--version"], capture_output=True).stderr if program else b""
    if b"Wapiti v1" not in said:
        pytest.skip("Wapiti, the CRF tool, is not installed")
    return program


def differing(folder, train, test, iterations):
    """Tokens that a model of Wapiti and the same model imported label differently."""
    program = wapiti()
    (folder / "patterns.txt").write_text(PATTERNS)
    for name, corpus in (("train", train), ("test", test)):
        with open(folder / name, "w", encoding="utf-8") as file:
            file.write("".join("".join(" ".join(token) + "\n" for token in s) + "\n" for s in corpus))
    options = ["-t", "1", "-1", "0.1", "-i", str(iterations), "-p", "patterns.txt"]
    subprocess.run([program, "train", *options, "train", "model"], cwd=folder, check=True, capture_output=True)
    said = subprocess.run([program, "label", "-m", "model", "test"], cwd=folder, check=True, capture_output=True).stdout
    theirs = [line.split()[-1] for line in said.decode().split("\n") if line.strip()]
    ours = [label for sentence in riata.import_model(folder / "model").predict(test) for label in sentence]
    assert len(theirs) == len(ours) == test.tokens
    return sum(a != b for a, b in zip(theirs, ours, strict=True))


def test_the_embedded_corpus_gets_the_labels_of_wapiti(tmp_path):
    columns = ("word", "tag", "chunk")
    train, test = (riata.load("embedded", split, columns) for split in ("train", "test"))
    assert differing(tmp_path, train, test, 15) == 0


@pytest.mark.slow
@pytest.mark.corpus
def test_conll2000_gets_the_labels_of_wapiti(tmp_path):
    train, test = (riata.load("conll2000", split) for split in ("train", "test"))
    assert differing(tmp_path, train[:2000], test, 40) == 0


def test_what_wapiti_reads_is_read(tmp_path):
    """Blanks where scanf skips them, signs, decimal weights, blank lines and other ends of lines."""
    corpus, expected = labelled_by_wapiti(2)
    text = (DATA / "toy.wapiti").read_bytes()
    head, weights = text[: text.index(b"\n0=") + 1], text[text.index(b"\n0=") + 1 :]
    decimal = "\n\n".join(
        f"  {place}= {float.fromhex(value):.17e} "
        for place, value in (line.split("=") for line in weights.decode().split())
    )
    head = head.replace(b"12:u:w0:%x[0,0],\n", b"15:u:w0:%x[ +0, 0],\r\n")
    (tmp_path / "m").write_bytes(head + decimal.encode() + b"\n")
    assert riata.import_model(tmp_path / "m").predict(corpus) == expected
