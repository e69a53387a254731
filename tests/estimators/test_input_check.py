"""Input unlike the training data is told, once, with its column; input like it is not."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from checks import refused
from riata import Chunker, RiataWarning, Tagger
from riata.data.types import Column
from riata.errors import DataError, ModelFileError
from riata.estimators.input_check import ColumnProfile, _exceeds, profile_of, restored, stored
from samples import for_rows


@pytest.fixture(scope="module")
def data():
    return riata.load("embedded", "train"), riata.load("embedded", "test")


@pytest.fixture(scope="module")
def model(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "c.riata"
    Chunker(epochs=2).fit(data[0]).save(path)
    return path


def told(model, sentences, **params):
    """What is said about these sentences."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", RiataWarning)
        riata.load_model(model).set_params(**params).predict(sentences)
    return [str(each.message) for each in found]


def changed(data, change):
    return [[change(word, tag) for word, tag, _ in sentence] for sentence in data[1]]


def test_input_like_the_training_data_is_labelled_without_a_word(model, data):
    assert told(model, changed(data, lambda word, tag: (word, tag))) == []
    for sentence in changed(data, lambda word, tag: (word, tag)):
        assert told(model, [sentence]) == []


@for_rows(
    "change, column, remedy",
    (lambda word, tag: (word, tag.lower()), 1, "upper and lower case"),
    (lambda word, tag: (word, "T" + tag[::-1]), 1, "tag set"),
    (lambda word, tag: (word, tag if word < "e" else "_"), 1, "Is the column filled"),
    (lambda word, tag: (tag, word), 1, "are columns swapped"),
    (lambda word, tag: (word.lower(), tag), 0, "capital letter"),
    (lambda word, tag: (f"{word} {word}", tag), 0, "whole sentence"),
)
def test_odd_columns_are_named_with_examples_and_a_remedy(model, data, change, column, remedy):
    odd = changed(data, change)
    said = [text for text in told(model, odd) if text.startswith(f"Column {column} ")]
    assert len(said) == 1
    assert remedy in said[0]
    refused(DataError, "column", told, model, odd, strict=True)
    assert told(model, odd, check_input=False) == []


def test_it_is_said_once_and_counts_over_calls(model, data):
    estimator = riata.load_model(model)
    odd = [[(word, tag.lower())] for sentence in data[1] for word, tag, _ in sentence]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", RiataWarning)
        for sentence in odd:
            estimator.predict([sentence])
    assert len(found) == 1


def test_another_oddity_of_a_column_and_another_file_are_told_of_too(model, data, tmp_path):
    from riata.data.types import Corpus

    texts = [(word, tag) for sentence in data[1] for word, tag, _ in sentence]

    def corpus(name, change):
        path = tmp_path / name
        path.write_text("".join("\t".join(change(*text)) + "\n" * (1 + (text[0] == ".")) for text in texts))
        return riata.read_columns(path)

    estimator, said = riata.load_model(model), []
    inputs: list[Corpus | list] = [
        [[(word.lower(), tag)] for word, tag in texts],  # capitals
        [[(f"{word} {word}", tag)] for word, tag in texts],  # blanks, in the same column
        corpus("lower.txt", lambda word, tag: (word, tag.lower())),
        corpus("same.txt", lambda word, tag: (word, tag)),
        corpus("other.txt", lambda word, tag: (word, tag.lower())),
    ]
    for each in inputs:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", RiataWarning)
            estimator.predict(each)
        said.append([str(one.message) for one in found])
    assert [len(each) for each in said] == [1, 1, 1, 0, 1]
    assert "capital" in said[0][0] and "blank" in said[1][0]


