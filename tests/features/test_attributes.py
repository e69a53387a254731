"""Every attribute by examples: scripts with and without case, frequency, Porter's stemmer, long numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from oracle import porter as steps
from riata import Tagger
from riata._core import native_attribute, porter
from riata.analysis.beams import beams_of
from riata.commands.estimator_options import beam
from riata.data.memory import as_corpus
from riata.data.types import Column
from riata.errors import DataError, ModelFileError, RiataError, SettingError, TemplateError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features import attributes, templates
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.frequency import Frequencies
from riata.features.templates import parse
from riata.models import container
from riata.structures.joint import templates as joint
from riata.structures.segments import templates as segments
from samples import for_each

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
    refused(DataError, r"attribute 'first' failed on 'ab': IndexError", features.extend, as_corpus([["abcd", "ab"]]))


@pytest.mark.parametrize("name", builtin())
@given(st.text(st.characters(max_codepoint=127), max_size=12))
def test_the_core_computes_what_python_defines(name, text):
    assert native_attribute(name, text) == builtin()[name](text)


def computed(name, text):
    """By the core; Python where it says that it does not know a letter."""
    attributes.teach([text])
    try:
        return native_attribute(name, text)
    except RiataError:
        assert any(attributes._flags(c) == 0 for c in text)
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
    attributes.teach(["ΣΑΣ", "İ", "ǅ"])
    for text in ("ΣΑΣ", "İ", "ǅ"):
        refused(RiataError, "letters", native_attribute, "lower", text)
    assert native_attribute("lower", "ΑΒ") == "αβ"


# --- frequency classes: from the training corpus, kept with the model, the same when training goes on ----------------
SENTENCES = [["the", "a", "the", "b"], ["the", "a", "the", "c"]]
LABELS = [["X", "Y", "X", "Z"], ["X", "Y", "X", "Z"]]


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=80))
def test_a_class_is_the_power_of_two_below_the_count(words):
    frequencies = Frequencies.of(Column.of(words))
    for word in "abcdef":
        power = int(frequencies(word))
        count = max(words.count(word), 1)
        assert 2**power <= count < 2 ** (power + 1)


def fitted():
    return Tagger(template=parse("frequency[0]\nfrequency(tag)[-1] word[0]\nedge"), epochs=3).fit(
        [[(word, word.upper()) for word in sentence] for sentence in SENTENCES], LABELS
    )


def test_classes_come_from_training_and_unseen_words_are_as_rare_as_those_seen_once():
    tagger = fitted()
    assert tagger.model_.features.alphabets[0].texts() == ["2", "1", "0"]
    assert tagger.predict([[("the", "THE"), ("new", "NEW")]])[0] == tagger.predict([[("the", "THE"), ("b", "NEW")]])[0]


def test_words_of_a_slice_are_counted_in_the_slice():
    part = as_corpus(SENTENCES)[1:]
    assert Frequencies.of(part.columns[0])("a") == "0"


def test_a_model_keeps_them(tmp_path):
    tagger = fitted()
    tagger.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    test = [[(w, w.upper()) for w in ["the", "a", "b", "c", "d"]]]
    assert loaded.predict(test) == tagger.predict(test)
    assert to_bytes(loaded) == (tmp_path / "m.riata").read_bytes()
    kept = loaded.model_.features.frequencies
    assert {c: (f.words.texts(), f.classes.tolist()) for c, f in kept.items()} == {
        0: (["the", "a"], [2, 1]),
        1: (["THE", "A"], [2, 1]),
    }


def test_training_that_goes_on_keeps_the_classes():
    tagger = Tagger(template=parse("frequency[0]\nedge"))
    tagger.partial_fit(SENTENCES, LABELS)
    tagger.partial_fit(SENTENCES, LABELS)
    assert tagger.model_.features.frequencies[0]("the") == "2"


def test_its_name_is_taken():
    refused(SettingError, "'frequency'", Tagger(attributes={"frequency": str.lower}).fit, SENTENCES, LABELS)


def test_broken_classes_in_a_model_are_refused():
    header, arrays = container.unpack(memoryview(to_bytes(fitted())))
    name = "frequency/0/classes"
    for classes in (arrays[name][:1], arrays[name].astype(np.uint16), np.ones(2)):
        refused(ModelFileError, "", from_bytes, container.pack(header, {**arrays, name: classes}))
    refused(ModelFileError, "", from_bytes, container.pack(header, {k: v for k, v in arrays.items() if k != name}))


# --- porter's stemmer on the examples of its paper, step by step, and on what no dictionary holds --------------------


# Porter 1980: the examples beside the rules. Each shows what its own step does.
STEP_1A = "caresses caress, ponies poni, ties ti, caress caress, cats cat"
STEP_1B = (
    "feed feed, agreed agree, plastered plaster, bled bled, motoring motor, sing sing, conflated conflate, troubled trouble, "
    "sized size, hopping hop, tanned tan, falling fall, hissing hiss, fizzed fizz, failing fail, filing file"
)
STEP_1C = "happy happi, sky sky"
STEP_2 = (
    "relational relate, conditional condition, rational rational, valenci valence, hesitanci hesitance, digitizer digitize, "
    "conformabli conformable, radicalli radical, differentli different, vileli vile, analogousli analogous, "
    "vietnamization vietnamize, predication predicate, operator operate, feudalism feudal, decisiveness decisive, "
    "hopefulness hopeful, callousness callous, formaliti formal, sensitiviti sensitive, sensibiliti sensible"
)
STEP_3 = (
    "triplicate triplic, formative form, formalize formal, electriciti electric, electrical electric, hopeful hope, "
    "goodness good"
)
STEP_4 = (
    "revival reviv, allowance allow, inference infer, airliner airlin, gyroscopic gyroscop, adjustable adjust, "
    "defensible defens, irritant irrit, replacement replac, adjustment adjust, dependent depend, adoption adopt, "
    "homologou homolog, communism commun, activate activ, angulariti angular, homologous homolog, effective effect, "
    "bowdlerize bowdler"
)
STEP_5 = "probate probat, rate rate, cease ceas, controll control, roll roll"
MEASURES = {0: "tr ee tree y by", 1: "trouble oats trees ivy", 2: "troubles private oaten orrery"}
WHOLE = "generalizations gener, oscillators oscil, as as, is is, a a, yes ye, relational relat"
STEPS = [
    (STEP_1A, steps._step_1a),
    (STEP_1B, steps._step_1b),
    (STEP_1C, steps._step_1c),
    (STEP_2, lambda word: steps._longest(word, steps._STEP_2, least=1)),
    (STEP_3, lambda word: steps._longest(word, steps._STEP_3, least=1)),
    (STEP_4, lambda word: steps._longest(word, steps._STEP_4, least=2)),
    (STEP_5, steps._step_5),
    (WHOLE, steps.porter),
    (WHOLE, porter),
]


@pytest.mark.parametrize(
    ("step", "word", "stem"), [(step, *pair.split()) for text, step in STEPS for pair in text.split(", ")]
)
def test_every_step_does_what_the_examples_of_the_paper_show(step, word, stem):
    assert step(word) == stem


@pytest.mark.parametrize(("measure", "word"), [(m, word) for m, words in MEASURES.items() for word in words.split()])
def test_the_measure_of_the_papers_words(measure, word):
    assert steps._measure(word) == measure


@given(st.text(st.sampled_from("abcdeilnorstuyzé-1"), max_size=14))
def test_any_text_has_a_stem_that_is_not_longer(text):
    assert len(porter(text)) <= len(text)
    assert bool(porter(text)) == bool(text)


ENDINGS = [ending for rules in (steps._STEP_2, steps._STEP_3, steps._STEP_4) for ending, _ in rules]
ENDINGS += ["", "s", "sses", "ies", "ss", "eed", "ed", "ing", "y", "e", "ll", "at", "bl", "iz", "tt", "ion"]


@given(st.text(st.sampled_from("aeioubcdlstwxyzé₂𐐨"), max_size=7), st.lists(st.sampled_from(ENDINGS), max_size=3))
def test_the_core_stems_as_the_paper_does(start, endings):
    word = start + "".join(endings)
    assert porter(word) == steps.porter(word)


# --- numbers of thousands of digits, which Python refuses to read, and digits of other scripts -----------------------
LONG = "9" * 5000
TOKENS = [
    "word[{}]", "word[-{}]", "x{}[0]", "shape({})[0]", "shape(x{})[0]", "number({})[0]", "label[-{}]", "label[{}]", "list(a)[{}]",
    "U00:%x[{},0]", "U00:%x[-{},0]", "U00:%x[0,{}]",
]  # fmt: skip
SEGMENTS = ["first word[{}]", "inside x{}[0]", "around shape({})[0]", "label[-{}]"]
JOINT = ["tag word[{}]", "tag x{}[0]", "chunk tag[-{}]", "tag shape({})[0]"]


@pytest.mark.parametrize(
    ("language", "line"),
    [(templates, line) for line in TOKENS]
    + [(segments, line) for line in SEGMENTS]
    + [(joint, line) for line in JOINT],
)
@pytest.mark.parametrize("digits", [LONG, "9" * 12])
def test_a_number_that_no_template_can_use_is_refused_with_its_line_and_in_short(language, line, digits):
    caught = refused(TemplateError, "", language.parse, line.format(digits), "t.template")
    assert str(caught).startswith("t.template:1: ")
    assert len(str(caught)) < 600


@for_each(
    line=["word[{}]", "word[-{}]", "shape({})[0]", "label[-{}]", "U00:%x[{},0]", "U00:%x[0,{}]"], digits=["²", "٣"]
)
def test_digits_of_other_scripts_are_no_numbers(line, digits):
    refused(TemplateError, r"t.template:1: ", templates.parse, line.format(digits), "t.template")


@pytest.mark.parametrize("text", [LONG, "²", "٣"])
def test_a_beam_that_is_no_number_to_python_is_refused(text):
    for read in (beam, beams_of):
        refused(SettingError, "expected", read, text)


def test_numbers_as_people_write_them_are_read():
    assert str(templates.parse("word[+1] x12[-2]")[0]) == "x12[-2] word[1]"
