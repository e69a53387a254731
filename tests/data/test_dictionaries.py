"""Feature dictionaries read by the core, and the alphabet, each against a slow version in Python."""

from collections import Counter, OrderedDict, UserDict, defaultdict
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import refused
from riata import RiataError, Tagger
from riata._core import Alphabet, read_dictionaries
from riata.data.memory import as_corpus
from riata.data.named_features import Given
from riata.errors import DataError, ModelFileError
from samples import FEATURES, TAGS, for_rows, tried


class Loud(str):
    def __format__(self, spec: str) -> str:
        return self.upper()


class Reversed(dict):
    def items(self) -> Any:
        return list(super().items())[::-1]


texts = st.sampled_from(["", "a", "b:c", ":", "Größe", "漢字", "😀", "a\0b", "x" * 40, "word"])
numbers = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, -0.0, 1e9, -1e9]))
plain_values = st.recursive(
    st.one_of(texts, texts.map(str.encode), st.booleans(), numbers, st.lists(texts, max_size=3), st.tuples(texts)),
    lambda values: st.dictionaries(texts, values, max_size=3),
    max_leaves=6,
)
odd_values = st.one_of(
    st.sets(texts, max_size=3),
    st.frozensets(st.one_of(texts, st.integers(0, 9)), max_size=3),
    st.lists(st.one_of(texts, st.integers(0, 9), st.none()), max_size=2),
    st.sampled_from(
        [
            None,
            float("nan"),
            float("inf"),
            1.1e9,
            10**400,
            1j,
            b"\xff",
            np.True_,
            np.False_,
            np.float32(0.5),
            np.int64(4),
        ]
    ),
    st.sampled_from([Loud("loud"), "\ud800", np.str_("text"), np.float64(0.25), object]),
)
dictionaries = st.dictionaries(texts, plain_values, max_size=4)
plain = st.one_of(dictionaries, st.lists(st.one_of(texts, texts.map(str.encode)), max_size=4))
tokens = st.one_of(
    plain,
    st.dictionaries(st.one_of(texts, st.integers(), st.just("\ud800"), st.just(Loud("k"))), plain_values, max_size=2),
    st.dictionaries(texts, odd_values, max_size=2),
    dictionaries.map(Reversed),
    dictionaries.map(UserDict),
    dictionaries.map(MappingProxyType),
    dictionaries.map(lambda token: defaultdict(list, token)),
    st.sampled_from([None, "a", 3, [("a", 1)], ("a", "b"), {"b", "a"}, [b"\xff"]]),
)


def sentences_of(token: st.SearchStrategy) -> st.SearchStrategy:
    sentence = st.lists(token, max_size=3)
    return st.lists(st.one_of(sentence, sentence.map(tuple)), min_size=1, max_size=3).filter(any)


def outcome(read: Any) -> Any:
    """The features of every token, or the class and message of what was raised."""
    try:
        found = read()
    except Exception as error:
        return type(error), str(error)
    return found.alphabet.texts(), found.starts.tolist(), found.ids.tolist(), found.values.tolist()


@given(sentences_of(plain))
@settings(deadline=None)
def test_plain_dictionaries_and_lists_of_names_are_read_by_the_core_as_by_the_slow_reader(sentences: list) -> None:
    assert read_dictionaries(sentences, Alphabet()) is not None
    assert outcome(lambda: Given.of(sentences, "x")) == outcome(lambda: Given._closely(sentences, "x"))


@tried(200, sentences_of(tokens))
def test_odd_dictionaries_mean_what_they_mean_to_the_slow_reader(sentences: list) -> None:
    assert outcome(lambda: Given.of(sentences, "x")) == outcome(lambda: Given._closely(sentences, "x"))


def trained(made: dict[str, Tagger] = {}, **options: Any) -> Tagger:  # noqa: B006
    name = str(options)
    if name not in made:
        seen = [{"a": "b:c", "b": {"c": 0.5}, "": "a", "x": ["a", "Größe"]}, {":": 2, "Größe": True, "a": 1}]
        made[name] = Tagger(epochs=4, **options).fit([*FEATURES, seen], [*TAGS, ["NN", "DT"]])
    return made[name]


