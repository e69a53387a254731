"""Bad input by the API: functions that fail, templates that read what is not there, huge tokens and sentences."""

import time
import warnings

import pytest

import riata
from riata.errors import DataError, RiataError, TemplateError, shortened
from riata.features.templates import parse
from samples import CHUNKS, INPUTS, TAGS, WORDS, quietly

TOKEN = "aB1-é東." * 125_000
TEMPLATE = parse("word[0]\nmine[0]\nedge")
RECIPES = [("perceptron", {}), ("mira", {}), ("laso-perceptron", {"beam": 3}), ("early", {"beam": 3})]
MOST_SECONDS = 20  # of the CPU; anything quadratic takes hours


def tagger(function):
    return riata.Tagger(template=TEMPLATE, attributes={"mine": function}, epochs=1)


def fails_on_dogs(word):
    return word[10] if word == "dogs" else word[0]


@pytest.mark.parametrize("method", ["predict", "predict_nbest", "evaluate", "score", "partial_fit", "fit"])
def test_a_function_that_fails_is_named_with_the_word_whatever_is_asked(method):
    trained = quietly(tagger(fails_on_dogs), WORDS, TAGS)
    before = trained.predict(WORDS)
    extra = {"predict": (), "predict_nbest": (2,)}.get(method, ([["NN"]],))
    with pytest.raises(DataError, match=r"attribute 'mine' failed on 'dogs': IndexError") as caught:
        getattr(trained, method)([["dogs"]], *extra)
    assert isinstance(caught.value.__cause__, IndexError)
    assert trained.predict(WORDS) == before


def test_a_function_that_fails_on_a_megabyte_shows_it_in_short():
    with pytest.raises(DataError, match="attribute 'mine' failed on 'aB1-é東") as caught:
        quietly(tagger(lambda word: word[10**7]), [[TOKEN]], [["NN"]])
    assert len(str(caught.value)) < 500


def test_none_is_no_feature():
    with_none = quietly(tagger(lambda word: None if len(word) > 3 else word), WORDS, TAGS)
    assert set(with_none.model_.features.alphabets[1].texts()) == {w for s in WORDS for w in s if len(w) <= 3}


def test_a_function_that_gives_none_for_every_word_is_warned_of():
    with pytest.warns(riata.RiataWarning, match="attribute 'mine' gave None for every word, such as 'The'"):
        tagger(lambda word: None).fit(WORDS, TAGS)


def test_a_built_in_attribute_that_no_word_has_is_nothing_to_warn_of():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        riata.Tagger(template=parse("word[0]\ndigits[0]"), epochs=1).fit(WORDS, TAGS)
    assert not any("gave None" in str(warning.message) for warning in caught)


@pytest.mark.parametrize("template", ["word[0]\ntag[0]", "word[0]\nsuffix2(1)[0]", "word[0]\nedge tag[-1]"])
@pytest.mark.parametrize(("recipe", "options"), RECIPES)
def test_a_template_that_reads_a_missing_column_is_refused(tmp_path, template, recipe, options):
    path = tmp_path / "mine.template"
    path.write_text(template)
    with pytest.raises(TemplateError, match=r"reads column 1, but the input has 1 column") as caught:
        riata.Tagger(recipe, template=path, **options).fit(WORDS, TAGS)
    assert (caught.value.file, caught.value.line) == (str(path), 2)


@pytest.mark.parametrize("method", ["predict", "predict_nbest", "evaluate"])
def test_a_column_that_is_missing_later_is_refused(method):
    trained = quietly(riata.Chunker(epochs=1), CHUNKS)
    extra = {"predict": (), "predict_nbest": (2,)}.get(method, ([["B-NP"] * len(s) for s in WORDS],))
    with pytest.raises(DataError, match="reads column 1, but the data have only 1 column"):
        getattr(trained, method)(WORDS, *extra)


@pytest.mark.parametrize(
    ("task", "recipe", "options"),
    [(riata.Tagger, "perceptron", {}), (riata.EntityRecognizer, "mira", {}), (riata.Chunker, "early", {"beam": 3})],
)
@pytest.mark.parametrize("sentence", [[(TOKEN, "NN"), ("barks", "VBZ")], INPUTS[0][:3] * 500], ids=["1 MB", "long"])
def test_huge_tokens_and_sentences_are_learnt_labelled_and_traced(task, recipe, options, sentence):
    """Every default template; sentences of 100,000 tokens go through the commands."""
    began = time.process_time()
    labels = ["B-NP", "B-VP", "O"] * (len(sentence) // 2)
    labels = labels[: len(sentence)]
    model = quietly(
        task(recipe, epochs=1, **options), [*INPUTS, sentence], [*([t[2] for t in s] for s in CHUNKS), labels]
    )
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
    model = quietly(riata.Tagger("laso-perceptron", beam=1, epochs=3), words, [["X", "Y"]] * 2 + [["Y", "X"]])
    shown = [str(model.trace(words[0], truth)) for truth in (["X", "Y"], ["Y", "X"])]
    assert all(len(text) < 3000 for text in shown)
    assert any("misled by" in text for text in shown)


def test_only_what_is_too_long_to_be_read_is_shortened():
    message = "label '" + "x" * 150 + "' is unknown; " + "known words " * 100
    assert shortened(message) == message
    assert str(RiataError(f"label '{'x' * 1000}end' is unknown.")) == f"label '{'x' * 59}…{'x' * 16}end' is unknown."
