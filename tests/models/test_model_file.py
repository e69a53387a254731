"""Model files: the model that comes back is the one that went in, and no file, however mangled, does harm."""

import copy
import hashlib
import json
import pickle
import random
import time
from pathlib import Path

import numpy as np
import pytest

import riata
from checks import refused
from mangling import HOSTILE, mangled_arrays, mangled_bytes, mangled_header, mangled_places, places_in, try_mangled
from oracle.hashing import table_of
from riata import Chunker, Tagger, errors
from riata.errors import ModelFileError, UnsupportedError
from riata.estimators.model_file import SEARCH, from_bytes, to_bytes
from riata.features.templates import parse
from riata.measuring.cost import peak_mb
from riata.models import container
from riata.models.weights_by_name import by_name
from samples import (
    CHUNKS,
    FEATURES,
    INPUTS,
    TAGS,
    UNSEEN,
    WORDS,
    chunker,
    draws,
    feature_tagger,
    for_rows,
    hashed_chunker,
    history_chunker,
    number_tagger,
    recoded_chunker,
    segment_chunker,
    some_slow,
    tagger,
)

NUMBERS = [[(word, f"{len(word) / 10}") for word in sentence] for sentence in WORDS + UNSEEN]
MODELS = {
    "chunker": (chunker, INPUTS + [[(word, "NN") for word in sentence] for sentence in UNSEEN]),
    "history_chunker": (history_chunker, INPUTS + [[(word, "NN") for word in sentence] for sentence in UNSEEN]),
    "recoded_chunker": (recoded_chunker, INPUTS + [[(word, "NN") for word in sentence] for sentence in UNSEEN]),
    "segment_chunker": (segment_chunker, INPUTS + [[(word, "NN") for word in sentence] for sentence in UNSEEN]),
    "tagger": (tagger, WORDS + UNSEEN),
    "feature_tagger": (feature_tagger, [*FEATURES, [{"word": "dog", "other": 2.0}]]),
    "number_tagger": (number_tagger, NUMBERS),
    "hashed_chunker": (hashed_chunker, NUMBERS),
}
EVERY_MODEL = pytest.mark.parametrize(("model", "probe"), MODELS.values(), ids=MODELS)


def heaviest_of(model, top):
    """The heaviest features; hashed ones have no names but their places."""
    return table_of(model) if model.features.bits else by_name(model).heaviest(top)


def vowels(word):
    return "".join(c for c in word if c in "aeiou")


def consonants(word):
    return "".join(c for c in word if c not in "aeiou")


# --- there and back ----------------------------------------------------------------------------------------------------
@EVERY_MODEL
def test_a_loaded_model_predicts_as_before_and_saves_the_same_bytes(tmp_path, model, probe):
    first, second = tmp_path / "first.riata", tmp_path / "second.riata"
    model().save(first)
    loaded = riata.load_model(first)
    loaded.save(second)
    assert second.read_bytes() == first.read_bytes()
    assert type(loaded) is type(model())
    assert loaded.predict(probe) == model().predict(probe)
    for name in ("classes_", "inputs_", "output_", "encoding_", "learnt_as_", "best_epoch_", "best_score_", "facts_"):
        assert getattr(loaded, name) == getattr(model(), name), name
    assert loaded.get_params() | {"template": None} == model().get_params() | {"template": None}


@EVERY_MODEL
def test_a_loaded_model_has_the_same_weights_under_the_same_names(model, probe):
    before, after = model().model_, from_bytes(to_bytes(model())).model_
    assert by_name(after).count() == by_name(before).count() > 0
    assert heaviest_of(after, 50) == heaviest_of(before, 50)
    assert by_name(after).transitions(50) == by_name(before).transitions(50)


