"""A token of 1 MB and a sentence of 100,000 tokens through every command: seconds, not minutes, and no message of a megabyte."""

import errno
import resource
import subprocess
import sys
import threading
import time

import pytest

from checks import refused
from riata import Chunker
from riata.commands import main
from riata.errors import DataError, is_shortage
from samples import CHUNKS, as_text, for_rows

pytestmark = pytest.mark.filterwarnings("default::riata.RiataWarning")  # commands show them

TOKEN = "aB1-é東." * 125_000  # a shape that no run shortens
LONG = [CHUNKS[0][i % 3] for i in range(100_000)]
LABEL = "B-" + "x" * 1_000_000
MOST_SECONDS = 20  # of the CPU; anything quadratic takes hours


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def soon():
    began = time.process_time()
    yield
    assert time.process_time() - began < MOST_SECONDS


def run(capsys, *command):
    stopped = refused(SystemExit, "", main, list(command))
    out, err = capsys.readouterr()
    assert stopped.code in (0, None), err
    assert len(err) < 10_000
    return out


@pytest.mark.parametrize("search", [(), ("--recipe", "laso-perceptron", "--beam", "3")], ids=["exact", "beam"])
@pytest.mark.parametrize("sentence", [[(TOKEN, "NN", "B-NP"), *CHUNKS[0]], LONG], ids=["1 MB token", "long sentence"])
def test_large_input_goes_through_every_command(folder, capsys, sentence, search):
    (folder / "data.txt").write_text(as_text([*CHUNKS, sentence]))
    (folder / "input.txt").write_text(as_text([[token[:2] for token in sentence]]))
    run(capsys, "train", "chunk", "--train", "data.txt", "--model", "m.riata", "--epochs", "2", *search)
    told = [line.split(" ") for line in run(capsys, "predict", "--model", "m.riata", "input.txt").splitlines()]
    assert [row[0] for row in told[:-1]] == [token[0] for token in sentence]
    assert {row[2] for row in told[:-1]} <= {"B-NP", "I-NP", "B-VP", "I-VP", "B-PP", "I-PP", "O"}
    assert len(run(capsys, "evaluate", "--model", "m.riata", "data.txt")) < 10_000
    assert len(run(capsys, "inspect", "m.riata")) < 100_000
    if not search:
        ranked = run(capsys, "predict", "--model", "m.riata", "--nbest", "2", "input.txt")
        assert ranked.count("# ") == 2


def test_a_label_of_a_megabyte_is_told_in_short(folder, capsys):
    (folder / "data.txt").write_text(as_text([*CHUNKS, [("a", "DT", LABEL)]]))
    run(capsys, "train", "chunk", "--train", "data.txt", "--model", "m.riata", "--epochs", "1")


@for_rows(
    "text, says",
    (f"The DT B-NP\n{TOKEN}\n", "data.txt:2: expected 3 columns"),
    (f"The DT B-NP\ndog NN {TOKEN}\n", "data.txt:2: label 'aB1-é東."),
    ("x" * (17 << 20) + " NN B-NP\n", "data.txt:1: a line is longer than 16 MiB"),
)
def test_an_error_shows_a_megabyte_in_short(folder, capsys, text, says):
    (folder / "data.txt").write_text(text)
    stopped = refused(SystemExit, "", main, ["train", "chunk", "--train", "data.txt", "--model", "m.riata"])
    err = capsys.readouterr().err
    assert stopped.code == 2
    assert says in err
    assert len(err) < 1000


# --- with little memory there is one message with a remedy -----------------------------------------------------------
MEGABYTES = [*range(60, 220, 20)]


@pytest.mark.parametrize("megabytes", MEGABYTES)
def test_a_process_with_little_memory_ends_with_one_message(tmp_path, megabytes):
    (tmp_path / "data.txt").write_text(as_text())

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    command = [
        sys.executable,
        "-m",
        "riata",
        "train",
        "chunk",
        "--train",
        "data.txt",
        "--model",
        "m.riata",
        "--threads",
        "2",
    ]
    done = subprocess.run(command, cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True, timeout=120)
    if "OpenBLAS error" in done.stderr or "thread-local data" in done.stderr:
        pytest.skip("a library ended the process itself")
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert "Interrupted" not in done.stderr
    assert done.returncode == 0 or "Error: " in done.stderr
    assert done.returncode == 0 or not (tmp_path / "m.riata").exists()


@for_rows(
    "error, expected",
    (MemoryError(), True),
    (RuntimeError("can't start new thread"), True),
    (ImportError("libx.so: failed to map segment from shared object"), True),
    (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
    (RuntimeError("anything else"), False),
    (KeyError("can't start new thread"), False),
    (None, False),
)
def test_what_is_a_shortage(error, expected):
    assert is_shortage(error) is expected
    caused = ValueError("Importing failed.")
    caused.__cause__ = error
    assert is_shortage(caused) is expected


def test_no_thread_to_be_had_is_a_shortage_and_no_traceback(tmp_path, monkeypatch, capsys):
    (tmp_path / "data.txt").write_text(as_text())

    def never(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", never)
    with pytest.raises(SystemExit) as ended:
        main(
            [
                "train",
                "chunk",
                "--train",
                str(tmp_path / "data.txt"),
                "--model",
                str(tmp_path / "m.riata"),
                "--seeds",
                "2",
                "--threads",
                "2",
            ]
        )
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "out of memory" in said
    assert "Traceback" not in said


def test_training_without_threads_names_the_remedy(monkeypatch):
    def never(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", never)
    raised = refused(DataError, "out of memory", Chunker("perceptron", seeds=2, threads=2).fit, CHUNKS)
    assert "less data" in raised.remedy
