"""Frequency classes: from the training corpus, kept with the model, the same when training goes on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from riata.data.memory import as_corpus
from riata.data.types import Column
from riata.errors import ModelFileError, SettingError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.frequency import Frequencies
from riata.features.templates import parse
from riata.models import container

pytestmark = pytest.mark.filterwarnings("ignore:Labels seen fewer")
SENTENCES = [["the", "a", "the", "b"], ["the", "a", "the", "c"]]
LABELS = [["X", "Y", "X", "Z"], ["X", "Y", "X", "Z"]]


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=80))
def test_a_class_is_the_power_of_two_below_the_count(words):
    frequencies = Frequencies.of(Column.of(words))
    for word in "abcdef":
        power = int(frequencies(word))
        count = max(words.count(word), 1)
        assert 2**power <= count < 2 ** (power + 1)


def fitted():
    return riata.Tagger(template=parse("frequency[0]\nfrequency(tag)[-1] word[0]\nedge"), epochs=3).fit(
        [[(word, word.upper()) for word in sentence] for sentence in SENTENCES], LABELS
    )


def test_classes_come_from_training_and_unseen_words_are_as_rare_as_those_seen_once():
    tagger = fitted()
    assert tagger.model_.features.alphabets[0].texts() == ["2", "1", "0"]
    assert tagger.predict([[("the", "THE"), ("new", "NEW")]])[0] == tagger.predict([[("the", "THE"), ("b", "NEW")]])[0]


def test_words_of_a_slice_are_counted_in_the_slice():
    part = as_corpus(SENTENCES)[1:]
    assert Frequencies.of(part.columns[0])("a") == "0"


def test_a_model_keeps_them(tmp_path):
    tagger = fitted()
    tagger.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    test = [[(w, w.upper()) for w in ["the", "a", "b", "c", "d"]]]
    assert loaded.predict(test) == tagger.predict(test)
    assert to_bytes(loaded) == (tmp_path / "m.riata").read_bytes()
    kept = loaded.model_.features.frequencies
    assert {c: (f.words.texts(), f.classes.tolist()) for c, f in kept.items()} == {
        0: (["the", "a"], [2, 1]),
        1: (["THE", "A"], [2, 1]),
    }


def test_training_that_goes_on_keeps_the_classes():
    tagger = riata.Tagger(template=parse("frequency[0]\nedge"))
    tagger.partial_fit(SENTENCES, LABELS)
    tagger.partial_fit(SENTENCES, LABELS)
    assert tagger.model_.features.frequencies[0]("the") == "2"


def test_its_name_is_taken():
    with pytest.raises(SettingError, match="'frequency'"):
        riata.Tagger(attributes={"frequency": str.lower}).fit(SENTENCES, LABELS)


def test_broken_classes_in_a_model_are_refused():
    header, arrays = container.unpack(memoryview(to_bytes(fitted())))
    name = "frequency/0/classes"
    for classes in (arrays[name][:1], arrays[name].astype(np.uint16), np.ones(2)):
        with pytest.raises(ModelFileError):
            from_bytes(container.pack(header, {**arrays, name: classes}))
    with pytest.raises(ModelFileError):
        from_bytes(container.pack(header, {k: v for k, v in arrays.items() if k != name}))
