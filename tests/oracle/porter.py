"""Porter's stemmer for English, as the paper tells it, in strings."""

from __future__ import annotations

_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4 = (
    ("al", ""),
    ("ance", ""),
    ("ence", ""),
    ("er", ""),
    ("ic", ""),
    ("able", ""),
    ("ible", ""),
    ("ant", ""),
    ("ement", ""),
    ("ment", ""),
    ("ent", ""),
    ("ion", ""),  # only after s or t
    ("ou", ""),
    ("ism", ""),
    ("ate", ""),
    ("iti", ""),
    ("ous", ""),
    ("ive", ""),
    ("ize", ""),
)
Rules = tuple[tuple[str, str], ...]


def porter(word: str) -> str:
    """The stem of a word in lower case: `relational` is `relat`. What is no English letter counts as a consonant.

    Porter 1980, Sec. 2: steps 1 to 5 in their order; within a step, the longest ending that matches decides.
    Differs: words of one or two letters stay as they are (the paper would make `as` into `a`).
    """
    if len(word) <= 2:
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _longest(word, _STEP_2, least=1)
    word = _longest(word, _STEP_3, least=1)
    word = _longest(word, _STEP_4, least=2)
    return _step_5(word)


def _step_1a(word: str) -> str:
    """Plurals."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    """-eed, -ed and -ing, and the repair of what the last two leave."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = "ed" if word.endswith("ed") else "ing" if word.endswith("ing") else ""
    stem = word.removesuffix(ending)
    if not ending or "v" not in _kinds(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _ends_double(stem) and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and "v" in _kinds(word[:-1]) else word


def _longest(word: str, rules: Rules, least: int) -> str:
    """The word with its longest matching ending replaced, where enough of it stands before that ending."""
    ending, other = max((rule for rule in rules if word.endswith(rule[0])), key=lambda r: len(r[0]), default=("", ""))
    stem = word.removesuffix(ending)
    fits = _measure(stem) >= least and not (ending == "ion" and not stem.endswith(("s", "t")))
    return stem + other if ending and fits else word


def _step_5(word: str) -> str:
    """A final -e, and -ll."""
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_cvc(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _kinds(word: str) -> str:
    """c and v for every letter: y is a vowel after a consonant."""
    kinds = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and kinds.endswith("c"))
        kinds += "v" if vowel else "c"
    return kinds


def _measure(word: str) -> int:
    """The paper's m: how often a run of consonants follows a run of vowels."""
    return _kinds(word).count("vc")


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _kinds(word)[-1] == "c"


def _ends_cvc(word: str) -> bool:
    return _kinds(word)[-3:] == "cvc" and word[-1] not in "wxy"
