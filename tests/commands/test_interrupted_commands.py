"""Ctrl-C at many moments of a command: exit 130, always, and no file that is half written."""

import subprocess
import sys

import pytest

import riata
from samples import CHUNKS, as_text, quietly

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
    quietly(riata.Chunker(epochs=1), CHUNKS).save(path / "c.riata")
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


@pytest.mark.parametrize("duration", [0, 60])
@pytest.mark.parametrize("way", WAYS)
def test_an_interrupt_that_python_loses_leaves_130_all_the_same_and_at_once(way, duration):
    program = LOST.replace("WAY", WAYS[way]).replace("DURATION", str(duration))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=40)
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")


def test_other_errors_that_python_cannot_raise_are_still_told():
    program = LOST.replace("interrupt()", "raise ValueError('told')").replace("WAY", "Lossy()").replace("DURATION", "0")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0
    assert "ValueError: told" in done.stderr
