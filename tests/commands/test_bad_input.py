"""Bad input: exit status 2, one message that says where, what and how to go on, and no model file touched."""

import gzip
import os
import resource
import struct
import subprocess
import sys

import pytest

from checks import refused
from riata import Chunker, RiataWarning
from riata.commands import main
from riata.models.container import VERSION
from samples import CHUNKS, as_text

pytestmark = pytest.mark.filterwarnings("default::riata.RiataWarning")  # commands show them

TRAIN = ("train", "chunk", "--train", "data.txt", "--model", "m.riata")
TAG = ("train", "tag", "--train", "data.txt", "--model", "m.riata")
GOOD = as_text().encode()
NUMBERS = b"a 0.5 X\nb 1.5 Y\n\n"
WITH_NUMBERS = ("--template", "t.template")
PREDICT = ("predict", "--model", "m.riata", "data.txt")


def case(name, command, says, data=GOOD, template=None, model=None):
    """What stands in data.txt, t.template and m.riata (None: a good model), the command, and what it must say."""
    return pytest.param(command, says, data, template, model, id=name)


def cut(content):
    return content[:-1000]


def flipped(content):
    return content[:5000] + bytes([content[5000] ^ 4]) + content[5001:]


def newer(content):
    return content[:8] + struct.pack("<I", VERSION + 1) + content[12:]


def not_a_model(content):
    return GOOD


def empty(content):
    return b""


