"""Model files made to do harm: sizes that are not true, weights beyond reason, columns that are not there."""

import os
import struct
import subprocess
import sys
import textwrap
import threading
from functools import cache

import numpy as np
import pytest

import riata
from riata.data.memory import as_corpus
from riata.errors import DataError, ModelFileError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.models import container
from samples import CHUNKS, INPUTS, TAGS, WORDS, quietly, treebank


@cache
def trained(kind):
    makers = {
        "chain": lambda: quietly(riata.Tagger("perceptron", epochs=2), WORDS, TAGS),
        "segments": lambda: quietly(riata.Chunker("perceptron", structure="segments", epochs=2), CHUNKS),
        "joint": lambda: quietly(riata.JointTagger("max-violation", epochs=2), CHUNKS),
        "tree": lambda: quietly(riata.DependencyParser("perceptron", structure="tree", epochs=2), treebank()),
        "transitions": lambda: quietly(riata.DependencyParser("max-violation", structure="transitions"), treebank()),
        "roles": lambda: quietly(
            riata.RoleLabeler("perceptron", epochs=1, template=parse("word[0]"), constraints="roles"),
            riata.load("embedded-roles"),
        ),
    }
    return makers[kind]()


def parts(kind):
    return container.unpack(memoryview(to_bytes(trained(kind))))


@pytest.mark.parametrize("weight", [1.1e15, -3e38, np.inf, np.nan])
@pytest.mark.parametrize("kind", ["chain", "segments", "joint", "tree", "transitions"])
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
    model = quietly(riata.Tagger("perceptron", epochs=1), WORDS, TAGS)
    flat = model.model_.weights.flat()
    flat[0] = 2e15
    model.model_.weights.set_flat(flat)
    with pytest.raises(DataError, match="a weight of 2e\\+15") as refused:
        to_bytes(model)
    assert "Divide" in refused.value.remedy


@pytest.mark.parametrize("inputs", [[], [0], list(range(34))])
def test_a_model_of_roles_without_all_columns_of_slots_is_refused(inputs):
    header, arrays = parts("roles")
    with pytest.raises(ModelFileError, match="inputs"):
        from_bytes(container.pack({**header, "inputs": inputs}, arrays))


def test_constraints_of_roles_need_all_columns_of_slots():
    corpus = as_corpus(CHUNKS)
    labeler = quietly(riata.RoleLabeler("perceptron", epochs=1), corpus)
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
    with pytest.raises(ModelFileError, match="damaged: expected"):
        riata.load_model(pipe)
    writer.join(20)
    assert len(written) < 10


def test_a_pipe_gives_a_model(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(to_bytes(trained("chain"))))
    writer.start()
    assert riata.load_model(pipe).predict(WORDS) == trained("chain").predict(WORDS)
    writer.join(20)
