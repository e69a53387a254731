"""Rows in model files: of earlier labels and of segments. Nothing is lost, nothing kept without weight, nothing hostile gets in."""

import copy
import random

import numpy as np
import pytest

from checks import refused, stored
from mangling import EXTREMES, HOSTILE
from models.test_model_file import MODELS, check_mangled
from packed_weights import weights_of
from riata import Chunker, Tagger, registry
from riata.data.memory import as_corpus
from riata.errors import ModelFileError, RiataError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.models import container
from riata.models.parts import row_width
from riata.models.weights_by_name import by_name
from riata.structures.segments.model import Rows
from riata.structures.segments.templates import parse as parse_segments
from samples import CHUNKS, INPUTS, UNSEEN, WORDS, embedded, for_each, history_chunker, segment_chunker

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
    monkeypatch.setattr("riata.models.parts.MOST_MEMORY", 10**6)
    monkeypatch.setattr("riata.structures.chain.model.unpack_chain", None)
    refused(ModelFileError, "GiB", from_bytes, container.pack(header, arrays))


# --- model files of segments: what carries no weight is left out, and what stands for no feature is refused ----------
def segment_parts():
    header, arrays = container.unpack(memoryview(to_bytes(segment_chunker())))
    return header, {name: array.copy() for name, array in arrays.items()}


def changed(arrays, name, place, value):
    array = arrays[name].astype(np.int64 if arrays[name].dtype.kind == "u" else np.float32)
    array[place] = value
    return {**arrays, name: array}


def test_what_carries_no_weight_is_left_out():
    made = Chunker("laso-perceptron", structure="segments", epochs=1).fit(embedded()[:60])
    model, loaded = made.model_, from_bytes(to_bytes(made)).model_
    before, after = model.weights, loaded.weights
    assert np.count_nonzero(after.flat()) == np.count_nonzero(before.flat().astype(np.float32))
    assert len(after.flat()) < 0.9 * len(before.flat())
    assert loaded.features.index.size(0) < model.features.index.size(0)
    assert by_name(loaded).heaviest(10**6) == by_name(model).heaviest(10**6)


@pytest.mark.parametrize("zeros", [0.3, 0.9, 1.0])
def test_a_model_with_many_zeros_predicts_the_same_in_a_smaller_file(zeros):
    """Also rows that grow go, unless a longer one goes on from them."""
    made = copy.copy(segment_chunker())
    model = made.model_
    flat = model.weights.flat()
    draw = np.random.default_rng(1)
    flat[draw.random(len(flat)) < zeros] = 0
    weights = copy.copy(model.weights)
    weights.set_flat(flat)
    made.model_ = model.with_weights(weights)
    loaded = from_bytes(to_bytes(made))
    rng, flat_probe = random.Random(0), [token for sentence in MODELS["segment_chunker"][1] for token in sentence]
    probe = [[rng.choice(flat_probe) for _ in range(rng.randrange(1, 9))] for _ in range(100)]
    assert loaded.predict(probe) == made.predict(probe)
    assert by_name(loaded.model_).heaviest(10**6) == by_name(made.model_).heaviest(10**6)
    assert to_bytes(loaded) == to_bytes(made)
    parents, _ = loaded.model_.weights.rows()
    heavy = loaded.model_.weights.flat().reshape(-1, row_width(len(model.outputs.segmentation.types))).any(axis=1)
    leaves = ~np.isin(np.arange(len(parents)), parents)
    assert heavy[leaves].all()
    assert len(parents) < len(model.weights.rows()[0])
    if zeros == 1.0:
        assert len(parents) == 0
        assert len(loaded.model_.weights.roots()[0]) == len(model.features.segments.slots)
        assert all(loaded.model_.features.index.size(f) == 0 for f in range(len(model.features.program.families)))


def test_training_goes_on_from_a_pruned_model(tmp_path):
    data = embedded()[:60]
    made = Chunker("laso-perceptron", structure="segments", epochs=2).fit(data)
    loaded = stored(made, tmp_path)
    loaded.set_params(warm_start=True, epochs=1).fit(data)
    made.set_params(warm_start=True, epochs=1).fit(data)
    assert loaded.predict(data) == made.predict(data)