@pytest.mark.parametrize("change", [lambda x: x * 1000, lambda x: x / 1000, lambda x: x + 1000])
def test_one_scaled_column_of_arrays_is_told_of(change):
    random = np.random.default_rng(0)
    X = [random.normal(size=(20, 30)) for _ in range(30)]
    tagger = Tagger("perceptron", epochs=1).fit(X, [["a" if row[0] > 0 else "b" for row in x] for x in X])
    other = [random.normal(size=(20, 30)) for _ in range(10)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tagger.predict(other)
    for x in other:
        x[:, 7] = change(x[:, 7])
    with pytest.warns(RiataWarning, match=r"1 of 30 columns.*: 7, counted from 0"):
        tagger.predict(other)


def test_a_column_of_arrays_with_one_number_is_told_of():
    random = np.random.default_rng(0)
    X = [random.normal(size=(20, 30)) for _ in range(30)]
    y = [["a" if row[0] > 0 else "b" for row in x] for x in X]
    for value, sentences in ((0.0, 3), (0.3, 30)):
        other = [x.copy() for x in X[:sentences]]
        for x in other:
            x[:, 7] = value
        with pytest.warns(RiataWarning, match="olumn 7 of the arrays has the same number in all of"):
            Tagger("perceptron", epochs=1).fit(X, y).predict(other)


def test_flags_of_dictionaries_that_no_token_has_are_told_of():
    X = [[{"w": f"x{i % 7}", "size": i + 1.0, "upper": (s + i) % 3 == 0} for i in range(6)] for s in range(200)]
    model = Tagger("perceptron", epochs=1).fit(X, [["A", "B"] * 3] * 200)
    with pytest.warns(RiataWarning, match="Feature 'upper' is missing in all of 1,000 tokens"):
        model.predict([[{**token, "upper": False} for token in sentence] for sentence in X])


@pytest.mark.parametrize("value", ["_", "", "NN", "X"])
def test_a_column_that_says_nothing_is_refused(model, data, value):
    empty = changed(data, lambda word, tag: (word, value))
    refused(DataError, f"column 1 is '{value}' throughout, but it had", told, model, empty)
    assert told(model, empty, check_input=False) == []


def test_one_sentence_may_have_one_known_value_throughout(model):
    assert told(model, [[("ha", "UH")] * 12]) == []


@pytest.mark.filterwarnings("default::riata.RiataWarning")
def test_files_are_looked_at_before_anything_is_written(model, data, tmp_path, capfd):
    from riata.commands.base import run

    file, labels = tmp_path / "odd.txt", tmp_path / "gold.txt"
    file.write_text("".join("".join(f"{w} _\n" for w, _, _ in s) + "\n" for s in data[1]))
    labels.write_text("".join("".join(f"{w} {t.lower()} {c}\n" for w, t, c in s) + "\n" for s in data[1]))
    assert run(["predict", "--model", str(model), str(file)]) == 2
    said = capfd.readouterr()
    assert "column 1 is '_' throughout" in said.err and said.out == ""
    assert run(["predict", "--model", str(model), "--force", str(file)]) == 0
    capfd.readouterr()
    assert run(["evaluate", "--model", str(model), str(labels)]) == 0
    assert capfd.readouterr().err.startswith(f"Warning: {labels}: column 1 is unlike the training data")
    assert run(["evaluate", "--model", str(model), "--strict", str(labels)]) == 2


def test_dictionaries_without_a_known_key_are_refused(data):
    def features(word, tag, key="tag"):
        return {"word": word, key: tag, "first": word[0]}

    train, test = ([[features(w, t) for w, t, _ in s] for s in part] for part in data)
    labels = [[c for _, _, c in s] for s in data[0]]
    chunker = Chunker(epochs=1).fit(train, labels)
    assert len(chunker.predict(test)) == len(test)
    renamed = [[features(w, t, key="pos") for w, t, _ in s] for s in data[1]]
    refused(DataError, "feature 'tag' is '' throughout", chunker.predict, renamed)


def test_arrays_with_columns_in_another_order_are_told():
    random = np.random.default_rng(0)
    scales = np.array([1.0, 10.0, 0.1, 5.0])
    X = [random.normal(size=(20, 4)) * scales + scales for _ in range(30)]
    y = [["A" if row[0] > 1 else "B" for row in sentence] for sentence in X]
    tagger = Tagger(epochs=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RiataWarning)
        tagger.predict(X)
    with pytest.warns(RiataWarning, match="columns in another order"):
        tagger.predict([sentence[:, [1, 2, 3, 0]] for sentence in X])


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60))
def test_the_unknown_share_is_that_of_tenths_held_out_in_turn(values):
    tenth = np.arange(len(values)) * 10 // len(values)
    unknown = sum(
        value not in [other for other, part in zip(values, tenth, strict=True) if part != own]
        for value, own in zip(values, tenth, strict=True)
    )
    profile = ColumnProfile.of(Column.of(values), tenth)
    assert profile.unknown == pytest.approx(unknown / len(values))
    assert profile.largest == max(map(values.count, values)) / len(values)
    assert profile.complete and sorted(profile.values) == sorted(set(values))


@settings(max_examples=30)
@given(st.integers(1, 200), st.floats(0.01, 0.9), st.integers(0, 2**32 - 1))
def test_counts_of_the_expected_share_are_hardly_ever_told(tokens, share, seed):
    counts = np.random.default_rng(seed).binomial(tokens, share, size=100)
    assert sum(_exceeds(int(count), tokens, share) for count in counts) <= 3


