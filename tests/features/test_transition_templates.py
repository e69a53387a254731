"""Templates of the states of a parser."""

import pytest

from checks import refused
from riata.errors import TemplateError
from riata.features.attributes import builtin
from riata.features.language import language_of
from riata.features.named_sets import builtin_names
from riata.features.transitions import TransitionFeatures, compile_transitions, parse
from samples import for_rows


@pytest.mark.parametrize("name", builtin_names("transitions"))
def test_a_built_in_set_reads_as_it_is_written(name):
    templates = language_of("transitions").load(name)
    assert parse("\n".join(map(str, templates))) == templates
    assert TransitionFeatures(templates, builtin(), {}, tags=True).native is not None


def test_attributes_of_one_place_are_one_part():
    [template] = parse("word[s0] tag[b0] tag[s0] relation[s0.l]")
    assert str(template) == "word[s0] tag[s0] tag[b0] relation[s0.l]"
    assert [str(part) for part in template.parts] == ["word[s0] tag[s0]", "tag[b0]", "relation[s0.l]"]


def test_neighbours_in_the_sentence_are_read_by_offset():
    [template] = parse("word[s0-1] suffix3[s0] shape(2)[b1+2]")
    assert str(template) == "word[s0-1] suffix3[s0] shape(2)[b1+2]"
    program = compile_transitions([template], tags=False).program
    assert {offset for _, offset in program.other_reads} == {-1, 2}


def test_templates_share_parts_and_places():
    program = compile_transitions(parse("tag[s0] tag[b0]\ntag[s0] distance[s0,b0]\ntag[b0]"), tags=True)
    assert len(program.places) == 2
    assert len(program.parts) == 3
    assert program.templates == ((0, 1), (0, 2), (1,))
    assert program.tag_family == 0  # the family of tag[...]


@for_rows(
    "line, message",
    ("word[0]", "no place"),
    ("word[s4]", "no place"),
    ("word[b0.r]", "no place"),
    ("word[b1.l]", "no place"),
    ("word[s3.h]", "no place"),
    ("word[s2.h2]", "no place"),
    ("word[s0.x]", "no place"),
    ("word s0", "cannot read 'word'"),
    ("distance[s0]", "cannot read"),
    ("lefts[s0,b0]", "cannot read"),
    ("relation[s0+1]", "cannot read"),
    ("number(1)[s0]", "have no numbers"),
    ("label[s0-1]", "have no labels"),
    ("tag[s0] tag[s1] tag[b0] tag[b1] tag[b2]", "5 parts; expected at most 4"),
    ("word[s0+99]", "out of range"),
)
def test_what_cannot_be_read_is_refused_with_its_line(line, message):
    assert refused(TemplateError, message, parse, f"tag[s0]\n{line}", "mine.transitions").line == 2


def test_too_many_templates_are_refused():
    lines = [f"word[s0{a:+d}] word[b{b}{c:+d}]" for a in range(-4, 5) for b in range(4) for c in range(-4, 5)]
    refused(TemplateError, "at most 255", TransitionFeatures, parse("\n".join(lines)), builtin(), {}, tags=False)
