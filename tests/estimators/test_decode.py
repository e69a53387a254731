"""The setting decode; predictions as spans; probabilities and weights by the names of labels and features."""

import itertools
import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused, stored
from riata import Chunker, DependencyParser, EntityRecognizer, JointTagger, Tagger, registry
from riata.confidence.calibration import Calibration
from riata.data.encodings.base import spans_of
from riata.errors import DataError, NotFittedError, SettingError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from riata.models.weights_by_name import by_name
from samples import CHUNKS, as_text, embedded, history_chunker, treebank

OTHER = ("marginals", "spans")


@pytest.fixture(scope="module")
def data():
    def rows(corpus):
        columns = [corpus.sentences_of(c) for c in range(3)]
        return [list(zip(*sentence, strict=True)) for sentence in zip(*columns, strict=True)]

    return rows(embedded()[:150]), rows(embedded(split="test")[:60])


@pytest.fixture(scope="module")
def fitted(data):
    return Chunker("crf", settings={"c2": 1.0}, template=parse("word[0]\ntag[0]\nedge")).fit(data[0])


def deciding(estimator, decode, **more):
    return estimator.twin(settings={**(estimator.settings or {}), "decode": decode, **more})


def test_the_word_works_everywhere_alike(fitted, data, tmp_path):
    words = [[token[:2] for token in sentence] for sentence in data[1]]
    best = fitted.predict(words)
    for decode in OTHER:
        found = fitted.predict(words, decode=decode)
        assert found != best
        twin = deciding(fitted, decode)
        assert twin.predict(words) == found
        assert [twin.classes_[i] for i in twin.predict_ids(words)] == [label for labels in found for label in labels]
        loaded = stored(twin, tmp_path)
        assert loaded.settings["decode"] == decode
        assert loaded.predict(words) == found
        assert loaded.predict(words, decode="best") == best == fitted.predict(words)
        assert [loaded.predict([one])[0] for one in words] == list(found)  # no sentence depends on another


@pytest.mark.parametrize("decode", OTHER)
def test_files_and_threads_give_the_same(fitted, data, tmp_path, decode, run):
    model, file = tmp_path / "m.riata", tmp_path / "in.txt"
    words = [[token[:2] for token in sentence] for sentence in data[1]]
    file.write_text(as_text(words))
    fitted.save(model)
    expected = [label for labels in fitted.predict(words, decode=decode) for label in labels]
    for threads in ("1", "3"):
        out = run.ok("predict", "--model", model, "--set", f"decode={decode}", "--threads", threads, file)
        assert [line.split()[-1] for line in out.splitlines() if line] == expected
        twin = deciding(fitted, decode).set_params(threads=int(threads))
        assert [twin.classes_[i] for i in twin.predict_ids(words)] == expected


def test_evaluate_takes_it_and_refuses_settings_of_training(fitted, data, tmp_path, run):
    model, file = tmp_path / "m.riata", tmp_path / "in.txt"
    file.write_text(as_text(data[1]))
    fitted.save(model)

    def f1(*more):
        out = run.ok("evaluate", "--model", model, file, "--json", *more)
        return json.loads(out)["metrics"]["f1"]

    assert f1() != f1("--set", "decode=spans", "--set", "span_cost=0.9")
    for wrong, why in (
        ("c2=1", "no setting of decoding"),
        ("decode=most", "best, marginals, spans"),
        ("span_cost=1.5", "decode is"),
    ):
        err = run.fails("evaluate", "--model", model, file, "--set", wrong)
        assert why in err
    err = run.fails("evaluate", "--gold", file, "--predicted", file, "--set", "decode=spans")
    assert "--set is for --model" in err


