"""Regular expressions of Wapiti as attributes, against a matcher that goes step by step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riata.errors import TemplateError
from riata.features.expressions import Expression, expressions

ATOMS = ["a", "b", ".", "\\d", "\\l", "\\U", "\\p", "\\.", "é", '"']
pieces = st.lists(st.tuples(st.sampled_from(ATOMS), st.sampled_from(["", "*", "?"])), max_size=4)
CLASSES = {"d": str.isdigit, "l": str.islower, "u": str.isupper, "p": lambda c: c in "!#./-"}


def fits(atom, byte):
    char = chr(byte) if byte < 128 else "\0"  # no class has bytes beyond ASCII
    if atom == b".":
        return True
    if len(atom) == 2 and chr(atom[1]).lower() in CLASSES:
        return CLASSES[chr(atom[1]).lower()](char) != chr(atom[1]).isupper()
    return atom[-1] == byte


def ends(steps, text, at, anchored):
    """Where matches from here may end, the one that Wapiti takes first. `*` first takes nothing, `?` first takes one."""
    if not steps:
        if not anchored or at == len(text):
            yield at
        return
    (atom, repeat), *rest = steps
    one = at < len(text) and fits(atom, text[at])
    if repeat == "*":
        yield from ends(rest, text, at, anchored)
        if one:
            yield from ends(steps, text, at + 1, anchored)
    else:
        if one:
            yield from ends(rest, text, at + 1, anchored)
        if repeat == "?":
            yield from ends(rest, text, at, anchored)


def first_match(steps, text, start, end):
    for at in range(1 if start else len(text) + 1):
        for stop in ends(steps, text, at, end):
            return text[at:stop]
    return None


@given(steps=pieces, start=st.booleans(), end=st.booleans(), text=st.text("abA1.-é", max_size=6))
def test_the_first_match_is_that_of_the_steps(steps, start, end, text):
    # A character of two bytes is two atoms, of which the last is repeated.
    single = [(atom.encode(), repeat) if len(atom.encode()) == len(atom) else None for atom, repeat in steps]
    flat = []
    for step, (atom, repeat) in zip(single, steps, strict=True):
        flat += [step] if step else [(atom.encode()[:1], ""), (atom.encode()[1:], repeat)]
    source = "^" * start + "".join(atom + repeat for atom, repeat in steps) + "$" * end
    expected = first_match(flat, text.encode(), start, end)
    assert Expression.of("matches", source)(text) == ("false" if expected is None else "true")
    part = (expected or b"").decode("utf-8", "backslashreplace")
    assert Expression.of("matched", source)(text) == part
    assert Expression.of("matchedlower", source)(text) == part.replace("A", "a")


def test_a_name_says_it_all():
    made = Expression.of("matched", ".?.$_é")
    assert made.name == "matched__2e_3f_2e_24_5f_c3_a9"
    assert expressions([made.name, "lower", "matched", "matched_x-"]) == {made.name: made}
    assert Expression.of("matched", ".$")("é") == "\\xa9"


@pytest.mark.parametrize("source", ["*", "a**", "?a", "^*", "a\\"])
def test_what_wapiti_cannot_read_is_refused(source):
    with pytest.raises(TemplateError, match="cannot be read"):
        Expression.of("matched", source)


def test_a_name_of_an_expression_that_cannot_be_read_is_refused():
    with pytest.raises(TemplateError, match="cannot be read"):
        expressions(["matched__2a"])
