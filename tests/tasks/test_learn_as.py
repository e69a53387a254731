"""learn_as: the model learns in one encoding, and everything that a user sees is in that of the data."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from checks import refused, stored
from riata import Chunker, EntityRecognizer, JointTagger, RiataWarning, Tagger, Trace, errors, metrics, registry
from riata.data.encodings.base import convert, shown_encodings
from riata.data.memory import as_corpus, label_column, with_column
from riata.data.types import Span
from riata.errors import DataError, LabelError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.learning.labels import LabelSet, as_learnt, class_weights
from riata.models import container
from samples import CHUNKS, INPUTS, TAGS, WORDS, as_text, embedded, for_each, for_rows, tried

NAMES = tuple(shown_encodings())
SMALL = parse("word[0]\ntag[-1] tag[0]\ntag[0] tag[1]\nedge")
PAIRS = list(itertools.product(NAMES, NAMES))


def get(name):
    return registry.get("encoding", name)


def recoded(corpus, source, target):
    """By hand: sentence by sentence."""
    labels = [convert(tags, get(source), get(target)) for tags in corpus.sentences_of(-1)]
    inputs = corpus.select(range(corpus.width - 1))
    return with_column(inputs, label_column(labels, inputs))


def every_label(corpus):
    """The corpus after a sentence with chunks of one, two and three tokens of each type, touching and apart: it has all labels of them."""
    types = sorted({label[2:] for labels in corpus.sentences_of(-1) for label in labels if label != "O"})
    chunks = [["B-{0}"], ["B-{0}", "I-{0}"], ["B-{0}", "I-{0}", "I-{0}"]]
    labels = [label.format(one) for one in types for chunk in [*chunks, ["O"], *chunks[::-1], ["O"]] for label in chunk]
    return as_corpus([[("x", "X", label) for label in labels], *corpus])


def data(encoding, split="train"):
    return recoded(every_label(embedded(split=split)), "iob2", encoding)


def plain(corpus):
    """Lists of tuples, which take the short way through predict."""
    return [[token[:2] for token in sentence] for sentence in corpus]


def to(encoding, learnt, labels):
    return [convert(tags, get(learnt), get(encoding)) for tags in labels]


# --- the same as recoding by hand ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(("encoding", "learnt"), PAIRS)
def test_it_is_the_model_of_data_recoded_by_hand(encoding, learnt):
    asked = Chunker("mira", epochs=2, template=SMALL, learn_as=learnt).fit(data(encoding)[:150])
    by_hand = Chunker("mira", epochs=2, template=SMALL).fit(data(learnt)[:150])
    test, other = data(encoding, "test"), data(learnt, "test")
    assert (asked.encoding_, asked.learnt_as_) == (encoding, learnt)
    assert (by_hand.encoding_, by_hand.learnt_as_) == (learnt, learnt)
    assert asked.model_.labels == by_hand.model_.labels
    expected = to(encoding, learnt, by_hand.predict(other))
    assert asked.predict(test) == asked.predict(plain(test)) == expected
    ids = asked.predict_ids(test)
    assert [asked.classes_[i] for i in ids] == [label for labels in expected for label in labels]
    assert len(set(asked.classes_)) == len(asked.classes_)
    assert all(map(get(encoding).is_tag, asked.classes_))
    for ours, theirs in zip(asked.predict_nbest(test[:20], 4), by_hand.predict_nbest(other[:20], 4), strict=True):
        assert [labels for labels, _ in ours] == to(encoding, learnt, [labels for labels, _ in theirs])
        assert [score for _, score in ours] == [score for _, score in theirs]
    assert asked.score(test) == by_hand.score(other)
    ours, theirs = asked.evaluate(test), by_hand.evaluate(other)
    assert ours.report.rows == theirs.report.rows
    assert asked.evaluate(test, predicted=ids).metrics == ours.metrics
    errors_ = by_hand.search_errors(other)
    assert asked.search_errors(test) == asked.search_errors(test, predicted=ids) == errors_
    assert errors_.wrong > 0


@pytest.mark.parametrize("encoding", NAMES)
def test_to_learn_in_the_encoding_of_the_data_changes_the_header_alone(encoding):
    contents = []
    for learn_as in (None, encoding):
        header, arrays = container.unpack(
            memoryview(to_bytes(Chunker(epochs=2, learn_as=learn_as, template=SMALL).fit(data(encoding)[:100])))
        )
        assert header["params"].pop("learn_as") == learn_as
        header.pop("arrays", None)
        header["search"].pop("checked")  # a digest of parameters
        contents.append((header, {name: array.tobytes() for name, array in arrays.items()}))
    assert contents[0] == contents[1]


@tried(25, st.data())
def test_predictions_are_legal_and_go_there_and_back(drawn):
    encoding, learnt = drawn.draw(st.sampled_from(PAIRS))
    spans = st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), min_size=1, max_size=6)
    labels = drawn.draw(st.lists(spans, min_size=1, max_size=4))
    words = [[drawn.draw(st.sampled_from("abc")) for _ in sentence] for sentence in labels]
    made = Chunker("mira", epochs=2, learn_as=learnt, encoding="iob2", template=parse("word[0]\nedge")).fit(
        words, labels
    )
    made.labels.set_model(made.model_, as_learnt(get(encoding), learnt))  # as if the data had been written so
    for tags in made.predict(words):
        assert to(learnt, encoding, [tags]) and set(tags) <= set(made.classes_)
        assert to(encoding, learnt, to(learnt, encoding, [tags])) == [tags]


# --- every way to train -------------------------------------------------------------------------------------------------
def both_ways(tmp_path=None, **parameters):
    """The same training, asked for and by hand."""
    dev, asked_dev = parameters.pop("dev", None), None
    if dev is not None:
        asked_dev = dev if isinstance(dev, float) else recoded(dev, "bioes", "iob2")
    corpora = data("iob2")[:120], data("bioes")[:120]
    if tmp_path is not None:
        paths = [tmp_path / "iob2.txt", tmp_path / "bioes.txt"]
        for path, corpus in zip(paths, corpora, strict=True):
            path.write_text(as_text(list(corpus)), encoding="utf-8")
        corpora = tuple(paths)
    parameters = {"template": SMALL, "epochs": 3, **parameters}
    asked = Chunker(learn_as="bioes", dev=asked_dev, **parameters).fit(corpora[0])
    by_hand = Chunker(dev=dev, **parameters).fit(corpora[1])
    return asked, by_hand


@for_rows(
    "parameters",
    {"dev": 0.2},
    {"dev": 0.2, "refit": True},
    {"dev": "corpus", "refit": True},
    {"seeds": 2},
    {"shards": 2},
    {"bits": 16},
    {"recipe": "laso-perceptron", "beam": 3},
    {"recipe": "early", "beam": 1},
    ids=str,
)
def test_every_training_is_that_of_data_recoded_by_hand(parameters):
    if parameters.get("dev") == "corpus":
        parameters = {**parameters, "dev": data("bioes", "test")}
    check_same(*both_ways(**parameters))


@pytest.mark.parametrize("parameters", [{}, {"dev": 0.2, "refit": True}, {"dev": "corpus", "refit": True}], ids=str)
def test_streams_too(tmp_path, parameters):
    if parameters.get("dev") == "corpus":
        parameters = {**parameters, "dev": data("bioes", "test")}
    check_same(*both_ways(tmp_path, stream=True, **parameters))


def check_same(asked, by_hand):
    assert (asked.encoding_, asked.learnt_as_, by_hand.learnt_as_) == ("iob2", "bioes", "bioes")
    assert asked.model_.labels == by_hand.model_.labels
    assert asked.facts_["label_counts"] == by_hand.facts_["label_counts"]
    scores = [[event["dev_score"] for event in made.history_] for made in (asked, by_hand)]
    assert scores[0] == scores[1]
    ours, theirs = (container.unpack(memoryview(to_bytes(made)))[1] for made in (asked, by_hand))
    assert {name: array.tobytes() for name, array in ours.items()} == {n: a.tobytes() for n, a in theirs.items()}


def test_illegal_tags_are_read_as_conlleval_does_before_they_are_recoded():
    words, labels = [["a", "b", "c"], ["d", "e"]], [["I-X", "I-X", "O"], ["B-X", "I-Y"]]
    with pytest.warns(RiataWarning, match="Illegal tags"):
        made = Chunker(encoding="iob2", learn_as="bioes").fit(words, labels)
    assert made.facts_["label_counts"] == {
        "B-X": 1,
        "E-X": 1,
        "O": 1,
        "S-X": 1,
        "S-Y": 1,
        **dict.fromkeys(("B-Y", "E-Y", "I-X", "I-Y"), 0),
    }
    with pytest.raises(errors.LabelError, match="illegal in IOB2"):
        Chunker(encoding="iob2", learn_as="bioes", strict=True).fit(words, labels)


@pytest.mark.parametrize(("encoding", "learnt"), PAIRS)
def test_types_have_the_labels_of_chunks_of_any_length(encoding, learnt):
    """In training, each VP has one token and each PP has two; another PP touches none of its type."""
    seen = [[("a", "B-VP"), ("b", "B-PP"), ("c", "I-PP"), ("d", "O")], [("a", "B-VP"), ("d", "O")]]
    made = Chunker("crf", template=parse("word[0]\nedge"), learn_as=learnt).fit(
        recoded(as_corpus(seen), "iob2", encoding)
    )
    chunk, touching = get(learnt).chunk, get(learnt).touching
    if encoding != learnt:
        assert set(made.model_.labels) == {
            "O",
            *(f"{p}-{type_}" for p in {*chunk, *touching} for type_ in ("VP", "PP")),
        }
        for length in (1, 2, 3):
            for type_ in ("VP", "PP"):
                spans = [Span(0, length, type_), Span(length, 2 * length, type_)]
                labels = get(encoding).encode(spans, 2 * length + 1)
                assert np.isfinite(made.log_likelihood([["d"] * (2 * length + 1)], [labels])).all()
    else:
        assert set(made.model_.labels) == set(made.classes_) == {"O", *as_learnt_labels(seen, encoding)}


def as_learnt_labels(corpus, encoding):
    return {label for labels in recoded(as_corpus(corpus), "iob2", encoding).sentences_of(-1) for label in labels}


def test_joint_tags_have_them_too():
    seen = [[("a", "N", "B-VP"), ("d", "V", "O")]]
    for parameters in ({}, {"recipe": "crf", "structure": "factorial"}):
        made = JointTagger(learn_as="bioes", epochs=1, **parameters).fit(seen)
        assert {chunk for _, chunk in made.classes_} == {"O", "B-VP", "I-VP"}
        assert made.model_.outputs.chunks == ("O", "S-VP", "B-VP", "E-VP", "I-VP")


def test_partial_fit_takes_classes_of_the_data():
    parts = data("iob2")[:60], data("iob2")[60:120]
    by_hand = data("bioes")[:60], data("bioes")[60:120]
    types = sorted({label[2:] for label in data("iob2").columns[-1].texts() if label != "O"})
    classes = [f"{prefix}-{type_}" for type_ in types for prefix in "BI"]
    asked, other = Chunker(learn_as="bioes", template=SMALL), Chunker(encoding="bioes", template=SMALL)
    for ours, theirs in zip(parts, by_hand, strict=True):
        asked.partial_fit(ours, classes=classes)
        other.partial_fit(theirs, classes=[f"{prefix}-{type_}" for type_ in types for prefix in "BIES"])
    assert set(asked.classes_) == {"O", *classes}
    assert asked.predict(data("iob2", "test")) == to("iob2", "bioes", other.predict(data("bioes", "test")))
    with pytest.raises(errors.LabelError, match=r"'S-NEW' \(as learnt, in BIOES\) is unknown"):
        asked.partial_fit([[("a", "b", "B-NEW")]])
    asked.partial_fit([[("a", "b", "O")]])  # of which no encoding can be told
    assert (asked.encoding_, asked.learnt_as_) == ("iob2", "bioes")


def test_what_follows_a_first_partial_fit_is_learnt_in_the_same_encoding():
    made = Chunker(learn_as="bioes", template=SMALL).partial_fit(data("iob2")[:60])
    for learn_as in (None, "bilou"):
        with pytest.raises(errors.SettingError, match="learnt its chunks as BIOES"):
            made.set_params(learn_as=learn_as).partial_fit(data("iob2")[:60])


@pytest.mark.parametrize("encoding", NAMES)
def test_data_without_chunks_change_no_encoding(encoding):
    """They are legal in all of them."""
    made = from_bytes(to_bytes(Chunker(learn_as="bioes", template=SMALL, epochs=1).fit(data(encoding))))
    outside = [[("a", "b", "O")]]
    made.partial_fit(outside)
    assert (made.encoding_, made.learnt_as_) == (encoding, "bioes")
    made.set_params(warm_start=True).fit(outside)
    assert (made.encoding_, made.learnt_as_) == (encoding, "bioes")
    assert made.set_params(warm_start=False).fit(outside).encoding_ == "iob2"


def test_warm_start_goes_on_in_the_same_encoding_or_is_refused():
    once = Chunker(learn_as="bioes", template=SMALL, epochs=4).fit(data("iob2"))
    twice = Chunker(learn_as="bioes", template=SMALL, epochs=2).fit(data("iob2"))
    twice = from_bytes(to_bytes(twice)).set_params(warm_start=True).fit(data("iob2"))
    assert twice.best_epoch_ == once.best_epoch_ == 4
    assert (twice.encoding_, twice.learnt_as_) == ("iob2", "bioes")
    for learn_as in (None, "bilou"):
        with pytest.raises(errors.SettingError, match="learnt its chunks as BIOES") as caught:
            twice.set_params(learn_as=learn_as).fit(data("iob2"))
        assert "'bioes'" in caught.value.remedy
    native = Chunker(template=SMALL, epochs=1).fit(data("iob2"))
    with pytest.raises(errors.SettingError, match="learnt its chunks as IOB2"):
        native.set_params(learn_as="bioes", warm_start=True).fit(data("iob2"))


def test_class_weights_are_by_the_labels_of_the_data():
    labels = LabelSet(
        ("O", "B-X", "E-X", "S-X", "I-X"),
        {"O": 6, "B-X": 2, "E-X": 2, "S-X": 1, "I-X": 1},
        as_learnt(get("iob2"), "bioes"),
    )
    assert class_weights({"B-X": 3.0, "I-X": 0.5}, labels).tolist() == [1.0, 3.0, 0.5, 3.0, 0.5]
    assert class_weights("balanced", labels).tolist() == pytest.approx([12 / 18, 12 / 9, 12 / 9, 12 / 9, 12 / 9])
    refused(errors.UnknownNameError, "S-X", class_weights, {"S-X": 2.0}, labels)
    weighted = {"class_weight": {"B-NP": 2.0}, "template": SMALL, "epochs": 2}
    by_hand = Chunker(**{**weighted, "class_weight": {"B-NP": 2.0, "S-NP": 2.0}}).fit(data("bioes"))
    asked = Chunker(learn_as="bioes", **weighted).fit(data("iob2"))
    assert asked.predict(data("iob2", "test")) == to("iob2", "bioes", by_hand.predict(data("bioes", "test")))
    with pytest.raises(errors.UnsupportedError, match="can stand for several of BIOES"):
        Chunker(learn_as="iob2", **weighted).fit(data("bioes"))


def test_sentence_weights_are_unaffected():
    weights = np.linspace(0.1, 2, 120)
    asked = Chunker(learn_as="bioes", template=SMALL, epochs=2).fit(data("iob2")[:120], sample_weight=weights)
    by_hand = Chunker(template=SMALL, epochs=2).fit(data("bioes")[:120], sample_weight=weights)
    check_same(asked, by_hand)


def test_entities_and_labels_apart_from_words():
    labels = [[chunk for _, _, chunk in sentence] for sentence in CHUNKS]
    made = EntityRecognizer(learn_as="bilou", epochs=8).fit(WORDS, labels)
    assert made.learnt_as_ == "bilou" and "U-VP" in made.model_.labels
    assert made.predict(WORDS) == labels


# --- looking into it ----------------------------------------------------------------------------------------------------
def test_diagnose_and_trace_compare_with_the_labels_that_were_learnt():
    parameters = {"recipe": "laso-perceptron", "beam": 2, "template": SMALL, "epochs": 2}
    asked = Chunker(learn_as="bioes", **parameters).fit(data("iob2")[:80])
    by_hand = Chunker(**parameters).fit(data("bioes")[:80])
    assert str(asked.diagnose(data("iob2")[:80])) == str(by_hand.diagnose(data("bioes")[:80]))
    ours, theirs = asked.trace(data("iob2")[3:4], True), by_hand.trace(data("bioes")[3:4], True)
    assert ours.learnt_as == "bioes" and theirs.learnt_as is None
    assert (ours.nodes, ours.steps, ours.truth, ours.output) == (
        theirs.nodes,
        theirs.steps,
        theirs.truth,
        theirs.output,
    )
    assert "tags as learnt, in BIOES" in str(ours) and "as learnt" not in str(theirs)
    assert Trace.from_dict(ours.to_dict()) == ours
    assert asked.trace(plain(data("iob2"))[3]).truth is None


def test_files_are_labelled_in_the_encoding_of_the_data(tmp_path):
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text(as_text(INPUTS), encoding="utf-8")
    for encoding in NAMES:
        made = Chunker(learn_as="bioes", template=SMALL, epochs=2).fit(data(encoding))
        made.predict_file(source, target)
        assert riata.read_columns(target).sentences_of(-1) == made.predict(INPUTS)
        made.predict_file(source, target, nbest=2)
        best = [label for found in made.predict_nbest(INPUTS, 2) for labels, _ in found for label in labels]
        rows = [line.split() for line in target.read_text(encoding="utf-8").splitlines()]
        assert [row[-1] for row in rows if row and row[0] != "#"] == best


def test_predicted_labels_that_the_model_never_gives_are_refused():
    made = Chunker(template=SMALL, epochs=1).fit(recoded(as_corpus(CHUNKS), "iob2", "bioes"))
    made.labels.set_model(made.model_, as_learnt(get("iob2"), "bioes"))
    inside = np.full(len(CHUNKS[0]), made.classes_.index("B-VP"), np.int32)
    assert made.search_errors(CHUNKS[:1], predicted=inside).wrong == 1
    made.labels.set_model(made.model_, as_learnt(get("iob1"), "bioes"))
    inside[:] = made.classes_.index("I-VP")  # a long VP, and VPs of training had one token
    refused(errors.DataError, "never gives", made.search_errors, CHUNKS[:1], predicted=inside)


@for_each(gold=[["NN", "B-", "O", "B-NP"], ["I-NP", "I-NP", "I-VP", "O"], ["B-NP", "I-NEW", "", "E-NP"]])
def test_odd_gold_labels_are_wrong_and_no_error(gold):
    for learn_as in (None, "bioes"):
        made = Chunker(learn_as=learn_as, template=SMALL, epochs=8).fit(CHUNKS)
        assert made.search_errors(INPUTS[:1], [gold]).counts == {
            "wrong": 1,
            "search": 0,
            "both": 0,
            "model": 1,
            "ties": 0,
            "right": 0,
            "lucky": 0,
            "test": "exact",
        }
        assert made.score(INPUTS[:1], [gold]) == Chunker(template=SMALL, epochs=8).fit(CHUNKS).score(INPUTS[:1], [gold])


@pytest.mark.parametrize("refit", [False, True])
def test_odd_labels_in_development_data_are_named(refit):
    dev = with_column(as_corpus(INPUTS[:1]), label_column([["NN", "B-NP", "X-", "."]], as_corpus(INPUTS[:1])))
    with pytest.raises(errors.LabelError, match="'NN' is no chunk label"):
        Chunker(learn_as="bioes", dev=dev, refit=refit, epochs=1).fit(CHUNKS)


# --- keeping, and what is refused ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("encoding", NAMES)
def test_models_are_kept_with_both_encodings(tmp_path, encoding):
    made = Chunker(learn_as="bioes", template=SMALL, epochs=2).fit(data(encoding))
    made.save(tmp_path / "m.riata")
    test = data(encoding, "test")
    for again in (riata.load_model(tmp_path / "m.riata"), pickle.loads(pickle.dumps(made))):
        assert (again.encoding_, again.learnt_as_, again.learn_as) == (encoding, "bioes", "bioes")
        assert again.classes_ == made.classes_
        assert again.predict(test) == again.predict(plain(test)) == made.predict(test)


@for_rows(
    "change, says",
    ({"learnt_as": "bio"}, "encoding 'bio' is unknown"),
    ({"learnt_as": None}, "encoding None is unknown"),
    ({"encoding": None}, "encoding None is unknown"),
    ({"learnt_as": ["bioes"]}, "is unknown"),
    ({"learnt_as": "bilou"}, "labels are not tags"),
)
def test_inconsistent_files_are_refused(change, says):
    header, arrays = container.unpack(memoryview(to_bytes(Chunker(learn_as="bioes", epochs=1).fit(CHUNKS))))
    refused(errors.ModelFileError, says, from_bytes, container.pack({**header, **change}, arrays))


def test_files_from_before_learn_as_are_read():
    header, arrays = container.unpack(memoryview(to_bytes(Chunker(epochs=1).fit(CHUNKS))))
    del header["learnt_as"], header["params"]["learn_as"]
    assert from_bytes(container.pack(header, arrays)).learnt_as_ == "iob2"


@pytest.mark.parametrize("bad", ["bio", "auto", "", 3, ["bioes"], True])
def test_bad_values_are_refused(bad):
    assert refused((errors.UnknownNameError, errors.SettingError), "", Chunker(learn_as=bad).fit, CHUNKS).remedy


def test_a_tagger_has_no_chunks_to_recode():
    caught = refused(errors.UnsupportedError, "plain labels", Tagger(learn_as="bioes").fit, WORDS, TAGS)
    assert "Leave out learn_as" in caught.remedy


# --- chunk labels that are prefixes alone, B, I and O: chunks of one kind without a name -----------------------------
NAMED = [["Ann", "Lee", "saw", "Bob"], ["it", "rained"], ["Bob", "met", "Ann", "Lee", "today"], ["Ann", "Bob"]] * 3
BARE = [["B", "I", "O", "B"], ["O", "O"], ["B", "O", "B", "I", "O"], ["B", "B"]] * 3
TYPED = [[label if label == "O" else f"{label}-X" for label in labels] for labels in BARE]


@pytest.mark.parametrize("estimator", [Chunker, EntityRecognizer])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"recipe": "crf"}, {"recipe": "hmm"}, {"structure": "segments"}, {"learn_as": "bioes"}, {"passes": 2}],
    ids=str,
)
def test_they_are_learnt_and_scored_as_with_a_type(tmp_path, estimator, parameters):
    model, typed = (estimator(**parameters).fit(NAMED, y) for y in (BARE, TYPED))
    found = model.predict(NAMED)
    assert found == [[label.removesuffix("-X") for label in labels] for labels in typed.predict(NAMED)]
    assert model.score(NAMED, BARE) == typed.score(NAMED, TYPED) == 1.0
    report = model.evaluate(NAMED, BARE)
    assert "(unnamed)" in str(report)
    assert stored(model, tmp_path).predict(NAMED) == found


@pytest.mark.parametrize("encoding", ["iob1", "iob2", "bioes", "bilou"])
def test_all_encodings_have_them(encoding):
    source, target = registry.get("encoding", "iob2"), registry.get("encoding", encoding)
    for labels, typed in zip(BARE, TYPED, strict=True):
        written = convert(labels, source, target)
        assert written == [label.removesuffix("-X") for label in convert(typed, source, target)]
        assert target.spans(written) == source.spans(labels)
        assert not len(target.violations(*_ids(written)))


def _ids(labels):
    import numpy as np

    known = sorted(set(labels))
    return known, np.array([known.index(label) for label in labels], np.int32), np.array([0, len(labels)], np.int64)


def test_the_encoding_is_detected():
    assert Chunker().fit(NAMED, BARE).encoding_ == "iob2"
    first = [["I", "I", "O", "I"], ["O", "O"], ["I", "O", "I", "I", "O"], ["I", "B"]] * 3
    assert Chunker().fit(NAMED, first).encoding_ == "iob1"


def test_an_illegal_one_is_named():
    encoding = registry.get("encoding", "iob2")
    refused(LabelError, "label 'I' starts the sentence, but IOB2 expects 'O' or 'B", encoding.spans, ["I", "O"])
    refused(LabelError, "label 'I-X' follows 'B', but IOB2 expects 'O', 'B' or 'I' there", encoding.spans, ["B", "I-X"])


def test_one_beside_types_is_refused():
    refused(LabelError, r"label '[BI]' is no chunk label", Chunker().fit, NAMED, [*BARE[:-1], TYPED[-1]])


def test_metrics_score_them():
    assert metrics.span_f1_score(BARE, BARE) == 1.0


def test_integer_labels_are_refused_with_the_remedy():
    caught = refused(DataError, "a label is 0, of type int", Tagger().fit, [["a", "b"], ["c"]], [[0, 1], [2]])
    assert "str(label) for label in labels" in caught.remedy
