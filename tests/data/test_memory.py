"""Corpora from Python values, and what can be asked of a corpus: everything equals the same operation on lists."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata import Corpus
from riata.data.memory import as_corpus, label_column, with_column
from riata.data.named_features import Given
from riata.errors import DataError
from samples import for_rows, tried

words = st.sampled_from(["a", "b", "c", "é", "New York", "", "a\0b", "😀"])
sentences_of_words = st.lists(st.lists(words, max_size=4), min_size=1, max_size=6).filter(any)
sentences_of_rows = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(st.tuples(*[words] * width), max_size=4), min_size=1, max_size=6).filter(any)
)
PAIRS = [[("a", "X"), ("b", "Y")], [("c", "Z")], [("d", "X")]]


def rows(corpus: Corpus) -> list[list[tuple[str, ...]]]:
    return [list(sentence) for sentence in corpus]


def features(corpus: Corpus) -> list[list[list[tuple[str, float]]]]:
    """Every token's given features, read one by one from the arrays."""
    given = corpus.given
    tokens = [
        [(given.alphabet.text(int(given.ids[k])), float(given.values[k])) for k in range(low, high)]
        for low, high in zip(given.starts[:-1], given.starts[1:], strict=True)
    ]
    return [tokens[low:high] for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)]


# From Python values.
@given(sentences_of_words)
def test_words_become_one_column(sentences: list[list[str]]) -> None:
    corpus = as_corpus(sentences)
    assert corpus.sentences_of(0) == sentences
    assert (len(corpus), corpus.tokens, corpus.width) == (len(sentences), sum(map(len, sentences)), 1)


@given(sentences_of_rows)
def test_tuples_become_columns(sentences: list[list[tuple[str, ...]]]) -> None:
    corpus = as_corpus(sentences)
    assert rows(corpus) == sentences
    for column in range(corpus.width):
        assert corpus.sentences_of(column) == [[row[column] for row in sentence] for sentence in sentences]


def test_tuples_and_arrays_of_sentences_are_taken_as_lists_are() -> None:
    expected = rows(as_corpus([["a", "b"], ["c", "d"]]))
    assert rows(as_corpus((("a", "b"), ("c", "d")))) == expected
    assert rows(as_corpus(np.array([["a", "b"], ["c", "d"]]))) == expected
    assert rows(as_corpus([[["a"], ["b"]], [("c",), ("d",)]])) == expected


def test_whole_numbers_between_the_first_column_and_the_last_are_read_as_text() -> None:
    corpus = as_corpus([[("the", np.int64(7), 2, "det"), ("cat", "7", "0", "root")]])
    assert [column.texts() for column in corpus.columns[1:3]] == [["7", "7"], ["2", "0"]]
    for token in (("the", 2), (2, "det", "x"), ("the", True, "x"), ("the", 2.0, "x"), ("the", 1, 2)):
        refused(DataError, "neither a string nor a tuple of strings", as_corpus, [[token]])


def test_a_corpus_is_given_back_as_it_is() -> None:
    corpus = as_corpus([["a"]])
    assert as_corpus(corpus) is corpus


def test_sentences_of_a_corpus_make_the_corpus_again() -> None:
    assert rows(as_corpus(list(as_corpus(PAIRS)))) == PAIRS


