"""Every attribute by examples, in scripts with and without case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riata._core import native_attribute
from riata.data.memory import as_corpus
from riata.errors import DataError, RiataError
from riata.features import letters
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.templates import parse

EXAMPLES = {
    "identity": {"Riata": "Riata", "": "", "Ægir": "Ægir"},
    "bias": {"Riata": "", "": "", "東京": ""},
    "outside": {"Riata": None, "": None, "東京": None},
    "lower": {"Riata": "riata", "ÉCOLE": "école", "ΣΟΦΟΣ": "σοφος", "東京": "東京", "1,2": "1,2"},
    "asciilower": {"Riata": "riata", "ÉCOLE": "École", "": ""},
    "stem": {
        "Relational": "relat",
        "ponies": "poni",
        "as": "as",
        "1,200": "1,200",
        "École": "école",
        "東京": "東京",
        "": "",
    },
    "ending": {"Relational": "ional", "happy": "y", "PONIES": "es", "cat": None, "bus": "s", "東京": None, "": None},
    "initial": {"NNP": "N", ",": ",", "Ægir": "Æ", "東京": "東", "": None},
    "fullshape": {"Riata-2026": "Xxxxx-dddd", "USA": "XXX", "...": "...", "École": "Xxxxx", "東京": "xx", "": ""},
    "shape": {
        "Riata-2026": "Xxx-dd",
        "USA": "XX",
        "ab": "xx",
        "a": "x",
        "1,200.50": "d,dd.dd",
        "...": "..",
        "École": "Xxx",
        "ÅÄÖ": "XX",
        "ΣΟΦΟΣ": "XX",
        "東京都": "xx",
        "": "",
    },
    "outline": {"Riata-2026": "Xx-d", "McDonald": "XxXx", "...": ".", "Łódź": "Xx", "東京都": "x", "": ""},
    "case": {
        "word": "lower",
        "USA": "upper",
        "Riata": "title",
        "McDonald": "mixed",
        "iPhone": "mixed",
        "I": "upper",
        "1,200": "none",
        "...": "none",
        "": "none",
        "3rd": "lower",
        "école": "lower",
        "École": "title",
        "ÉCOLE": "upper",
        "Straße": "title",
        "東京": "none",
        "שלום": "none",
    },
    "digit": {"1,200": "yes", "B52": "yes", "word": None, "": None, "٣٤": "yes", "m²": None},
    "digits": {"1,200": "0,000", "B52": "B00", "word": None, "": None, "٣٤": "00", "m²": None, "²3": "²0"},
    "hyphen": {
        "well-known": "yes",
        "a-b": "yes",
        "-": None,
        "-a": None,
        "a-": None,
        "--": None,
        "---": "yes",
        "ab": None,
    },
    "capitalised": {
        "Riata": "yes",
        "If": "yes",
        "A": None,
        "riata": None,
        "McCoy": None,
        "U.S.": None,
        "École": None,
        "It\n": None,
    },
    "capital": {"A": "yes", "AB": None, "a": None, "É": None, "": None, "1": None},
    "allcaps": {"IBM": "yes", "A": "yes", "Ibm": None, "U.S.": None, "B52": None, "ÉÉ": None, "": None},
    "mixedcaps": {
        "McCoy": "yes",
        "GmbH": "yes",
        "MCIabC": "yes",
        "Riata": None,
        "iPhone": None,
        "McCoyD": None,
        "Mc-Coy": None,
        "": None,
    },
    "initialcase": {
        "word": "lower",
        "Word": "upper",
        "1st": "alphanumeric",
        "École": "upper",
        "東京": "alphanumeric",
        "٣": "alphanumeric",
        "-": None,
        "$5": None,
        "": None,
    },
    "capitaldot": {"Mr.": "yes", "U.S.": "yes", "É.": "yes", "mr.": None, "Mr": None, ".": None, "": None},
    "uppercase": {
        "IBM": "yes",
        "AT&T": "yes",
        "A": "yes",
        "B-52": "yes",
        "ÉCOLE": "yes",
        "Ibm": None,
        "52": None,
        "": None,
    },
    "anyhyphen": {"well-known": "yes", "-": "yes", "-a": "yes", "a-": "yes", "ab": None, "–": None, "": None},
    "prefix1": {"word": "w", "ab": "a", "a": None, "": None, "Ægir": "Æ"},
    "prefix2": {"word": "wo", "abc": "ab", "ab": None, "東京都": "東京"},
    "prefix3": {"word": "wor", "abc": None, "école": "éco"},
    "prefix4": {"words": "word", "word": None},
    "suffix1": {"word": "d", "ab": "b", "a": None, "": None, "blå": "å"},
    "suffix2": {"word": "rd", "abc": "bc", "ab": None, "東京都": "京都"},
    "suffix3": {"word": "ord", "abc": None, "sœur": "œur"},
    "suffix4": {"words": "ords", "word": None},
}


def test_every_attribute_has_examples():
    assert set(builtin()) == set(EXAMPLES)


@pytest.mark.parametrize(
    ("name", "text", "value"), [(name, *pair) for name, pairs in EXAMPLES.items() for pair in pairs.items()]
)
def test_an_attribute_gives_the_value_of_its_example(name, text, value):
    assert builtin()[name](text) == value


def test_characters_outside_the_basic_plane_count_as_one():
    assert builtin()["suffix1"]("ok🙂") == "🙂"
    assert builtin()["prefix1"]("𝒜b") == "𝒜"


def test_an_attribute_runs_once_per_distinct_word():
    calls = []
    corpus = as_corpus([["a", "b", "a"], ["a", "c"]])
    features = Features(parse("mine[0]\nmine[-1] mine[0]\nedge mine[1]"), {"mine": lambda t: calls.append(t) or t})
    features.extend(corpus)
    assert sorted(calls) == ["a", "b", "c"]


def test_words_that_a_slice_left_behind_are_not_asked_for():
    calls = []
    corpus = as_corpus([["a", "b"], ["c"]])[:1]
    Features(parse("mine[0]"), {"mine": lambda t: calls.append(t) or t}).extend(corpus)
    assert sorted(calls) == ["a", "b"]


@pytest.mark.parametrize("value", [1, 2.5, True, b"x", ["a"], object])
def test_a_value_that_is_no_text_is_refused_with_the_function_and_the_word(value):
    features = Features(parse("size[0]"), {"size": lambda text: "short" if text == "a" else value})
    with pytest.raises(
        DataError, match=r"attribute 'size' gave .* for 'bb', an? \w+; expected a text or None"
    ) as caught:
        features.extend(as_corpus([["a", "bb"]]))
    assert "str(" in caught.value.remedy


def test_a_text_that_no_file_can_hold_is_refused_with_the_function_and_the_word():
    features = Features(parse("odd[0]"), {"odd": lambda text: "\ud800" if text == "bb" else None})
    with pytest.raises(DataError, match=r"attribute 'odd' gave '\\ud800' for 'bb'; it holds a lone surrogate"):
        features.extend(as_corpus([["a", "bb"]]))


def test_a_failing_attribute_is_named_with_the_word_it_failed_on():
    features = Features(parse("first[0]"), {"first": lambda text: text[3]})
    with pytest.raises(DataError, match=r"attribute 'first' failed on 'ab': IndexError"):
        features.extend(as_corpus([["abcd", "ab"]]))


@pytest.mark.parametrize("name", builtin())
@given(st.text(st.characters(max_codepoint=127), max_size=12))
def test_the_core_computes_what_python_defines(name, text):
    assert native_attribute(name, text) == builtin()[name](text)


def computed(name, text):
    """By the core; Python where it says that it does not know a letter."""
    letters.teach([text])
    try:
        return native_attribute(name, text)
    except RiataError:
        assert any(letters._flags(c) == 0 for c in text)
        return builtin()[name](text)


@pytest.mark.parametrize("name", builtin())
@given(st.text(max_size=12))
def test_the_core_agrees_on_letters_that_it_was_taught(name, text):
    assert computed(name, text) == builtin()[name](text)


@pytest.mark.parametrize("name", builtin())
def test_the_core_agrees_on_every_character_of_the_basic_plane(name):
    for start in range(0x80, 0xD7F8, 7):
        text = "".join(map(chr, range(start, start + 7)))
        for word in (text, text[3], f"a{text[2]}"):
            assert computed(name, word) == builtin()[name](word), repr(word)


def test_what_depends_on_more_than_a_character_is_left_to_python():
    letters.teach(["ΣΑΣ", "İ", "ǅ"])
    for text in ("ΣΑΣ", "İ", "ǅ"):
        with pytest.raises(RiataError, match="letters"):
            native_attribute("lower", text)
    assert native_attribute("lower", "ΑΒ") == "αβ"
