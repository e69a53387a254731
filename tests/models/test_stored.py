"""Models as they stand in their files: what is made when it is first needed, and the order of n-grams that makes this possible."""

import threading
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata import Chunker, _core
from riata.errors import ModelFileError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.models import container
from samples import INPUTS, chunker

ORDERS = [f"family/{f}/order" for f in range(3)]


def parts():
    return container.unpack(memoryview(to_bytes(chunker())))


def without_order():
    """The file as it was before n-grams had an order."""
    header, arrays = parts()
    return container.pack(header, {name: array for name, array in arrays.items() if not name.endswith("/order")})


def test_the_first_tokens_are_labelled_without_index_and_weights():
    loaded = from_bytes(to_bytes(chunker()))
    found = [loaded.predict_ids([sentence]).tolist() for sentence in INPUTS]
    assert found == [chunker().predict_ids([sentence]).tolist() for sentence in INPUTS]
    assert "weights" not in vars(loaded.model_)
    assert loaded.model_.features._index.size(0) == 0
    assert loaded.model_.features.index.size(0) > 0


def test_more_than_a_few_tokens_are_labelled_as_ever():
    loaded = from_bytes(to_bytes(chunker()))
    many = [INPUTS[k % len(INPUTS)] for k in range(2000)]
    assert (loaded.predict_ids(many) == chunker().predict_ids(many)).all()
    assert "weights" in vars(loaded.model_)


def test_words_that_training_has_not_seen_change_nothing():
    loaded = from_bytes(to_bytes(chunker()))
    strange = [[(word + "zz" * (k % 2), tag) for k, (word, tag) in enumerate(sentence)] for sentence in INPUTS]
    assert (loaded.predict_ids(strange) == chunker().predict_ids(strange)).all()
    assert "weights" not in vars(loaded.model_)


def test_files_without_an_order_are_read_as_before():
    loaded = from_bytes(without_order())
    assert loaded.model_.features._index.size(0) > 0
    assert loaded.predict(INPUTS) == chunker().predict(INPUTS)
    assert (loaded.predict_ids(INPUTS) == chunker().predict_ids(INPUTS)).all()
    assert to_bytes(loaded) == to_bytes(chunker())


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_that_is_none_is_refused(name):
    header, arrays = parts()
    order = arrays[name]
    assert len(order) > 2
    swapped = order.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    for bad in (
        swapped,
        np.full_like(order, order[0]),
        order[:-1],
        order[::-1].copy(),
        np.append(order[:-1], len(order)),
    ):
        with pytest.raises(ModelFileError, match="inconsistent"):
            from_bytes(container.pack(header, {**arrays, name: bad.astype(order.dtype)}))


@pytest.mark.parametrize("drop", [False, True])
def test_an_ngram_that_stands_there_twice_is_refused(drop):
    header, arrays = parts()
    values = arrays["family/0/values"].copy()
    values[1] = values[0]
    arrays = {name: array for name, array in arrays.items() if not (drop and name.endswith("/order"))}
    refused(ModelFileError, "inconsistent", from_bytes, container.pack(header, {**arrays, "family/0/values": values}))


def test_what_becomes_of_the_file_after_loading_does_not_matter(tmp_path):
    path = tmp_path / "m.riata"
    chunker().save(path)
    loaded = riata.load_model(path)
    path.write_bytes(b"")
    assert (loaded.predict_ids(INPUTS) == chunker().predict_ids(INPUTS)).all()
    assert loaded.predict(INPUTS) == chunker().predict(INPUTS)


def test_threads_that_need_it_first_at_once_share_one_index():
    expected = chunker().predict(INPUTS)
    for _ in range(5):
        loaded, found = from_bytes(to_bytes(chunker())), []
        barrier = threading.Barrier(8)

        def work(loaded=loaded, found=found, barrier=barrier):
            barrier.wait()
            found.append((loaded.predict(INPUTS), id(loaded.model_.features.index)))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [labels for labels, _ in found] == [expected] * 8
        assert len({index for _, index in found}) == 1


@pytest.mark.skipif(not _core.has_fast_crc32, reason="this processor has no carry-less multiplication")
@given(st.binary(max_size=400), st.integers(0, 2**32 - 1))
def test_the_fast_checksum_is_that_of_zlib(content, before):
    assert _core.fast_crc32(np.frombuffer(content, np.uint8), before) == zlib.crc32(content, before)


# --- model files with whose labels some sentences could not be labelled are refused when they are loaded -------------
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
    refused(ModelFileError, "legal labelling", from_bytes, content)
    (tmp_path / "bad.riata").write_bytes(content)
    (tmp_path / "in.txt").write_text("the DT\n")
    for option in ([], ["--nbest", "2"], ["--confidence"]):
        assert run("predict", "--model", tmp_path / "bad.riata", *option, tmp_path / "in.txt")[0] == 2


@pytest.mark.parametrize("encoding", ["iob1", "iob2", "bioes", "bilou"])
def test_models_of_chunks_of_one_shape_alone_are_loaded(encoding):
    first, last = ("I", "I") if encoding == "iob1" else ("B", {"bioes": "E", "bilou": "L"}.get(encoding, "I"))
    labels = [[f"{first}-P", f"{last}-P"]] * 3
    made = Chunker("perceptron", epochs=1, encoding=encoding).fit([["a", "b"]] * 3, labels)
    assert from_bytes(to_bytes(made)).predict([["a"], ["a", "b"]]) == made.predict([["a"], ["a", "b"]])
