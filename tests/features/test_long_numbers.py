"""Numbers of thousands of digits, which Python refuses to read, and digits of other scripts."""

import pytest

from riata.analysis.beams import beams_of
from riata.commands.estimator_options import beam
from riata.errors import SettingError, TemplateError
from riata.features import templates
from riata.structures.joint import templates as joint
from riata.structures.segments import templates as segments

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
    with pytest.raises(TemplateError) as caught:
        language.parse(line.format(digits), "t.template")
    assert str(caught.value).startswith("t.template:1: ")
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "line", ["word[{}]", "word[-{}]", "shape({})[0]", "label[-{}]", "U00:%x[{},0]", "U00:%x[0,{}]"]
)
@pytest.mark.parametrize("digits", ["²", "٣"])
def test_digits_of_other_scripts_are_no_numbers(line, digits):
    with pytest.raises(TemplateError, match=r"t.template:1: "):
        templates.parse(line.format(digits), "t.template")


@pytest.mark.parametrize("text", [LONG, "²", "٣"])
def test_a_beam_that_is_no_number_to_python_is_refused(text):
    for read in (beam, beams_of):
        with pytest.raises(SettingError, match="expected"):
            read(text)


def test_numbers_as_people_write_them_are_read():
    assert str(templates.parse("word[+1] x12[-2]")[0]) == "x12[-2] word[1]"