def test_another_decode_sets_the_cost_of_chunks_aside(fitted, data, tmp_path, run):
    """The cost that a model was saved with is no reason to refuse decode=best: whoever predicts cannot leave it out."""
    words = [[token[:2] for token in sentence] for sentence in data[1]]
    careful = deciding(fitted, "spans", span_cost=1.9)
    assert careful.predict(words, decode="best") == fitted.predict(words)
    assert careful.predict(words, decode="marginals") == fitted.predict(words, decode="marginals")
    assert careful.predict(words, decode="spans") == careful.predict(words) != fitted.predict(words, decode="spans")
    model, file = tmp_path / "m.riata", tmp_path / "in.txt"
    file.write_text(as_text(data[1]))
    careful.save(model)
    for more, status in ((["decode=best"], 0), (["decode=marginals"], 0), (["decode=best", "span_cost=0.5"], 2)):
        assert run("predict", "--model", model, file, *(part for one in more for part in ("--set", one)))[0] == status
    assert run("predict", "--model", model, file, "--set", "decode=best", "--nbest", "2")[0] == 0


def test_lists_of_the_best_are_refused_with_the_reason(fitted):
    with pytest.raises(UnsupportedError, match="decode='spans' chooses one output") as refused:
        deciding(fitted, "spans").predict_nbest(CHUNKS, 2)
    assert "decode=best" in refused.value.remedy


def test_refusals_name_the_operation_that_is_missing(fitted):
    with pytest.raises(UnsupportedError, match=r"needs posteriors \(the probabilities.*'joint' has none") as refused:
        JointTagger("early", structure="joint", settings={"decode": "marginals"}).fit(CHUNKS)
    assert "structure='factorial'" not in refused.value.remedy  # where the recipe cannot learn
    with pytest.raises(UnsupportedError, match=r"needs all outputs .*the queue 'beam' has none"):
        deciding(fitted, "marginals").set_params(queue="beam").predict(CHUNKS)
    with pytest.raises(UnsupportedError, match="the task 'tag' has plain labels"):
        Tagger("crf", settings={"decode": "spans"}).fit([[("a", "X")]])
    with pytest.raises(SettingError, match=r"'span_cost' has the value 0.5, which nothing reads: decode is 'best'"):
        Chunker("crf", settings={"span_cost": 0.5}).fit(CHUNKS)
    with pytest.raises(UnsupportedError, match=r"reads label\[-3\]"):
        history_chunker().twin(queue="exact", beam=None, settings={"decode": "marginals"}).predict(CHUNKS)


@pytest.mark.parametrize("decode", OTHER)
def test_confidences_are_those_of_what_is_chosen(fitted, data, decode):
    words = [[token[:2] for token in sentence] for sentence in data[1]]
    twin = deciding(fitted, decode)
    ids, values = twin.confidence.confidence_ids(words)
    assert [twin.classes_[i] for i in ids] == [label for labels in twin.predict(words) for label in labels]
    assert ((values >= 0) & (values <= 1)).all()
    same = ids == fitted.predict_ids(words)
    assert not same.all()
    assert np.isclose(values[:, same], fitted.confidence.confidence_ids(words)[1][:, same], atol=1e-3).mean() > 0.9
    twin.calibration_ = (Calibration(),)
    assert twin.predict(words, min_confidence=0.0) == twin.predict(words)


def test_probabilities_are_those_of_the_calibration(fitted, data):
    words = [[token[:2] for token in sentence] for sentence in data[1]]
    twin = from_bytes(to_bytes(deciding(fitted, "marginals")))
    twin.calibrate(data[0])
    rows = np.concatenate(twin.predict_proba(words))
    chosen = rows[np.arange(len(rows)), twin.predict_ids(words)]
    assert chosen.sum() >= rows[np.arange(len(rows)), fitted.predict_ids(words)].sum()
    assert np.isclose(chosen, rows.max(axis=1)).mean() > 0.99  # the others would not be legal


def expected_errors(estimator, words, ids):
    """How many labels of these outputs are expected to be wrong."""
    rows = np.concatenate(estimator.predict_proba(words))
    return len(ids) - rows[np.arange(len(ids)), ids].sum()


