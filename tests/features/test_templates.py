"""The template language: what is read, what is refused, and where the message points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused, stored
from riata import Chunker, Tagger
from riata.errors import TemplateError, UnknownNameError
from riata.features.attributes import builtin
from riata.features.templates import Read, Template, builtin_names, check, fitting, is_named_set, load, parse
from samples import for_rows


def word(offset):
    return Read(offset, 0, "identity")


def tag(offset):
    return Read(offset, 1, "identity")


def refuses(text, *parts, line):
    caught = refused(TemplateError, "", parse, text, "my.template")
    assert (caught.file, caught.line) == ("my.template", line)
    assert str(caught).startswith(f"my.template:{line}: ")
    for part in parts:
        assert part in str(caught)


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
    # One of 2.
    assert str_of("U01:%x[0,0]\nU01:%x[0,0]") == ["word[0]", "again word[0]", "again(2) word[0]", "again(3) word[0]"]
    assert len(parse("U1:%x[0,0]\nB\nU2:%x[0,0]\nU1:%x[0,0]")) == 6
    assert str_of("B\nB1\nB2") == ["edge", "edge bias[0]", "again edge bias[0]"]
    assert parse("\n".join(str_of("U1:%x[0,0]\nU1:%x[0,0]\nB\nB"))) == parse("U1:%x[0,0]\nU1:%x[0,0]\nB\nB")
    assert refused(TemplateError, "more than 30 times", parse, "U1:%x[0,0]\n" * 31).line == 31


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


@for_rows(
    "line, expected",
    ("U:word=%x[0,0]", Template((word(0),))),
    ("U%x[0,0]", Template((word(0),))),
    ("U1-a:%x[0,0]/tag=%x[ +1 , 1 ]", Template((word(0), tag(1)))),
    ("U05:%x[0,0]/%x[-1,0]", Template((word(-1), word(0)))),
    ("U7:%x[0,12]", Template((Read(0, 12, "identity"),))),
    ("B05:", Template((), edge=True)),
)
def test_lines_that_crfpp_accepts_are_accepted(line, expected):
    assert parse(line) == (expected,)


def test_an_attribute_that_starts_with_u_or_b_is_not_taken_for_crfpp():
    assert parse("Upper[0]\nBig(1)[0] word[0]") == (
        Template((Read(0, 0, "Upper"),)),
        Template((word(0), Read(0, 1, "Big"))),
    )


def test_the_two_languages_do_not_mix():
    refuses("U00:%x[0,0]\nword[0]", "cannot read", "start every line with U, B, u, b or", line=1)


# --- what is refused ----------------------------------------------------------------------------------------------------
@for_rows(
    "text, line, parts",
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
)
def test_bad_syntax_is_refused_with_file_and_line(text, line, parts):
    refuses(text, *parts, line=line)


@pytest.mark.parametrize("text", ["", "\n \n", "# only\n# comments\n"])
def test_a_template_without_lines_is_refused_with_its_file(text, tmp_path):
    path = tmp_path / "empty.template"
    path.write_text(text)
    assert refused(TemplateError, "holds no line", load, path).file == str(path)


def test_a_file_that_is_not_utf8_is_refused_with_the_line(tmp_path):
    path = tmp_path / "latin.template"
    path.write_bytes(b"word[0]\n# caf\xe9\n")
    caught = refused(TemplateError, "UTF-8", load, path)
    assert (caught.file, caught.line) == (str(path), 2)


def test_a_byte_order_mark_is_no_part_of_the_template(tmp_path):
    path = tmp_path / "bom.template"
    path.write_bytes("\ufeffword[0]\n".encode())
    assert load(path) == (Template((word(0),)),)


def test_an_unknown_template_name_suggests_the_near_miss():
    refused(UnknownNameError, "Did you mean 'chunk'", load, "chunks")


def fit_with(template, **options):
    return Tagger(template=template, epochs=1, **options).fit(
        [[("a", "DT"), ("b", "NN")]], [["X", "Y"]], listener=lambda event: None
    )


def test_an_unknown_attribute_is_refused_with_file_line_and_near_miss(tmp_path):
    path = tmp_path / "my.template"
    path.write_text("word[0]\n# next\nsufix3[0] word[0]\n")
    caught = refused(TemplateError, r"Unknown attribute 'sufix3'. Did you mean 'suffix\d'\?", fit_with, path)
    assert (caught.file, caught.line) == (str(path), 3)
    assert "word[0] sufix3[0]" in caught.remedy


def test_a_column_out_of_range_is_refused_with_file_and_line(tmp_path):
    path = tmp_path / "my.template"
    path.write_text("U00:%x[0,0]\nU01:%x[0,1]\nU02:%x[0,2]\n")
    caught = refused(TemplateError, r"column 2, but the input has 2 columns \(0 to 1\)", fit_with, path)
    assert (caught.file, caught.line) == (str(path), 3)


def test_templates_made_in_python_are_checked_without_a_place():
    assert refused(TemplateError, "column 7", fit_with, [Template((Read(0, 7, "identity"),))]).file is None


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
    refuses('u:%t[0,0,"^a"]', "the only macros", "attributes=", line=1)


# --- named sets of templates, and the windows that some of them have -------------------------------------------------
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
    caught = refused(TemplateError, f"the set '{name}' has no window", load, f"{name}:2")
    assert caught.remedy == f"Write '{name}'; sets with a window: S3."


@pytest.mark.parametrize(("wrong", "meant"), [("s1", "S1"), ("s3", "S3"), ("s3:2", "S3"), ("clasic", "classic")])
def test_a_name_that_is_nearly_right_gets_a_suggestion(wrong, meant):
    refused(UnknownNameError, f"Did you mean '{meant}'", load, wrong)


def test_a_file_may_have_a_colon_in_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine:2").write_text("word[0]\n")
    assert load("mine:2") == parse("word[0]")
    assert not is_named_set("mine:2", "template")


def test_an_estimator_takes_a_set_with_a_window_and_its_model_keeps_the_lines(tmp_path):
    sentences = [["The", "U.S.", "co-op", "IBM"], ["a", "B-52"]]
    model = Tagger("perceptron", template="S3:2", epochs=2).fit(sentences, [["D", "N", "N", "N"], ["D", "N"]])
    again = stored(model, tmp_path)
    assert {str(one) for one in again.model_.features.templates} == window(2)
    assert again.predict(sentences) == model.predict(sentences)


def test_on_another_structure_the_set_is_refused_with_the_structure_to_use():
    with pytest.raises(TemplateError, match="S3:2 is for templates of chain"):
        Chunker("perceptron", structure="segments", template="S3:2").fit([["a"]], [["B-X"]])


def test_offsets_beyond_the_first_window_are_read_at_their_distance():
    assert Read(-2, 0, "initialcase") in {read for template in load("S3:2") for read in template.reads}
