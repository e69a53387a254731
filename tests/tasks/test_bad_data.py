"""Bad input by the API: functions that fail, huge tokens, input that is no sentences, training data with one label."""

import itertools
import time
import warnings

import numpy as np
import pytest

import riata
from checks import refused
from riata import Chunker, EntityRecognizer, JointTagger, RiataWarning, Tagger, errors
from riata.data import named_features as given
from riata.errors import DataError, RiataError, TemplateError, shortened
from riata.features.templates import parse
from samples import CHUNKS, INPUTS, TAGS, WORDS, as_text, feature_tagger, for_rows

TOKEN = "aB1-é東." * 125_000
TEMPLATE = parse("word[0]\nmine[0]\nedge")
RECIPES = [("perceptron", {}), ("mira", {}), ("laso-perceptron", {"beam": 3}), ("early", {"beam": 3})]
MOST_SECONDS = 20  # of the CPU; anything quadratic takes hours


def tagger(function):
    return Tagger(template=TEMPLATE, attributes={"mine": function}, epochs=1)


def fails_on_dogs(word):
    return word[10] if word == "dogs" else word[0]


@pytest.mark.parametrize("method", ["predict", "predict_nbest", "evaluate", "score", "partial_fit", "fit"])
def test_a_function_that_fails_is_named_with_the_word_whatever_is_asked(method):
    trained = tagger(fails_on_dogs).fit(WORDS, TAGS)
    before = trained.predict(WORDS)
    extra = {"predict": (), "predict_nbest": (2,)}.get(method, ([["NN"]],))
    with pytest.raises(DataError, match=r"attribute 'mine' failed on 'dogs': IndexError") as caught:
        getattr(trained, method)([["dogs"]], *extra)
    assert isinstance(caught.value.__cause__, IndexError)
    assert trained.predict(WORDS) == before


def test_a_function_that_fails_on_a_megabyte_shows_it_in_short():
    with pytest.raises(DataError, match="attribute 'mine' failed on 'aB1-é東") as caught:
        tagger(lambda word: word[10**7]).fit([[TOKEN]], [["NN"]])
    assert len(str(caught.value)) < 500


def test_none_is_no_feature():
    with_none = tagger(lambda word: None if len(word) > 3 else word).fit(WORDS, TAGS)
    assert set(with_none.model_.features.alphabets[1].texts()) == {w for s in WORDS for w in s if len(w) <= 3}


def test_a_function_that_gives_none_for_every_word_is_warned_of():
    with pytest.warns(RiataWarning, match="attribute 'mine' gave None for every word, such as 'The'"):
        tagger(lambda word: None).fit(WORDS, TAGS)


def test_a_built_in_attribute_that_no_word_has_is_nothing_to_warn_of():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Tagger(template=parse("word[0]\ndigits[0]"), epochs=1).fit(WORDS, TAGS)
    assert not any("gave None" in str(warning.message) for warning in caught)


@pytest.mark.parametrize("template", ["word[0]\ntag[0]", "word[0]\nsuffix2(1)[0]", "word[0]\nedge tag[-1]"])
@pytest.mark.parametrize(("recipe", "options"), RECIPES)
def test_a_template_that_reads_a_missing_column_is_refused(tmp_path, template, recipe, options):
    path = tmp_path / "mine.template"
    path.write_text(template)
    with pytest.raises(TemplateError, match=r"reads column 1, but the input has 1 column") as caught:
        Tagger(recipe, template=path, **options).fit(WORDS, TAGS)
    assert (caught.value.file, caught.value.line) == (str(path), 2)


@pytest.mark.parametrize("method", ["predict", "predict_nbest", "evaluate"])
def test_a_column_that_is_missing_later_is_refused(method):
    trained = Chunker(epochs=1).fit(CHUNKS)
    extra = {"predict": (), "predict_nbest": (2,)}.get(method, ([["B-NP"] * len(s) for s in WORDS],))
    refused(DataError, "reads column 1, but the data have only 1 column", getattr(trained, method), WORDS, *extra)


