"""How commands end while their input goes on or their reader leaves: a status and one message, on a busy machine too."""

import contextlib
import os
import subprocess
import sys
import time

import pytest

from samples import CHUNKS, as_text

WORDS = as_text(
    [[(word,) for word, _, _ in sentence] for sentence in CHUNKS]
).encode()  # where the model reads tags too
GOOD = as_text([[(word, tag) for word, tag, _ in sentence] for sentence in CHUNKS]).encode()
REFUSED = (
    "Error: <standard input>: the model reads column 1, but the data have only 1 column.\n"
    "  Give the same input columns as in training: 0, 1.\n"
)
RIATA = [sys.executable, "-m", "riata"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ending")
    (folder / "train.txt").write_text(as_text(), encoding="utf-8")
    train = [*RIATA, "train", "chunk", "--train", "train.txt", "--model", "m.riata", "--epochs", "2"]
    subprocess.run(train, cwd=folder, check=True, capture_output=True)
    return folder / "m.riata"


@contextlib.contextmanager
def busy():
    """Twice as many other processes as there are cores, all at work."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


@contextlib.contextmanager
def predicting(model):
    command = [*RIATA, "predict", "--model", str(model), "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_an_error_ends_it_while_its_input_stays_open(model):
    with predicting(model) as process:
        process.stdin.write(WORDS * 100)
        began = time.monotonic()
        assert process.stderr.read().decode() == REFUSED
        assert process.wait(60) == 2
        assert time.monotonic() - began < 60


def test_a_reader_that_leaves_ends_it_when_it_writes_next(model):
    with predicting(model) as process:
        process.stdin.write(GOOD)
        assert process.stdout.readline().startswith(b"The DT ")
        process.stdout.close()
        process.stdin.write(GOOD)  # and stays open
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def refused(model, content):
    done = subprocess.run([*RIATA, "predict", "--model", str(model), "-"], input=content, capture_output=True)
    return done.returncode, done.stderr.decode()


def read_by_head(model, path):
    """What remains of `cat path | riata predict - | head -1`."""
    script = 'cat "$0" | "$@" 2> "$0.err" | head -1 > /dev/null; exit "${PIPESTATUS[1]}"'
    command = ["bash", "-c", script, str(path), *RIATA, "predict", "--model", str(model), "-"]
    done = subprocess.run(command, check=False)
    return done.returncode, path.with_name(path.name + ".err").read_text()


@pytest.mark.parametrize("times", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_wrong_input_is_refused_on_a_busy_machine(model, times):
    with busy():
        assert {refused(model, WORDS * 4_000) for _ in range(times)} == {(2, REFUSED)}


@pytest.mark.parametrize("times", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_a_reader_that_leaves_is_no_error_on_a_busy_machine(model, times, tmp_path):
    (tmp_path / "words.txt").write_bytes(GOOD * 4_000)
    with busy():
        assert {read_by_head(model, tmp_path / "words.txt") for _ in range(times)} == {(0, "")}


def test_training_goes_on_when_nobody_reads_its_progress(tmp_path):
    """`riata train … 2>&1 | head -1` ends well, and leaves a model."""
    train, made = tmp_path / "train.txt", tmp_path / "made.riata"
    train.write_text(as_text() * 50, encoding="utf-8")
    script = '"$@" 2>&1 | head -1 > /dev/null; exit "${PIPESTATUS[0]}"'
    verb = ["train", "chunk", "--train", str(train), "--model", str(made), "--epochs", "40"]
    assert subprocess.run(["bash", "-c", script, "bash", *RIATA, *verb], check=False).returncode == 0
    assert made.exists()


def test_results_that_nobody_reads_are_no_error(model, tmp_path):
    script = '"$@" | true; exit "${PIPESTATUS[0]}"'
    assert subprocess.run(["bash", "-c", script, "bash", *RIATA, "inspect", str(model)], check=False).returncode == 0