BAD_SENTENCES = {
    "a string": ("the cat", ["expected a Corpus or a list of sentences", "found str", "list of lists of words"]),
    "None": (None, ["expected a Corpus or a list of sentences", "found NoneType"]),
    "a generator": ((["a"] for _ in range(1)), ["found generator"]),
    "a string for a sentence": (
        [["the", "cat"], "sat down"],
        ["sentence 1 is a str", "list of tokens", "line.split()"],
    ),
    "bytes for a sentence": ([b"the cat"], ["sentence 0 is a bytes", "list of tokens"]),
    "a number for a sentence": ([["a"], 7], ["sentence 1 is a int", "list of tokens"]),
    "no sentences": ([], ["no tokens"]),
    "only empty sentences": ([[], []], ["no tokens", "every sentence is empty"]),
    "a number for a token": ([["a"], ["b", 7]], ["sentence 1", "token 7", "neither a string nor a tuple"]),
    "None for a token": ([[None]], ["sentence 0", "token None", "neither a string nor a tuple"]),
    "bytes for a token": ([[b"a"]], ["sentence 0", "b'a'", "neither a string nor a tuple"]),
    "an empty tuple": ([[()]], ["sentence 0", "neither a string nor a tuple"]),
    "a number in a tuple": ([[("a", "X")], [("b", 2)]], ["sentence 1", "('b', 2)", "neither a string nor a tuple"]),
    "ragged tuples": ([[("a", "X")], [("b", "Y"), ("c",)]], ["sentence 1", "has 1 columns", "first token 2"]),
    "words, then tuples": ([["a"], [("b", "Y")]], ["sentence 1", "has 2 columns", "first token 1"]),
    "words, then dictionaries": ([["a", {"b": 1}]], ["sentence 0", "{'b': 1}", "neither a string nor a tuple"]),
    "dictionaries, then words": ([[{"b": 1}], [{}, "a"]], ["sentence 1, token 1 is 'a'", "expected a dictionary"]),
    "half a character": ([["a", "\ud800"]], ["'\\ud800'", "lone surrogate", "Decode"]),
    "half a character in a feature": ([[{"\ud800": 1}]], ["'\\ud800'", "lone surrogate"]),
}


@pytest.mark.parametrize(("sentences", "parts"), BAD_SENTENCES.values(), ids=BAD_SENTENCES.keys())
def test_what_is_not_a_list_of_sentences_is_refused(sentences: object, parts: list[str]) -> None:
    caught = refused(DataError, "", as_corpus, sentences)
    for part in parts:
        assert part in str(caught)


# Labels apart from the sentences.
def test_labels_become_a_column_at_the_end() -> None:
    corpus = as_corpus([["a", "b"], [], ["c"]])
    labelled = with_column(corpus, label_column([["X", "Y"], [], ("Z",)], corpus))
    assert rows(labelled) == [[("a", "X"), ("b", "Y")], [], [("c", "Z")]]
    assert labelled.origin == (0, -1)
    assert corpus.width == 1


BAD_LABELS = {
    "too few sentences": ([["X", "Y"]], ["found 1 lists of labels for 2 sentences"]),
    "too many sentences": ([["X", "Y"], ["Z"], ["Z"]], ["found 3 lists of labels for 2 sentences"]),
    "too few labels": ([["X", "Y"], []], ["sentence 1 has 1 tokens and 0 labels", "one label per token"]),
    "too many labels": ([["X", "Y", "Z"], ["Z"]], ["sentence 0 has 2 tokens and 3 labels"]),
    "numbers": ([["X", "Y"], [3]], ["a label is 3, of type int", "expected a string", "str(label)"]),
    "None": ([["X", None], ["Z"]], ["a label is None"]),
    "a string for two labels": (["XY", ["Z"]], ["labels of sentence 0 are a str", "expected a list"]),
    "a number for a list": ([["X", "Y"], 3], ["labels of sentence 1 are a int", "expected a list"]),
    "a string for all": ("XZ", ["the labels are a str", "expected a list"]),
    "a number for all": (2, ["the labels are a int", "expected a list"]),
}


@pytest.mark.parametrize(("labels", "parts"), BAD_LABELS.values(), ids=BAD_LABELS.keys())
def test_labels_that_do_not_fit_are_refused(labels: object, parts: list[str]) -> None:
    caught = refused(DataError, "", label_column, labels, as_corpus([["a", "b"], ["c"]]))
    for part in parts:
        assert part in str(caught)


