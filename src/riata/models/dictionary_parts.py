"""The dictionary of the labels of words in a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from riata.errors import ModelFileError
from riata.features.dictionary import TagDictionary
from riata.models.arrays import narrow, read_alphabet, read_array, store_texts
from riata.models.container import Arrays

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