MODELS = [{}, {"recipe": "mira"}, {"bits": 12}]


@pytest.mark.parametrize("options", MODELS, ids=str)
@tried(60, st.one_of(sentences_of(plain), sentences_of(tokens)))
def test_prediction_from_dictionaries_is_that_of_the_features_in_a_corpus(options: dict, sentences: list) -> None:
    model = trained(**options)

    def slowly() -> list[list[str]]:
        corpus = model.columns.knowing(sentences, None)
        ids = model.model_.decode(model.model_.features.instances(model.columns.input_columns(corpus)))
        labels = [model.classes_[i] for i in ids]
        return [labels[a:b] for a, b in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)]

    def told(action: Any) -> Any:
        try:
            return action()
        except Exception as error:
            return type(error), str(error)

    assert told(lambda: model.predict(sentences)) == told(slowly)


def test_what_the_core_labels_at_once() -> None:
    model, features = trained().model_.folded, [[{"word": "The"}, {"x": ["a"]}], [], ({"b": {"c": 1}}, ["a", b"x:a"])]
    assert model.label(features, 0, trained().classes_) == trained().predict(as_corpus(features))
    for odd in (OrderedDict(a=1), Counter("aa"), {"a": {"b"}}, {"a": np.float32(1)}, "a", ("a", "b")):
        assert model.label([[odd]], 0, trained().classes_) is None


def test_an_ordered_dictionary_keeps_its_order() -> None:
    token = OrderedDict(a=1e8, b=1.0, c=-1e8)
    token.move_to_end("a")
    assert Given.of([[token]], "x").alphabet.texts() == ["b", "c", "a"]


def test_a_dictionary_in_itself_does_not_end_the_process() -> None:
    token: dict = {"a": 1}
    token["itself"] = token
    assert read_dictionaries([[token]], Alphabet()) is None


def test_many_sentences_are_labelled_as_one_by_one() -> None:
    many = [FEATURES[i % len(FEATURES)] for i in range(3000)]
    assert trained().predict(many) == [trained().predict([sentence])[0] for sentence in FEATURES] * 750


def test_a_model_of_arrays_takes_no_dictionaries_after_one_of_dictionaries_did() -> None:
    model = Tagger(epochs=2).fit(FEATURES, TAGS)
    model.predict(FEATURES)
    model.fit([np.eye(len(tags), 3) for tags in TAGS], TAGS)
    refused(DataError, "reads arrays of 3 columns; found dictionaries of features", model.predict, [[{"x0": 1.0}]])


def test_threads_that_predict_at_once_do_not_disturb_each_other() -> None:
    model, expected = trained(), trained().predict(FEATURES)
    many = [FEATURES * 200 for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected * 200 for found in pool.map(model.predict, many))


# --- the alphabet against a dictionary, its bytes there and back, and bytes that cannot be one -----------------------
any_texts = st.lists(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=6) | st.sampled_from(["", "a", "b", "a\0b", "é"])
)


def ids_by_hand(items: list[str]) -> list[int]:
    known: dict[str, int] = {}
    return [known.setdefault(text, len(known)) for text in items]


def of(items: list[str]) -> Alphabet:
    alphabet = Alphabet()
    alphabet.add_many(items)
    return alphabet


@given(any_texts, any_texts)
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


@given(any_texts)
def test_bytes_and_offsets_rebuild_the_alphabet(items: list[str]) -> None:
    alphabet = of(items)
    known = list(dict.fromkeys(items))
    assert alphabet.bytes() == "".join(known).encode()
    assert alphabet.offsets().tolist() == [0, *np.cumsum([len(text.encode()) for text in known], dtype=int)]
    again = Alphabet(alphabet.bytes(), alphabet.offsets())
    assert again.texts() == known
    assert again.find_many(known).tolist() == list(range(len(known)))
    assert again.add("something new") == len(known)


@given(any_texts, any_texts)
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
    refused(RiataError, f"no text with id {id_}", of(["a", "b"]).text, id_)


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