@for_rows(
    "task, recipe, options", (Tagger, "perceptron", {}), (EntityRecognizer, "mira", {}), (Chunker, "early", {"beam": 3})
)
@pytest.mark.parametrize("sentence", [[(TOKEN, "NN"), ("barks", "VBZ")], INPUTS[0][:3] * 500], ids=["1 MB", "long"])
def test_huge_tokens_and_sentences_are_learnt_labelled_and_traced(task, recipe, options, sentence):
    """Every default template; sentences of 100,000 tokens go through the commands."""
    began = time.process_time()
    labels = ["B-NP", "B-VP", "O"] * (len(sentence) // 2)
    labels = labels[: len(sentence)]
    model = task(recipe, epochs=1, **options).fit([*INPUTS, sentence], [*([t[2] for t in s] for s in CHUNKS), labels])
    assert [len(s) for s in model.predict([sentence])] == [len(sentence)]
    assert 0 <= model.score([sentence], [labels]) <= 1
    if options:
        assert len(str(model.trace(sentence, labels))) < 300 * len(sentence) + 2000
    else:
        assert next(found for found, _ in model.predict_nbest([sentence], 2)[0]) == model.predict([sentence])[0]
    assert time.process_time() - began < MOST_SECONDS


def test_a_trace_blames_a_megabyte_in_short():
    """A model that learnt the wrong label of a token is misled by its name."""
    words = [[TOKEN, "barks"]] * 3
    model = Tagger("laso-perceptron", beam=1, epochs=3).fit(words, [["X", "Y"]] * 2 + [["Y", "X"]])
    shown = [str(model.trace(words[0], truth)) for truth in (["X", "Y"], ["Y", "X"])]
    assert all(len(text) < 3000 for text in shown)
    assert any("misled by" in text for text in shown)


def test_only_what_is_too_long_to_be_read_is_shortened():
    message = "label '" + "x" * 150 + "' is unknown; " + "known words " * 100
    assert shortened(message) == message
    assert str(RiataError(f"label '{'x' * 1000}end' is unknown.")) == f"label '{'x' * 59}…{'x' * 16}end' is unknown."


# --- input that looks like sentences and is none: nested without end, sparse, or without dimensions ------------------
sparse = pytest.importorskip("scipy.sparse")


def nested(depth):
    features = {"a": 1.0}
    for _ in range(depth):
        features = {"a": features}
    return features


def endless():
    features = {}
    features["again"] = features
    return features


class Unprintable:
    def __str__(self):
        raise RuntimeError("no text")


SPARSE = [sparse.csr_matrix, sparse.coo_matrix, sparse.csr_array, sparse.csc_matrix, sparse.lil_matrix]
SCALARS = [np.array(1.0), np.array("a"), np.array(None, dtype=object)]


@pytest.mark.parametrize("features", [nested(200), nested(100_000), endless(), {"a": endless()}])
def test_dictionaries_nested_too_deep_are_refused_with_their_token(features):
    with pytest.raises(DataError, match=r"sentence 0, token 1: .*dictionaries within dictionaries"):
        Tagger().fit([[{"a": 1.0}, features]], [["A", "B"]])


def test_dictionaries_may_be_nested_as_deep_as_people_nest_them():
    tagger = Tagger(epochs=1).fit([[nested(20), {"b": 1}]], [["A", "B"]])
    assert tagger.model_.features.given.texts()[0] == ":".join(["a"] * 21)


@pytest.mark.parametrize("features", [{Unprintable(): 1.0}, {"a": {Unprintable(): "b"}}])
def test_features_that_cannot_be_printed_are_refused_with_their_token(features):
    refused(DataError, r"sentence 0, token 0: .*cannot be printed", Tagger().fit, [[features, {"b": 1}]], [["A", "B"]])


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_matrices_are_refused_in_words(kind):
    matrix, trained = kind(np.eye(3)), Tagger(epochs=1).fit([np.eye(3)], [["A", "B", "A"]])
    for X in (matrix, [matrix], [[matrix]]):
        refused(DataError, "", Tagger().fit, X, [["A", "B", "A"]])
        refused(DataError, "", trained.predict, X)


def test_a_sparse_matrix_is_told_the_way_out():
    refused(DataError, r"toarray\(\)", Tagger().fit, [sparse.csr_matrix(np.eye(3))], [["A", "B", "A"]])


@pytest.mark.parametrize("scalar", SCALARS)
def test_arrays_without_dimensions_are_refused_in_words(scalar):
    trained = Tagger(epochs=1).fit(WORDS, TAGS)
    for X in (scalar, [scalar], [[scalar]]):
        refused(DataError, "", Tagger().fit, X, [["A"]])
        refused(DataError, "", trained.predict, X)
    for y in (scalar, [scalar], [[scalar]]):
        refused(DataError, "", Tagger().fit, [["a"]], y)
        refused(DataError, "", trained.score, [["a"]], y)
        refused(DataError, "", trained.predict, [["a"]], given=y)


class Endless(dict):
    def items(self):
        return (("a", 1.0) for _ in itertools.count())


def shared(levels, width):
    features = {"a": 1.0}
    for _ in range(levels):
        features = {str(i): features for i in range(width)}
    return features


@pytest.mark.parametrize("features", [shared(40, 2), shared(12, 10), Endless(), {"a": Endless()}], ids=range(4))
def test_features_without_end_are_refused_with_their_token(monkeypatch, features):
    monkeypatch.setattr(given, "MOST_ITEMS", 10_000)
    with pytest.raises(DataError, match=r"sentence 0, token 1: .*more than 10,000 items"):
        Tagger().fit([[{"a": 1.0}, features]], [["A", "B"]])
    refused(DataError, r"sentence 0, token 0: .*more than 10,000 items", feature_tagger().predict, [[features]])


def test_an_exception_while_features_are_read_is_not_taken_for_one_of_theirs():
    class Late(dict):
        def items(self):
            raise TimeoutError

    refused(TimeoutError, "", Tagger().fit, [[Late(a=1)]], [["A"]])


@pytest.mark.parametrize("value", [[1], ["a", None], [float("nan")], [["z"]], {1, 2}, [Unprintable()]])
def test_lists_of_other_things_than_strings_are_refused(value):
    with pytest.raises(
        DataError, match=r"sentence 0, token 0: feature 'v' has .* in its list; expected a list of strings"
    ):
        Tagger().fit([[{"v": value}, {"b": 1}]], [["A", "B"]])


def test_masked_arrays_and_arrays_without_columns_are_refused():
    masked = np.ma.masked_array(np.eye(2), mask=np.ones((2, 2)))
    refused(DataError, r"sentence 1 .*masked values", Tagger().fit, [np.eye(2), masked], [["A", "B"]] * 2)
    assert Tagger(epochs=1).fit([np.ma.masked_array(np.eye(2))], [["A", "B"]])
    refused(DataError, "no columns", Tagger().fit, [np.empty((2, 0))], [["A", "B"]])


def test_lone_surrogates_are_named_with_their_place():
    with pytest.raises(DataError, match=r"sentence 1, token 1: the text '.udc80' holds a lone surrogate"):
        Tagger().fit([["a"], ["b", "\udc80"]], [["A"], ["B", "A"]])
    refused(DataError, "sentence 1, token 0: the text", Tagger().fit, [["a"], ["b", "c"]], [["A"], ["\udc80", "A"]])
    with pytest.raises(DataError, match="sentence 1, token 1: the text"):
        Tagger().fit([[{"a": 1}], [{}, {"b": "\udc80"}]], [["A"], ["B", "A"]])


# --- training data with one label teach nothing: files are refused, values in memory are warned of -------------------
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
    refused(errors.LabelError, r"Columns with several values: 1 \(9 values: NN, DT, VBZ, …\)", Tagger().fit, data)
    refused(errors.LabelError, "every label in the output column, 2, is '_'", Tagger().fit, data.select([0, 2]))


def test_each_of_two_outputs_must_have_labels(read):
    with pytest.raises(errors.LabelError, match="every label in the output column, 1, is 'X'"):
        JointTagger().fit(read([[(word, "X", chunk) for word, _, chunk in sentence] for sentence in CHUNKS]))


def test_fields_of_conllu_are_named_in_python_too(tmp_path):
    rows = [f"{i}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for i, (word, tag) in enumerate([("a", "X"), ("b", "Y")], 1)]
    (tmp_path / "a.conllu").write_text("".join(rows) + "\n")
    with pytest.raises(errors.LabelError, match=r"in the output column, xpos, is '_'.*\n.*upos \(2 values: X, Y\)"):
        Tagger().fit(riata.read_conllu(tmp_path / "a.conllu"))
    Tagger(epochs=1).fit(riata.read_conllu(tmp_path / "a.conllu", ["form", "upos"]))


def test_of_values_in_memory_it_is_a_warning():
    with pytest.warns(RiataWarning, match="every label of y is 'X': there is nothing to learn"):
        assert Tagger().fit(WORDS, ONE).predict(WORDS) == ONE


def test_a_listener_does_not_hide_it():
    with pytest.warns(RiataWarning, match="there is nothing to learn"):
        Tagger().fit(WORDS, ONE, listener=lambda event: None)


def test_an_input_that_is_the_output_is_told_of(read):
    same = [[(word, tag, tag) for word, tag in zip(*both, strict=True)] for both in zip(WORDS, TAGS, strict=True)]
    with pytest.warns(RiataWarning, match="Column 1 equals the output in every token"):
        Tagger(epochs=1).fit(read(same))


@for_rows(
    "file, said",
    ([[("a", "X"), ("b", "Y")] * 501], r"train\.txt: a sentence of 1,002 tokens begins in line 1"),
    ([[("a", "X")], [("b", "Y")]] * 10, r"train\.txt: every sentence has one token"),
)
def test_files_without_ends_of_sentences_are_told_of(read, file, said):
    with pytest.warns(RiataWarning, match=said):
        Tagger(epochs=1).fit(read(file))


@for_rows(
    "lines, said",
    (["the DT", "dog NN"] * 501, r"new\.txt: a sentence of 1,002 tokens begins in line 1"),
    (["the DT", "", "dog NN", ""] * 20, r"new\.txt: every sentence has one token"),
)
def test_files_to_predict_without_ends_of_sentences_are_told_of(tmp_path, lines, said):
    tagger = Tagger(epochs=1).fit([["the", "dog"], ["a", "cat"]] * 20, [["DT", "NN"]] * 40)
    (tmp_path / "new.txt").write_text("\n".join(lines) + "\n")
    data = riata.read_columns(tmp_path / "new.txt").select([0])
    with pytest.warns(RiataWarning, match=said):
        tagger.predict(data)
    with pytest.raises(DataError, match=said):
        tagger.untrained(strict=True).fit([["the", "dog"], ["a", "cat"]] * 20, [["DT", "NN"]] * 40).predict(data)


def test_a_model_that_knows_more_labels_goes_on_with_one(read, recwarn):
    tagger = Tagger(epochs=1, warm_start=True).fit(WORDS, TAGS)
    tagger.fit(read([[(word, "NN") for word in words] for words in WORDS]))
    assert Tagger().partial_fit(WORDS, ONE, classes=["X", "Y"]).predict(WORDS) == ONE
    assert not [warning for warning in recwarn if "nothing to learn" in str(warning.message)]