@EVERY_MODEL
def test_pruning_changes_no_prediction(model, probe):
    """The model in memory still has every n-gram of training; the one from the file has those with weight only."""
    before, after = model().model_, from_bytes(to_bytes(model())).model_
    sizes = [{name: array.size for name, array in m.to_parts()[1].items()} for m in (before, after)]
    assert sizes[0] == sizes[1]
    rng = random.Random(0)
    flat = [token for sentence in probe for token in sentence]
    shuffled = [[rng.choice(flat) for _ in range(rng.randrange(1, 9))] for _ in range(300)]
    assert from_bytes(to_bytes(model())).predict(shuffled) == model().predict(shuffled)


def test_n_grams_without_weight_are_not_stored():
    """Every sentence is right from the start, so nothing is learnt and nothing is stored."""
    learnt_nothing = Tagger(epochs=1).fit(WORDS, [["A"] * len(sentence) for sentence in WORDS])
    header, arrays = learnt_nothing.model_.to_parts()
    assert header["labels"] == ["A"]
    stored = {name: array.size for name, array in arrays.items() if name not in ("start", "end", "follow")}
    assert {name: size for name, size in stored.items() if size} == {"transition/counts": 1}
    assert learnt_nothing.model_.features.index is not None
    assert from_bytes(to_bytes(learnt_nothing)).predict(UNSEEN) == learnt_nothing.predict(UNSEEN)


def test_double_precision_models_are_stored_in_single_precision():
    double = Tagger(epochs=3, settings={"precision": "double"}).fit(WORDS, TAGS)
    loaded = from_bytes(to_bytes(double))
    assert to_bytes(loaded) == to_bytes(double)
    assert loaded.predict(WORDS + UNSEEN) == double.predict(WORDS + UNSEEN)


@pytest.mark.parametrize("structure", ["chain", "segments", "kernel-chain"])
def test_models_learnt_in_double_precision_predict_the_same_after_saving(structure):
    changed = []
    for turn in range(8):
        draw = random.Random(turn)
        words = [[draw.choice("abc") for _ in range(draw.randint(2, 5))] for _ in range(8)]
        labels = [[draw.choice(["B-X", "O", "B-Y"]) for _ in sentence] for sentence in words]
        made = Chunker("m3n", structure=structure, settings={"precision": "double", "C": 3.0, "gap": 0.001})
        loaded = from_bytes(to_bytes(made.fit(words, labels)))
        assert loaded.model_.single
        if loaded.predict(words) != made.predict(words):
            changed.append(turn)
    assert not changed  # optima of hinge losses have outputs of equal scores, which rounding puts in some order


@EVERY_MODEL
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_go_through_the_file_format(model, probe, protocol):
    state = model().__getstate__()
    assert state["model"] == to_bytes(model())
    again = pickle.loads(pickle.dumps(model(), protocol))
    assert to_bytes(again) == to_bytes(model())
    assert again.predict(probe) == model().predict(probe)
    assert again.get_params() == model().get_params()


@EVERY_MODEL
def test_copies_predict_the_same(model, probe):
    for twin in (copy.copy(model()), copy.deepcopy(model())):
        assert twin is not model()
        assert twin.predict(probe) == model().predict(probe)


def test_joblib_stores_and_restores_models(tmp_path):
    joblib = pytest.importorskip("joblib")
    joblib.dump(tagger(), tmp_path / "m.joblib")
    assert joblib.load(tmp_path / "m.joblib").predict(UNSEEN) == tagger().predict(UNSEEN)


def test_an_untrained_estimator_pickles_with_its_parameters():
    again = pickle.loads(pickle.dumps(Tagger(epochs=7)))
    assert again.get_params() == Tagger(epochs=7).get_params()
    refused(errors.NotFittedError, "", again.save, "nowhere")


def test_numbers_of_numpy_are_stored_as_numbers():
    plain = Tagger(epochs=2, seed=1, class_weight={"DT": 2.0}).fit(WORDS, TAGS)
    weights = {"DT": np.float32(2)}
    assert to_bytes(Tagger(epochs=np.int64(2), seed=np.uint8(1), class_weight=weights).fit(WORDS, TAGS)) == (
        to_bytes(plain)
    )


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others():
    contents = [to_bytes(Chunker(epochs=3, seed=seed).fit(CHUNKS)) for seed in (5, 5, 6)]
    assert contents[0] == contents[1] != contents[2]


