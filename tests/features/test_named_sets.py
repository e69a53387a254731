"""Named sets of templates, and the windows that some of them have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from riata.errors import TemplateError, UnknownNameError
from riata.features.named_sets import builtin_names, is_named_set
from riata.features.templates import Read, load, parse

SPELLING = ("suffix1", "suffix2", "suffix3", "initialcase", "capitaldot", "uppercase", "anyhyphen")


def window(half):
    lines = (f"{name}[{at}]" for name in ("word", *SPELLING) for at in range(-half, half + 1))
    return {"edge", *lines}


def lines_of(name):
    return {str(template) for template in load(name)}


def test_the_sets_of_altun_johnson_and_hofmann_contain_each_other():
    assert lines_of("S1") == {"word[0]", "edge"}
    assert lines_of("S2") == lines_of("S1") | {f"{name}[0]" for name in SPELLING} == window(0)
    assert lines_of("S3") == lines_of("S3:1") == window(1)
    assert lines_of("S3:0") == lines_of("S2")


@given(st.integers(0, 8))
def test_the_number_after_the_name_is_half_of_the_window(half):
    assert lines_of(f"S3:{half}") == window(half)


@pytest.mark.parametrize("given_window", ["9", "-1", "", "x", "1.5", "2:3", " 2", "٣", "1" * 5000])
def test_a_window_that_cannot_be_read_is_refused(given_window):
    with pytest.raises(TemplateError, match="expected how many tokens before and after are read, 0 to 8") as caught:
        load(f"S3:{given_window}")
    assert "S3:2" in caught.value.remedy


@pytest.mark.parametrize("name", [name for name in builtin_names() if name != "S3"])
def test_sets_without_a_window_refuse_one_and_name_those_that_have_one(name):
    with pytest.raises(TemplateError, match=f"the set '{name}' has no window") as caught:
        load(f"{name}:2")
    assert caught.value.remedy == f"Write '{name}'; sets with a window: S3."


@pytest.mark.parametrize(("wrong", "meant"), [("s1", "S1"), ("s3", "S3"), ("s3:2", "S3"), ("clasic", "classic")])
def test_a_name_that_is_nearly_right_gets_a_suggestion(wrong, meant):
    with pytest.raises(UnknownNameError, match=f"Did you mean '{meant}'"):
        load(wrong)


def test_a_file_may_have_a_colon_in_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine:2").write_text("word[0]\n")
    assert load("mine:2") == parse("word[0]")
    assert not is_named_set("mine:2", "template")


def test_an_estimator_takes_a_set_with_a_window_and_its_model_keeps_the_lines(tmp_path):
    sentences = [["The", "U.S.", "co-op", "IBM"], ["a", "B-52"]]
    model = riata.Tagger("perceptron", template="S3:2", epochs=2).fit(sentences, [["D", "N", "N", "N"], ["D", "N"]])
    model.save(tmp_path / "m.riata")
    again = riata.load_model(tmp_path / "m.riata")
    assert {str(one) for one in again.model_.features.templates} == window(2)
    assert again.predict(sentences) == model.predict(sentences)


def test_on_another_structure_the_set_is_refused_with_the_structure_to_use():
    with pytest.raises(TemplateError, match="S3:2 is for templates of chain"):
        riata.Chunker("perceptron", structure="segments", template="S3:2").fit([["a"]], [["B-X"]])


def test_offsets_beyond_the_first_window_are_read_at_their_distance():
    assert Read(-2, 0, "initialcase") in {read for template in load("S3:2") for read in template.reads}
