"""Labels that users give: estimators keep them, say how sure they are beside them, and refuse what no labelling has."""

import math
from functools import cache

import numpy as np
import pytest

from checks import refused
from riata import Chunker, JointTagger, Tagger
from riata.data.memory import as_corpus
from riata.errors import DataError, LabelError, UnsupportedError
from samples import (
    CHUNKS,
    FEATURES,
    INPUTS,
    TAGS,
    WORDS,
    as_text,
    chunker,
    feature_tagger,
    for_each,
    for_rows,
    recoded_chunker,
    segment_chunker,
    tagger,
)

ALL = 10**6  # more than there are labellings
NEW = [("The", "DT"), ("sat", "NN"), ("it", "VBZ")]
GIVEN = [[None, "B-VP", None], ["B-NP", None, "I-NP"], [None, None, "B-PP"], ["O", "O", None], [None, "I-NP", None]]
PROBABLE = ["crf", "memm", "hmm", "perceptron", "learnt as bioes"]


@cache
def trained(name):
    if name == "learnt as bioes":
        return Chunker("crf", epochs=20, learn_as="bioes").fit(CHUNKS)
    return Chunker(name, epochs=None if name == "hmm" else 20).fit(CHUNKS)


def agrees(labels, given):
    return all(free is None or free == label for label, free in zip(labels, given, strict=True))


@for_each(given=GIVEN, name=[*PROBABLE, "semicrf"])
def test_it_is_the_best_of_all_labellings_that_have_them(name, given):
    estimator = trained(name)
    (every,) = estimator.predict_nbest([NEW], ALL)
    left = [(labels, score) for labels, score in every if agrees(labels, given)]
    assert 0 < len(left) < len(every)
    assert estimator.predict([NEW], given=[given]) == [left[0][0]]
    (found,) = estimator.predict_nbest([NEW], 4, given=[given])
    assert [labels for labels, _ in found] == [labels for labels, _ in left[:4]]
    assert [score for _, score in found] == pytest.approx([score for _, score in left[:4]], abs=1e-4)


@for_each(given=GIVEN, name=PROBABLE)
def test_probabilities_are_those_among_them(name, given):
    estimator = trained(name)
    (every,) = estimator.predict_nbest([NEW], ALL, probabilities=True)
    left = {tuple(labels): share for labels, share in every if agrees(labels, given)}
    total = sum(left.values())
    (rows,) = estimator.predict_proba([NEW], given=[given])
    expected = np.zeros_like(rows)
    for labels, share in left.items():
        for t, label in enumerate(labels):
            expected[t, estimator.classes_.index(label)] += share / total
    assert rows == pytest.approx(expected, abs=1e-4)
    (found,) = estimator.predict_nbest([NEW], 3, given=[given], probabilities=True)
    assert [share for _, share in found] == pytest.approx(
        [left[tuple(labels)] / total for labels, _ in found], abs=1e-4
    )


@pytest.mark.parametrize("name", [*PROBABLE, "semicrf"])
def test_all_or_nothing(name):
    estimator = trained(name)
    labels = [[chunk for _, _, chunk in sentence] for sentence in CHUNKS]
    free = [[None] * len(sentence) for sentence in CHUNKS]
    assert estimator.predict(INPUTS, given=free) == estimator.predict(INPUTS)
    assert estimator.predict_confidence(INPUTS, given=free) == estimator.predict_confidence(INPUTS)
    odd = [["O"] * len(sentence) for sentence in CHUNKS]  # which the model would never give
    for given in (labels, odd):
        assert estimator.predict(INPUTS, given=given) == given
        for row in estimator.predict_confidence(INPUTS, given=given):
            assert row == pytest.approx([1.0] * len(row), abs=1e-5)
        for sentence, (only,) in zip(given, estimator.predict_nbest(INPUTS, 3, given=given), strict=True):
            assert only[0] == sentence
        if name != "semicrf":
            shares = [share for ((_, share),) in estimator.predict_nbest(INPUTS, 3, given=given, probabilities=True)]
            assert np.log(shares) == pytest.approx(0, abs=1e-3)


