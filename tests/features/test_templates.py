"""The template language: what is read, what is refused, and where the message points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from riata.errors import TemplateError, UnknownNameError
from riata.features.attributes import builtin
from riata.features.named_sets import builtin_names
from riata.features.templates import Read, Template, check, fitting, load, parse


def word(offset):
    return Read(offset, 0, "identity")


def tag(offset):
    return Read(offset, 1, "identity")


def refused(text, *parts, line):
    with pytest.raises(TemplateError) as caught:
        parse(text, "my.template")
    assert (caught.value.file, caught.value.line) == ("my.template", line)
    assert str(caught.value).startswith(f"my.template:{line}: ")
    for part in parts:
        assert part in str(caught.value)


# --- Riata's own language -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("word[0]", [word(0)]),
        ("word[+1]", [word(1)]),
        ("tag[-2]", [tag(-2)]),
        ("x0[0]", [word(0)]),
        ("x1[0]", [tag(0)]),
        ("x12[3]", [Read(3, 12, "identity")]),
        ("identity(1)[0]", [tag(0)]),
        ("suffix3[0]", [Read(0, 0, "suffix3")]),
        ("suffix3(word)[0]", [Read(0, 0, "suffix3")]),
        ("shape(2)[0]", [Read(0, 2, "shape")]),
        ("shape(tag)[0]", [Read(0, 1, "shape")]),
        ("shape(x2)[0]", [Read(0, 2, "shape")]),
        ("number(3)[-1]", [Read(-1, 3, "number")]),
        ("word[-8]  word[8]", [word(-8), word(8)]),
        ("word[0]\tword[-1]", [word(-1), word(0)]),
        ("tag[0] word[0] word[0]", [word(0), tag(0)]),
        ("word[0] # the word", [word(0)]),
    ],
)
def test_a_line_of_reads_is_a_template(line, reads):
    assert parse(line) == (Template(tuple(reads)),)


@pytest.mark.parametrize(
    ("line", "reads"),
    [("edge", []), ("edge tag[0]", [tag(0)]), ("edge\tword[1] tag[0]", [tag(0), word(1)]), ("  edge  # pairs", [])],
)
def test_a_line_that_starts_with_edge_is_an_edge_template(line, reads):
    assert parse(line) == (Template(tuple(reads), edge=True),)


def test_an_attribute_whose_name_starts_with_edge_is_no_edge_template():
    assert parse("edgeness[0]") == (Template((Read(0, 0, "edgeness"),)),)


def test_comments_and_blank_lines_are_skipped_and_repeated_lines_count_once():
    text = "# title\n\nword[0]\r\n   \n  # more\ntag[0] word[0]\nword[0]\nword[0] tag[0]\n"
    assert parse(text) == (Template((word(0),)), Template((word(0), tag(0))))


def test_repeated_lines_of_crfpp_are_as_many_features_as_have_the_same_products():
    assert str_of("U01:%x[0,0]\nU02:%x[0,0]") == ["word[0]", "again word[0]"]  # two features of value 1
    assert str_of("U01:%x[0,0]\nU01:%x[0,0]") == [
        "word[0]",
        "again word[0]",
        "again(2) word[0]",
        "again(3) word[0]",
    ]  # one of 2
    assert len(parse("U1:%x[0,0]\nB\nU2:%x[0,0]\nU1:%x[0,0]")) == 6
    assert str_of("B\nB1\nB2") == ["edge", "edge bias[0]", "again edge bias[0]"]
    assert parse("\n".join(str_of("U1:%x[0,0]\nU1:%x[0,0]\nB\nB"))) == parse("U1:%x[0,0]\nU1:%x[0,0]\nB\nB")
    with pytest.raises(TemplateError, match="more than 30 times") as caught:
        parse("U1:%x[0,0]\n" * 31)
    assert caught.value.line == 31


def str_of(text):
    return [str(template) for template in parse(text)]


names = st.from_regex(r"[A-Za-z_][A-Za-z_0-9]{0,8}", fullmatch=True).filter(
    lambda name: name not in ("word", "tag", "number") and not (name[0] == "x" and name[1:].isdigit())
)
reads = st.builds(Read, st.integers(-8, 8), st.integers(0, 12), st.one_of(st.sampled_from(["identity"]), names))
templates = st.one_of(
    st.builds(lambda r: Template(tuple(sorted(r))), st.sets(reads, min_size=1, max_size=4)),
    st.builds(lambda r: Template(tuple(sorted(r)), edge=True), st.sets(reads, max_size=3)),
    st.builds(lambda o, c: Template((Read(o, c, "number"),)), st.integers(-8, 8), st.integers(0, 12)),
)


@given(st.lists(templates, min_size=1, max_size=5, unique=True))
def test_the_text_of_templates_parses_back_to_them(some):
    assert parse("\n".join(map(str, some))) == tuple(some)


@given(st.text(st.sampled_from("UBxedgword0123#%[](),:/ +-\t\n²٣é"), max_size=40))
def test_any_text_is_templates_or_a_template_error(text):
    try:
        assert parse(text)
    except TemplateError as error:
        assert error.file == "<template>"


# --- CRF++'s ---------------------------------------------------------------------------------------------------------


CRFPP = """\
# Unigram
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U05:%x[-1,0]/%x[0,0]

