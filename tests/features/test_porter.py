"""Porter's stemmer on the examples of its paper, step by step, and on what no dictionary holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import porter as steps
from riata._core import porter

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