# Feature dictionaries.
@for_rows(
    "token, expected",
    ({"bias": 1, "len": 2.5, "neg": -3}, [("bias", 1.0), ("len", 2.5), ("neg", -3.0)]),
    ({"zero": 0}, [("zero", 0.0)]),
    ({"upper": True, "digit": False}, [("upper", 1.0)]),
    ({"upper": np.True_, "digit": np.False_, "x": np.float32(0.5), "n": np.int64(4)}, [("upper", 1.0), ("x", 0.5), ("n", 4.0)]),
    ({"word": "cat", "number": "3", "none": ""}, [("word:cat", 1.0), ("number:3", 1.0), ("none:", 1.0)]),
    ({"suffix": ["s", "es"]}, [("suffix:s", 1.0), ("suffix:es", 1.0)]),
    ({"suffix": ("s", "es")}, [("suffix:s", 1.0), ("suffix:es", 1.0)]),
    ({"lists": {"b", "c", "a"}}, [("lists:a", 1.0), ("lists:b", 1.0), ("lists:c", 1.0)]),
    ({"lists": frozenset({"b", "1"})}, [("lists:1", 1.0), ("lists:b", 1.0)]),
    ({"prev": {"word": "the", "len": 3, "more": {"x": True, "y": False}}},
     [("prev:word:the", 1.0), ("prev:len", 3.0), ("prev:more:x", 1.0)]),
    ({7: 2}, [("7", 2.0)]),
    ({}, []),
    ({"empty": [], "none": {}}, []),
)  # fmt: skip
def test_a_dictionary_becomes_named_features_with_values(token: dict, expected: list[tuple[str, float]]) -> None:
    corpus = as_corpus([[token, {"other": 1}], [token]])
    assert features(corpus) == [[expected, [("other", 1.0)]], [expected]]
    assert (corpus.width, corpus.tokens, len(corpus)) == (0, 3, 2)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), -float("inf"), np.float32("nan"), 1e39, -1e39, 10**400, None, object, 1j],
    ids=str,
)
def test_a_value_that_is_no_finite_number_is_refused_by_name(value: object) -> None:
    sentences = [[{"good": 1}], [{"good": 1}, {"deep": {"bad": value}}]]
    caught = refused(DataError, "", as_corpus, sentences)
    message = str(caught)
    for part in ("sentence 1, token 1", "'deep:bad'", "finite number", "Leave the feature out"):
        assert part in message


def test_the_largest_numbers_are_taken() -> None:
    largest = 1e9
    assert features(as_corpus([[{"a": largest, "b": -largest}]])) == [[[("a", largest), ("b", -largest)]]]


dictionaries = st.lists(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(-4, 4), max_size=3), max_size=3),
    min_size=1,
    max_size=5,
).filter(any)


@given(dictionaries, st.data())
def test_given_features_follow_their_sentences(sentences: list[list[dict[str, int]]], data: st.DataObject) -> None:
    corpus = as_corpus(sentences)
    chosen = data.draw(st.lists(st.integers(0, len(sentences) - 1)))
    expected = [
        [[(name, float(value)) for name, value in token.items()] for token in sentence] for sentence in sentences
    ]
    assert features(corpus) == expected
    assert features(corpus[chosen]) == [expected[i] for i in chosen]


@given(dictionaries, dictionaries)
def test_joined_features_are_those_of_one_corpus_after_those_of_the_other(first: list, second: list) -> None:
    a, b = as_corpus(first), as_corpus(second)
    whole = as_corpus([*first, *second])
    before = a.given.alphabet.texts()
    joined = a.given.joined(b.given)
    assert features(Corpus(columns=(), starts=whole.starts, given=joined)) == features(whole)
    assert a.given.alphabet.texts() == before


def test_the_features_of_a_set_come_in_alphabetical_order() -> None:
    names = [f"n{i}" for i in range(50)]
    assert Given.of([[{"in": set(names)}]], "x").alphabet.texts() == sorted(f"in:{name}" for name in names)


# A corpus as a sequence.
@given(sentences_of_rows, st.data())
def test_indexing_equals_the_list(sentences: list, data: st.DataObject) -> None:
    corpus, size = as_corpus(sentences), len(sentences)
    index = data.draw(st.integers(-size, size - 1))
    assert list(corpus[index]) == list(corpus[np.int64(index)]) == sentences[index]
    for outside in (size, -size - 1):
        with pytest.raises(IndexError):
            corpus[outside]


