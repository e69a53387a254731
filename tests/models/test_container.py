"""The container of model files: what goes in comes out, whole or not at all."""

import errno
import hashlib
import json
import os
import resource
import stat
import struct
import subprocess
import sys
import textwrap
import threading
import zlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata import Chunker, DependencyParser, JointTagger, RoleLabeler, Tagger
from riata.data.memory import as_corpus
from riata.errors import DataError, ModelFileError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.models import container
from samples import CHUNKS, INPUTS, TAGS, WORDS, for_each, for_rows, treebank

DTYPES = ["u1", "u2", "u4", "i4", "i8", "f4"]
ARRAYS = st.dictionaries(
    st.text(max_size=8).filter(lambda text: text.isprintable()),
    st.tuples(st.sampled_from(DTYPES), st.lists(st.integers(0, 255), max_size=40)).map(lambda p: np.array(p[1], p[0])),
    max_size=5,
)
HEADERS = st.dictionaries(
    st.sampled_from(["labels", "é", ""]), st.recursive(st.none() | st.integers() | st.text("aé漢"), st.lists)
)


def sealed(body, *, version=container.VERSION, header_size, zero=0):
    """A file with this body and a right checksum, written from the description of the format alone."""
    fixed = struct.pack("<8sIIQQ", b"RIATA\r\n\x1a", version, zero, header_size, 64 + len(body))
    digest = (
        hashlib.blake2b(fixed + body, digest_size=32).digest()
        if version == 1
        else zlib.crc32(fixed + body).to_bytes(32, "little")
    )
    return fixed + digest + body


