"""What model files share: features and, if they are one long vector, weights, as header and arrays and back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from riata._core import boundary_values
from riata.data.types import Ids
from riata.errors import DataError, ModelFileError
from riata.features.compile import Features
from riata.features.context_names import SUMMARIES
from riata.features.context_templates import placed, reads_context
from riata.features.frequency import FREQUENCY, Frequencies
from riata.features.lists import WordList, attribute_names
from riata.features.templates import Template
from riata.features.word_vectors import WordVectors
from riata.measuring.cost import available_bytes
from riata.models.arrays import narrow, read_alphabet, read_array, read_strings, store_texts
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
    known = {*attributes, FREQUENCY, *attribute_names(lists)}
    templates: tuple[AnyTemplate, ...] = ()
    with suppress(ValueError):  # every TemplateError is a ValueError
        templates = _placed(parse("\n".join(lines), "<templates of the model>"), header, known)
    if [str(t) for t in templates] != lines or not all(read.attribute in known for t in templates for read in t.reads):
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
