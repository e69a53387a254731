"""Series and data frames of pandas as sentences: they are read as lists of their values, or refused in words."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import riata
from checks import refused
from riata.errors import DataError

pandas = pytest.importorskip("pandas")

CORPUS = riata.load("embedded", "train")[:60]
LABELS = CORPUS.sentences_of(2)


@pytest.fixture(scope="module")
def frame() -> Any:
    rows = [(number, *token) for number, sentence in enumerate(CORPUS) for token in sentence]
    return pandas.DataFrame(rows, columns=["sentence", "word", "pos", "chunk"])


@pytest.fixture(scope="module")
def sentences(frame: Any) -> list[Any]:
    return [part for _, part in frame.groupby("sentence")]


def test_a_series_of_words_per_sentence_is_a_list_of_words(sentences: list[Any]) -> None:
    X, y = [part.word for part in sentences], [part.chunk for part in sentences]
    lists = [list(part.word) for part in sentences]
    chunker = riata.Chunker(epochs=2).fit(X, y)
    expected = riata.Chunker(epochs=2).fit(lists, LABELS)
    assert chunker.predict(X) == expected.predict(lists)
    assert chunker.predict_confidence(X) == expected.predict_confidence(lists)
    assert chunker.score(X, y) == expected.score(lists, LABELS)


def test_a_series_of_lists_is_a_list_of_sentences(frame: Any) -> None:
    X, y = frame.groupby("sentence").word.apply(list), frame.groupby("sentence").chunk.apply(list)
    chunker = riata.Chunker(epochs=2).fit(X, y)
    assert chunker.predict(X) == chunker.predict(list(X))


def test_a_frame_per_sentence_gives_its_columns(sentences: list[Any]) -> None:
    X = [part[["word", "pos"]] for part in sentences]
    tuples = [[token[:2] for token in sentence] for sentence in CORPUS]
    chunker = riata.Chunker(epochs=2).fit(X, LABELS)
    expected = riata.Chunker(epochs=2).fit(tuples, LABELS)
    assert chunker.state_features_ == expected.state_features_
    assert chunker.predict(X) == expected.predict(tuples)
    assert chunker.predict(X + X[:0]) == chunker.predict(X)


def test_a_frame_of_numbers_per_sentence_is_an_array() -> None:
    random = np.random.default_rng(0)
    arrays = [random.normal(size=(n, 3)) for n in (3, 4, 2)]
    y = [["A" if row[0] > 0 else "B" for row in array] for array in arrays]
    tagger = riata.Tagger(epochs=2).fit([pandas.DataFrame(array) for array in arrays], y)
    assert tagger.array_width_ == 3
    assert tagger.predict([pandas.DataFrame(array) for array in arrays]) == tagger.predict(arrays)


def test_one_frame_with_a_column_of_sentences_is_a_corpus(frame: Any) -> None:
    corpus = riata.from_frame(frame)
    assert [list(sentence) for sentence in corpus] == [list(sentence) for sentence in CORPUS]
    tagging = riata.from_frame(frame, sentence="sentence", columns=["word", "pos"])
    assert tagging.sentences_of(1) == CORPUS.sentences_of(1)
    chunker = riata.Chunker(epochs=2).fit(corpus)
    labels = np.concatenate(chunker.predict(corpus))
    assert len(labels) == len(frame)  # a new column: frame["found"] = labels


def test_one_frame_is_refused_with_the_way_to_a_corpus(frame: Any) -> None:
    assert "riata.from_frame" in refused(DataError, "found a DataFrame", riata.Chunker().fit, frame).remedy
    caught = refused(DataError, "GroupBy", riata.Chunker().fit, frame.groupby("sentence"), LABELS)
    assert "for _, group in groups" in caught.remedy


BAD = {
    "no such column": ({"sentence": "sent"}, None, "no column 'sent'"),
    "another that is not there": ({"columns": ["word", "tag"]}, None, "no column 'tag'"),
    "sentences that are not together": ({}, [0, 1, 0], "row 2 belongs to sentence 0"),
    "a sentence that is not named": ({}, [0, None, 1], "row 1 has no value"),
}


@pytest.mark.parametrize(("options", "numbers", "says"), BAD.values(), ids=BAD)
def test_frames_that_are_no_corpus_are_refused(options: Any, numbers: Any, says: str) -> None:
    frame = pandas.DataFrame({"sentence": numbers or [0, 0, 1], "word": ["a", "b", "c"], "chunk": ["O", "O", "O"]})
    refused(DataError, says, riata.from_frame, frame, **options)


def test_what_is_no_text_is_refused_with_its_row(frame: Any) -> None:
    with pytest.raises(DataError, match="row 0, column 'sentence' is 0"):
        riata.from_frame(frame.assign(of=frame.sentence), sentence="of", columns=["sentence", "word"])
    refused(DataError, "expected a DataFrame of pandas or polars", riata.from_frame, [["a"]])
    refused(DataError, "0 rows", riata.from_frame, frame[:0])


def test_pandas_is_not_imported() -> None:
    program = (
        "import riata, sys; riata.Tagger(epochs=1).fit([['a', 'b']], [['A', 'B']]); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"
