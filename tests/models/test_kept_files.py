"""Model files that Riata 0.1 wrote before models of all structures were one class: they are read, and written again byte by byte."""

import json
from pathlib import Path

import pytest

import riata
from riata.estimators.model_file import SEARCH, to_bytes
from riata.models.container import pack, unpack

FOLDER = Path(__file__).parent / "kept"
KEPT = json.loads((FOLDER / "predicted-0.1.json").read_text(encoding="utf-8"))
NAMES = sorted(KEPT["predicted"])


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_file_is_read_and_labels_as_it_did(name):
    model, expected = riata.load_model(FOLDER / f"{name}-0.1.riata"), KEPT["predicted"][name]
    sentences = [[tuple(token[: len(model.inputs_)]) for token in sentence] for sentence in KEPT["inputs"]]
    found = model.predict(sentences[: len(expected)])
    assert [[list(label) if isinstance(label, tuple) else label for label in row] for row in found] == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_file_is_written_again_as_it_was(name):
    """Later versions store how outputs are searched, too."""
    path = FOLDER / f"{name}-0.1.riata"
    header, arrays = unpack(memoryview(to_bytes(riata.load_model(path))))
    header.pop(SEARCH, None)
    assert pack(header, arrays) == path.read_bytes()