def with_header(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return sealed(text.ljust(-(-len(text) // 64) * 64) + data, header_size=len(text))


def unpacked(content):
    return container.unpack(memoryview(content))


@given(HEADERS, ARRAYS)
def test_unpacking_undoes_packing(header, arrays):
    content = container.pack(header, arrays)
    again, found = unpacked(content)
    assert again == header
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    assert container.pack(again, found) == content


def test_the_format_is_as_described():
    data = np.array([1, 2, 3], np.uint16)
    place = {"name": "a", "dtype": "u2", "size": 3, "offset": 0}
    by_hand = with_header(
        json.dumps({"arrays": [place], "b": 1}, sort_keys=True).encode(), data.tobytes().ljust(64, b"\0")
    )
    assert container.pack({"b": 1}, {"a": data}) == by_hand


def test_arrays_are_aligned_views_of_the_file():
    content = container.pack({}, {"a": np.arange(5, dtype=np.uint8), "b": np.arange(7, dtype=np.float32)})
    _, arrays = unpacked(content)
    start = np.frombuffer(content, np.uint8).ctypes.data
    for array in arrays.values():
        assert (array.ctypes.data - start) % 64 == 0
        assert not array.flags.owndata
        assert not array.flags.writeable


@for_rows(
    "content, says",
    (b"", "empty"),
    (b"RIA", "cut short"),
    (b"RIATA\r\n\x1a" + bytes(20), "cut short"),
    (b"PK\x03\x04" + bytes(100), "not a Riata model"),
    (b"the DT B-NP\n", "not a Riata model"),
    (sealed(b"{}", version=container.VERSION + 1, header_size=2), f"version {container.VERSION + 1}"),
    (sealed(b"{}", header_size=2)[:-1], "expected 66 bytes, found 65"),
    (sealed(b"{}", header_size=2) + b"\0", "expected 66 bytes, found 67"),
    (sealed(b"{}", header_size=2)[:-1] + b"]", "checksum"),
    (sealed(b"{}", header_size=2, zero=1), "checksum"),
    (sealed(b"{}", header_size=3), "longer than the file"),
    (sealed(b"{}", header_size=1 << 63), "longer than the file"),
    (with_header(b"{"), "not JSON"),
    (with_header(b"\xff\xfe"), "not JSON"),
    (with_header(b'{"a": "\\ud800", "arrays": []}'), "not JSON"),
    (with_header(b'{"a": ' + b"9" * 5000 + b"}"), "not JSON"),
    (with_header(b"[" * 100_000), "not JSON"),
    (with_header([]), "not an object"),
    (with_header({}), "lists no arrays"),
    (with_header({"arrays": {}}), "lists no arrays"),
    (with_header({"arrays": [[]]}), "described wrongly"),
)
def test_what_is_not_a_whole_model_file_is_refused(content, says):
    refused(ModelFileError, says, unpacked, content)


def test_a_file_of_an_older_riata_needs_no_newer_version_to_be_named():
    """The version is looked at before the checksum, whose place a later version may change."""
    newer = bytearray(sealed(b"{}", version=7, header_size=2))
    newer[40] ^= 1
    assert "Update Riata" in str(refused(ModelFileError, r"version 7 .* reads up to 2", unpacked, bytes(newer)))


@for_rows(
    "change",
    {"name": 1},
    {"dtype": "f8"},
    {"dtype": ["u1"]},
    {"size": -1},
    {"size": 1.0},
    {"size": True},
    {"size": 65},
    {"size": 1 << 61},
    {"size": 10**30},
    {"offset": -64},
    {"offset": 1},
    {"offset": 64},
    {"offset": 1 << 61},
    {"offset": None},
    {"dtype": "u4"},
    ids=str,
)
def test_arrays_outside_the_file_are_refused(change):
    place = {"name": "a", "dtype": "u1", "size": 64, "offset": 0}
    header, arrays = unpacked(with_header({"arrays": [place]}, bytes(64)))
    assert header == {}
    assert len(arrays["a"]) == 64
    refused(ModelFileError, "", unpacked, with_header({"arrays": [place | change]}, bytes(64)))


def test_arrays_may_not_share_bytes_or_names():
    a = {"name": "a", "dtype": "u1", "size": 64, "offset": 0}
    assert len(unpacked(with_header({"arrays": [a, a | {"name": "b", "offset": 64}]}, bytes(128)))[1]) == 2
    for other in (a | {"name": "b"}, a | {"offset": 64}):
        refused(ModelFileError, "", unpacked, with_header({"arrays": [a, other]}, bytes(128)))


# --- writing ---------------------------------------------------------------------------------------------------------
def test_a_written_file_is_readable_by_others_as_the_umask_says(tmp_path):
    before = os.umask(0o027)
    try:
        container.write(tmp_path / "m", b"content")
    finally:
        os.umask(before)
    assert (tmp_path / "m").read_bytes() == b"content"
    assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == 0o640


def test_writing_follows_a_link_and_keeps_it(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "m").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "m")
    container.write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "m").read_bytes() == b"new"


def test_devices_and_pipes_are_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused(ModelFileError, "no regular file", container.write, tmp_path / "pipe", b"new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def opens_a_full_disk(handle, mode):
    os.close(handle)
    return open("/dev/full", mode)


@for_each(call=["fsync", "fdopen", "replace", "chmod"], existed=[True, False])
def test_a_failure_while_writing_leaves_everything_as_it_was(tmp_path, monkeypatch, call, existed):
    path = tmp_path / "m.riata"
    if existed:
        path.write_bytes(b"old")
    if call == "fdopen" and not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    monkeypatch.setattr(os, call, opens_a_full_disk if call == "fdopen" else full)
    caught = refused(ModelFileError, "", container.write, path, b"new")
    monkeypatch.undo()
    assert sorted(os.listdir(tmp_path)) == (["m.riata"] if existed else [])
    assert not existed or path.read_bytes() == b"old"
    text = str(caught)
    assert text.startswith(f"{path}: ")
    assert "No space left on device" in text
    assert ("untouched" if existed else "Nothing was written") in text


def test_no_descriptor_is_left_open_by_a_failure(tmp_path, monkeypatch):
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc")
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(os, "fsync", full)
    for _ in range(5):
        refused(ModelFileError, "", container.write, tmp_path / "m", b"new")
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_that_grows_past_the_limit_of_the_process_leaves_the_old_one(tmp_path):
    """A real failing write, not a simulated one: the kernel refuses bytes beyond RLIMIT_FSIZE."""
    path = tmp_path / "m.riata"
    path.write_bytes(b"old")
    program = f"""
        import resource, signal
        from riata.errors import ModelFileError
        from riata.models import container
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, {resource.getrlimit(resource.RLIMIT_FSIZE)[1]}))
        try:
            container.write({str(path)!r}, bytes(100_000))
        except ModelFileError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert "File too large" in done.stdout, done.stderr
    assert "untouched" in done.stdout
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["m.riata"]


@pytest.mark.parametrize("name", ["no/such/folder/m.riata", "x" * 300, "nul\0"])
def test_places_that_cannot_be_written_are_named(tmp_path, name):
    refused(ModelFileError, "could not be written", container.write, f"{tmp_path}/{name}", b"new")


def test_a_model_is_read_from_a_pipe(tmp_path):
    """As in riata predict --model <(gunzip -c m.riata.gz): a pipe has no size."""
    content = container.pack({"labels": ["A"]}, {"weights": np.arange(70_000, dtype="f4")})  # more than a pipe holds
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    header, arrays = container.read(pipe)
    writer.join()
    assert header["labels"] == ["A"] and (arrays["weights"] == np.arange(70_000)).all()


def test_what_cannot_be_opened_is_named(tmp_path):
    for path, says in [(tmp_path, "directory"), (tmp_path / "none", "no such file"), ("nul\0", "cannot be read")]:
        assert refused(ModelFileError, says, container.read, path).file == str(path)


# --- model files made to do harm: sizes that are not true, weights beyond reason, columns that are not there ---------
@cache
def trained(kind):
    makers = {
        "chain": lambda: Tagger("perceptron", epochs=2).fit(WORDS, TAGS),
        "segments": lambda: Chunker("perceptron", structure="segments", epochs=2).fit(CHUNKS),
        "joint": lambda: JointTagger("max-violation", epochs=2).fit(CHUNKS),
        "tree": lambda: DependencyParser("perceptron", structure="tree", epochs=2).fit(treebank()),
        "transitions": lambda: DependencyParser("max-violation", structure="transitions").fit(treebank()),
        "roles": lambda: RoleLabeler("perceptron", epochs=1, template=parse("word[0]"), constraints="roles").fit(
            riata.load("embedded-roles")
        ),
    }
    return makers[kind]()


def parts(kind):
    return container.unpack(memoryview(to_bytes(trained(kind))))


@for_each(weight=[1.1e15, -3e38, np.inf, np.nan], kind=["chain", "segments", "joint", "tree", "transitions"])
def test_weights_beyond_1e15_are_refused(kind, weight):
    header, arrays = parts(kind)
    names = [name for name, array in arrays.items() if array.dtype.kind == "f" and array.size and "values" in name]
    assert names
    for name in names:
        changed = arrays[name].copy()
        changed[0] = weight
        with pytest.raises(ModelFileError, match="finite number up to 1e\\+15"):
            from_bytes(container.pack(header, {**arrays, name: changed})).predict([["a"]])


def test_a_weight_of_1e15_is_accepted():
    header, arrays = parts("chain")
    name = next(name for name, array in arrays.items() if array.dtype.kind == "f" and array.size)
    changed = arrays[name].copy()
    changed[0] = 1e15
    assert from_bytes(container.pack(header, {**arrays, name: changed})).predict(WORDS)


def test_a_model_with_weights_that_could_not_be_loaded_is_not_saved():
    model = Tagger("perceptron", epochs=1).fit(WORDS, TAGS)
    flat = model.model_.weights.flat()
    flat[0] = 2e15
    model.model_.weights.set_flat(flat)
    assert "Divide" in refused(DataError, "a weight of 2e\\+15", to_bytes, model).remedy


@pytest.mark.parametrize("inputs", [[], [0], list(range(34))])
def test_a_model_of_roles_without_all_columns_of_slots_is_refused(inputs):
    header, arrays = parts("roles")
    refused(ModelFileError, "inputs", from_bytes, container.pack({**header, "inputs": inputs}, arrays))


def test_constraints_of_roles_need_all_columns_of_slots():
    corpus = as_corpus(CHUNKS)
    labeler = RoleLabeler("perceptron", epochs=1).fit(corpus)
    constrained = labeler.set_params(constraints="roles")
    with pytest.raises(DataError, match="constraints of roles read the spans of slots; found 2 columns, expected 35"):
        constrained.predict(INPUTS)


SPARSE = """
    import resource, sys, time
    import riata
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    try:
        riata.load_model(sys.argv[1])
    except riata.errors.ModelFileError as error:
        print(error.message)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, time.process_time() - began)
"""


@pytest.mark.parametrize("start", ["model", "zeros", "model of its length"])
def test_a_huge_file_with_holes_is_refused_before_it_is_read(tmp_path, start):
    path = tmp_path / "huge.riata"
    content = bytearray(bytes(64) if start == "zeros" else to_bytes(trained("chain")))
    if start == "model of its length":
        content[24:32] = struct.pack("<Q", 5 << 30)
    path.write_bytes(content)
    os.truncate(path, 5 << 30)
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SPARSE), str(path)], capture_output=True, text=True, check=True
    )
    message, cost = found.stdout.splitlines()
    assert {"model": "found 5,368,709,120", "zeros": "not a Riata model"}.get(start, "follow the last array") in message
    kilobytes, seconds = map(float, cost.split())
    assert kilobytes < 30_000
    assert seconds < 2


def test_a_pipe_is_read_no_further_than_its_header_says(tmp_path):
    content, pipe = to_bytes(trained("chain")), tmp_path / "pipe"
    os.mkfifo(pipe)
    written = []

    def write():
        try:
            with open(pipe, "wb") as file:
                file.write(content)
                for _ in range(100):
                    written.append(file.write(bytes(1 << 20)))
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=write)
    writer.start()
    refused(ModelFileError, "damaged: expected", riata.load_model, pipe)
    writer.join(20)
    assert len(written) < 10


def test_a_pipe_gives_a_model(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(to_bytes(trained("chain"))))
    writer.start()
    assert riata.load_model(pipe).predict(WORDS) == trained("chain").predict(WORDS)
    writer.join(20)