# --- functions of the user ---------------------------------------------------------------------------------------------
def with_functions(**attributes):
    template = parse("\n".join(["word[0]", *(f"{name}[0]" for name in attributes)]))
    return Tagger(epochs=3, template=template, attributes=attributes).fit(WORDS, TAGS)


def test_functions_are_stored_by_name_and_must_be_supplied(tmp_path):
    model = with_functions(vowels=vowels, rest=consonants)
    model.save(tmp_path / "m.riata")
    caught = refused(ModelFileError, "", riata.load_model, tmp_path / "m.riata", using=[vowels])
    assert str(tmp_path / "m.riata") in str(caught)
    assert f"{__name__}.consonants" in str(caught)
    assert "using=[consonants]" in str(caught)
    assert f"{__name__}.vowels" not in str(caught)
    refused(ModelFileError, r"consonants, .*vowels", riata.load_model, tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata", using=[len, vowels, consonants])
    assert loaded.predict(UNSEEN) == model.predict(UNSEEN)
    assert to_bytes(loaded) == to_bytes(model)


def test_nothing_is_imported_by_name(tmp_path, monkeypatch):
    """A file that names a module which would run code when imported."""
    (tmp_path / "evil_module.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    header, arrays = container.unpack(memoryview(to_bytes(with_functions(vowels=vowels))))
    header["functions"] = {"vowels": "evil_module.run"}
    refused(ModelFileError, r"evil_module\.run", from_bytes, container.pack(header, arrays))


def test_functions_that_share_a_name_are_refused_and_not_confused():
    model = with_functions(a=lambda word: word[0], b=lambda word: word[-1])
    refused(UnsupportedError, "'a' and 'b' are different functions of one name", to_bytes, model)

    def vowels(word):
        return word

    shadowed = with_functions(vowels=vowels)
    vowels.__module__, vowels.__qualname__ = __name__, "vowels"
    with pytest.raises(ModelFileError, match="two things of one name"):
        from_bytes(to_bytes(shadowed), using=[vowels, globals()["vowels"]])


def test_pickles_bring_their_functions_along():
    model = with_functions(vowels=vowels)
    again = pickle.loads(pickle.dumps(model))
    assert again.attributes == {"vowels": vowels}
    assert again.predict(UNSEEN) == model.predict(UNSEEN)
    assert pickle.loads(pickle.dumps(model.set_params(attributes=None))).predict(UNSEEN) == model.predict(UNSEEN)


# --- files that are not whole ------------------------------------------------------------------------------------------
@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "m.riata"
    path.write_bytes(to_bytes(tagger()))
    return path


def not_loaded(path, says=""):
    caught = refused(ModelFileError, says, riata.load_model, path)
    assert str(caught).startswith(f"{path}: ")
    assert caught.remedy
    return str(caught)


def test_a_file_cut_anywhere_is_refused(saved):
    whole = saved.read_bytes()
    edges = [0, 1, 7, 8, 9, 31, 32, 63, 64, 65, len(whole) - 64, len(whole) - 1]
    for length in [*edges, *random.Random(0).sample(range(len(whole)), 200)]:
        saved.write_bytes(whole[:length])
        not_loaded(saved, "empty" if length == 0 else "damaged")
    saved.write_bytes(whole + b"\0")
    not_loaded(saved, "damaged")


def test_a_file_with_one_wrong_bit_is_refused(saved):
    whole = saved.read_bytes()
    everywhere = random.Random(1).sample(range(64, len(whole)), 400)
    for position in [*range(64), *everywhere]:
        changed = bytearray(whole)
        changed[position] ^= 1 << (position % 8)
        saved.write_bytes(changed)
        expected = "not a Riata model" if position < 8 else "version" if position < 12 else "damaged"
        not_loaded(saved, f"{expected}|checksum")


def test_files_that_are_no_models_are_refused(saved, tmp_path):
    for content in (b"", b"\n", b"the DT B-NP\n" * 100, pickle.dumps(tagger()), random.Random(2).randbytes(5000)):
        saved.write_bytes(content)
        not_loaded(saved, "not a Riata model|empty")
    not_loaded(tmp_path, "directory")
    not_loaded(tmp_path / "none.riata", "no such file")


def test_a_container_that_holds_no_model_is_refused(saved):
    for header in (
        {},
        {"format": "riata model"},
        {"format": "riata model", "task": "graph"},
        {"format": 1, "task": "tag"},
    ):
        saved.write_bytes(container.pack(header, {}))
        not_loaded(saved, "no model that this Riata knows")


# --- mangled files with a right checksum --------------------------------------------------------------------------------
def check_mangled(content, probe):
    """Refused, or as good as any other model: predicts, is looked into, is saved and loaded again."""
    try:
        model = from_bytes(content)
    except ModelFileError as error:
        assert str(error)
        return False
    first = model.predict(probe) if not wants_other_input(model, probe) else None
    if first is not None:
        assert [len(labels) for labels in first] == [len(sentence) for sentence in probe]
        assert {label for labels in first for label in labels} <= set(model.classes_)
    heaviest_of(model.model_, 3)
    by_name(model.model_).transitions(3)
    again = from_bytes(to_bytes(model))
    assert first is None or again.predict(probe) == first
    assert repr(again) == repr(model)
    return True


def wants_other_input(model, probe):
    """A mangled model may read other columns, or numbers where there are words: a clear error of the data. Or it allows no
    sequence that a beam can find.
    """
    try:
        model.predict(probe)
    except (errors.DataError, errors.SearchError):
        return True
    return False


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mangled", [mangled_bytes, mangled_header, mangled_places, mangled_arrays])
@EVERY_MODEL
def test_mangled_files_are_refused_or_work(model, probe, mangled):
    try_mangled(mangled, to_bytes(model()), lambda file: check_mangled(file, probe), times=draws(300), most_mb=1000)


@EVERY_MODEL
def test_a_file_that_asks_for_too_much_memory_is_refused(monkeypatch, model, probe):
    content = to_bytes(model())
    monkeypatch.setattr("riata.models.parts.MOST_MEMORY", 100)
    refused(ModelFileError, "GiB", from_bytes, content)


def test_many_labels_without_their_flags_are_refused_before_memory_is_asked_for(monkeypatch):
    header, arrays = container.unpack(memoryview(to_bytes(chunker())))
    header["labels"] = [str(i) for i in range(4096)]
    monkeypatch.setattr("riata.structures.chain.model.StoredChain", None)
    refused(ModelFileError, "'start' is inconsistent", from_bytes, container.pack(header, arrays))


@pytest.mark.parametrize("part", some_slow(range(4), range(1, 4)))
def test_every_value_of_the_header_may_be_anything(part):
    """A quarter of the values at every place: other ones at the next."""
    content = to_bytes(chunker())
    whole, arrays = container.unpack(memoryview(content))
    paths = [path for path in places_in(whole) if 0 < len(path) <= 2 and (len(path) == 1 or path[1] != 1)]
    assert len(paths) > 40
    bad = tried = 0
    for at, path in enumerate(paths):
        for value in HOSTILE[(part + at) % 4 :: 4]:
            tried += 1
            header = copy.deepcopy(whole)
            parent = header if len(path) == 1 else header[path[0]]
            parent[path[-1]] = value
            bad += not check_mangled(container.pack(header, arrays), MODELS["chunker"][1])
    assert bad > tried / 2


def test_a_text_that_starts_inside_a_character_is_refused():
    header, arrays = container.unpack(memoryview(to_bytes(tagger())))
    name = next(name for name in arrays if name.endswith("/bytes") and "ö".encode() in arrays[name].tobytes())
    texts = arrays[name].tobytes()
    at = texts.index("ö".encode()) + 1  # the second byte of two
    arrays[name.replace("/bytes", "/lengths")] = np.array([at, len(texts) - at], np.uint32)
    refused(ModelFileError, "not UTF-8", from_bytes, container.pack(header, arrays))


# --- the table of hashed features ----------------------------------------------------------------------------------------
@for_rows(
    "name, change",
    ("table/places", lambda a: a[::-1]),
    ("table/places", lambda a: np.full_like(a, a[0])),
    ("table/places", lambda a: np.append(a[:-1], 128)),  # 2^10 weights in rows of eight
    ("table/places", lambda a: np.append(a[:-1], 1 << 31)),
    ("table/places", lambda a: a[:-1]),
    ("table/rows/counts", lambda a: np.append(a[:-1], a[-1] + 1)),
    ("table/rows/columns", lambda a: np.append(a[:-1], 8)),
    ("table/rows/values", lambda a: np.append(a[:-1], np.float32(np.nan))),
)
def test_a_table_that_does_not_fit_is_refused(name, change):
    header, arrays = container.unpack(memoryview(to_bytes(hashed_chunker())))
    wide = np.float32 if arrays[name].dtype.kind == "f" else np.uint32
    arrays[name] = change(arrays[name].astype(wide)).astype(wide)
    refused(ModelFileError, r"inconsistent|finite", from_bytes, container.pack(header, arrays))


@pytest.mark.parametrize("bits", [None, True, -1, 1, 9, 31, 1 << 40, 12.0, "12", []])
def test_bits_that_no_table_has_are_refused(bits):
    header, arrays = container.unpack(memoryview(to_bytes(hashed_chunker())))
    refused(ModelFileError, "bits", from_bytes, container.pack({**header, "bits": bits}, arrays))


def test_a_table_without_room_for_pairs_of_labels_is_refused():
    labels = [str(i) for i in range(40)]
    made = Tagger(bits=11, epochs=1).fit([["w"] for _ in labels], [[label] for label in labels])
    header, arrays = container.unpack(memoryview(to_bytes(made)))
    refused(ModelFileError, "bits are inconsistent", from_bytes, container.pack({**header, "bits": 10}, arrays))


# --- model files that Riata 0.1 wrote before models of all structures were one class ---------------------------------
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
    header, arrays = container.unpack(memoryview(to_bytes(riata.load_model(path))))
    header.pop(SEARCH, None)
    assert container.pack(header, arrays) == path.read_bytes()


# --- model files that ask for more than they hold: nothing is allocated before everything is checked -----------------
def many_labels(labels, ngrams):
    """A file of a few hundred kilobytes whose weights, unfolded, have labels * labels * ngrams numbers."""
    words = [[f"w{i}" for i in range(labels)]]
    tags = [[f"L{i:03}" for i in range(labels)]]
    tagger = Tagger(epochs=1, template=parse("edge word[0]")).fit(words, tags)
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
        refused(ModelFileError, "weights are inconsistent", from_bytes, container.pack(header, arrays))
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
    refused(ModelFileError, r"m\.riata: the model asks for more memory than there is", riata.load_model, path)


def test_weights_are_unfolded_when_they_are_first_read():
    content = to_bytes(chunker())
    loaded = from_bytes(content)
    assert "weights" not in vars(loaded.model_)
    many = [*INPUTS] * 1000  # few sentences are labelled with the weights as they are stored
    assert loaded.predict(many) == chunker().predict(many)
    assert "weights" in vars(loaded.model_)
    assert to_bytes(loaded) == content


def test_a_hashed_table_is_made_when_it_is_first_read():
    tagger = Tagger(epochs=1, bits=12).fit(WORDS, TAGS)
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
    refused(ModelFileError, "checksum", from_bytes, old[:-1] + b"x")


def test_a_model_is_not_saved_as_one_of_another_structure(tmp_path):
    """Its file could not be read."""
    model = quick_joint().set_params(structure="factorial")
    refused(UnsupportedError, "trained with 'joint'", model.save, tmp_path / "m.riata")


def quick_joint():
    sentence = [("the", "DT", "B-NP"), ("dog", "NN", "I-NP"), ("barks", "VB", "B-VP")]
    return riata.JointTagger(epochs=1, calibrated=False).fit([sentence] * 4)
