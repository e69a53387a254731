"""Models of CRF++: what is read scores every labelling as CRF++'s formula does."""

import struct

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from checks import refused, stored
from oracle import crfpp
from riata import Chunker
from riata.errors import ModelFileError, UnsupportedError
from samples import CHUNKS, INPUTS, tried

TEMPLATES = [
    "U00:%x[0,0]",
    "U01:%x[-1,0]/%x[0,0]",
    "U02:%x[0,1]%x[1,0]",  # nothing between: a text can be read in several ways
    "U%x[-1,0]",  # one text at two places: they share its weights
    "U%x[1,0]",
    "U0%x[0,1]",  # its texts may be those of U00
    "U03:%x[0,0]/%x[0,0]/%x[0,1]",  # read twice
    "U04:%x[2,0]|%x[-2,0]!",  # not in the order of positions
    "U",
    "B",
    "B01:%x[-1,1]",
    "B02:%x[0,0]/%x[1,1]",
]
VALUES = ["a", "b", "a/b", "/", "0:a", "é"]

sentence = st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES)), min_size=1, max_size=4)
weight = st.integers(-40, 40).map(lambda n: n / 8)  # sums are exact, ties too


@st.composite
def models(draw):
    templates = draw(st.lists(st.sampled_from(TEMPLATES), min_size=1, max_size=6))  # a template may be there twice
    labels = draw(st.sampled_from([("A",), ("A", "B"), ("O", "B-X", "I-X")]))
    texts = crfpp.texts_of(templates, draw(st.lists(sentence, min_size=1, max_size=3))) or ["U00:a"]
    ids, size = crfpp.ids_of(texts, len(labels))
    weights = draw(st.lists(weight, min_size=size, max_size=size))
    return labels, templates, ids, weights, draw(st.sampled_from([1.0, 0.5]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@tried(60, model=models(), tested=sentence)
def test_every_labelling_has_the_score_of_crfpp(folder, model, tested):
    labels, templates, ids, weights, cost = model
    (folder / "m.txt").write_text(crfpp.model_text(labels, templates, ids, weights, 2, cost), encoding="utf-8")
    found = riata.import_model(folder / "m.txt")
    expected = crfpp.scores(tested, labels, templates, ids, weights, cost)
    chain, corpus = found.model_, riata.data.memory.as_corpus([tested])
    instances = chain.features.instances(found.columns.input_columns(corpus))
    for labelling, score in expected.items():
        assert chain.scores_of(instances, np.array(labelling, np.int32)) == pytest.approx([score], abs=1e-4)
    predicted = [labels.index(label) for label in found.predict([tested])[0]]
    assert expected[tuple(predicted)] == max(expected.values())


@pytest.fixture(scope="module")
def toy(folder):
    """A model of the sentences of the samples, its path and what it was made of."""
    labels, templates = (
        ("B-NP", "B-PP", "B-VP", "I-NP", "O"),
        [TEMPLATES[0], TEMPLATES[1], "U05:%x[-2,1]", "B", "B01:%x[0,1]"],
    )
    ids, size = crfpp.ids_of(crfpp.texts_of(templates, INPUTS), len(labels))
    weights = np.random.default_rng(1).normal(size=size).round(3).tolist()
    path = folder / "toy.txt"
    path.write_text(crfpp.model_text(labels, templates, ids, weights, 2), encoding="utf-8")
    return path, (labels, templates, ids, weights)


def test_labels_tags_and_columns_are_those_of_the_file(toy):
    found = riata.import_model(toy[0])
    assert isinstance(found, Chunker)
    assert found.classes_ == list(toy[1][0])
    assert (found.encoding_, found.inputs_, found.output_) == ("iob2", (0, 1), 2)
    assert [str(t) for t in found.template] == ["word[0]", "word[-1] word[0]", "tag[-2]", "edge", "edge tag[0]"]


def test_the_best_labels_are_those_of_all_labellings(toy):
    labels, *model = toy[1]
    predicted = riata.import_model(toy[0]).predict(INPUTS)
    for sentence, found in zip(INPUTS, predicted, strict=True):
        scores = crfpp.scores(sentence, labels, *model)
        assert found == [labels[i] for i in max(scores, key=scores.get)]


def test_an_imported_model_is_a_model_like_others(toy, tmp_path):
    found = riata.import_model(toy[0])
    loaded = stored(found, tmp_path)
    assert loaded.predict(INPUTS) == found.predict(INPUTS)
    assert loaded.evaluate(CHUNKS).report == found.evaluate(CHUNKS).report
    assert loaded.predict_nbest(INPUTS, 2)[0][0][0] == found.predict(INPUTS)[0]
    assert str(loaded.explain(CHUNKS[0], True))
    assert all(0 <= p <= 1 for sentence in loaded.predict_confidence(INPUTS) for p in sentence)


def test_only_legal_labels_are_given_where_they_are_asked_for(toy):
    free, legal = riata.import_model(toy[0]), riata.import_model(toy[0], legal=True)
    rules = riata.registry.get("encoding", "iob2")

    def illegal(estimator):
        return sum(
            len(rules.violations(s, np.arange(len(s)), np.array([0, len(s)]))) for s in estimator.predict(INPUTS)
        )

    assert illegal(free) > 0
    assert illegal(legal) == 0


def test_labels_of_which_no_legal_one_stands_alone_are_refused(folder):
    path = folder / "pairs.txt"
    path.write_text(crfpp.model_text(("B-P", "E-P"), ["U00:%x[0,0]"], {"U00:a": 0}, [1.0, 2.0], 1))
    assert riata.import_model(path, encoding="bioes").predict([["a"]]) == [["E-P"]]
    refused(UnsupportedError, "legal labelling", riata.import_model, path, encoding="bioes", legal=True)


def test_what_can_be_read_in_too_many_ways_is_refused(folder):
    template = "U00:" + "".join(f"%x[{i},0]" for i in range(6))
    text = "U00:" + "a" * 30
    path = folder / "many.txt"
    path.write_text(crfpp.model_text(("A", "B"), [template], {text: 0}, [1.0, 2.0], 1))
    refused(ModelFileError, r"many\.txt:9: .*more than 1,000 ways", riata.import_model, path)


def test_the_binary_model_is_told_from_the_text(tmp_path):
    (tmp_path / "model").write_bytes(struct.pack("<IidII", 100, 0, 1.0, 12, 2) + bytes(100))
    refused(ModelFileError, "crf_learn -t", riata.import_model, tmp_path / "model")


LINES = {  # line of the toy model: what it becomes, and what is said
    1: ("version 100", "header"),
    3: ("maxid: 7", "maxid says 7"),
    4: ("xsize: 1", "reads column 1"),
    7: ("B-NP", "twice"),
    12: ("X00:%x[0,0]", "U or B"),
    13: ("U01:%y[0,0]", "%x[row,column]"),
    14: ("U01:%x[9,0]", "out of range"),
    18: ("0", "cannot read the feature"),
    20: ("9" * 5000 + " U00:a", "cannot read the feature"),
    19: ("99999999 U00:a", "too near to maxid"),
    -1: ("nan", "finite"),
    -2: ("one", "finite"),
}  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_bad_line_is_named(toy, tmp_path, line, run):
    lines = toy[0].read_text(encoding="utf-8").split("\n")[:-1]
    at = line if line > 0 else len(lines) + line + 1
    lines[at - 1], says = LINES[line]
    path = tmp_path / "bad.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    caught = refused(ModelFileError, "", riata.import_model, path, "crf++")
    assert says in str(caught)
    assert caught.line is not None
    if says not in ("reads column 1", "maxid says 7"):
        assert caught.line == at
    err = run.fails("import", path, "--from", "crf++", "--model", tmp_path / "m.riata")
    assert err.startswith(f"Error: {path}:")
    assert not (tmp_path / "m.riata").exists()


def test_an_illegal_output_is_explained_as_it_is(toy):
    found = riata.import_model(toy[0])
    for sentence, output in zip(INPUTS, found.predict(INPUTS), strict=True):
        assert list(found.explain(sentence).decision.chosen.labels) == output