@pytest.mark.parametrize("recipe", ["crf", "crf-pointwise", "hmm", "memm", "perceptron", "semicrf"])
def test_expected_losses_are_not_above_those_of_the_best_output(recipe, data):
    settings = {"c2": 1.0} if "crf" in recipe else {}
    estimator = Chunker(recipe, settings=settings, epochs=3).fit(data[0][:60])
    words = [[token[:2] for token in sentence] for sentence in data[1]]
    best, found = estimator.predict_ids(words), deciding(estimator, "marginals").predict_ids(words)
    assert expected_errors(estimator, words, found) <= expected_errors(estimator, words, best) + 1e-3
    counted = estimator.model_.expected(
        estimator.columns.input_columns(estimator.columns.sentences(words)),
        deciding(estimator, "spans").predicting.decoder().risk,
    )
    right, chunks, true = counted.sum(axis=0)
    confidences = estimator.confidence.confidence_ids(words)[1][0]
    spans = registry.get("encoding", estimator.encoding_).spans
    first = np.cumsum([0, *map(len, words)])
    units = [first[s] + span.start for s, labels in enumerate(estimator.predict(words)) for span in spans(labels)]
    of_best = 2 * confidences[units].sum() - len(units)
    assert 2 * right - chunks >= of_best - 1e-2
    assert true > 0


def test_ties_go_to_the_first_label():
    estimator = Tagger("crf", settings={"c2": 1e9}, template=parse("word[0]"))
    estimator = estimator.fit([[("a", "X"), ("b", "Y")], [("a", "Y"), ("b", "X")]] * 3)
    assert estimator.predict([["c", "c"]], decode="marginals") == [[estimator.classes_[0]] * 2]


def test_development_data_are_decoded_alike(data):
    """Training is scored as prediction will be."""
    made = [
        Chunker("perceptron", epochs=3, dev=0.3, template=parse("word[0]\nedge"), settings=settings).fit(data[0])
        for settings in ({}, {"decode": "spans", "span_cost": 0.3})
    ]
    scores = [[epoch["dev_score"] for epoch in one.history_] for one in made]
    assert scores[0] != scores[1]


def test_explanations_show_what_was_chosen(fitted, data):
    twin = deciding(fitted, "marginals")
    for sentence in data[1][:5]:
        words = [token[:2] for token in sentence]
        assert list(twin.explain(words).decision.chosen.labels) == twin.predict([words])[0]


def test_wrong_sentences_are_blamed_by_the_best_output(fitted, data):
    errors = deciding(fitted, "marginals").search_errors(data[1])
    assert errors.wrong + errors.right == len(data[1])
    assert errors.search + errors.both + (errors.lucky or 0) > 0  # another output than the best was chosen


@pytest.mark.parametrize("decode", OTHER)
def test_labels_of_a_dictionary_are_kept(data, decode):
    template, seen = parse("word[0]\ntag[0]\nedge"), {}
    for sentence in data[0]:
        for word, _, chunk in sentence:
            seen.setdefault(word, []).append(chunk)
    estimator = Chunker("crf", settings={"c2": 30.0, "dictionary": 3}, template=template).fit(data[0])
    words = [[token[:2] for token in sentence] for sentence in data[1]]
    free = Chunker("crf", settings={"c2": 30.0}, template=template).fit(data[0])
    assert estimator.predict(words, decode=decode) != free.predict(words, decode=decode)
    rows = np.concatenate(estimator.predict_proba(words))
    found = [label for labels in estimator.predict(words, decode=decode) for label in labels]
    for (word, _), label, row in zip((token for sentence in words for token in sentence), found, rows, strict=True):
        if len(seen.get(word, ())) >= 3:  # unless the dictionary has yielded to what is legal
            assert label in seen[word] or row[estimator.classes_.index(label)] > 0


# --- predictions as spans, of characters and of tokens ---------------------------------------------------------------
@pytest.fixture(scope="module")
def recognizer():
    return EntityRecognizer().fit(embedded(("word", "entity")))


def test_spans_of_text_are_counted_in_characters(recognizer):
    text = "Near e\u0301t\u00e9 \U0001f469\u200d\U0001f467, she lives in Harwick."
    (spans,) = recognizer.predict_spans([text])
    place = text.index("Harwick")
    assert (place, place + 7, "LOC", "Harwick") in [(span.start, span.end, span.label, span.text) for span in spans]
    assert all(text[span.start : span.end] == span.text for span in spans)


