"""Training that goes on from a model, and training again on all data."""

import pytest

import riata
from checks import refused, stored
from learning.test_online import interrupt_at, same_model
from learning.test_seeds import KINDS, PLAIN
from riata import Chunker, JointTagger, Tagger
from riata.errors import SettingError
from riata.features.templates import parse
from riata.learning.events import Progressed, Started
from samples import embedded, for_each

TRAIN = [[("a", "X"), ("b", "Y")], [("c", "X"), ("a", "X")], [("b", "Y"), ("c", "Y")]]
DEV = [[("b", "Y"), ("b", "Y"), ("d", "Z")], [("d", "Z"), ("b", "Y"), ("b", "Y")]]


def bytes_of(estimator, folder):
    path = folder / "model.riata"
    estimator.save(path)
    return path.read_bytes()


def test_refit_with_a_development_corpus_is_a_plain_fit_on_both(tmp_path):
    chosen = Tagger(epochs=4, dev=riata.data.memory.as_corpus(DEV), refit=True).fit(TRAIN)
    plain = Tagger(epochs=chosen.best_epoch_).fit([*TRAIN, *DEV])
    assert chosen.classes_ == plain.classes_ == ["Y", "X", "Z"]
    both = [[token[0] for token in sentence] for sentence in [*TRAIN, *DEV]]
    assert chosen.predict(both) == plain.predict(both)
    assert chosen.model_.to_parts()[1].keys() == plain.model_.to_parts()[1].keys()
    for name, array in chosen.model_.to_parts()[1].items():
        assert array.tobytes() == plain.model_.to_parts()[1][name].tobytes()


def test_refit_reads_illegal_tags_of_the_development_corpus_as_conlleval_does():
    train = [[("a", "B-X"), ("b", "I-X")], [("c", "O")]]
    dev = riata.data.memory.as_corpus([[("d", "O"), ("e", "I-X")]])
    notes = []
    chunker = Chunker(epochs=3, dev=dev, refit=True).fit(train, listener=notes.append)
    assert chunker.predict([["d", "e"]]) == [["O", "B-X"]]
    assert any("Illegal tags" in getattr(note, "text", "") for note in notes)


def test_going_on_visits_the_sentences_in_the_orders_of_the_next_epochs():
    started = []

    def listener(event):
        if isinstance(event, riata.learning.events.Started):
            started.append((event.epoch, event.epochs))

    tagger = Tagger(epochs=2, warm_start=True).fit(TRAIN, listener=listener)
    assert tagger.best_epoch_ == 2
    tagger.fit(TRAIN, listener=listener)
    assert started == [(1, 2), (2, 2), (3, 4), (4, 4)]
    assert tagger.best_epoch_ == 4


def test_going_on_with_other_templates_is_refused():
    tagger = Tagger(template=parse("word[0]"), epochs=1, warm_start=True).fit(TRAIN)
    refused(SettingError, "templates of the model", tagger.set_params(template=parse("word[1]")).fit, TRAIN)


def test_going_on_with_other_attributes_is_refused():
    def first(word):
        return word[0]

    def other(word):
        return word[-1]

    tagger = Tagger(template=parse("mine[0]"), attributes={"mine": first}, warm_start=True)
    tagger.partial_fit(TRAIN)
    tagger.set_params(attributes={"mine": first, "unread": other}).partial_fit(TRAIN)
    tagger.set_params(attributes={"mine": other})
    for learn in (tagger.partial_fit, tagger.fit):
        assert "Leave out attributes" in refused(SettingError, "another function for 'mine'", learn, TRAIN).remedy
    tagger.set_params(template=None, attributes=None).partial_fit(TRAIN)  # the model has the function


def test_going_on_in_another_precision_is_refused():
    tagger = Tagger(epochs=1, warm_start=True).fit(TRAIN)
    refused(SettingError, "precision", tagger.set_params(settings={"precision": "double"}).fit, TRAIN)


def test_a_loaded_model_trains_anew_with_its_own_templates(tmp_path):
    tagger = Tagger(template=parse("word[0]\nedge"), epochs=2).fit(TRAIN)
    loaded = stored(tagger, tmp_path)
    assert bytes_of(loaded.fit(TRAIN), tmp_path) == bytes_of(tagger, tmp_path)


