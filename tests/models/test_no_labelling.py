"""Model files with whose labels some sentences could not be labelled are refused when they are loaded."""

import numpy as np
import pytest

import riata
from riata.errors import ModelFileError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.models import container
from samples import chunker, quietly


def changed(name, change):
    header, arrays = container.unpack(memoryview(to_bytes(chunker())))
    return container.pack(header, {**arrays, name: change(arrays[name])})


def never_the_same_twice(follow):
    labels = int(follow.size**0.5)
    return follow * (1 - np.eye(labels, dtype=np.uint8)).ravel()


@pytest.mark.parametrize(
    ("name", "change"),
    [("start", np.zeros_like), ("end", np.zeros_like), ("follow", np.zeros_like), ("follow", never_the_same_twice)],
)
def test_flags_that_leave_a_sentence_without_a_labelling_are_refused(run, name, change, tmp_path):
    content = changed(name, change)
    with pytest.raises(ModelFileError, match="legal labelling"):
        from_bytes(content)
    (tmp_path / "bad.riata").write_bytes(content)
    (tmp_path / "in.txt").write_text("the DT\n")
    for option in ([], ["--nbest", "2"], ["--confidence"]):
        assert run("predict", "--model", tmp_path / "bad.riata", *option, tmp_path / "in.txt")[0] == 2


@pytest.mark.parametrize("encoding", ["iob1", "iob2", "bioes", "bilou"])
def test_models_of_chunks_of_one_shape_alone_are_loaded(encoding):
    first, last = ("I", "I") if encoding == "iob1" else ("B", {"bioes": "E", "bilou": "L"}.get(encoding, "I"))
    labels = [[f"{first}-P", f"{last}-P"]] * 3
    made = quietly(riata.Chunker("perceptron", epochs=1, encoding=encoding), [["a", "b"]] * 3, labels)
    assert from_bytes(to_bytes(made)).predict([["a"], ["a", "b"]]) == made.predict([["a"], ["a", "b"]])
