"""The bytes of a file, as they come: pipes that have nothing to read do not hold anybody."""

from __future__ import annotations

import gzip
import os
import threading
import time

import pytest

from riata.data import columns as source

CONTENT = b"The DT\n\n" * 3000


@pytest.fixture
def pipe(tmp_path):
    """A named pipe, and its end to write to: (path, file)."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    keep = os.open(path, os.O_RDWR)  # so that opening either end does not wait for the other
    with open(path, "wb", buffering=0) as end:
        yield path, end
    os.close(keep)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_pipe_is_read_as_it_comes_and_left_when_nobody_wants_more(pipe, pack):
    path, end = pipe
    stopped = threading.Event()
    read = source.pieces(path, stopped)
    end.write(pack(CONTENT))
    seen = next(read)
    while len(seen) < len(CONTENT):
        seen += next(read)
    assert seen == CONTENT
    timer = threading.Timer(0.1, stopped.set)
    timer.start()
    began = time.monotonic()
    assert list(read) == []
    assert 0.05 < time.monotonic() - began < 30
    timer.join()


def test_nothing_is_left_out_when_nobody_stops(pipe, tmp_path):
    path, end = pipe
    (tmp_path / "file").write_bytes(CONTENT)
    assert b"".join(source.pieces(tmp_path / "file", threading.Event())) == CONTENT
    read = source.pieces(path, threading.Event())
    for word in (b"one", b"two", b"three"):
        end.write(word)
        assert next(read) == word


def test_what_the_buffer_of_standard_input_holds_is_read_too(pipe, monkeypatch):
    path, end = pipe
    end.write(b"first line\nrest")
    with open(path) as given:
        monkeypatch.setattr("sys.stdin", given)
        assert given.buffer.readline() == b"first line\n"
        assert next(source.pieces("-", threading.Event())) == b"rest"


@pytest.mark.parametrize("size", [2, 3, 7, 1 << 20])
def test_gzip_members_are_unpacked_wherever_the_pieces_end(tmp_path, monkeypatch, size):
    monkeypatch.setattr(source, "PIECE", size)
    packed = gzip.compress(b"one\n" * 50) + gzip.compress(b"") + gzip.compress(b"two\n") + b"\0" * 5
    (tmp_path / "file").write_bytes(packed)
    assert b"".join(source.pieces(tmp_path / "file")) == gzip.decompress(packed)
    (tmp_path / "file").write_bytes(packed[:-6])
    with pytest.raises(source.DataError, match="cut short"):
        list(source.pieces(tmp_path / "file"))
