"""Training data with one label teach nothing: files are refused, values in memory are warned of."""

import pytest

import riata
from riata import Chunker, EntityRecognizer, JointTagger, Tagger, errors
from samples import CHUNKS, TAGS, WORDS, as_text, quietly

ONE = [["X"] * len(words) for words in WORDS]


@pytest.fixture
def read(tmp_path):
    """A file of these sentences, read."""

    def read(sentences):
        (tmp_path / "train.txt").write_text(as_text(sentences), encoding="utf-8")
        return riata.read_columns(tmp_path / "train.txt")

    return read


@pytest.mark.parametrize("estimator", [Chunker(), Chunker("laso-alma"), EntityRecognizer(), EntityRecognizer("crf")])
def test_a_file_without_a_chunk_is_refused(read, estimator):
    with pytest.raises(errors.LabelError, match="every label in the output column, 1, is 'O'") as caught:
        estimator.fit(read([[(word, "O") for word in words] for words in WORDS]))
    assert "chunks in them" in str(caught.value)


def test_other_columns_are_named_with_examples(read):
    data = read([[(word, tag, "_") for word, tag, _ in sentence] for sentence in CHUNKS])
    with pytest.raises(errors.LabelError, match=r"Columns with several values: 1 \(9 values: NN, DT, VBZ, …\)"):
        Tagger().fit(data)
    with pytest.raises(errors.LabelError, match="every label in the output column, 2, is '_'"):
        Tagger().fit(data.select([0, 2]))


def test_each_of_two_outputs_must_have_labels(read):
    with pytest.raises(errors.LabelError, match="every label in the output column, 1, is 'X'"):
        JointTagger().fit(read([[(word, "X", chunk) for word, _, chunk in sentence] for sentence in CHUNKS]))


def test_fields_of_conllu_are_named_in_python_too(tmp_path):
    rows = [f"{i}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for i, (word, tag) in enumerate([("a", "X"), ("b", "Y")], 1)]
    (tmp_path / "a.conllu").write_text("".join(rows) + "\n")
    with pytest.raises(errors.LabelError, match=r"in the output column, xpos, is '_'.*\n.*upos \(2 values: X, Y\)"):
        Tagger().fit(riata.read_conllu(tmp_path / "a.conllu"))
    quietly(Tagger(epochs=1), riata.read_conllu(tmp_path / "a.conllu", ["form", "upos"]))


def test_of_values_in_memory_it_is_a_warning():
    with pytest.warns(riata.RiataWarning, match="every label of y is 'X': there is nothing to learn"):
        assert Tagger().fit(WORDS, ONE).predict(WORDS) == ONE


def test_a_listener_does_not_hide_it():
    with pytest.warns(riata.RiataWarning, match="there is nothing to learn"):
        Tagger().fit(WORDS, ONE, listener=lambda event: None)


def test_an_input_that_is_the_output_is_told_of(read):
    same = [[(word, tag, tag) for word, tag in zip(*both, strict=True)] for both in zip(WORDS, TAGS, strict=True)]
    with pytest.warns(riata.RiataWarning, match="Column 1 equals the output in every token"):
        Tagger(epochs=1).fit(read(same))


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ([[("a", "X"), ("b", "Y")] * 501], r"train\.txt:1: a sentence of 1,002 tokens begins here"),
        ([[("a", "X")], [("b", "Y")]] * 10, r"Every sentence of .*train\.txt has one token"),
    ],
)
def test_files_without_ends_of_sentences_are_told_of(read, file, said):
    with pytest.warns(riata.RiataWarning, match=said):
        Tagger(epochs=1).fit(read(file))


def test_a_model_that_knows_more_labels_goes_on_with_one(read, recwarn):
    tagger = quietly(Tagger(epochs=1, warm_start=True), WORDS, TAGS)
    quietly(tagger, read([[(word, "NN") for word in words] for words in WORDS]))
    assert Tagger().partial_fit(WORDS, ONE, classes=["X", "Y"]).predict(WORDS) == ONE
    assert not [warning for warning in recwarn if "nothing to learn" in str(warning.message)]
