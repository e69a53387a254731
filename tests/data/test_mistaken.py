"""Files that are no columns are told by name, and no column file is taken for one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from riata.data.columns import stream
from riata.data.mistaken import looked_through
from riata.errors import DataError


def put(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "file.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (json.dumps({"tokens": ["a"], "tags": ["O"]}) + "\n", "file.txt:1: this is JSON; .*\n.*read_jsonl"),
        ("\n\n" + json.dumps({"text": "a"}), "file.txt:3: this is JSON"),
        (json.dumps([{"text": "a"}], indent=2), "file.txt:1: this is JSON"),
        (json.dumps([{"text": "a"}]), "file.txt:1: this is JSON"),
        (json.dumps(["a b", {"entities": []}]) + "\n", "file.txt:1: this is JSON"),
        ('{"text": "cut', "file.txt:1: this is JSON"),
        ("\ufeff" + '{"text": "a"}\n', "file.txt:1: this is JSON"),
        ("token,label\nParis,B-LOC\n", "file.txt:1: this is CSV, 2 values between ','"),
        ('1,"The bus",O\n1,stopped,O\n2,"a ""b"" c",O\n', "file.txt:1: this is CSV, 3 values"),
        ("Sentence #;Word;Tag\n1;Anna;B-PER\n;left;O\n", "file.txt:1: this is CSV, 3 values between ';'"),
        ("word\ttag\nAnna\tB-PER\n", r"file.txt:1: the first line names the columns .word, tag."),
        ("Token Label\n\nAnna B-PER\n", r"file.txt:1: the first line names the columns .Token, Label."),
        ("Sentence #\tWord\tPOS\tTag\n1\tAnna\tNNP\tB-PER\n", "the first line names the columns"),
    ],
)
def test_files_of_another_kind_are_refused_with_a_remedy(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        riata.read_columns(put(tmp_path, text))
    with pytest.raises(DataError, match=said):
        list(stream(put(tmp_path, text)))


@pytest.mark.parametrize(
    "text",
    [
        '{ (\n" ``\nword NN\n',
        "[ O\n{ O\n",
        '["\n',
        "{ -LRB-\n\" ''\n",
        '{"a O\nb O\n',
        "1,000 CD\n2,000 CD\n3,000 CD\n",
        "word NN\ntag NN\n",
        "The DT\nword tag\n",
        "\nword tag\nAnna B-PER\n",
        "tag\nword\n",
        "id x\n",
    ],
)
def test_columns_are_taken_for_columns(tmp_path, text):
    assert riata.read_columns(put(tmp_path, text)).tokens


@given(st.lists(st.binary(max_size=30), max_size=6))
def test_bytes_are_passed_on_as_they_are(pieces):
    try:
        found = b"".join(looked_through(iter(pieces)))
    except DataError:
        return
    assert found == b"".join(pieces)


def test_no_corpus_is_taken_for_another_kind_of_file():
    folder = os.environ.get("RIATA_DATA")
    if not folder:
        pytest.skip("needs RIATA_DATA")
    from riata.data.columns import pieces

    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and path.suffix in (
            ".txt",
            ".conll",
            ".conllu",
            ".gz",
            ".esp",
            ".data",
            ".train",
            ".testa",
            ".testb",
        ):
            part = next(iter(pieces(path)))
            first = part.decode("utf-8", errors="replace").lstrip()[:1]
            if first not in ("{", "[") and "csv" not in path.name and "tsv" not in path.name:
                assert next(looked_through(iter([part]))) == part, path