CASES = [
    # The data: ragged, empty, blank, not UTF-8, not there.
    case("ragged columns", TRAIN, ["data.txt:3: expected 3 columns", "as in line 1", "found 2: 'barks VBZ'", "Mend the line"],
         b"The DT B-NP\ndog NN I-NP\nbarks VBZ\n"),
    case("too many columns", TRAIN, ["data.txt:2: expected 3 columns", "found 4"], b"The DT B-NP\ndog NN I-NP x\n"),
    case("ragged tabs", TRAIN, ["data.txt:2: expected 3 columns separated by tabs", "found 1"], b"The\tDT\tB-NP\ndog NN I-NP\n"),
    case("empty column", TRAIN, ["data.txt:1: an empty column", "write _"], b"The\t\tB-NP\n"),
    case("empty file", TRAIN, ["data.txt: the file holds no tokens", "Expected one token per line"], b""),
    case("only blank lines", TRAIN, ["data.txt: the file holds no tokens", "only blank lines", "Expected"], b"\n\n  \n\t\n"),
    case("only the start of a document", TRAIN, ["data.txt: the file holds no tokens (it has a -DOCSTART- line, but no sentence)"],
         b"-DOCSTART- O\n\n"),
    case("only starts of documents", PREDICT, ["data.txt: the input holds no tokens (it has 2 -DOCSTART- lines, but no sentence)"],
         b"-DOCSTART- O\n\n-DOCSTART- O\n"),
    case("invalid UTF-8", TRAIN, ["data.txt:2: byte 2 of the line is 0xF6", "not valid UTF-8", "iconv"],
         "The DT B-NP\nGöre NN I-NP\n".encode("latin-1")),
    case("UTF-16", TRAIN, ["data.txt:1:", "UTF-16", "iconv"], "The DT B-NP\n".encode("utf-16")),
    case("a NUL byte", TRAIN, ["data.txt:1:", "NUL byte"], b"The\0 DT B-NP\n"),
    case("one column", TRAIN, ["data.txt: the file has one column", "expected at least one input column"], b"a\nb\n"),
    case("no such file", ("train", "chunk", "--train", "none.txt", "--model", "m.riata"), ["none.txt: no such file", "Check the path"]),
    case("a directory", ("train", "chunk", "--train", "folder", "--model", "m.riata"), ["folder: this is a directory; expected a file"]),
    case("damaged gzip", TRAIN, ["data.txt: the gzip file is damaged or cut short", "again"], gzip.compress(GOOD * 50)[:60]),
    case("no CoNLL-U", (*TRAIN, "--format", "conllu"),
         ["data.txt:1: expected the 10 tab-separated columns of CoNLL-U", "--format columns"]),
    case("plain tags as chunks", TRAIN, ["data.txt:1: label 'DT' is no chunk label", "B-NP", "Tagger (task `tag`)"], b"The DT\ndog NN\n"),
    case("plain tags to score chunks with", ("evaluate", "--model", "m.riata", "data.txt"),
         ["data.txt:1: label 'DT' is no chunk label", "--outputs"], b"The the DT\ndog dog NN\n"),
    case("lines that end with CR", TRAIN, ["data.txt:1: found a carriage return", "tr '\\r' '\\n'"],
         b"The DT B-NP\rdog NN I-NP\r\rIt PRP B-NP\r"),
    case("lines that end with CR, to predict", PREDICT, ["data.txt:1: found a carriage return"], b"The DT\rdog NN\r"),
    case("lines with two CR", TRAIN, ["data.txt:1: found a carriage return", "tr -d"], b"The DT B-NP\r\r\ndog NN I-NP\r\r\n"),
    # Columns that are not there.
    case("input column out of range", (*TRAIN, "--inputs", "0,7"), ["data.txt: column 7 is out of range", "3 columns, 0 to 2", "--inputs"]),
    case("output column out of range", (*TRAIN, "--outputs", "9"),
         ["data.txt: column 9 is out of range", "3 columns, 0 to 2", "--outputs"]),
    case("far negative column", (*TRAIN, "--outputs", "-9"), ["data.txt: column -", "is out of range"]),
    case("input and output", (*TRAIN, "--inputs", "0,2"), ["column 2 is both input and output", "different columns"]),
    case("columns that are no numbers", (*TRAIN, "--inputs", "0,a"), ["'a' is a name, and this is a file of columns"]),
    case("two outputs", (*TRAIN, "--outputs", "1,2"), ["has one output column; --outputs names 2"]),
    case("column of a template out of range", (*TRAIN, "--template", "t.template"),
         ["t.template:2: ", "reads column 5, but the input has 2 columns (0 to 1)", "--inputs"], template=b"word[0]\nx5[0]\n"),
    case("column of a CRF++ template out of range", (*TRAIN, "--template", "t.template"),
         ["t.template:2: ", "reads column 2, but the input has 2 columns"], template=b"U00:%x[0,0]\nU01:%x[0,2]\n"),
    # Templates.
    case("unknown template syntax", (*TRAIN, "--template", "t.template"),
         ["t.template:2: cannot read 'word[-1'", "expected attribute[offset], such as word[-1]"], template=b"word[0]\nword[-1\n"),
    case("unknown macro of CRF++", (*TRAIN, "--template", "t.template"),
         ["t.template:2: cannot read '%y[0,0]'", "the only macros are %x[row,column] and %X"],
         template=b"U00:%x[0,0]\nU01:%y[0,0]\n"),
    case("unknown attribute", (*TRAIN, "--template", "t.template"),
         ["t.template:1: ", "Unknown attribute 'sufix3'. Did you mean 'suffix3'?"],
         template=b"sufix3[0]\n"),
    case("offset out of range", (*TRAIN, "--template", "t.template"), ["t.template:1: offset 9 is out of range", "from -8 to 8"],
         template=b"word[9]\n"),
    case("empty template", (*TRAIN, "--template", "t.template"), ["t.template: the template holds no line"], template=b"# nothing\n"),
    case("template that is not UTF-8", (*TRAIN, "--template", "t.template"), ["t.template", "not valid UTF-8"], template=b"\xff\n"),
    case("unknown template", (*TRAIN, "--template", "chunks"),
         ["Unknown template 'chunks'. Did you mean 'chunk'?", "path of a template file"]),
    case("template that is a folder", (*TRAIN, "--template", "folder"), ["Unknown template 'folder'"]),
    # Tags.
    case("illegal tag, strict", (*TRAIN, "--strict", "--encoding", "iob2"),
         ["data.txt:2: label 'I-NP' follows 'O', which is illegal in IOB2", "encoding="], b"a DT O\ndog NN I-NP\n"),
    case("illegal first tag, strict", (*TRAIN, "--strict", "--encoding", "iob2"),
         ["data.txt:1: label 'I-NP' stands at the start of a sentence"], b"dog NN I-NP\n"),
    case("illegal tag in the development data, strict", (*TRAIN, "--strict", "--dev", "dev.txt"),
         ["dev.txt:2: label 'I-VP' follows 'B-NP', which is illegal in IOB2"]),
    # Names and settings.
    case("unknown command", ("trian", *TRAIN[1:]), ["Unknown command 'trian'. Did you mean 'train'?"]),
    case("unknown task", ("train", "chnk", *TRAIN[2:]), ["Unknown task 'chnk'. Did you mean 'chunk'?", "riata pieces"]),
    case("unknown option", (*TRAIN, "--epoch", "3"), ["No such option '--epoch'", "--epochs"]),
    case("option of other libraries", (*TRAIN, "--max_iterations", "3"), ["No such option '--max_iterations'. Did you mean '--epochs'?"]),
    case("a column twice", (*TRAIN, "--inputs", "0,0"), ["'0,0' names a column twice"]),
    case("encoding of other libraries", (*TRAIN, "--encoding", "bio"), ["Unknown encoding 'bio'. Did you mean 'iob2'?"]),
    case("unknown recipe", (*TRAIN, "--recipe", "perceptrn"), ["Unknown recipe 'perceptrn'. Did you mean 'perceptron'?", "riata pieces"]),
    case("unknown structure", (*TRAIN, "--structure", "chian"), ["Unknown structure 'chian'. Did you mean 'chain'?"]),
    case("unknown queue", (*TRAIN, "--queue", "exakt"), ["Unknown queue 'exakt'. Did you mean 'exact'?"]),
    case("unknown encoding", (*TRAIN, "--encoding", "iob3"), ["Unknown encoding 'iob3'. Did you mean 'iob"]),
    case("unknown format", (*TRAIN, "--format", "conlu"), ["Unknown format 'conlu'. Did you mean 'conllu'?"]),
    case("unknown setting", (*TRAIN, "--set", "averag=true"), ["Unknown setting 'averag'. Did you mean 'average'?"]),
    case("wrong value of a setting", (*TRAIN, "--set", "average=perhaps"), ["'average' has the value 'perhaps'; expected true or false"]),
    case("no bits", (*TRAIN, "--bits", "0"), ["'bits' has the value 0; expected a whole number from 10 to 30", "22 is a good start"]),
    case("too many bits", (*TRAIN, "--bits", "31"), ["'bits' has the value 31; expected a whole number from 10 to 30"]),
    case("bits that are no number", (*TRAIN, "--bits", "x"), ["'x' is not a valid integer"]),
    case("setting without a value", (*TRAIN, "--set", "average"), ["--set has 'average'; expected key=value"]),
    case("a beam where there is none", (*TRAIN, "--beam", "5"), ["queue 'exact', which has no beam", "Leave the beam out"]),
    case("a beam that is no number", (*TRAIN, "--beam", "wide"), ["--beam is 'wide'; expected a whole number of at least 1, or inf"]),
    case("no epochs", (*TRAIN, "--epochs", "0"), ["'epochs' has the value 0; expected a whole number of at least 1"]),
    case("negative seed", (*TRAIN, "--seed", "-1"), ["'seed' has the value -1"]),
    case("two kinds of development data", (*TRAIN, "--dev", "dev.txt", "--dev-fraction", "0.1"), ["both --dev and --dev-fraction"]),
    case("development data of nothing", (*TRAIN, "--dev-fraction", "1.5"), ["dev is 1.5; expected"]),
    case("development data of other columns", (*TRAIN, "--dev", "narrow.txt"),
         ["narrow.txt: the development data have 2 columns, the training data 3"]),
    case("resume with other templates", (*TRAIN, "--resume", "--template", "chunk"), ["--resume goes on with the templates of the model"]),
    case("resume with another task", (*TAG, "--resume"), ["m.riata holds a model for 'chunk', not 'tag'"]),
    case("resume with other columns", ("train", "chunk", "--train", "narrow.txt", "--model", "m.riata", "--resume"),
         ["narrow.txt: the data have 1 input columns; the model that training goes on from reads 2"]),
    case("resume with other labels", (*TRAIN, "--resume"), ["label 'B-XP' is unknown to the model"], b"a DT B-XP\n"),
    # Lists.
    *[case(f"a list {name}", (*TRAIN, "--list", "city=t.template"), ["t.template:", *says], template=content)
      for name, content, says in [
          ("that is not UTF-8", b"Paris\nN\xeemes\n", ["not valid UTF-8", "Convert the file"]),
          ("in UTF-16", "Paris\nNîmes\n".encode("utf-16"), ["not valid UTF-8"]),
          ("in UTF-16 without a mark", "Paris\nLyon\n".encode("utf-16-le"), ["NUL byte", "iconv"]),
          ("with a NUL byte", b"Paris\nLy\0on\n", ["NUL byte", "UTF-8"]),
      ]],
    # Numbers.
    case("NaN", (*TAG, *WITH_NUMBERS), ["data.txt:2: column 1 holds 'nan'", "expected a finite number", "Mend the value"],
         NUMBERS.replace(b"1.5", b"nan"), b"word[0]\nnumber(1)[0]\n"),
    case("infinite", (*TAG, *WITH_NUMBERS), ["data.txt:2: column 1 holds '-inf'", "expected a finite number"],
         NUMBERS.replace(b"1.5", b"-inf"), b"word[0]\nnumber(1)[0]\n"),
    case("too large for single precision", (*TAG, *WITH_NUMBERS), ["data.txt:2: column 1 holds '1e300'", "expected a finite number"],
         NUMBERS.replace(b"1.5", b"1e300"), b"word[0]\nnumber(1)[0]\n"),
    case("no number", (*TAG, *WITH_NUMBERS), ["data.txt:1: column 1 holds 'half'", "expected a finite number"],
         NUMBERS.replace(b"0.5", b"half"), b"word[0]\nnumber(1)[0]\n"),
    # Models.
    *[case(f"{name} model, {verb[0]}", verb, ["m.riata: ", *says], model=change)
      for verb in (PREDICT, ("evaluate", "--model", "m.riata", "data.txt"), ("inspect", "m.riata"), (*TRAIN, "--resume"))
      for name, change, says in [
          ("truncated", cut, ["the model file is damaged: expected ", " bytes, found ", "train the model again"]),
          ("bit-flipped", flipped, ["the model file is damaged: the checksum does not match", "Copy the file again"]),
          ("newer", newer, [f"version {VERSION + 1} of the model format; this Riata reads up to {VERSION}", "Update Riata"]),
          ("foreign", not_a_model, ["this is not a Riata model", "`riata train` makes models"]),
          ("empty", empty, ["the file is empty; expected a Riata model"]),
      ]],
    case("no such model", ("predict", "--model", "none.riata", "data.txt"), ["none.riata: no such file", "riata train"]),
    case("a folder as model", ("predict", "--model", "folder", "data.txt"), ["folder: cannot be read: Is a directory"]),
    case("a folder as target", (*TRAIN[:-1], "folder"),
         ["folder: the model cannot be written: this is a directory", "Choose another --model"]),
    case("a target without its folder", (*TRAIN[:-1], "no/where.riata"),
         ["no/where.riata: the model cannot be written: its folder does not exist"]),
    case("a device as target", (*TRAIN[:-1], "/dev/null"), ["/dev/null: the model cannot be written: this is no regular file"]),
    *[case(f"{why}, {command[0]}", (*command, target), [f"{shown} cannot be written: {problem}", "nother "])
      for command, shown in [
          (TRAIN[:-1], "the model"),
          (("calibrate", "--model", "m.riata", "data.txt", "--output"), "the model"),
          (("card", "m.riata", "--output"), "the card"),
          (("explain", "--model", "m.riata", "data.txt", "--html"), "the page"),
          (("import", "data.txt", "--model"), "the model"),
          (("compare", "chunk", "--train", "data.txt", "--recipes", "mira", "--markdown"), "the table"),
      ]
      for why, target, problem in [
          ("a folder of the system", "/proc/m.riata", "its folder cannot be written to: No such file"),
          ("a long name", "x" * 300, "its folder cannot be written to: File name too long"),
          ("no folder", "no/where", "its folder does not exist"),
          ("a folder", "folder", "this is a directory"),
      ]],
    # Predicting and scoring.
    case("ragged input to predict", PREDICT, ["data.txt:2: expected 3 columns", "found 1: 'dog'"], b"The DT B-NP\ndog\n"),
    case("nothing to predict", PREDICT, ["data.txt: the input holds no tokens"], b"\n\n"),
    case("too few columns to predict", PREDICT,
         ["data.txt: the model reads column 1, but the data have only 1 column", "0, 1"], b"The\ndog\n"),
    case("nothing to score against", ("evaluate", "--model", "m.riata", "data.txt"),
         ["data.txt: scoring needs the output column"], b"The DT\n"),
    case("other sentences", ("evaluate", "--gold", "data.txt", "--predicted", "dev.txt"),
         ["dev.txt: found 1 sentences, but data.txt has 4"]),
    case("other words", ("evaluate", "--gold", "data.txt", "--predicted", "dev.txt"),
         ["dev.txt:2: the sentences differ from those of data.txt (line 2 there)", "same tokens"], b"a DT B-NP\ncat NN I-VP\n"),
    case("unknown data set", ("data", "path", "embeded"), ["Unknown data set 'embeded'. Did you mean 'embedded'?"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def good_model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.riata"
    with pytest.warns(RiataWarning):
        Chunker(epochs=2).fit(CHUNKS).save(path)
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "dev.txt").write_text("a DT B-NP\ndog NN I-VP\n\n")
    (tmp_path / "narrow.txt").write_text("The B-NP\ndog I-NP\n\n")
    return tmp_path


def everything_in(folder):
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


@pytest.mark.parametrize(("command", "says", "data", "template", "model"), CASES)
def test_bad_input_is_refused_and_nothing_changes(folder, good_model, capsys, command, says, data, template, model):
    (folder / "data.txt").write_bytes(data)
    (folder / "m.riata").write_bytes(model(good_model) if model else good_model)
    if template is not None:
        (folder / "t.template").write_bytes(template)
    before = everything_in(folder)
    stopped = refused(SystemExit, "", main, list(command))
    out, err = capsys.readouterr()
    assert stopped.code == 2
    assert out == "" or command[0] == "predict"  # sentences before the bad line are answered
    for text in says:
        assert text in err
    message = err[err.index("Error: ") :]
    assert err.count("Error: ") == 1
    assert len(message.splitlines()) <= 2, "more than a message and a remedy"
    assert err == message or err.startswith("Usage: ")
    assert "Traceback" not in err
    assert everything_in(folder) == before


def test_bad_input_in_a_process_of_its_own_has_the_same_exit_status(folder, good_model):
    (folder / "data.txt").write_bytes(b"The DT B-NP\ndog\n")
    (folder / "m.riata").write_bytes(good_model)
    done = subprocess.run([sys.executable, "-m", "riata", *TRAIN], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: data.txt:2: expected 3 columns")
    assert (folder / "m.riata").read_bytes() == good_model


@pytest.mark.parametrize("existed", [True, False])
def test_a_full_disk_while_saving_leaves_the_old_model(folder, good_model, existed):
    """RLIMIT_FSIZE makes the kernel refuse the bytes of the model, as a full disk does."""
    (folder / "data.txt").write_bytes(GOOD)
    if existed:
        (folder / "m.riata").write_bytes(good_model)
    before = everything_in(folder)
    done = subprocess.run(
        [sys.executable, "-m", "riata", *TRAIN], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.getrlimit(resource.RLIMIT_FSIZE)[1])),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    *_, message, remedy = done.stderr.splitlines()
    assert message == "Error: m.riata: the model could not be written: File too large."
    assert ("untouched" if existed else "Nothing was written") in remedy
    assert everything_in(folder) == before