def test_profiles_go_through_model_files_and_odd_ones_are_refused(data):
    found = profile_of(data[0], 2)
    there = json.loads(json.dumps(stored(found)))
    assert restored(there) == found
    for odd in (
        [],
        {"columns": [{}]},
        {"columns": [{**there["columns"][0], "largest": 7}]},
        {"arrays": [[2, 1, 0]]},
        {"keys": 3},
    ):
        refused(ModelFileError, "profile", restored, odd)


def test_gold_labels_that_the_model_cannot_give_are_named(model, data):
    chunker = riata.load_model(model)
    inputs = [[token[:2] for token in sentence] for sentence in data[1]]
    labels = [["B-SHIP", *(token[2] for token in sentence[1:])] for sentence in data[1]]
    with pytest.warns(RiataWarning, match="Gold labels that the model cannot give, which count as wrong: B-SHIP"):
        chunker.score(inputs, labels)


def test_gold_labels_in_another_encoding_are_told_of_as_in_training(model, data):
    chunker = riata.load_model(model)
    inputs = [[token[:2] for token in sentence] for sentence in data[1]]
    labels = [[token[2].replace("B-NP", "I-NP") for token in sentence] for sentence in data[1]]
    with pytest.warns(RiataWarning, match=r"Illegal tags .*label 'I-NP' .* illegal in IOB2"):
        chunker.score(inputs, labels)


def test_rare_keys_of_dictionaries_and_rare_values_are_no_cause_for_refusal():
    """Of more keys than are looked at, other ones may be the most frequent in other data; flags may be off in a whole text."""
    rows = [
        [{"w": f"x{i % 7}", **{f"k{k}": True for k in range(60) if (i + k) % 13 == 0}} for i in range(s, s + 5)]
        for s in range(80)
    ]
    model = Tagger("perceptron", epochs=1).fit(rows, [["A", "B", "A", "B", "A"]] * 80)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict([[{"w": f"x{i % 7}"} for i in range(s, s + 5)] for s in range(40)])
    flags = [[(f"w{i % 9}", "1" if (s + i) % 12 == 0 else "0") for i in range(6)] for s in range(60)]
    model = Tagger("perceptron", epochs=1).fit(flags, [["A", "B"] * 3] * 60)
    off = [[(word, "0") for word, _ in sentence] for sentence in flags]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(off)
    with pytest.warns(RiataWarning, match="Column 1 is '0' in all of"):
        [model.predict(off * 3) for _ in range(4)]


def test_lists_of_similar_phrases_are_no_cause_for_refusal(model, data):
    chunker = riata.load_model(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chunker.predict([[("ten", "CD")]] * 10)
        chunker.predict([[("Anna", "NNP"), ("Berg", "NNP")]] * 5)
    words = Tagger(epochs=1).fit(data[0].select([0, 1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        words.predict([["Yes"]] * 50)


def test_blank_columns_are_refused_however_often_the_model_was_asked(model, data):
    chunker = riata.load_model(model)
    good = changed(data, lambda word, tag: (word, tag))
    for sentence in good * 3:
        chunker.predict([sentence])
    for _ in range(40):
        refused(DataError, "column 1 is '_' throughout", chunker.predict, [[("The", "_"), ("bus", "_")]] * 2)


@pytest.mark.parametrize("value", ["UNK", "the", "Word"])
def test_one_word_throughout_is_told_of_whatever_the_word(model, data, value):
    (text,) = told(model, changed(data, lambda word, tag: (value, tag)))
    assert text.startswith("Column 0 is ") and "many values in training" in text


def test_blank_tags_are_told_of_where_they_are_few_and_come_late(model, data, tmp_path):
    rows = [[(word, tag) for word, tag, _ in sentence] for sentence in data[1]] * 9
    rows += [[(word, "_") for word, _ in sentence] for sentence in rows[:40]]
    path = tmp_path / "late.txt"
    path.write_text("".join("".join(f"{word} {tag}\n" for word, tag in row) + "\n" for row in rows))
    (text,) = told(model, riata.read_columns(path))
    assert "column 1 is blank in" in text and "none of the training data" in text


def test_what_is_looked_at_twice_counts_once(model, data):
    loaded = riata.load_model(model)
    for _ in range(3):
        loaded.evaluate(data[1])
    assert loaded._input._tokens == min(data[1].tokens, 1_000)


def test_servers_name_no_texts_of_their_clients(model, data):
    loaded = riata.load_model(model)
    loaded._input.served = True
    for change in (lambda word, tag: (word, "T" + tag[::-1]), lambda word, tag: (f"secret {word}", tag)):
        with pytest.warns(RiataWarning) as found:
            loaded.predict(changed(data, change))
        assert not any("secret" in str(each.message) or "'T" in str(each.message) for each in found)
