"""Model files that ask for more than they hold: nothing is allocated before everything is checked."""

import hashlib
import time

import numpy as np
import pytest

import riata
from riata.errors import ModelFileError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.measuring.cost import peak_mb
from riata.models import container
from samples import INPUTS, TAGS, WORDS, chunker, quietly


def many_labels(labels, ngrams):
    """A file of a few hundred kilobytes whose weights, unfolded, have labels * labels * ngrams numbers."""
    words = [[f"w{i}" for i in range(labels)]]
    tags = [[f"L{i:03}" for i in range(labels)]]
    tagger = quietly(riata.Tagger(epochs=1, template=parse("edge word[0]")), words, tags)
    header, arrays = container.unpack(memoryview(to_bytes(tagger)))
    texts = [f"v{i}".encode() for i in range(ngrams)]
    arrays["attribute/0/bytes"] = np.frombuffer(b"".join(texts), np.uint8)
    arrays["attribute/0/lengths"] = np.array([len(text) for text in texts], np.uint8)
    arrays["family/0/values"] = np.arange(16, 16 + ngrams, dtype=np.uint32)
    arrays["family/0/order"] = np.arange(ngrams, dtype=np.uint32)
    arrays["family/0/edge/counts"] = np.zeros(ngrams, np.uint8)
    for part in ("columns", "values"):
        arrays[f"family/0/edge/{part}"] = arrays[f"family/0/edge/{part}"][:0]
    return header, arrays


def test_gigabytes_of_weights_are_not_made_when_a_file_is_loaded():
    content = container.pack(*many_labels(200, 5000))
    assert len(content) < 1 << 20
    before, began = peak_mb(), time.process_time()
    from_bytes(content)
    assert time.process_time() - began < 2
    assert peak_mb() - before < 100  # unfolded, they would have 800 MB


def test_rows_that_do_not_fit_are_refused_before_memory_is_asked_for():
    header, arrays = many_labels(200, 5000)
    for counts in (np.ones(5000, np.uint8), np.zeros(4999, np.uint8)):
        arrays["family/0/edge/counts"] = counts
        before = peak_mb()
        with pytest.raises(ModelFileError, match="weights are inconsistent"):
            from_bytes(container.pack(header, arrays))
        assert peak_mb() - before < 100


def test_a_model_larger_than_the_free_memory_is_refused(monkeypatch):
    monkeypatch.setattr("riata.models.parts.available_bytes", lambda: 50 << 20)
    with pytest.raises(ModelFileError, match=r"more than the 0\.0 GiB of memory that are free"):
        from_bytes(container.pack(*many_labels(200, 5000)))


def test_where_memory_ends_all_the_same_it_is_told_as_a_fault_of_the_file(monkeypatch, tmp_path):
    path = tmp_path / "m.riata"
    chunker().save(path)

    def no_memory(*arguments):
        raise MemoryError

    monkeypatch.setattr("riata.structures.chain.model.StoredChain", no_memory)
    with pytest.raises(ModelFileError, match=r"m\.riata: the model asks for more memory than there is"):
        riata.load_model(path)


def test_weights_are_unfolded_when_they_are_first_read():
    content = to_bytes(chunker())
    loaded = from_bytes(content)
    assert "weights" not in vars(loaded.model_)
    many = [*INPUTS] * 1000  # few sentences are labelled with the weights as they are stored
    assert loaded.predict(many) == chunker().predict(many)
    assert "weights" in vars(loaded.model_)
    assert to_bytes(loaded) == content


def test_a_hashed_table_is_made_when_it_is_first_read():
    tagger = quietly(riata.Tagger(epochs=1, bits=12), WORDS, TAGS)
    header, arrays = container.unpack(memoryview(to_bytes(tagger)))
    before = peak_mb()
    from_bytes(container.pack({**header, "bits": 28}, arrays))
    assert peak_mb() - before < 100  # the table has a GiB
    assert from_bytes(to_bytes(tagger)).predict(WORDS) == tagger.predict(WORDS)


def test_files_of_version_1_are_read_as_before():
    content = to_bytes(chunker())
    fixed = container._FIXED.pack(container.MAGIC, 1, 0, *container._FIXED.unpack(content[:32])[3:])
    old = fixed + hashlib.blake2b(fixed + content[64:], digest_size=32).digest() + content[64:]
    assert from_bytes(old).predict(INPUTS) == chunker().predict(INPUTS)
    with pytest.raises(ModelFileError, match="checksum"):
        from_bytes(old[:-1] + b"x")