def test_rows_that_stand_for_nothing_are_refused():
    """Steps that lead nowhere, codes of no label, n-grams that are unknown, numbers that are none."""
    header, arrays = segment_parts()
    loaded = from_bytes(container.pack(header, arrays)).model_
    rows = Rows(loaded.features.segments, loaded.weights.roots(), loaded.weights.rows())
    some = int(np.argmax(rows.family >= 0))
    broken = [
        changed(arrays, "rows/values", some, 10_000),
        changed(arrays, "rows/values", int(np.argmax(rows.depth > 1)), 10_000),
        changed(arrays, "rows/parents", len(rows.parents) - 1, len(rows.parents) + 100),
        changed(arrays, "roots/slots", -1, 99),
        changed(arrays, "roots/slots", 0, 1),
        changed(arrays, "roots/codes", -1, 30_000),
        changed(arrays, "roots/codes", 0, 1),
        changed(arrays, "weights/steps", 1, 0),
        changed(arrays, "weights/steps", 0, 7),  # a column without a label
        changed(arrays, "weights/values", 0, np.nan),
        changed(arrays, "weights/values", 0, np.inf),
        changed(arrays, "family/0/values", 0, 10_000),
    ]
    single = int(np.flatnonzero(rows.aside < 0)[0])  # from which nothing goes on
    roots = len(loaded.weights.roots()[0])
    for name, value in (("parents", single + roots), ("values", 1)):
        arrays = {**arrays, f"rows/{name}": np.append(arrays[f"rows/{name}"], value).astype(np.uint16)}
    broken.append(arrays)
    for one in broken:
        refused(RiataError, r"inconsistent|finite|do not fit", from_bytes, container.pack(header, one))


def test_a_weight_on_the_way_to_a_feature_is_refused():
    made = Chunker("early", epochs=1, template=parse_segments("around tag[0]\nlength")).fit(CHUNKS)
    header, arrays = container.unpack(memoryview(to_bytes(made)))
    loaded = from_bytes(to_bytes(made)).model_
    flat = loaded.weights.flat()
    half = np.flatnonzero(~Rows(loaded.features.segments, loaded.weights.roots(), loaded.weights.rows()).whole)
    assert len(half)
    for row in half[:5]:
        wrong = flat.copy()
        wrong[8 * row] = 1.0
        places = np.flatnonzero(wrong)
        given = {"weights/steps": np.diff(places, prepend=0).astype(np.uint32), "weights/values": wrong[places]}
        refused(ModelFileError, "weights are inconsistent", from_bytes, container.pack(header, {**arrays, **given}))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@for_each(key=["structure", "labels", "longest", "segment_encoding", "templates", "lists", "encoding", "learnt_as"])
def test_every_value_of_the_header_may_be_anything(key):
    header, arrays = segment_parts()
    probe = MODELS["segment_chunker"][1]
    values = [*HOSTILE, "segments", "chain", 1 << 20, (1 << 20) + 1, *registry.names("encoding")]
    bad = sum(not check_mangled(container.pack({**header, key: value}, arrays), probe) for value in values)
    assert bad > len(values) / 2


def test_a_limit_that_no_sentence_reaches_costs_nothing():
    header, arrays = segment_parts()
    loaded = from_bytes(container.pack({**header, "longest": 1 << 20}, arrays))
    assert [len(tags) for tags in loaded.set_params(queue="exact", beam=None).predict([[("a", "NN")] * 30])] == [30]


def test_one_label_and_words_alone():
    tagger = Tagger("early", structure="segments", epochs=2).fit(WORDS, [["A"] * len(s) for s in WORDS])
    assert from_bytes(to_bytes(tagger)).predict(WORDS) == tagger.predict(WORDS)
    assert from_bytes(to_bytes(segment_chunker())).predict(CHUNKS) == segment_chunker().predict(CHUNKS)
