"""The language of templates of segments."""

from checks import refused
from riata.errors import TemplateError
from riata.features.segments import ANCHORED, compile_segments, parse
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