@pytest.mark.parametrize("huge", [{"class_weight": {"X": 1e39}}, {"class_weight": {"X": -1}}])
def test_weights_that_would_not_stay_finite_are_refused(huge):
    refused(SettingError, "expected a number from 0 to 1e", Tagger(**huge).fit, TRAIN)


def test_a_model_trained_on_conllu_reads_plain_words_and_tuples(tmp_path):
    lines = [f"{i}\t{w}\t_\t_\t{t}\t_\t_\t_\t_\t_" for i, (w, t) in enumerate([("The", "DT"), ("dog", "NN")], start=1)]
    path = tmp_path / "x.conllu"
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    corpus = riata.read_conllu(path)
    tagger = Tagger(epochs=3).fit(corpus)
    assert tagger.inputs_ == (1,)
    assert tagger.predict([["The", "dog"]]) == [["DT", "NN"]]
    assert tagger.predict(corpus) == [["DT", "NN"]]
    columns = tmp_path / "x.txt"
    columns.write_text("The DT\ndog NN\n\n", encoding="utf-8")
    assert tagger.score(riata.read_columns(columns)) == 1.0
    plain = Tagger(epochs=3).fit(riata.read_columns(columns))
    assert plain.score(corpus) == 1.0


def test_a_document_line_has_as_many_columns_as_were_selected(tmp_path):
    path, copy = tmp_path / "x.txt", tmp_path / "y.txt"
    path.write_text("-DOCSTART- news O O\n\nThe DT B-NP O\n\n", encoding="utf-8")
    riata.write_columns(riata.read_columns(path).select([0, 1, 3]), copy)
    assert copy.read_text(encoding="utf-8") == "-DOCSTART- news O\n\nThe DT O\n\n"


# --- going on from a model of tags and chunks with words that it has not seen ----------------------------------------
def test_weights_keep_their_features_when_the_index_grows():
    data = embedded(("word", "tag", "chunk"))[:100]
    words = data.sentences_of(0)
    labels = [list(zip(*each, strict=True)) for each in zip(data.sentences_of(1), data.sentences_of(2), strict=True)]
    tagger = JointTagger("laso-perceptron", epochs=3, warm_start=True).fit(words, labels)
    before = tagger.predict(words)
    tagger.set_params(epochs=1)
    unseen = [[word[::-1] + "x" for word in sentence] for sentence in words[:5]]
    tagger.fit(unseen, labels[:5])
    pairs = [(a, b) for x, y in zip(before, tagger.predict(words), strict=True) for a, b in zip(x, y, strict=True)]
    assert sum(a == b for a, b in pairs) / len(pairs) > 0.97


SECOND_ORDER = parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]\nlabel[-2] label[-1] tag[0]\nlabel[-1] word[0]")
PORTIONS = {
    "mira": {"recipe": "mira"},
    **{f"{name}, two labels back": {"recipe": name, "template": SECOND_ORDER} for name in ("perceptron", "mira")},
    **{f"seeds, {kind}": {"template": PLAIN, **of_kind, "seeds": 3} for kind, of_kind in KINDS.items()},
    **{
        f"shards, {name}, {seeds} seeds": {"recipe": name, "template": PLAIN, "shards": 3, "seeds": seeds}
        for name in ("perceptron", "mira")
        for seeds in (1, 2)
    },
}


@pytest.mark.parametrize("params", PORTIONS.values(), ids=PORTIONS)
def test_partial_fit_is_fit_epoch_by_epoch(params):
    """The average, too, goes on from call to call."""
    data, bit_by_bit = embedded()[:40], Chunker(**params)
    for _ in range(3):
        bit_by_bit.partial_fit(data)
    assert same_model(bit_by_bit, Chunker(**params, epochs=3).fit(data))


@for_each(event=[Started, Progressed], params=[{}, {"seeds": 3}, {"shards": 3}])
def test_ctrl_c_keeps_the_model_of_the_last_epoch(event, params):
    """All seeds and shards are stopped."""
    data, stopped = embedded(), Chunker("mira", template=PLAIN, epochs=5, **params)
    refused(KeyboardInterrupt, "", stopped.fit, data, listener=interrupt_at(event, 2))
    assert same_model(stopped, Chunker("mira", template=PLAIN, epochs=1, **params).fit(data))
