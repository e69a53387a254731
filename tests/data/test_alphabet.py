"""The alphabet against a dictionary, its bytes there and back, and bytes that cannot be one."""

from copy import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata._core import Alphabet
from riata.errors import ModelFileError
from samples import for_rows

texts = st.lists(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=6) | st.sampled_from(["", "a", "b", "a\0b", "é"])
)


def ids_by_hand(items: list[str]) -> list[int]:
    known: dict[str, int] = {}
    return [known.setdefault(text, len(known)) for text in items]


def of(items: list[str]) -> Alphabet:
    alphabet = Alphabet()
    alphabet.add_many(items)
    return alphabet


@given(texts, texts)
def test_ids_are_those_of_a_dictionary_in_order_of_arrival(items: list[str], others: list[str]) -> None:
    alphabet, one_by_one = Alphabet(), Alphabet()
    expected = ids_by_hand(items)
    assert alphabet.add_many(items).tolist() == expected
    assert [one_by_one.add(text) for text in items] == expected
    known = list(dict.fromkeys(items))
    assert alphabet.texts() == one_by_one.texts() == known
    assert [alphabet.text(i) for i in range(len(alphabet))] == known
    wanted = [known.index(text) if text in known else -1 for text in others]
    assert alphabet.find_many(others).tolist() == [alphabet.find(text) for text in others] == wanted
    assert alphabet.texts() == known


def test_many_texts_keep_their_ids_while_the_table_grows() -> None:
    items = [f"text {i}" for i in range(20_000)]
    alphabet = Alphabet()
    assert alphabet.add_many(items).tolist() == list(range(20_000))
    assert alphabet.find_many(items).tolist() == list(range(20_000))
    assert alphabet.find("text 20000") == -1


def test_an_empty_alphabet_knows_nothing() -> None:
    assert len(Alphabet()) == 0
    assert Alphabet().find("") == -1
    assert Alphabet().bytes() == b""
    assert Alphabet().offsets().tolist() == [0]


@given(texts)
def test_bytes_and_offsets_rebuild_the_alphabet(items: list[str]) -> None:
    alphabet = of(items)
    known = list(dict.fromkeys(items))
    assert alphabet.bytes() == "".join(known).encode()
    assert alphabet.offsets().tolist() == [0, *np.cumsum([len(text.encode()) for text in known], dtype=int)]
    again = Alphabet(alphabet.bytes(), alphabet.offsets())
    assert again.texts() == known
    assert again.find_many(known).tolist() == list(range(len(known)))
    assert again.add("something new") == len(known)


@given(texts, texts)
def test_add_all_and_find_all_give_the_ids_of_the_other_alphabet_here(first: list[str], second: list[str]) -> None:
    a, b = of(first), of(second)
    assert a.find_all(b).tolist() == [a.find(text) for text in b.texts()]
    assert a.texts() == list(dict.fromkeys(first))
    table = a.add_all(b)
    assert [a.text(int(i)) for i in table] == b.texts() == list(dict.fromkeys(second))
    assert a.texts() == list(dict.fromkeys(first + second))
    assert a.add_all(a).tolist() == list(range(len(a)))


def test_a_copy_is_independent() -> None:
    alphabet = of(["a"])
    other = copy(alphabet)
    assert other.add("b") == 1
    assert (alphabet.texts(), other.texts()) == (["a"], ["a", "b"])


@pytest.mark.parametrize("id_", [-1, 2, 2**31 - 1])
def test_an_id_that_is_not_there_is_refused(id_: int) -> None:
    refused(riata.RiataError, f"no text with id {id_}", of(["a", "b"]).text, id_)


@for_rows(
    "content, offsets, reason",
    (b"ab", [], "do not fit"),
    (b"ab", [0, 1], "do not fit"),
    (b"ab", [0, 3], "do not fit"),
    (b"ab", [1, 2], "do not fit"),
    (b"ab", [0, 2, 1, 2], "do not fit"),
    (b"ab", [0, -1, 2], "do not fit"),
    (b"ab", [0, 2**62, 2], "do not fit"),
    (b"", [0, 1], "do not fit"),
    (b"aa", [0, 1, 2], "a text twice"),
    (b"", [0, 0, 0], "a text twice"),
    (b"\xff", [0, 1], "not UTF-8"),
    ("é".encode(), [0, 1, 2], "not UTF-8"),
)
def test_bytes_that_are_no_alphabet_are_refused(content: bytes, offsets: list[int], reason: str) -> None:
    refused(ModelFileError, f"an alphabet.*{reason}", Alphabet, content, np.array(offsets, np.int64))


@given(st.binary(max_size=6), st.lists(st.integers(-1, 7), max_size=5))
def test_any_bytes_and_offsets_are_an_alphabet_or_refused(content: bytes, offsets: list[int]) -> None:
    try:
        alphabet = Alphabet(content, np.array(offsets, np.int64))
    except ModelFileError:
        return
    assert "".join(alphabet.texts()).encode() == content
