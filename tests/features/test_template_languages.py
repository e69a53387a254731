"""The languages of templates of segments, of the states of a parser, and of tags and chunk labels."""

import numpy as np
import pytest

from checks import refused
from riata.data.types import Column
from riata.errors import RiataError, TemplateError, UnknownNameError
from riata.features.attributes import builtin
from riata.features.dictionary import ENOUGH, TagDictionary
from riata.features.templates import builtin_names, language_of
from riata.structures.joint.templates import JointTemplate, compile_joint, misfit
from riata.structures.joint.templates import parse as parse_joint
from riata.structures.segments.templates import ANCHORED, compile_segments, parse
from riata.structures.transitions.templates import TransitionFeatures, compile_transitions
from riata.structures.transitions.templates import parse as parse_transitions
from samples import for_rows


def test_lines_are_read_and_written():
    text = [
        "first word[-1]",
        "last tag[0]",
        "inside word[0] tag[1]",
        "sequence tag[0]",
        "length",
        "label[-1]",
        "label[-2] label[-1]",
        "label[-1] first shape(2)[0]",
        "around word[0] tag[0]",
        "previous tag[1]",
        "length[-1]",
        "label[-2] length[-1] previous word[0]",
    ]
    templates = parse("\n".join(["# all", *text, "", "length  # again"]))
    assert [str(t) for t in templates] == text
    assert parse("\n".join(map(str, templates))) == templates


def test_pairs_inside_are_the_same_wherever_they_are_counted_from():
    assert parse("inside tag[-1] tag[0]") == parse("inside tag[0] tag[1]")
    assert len(parse("inside word[0]\ninside word[2]")) == 1


@for_rows(
    "line, message",
    ("word[0]", "has no role"),
    ("inside", "reads nothing"),
    ("length word[0]", "reads attributes"),
    ("sequence tag[1]", r"at \[0\]"),
    ("around tag[-1]", r"at \[0\]"),
    ("length[-1] last tag[0]", "go with the roles first"),
    ("length[-2]", "has no role"),
    ("previous", "reads nothing"),
    ("first last word[0]", "more than one role"),
    ("middle word[0]", "middle"),
    ("edge word[0]", "edge"),
    ("label[-3]", r"label\[-3\]"),
    ("label[0]", "before the token"),
    ("label[-1] inside word[0]", "go with the roles first"),
    ("label[-1] length", "go with the roles first"),
    ("inside number(1)[0]", "number"),
    ("first word[9]", "out of range"),
    ("inside word[8] word[-1]", "tokens that are 9 apart"),
    ("label[-1] previous word[-8]", "offset -8 is out of range"),
    ("first word", "first"),
)
def test_what_makes_no_sense_is_refused_with_its_line(line, message):
    caught = refused(TemplateError, message, parse, f"length\n{line}", "mine")
    assert (caught.file, caught.line) == ("mine", 2)


def test_nothing_is_no_template():
    refused(TemplateError, "no line", parse, "# nothing\n")


def test_reads_share_families():
    program = compile_segments(
        parse("first word[-1]\ninside word[0]\ninside word[0] word[1]\nsequence word[0]\nlabel[-1]\nlength")
    )
    assert program.program.families == ((-1, 0, 0), (0, 0, 1))
    assert program.anchored == (
        (ANCHORED.index("first"), 0, -1),
        (ANCHORED.index("inside"), 0, 0),
        (ANCHORED.index("inside"), 1, 0),
    )
    assert program.sequences == ((0, 0),)
    assert program.histories == (((1,), False, -1, 0, False),)
    assert [str(t) for t in program.slots[3:]] == ["length", "sequence word[0]", "label[-1]"]
    assert program.families == (0, 0, 1, -1, 0, -1)


def test_what_is_read_beyond_a_sentence_has_a_place():
    """The first segment is after the token before the sentence, and `around` reads one token further on either side."""
    program = compile_segments(parse("previous tag[-1]\naround word[0]"))
    assert program.program.other_reads == ((0, -2), (0, -1), (1, -1), (1, 0), (1, 1))


# --- templates of the states of a parser -----------------------------------------------------------------------------
@pytest.mark.parametrize("name", builtin_names("transitions"))
def test_a_built_in_set_reads_as_it_is_written(name):
    templates = language_of("transitions").load(name)
    assert parse_transitions("\n".join(map(str, templates))) == templates
    assert TransitionFeatures(templates, builtin(), {}, tags=True).native is not None


