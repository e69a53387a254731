"""Features of earlier labels in the model file: nothing is lost, nothing is kept without weight, nothing hostile gets in."""

import numpy as np
import pytest

from checks import refused
from mangling import EXTREMES
from packed_weights import weights_of
from riata import Chunker, Tagger
from riata.data.memory import as_corpus
from riata.errors import ModelFileError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.models import container
from riata.models.weights_by_name import by_name
from samples import CHUNKS, INPUTS, UNSEEN, WORDS, for_each, history_chunker

PROBE = INPUTS + [[(word, "NN") for word in sentence] for sentence in UNSEEN]
ARRAYS = [
    "history/slots",
    "history/ngrams",
    "history/labels",
    "history/rows/counts",
    "history/rows/columns",
    "history/rows/values",
]


def parts():
    header, arrays = container.unpack(memoryview(to_bytes(history_chunker())))
    return header, {name: array.copy() for name, array in arrays.items()}


def test_weights_and_scores_come_back():
    before, after = history_chunker().model_, from_bytes(to_bytes(history_chunker())).model_
    assert weights_of(after) == weights_of(before)
    assert sum("label" in feature for (feature, _), _ in weights_of(before)) > 10
    ids = before.predict(as_corpus(PROBE))
    scores = [m.scores_of(m.features.instances(as_corpus(PROBE)), ids) for m in (before, after)]
    assert scores[0].tolist() == scores[1].tolist()


def test_a_model_that_reads_no_labels_has_no_such_arrays():
    _, arrays = container.unpack(memoryview(to_bytes(Tagger("early", epochs=1).fit(WORDS, WORDS))))
    assert not any(name.startswith("history") for name in arrays)
    assert set(ARRAYS) <= set(parts()[1])


def test_rows_without_weight_and_their_n_grams_are_left_out():
    """The last weights of a training in which every other update is taken back: some rows end at zero."""
    template = parse("label[-1] word[0]\nlabel[-2] label[-1]\nbias[0]")
    made = Tagger("early", beam=1, epochs=1, template=template, settings={"average": False, "shuffle": False})
    words, labels = [["a", "b"], ["a", "b"]], [["Y", "X"], ["X", "X"]]
    made.fit(words, labels)
    weights = weights_of(made.model_)
    _, arrays = made.model_.to_parts()
    assert 0 not in weights.values()
    assert len(arrays["history/slots"]) == len({(key, before[:-1]) for (key, before) in weights if "label" in key[0]})
    assert all(arrays["history/rows/counts"] > 0)
    assert weights_of(from_bytes(to_bytes(made)).model_) == weights


def test_the_same_seed_gives_the_same_bytes():
    template = history_chunker().model_.features.templates
    contents = [
        to_bytes(Chunker("early", beam=3, epochs=4, seed=seed, template=template).fit(CHUNKS)) for seed in (5, 5, 6)
    ]
    assert contents[0] == contents[1] != contents[2]


# --- hostile files ---------------------------------------------------------------------------------------------------
def refused_or_works(header, arrays):
    try:
        model = from_bytes(container.pack(header, arrays))
    except ModelFileError as error:
        assert str(error)
        return False
    assert [len(labels) for labels in model.predict(PROBE)] == [len(s) for s in PROBE]
    by_name(model.model_).heaviest(3)
    assert from_bytes(to_bytes(model)).predict(PROBE) == model.predict(PROBE)
    return True


@pytest.mark.parametrize("name", ARRAYS)
def test_every_number_of_every_array_may_be_anything(name):
    header, arrays = parts()
    accepted = tried = 0
    values = [np.nan, np.inf, -np.inf, 3e38, 0.0] if name.endswith("values") else EXTREMES
    for place in range(0, arrays[name].size, 1 + arrays[name].size // 12):
        for value in values:
            wide = arrays[name].astype(np.float32 if name.endswith("values") else np.uint32)
            wide[place] = value
            tried += 1
            accepted += refused_or_works(header, {**arrays, name: wide})
    assert accepted < tried


@for_each(name=ARRAYS, cut=[0, 1, -1, "double", "missing", "float", "negative"])
def test_arrays_of_another_size_or_kind_are_refused(name, cut):
    header, arrays = parts()
    array = arrays[name]
    if cut == "missing":
        del arrays[name]
    elif cut == "double":
        arrays[name] = np.concatenate([array, array])
    elif cut == "float":
        arrays[name] = array.astype(np.uint32 if array.dtype.kind == "f" else np.float32)
    elif cut == "negative":
        arrays[name] = (
            np.full(array.size, np.nan, np.float32) if array.dtype.kind == "f" else -array.astype(np.int32) - 1
        )
    else:
        arrays[name] = array[:cut]
    refused(ModelFileError, "", from_bytes, container.pack(header, arrays))


def test_a_feature_that_stands_there_twice_is_refused():
    header, arrays = parts()
    slots, counts = arrays["history/slots"], arrays["history/rows/counts"]
    read = [2, 1, 2][int(slots[-1])]  # labels that the template of the last row reads
    for name, many in {
        "history/slots": 1,
        "history/ngrams": 1,
        "history/labels": read,
        "history/rows/counts": 1,
        "history/rows/columns": int(counts[-1]),
        "history/rows/values": int(counts[-1]),
    }.items():
        arrays[name] = np.concatenate([arrays[name], arrays[name][-many:]])
    refused(ModelFileError, "features of earlier labels are inconsistent", from_bytes, container.pack(header, arrays))


@pytest.mark.parametrize("line", ["label[-8]", "label[-8] label[-1] word[0]"])
def test_templates_that_read_too_far_back_for_the_labels_are_refused(line):
    header, arrays = parts()
    count = 300
    header["labels"] = [f"B-{i}" for i in range(count)]
    header["templates"] = [line if "label" in text else text for text in header["templates"][:3]]
    arrays |= {
        "start": np.ones(count, np.uint8),
        "end": np.ones(count, np.uint8),
        "follow": np.ones(count**2, np.uint8),
    }
    refused(ModelFileError, "", from_bytes, container.pack(header, arrays))


def test_a_file_whose_rows_ask_for_too_much_memory_is_refused(monkeypatch):
    header, arrays = parts()
    for name in ("slots", "ngrams"):
        arrays[f"history/{name}"] = np.zeros(10**6, np.uint8)
    monkeypatch.setattr("riata.models.feature_parts.MOST_MEMORY", 10**6)
    monkeypatch.setattr("riata.models.structures.chain.unpack_chain", None)
    refused(ModelFileError, "GiB", from_bytes, container.pack(header, arrays))