U10:%x[-2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U
U99

# Bigram
B
B01:%x[0,0]
B02:%x[-1,1]/%x[0,1]
"""


def test_a_template_file_of_crfpp_is_read_as_it_is(tmp_path):
    path = tmp_path / "template"
    path.write_text(CRFPP)
    assert load(path) == (
        Template((word(-2),)),
        Template((word(-1),)),
        Template((word(0),)),
        Template((word(-1), word(0))),
        Template((tag(-2),)),
        Template((tag(-2), tag(-1), tag(0))),
        Template((Read(0, 0, "bias"),)),
        Template((Read(0, 0, "bias"),), again=1),
        Template((), edge=True),
        Template((word(0),), edge=True),
        Template((tag(-1), tag(0)), edge=True),
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("U:word=%x[0,0]", Template((word(0),))),
        ("U%x[0,0]", Template((word(0),))),
        ("U1-a:%x[0,0]/tag=%x[ +1 , 1 ]", Template((word(0), tag(1)))),
        ("U05:%x[0,0]/%x[-1,0]", Template((word(-1), word(0)))),
        ("U7:%x[0,12]", Template((Read(0, 12, "identity"),))),
        ("B05:", Template((), edge=True)),
    ],
)
def test_lines_that_crfpp_accepts_are_accepted(line, expected):
    assert parse(line) == (expected,)


def test_an_attribute_that_starts_with_u_or_b_is_not_taken_for_crfpp():
    assert parse("Upper[0]\nBig(1)[0] word[0]") == (
        Template((Read(0, 0, "Upper"),)),
        Template((word(0), Read(0, 1, "Big"))),
    )


def test_the_two_languages_do_not_mix():
    refused("U00:%x[0,0]\nword[0]", "cannot read", "start every line with U, B, u, b or", line=1)


# --- what is refused ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("U00:%x[0,0]\n\nU01:%y[0,0]", 3, ["'%y[0,0]'", "%x[row,column]"]),
        ("U00:%x[0]", 1, ["'%x[0]'"]),
        ("U00:%x[0,-1]", 1, ["'%x[0,-1]'"]),
        ("B\nU0 1:%x[0,0]", 2, ["U05:%x[-1,0]/%x[0,0]"]),
        ("B\nU05x[0,0]", 2, ["U05:%x[-1,0]/%x[0,0]"]),
        ("U00:%x[9,0]", 1, ["offset 9", "from -8 to 8"]),
        ("# c\nword[0]\nword[-9]", 3, ["offset -9", "from -8 to 8"]),
        ("word[0] tag[100]", 1, ["offset 100"]),
        ("edge\nedge word[9]", 2, ["offset 9"]),
        ("word[0]\nword", 2, ["'word'", "attribute[offset]"]),
        ("word[0]\nword(0]", 2, ["'word(0]'"]),
        ("word[0.5]", 1, ["'word[0.5]'"]),
        ("word[0]tag[0]", 1, ["'word[0]tag[0]'"]),
        ("shape(foo)[0]", 1, ["'foo' is no column", "word, tag, or a number"]),
        ("shape(²)[0]", 1, ["'²' is no column"]),
        ("word[0]\nnumber(2)[0] word[0]", 2, ["number(...) stands alone"]),
        ("edge number(2)[0]", 1, ["number(...) stands alone"]),
        ("number(2)[0] number(2)[1]", 1, ["number(...) stands alone"]),
        ("edge edge", 1, ["'edge'"]),
    ],
)
def test_bad_syntax_is_refused_with_file_and_line(text, line, parts):
    refused(text, *parts, line=line)


@pytest.mark.parametrize("text", ["", "\n \n", "# only\n# comments\n"])
def test_a_template_without_lines_is_refused_with_its_file(text, tmp_path):
    path = tmp_path / "empty.template"
    path.write_text(text)
    with pytest.raises(TemplateError, match="holds no line") as caught:
        load(path)
    assert caught.value.file == str(path)


def test_a_file_that_is_not_utf8_is_refused_with_the_line(tmp_path):
    path = tmp_path / "latin.template"
    path.write_bytes(b"word[0]\n# caf\xe9\n")
    with pytest.raises(TemplateError, match="UTF-8") as caught:
        load(path)
    assert (caught.value.file, caught.value.line) == (str(path), 2)


def test_a_byte_order_mark_is_no_part_of_the_template(tmp_path):
    path = tmp_path / "bom.template"
    path.write_bytes("\ufeffword[0]\n".encode())
    assert load(path) == (Template((word(0),)),)


def test_an_unknown_template_name_suggests_the_near_miss():
    with pytest.raises(UnknownNameError, match="Did you mean 'chunk'"):
        load("chunks")


def fit_with(template, **options):
    return riata.Tagger(template=template, epochs=1, **options).fit(
        [[("a", "DT"), ("b", "NN")]], [["X", "Y"]], listener=lambda event: None
    )


def test_an_unknown_attribute_is_refused_with_file_line_and_near_miss(tmp_path):
    path = tmp_path / "my.template"
    path.write_text("word[0]\n# next\nsufix3[0] word[0]\n")
    with pytest.raises(TemplateError, match=r"Unknown attribute 'sufix3'. Did you mean 'suffix\d'\?") as caught:
        fit_with(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)
    assert "word[0] sufix3[0]" in caught.value.remedy


def test_a_column_out_of_range_is_refused_with_file_and_line(tmp_path):
    path = tmp_path / "my.template"
    path.write_text("U00:%x[0,0]\nU01:%x[0,1]\nU02:%x[0,2]\n")
    with pytest.raises(TemplateError, match=r"column 2, but the input has 2 columns \(0 to 1\)") as caught:
        fit_with(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)


def test_templates_made_in_python_are_checked_without_a_place():
    with pytest.raises(TemplateError, match="column 7") as caught:
        fit_with([Template((Read(0, 7, "identity"),))])
    assert caught.value.file is None


def test_a_template_that_fits_passes_the_check():
    known = {"identity", "shape"}
    check(parse("word[0]\nshape(1)[0]\nedge tag[0]"), 2, known.__contains__, known)


# --- built-in templates, and templates that adapt ---------------------------------------------------------------------


def test_fitting_drops_the_lines_that_read_missing_columns():
    some = parse("word[0]\nword[0] tag[0]\nshape(2)[0]\nedge\nedge tag[0]\nnumber(1)[0]")
    assert fitting(some, 3) == some
    assert fitting(some, 2) == tuple(t for t in some if "(2)" not in str(t))
    assert fitting(some, 1) == parse("word[0]\nedge")
    assert fitting(some, 0) == parse("edge")


def test_there_are_built_in_templates_for_every_task():
    assert {"chunk", "ner", "tag", "classic"} <= set(builtin_names())


COLUMNS = {"srl": 35}  # columns of slots; other sets read words and tags, and neighbouring labels


@pytest.mark.parametrize("name", builtin_names())
def test_built_in_templates_read_known_attributes_of_at_most_two_columns(name):
    some = load(name)
    known = builtin()
    check(some, COLUMNS.get(name, 2), known.__contains__, known)
    assert parse("\n".join(map(str, some))) == some
    assert name in COLUMNS or Template((), edge=True) in some
    assert fitting(some, 1)


def test_a_model_whose_attribute_starts_with_u_survives_its_file(tmp_path):
    fitted = fit_with([Template((Read(0, 0, "Upper"),))], attributes={"Upper": upper})
    fitted.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata", using=[upper])
    assert loaded.model_.features.templates == fitted.model_.features.templates


def upper(text):
    return text.upper()


def test_patterns_of_wapiti_are_templates():
    wapiti = "u:w=%x[0,0]\n*:t=%x[ -1, 1]\nu:%X[0,0]\nu\nb"
    own = "word[0]\ntag[-1]\nedge tag[-1]\nasciilower[0]\nbias[0]\nedge"
    assert parse(wapiti) == parse(own)
    refused('u:%t[0,0,"^a"]', "the only macros", "attributes=", line=1)
