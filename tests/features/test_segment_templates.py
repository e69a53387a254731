"""The language of templates of segments."""

import pytest

from riata.errors import TemplateError
from riata.features.segments import ANCHORED, GROWN, compile_segments, parse


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
    ]
    templates = parse("\n".join(["# all", *text, "", "length  # again"]))
    assert [str(t) for t in templates] == text
    assert parse("\n".join(map(str, templates))) == templates


def test_pairs_inside_are_the_same_wherever_they_are_counted_from():
    assert parse("inside tag[-1] tag[0]") == parse("inside tag[0] tag[1]")
    assert len(parse("inside word[0]\ninside word[2]")) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("word[0]", "has no role"),
        ("inside", "reads nothing"),
        ("length word[0]", "reads attributes"),
        ("sequence tag[1]", r"at \[0\]"),
        ("first last word[0]", "more than one role"),
        ("middle word[0]", "middle"),
        ("edge word[0]", "edge"),
        ("label[-3]", r"label\[-3\]"),
        ("label[0]", "before the token"),
        ("label[-1] inside word[0]", "goes with the role first"),
        ("label[-1] length", "goes with the role first"),
        ("inside number(1)[0]", "number"),
        ("first word[9]", "out of range"),
        ("first word", "first"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_line(line, message):
    with pytest.raises(TemplateError, match=message) as caught:
        parse(f"length\n{line}", "mine")
    assert (caught.value.file, caught.value.line) == ("mine", 2)


def test_nothing_is_no_template():
    with pytest.raises(TemplateError, match="no line"):
        parse("# nothing\n")


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
    assert program.grown == (
        (GROWN.index("sequence"), 0, 0, ()),
        (GROWN.index("history"), -1, 0, (1,)),
        (GROWN.index("length"), -1, 0, ()),
    )
    assert program.order == 1
