"""Templates that read earlier labels: what is read, what is refused, and who takes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata.errors import DataError, TemplateError, UnsupportedError
from riata.features.compile import compile_templates
from riata.features.templates import Read, Template, fitting, parse
from samples import CHUNKS, for_rows

WORD, TAG = Read(0, 0, "identity"), Read(0, 1, "identity")


@pytest.mark.parametrize(
    ("line", "reads", "labels"),
    [
        ("label[-1]", [], (-1,)),
        ("label[-2] label[-1]", [], (-2, -1)),
        ("label[-1] label[-8] label[-1]", [], (-8, -1)),
        ("label[-3]", [], (-3,)),
        ("word[0] label[-1]", [WORD], (-1,)),
        ("tag[0] label[-1] word[0] label[-2]", [WORD, TAG], (-2, -1)),
        ("label[-1] word[+1] # the next word", [Read(1, 0, "identity")], (-1,)),
    ],
)
def test_reads_of_earlier_labels(line, reads, labels):
    assert parse(line) == (Template(tuple(reads), labels=labels),)


reads = st.builds(Read, st.integers(-8, 8), st.integers(0, 3), st.sampled_from(["identity", "suffix2", "shape"]))
templates = st.builds(
    lambda r, labels: Template(tuple(sorted(r)), labels=tuple(sorted(labels))),
    st.sets(reads, max_size=3),
    st.sets(st.integers(-8, -1), min_size=1, max_size=4),
)


@given(st.lists(templates, min_size=1, max_size=5, unique=True))
def test_the_text_of_templates_parses_back_to_them(some):
    assert parse("\n".join(map(str, some))) == tuple(some)


@for_rows(
    "line, parts",
    ("label[0]", ["only labels before the token at hand", "label[-1] to label[-8]"]),
    ("word[0] label[1]", ["only labels before the token at hand"]),
    ("label[-9]", ["label[-1] to label[-8]"]),
    ("label[-1] label[0]", ["only labels before the token at hand"]),
    ("edge label[-1]", ["edge stands for the label before", "Write 'label[-1]'"]),
    ("edge label[-2] word[0]", ["edge stands for the label before", "Write 'label[-2] label[-1] word[0]'"]),
    ("number(1)[0] label[-1]", ["number(...) stands alone"]),
    ("label[-1] word[9]", ["offset 9 is out of range"]),
    ("label", ["'label'", "attribute[offset]"]),
    ("label(1)[-1]", ["'label(1)[-1]': labels have no columns", "Write 'label[-1]'"]),
)
def test_what_cannot_be_read_is_refused_with_file_and_line(line, parts):
    caught = refused(TemplateError, "", parse, f"word[0]\n\n{line}", "my.template")
    assert (caught.file, caught.line) == ("my.template", 3)
    for part in parts:
        assert part in str(caught)


def test_an_attribute_named_label_is_refused():
    with pytest.raises(riata.errors.SettingError, match="'label'"):
        riata.Tagger("early", epochs=1, attributes={"label": str.lower}).fit(CHUNKS)


def test_files_of_crfpp_read_no_labels():
    assert all(t.labels == () for t in parse("U00:%x[-1,0]\nU01:label[-1]%x[0,0]\nB"))


def test_only_reads_of_the_input_need_columns():
    some = parse("label[-1]\nlabel[-1] word[0]\nlabel[-1] tag[0]")
    assert fitting(some, 2) == some
    assert fitting(some, 1) == some[:2]


def test_the_n_gram_of_a_history_template_is_shared_with_the_others():
    program = compile_templates(
        parse("word[0]\nword[-1] word[0]\nlabel[-3] label[-1] word[-1] word[0]\nlabel[-1]\nedge")
    )
    assert program.history == ((1, -1, (1, 3)), (-1, 0, (1,)))
    assert len(program.families) == 2
    assert program.order == 3
    assert program.transitions
    assert compile_templates(parse("word[0]\nedge")).order == 0


# --- who takes them --------------------------------------------------------------------------------------------------
def test_the_perceptron_refuses_far_ones_without_a_file_too():
    with pytest.raises(UnsupportedError, match=r"no further than label\[-2\]") as caught:
        riata.Chunker(template=[Template((), labels=(-3,))], epochs=1).fit(CHUNKS)
    assert caught.value.file is None


def many_labels(order, count):
    template = parse(f"word[0]\nlabel[-{order}]")
    sentence = [[f"w{i}" for i in range(count)]]
    return riata.Tagger("early", beam=1, epochs=1, template=template).fit(sentence, [[f"L{i}" for i in range(count)]])


def test_labels_too_far_back_for_their_number_are_refused():
    # (labels + 1) ** order must fit 62 bits.
    caught = refused(DataError, r"label\[-8\], which is too far back for 215 labels", many_labels, 8, 215)
    assert "fewer labels back" in caught.remedy
    assert many_labels(8, 214).predict([["w1"]])
