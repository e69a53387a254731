"""Whole files from Python: what `riata predict` writes, and nothing where something is wrong."""

import gzip

import pytest

import riata
from checks import refused
from riata import Chunker, errors
from samples import CHUNKS, as_text


@pytest.fixture
def chunker():
    return Chunker(epochs=3).fit(CHUNKS)


def test_a_file_is_labelled_as_its_sentences_are(chunker, tmp_path):
    (tmp_path / "in.txt").write_text(as_text())
    chunker.predict_file(tmp_path / "in.txt", tmp_path / "out.txt")
    out = riata.read_columns(tmp_path / "out.txt")
    assert out.sentences_of(-1) == chunker.predict(CHUNKS)
    assert out.select([0, 1, 2]).sentences_of(0) == [[word for word, _, _ in s] for s in CHUNKS]


def test_compressed_files_and_one_file_for_both(chunker, tmp_path):
    (tmp_path / "in.txt").write_text(as_text())
    with gzip.open(tmp_path / "in.txt.gz", "wt") as file:
        file.write(as_text())
    chunker.predict_file(tmp_path / "in.txt.gz", tmp_path / "out.txt.gz")
    chunker.predict_file(tmp_path / "in.txt", tmp_path / "in.txt")  # the input is read before it is replaced
    assert gzip.decompress((tmp_path / "out.txt.gz").read_bytes()) == (tmp_path / "in.txt").read_bytes()
    assert b"The DT B-NP" in (tmp_path / "in.txt").read_bytes()


def test_n_best_lists(chunker, tmp_path):
    (tmp_path / "in.txt").write_text(as_text())
    chunker.predict_file(tmp_path / "in.txt", tmp_path / "out.txt", nbest=2)
    assert (tmp_path / "out.txt").read_text().count("# 1 ") == len(CHUNKS)


def test_what_goes_wrong_leaves_what_was_there(chunker, tmp_path):
    (tmp_path / "bad.txt").write_text(as_text() * 3 + "one too many columns\n")
    (tmp_path / "out.txt").write_text("as it was")
    refused(errors.DataError, "expected 3 columns", chunker.predict_file, tmp_path / "bad.txt", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "out.txt"]
    with pytest.raises(errors.DataError, match="cannot be written"):
        chunker.predict_file(tmp_path / "bad.txt", tmp_path / "none" / "out.txt")
    refused(errors.NotFittedError, "", Chunker().predict_file, tmp_path / "bad.txt", tmp_path / "out.txt")
