"""The feature index against a twin made of dictionaries of texts (oracle.features); templates that read earlier labels."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from checks import refused
from oracle import features as twin
from packed_weights import weights_of
from riata import Chunker, RiataError, Tagger
from riata._core import FeatureIndex
from riata.data.memory import as_corpus
from riata.errors import DataError, SettingError, TemplateError, UnsupportedError
from riata.features.compile import Features, compile_templates
from riata.features.templates import Read, Template, fitting, parse
from samples import CHUNKS, for_rows, tried

# Words that look like boundary names or are empty must not be taken for anything else.
WORDS = ["a", "b", "ab", "ba", "é", "_B-1", "_B+1", ""]
TAGS = ["a", "N", "_B-1"]
FUNCTIONS = {
    "identity": lambda text: text,
    "bias": lambda text: "",
    "last": lambda text: text[-1] if len(text) > 1 else None,
}

tokens = st.tuples(st.sampled_from(WORDS), st.sampled_from(TAGS))
corpora = st.lists(st.lists(tokens, max_size=5), min_size=1, max_size=5).filter(any)
offsets = st.one_of(st.integers(-2, 2), st.sampled_from([-8, 8]))
reads = st.builds(Read, offsets, st.integers(0, 1), st.sampled_from(sorted(FUNCTIONS)))
template_sets = st.lists(
    st.builds(lambda r, edge: Template(tuple(sorted(r)), edge), st.sets(reads, min_size=1, max_size=3), st.booleans()),
    min_size=1,
    max_size=5,
    unique=True,
)


def learnt(templates, *corpora_, cutoff=1):
    features = Features(templates, FUNCTIONS)
    for corpus in corpora_:
        features.extend(as_corpus(corpus), cutoff)
    return features


def places(corpus):
    return [(s, t) for s, sentence in enumerate(corpus) for t in range(len(sentence))]


def ids_by_ngram(features, templates, corpus):
    """What the index found: {(shape, n-gram): set of ids}, and the ids where the twin has no n-gram."""
    instances = features.instances(as_corpus(corpus))
    program = features.program
    assert program.templates == tuple(templates)
    found, nothing = {}, set()
    for (family, offset, _), template in zip(program.reads, templates, strict=True):
        for s, t in places(corpus):
            ngram = twin.ngram(corpus[s], t, template, FUNCTIONS)
            ids = nothing if ngram is None else found.setdefault((twin.shape_of(template), ngram), set())
            ids.add(instances.ngrams(family, s, t, offset))
    return found, nothing


def agrees(features, templates, corpus, known):
    """Known n-grams have one id each, two n-grams of a shape never the same; all others have none."""
    found, nothing = ids_by_ngram(features, templates, corpus)
    assert nothing <= {-1}
    for key, ids in found.items():
        assert len(ids) == 1, key
        assert (ids == {-1}) == (key not in known), key
    by_shape = {}
    for (shape, _), ids in found.items():
        by_shape.setdefault(shape, []).extend(ids - {-1})
    for ids in by_shape.values():
        assert len(ids) == len(set(ids))


def sizes(features, templates):
    families = [family for family, _, _ in features.program.reads]
    shapes = {twin.shape_of(t): family for t, family in zip(templates, families, strict=True)}
    assert len(set(shapes.values())) == len(shapes)  # a family per shape
    return {shape: features.index.size(family) for shape, family in shapes.items()}


def known_sizes(templates, known):
    return {shape: sum(key[0] == shape for key in known) for shape in map(twin.shape_of, templates)}


@given(template_sets, corpora)
def test_two_tokens_share_a_row_exactly_when_their_feature_texts_are_equal(templates, corpus):
    features = learnt(templates, corpus)
    known = twin.kept(corpus, templates, FUNCTIONS)
    agrees(features, templates, corpus, known)
    assert sizes(features, templates) == known_sizes(templates, known)


@given(template_sets, corpora, corpora)
def test_an_ngram_is_unknown_at_prediction_exactly_when_training_had_none(templates, corpus, other):
    features = learnt(templates, corpus)
    agrees(features, templates, other, twin.kept(corpus, templates, FUNCTIONS))


@given(template_sets, corpora, corpora, st.integers(1, 5))
def test_the_cutoff_keeps_what_the_twin_counts_often_enough(templates, corpus, other, cutoff):
    features = learnt(templates, corpus, cutoff=cutoff)
    known = twin.kept(corpus, templates, FUNCTIONS, cutoff)
    agrees(features, templates, corpus, known)
    agrees(features, templates, other, known)
    assert sizes(features, templates) == known_sizes(templates, known)


@given(template_sets, corpora, corpora, st.integers(1, 3))
def test_a_second_corpus_adds_to_what_was_there(templates, first, second, cutoff):
    features = learnt(templates, first, cutoff=cutoff)
    before, _ = ids_by_ngram(features, templates, first)
    features.extend(as_corpus(second), cutoff)
    known = twin.kept(first, templates, FUNCTIONS, cutoff)
    known = twin.kept(second, templates, FUNCTIONS, cutoff, known)
    agrees(features, templates, [*first, *second], known)
    assert sizes(features, templates) == known_sizes(templates, known)
    after, _ = ids_by_ngram(features, templates, first)
    assert all(after[key] == ids for key, ids in before.items() if ids != {-1})


def looked_up(features, instances, corpus):
    """Every id that the instances hold for a template."""
    return [
        [instances.ngrams(family, s, t, offset) for s, t in places(corpus)]
        for family, offset, _ in features.program.reads
    ]


@settings(deadline=None)  # threads of a busy machine
@given(template_sets, corpora, corpora, st.integers(1, 3), st.integers(2, 5))
def test_threads_change_nothing_and_learning_looks_up(templates, first, second, cutoff, threads):
    alone, together = learnt(templates, first, cutoff=cutoff), Features(templates, FUNCTIONS)
    together.extend(as_corpus(first), cutoff, threads)
    found = [
        features.extend(as_corpus(second), cutoff, number) for features, number in ((alone, 1), (together, threads))
    ]
    found += [
        features.instances(as_corpus(second), number) for features in (alone, together) for number in (1, threads)
    ]
    ids = [looked_up(alone, instances, second) for instances in found]
    assert all(other == ids[0] for other in ids)
    assert sizes(alone, templates) == sizes(together, templates)


def test_threads_share_what_is_too_large_for_a_table():
    """Many words and few tokens: their pairs go through the dictionaries of several threads."""
    rng = np.random.default_rng(0)
    words = [[(f"w{i}", "N") for i in rng.integers(0, 300, 9)] for _ in range(200)]
    templates = parse("word[-1] word[0]\nword[-1] word[0] word[1]\nword[0] tag[1]")
    features = [Features(templates, FUNCTIONS) for _ in range(3)]
    found = [f.extend(as_corpus(words), 1, threads) for f, threads in zip(features, (1, 2, 7), strict=True)]
    ids = [looked_up(features[0], instances, words) for instances in found]
    assert ids[0] == ids[1] == ids[2]
    agrees(features[2], templates, words, twin.kept(words, templates, FUNCTIONS))


@given(template_sets, corpora, corpora)
def test_a_copy_grows_on_its_own(templates, first, second):
    features = learnt(templates, first)
    grown = features.copy()
    grown.extend(as_corpus(second))
    agrees(features, templates, second, twin.kept(first, templates, FUNCTIONS))
    agrees(grown, templates, second, twin.kept([*first, *second], templates, FUNCTIONS))


@given(template_sets, corpora)
def test_sentences_do_not_see_their_neighbours(templates, corpus):
    features = learnt(templates, corpus)
    for s, sentence in enumerate(corpus):
        if not sentence:
            continue
        together, alone = features.instances(as_corpus(corpus)), features.instances(as_corpus([sentence]))
        for (family, offset, _), t in itertools.product(features.program.reads, range(len(sentence))):
            assert together.ngrams(family, s, t, offset) == alone.ngrams(family, 0, t, offset)


def test_boundaries_are_sixteen_values_of_their_own():
    templates = parse("\n".join(f"word[{offset}]" for offset in range(-8, 9)))
    features = learnt(templates, [[("a", "N")]])
    instances = features.instances(as_corpus([[("a", "N")]]))
    ids = [instances.ngrams(family, 0, 0, offset) for family, offset, _ in features.program.reads]
    assert len(set(ids)) == 17
    assert -1 not in ids
    assert features.index.size(0) == 17


def test_counting_by_hand():
    # `word[-1]` and `word[0]` are one family, read at positions -1 to 2 of the sentence "a b a": _B-1, a, b, a.
    # Each position counts once, though two templates read a and b.
    templates = parse("word[-1]\nword[0]")
    sentence = [("a", "N"), ("b", "N"), ("a", "N")]
    assert sorted(twin.counts([sentence], templates, FUNCTIONS).values()) == [1, 1, 2]
    assert [learnt(templates, [sentence], cutoff=c).index.size(0) for c in (1, 2, 3)] == [3, 1, 0]


def test_templates_that_begin_alike_share_families():
    program = compile_templates(parse("word[-1] word[0]\nword[0] word[1]\nword[-1] word[0] tag[0]\nword[2]"))
    assert program.families == ((-1, 0, 0), (0, 0, 1), (1, 1, 1))
    assert program.reads == ((1, -1, False), (1, 0, False), (2, -1, False), (0, 2, False))
    assert program.attributes == (("identity", 0), ("identity", 1))


def test_a_bare_edge_asks_for_transitions_and_nothing_else_does():
    assert compile_templates(parse("word[0]\nedge")).transitions
    assert not compile_templates(parse("word[0]\nedge word[0]")).transitions


@for_rows(
    "families, templates",
    ([(0, 0, 0)], []),  # its own parent
    ([(-1, 1, 0)], []),  # no such attribute
    ([(-1, 0, 1)], []),  # a root away from the first position
    ([(-1, 0, 0)], [(1, 0, False)]),  # no such family
    ([(-1, 0, 0)], [(0, 9, False)]),  # too far
    ([(-1, 0, 0), (0, 0, 2)], [(1, 7, False)]),  # too far at its end
)
def test_an_inconsistent_trie_is_refused(families, templates):
    refused(TemplateError, "", FeatureIndex, families, templates, 1)


def test_arrays_that_do_not_fit_the_sentences_are_refused():
    index = FeatureIndex([(-1, 0, 0)], [(0, 0, False)], 1)
    values = np.zeros(3, np.int32)
    for bad_values, starts in [
        ([values], [0, 2]),
        ([], [0, 3]),
        ([values], [0, 4, 3]),
        ([values], [1, 3]),
        ([values], []),
    ]:
        refused(RiataError, "do not fit", index.extend, bad_values, np.array(starts, np.int64))


# --- given features and numbers ---------------------------------------------------------------------------------------
def one_update(X, y, template=None):
    """The weights after a single mistake: label features with their values. Only the first label is predicted at zero."""
    tagger = Tagger("perceptron", template=template, epochs=1, settings={"average": False, "precision": "double"})
    tagger.fit(X, y)
    return tagger, {(name, label): w for ((name, _), label), w in weights_of(tagger.model_).items() if name != "edge"}


def test_given_features_count_with_their_values():
    # Labels tie in frequency, so A comes first; the sentence is read as A A, and B is corrected at the second token.
    _, weights = one_update([[{"size": 1.0, "cap": True}, {"size": -2.5, "suffix": "s"}]], [["A", "B"]])
    assert weights == {("size", "B"): -2.5, ("size", "A"): 2.5, ("suffix:s", "B"): 1.0, ("suffix:s", "A"): -1.0}


def test_given_features_that_training_never_saw_are_left_out():
    tagger, _ = one_update([[{"a": 1}, {"b": 1}]], [["A", "B"]])
    assert tagger.predict([[{"b": 1, "new": 100.0}, {"new": 1}, {"a": 1}]]) == tagger.predict(
        [[{"b": 1}, {}, {"a": 1}]]
    )


def test_numbers_are_read_at_their_offset_and_are_zero_outside():
    template = parse("number(1)[0]\nnumber(1)[-1]\nnumber(1)[1]")
    _, weights = one_update([[("a", "0.5"), ("b", "4")]], [["A", "B"]], template)
    assert weights == {
        ("number(1)[0]", "B"): 4.0,
        ("number(1)[0]", "A"): -4.0,
        ("number(1)[-1]", "B"): 0.5,
        ("number(1)[-1]", "A"): -0.5,
    }


def test_numbers_do_not_cross_sentences():
    X, y = [[("a", "-7")], [("b", "1")], [("c", "-9")]], [["A"], ["B"], ["A"]]
    _, weights = one_update(X, y, parse("number(1)[-1]\nnumber(1)[1]\nnumber(1)[0]"))
    # The only mistake is the B in the middle: its neighbours are outside its sentence.
    assert weights == {("number(1)[0]", "B"): 1.0, ("number(1)[0]", "A"): -1.0}


@pytest.mark.parametrize("text", ["x", "nan", "inf", "-inf", "1e39", ""])
def test_a_number_that_cannot_be_used_is_refused_with_file_and_line(text, tmp_path):
    features = Features(parse("number(1)[0]"), {})
    refused(DataError, r"number\(1\) cannot use", features.extend, as_corpus([[("a", "1"), ("b", text)]]))
    if text:
        path = tmp_path / "numbers.txt"
        path.write_text(f"a 1 X\n\nb {text} Y\n")
        with pytest.raises(DataError) as caught:
            Tagger("perceptron", template=parse("number(1)[0]")).fit(
                riata.read_columns(path), listener=lambda event: None
            )
        assert (caught.value.file, caught.value.line) == (str(path), 3)


@tried(30, corpora)
def test_features_given_beside_templates_reach_the_model_by_name(corpus):
    features = Features(parse("word[0]\nnumber(1)[0]"), FUNCTIONS)
    numbered = [[(w, str(len(w))) for w, _ in sentence] for sentence in corpus]
    features.extend(as_corpus(numbered))
    assert features.given.texts() == ["number(1)[0]"]
    agrees(features, parse("word[0]\nnumber(1)[0]")[:1], numbered, twin.kept(numbered, parse("word[0]"), FUNCTIONS))


# --- templates that read earlier labels: what is read, what is refused, and who takes them ---------------------------
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


some_reads = st.builds(Read, st.integers(-8, 8), st.integers(0, 3), st.sampled_from(["identity", "suffix2", "shape"]))
templates = st.builds(
    lambda r, labels: Template(tuple(sorted(r)), labels=tuple(sorted(labels))),
    st.sets(some_reads, max_size=3),
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
    refused(SettingError, "'label'", Tagger("early", epochs=1, attributes={"label": str.lower}).fit, CHUNKS)


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
        Chunker(template=[Template((), labels=(-3,))], epochs=1).fit(CHUNKS)
    assert caught.value.file is None


def many_labels(order, count):
    template = parse(f"word[0]\nlabel[-{order}]")
    sentence = [[f"w{i}" for i in range(count)]]
    return Tagger("early", beam=1, epochs=1, template=template).fit(sentence, [[f"L{i}" for i in range(count)]])


def test_labels_too_far_back_for_their_number_are_refused():
    # (labels + 1) ** order must fit 62 bits.
    caught = refused(DataError, r"label\[-8\], which is too far back for 215 labels", many_labels, 8, 215)
    assert "fewer labels back" in caught.remedy
    assert many_labels(8, 214).predict([["w1"]])
