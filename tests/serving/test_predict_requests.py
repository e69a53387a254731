"""POST /predict: the answers are those of the estimators."""

import json

import numpy as np
import pytest

import riata
from checks import refused
from riata import DependencyParser, RoleLabeler, Tagger, Trace
from riata.confidence.calibration import Calibration
from riata.errors import UnsupportedError
from samples import CHUNKS, FEATURES, UNSEEN, WORDS, treebank
from serving_help import served

CORPUS = riata.load("embedded", "train", ("word", "tag"))[:60]


def test_text_and_tokens_get_the_labels_of_predict(talk, files):
    expected = riata.load_model(files["tags"]).predict(UNSEEN)
    assert [s["labels"] for s in talk.predict(tokens=UNSEEN)[1]["sentences"]] == expected
    assert [s["labels"] for s in talk.predict(text=list(map(" ".join, UNSEEN)))[1]["sentences"]] == expected
    status, one = talk.predict(tokens=UNSEEN[0])
    assert status == 200
    assert [s["labels"] for s in one["sentences"]] == expected[:1]
    assert one["sentences"][0]["tokens"] == UNSEEN[0]
    assert one["model"] == "tags"
    assert one["task"] == "tag"
    assert talk.predict(text=" ".join(UNSEEN[0]))[1] == one


def test_rows_have_the_columns_that_the_model_reads(talk, files):
    rows = [[list(row[:2]) for row in sentence] for sentence in CHUNKS]
    expected = riata.load_model(files["chunks"]).predict([[tuple(row) for row in s] for s in rows])
    found = talk.predict(model="chunks", rows=rows)[1]["sentences"]
    assert [s["labels"] for s in found] == expected
    assert talk.predict(model="chunks", rows=rows[0])[1]["sentences"] == found[:1]
    assert found[0]["tokens"] == WORDS[0]
    for sentence in found:
        for span in sentence["spans"]:
            assert sentence["labels"][span["start"]] == f"B-{span['label']}"
            assert span["text"] == " ".join(sentence["tokens"][span["start"] : span["end"]])


def test_features_are_for_models_that_read_them(talk, files):
    expected = riata.load_model(files["features"]).predict(FEATURES)
    found = talk.predict(model="features", features=FEATURES)[1]["sentences"]
    assert [s["labels"] for s in found] == expected
    assert found[0]["tokens"] == WORDS[0]
    assert talk.predict(model="features", tokens=["a"])[0] == 422
    assert talk.predict(model="tags", features=FEATURES)[0] == 422


def test_two_outputs_have_their_names(talk, files):
    both = riata.load_model(files["both"]).predict(WORDS)
    found = talk.predict(model="both", tokens=WORDS)[1]["sentences"]
    assert [list(zip(s["tags"], s["chunk_labels"], strict=True)) for s in found] == both
    assert all("spans" in s for s in found)
    rows = [["the", "DET"], ["dog", "NOUN"], ["left", "VERB"], [".", "PUNCT"]]
    [tree] = riata.load_model(files["trees"]).predict([list(map(tuple, rows))])
    [sentence] = talk.predict(model="trees", rows=rows)[1]["sentences"]
    assert list(zip(sentence["heads"], sentence["relations"], strict=True)) == tree
    assert "spans" not in sentence


def test_a_parser_with_taggers_of_its_own_reads_words(tmp_path):
    model = DependencyParser("perceptron", epochs=2, tags="own").fit(treebank())
    model.save(tmp_path / "own.riata")
    words = ["the", "dog", "left", "."]
    with served({"own": tmp_path / "own.riata"}, watch=False) as talk:
        [found] = talk.predict(tokens=words)[1]["sentences"]
    assert list(zip(found["heads"], found["relations"], strict=True)) == model.predict([words])[0]


def test_models_that_are_not_calibrated_show_margins(talk, files):
    model = riata.load_model(files["words"])
    answer = talk.predict(model="words", tokens=WORDS[0], nbest=3, confidence=True)[1]
    status, error = talk.predict(model="words", tokens=WORDS[0], min_confidence=0.5)
    [found] = answer["sentences"]
    assert answer["calibrated"] is False
    assert found["margin"]["labels"] == pytest.approx(model.confidence.margins_of(WORDS[:1])[0].tolist(), abs=1e-6)
    assert all(span["margin"] >= 0 for span in found["spans"])
    assert found.get("confidence") is None
    assert all("score" in one for one in found["nbest"])
    assert (status, "calibrate(dev)" in error["remedy"]) == (422, True)


def test_lists_and_confidences_are_those_of_the_estimator(talk, files):
    model = riata.load_model(files["words"])
    model.calibration_ = (Calibration(),)
    model.save(files["words"].with_name("sure.riata"))
    with served({"words": files["words"].with_name("sure.riata")}, watch=False) as talk:
        check_lists_and_confidences(talk, model)