def test_attributes_of_one_place_are_one_part():
    [template] = parse_transitions("word[s0] tag[b0] tag[s0] relation[s0.l]")
    assert str(template) == "word[s0] tag[s0] tag[b0] relation[s0.l]"
    assert [str(part) for part in template.parts] == ["word[s0] tag[s0]", "tag[b0]", "relation[s0.l]"]


def test_neighbours_in_the_sentence_are_read_by_offset():
    [template] = parse_transitions("word[s0-1] suffix3[s0] shape(2)[b1+2]")
    assert str(template) == "word[s0-1] suffix3[s0] shape(2)[b1+2]"
    program = compile_transitions([template], tags=False).program
    assert {offset for _, offset in program.other_reads} == {-1, 2}


def test_templates_share_parts_and_places():
    program = compile_transitions(parse_transitions("tag[s0] tag[b0]\ntag[s0] distance[s0,b0]\ntag[b0]"), tags=True)
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
def test_transitions_that_cannot_be_read_are_refused_with_their_line(line, message):
    assert refused(TemplateError, message, parse_transitions, f"tag[s0]\n{line}", "mine.transitions").line == 2


def test_too_many_templates_are_refused():
    lines = [f"word[s0{a:+d}] word[b{b}{c:+d}]" for a in range(-4, 5) for b in range(4) for c in range(-4, 5)]
    refused(
        TemplateError, "at most 255", TransitionFeatures, parse_transitions("\n".join(lines)), builtin(), {}, tags=False
    )


# --- the template language of tags and chunk labels, what the core gets of it, and the dictionary of tags ------------
@for_rows(
    "line, expected",
    ("tag word[0]", "tag word[0]"),
    ("tag  suffix3[0]  tag[-1] # why", "tag tag[-1] suffix3[0]"),
    ("chunk tag[0] chunk[-1] tag[-2] tag[0]", "chunk tag[-2] tag[0] chunk[-1]"),
    ("chunk tag[1] word[1] word[0]", "chunk tag[1] word[0] word[1]"),
    ("chunk x1[0] x2[-1] shape(1)[0]", "chunk x2[-1] x1[0] shape(1)[0]"),
    ("tag list(city)[0] chunk[-3]", "tag chunk[-3] list(city)[0]"),
)
def test_joint_lines_are_read_and_written(line, expected):
    (template,) = parse_joint(line)
    assert isinstance(template, JointTemplate)
    assert str(template) == expected
    assert parse_joint(str(template)) == (template,)


