"""Model files of segments: what carries no weight is left out, and what stands for no feature is refused."""

import copy
import random

import numpy as np
import pytest

from checks import refused, stored
from mangling import HOSTILE
from models.test_model_file import MODELS, check_mangled
from riata import Chunker, Tagger, registry
from riata.errors import ModelFileError, RiataError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.segments import parse
from riata.models import container
from riata.models.feature_parts import row_width
from riata.models.segment_pruning import Rows
from riata.models.weights_by_name import by_name
from samples import CHUNKS, WORDS, embedded, for_each, segment_chunker


def parts():
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
    header, arrays = parts()
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
    made = Chunker("early", epochs=1, template=parse("around tag[0]\nlength")).fit(CHUNKS)
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
    header, arrays = parts()
    probe = MODELS["segment_chunker"][1]
    values = [*HOSTILE, "segments", "chain", 1 << 20, (1 << 20) + 1, *registry.names("encoding")]
    bad = sum(not check_mangled(container.pack({**header, key: value}, arrays), probe) for value in values)
    assert bad > len(values) / 2


def test_a_limit_that_no_sentence_reaches_costs_nothing():
    header, arrays = parts()
    loaded = from_bytes(container.pack({**header, "longest": 1 << 20}, arrays))
    assert [len(tags) for tags in loaded.set_params(queue="exact", beam=None).predict([[("a", "NN")] * 30])] == [30]


def test_one_label_and_words_alone():
    tagger = Tagger("early", structure="segments", epochs=2).fit(WORDS, [["A"] * len(s) for s in WORDS])
    assert from_bytes(to_bytes(tagger)).predict(WORDS) == tagger.predict(WORDS)
    assert from_bytes(to_bytes(segment_chunker())).predict(CHUNKS) == segment_chunker().predict(CHUNKS)