@for_each(beam=[1, 2, math.inf], made=[chunker, segment_chunker])
def test_beams_of_any_width_keep_them(made, beam):
    estimator = made().twin(queue="beam", beam=beam)
    for given in ([None, None, "I-NP"], ["B-NP", "I-NP", "I-NP"] if made is chunker else ["B-NP", "I-NP", "B-NP"]):
        (found,) = estimator.predict([NEW], given=[given])
        assert agrees(found, given)
        assert estimator.predict_confidence([NEW], given=[given])[0][-1] > 0


def test_plain_labels_features_and_corpora():
    given = [[None] * len(words) for words in WORDS]
    given[1][2] = "PRP"
    for estimator, data in ((tagger(), WORDS), (feature_tagger(), FEATURES), (tagger(), as_corpus(WORDS))):
        found = estimator.predict(data, given=given)
        assert found[1][2] == "PRP"
        assert estimator.predict_confidence(data, given=given)[1][2] == pytest.approx(1)


def test_what_is_given_is_certain_after_calibration_too():
    estimator = Tagger(epochs=1).fit(WORDS, TAGS)
    estimator.calibrate(WORDS, [["NN"] * len(words) for words in WORDS], method="isotonic")
    given = [["DT", *[None] * (len(words) - 1)] for words in WORDS]
    assert max(max(row) for row in estimator.predict_confidence(WORDS)) < 1
    assert [row[0] for row in estimator.predict_confidence(WORDS, given=given)] == pytest.approx([1.0] * len(WORDS))


def test_nothing_to_label():
    estimator = chunker()
    assert estimator.predict([], given=[]) == []
    assert estimator.predict([[]], given=[[]]) == [[]]
    assert estimator.predict_nbest([[]], 2, given=[[]]) == [[([], 0.0)]]
    assert estimator.predict_confidence([[]], given=[[]]) == [[]]
    refused(DataError, "0 tokens and 1 labels", estimator.predict, [[]], given=[["O"]])


@for_rows(
    "given, message",
    ([], "found 0 lists of labels for 1 sentences"),
    ([[None, None]], "sentence 0 has 3 tokens and 2 labels"),
    ("abc", "the labels are a str"),
    ([None], "the labels of sentence 0 are a NoneType"),
    (7, "the labels are a int"),
    ([[None, 3, None]], "a label is 3"),
    ([[None, "B-XP", None]], "does not know the label 'B-XP' that is given at token 1 of sentence 0"),
    ([[None, "", None]], "does not know the label ''"),
    (
        [["I-NP", None, None]],
        "no legal labelling has 'I-NP' at token 0 of sentence 0 .* legal are sequences of tags in IOB2",
    ),
    ([["O", "I-NP", None]], "no legal labelling has 'I-NP' at token 1 of sentence 0"),
    ([["B-VP", None, "I-NP"], ["O"]], "found 2 lists"),
)
@pytest.mark.parametrize("made", [chunker, segment_chunker])
def test_what_cannot_be_is_refused(made, given, message):
    for ask in (made().predict, made().predict_confidence):
        assert refused(DataError, message, ask, [NEW], given=given).remedy
    if made is chunker:
        refused(DataError, message, made().predict_proba, [NEW], given=given)
        refused(DataError, message, made().predict_nbest, [NEW], 2, given=given)


def test_a_chunk_may_be_too_long_for_segments():
    most = segment_chunker().model_.weights.most
    given = [["B-NP", *["I-NP"] * most]]
    with pytest.raises(LabelError, match=rf"'I-NP' at token {most} .* chunks of at most {most} tokens"):
        segment_chunker().predict([[("a", "DT")] * (most + 1)], given=given)


def test_what_has_no_meaning_is_refused():
    with pytest.raises(UnsupportedError, match="depends on its neighbours"):
        recoded_chunker().predict([NEW], given=[["I-NP", None, None]])
    joint = JointTagger(epochs=1).fit(CHUNKS)
    with pytest.raises(UnsupportedError, match="JointTagger decides several labels"):
        joint.predict(WORDS, given=[[None] * len(words) for words in WORDS])
    with pytest.raises(UnsupportedError, match="left out, also where its labels are given"):
        chunker().predict([NEW], given=[[None] * 3], min_confidence=0.5)