@tried(200, sentences_of_rows, st.data())
def test_slices_index_arrays_and_masks_equal_the_list(sentences: list, data: st.DataObject) -> None:
    corpus, size = as_corpus(sentences), len(sentences)
    part = data.draw(st.slices(size))
    assert rows(corpus[part]) == sentences[part]
    chosen = data.draw(st.lists(st.integers(-size, size - 1), max_size=8))
    assert rows(corpus[chosen]) == rows(corpus[np.array(chosen, np.int64)]) == [sentences[i] for i in chosen]
    mask = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    kept = [sentence for sentence, keep in zip(sentences, mask, strict=True) if keep]
    assert rows(corpus[mask]) == rows(corpus[np.array(mask)]) == kept


@given(sentences_of_rows, st.data())
def test_a_part_of_a_part_is_a_part(sentences: list, data: st.DataObject) -> None:
    first = data.draw(st.lists(st.integers(0, len(sentences) - 1), min_size=1, max_size=6))
    second = data.draw(st.lists(st.integers(0, len(first) - 1), max_size=6))
    assert rows(as_corpus(sentences)[first][second]) == [sentences[first[i]] for i in second]


@given(sentences_of_rows)
def test_iteration_equals_indexing(sentences: list) -> None:
    corpus = as_corpus(sentences)
    assert list(corpus) == [corpus[i] for i in range(len(corpus))]
    assert list(reversed(corpus)) == [corpus[i] for i in reversed(range(len(corpus)))]
    assert corpus.index(corpus[-1]) == sentences.index(sentences[-1])
    assert corpus[0] in corpus


def test_lines_follow_the_tokens_of_a_part(tmp_path) -> None:
    path = tmp_path / "file.conll"
    path.write_text("a X\nb Y\n\n\nc Z\n\nd X\n")
    corpus = riata.read_columns(path)
    part = corpus[[2, 0]]
    assert [part.line_of(t) for t in range(part.tokens)] == [7, 1, 2]
    assert part.name == corpus.name == str(path)
    assert as_corpus([["a"]]).line_of(0) is None


@given(sentences_of_rows, st.data())
def test_select_gives_columns_in_any_order(sentences: list, data: st.DataObject) -> None:
    corpus = as_corpus(sentences)
    columns = data.draw(st.lists(st.integers(-corpus.width, corpus.width - 1), min_size=1, max_size=4))
    chosen = corpus.select(columns)
    assert rows(chosen) == [[tuple(row[c] for c in columns) for row in sentence] for sentence in sentences]
    assert chosen.origin == tuple(range(corpus.width)[c] for c in columns)
    again = data.draw(st.integers(0, len(columns) - 1))
    assert chosen.select([again]).origin == (range(corpus.width)[columns[again]],)


@pytest.mark.parametrize("column", [2, -3, 99])
def test_select_refuses_a_column_that_is_not_there(column: int) -> None:
    caught = refused(DataError, "", as_corpus(PAIRS).select, [0, column])
    for part in (f"column {column} is out of range", "2 columns, 0 to 1", "--inputs"):
        assert part in str(caught)


def test_sentences_are_values() -> None:
    one, two = as_corpus(PAIRS)[0], as_corpus(PAIRS[:1])[0]
    assert one == two
    assert hash(one) == hash(two)
    assert one != as_corpus(PAIRS)[1]
    assert one != [("a", "X"), ("b", "Y")]
    assert one[0] == ("a", "X")
    assert one[:1] == (("a", "X"),)
    assert one.column(1) == ["X", "Y"]


def test_reprs_say_how_much_there_is() -> None:
    corpus = as_corpus([["word"] * 1234])
    assert repr(corpus) == "<Corpus <memory>: 1 sentences, 1,234 tokens, 1 columns>"
    assert repr(as_corpus(PAIRS)[0]) == "<Sentence of 2 tokens: a b>"
    assert len(repr(corpus[0])) < 100


def test_errors_of_bad_data_survive_pickling() -> None:
    caught = refused(DataError, "", as_corpus, [[{"a": None}]])
    again = pickle.loads(pickle.dumps(caught))
    assert (type(again), str(again)) == (DataError, str(caught))


def test_bytes_are_texts_in_utf_8() -> None:
    given = as_corpus([[{b"word": "größte".encode(), "list": [b"a"]}, [b"alone"]]]).given
    assert given is not None
    assert given.alphabet.texts() == ["word:größte", "list:a", "alone"]
    refused(DataError, "no text in UTF-8", as_corpus, [[{"word": b"\xff"}]])
