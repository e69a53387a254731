"""Data sets of Hugging Face, Parquet files, and frames of pandas and polars, in and out."""

import subprocess
import sys

import pytest

import riata
from checks import refused
from riata import Chunker, Tagger
from riata.errors import DataError, SettingError
from samples import CHUNKS, TAGS, WORDS, for_rows

CHUNK_TAGS = [[chunk for _, _, chunk in sentence] for sentence in CHUNKS]
ROWS = {"tokens": WORDS, "pos": TAGS, "chunks": CHUNK_TAGS}


def flat(library):
    """One row per token."""
    module = pytest.importorskip(library)
    rows = [(number, *token) for number, sentence in enumerate(CHUNKS) for token in sentence]
    names = ("sentence", "word", "pos", "chunk")
    return module.DataFrame({name: [row[i] for row in rows] for i, name in enumerate(names)})


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_in_and_go_out(library):
    frame = flat(library)
    corpus = riata.from_frame(frame)
    assert [list(sentence) for sentence in corpus] == CHUNKS
    back = riata.to_frame(corpus, names=["word", "pos", "chunk"], library=library)
    assert type(back).__module__.startswith(library)
    assert back.equals(frame)
    refused(DataError, "no column 'tokens'", riata.from_frame, frame, columns=["tokens"])


def test_a_frame_of_polars_is_a_sentence():
    polars = pytest.importorskip("polars")
    sentences = [polars.DataFrame(sentence, schema=["word", "pos", "chunk"], orient="row") for sentence in CHUNKS]
    expected = Chunker("perceptron", epochs=2).fit(CHUNKS)
    found = Chunker("perceptron", epochs=2).fit(sentences)
    assert found.predict([s[["word", "pos"]] for s in sentences]) == expected.predict(
        [[t[:2] for t in s] for s in CHUNKS]
    )
    numbers = [polars.DataFrame({"a": [1.0] * len(s), "b": list(range(len(s)))}) for s in WORDS]
    lists = [part.to_numpy() for part in numbers]
    options = {"recipe": "perceptron", "epochs": 2}
    assert Tagger(**options).fit(numbers, TAGS).predict(numbers) == Tagger(**options).fit(lists, TAGS).predict(lists)
    assert "collect" in refused(DataError, "LazyFrame", riata.from_frame, flat("polars").lazy()).remedy


def test_labels_are_columns_of_the_frame():
    pytest.importorskip("pandas")
    frame = riata.to_frame(WORDS, TAGS)
    assert list(frame.columns) == ["sentence", "word", "label"]
    assert frame.label.tolist() == [tag for sentence in TAGS for tag in sentence]
    pairs = [list(zip(a, b, strict=True)) for a, b in zip(TAGS, CHUNK_TAGS, strict=True)]
    assert list(riata.to_frame(WORDS, pairs).columns) == ["sentence", "word", "label1", "label2"]
    assert list(riata.to_frame(CHUNKS).columns) == ["sentence", "word", "column1", "column2"]


@for_rows(
    "given, error, said",
    ({"labels": TAGS[:1]}, DataError, "do not fit"),
    ({"names": ["a", "b"]}, SettingError, "1 columns and 2 names"),
    ({"names": ["sentence"]}, SettingError, "one name"),
    ({"names": ["label"], "labels": TAGS}, SettingError, "one name"),
    ({"library": "dask"}, SettingError, "pandas or polars"),
)
def test_what_makes_no_frame_is_refused(given, error, said):
    refused(error, said, riata.to_frame, WORDS, **given)


def test_features_are_no_frame():
    refused(DataError, "no columns", riata.to_frame, [[{"word": "a"}]])


def dataset(**features):
    datasets = pytest.importorskip("datasets", reason="Hugging Face's datasets are not installed: pip install datasets")
    made = datasets.Dataset.from_dict(ROWS)
    if features:
        names = sorted({tag for sentence in TAGS for tag in sentence})
        numbers = [[names.index(tag) for tag in sentence] for sentence in TAGS]
        kind = datasets.Sequence(datasets.ClassLabel(names=names))
        made = datasets.Dataset.from_dict({"tokens": WORDS, "pos": numbers}).cast_column("pos", kind)
    return made


def test_a_data_set_of_hugging_face_is_a_corpus():
    corpus = riata.from_dataset(dataset(), ["tokens", "pos", "chunks"])
    assert [list(sentence) for sentence in corpus] == CHUNKS
    stream = dataset().to_iterable_dataset()
    assert riata.from_dataset(stream, ["tokens", "pos"]).sentences_of(1) == TAGS


def test_numbers_of_labels_become_their_names():
    corpus = riata.from_dataset(dataset(names=True), ["tokens", "pos"])
    assert corpus.sentences_of(1) == TAGS


def test_wrong_data_sets_are_refused():
    datasets = pytest.importorskip("datasets")
    refused(DataError, "several splits", riata.from_dataset, datasets.DatasetDict({"train": dataset()}), ["tokens"])
    refused(DataError, "no column 'words'; known: tokens, pos, chunks", riata.from_dataset, dataset(), ["words"])
    refused(SettingError, "list of columns", riata.from_dataset, dataset(), "tokens")
    refused(DataError, "expected a Dataset", riata.from_dataset, [["a"]], ["tokens"])
    odd = datasets.Dataset.from_dict({"tokens": [["a", "b"]], "tags": [["X"]]})
    refused(DataError, "2 values in 'tokens' and 1 in 'tags'", riata.from_dataset, odd, ["tokens", "tags"])
    numbers = datasets.Dataset.from_dict({"tokens": [["a"]], "tags": [[7]]})
    refused(DataError, "contains 7; expected texts", riata.from_dataset, numbers, ["tokens", "tags"])
    texts = datasets.Dataset.from_dict({"tokens": ["a b"]})
    refused(DataError, "expected a list", riata.from_dataset, texts, ["tokens"])


def test_parquet_files_have_a_row_per_sentence_or_per_token(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    flat("pandas").to_parquet(tmp_path / "tokens.parquet")
    columns = ["word", "pos", "chunk"]
    corpus = riata.read_parquet(tmp_path / "tokens.parquet", columns, sentence="sentence")
    assert [list(sentence) for sentence in corpus] == CHUNKS
    refused(DataError, "expected a list", riata.read_parquet, tmp_path / "tokens.parquet", columns)
    refused(DataError, "no such file", riata.read_parquet, tmp_path / "none.parquet", columns)
    (tmp_path / "bad.parquet").write_text("no")
    with pytest.raises(DataError, match=r"no Parquet file that can be read: .*[^.]\.$"):
        riata.read_parquet(tmp_path / "bad.parquet", columns)


def test_parquet_files_of_hugging_face_have_names_of_labels(tmp_path):
    pytest.importorskip("pyarrow")
    dataset(names=True).to_parquet(str(tmp_path / "s.parquet"))
    corpus = riata.read_parquet(tmp_path / "s.parquet", ["tokens", "pos"])
    assert corpus.sentences_of(0) == WORDS
    assert corpus.sentences_of(1) == TAGS


def test_none_of_these_libraries_is_imported_by_riata():
    program = "import riata, sys; riata.to_frame, riata.from_dataset, riata.Tagger; print([m for m in "
    program += (
        "('pandas', 'polars', 'datasets', 'pyarrow', 'spacy', 'nltk', 'fastapi', 'uvicorn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