def check_lists_and_confidences(talk, model):
    [found] = talk.predict(model="words", tokens=WORDS[0], nbest=3, confidence=True)[1]["sentences"]
    [listed] = model.predict_nbest(WORDS[:1], 3, probabilities=True)
    assert [(one["labels"], pytest.approx(one["probability"])) for one in found["nbest"]] == listed
    assert found["confidence"]["labels"] == pytest.approx(model.predict_confidence(WORDS[:1])[0], abs=1e-6)
    assert all(0 <= span["confidence"] <= 1 for span in found["spans"])
    [scored] = talk.predict(model="words", tokens=WORDS[0], nbest=2)[1]["sentences"]
    assert [one["score"] for one in scored["nbest"]] == [score for _, score in model.predict_nbest(WORDS[:1], 2)[0]]
    answer = talk.predict(model="words", tokens=WORDS, min_confidence=1.0)[1]
    assert [s["labels"] for s in answer["sentences"]] == model.predict(WORDS, min_confidence=1.0)
    assert answer["calibrated"] is True


def test_a_trace_shows_the_search_with_the_beam_of_the_request(talk):
    [found] = talk.predict(model="words", tokens=WORDS[0], trace=True, beam=2)[1]["sentences"]
    trace = found["trace"]
    assert trace["beam"] == 2
    assert trace["input"] == WORDS[0]
    assert trace["output"] == found["labels"]
    trace.pop("note")
    assert Trace.from_dict(trace).to_dict() == trace


def test_constraints_are_kept_dropped_or_given(talk, files):
    model = riata.load_model(files["names"])
    words = ["Ann", "met", "Bob", "."]
    for value in (True, False, "soft", 0.5):
        [found] = talk.predict(model="names", tokens=words, constraints=value)[1]["sentences"]
        assert found["labels"] == model.predict([words], constraints=value)[0]
    [none] = talk.predict(model="names", tokens=words, constraints=['at_most(0, "PER")'])[1]["sentences"]
    assert none["spans"] == []
    status, answer = talk.predict(model="names", tokens=words, constraints=['at_most(0, "LOC")'])
    assert status == 422
    assert "Unknown label" in answer["error"]
    status, answer = talk.predict(model="names", tokens=words, constraints=["import os"])
    assert status == 422
    assert "no constraint" in answer["error"]


def test_an_explanation_is_a_page_that_runs_in_a_sandbox(talk):
    from urllib.parse import quote

    ask = quote(json.dumps({"model": "words", "tokens": WORDS[0], "beam": 3}))
    status, headers, page = talk.get(f"/explain?ask={ask}")
    assert status == 200
    assert headers["content-type"].startswith("text/html")
    assert headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert b"<!doctype html>" in page
    many = quote(json.dumps({"model": "words", "tokens": WORDS}))
    assert talk.get(f"/explain?ask={many}")[0] == 422
    assert talk.get("/explain?ask={")[0] == 400
    assert talk.get("/explain")[0] == 422


def test_models_say_what_can_be_asked_of_them(talk):
    listed = {m["name"]: m for m in json.loads(talk.get("/models")[2])["models"]}
    assert list(listed) == ["tags", "chunks", "words", "names", "both", "trees", "features"]
    assert listed["chunks"]["columns"] == 2
    assert listed["trees"]["trees"] is True
    assert listed["trees"]["offers"]["trace"] is False
    assert listed["names"]["constraints"] == ["at_most(1, 'PER')"]
    assert listed["words"]["offers"] == dict.fromkeys(("nbest", "confidence", "beam", "trace", "constraints"), True)
    assert {"NN", "NP"} <= set(listed["both"]["hues"])
    assert set(listed["words"]["hues"]) == set(listed["words"]["labels"])


def test_the_two_passes_of_a_model_see_the_sentences_of_one_request(tmp_path):
    model = Tagger("perceptron", epochs=2, passes=2, folds=2, context="file").fit(CORPUS)
    model.save(tmp_path / "two.riata")
    with served({"two": tmp_path / "two.riata"}, watch=False) as talk:
        found = talk.predict(tokens=WORDS)[1]["sentences"]
        alone = [talk.predict(tokens=words)[1]["sentences"][0]["labels"] for words in WORDS]
    assert [s["labels"] for s in found] == model.predict(WORDS)
    assert alone == [model.predict([words])[0] for words in WORDS]


def test_a_model_that_needs_more_than_tokens_is_refused(tmp_path):
    from riata.serving.shelf import Shelf

    RoleLabeler("perceptron", epochs=1).fit(riata.load("embedded-roles")).save(tmp_path / "r.riata")
    refused(UnsupportedError, "needs more than tokens", Shelf, {"r": tmp_path / "r.riata"})
    Tagger(epochs=1).fit([np.eye(2)] * 4, [["A", "B"]] * 4).save(tmp_path / "a.riata")
    of_arrays = r"a\.riata: .*arrays of numbers, and cannot be asked over HTTP"
    refused(UnsupportedError, of_arrays, Shelf, {"a": tmp_path / "a.riata"})