@for_rows(
    "line, what",
    ("word[0]", "Unknown output 'word\\[0\\]'"), ("label word[0]", "Unknown output"), ("tag", "reads nothing"),
    ("tag tag[0]", r"reads tag\[0\]"),
    ("tag chunk[0]", r"reads chunk\[0\]"), ("chunk chunk[0]", r"reads chunk\[0\]"), ("chunk tag[2]", r"reads tag\[2\]"),
    ("tag tag[-4]", "too far back"),
    ("chunk chunk[-4] word[0]", "too far back"), ("tag edge", "tag\\[...\\]"), ("tag label[-1]", "tag\\[...\\]"),
    ("tag number(0)[0]", "number"),
    ("tag word", "cannot read"), ("", "no line"), ("# nothing", "no line"), ("chunk inside word[0]", "segments"),
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_its_line(line, what):
    assert "mine" in str(refused(TemplateError, what, parse_joint, line, "mine"))


def test_what_look_ahead_decides():
    ahead, back = parse_joint("chunk tag[0] tag[1]\ntag chunk[-1] word[0]", "mine")
    assert misfit(ahead, True) is None
    assert "mine:1" in str(misfit(ahead, False))
    assert misfit(back, False) is None
    assert "mine:2" in str(misfit(back, True))


def test_outputs_are_counted_in_operators():
    program = compile_joint(
        parse_joint("tag tag[-2] tag[-1]\ntag chunk[-2] word[0]\nchunk tag[-1] tag[0]\nchunk chunk[-1]\nchunk word[-1]")
    )
    assert program.native(False) == [
        (0, -1, 0, [1, 2], []), (0, 0, 0, [], [2]), (1, -1, 0, [0, 1], []), (1, -1, 0, [], [1]), (1, 0, -1, [], []),
    ]  # fmt: skip
    assert program.native(True) == [
        (0, -1, 0, [1, 2], []), (0, 0, 0, [], [1]), (1, -1, 0, [1, 2], []), (1, -1, 0, [], [1]), (1, 0, -1, [], []),
    ]  # fmt: skip
    assert program.program.other_reads == ((0, -1), (0, 0))


@pytest.mark.parametrize("name", builtin_names("joint"))
def test_built_in_sets_are_for_both_outputs(name):
    templates = language_of("joint").load(name)
    assert {template.output for template in templates} == {"tag", "chunk"}
    assert len({str(template) for template in templates}) == len(templates)
    for ahead in (False, True):
        assert sum(misfit(template, ahead) is None for template in templates) > 20


def test_unknown_sets_are_refused():
    refused(UnknownNameError, "joint2005", language_of("joint").load, "joint2004")
    refused(RiataError, "", language_of("joint").load, "laso2005")


def dictionary(least, *tokens):
    tags = ("N", "V", "D")
    words, ids = zip(*tokens, strict=True) if tokens else ((), ())
    numbers = np.array([tags.index(tag) for tag in ids], np.int32)
    return TagDictionary(tags, least, {}).with_counts(Column.of(list(words)), numbers)


def test_frequent_words_have_the_tags_that_they_were_seen_with():
    made = dictionary(3, *[("the", "D")] * 3, ("run", "N"), ("run", "V"), ("run", "V"), ("cat", "N"), ("sat", "V"))
    assert made.of("the") == (2,)
    assert made.of("run") == (0, 1)
    assert made.of("cat") == made.of("unseen") == (0, 1)  # the tags of rare words
    assert dictionary(0, ("the", "D")).of("the") == (0, 1, 2)
    assert dictionary(1, ("the", "D")).of("unseen") == (0, 1, 2)  # there are no rare words


def test_rare_words_have_the_tags_of_words_like_them():
    letters = "abcdefghijklmnopqrstuvwxyz"
    nouns = [(f"b{letters[i % 26]}{letters[i // 26]}ness", "N") for i in range(ENOUGH)]
    made = dictionary(2, *nouns, ("sat", "V"), ("Xa", "D"))
    assert made.of("happiness") == (0,)
    assert made.of("Happiness") == (0, 1, 2)  # looks otherwise
    assert made.of("dog") == (0, 1)  # looks like all words of small letters
    fewer = dictionary(2, *nouns[1:], ("sat", "V"))
    assert fewer.of("happiness") == (0, 1)  # not seen often enough


def test_counts_add_up():
    once = dictionary(2, ("a", "D"))
    twice = once.with_counts(Column.of(["a", "b"]), np.array([2, 0], np.int32))
    assert twice.counts == {("a", 2): 2, ("b", 0): 1}
    assert once.counts == {("a", 2): 1}
    assert twice.of("a") == (2,)


def test_the_papers_set_reads_one_label_back_and_nothing_ahead():
    templates = language_of("joint").load("joint2005-paper")
    assert all(misfit(template, False) is None for template in templates)
    reading = {str(template) for template in templates if template.tags or template.chunks}
    assert reading == {
        "tag tag[-1]", "chunk tag[0]", "chunk tag[-1]", "chunk tag[-1] tag[0]", "chunk tag[-2] tag[-1] tag[0]", "chunk chunk[-1]",
    }  # fmt: skip
    assert not any(template.tags and template.reads for template in templates), (
        "features are on labels, not on transitions"
    )


@pytest.mark.parametrize(("structure", "name"), [("joint", "joint2005-paper"), ("segments", "laso2005-paper")])
def test_the_papers_sets_read_every_list_in_the_places_of_their_other_features(structure, name):
    language = language_of(structure)
    places = {str(template).replace("stem", "X") for template in language.load(name) if "stem" in str(template)}
    assert {str(template).replace("list(city)", "X") for template in language.of_list("list(city)", name)} == places
    assert not any("LIST" in str(template) for template in language.load(name))
    assert len(language.of_list("list(city)", name)) > len(language.of_list("list(city)"))


def test_a_set_can_have_all_lines_of_another():
    whole, part = (set(map(str, language_of("segments").load(name))) for name in ("laso2005-paper", "laso2005"))
    assert whole - part == {"label[-1]"} and part < whole
