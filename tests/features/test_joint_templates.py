"""The template language of tags and chunk labels, what the core gets of it, and the dictionary of tags."""

import numpy as np
import pytest

from checks import refused
from riata.data.types import Column
from riata.errors import RiataError, TemplateError, UnknownNameError
from riata.features.dictionary import ENOUGH, TagDictionary
from riata.features.joint import JointTemplate, compile_joint, misfit, parse
from riata.features.language import language_of
from riata.features.named_sets import builtin_names
from samples import for_rows


@for_rows(
    "line, expected",
    ("tag word[0]", "tag word[0]"),
    ("tag  suffix3[0]  tag[-1] # why", "tag tag[-1] suffix3[0]"),
    ("chunk tag[0] chunk[-1] tag[-2] tag[0]", "chunk tag[-2] tag[0] chunk[-1]"),
    ("chunk tag[1] word[1] word[0]", "chunk tag[1] word[0] word[1]"),
    ("chunk x1[0] x2[-1] shape(1)[0]", "chunk x2[-1] x1[0] shape(1)[0]"),
    ("tag list(city)[0] chunk[-3]", "tag chunk[-3] list(city)[0]"),
)
def test_lines_are_read_and_written(line, expected):
    (template,) = parse(line)
    assert isinstance(template, JointTemplate)
    assert str(template) == expected
    assert parse(str(template)) == (template,)


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
    assert "mine" in str(refused(TemplateError, what, parse, line, "mine"))


def test_what_look_ahead_decides():
    ahead, back = parse("chunk tag[0] tag[1]\ntag chunk[-1] word[0]", "mine")
    assert misfit(ahead, True) is None
    assert "mine:1" in str(misfit(ahead, False))
    assert misfit(back, False) is None
    assert "mine:2" in str(misfit(back, True))


def test_outputs_are_counted_in_operators():
    program = compile_joint(
        parse("tag tag[-2] tag[-1]\ntag chunk[-2] word[0]\nchunk tag[-1] tag[0]\nchunk chunk[-1]\nchunk word[-1]")
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
