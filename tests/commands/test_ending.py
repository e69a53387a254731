"""How commands end while their input goes on or their reader leaves: a status and one message, on a busy machine too."""

import contextlib
import os
import subprocess
import sys
import time

import pytest

import riata
from riata import Chunker
from samples import CHUNKS, as_text, for_each

pytestmark = pytest.mark.filterwarnings("default::riata.RiataWarning")  # commands show them

# Where the model reads tags too.
WORDS = as_text([[(word,) for word, _, _ in sentence] for sentence in CHUNKS]).encode()
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


def end_of(model, content):
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
        assert {end_of(model, WORDS * 4_000) for _ in range(times)} == {(2, REFUSED)}


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


# --- Ctrl-C at many moments of a command: exit 130, always, and no file that is half written -------------------------


# Sends SIGINT to itself at the so-many-th call of a function after main began, also of those that import, load and write.
PROGRAM = """
import os, signal, sys
from riata.entry import main
moment, seen = int(sys.argv[1]), 0
def trace(frame, event, argument):
    global seen
    if event == "call":
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGINT)
sys.argv = ["riata", *sys.argv[2:]]
sys.setprofile(trace)
try:
    main()
finally:
    sys.setprofile(None)
    if moment == 0:
        print(f"calls {seen}", file=sys.stderr)
"""


def run(moment, *arguments):
    return subprocess.run([sys.executable, "-c", PROGRAM, str(moment), *arguments], capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("interrupts")
    (path / "train.txt").write_text(as_text(CHUNKS * 5))
    Chunker(epochs=1).fit(CHUNKS).save(path / "c.riata")
    return path


@pytest.mark.parametrize("verb", ["predict", "train"])
def test_an_interrupt_at_any_moment_leaves_130(verb, folder):
    target = folder / "new.riata"
    arguments = {
        "predict": ["predict", "--model", str(folder / "c.riata"), str(folder / "train.txt")],
        "train": ["train", "chunk", "--train", str(folder / "train.txt"), "--model", str(target), "--epochs", "2"],
    }[verb]
    whole = run(0, *arguments)
    assert whole.returncode == 0, whole.stderr
    calls = int(whole.stderr.split("calls ")[1])
    for part in range(1, 10, 2):
        target.unlink(missing_ok=True)
        done = run(max(1, calls * part // 10), *arguments)
        assert done.returncode == 130, (part, done.stderr[-500:])
        assert done.stderr.endswith("Interrupted.\n")
        assert "Traceback" not in done.stderr
        if target.exists():
            riata.load_model(target)


LOST = """
import os, signal, sys, time, types, weakref
def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000): pass
class Lossy:
    def __del__(self):
        interrupt()
class Watched: ...
def run(arguments):
    WAY
    time.sleep(DURATION)
    return 0
sys.modules["riata.commands.base"] = types.SimpleNamespace(run=run)
import riata.entry
riata.entry.main()
"""
WAYS = {"destructor": "Lossy()", "weak reference": "it = Watched(); watch = weakref.ref(it, interrupt); del it"}


@for_each(duration=[0, 60], way=WAYS)
def test_an_interrupt_that_python_loses_leaves_130_all_the_same_and_at_once(way, duration):
    program = LOST.replace("WAY", WAYS[way]).replace("DURATION", str(duration))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=40)
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")


def test_other_errors_that_python_cannot_raise_are_still_told():
    program = LOST.replace("interrupt()", "raise ValueError('told')").replace("WAY", "Lossy()").replace("DURATION", "0")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0
    assert "ValueError: told" in done.stderr
