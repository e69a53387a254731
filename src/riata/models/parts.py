"""Parts of model files: features, weights, dictionaries and labels as arrays, and back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from riata._core import Alphabet, FeatureIndex, StoredChain, boundary_values
from riata.data.types import Ids
from riata.errors import DataError, ModelFileError
from riata.features.compile import Features
from riata.features.dictionary import TagDictionary
from riata.features.frequency import FREQUENCY, Frequencies
from riata.features.lists import WordList
from riata.features.templates import SUMMARIES, Template, attribute_names, placed, reads_context
from riata.features.word_vectors import WordVectors
from riata.inference.rules.legality import Legality, Mask
from riata.measuring.cost import available_bytes
from riata.models.container import Arrays

MOST_LABELS = 4096  # a first-order chain keeps a matrix of labels x labels
MOST_MEMORY = 8 << 30  # bytes of weights that training or loading may need
LARGEST_WEIGHT = 1e15  # in size: sums of many stay finite, and differences of outputs remain visible beside them
WORTH_ASKING = 64 << 20  # bytes from which on the free memory is checked

AnyTemplate = TypeVar("AnyTemplate", bound=Template)


def row_width(labels: int) -> int:
    """The size of a row of weights: one number per label, and padding."""
    return -(-labels // 8) * 8


def feature_header(features: Features) -> dict[str, Any]:
    return {
        "templates": [str(template) for template in features.templates],
        "attributes": [list(attribute) for attribute in features.program.attributes],
        "lists": list(features.lists),
    }


Pairs = tuple[NDArray[Any], NDArray[Any]]


def store_features(
    features: Features,
    arrays: Arrays,
    families: Sequence[Pairs] | None = None,
    values: Sequence[NDArray[np.int64]] | None = None,
) -> None:
    """families: the n-grams of each family, values: the ids of each attribute that are kept; None: all are kept."""
    store_lists(features, arrays)
    store_values(features, arrays, values)
    for f in range(len(features.program.families)):
        parents, own = features.index.pairs(f) if families is None else families[f]
        arrays[f"family/{f}/parents"] = narrow(parents + 1)  # 0: a root
        arrays[f"family/{f}/values"] = narrow(own)


def store_lists(features: Features, arrays: Arrays) -> None:
    for i, words in enumerate(features.lists.values()):
        store_texts(arrays, f"list/{i}", words.texts())


def store_vectors(features: Features, arrays: Arrays) -> None:
    if features.vectors is not None:
        store_texts(arrays, "vectors", features.vectors.words.texts())
        arrays["vectors/table"] = np.ascontiguousarray(features.vectors.table, np.float32).ravel()


def read_vectors(arrays: Arrays) -> WordVectors | None:
    """The vectors of words that a model reads; None: it reads none."""
    if "vectors/table" not in arrays:
        return None
    words, table = read_alphabet(arrays, "vectors"), read_array(arrays, "vectors/table", real=True)
    if not len(words) or not table.size or table.size % len(words) or not np.isfinite(table).all():
        raise ModelFileError("the model's vectors are inconsistent")
    return WordVectors(words, table.astype(np.float32, copy=False).reshape(len(words), -1), "the model")


def store_values(features: Features, arrays: Arrays, values: Sequence[NDArray[np.int64]] | None) -> None:
    """Stores the values of attributes: texts and frequencies."""
    for a, alphabet in enumerate(features.alphabets):
        kept = alphabet.texts() if values is None else [alphabet.text(int(i)) for i in values[a]]
        store_texts(arrays, f"attribute/{a}", kept)
    for column, frequencies in features.frequencies.items():
        store_texts(arrays, f"frequency/{column}", frequencies.words.texts())
        arrays[f"frequency/{column}/classes"] = frequencies.classes


def read_features(features: Features, arrays: Arrays) -> None:
    """Fills a set of templates that has not seen any data."""
    read_values(features, arrays)
    for f, (_, attribute, _) in enumerate(features.program.families):
        parents, values = read_ids(arrays, f"family/{f}/parents", -1), read_ids(arrays, f"family/{f}/values")
        if values.max(initial=0) >= boundary_values + len(features.alphabets[attribute]):
            raise ModelFileError("the model's attribute values are inconsistent")
        try:
            features.index.insert(f, parents, values)
        except IndexError:  # a parent that does not exist, or arrays that do not fit
            raise ModelFileError(f"the model's 'family/{f}' is inconsistent") from None


def read_values(features: Features, arrays: Arrays) -> None:
    features.frequencies = {c: _frequencies(arrays, c) for n, c in features.program.attributes if n == FREQUENCY}
    features.alphabets = [read_alphabet(arrays, f"attribute/{a}") for a in range(len(features.alphabets))]


def read_templates(
    header: Mapping[str, Any],
    arrays: Arrays,
    parse: Callable[[str, str], tuple[AnyTemplate, ...]],
    attributes: Collection[str],
) -> tuple[tuple[AnyTemplate, ...], dict[str, WordList]]:
    """The templates, and the lists that they read. attributes: those that they may read beside lists and frequencies."""
    lists, lines = _lists(header, arrays), read_strings(header, "templates")
    known = {*attributes, FREQUENCY, *(attribute_names(lists) if lists else ())}
    templates: tuple[AnyTemplate, ...] = ()
    with suppress(ValueError):  # every TemplateError is a ValueError
        templates = _placed(parse("\n".join(lines), "<templates of the model>"), header, known)
    if list(map(str, templates)) != lines or not all(read.attribute in known for t in templates for read in t.reads):
        raise ModelFileError("the model's templates are inconsistent")
    read = {read.attribute for template in templates for read in template.reads}
    if not all(read.intersection(attribute_names([name])) for name in lists):
        raise ModelFileError("the model's lists are inconsistent")
    return templates, lists


def _placed(
    templates: tuple[AnyTemplate, ...], header: Mapping[str, Any], known: Collection[str]
) -> tuple[AnyTemplate, ...]:
    """The templates, in which attributes of context have their columns, which come after those of the data."""
    if not any(map(reads_context, templates)):
        return templates
    inputs = header.get("inputs")
    return placed(
        templates, len(inputs) if isinstance(inputs, list) else 0, [name for name in SUMMARIES if name in known]
    )


def read_ids(arrays: Arrays, name: str, more: int = 0) -> Ids:
    """Numbers of 31 bits, to each of which `more` is added."""
    found = read_array(arrays, name).astype(np.int64) + more
    if found.max(initial=0) >= 1 << 31:
        raise ModelFileError(f"the model's {name!r} is inconsistent")
    return found.astype(np.int32)


def store_weights(flat: NDArray[Any], arrays: Arrays) -> None:
    """Stores the weights that are not zero."""
    places = np.flatnonzero(flat)
    arrays["weights/steps"] = narrow(np.ediff1d(places, to_begin=places[:1]))
    arrays["weights/values"] = flat[places].astype(np.float32, copy=False)


def read_weights(arrays: Arrays, size: int) -> NDArray[np.float32]:
    """All weights, of this number; those that are not stored are zero."""
    refuse_huge(4 * size)
    steps = read_array(arrays, "weights/steps").astype(np.int64)
    places = np.cumsum(steps)
    values = read_array(arrays, "weights/values", real=True).astype(np.float32)
    ok = len(places) == len(values) and (steps[:1] >= 0).all() and (steps[1:] > 0).all() and (places[-1:] < size).all()
    if not ok:
        raise ModelFileError("the model's weights are inconsistent")
    if not (np.abs(values) <= LARGEST_WEIGHT).all():
        raise ModelFileError(f"a weight of the model is not a finite number up to {LARGEST_WEIGHT:g}")
    flat = np.zeros(size, np.float32)
    flat[places] = values
    return flat


def _lists(header: Mapping[str, Any], arrays: Arrays) -> dict[str, WordList]:
    names = read_strings(header, "lists")
    texts = [read_alphabet(arrays, f"list/{i}").texts() for i in range(len(names))]
    return {name: WordList.of(name, entries) for name, entries in zip(names, texts, strict=True)}


def _frequencies(arrays: Arrays, column: int) -> Frequencies:
    words, classes = read_alphabet(arrays, f"frequency/{column}"), read_array(arrays, f"frequency/{column}/classes")
    if len(words) != len(classes) or classes.dtype != np.uint8:
        raise ModelFileError("the model's frequencies are inconsistent")
    return Frequencies(words, classes.copy())


def check_memory(what: str, need: int, copies: int = 1) -> None:
    """Refuses, before training, weights that could not be loaded again, or of which training could not hold this number of copies."""
    said, allowed = f"{need / 2**30:.1f} GiB of weights", f"more than the {MOST_MEMORY >> 30} GiB allowed"
    if need > MOST_MEMORY:
        remedy = "Use a smaller template, a higher cutoff, or fewer labels."
        raise DataError(f"{what} need {said}, {allowed}.", remedy=remedy)
    if copies * need > MOST_MEMORY:
        raise DataError(
            f"{copies:,} shards need {copies * need / 2**30:.1f} GiB of weights, {need / 2**30:.1f} each, {allowed}.",
            remedy="Use fewer shards, a smaller template, or a higher cutoff.",
        )


def refuse_huge(need: int) -> None:
    if need > MOST_MEMORY:
        raise ModelFileError(
            f"the model asks for {need / 2**30:.1f} GiB of weights, more than the {MOST_MEMORY >> 30} GiB allowed"
        )
    free = available_bytes() if need > WORTH_ASKING else None
    if free is not None and need > free:
        raise ModelFileError(
            f"the model asks for {need / 2**30:.1f} GiB of weights, more than the {free / 2**30:.1f} GiB of memory that are free"
        )


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """The numbers in the narrowest unsigned type that can hold them."""
    top = int(array.max()) if array.size else 0
    return array.astype(np.uint8 if top < 1 << 8 else np.uint16 if top < 1 << 16 else np.uint32)


def _wrong_array(name: str) -> ModelFileError:
    return ModelFileError(
        f"the model's array {name!r} is missing or of the wrong type.",
        remedy="If another version of Riata made the file, train the model again with this one.",
    )


def read_array(arrays: Arrays, name: str, *, real: bool = False) -> NDArray[Any]:
    array = arrays.get(name)
    if array is None or (array.dtype.kind == "f") != real:
        raise _wrong_array(name)
    return array


def read_counts(arrays: Arrays, name: str) -> NDArray[Any]:
    """Integers as they are stored, unsigned and of 8, 16 or 32 bits, without copying."""
    array = read_array(arrays, name)
    if array.dtype.kind != "u" or array.dtype.itemsize > 4:
        raise _wrong_array(name)
    return array


def store_texts(arrays: Arrays, name: str, texts: Sequence[str]) -> None:
    encoded = [text.encode("utf-8") for text in texts]
    arrays[f"{name}/bytes"] = np.frombuffer(b"".join(encoded), np.uint8)
    arrays[f"{name}/lengths"] = narrow(np.array([len(text) for text in encoded], np.int64))


def read_alphabet(arrays: Arrays, name: str) -> Alphabet:
    lengths = read_array(arrays, f"{name}/lengths")
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, dtype=np.int64, out=offsets[1:])
    try:
        return Alphabet(read_array(arrays, f"{name}/bytes").tobytes(), offsets)
    except ModelFileError as error:
        raise ModelFileError(f"the model's {name!r}: {error.message}.") from None


def read_strings(header: Mapping[str, Any], key: str) -> list[str]:
    values = header.get(key)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ModelFileError(f"the model's {key} are missing or inconsistent")
    return values


FEWEST_BITS, MOST_BITS = 10, 30  # of a table of hashed weights
NONE = np.empty(0, np.uint8)
NO_ROWS = (NONE, NONE, np.empty(0, np.float32))


def weight_bytes(features: Features, sizes: Sequence[int], labels: int) -> int:
    """The memory, in bytes, of the weights of these numbers of n-grams, one per family."""
    if features.bits:
        return 4 << features.bits
    slots = [[0, 0] for _ in sizes]
    for family, _, edge in features.program.reads:
        slots[family][edge] += 1
    rows = sum(size * (node + edge * labels) for size, (node, edge) in zip(sizes, slots, strict=True))
    return 4 * row_width(labels) * (rows + labels + len(features.given))


def ngram_sizes(features: Features, index: FeatureIndex | None = None) -> list[int]:
    """The number of n-grams of each family, in this index or in that of the features."""
    index = features.index if index is None else index
    return [index.size(family) for family in range(len(features.program.families))]


def read_bits(header: Mapping[str, Any]) -> int:
    bits = header.get("bits")
    if not isinstance(bits, int) or isinstance(bits, bool) or not (bits == 0 or FEWEST_BITS <= bits <= MOST_BITS):
        raise ModelFileError("the model's bits are missing or inconsistent")
    return bits


def read_table(arrays: Arrays, features: Features, labels: int) -> StoredChain:
    """The weights of a model whose features are hashed."""
    none = {"values": NONE, "parents": NONE, "node": NO_ROWS, "edge": NO_ROWS}
    if any(name == FREQUENCY for name, _ in features.program.attributes):
        raise ModelFileError("the model's templates are inconsistent")
    refuse_huge(weight_bytes(features, [], labels))
    sparse = {
        "families": [none for _ in features.program.families],
        "kept_given": read_counts(arrays, "table/places"),
        "given": read_rows(arrays, "table/rows"),
        "transition": read_rows(arrays, "transition"),
        "history": read_history(arrays, False),
    }
    return StoredChain(features.index, sparse, labels, [0 for _ in features.alphabets], 0)


def store_rows(arrays: Arrays, name: str, rows: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]) -> None:
    counts, columns, values = rows
    arrays[f"{name}/counts"] = narrow(counts)
    arrays[f"{name}/columns"] = narrow(columns)
    arrays[f"{name}/values"] = values


def read_rows(arrays: Arrays, name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    values = read_array(arrays, f"{name}/values", real=True)
    return (
        read_counts(arrays, f"{name}/counts"),
        read_counts(arrays, f"{name}/columns"),
        values.astype(np.float32, copy=False),
    )


def read_history(arrays: Arrays, has: bool) -> dict[str, Any]:
    if not has:
        return {"slots": NONE, "ngrams": NONE, "labels": NONE, "rows": NO_ROWS}
    numbers = {name: read_counts(arrays, f"history/{name}") for name in ("slots", "ngrams", "labels")}
    return {**numbers, "rows": read_rows(arrays, "history/rows")}


def read_families(arrays: Arrays, features: Features) -> list[dict[str, Any]]:
    """The n-grams of every family, and their rows of weights."""
    return [_family(arrays, f"family/{f}", root=spec[0] < 0) for f, spec in enumerate(features.program.families)]


def _family(arrays: Arrays, name: str, *, root: bool) -> dict[str, Any]:
    return {
        "parents": NONE if root else read_counts(arrays, f"{name}/parents"),
        "values": read_counts(arrays, f"{name}/values"),
        "order": read_counts(arrays, f"{name}/order") if f"{name}/order" in arrays else NONE,
        "node": read_rows(arrays, f"{name}/node"),
        "edge": read_rows(arrays, f"{name}/edge"),
    }


def read_legality(arrays: Arrays, labels: int) -> Legality:
    found = Legality(
        _flags(arrays, "start", labels), _flags(arrays, "end", labels), _flags(arrays, "follow", labels**2)
    )
    if not found.is_complete:
        raise ModelFileError("the model's labels are inconsistent: not every sentence has a legal labelling")
    return found


def _flags(arrays: Arrays, name: str, size: int) -> Mask:
    flags = read_array(arrays, name)
    if flags.dtype != np.uint8 or flags.size != size or (flags > 1).any():
        raise ModelFileError(f"the model's array {name!r} is inconsistent")
    return flags.copy()


KEY = "dictionary"  # in headers: from how many tokens on a word is frequent
SIMILAR = "alike"  # in headers of chains: whether rare words get labels of similar ones


def store_dictionary(dictionary: TagDictionary, arrays: Arrays) -> None:
    """Stores the counts of all words, also of rare ones, so that training can go on."""
    seen = sorted(dictionary.counts.items())
    store_texts(arrays, "dictionary/words", list(dict.fromkeys(word for (word, _), _ in seen)))
    new = [i == 0 or word != seen[i - 1][0][0] for i, ((word, _), _) in enumerate(seen)]
    arrays["dictionary/new"] = np.array(new, np.uint8)  # whether an entry is the first of its word
    arrays["dictionary/tags"] = narrow(np.array([tag for (_, tag), _ in seen], np.int64))
    arrays["dictionary/counts"] = narrow(np.array([count for _, count in seen], np.int64))


def dictionary_header(dictionary: TagDictionary) -> dict[str, Any]:
    """What headers of chains say of the dictionary."""
    return {KEY: dictionary.least, **({SIMILAR: True} if dictionary.alike else {})}


def read_dictionary(
    header: Mapping[str, Any], arrays: Arrays, tags: tuple[str, ...], *, alike: bool | None = None
) -> TagDictionary:
    """alike: whether rare words get tags of similar ones; None: as the header says."""
    alike = header.get(SIMILAR, False) if alike is None else alike
    least, words = header.get(KEY), read_alphabet(arrays, "dictionary/words").texts()
    new, of, counts = (read_array(arrays, f"dictionary/{name}").astype(np.int64) for name in ("new", "tags", "counts"))
    word = np.cumsum(new) - 1
    ok = isinstance(least, int) and not isinstance(least, bool) and 0 <= least < 1 << 31
    ok = ok and isinstance(alike, bool)
    ok = ok and len(new) == len(of) == len(counts) and ((new == 0) | (new == 1)).all() and of.max(initial=0) < len(tags)
    if not ok or word.max(initial=-1) != len(words) - 1 or (len(new) and not new[0]):
        raise ModelFileError("the model's dictionary of tags is inconsistent")
    seen = {(words[w], t): n for w, t, n in zip(word.tolist(), of.tolist(), counts.tolist(), strict=True)}
    return TagDictionary(tags, int(least or 0), seen, bool(alike))
