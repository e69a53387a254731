"""With little memory there is one message with a remedy, whatever failed: an allocation, a thread, a library to load."""

import errno
import resource
import subprocess
import sys
import threading

import pytest

import riata
from riata.commands import main
from riata.errors import DataError, is_shortage
from samples import CHUNKS, as_text

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


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (RuntimeError("can't start new thread"), True),
        (ImportError("libx.so: failed to map segment from shared object"), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (RuntimeError("anything else"), False),
        (KeyError("can't start new thread"), False),
        (None, False),
    ],
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
    with pytest.raises(DataError, match="out of memory") as raised:
        riata.Chunker("perceptron", seeds=2, threads=2).fit(CHUNKS)
    assert "less data" in raised.value.remedy