# --- files -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trained("crf").save("m.riata")
    return tmp_path


def write(folder, *rows):
    text = as_text([[(*token, label) for token, label in zip(NEW, row, strict=True)] for row in rows])
    (folder / "in.txt").write_text(text, encoding="utf-8")


def test_the_command_keeps_a_column(run, folder):
    rows = [[label or "_" for label in given] for given in GIVEN]
    write(folder, *rows)
    expected = trained("crf").predict([NEW] * len(GIVEN), given=GIVEN)
    for column in ("2", "-1"):
        out = run.silent("predict", "--model", "m.riata", "--given", column, "in.txt")
        assert [line.split()[-1] for line in out.splitlines() if line] == [x for labels in expected for x in labels]
    trained("crf").predict_file("in.txt", "out.txt", given=2)
    assert (folder / "out.txt").read_text() == out
    sure = run.ok("predict", "--model", "m.riata", "--given", "2", "--confidence", "in.txt")
    numbers = [float(line.split()[-1]) for line in sure.splitlines() if line]
    confidences = trained("crf").predict_confidence([NEW] * len(GIVEN), given=GIVEN)
    assert numbers == pytest.approx([x for row in confidences for x in row], abs=1e-4)
    lists = run.ok("predict", "--model", "m.riata", "--given", "2", "--nbest", "2", "--confidence", "in.txt")
    best = trained("crf").predict_nbest([NEW] * len(GIVEN), 2, given=GIVEN, probabilities=True)
    shares = [float(line.split()[-1]) for line in lists.splitlines() if line.startswith("#")]
    assert shares == pytest.approx([share for found in best for _, share in found], abs=1e-5)


@for_rows(
    "row, column, message",
    (["_", "_", "I-VP"], "2", "in.txt:7: the model does not know the label 'I-VP'"),
    (["I-NP", "_", "_"], "2", "in.txt:5: no legal labelling has 'I-NP' here"),
    (["O", "I-NP", "_"], "2", "in.txt:6: no legal labelling has 'I-NP' here"),
    (["_", "_", "_"], "3", "column 3 is out of range"),
    (["_", "_", "_"], "1", "column 1 is an input of the model"),
    (["_", "_", "_"], "tag", "is not a valid integer"),
)
def test_the_command_says_where_it_goes_wrong(run, folder, row, column, message):
    write(folder, ["_", "_", "_"], row)
    err = run.refused("predict", "--model", "m.riata", "--given", column, "in.txt")
    assert message in err
    err = run.fails("predict", "--model", "m.riata", "--given", "2", "--min-confidence", "0.5", "in.txt")
    assert "given" in err


def test_a_field_of_conllu_may_hold_some_tags(run, folder):
    fields = "{0}\t{1}\t_\t_\t{2}\t_\t_\t_\t_\t_\n"
    full = "".join(
        "".join(fields.format(i, *token) for i, token in enumerate(zip(words, tags, strict=True), 1)) + "\n"
        for words, tags in zip(WORDS, TAGS, strict=True)
    )
    (folder / "t.conllu").write_text(full, encoding="utf-8")
    assert run("train", "tag", "--train", "t.conllu", "--model", "t.riata", "--epochs", "3")[0] == 0
    some = full.replace("\tDT\t", "\t_\t").replace("dog\t_\t_\tNN", "dog\t_\t_\tPRP")
    (folder / "s.conllu").write_text(some, encoding="utf-8")
    out = run.ok("predict", "--model", "t.riata", "--given", "4", "s.conllu")
    assert "dog\t_\t_\tPRP\t" in out
    kept = [line.split("\t")[4] for line in some.splitlines() if line]
    found = [line.split("\t")[4] for line in out.splitlines() if line]
    assert "_" not in found
    assert all(a in ("_", b) for a, b in zip(kept, found, strict=True))