def test_spans_of_tokens_are_those_of_the_predicted_labels(recognizer):
    corpus = embedded(("word", "entity"), "test")[:20]
    labels = recognizer.predict(corpus)
    for sentence, tags, spans in zip(corpus, labels, recognizer.predict_spans(corpus), strict=True):
        assert [(span.start, span.end, span.label) for span in spans] == [tuple(each) for each in riata.spans(tags)]
        assert all(span.text == " ".join(sentence.column(0)[span.start : span.end]) for span in spans)


def test_confidences_come_where_they_are_asked_for_or_can_be_believed(recognizer):
    sentence = [["She", "lives", "in", "Harwick", "."]]
    (span,) = recognizer.predict_spans(sentence)[0]
    assert span.confidence == recognizer.predict_confidence(sentence)[0][3]
    assert recognizer.predict_spans(sentence, confidence=False)[0][0].confidence is None
    other = EntityRecognizer(calibrated=False).fit(embedded(("word", "entity")))
    assert other.predict_spans(sentence)[0][0].confidence is None
    assert other.predict_spans(sentence, confidence=True)[0][0].confidence > 0


def test_spans_below_a_confidence_are_left_out(recognizer):
    corpus = embedded(("word", "entity"), "test")[:40]
    spans = [span for found in recognizer.predict_spans(corpus) for span in found]
    least = sorted(span.confidence for span in spans)[len(spans) // 2]
    kept = [span for found in recognizer.predict_spans(corpus, min_confidence=least) for span in found]
    assert kept == [span for span in spans if span.confidence >= least]


def test_tags_are_spans_of_one_token_and_chunks_of_joint_taggers_are_found():
    tagger = Tagger(epochs=1).fit(embedded(("word", "tag")))
    assert [(span.start, span.end) for span in tagger.predict_spans(["Go home."])[0]] == [(0, 2), (3, 7), (7, 8)]
    joint = JointTagger(epochs=1).fit(embedded(("word", "tag", "chunk")))
    labels = [chunk for _, chunk in joint.predict([["The", "bus", "stopped"]])[0]]
    found = joint.predict_spans([["The", "bus", "stopped"]])[0]
    assert [(span.start, span.end, span.label) for span in found] == [tuple(span) for span in spans_of(labels)]


def test_a_tagger_of_chunk_labels_finds_chunks(recognizer):
    tagger = Tagger().fit(embedded(("word", "entity")))
    assert [span.label for span in tagger.predict_spans(["She lives in Harwick."])[0]] == ["LOC"]


def test_input_without_words_has_no_spans(recognizer):
    assert recognizer.predict_spans([]) == []
    assert recognizer.predict_spans(["", "  "]) == [[], []]
    assert recognizer.predict_spans([[], []]) == [[], []]


def test_what_is_no_list_of_texts_is_refused(recognizer):
    refused(DataError, r"found one.\n.*predict_spans", recognizer.predict_spans, "She lives in Harwick.")
    with pytest.raises(DataError, match="the word 'SHE' is not the next one"):
        recognizer.predict_spans(["She"], tokenizer=lambda text: text.upper().split())
    parser = DependencyParser(epochs=1, tags="given").fit(treebank())
    refused(UnsupportedError, "Spans are for tags and chunks", parser.predict_spans, [["a"]])


@given(st.lists(st.sampled_from(["O", "B-A", "I-A", "I-B", "S-A", "E-B"]), max_size=8))
def test_spans_are_ordered_and_do_not_overlap(tags):
    found = riata.spans(tags)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert all(span.label == span.type for span in found)


@pytest.mark.parametrize("tags", ["B-PER", [["O"]], 3, [1]])
def test_tags_that_are_none_are_refused(tags):
    refused(DataError, "expected a list of strings", riata.spans, tags)


# --- probabilities and weights by the names of labels and features ---------------------------------------------------
CORPUS = riata.load("embedded", "train")[:60]
X = [[{"word": word.lower(), "tag": tag, "bias": 0.5} for word, tag, _ in sentence] for sentence in CORPUS]
Y = CORPUS.sentences_of(2)


@pytest.fixture(scope="module")
def crf() -> Chunker:
    return Chunker("crf", epochs=10).fit(X, Y)


def test_marginals_are_the_probabilities_by_label(crf: Chunker) -> None:
    for sentence, rows in zip(crf.predict_marginals(X[:5]), crf.predict_proba(X[:5]), strict=True):
        for found, row in zip(sentence, rows, strict=True):
            assert list(found) == crf.classes_
            assert list(found.values()) == pytest.approx(row.tolist())
    assert crf.predict_marginals_single(X[0]) == crf.predict_marginals(X[:1])[0]
    assert crf.predict_single(X[0]) == crf.predict(X[:1])[0]
    assert crf.predict_marginals([[]]) == [[]]


def test_the_weights_by_name_add_up_to_the_score_of_a_labelling(crf: Chunker) -> None:
    state, transition = crf.state_features_, crf.transition_features_
    for sentence, found in zip(X, crf.predict_nbest(X, 2), strict=True):
        for labels, score in found:
            names = [[(f"word:{t['word']}", 1.0), (f"tag:{t['tag']}", 1.0), ("bias", t["bias"])] for t in sentence]
            total = sum(
                state.get((name, label), 0.0) * value
                for features, label in zip(names, labels, strict=True)
                for name, value in features
            )
            total += sum(transition.get(pair, 0.0) for pair in pairwise(labels))
            assert total == pytest.approx(score, abs=1e-4)


def test_no_weight_is_zero_and_every_label_is_a_class(crf: Chunker) -> None:
    assert all(crf.state_features_.values())
    assert all(crf.transition_features_.values())
    assert {label for _, label in crf.state_features_} <= set(crf.classes_)
    assert len(crf.state_features_) + len(crf.transition_features_) == by_name(crf.model_).count()


def test_templates_give_features_names_too() -> None:
    chunker = Chunker(epochs=2).fit(CORPUS)
    assert any(name == "word[0]=the" for name, _ in chunker.state_features_)
    segments = Chunker("laso-perceptron", epochs=1).fit(CORPUS)
    assert {label for _, label in segments.state_features_} <= {
        "NP",
        "VP",
        "PP",
        "ADJP",
        "ADVP",
        "SBAR",
        "PRT",
        *"O",
    } | {"CONJP", "INTJ"}
    assert segments.transition_features_ == {}


def test_weights_without_names_are_refused_and_an_untrained_estimator_says_so() -> None:
    hashed = Chunker(epochs=1, bits=16).fit(CORPUS)
    with pytest.raises(UnsupportedError, match="hashed"):
        _ = hashed.state_features_
    for name in ("state_features_", "transition_features_"):
        refused(NotFittedError, "", getattr, Chunker(), name)
        assert not hasattr(Chunker(), name)


def test_an_imported_model_has_the_weights_that_the_other_tool_shows(tmp_path) -> None:
    sklearn_crfsuite = pytest.importorskip("sklearn_crfsuite")
    path = tmp_path / "model.crfsuite"
    theirs = sklearn_crfsuite.CRF(max_iterations=10, model_filename=str(path), all_possible_transitions=True).fit(X, Y)
    ours = riata.import_model(path)
    for name in ("state_features_", "transition_features_"):
        known = {key: weight for key, weight in getattr(theirs, name).items() if weight}
        found = getattr(ours, name)
        assert {key for key, weight in known.items() if abs(weight) > 1e-5} <= set(found)
        assert all(weight == pytest.approx(known.get(key, 0.0), abs=2e-6) for key, weight in found.items())
    expected = theirs.predict_marginals(X[:3])
    for sentence, other in zip(ours.predict_marginals(X[:3]), expected, strict=True):
        for found, their in zip(sentence, other, strict=True):
            assert found == pytest.approx(their, abs=1e-4)
