"""Probabilities of labels and of whole labellings: they are those of all legal ones, by listing them."""

from itertools import product

import numpy as np
import pytest

from checks import refused
from likelihood_problems import model_at, point
from riata import Chunker, JointTagger, Tagger, registry
from riata.confidence.calibration import Calibration
from riata.data.encodings.base import convert
from riata.errors import NotFittedError, UnsupportedError
from riata.features.templates import parse
from riata.inference.structure import Decoder
from riata.structures.segments.templates import parse as parse_segments
from samples import (
    CHUNKS,
    FEATURES,
    INPUTS,
    TAGS,
    WORDS,
    as_text,
    embedded,
    for_each,
    for_rows,
    hashed_chunker,
    recoded_chunker,
    segment_chunker,
)
from second_order_problems import CHUNKS as CHUNK_LABELS
from second_order_problems import TEMPLATES, Case

HISTORIES = [
    "word[0]\nlabel[-1] tag[0]",
    "word[0]\ntag[0]\nedge\nlabel[-2] label[-1]",
    "word[0]\nedge tag[0]\nlabel[-2] label[-1] tag[0]\nlabel[-2]\nlabel[-1] word[0]",
]
ALL = 200_000  # more labellings than the short sentences have


def every(estimator, sentence):
    """Every legal labelling with its score."""
    [found] = estimator.predict_nbest([sentence], ALL)
    assert len(found) < ALL
    return found


def check(estimator, sentence, near=1e-4):
    [listed] = estimator.predict_nbest([sentence], ALL, probabilities=True)
    labellings, shares = zip(*listed, strict=True)
    assert sum(shares) == pytest.approx(1, abs=near)
    assert list(shares) == sorted(shares, reverse=True)
    scores = np.array([score for _, score in every(estimator, sentence)])
    temperature = estimator.calibration_[0].temperature if estimator.calibration_ else 1.0
    expected = np.exp(scores / temperature - np.logaddexp.reduce(scores / temperature))
    assert shares == pytest.approx(expected, abs=near)
    [rows] = estimator.predict_proba([sentence])
    assert rows.shape == (len(sentence), len(estimator.classes_))
    assert rows.sum(axis=1) == pytest.approx(1)
    for t in range(len(sentence)):
        for j, label in enumerate(estimator.classes_):
            share = sum(p for labels, p in zip(labellings, shares, strict=True) if labels[t] == label)
            assert rows[t, j] == pytest.approx(share, abs=near)


@pytest.mark.parametrize("recipe", ["crf", "perceptron"])
def test_labels_and_labellings(recipe):
    chunker = Chunker(recipe, epochs=3, template=parse("word[0]\ntag[0]\nedge\nedge tag[0]")).fit(CHUNKS)
    for sentence in INPUTS[2:]:
        check(chunker, sentence[:4])


def test_a_temperature_flattens_them():
    chunker = Chunker("crf", epochs=5, template=parse("word[0]\ntag[0]\nedge")).fit(CHUNKS * 8)
    sentence = INPUTS[2]
    before = chunker.predict_proba([sentence])[0].max(axis=1)
    chunker.calibration_ = (Calibration(3.0),)
    check(chunker, sentence)
    assert (chunker.predict_proba([sentence])[0].max(axis=1) < before).all()


@for_rows("recipe, template", *(("perceptron", each) for each in HISTORIES), *(("crf", each) for each in HISTORIES[1:]))
def test_labels_and_labellings_of_chains_that_look_back(recipe, template):
    chunker = Chunker(recipe, epochs=4, template=parse(template)).fit(CHUNKS)
    for sentence in INPUTS[1:]:
        check(chunker, sentence[:4])
    for length in (1, 2):
        check(chunker, INPUTS[0][:length])
    before = chunker.predict_proba([INPUTS[2]])[0].max(axis=1)
    chunker.calibrate(CHUNKS * 2)  # to a temperature of 1e-4: scores of 1e5 in single precision
    check(chunker, INPUTS[2], near=0.02)
    assert chunker.predict_proba([INPUTS[2]])[0].max(axis=1) != pytest.approx(before, rel=1e-9)


SEGMENTS = [
    "inside word[0]\ninside tag[0]\nlength",
    "inside word[0]\nfirst tag[-1]\nsequence tag[0]\nlabel[-1]\nlabel[-1] first word[0]",
]


@for_each(encoding=["iob2", "iob1", "bioes"], template=SEGMENTS, recipe=["semicrf", "perceptron"])
def test_tags_and_segmentations(recipe, template, encoding):
    """The tag of a chunk's first token in IOB1 depends on the chunk before it."""
    iob2, other = (registry.get("encoding", name) for name in ("iob2", encoding))
    tags = [other.encode(iob2.spans([token[-1] for token in one]), len(one)) for one in CHUNKS]
    given = {} if recipe == "semicrf" else {"structure": "segments"}
    made = Chunker(recipe, epochs=4, template=parse_segments(template), encoding=encoding, **given)
    made.fit(INPUTS, tags)
    for sentence in INPUTS:
        check(made, sentence[:4])
    made.calibration_ = (Calibration(2.5),)
    check(made, INPUTS[2][:3])


def test_tags_among_segmentations_with_given_tags():
    made = Chunker("semicrf", epochs=4, template=parse_segments(SEGMENTS[1])).fit(CHUNKS)
    sentence = INPUTS[2][:4]
    given = [None, made.predict([sentence])[0][1], None]
    [all_] = made.predict_nbest([sentence], ALL, probabilities=True)
    kept = [(labels, share) for labels, share in all_ if labels[1] == given[1]]
    total = sum(share for _, share in kept)
    [rows] = made.predict_proba([sentence], given=[given])
    for t, row in enumerate(rows):
        for label, share in zip(made.classes_, row, strict=True):
            expected = sum(p for labels, p in kept if labels[t] == label) / total
            assert share == pytest.approx(expected, abs=1e-6)


LIKELIHOODS = {
    "crf": {"template": parse("word[0]\ntag[0]\nedge\nedge tag[0]")},
    "crf two labels back": {"template": parse("word[0]\nedge\nlabel[-2] label[-1]")},
    "memm": {"template": parse("word[0]\ntag[0]\nedge")},
    "hmm": {},
    "semicrf": {"template": parse_segments(SEGMENTS[1])},
}


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_the_likelihood_of_given_labels_is_the_share_of_their_labelling(name):
    made = Chunker(name.partition(" ")[0], epochs=4, **LIKELIHOODS[name]).fit(CHUNKS)
    for temperature in (1.0, 2.0):
        made.calibration_ = () if temperature == 1 else (Calibration(temperature),)
        sentence = INPUTS[2][:3]
        [listed] = made.predict_nbest([sentence], ALL, probabilities=True)
        labellings, shares = zip(*listed, strict=True)
        found = made.log_likelihood([sentence] * len(labellings), labellings)
        assert np.exp(found) == pytest.approx(shares, abs=1e-5)
        assert np.exp(found).sum() == pytest.approx(1, abs=1e-4)
    assert made.log_likelihood(CHUNKS) == pytest.approx(
        made.log_likelihood(INPUTS, [[token[-1] for token in sentence] for sentence in CHUNKS])
    )


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_labels_that_cannot_be_have_no_likelihood(name):
    made = Chunker(name.partition(" ")[0], epochs=2, **LIKELIHOODS[name]).fit(CHUNKS)
    sentence = INPUTS[2][:3]
    illegal, unknown = ["O", "I-NP", "O"], ["O", "B-XYZ", "O"]
    found = made.log_likelihood([sentence, sentence, sentence], [illegal, unknown, ["O", "O", "O"]])
    assert found[:2].tolist() == [-np.inf, -np.inf]
    assert np.isfinite(found[2])
    assert made.log_likelihood([[], sentence], [[], ["O", "O", "O"]]).tolist() == [0.0, found[2]]


def test_a_segment_beyond_the_longest_has_no_likelihood():
    made = Chunker("semicrf", epochs=2, settings={"longest": 2}, template=parse_segments(SEGMENTS[0])).fit(CHUNKS)
    long, short = ["B-NP", "I-NP", "I-NP"], ["B-NP", "I-NP", "B-NP"]
    found = made.log_likelihood([INPUTS[2][:3]] * 2, [long, short])
    assert found[0] == -np.inf and np.isfinite(found[1])


def test_features_with_values_and_plain_tags():
    tagger = Tagger("crf", epochs=10).fit(FEATURES, TAGS)
    check(tagger, FEATURES[2])


def test_labels_learnt_in_another_encoding_are_summed():
    chunker = Chunker("crf", epochs=5, learn_as="bioes", template=parse("word[0]\ntag[0]\nedge")).fit(CHUNKS)
    [rows] = chunker.predict_proba([INPUTS[0]])
    assert rows.shape == (4, len(chunker.classes_))
    assert rows.sum(axis=1) == pytest.approx(1)
    assert [chunker.classes_[i] for i in rows.argmax(axis=1)] == chunker.predict([INPUTS[0]])[0]


def test_what_has_no_probabilities_says_why():
    refused(NotFittedError, "", Chunker().predict_proba, INPUTS)
    refused(UnsupportedError, r"label\[-2\].* reads further back", segment_chunker().predict_proba, INPUTS)
    refused(UnsupportedError, "no dynamic program", JointTagger(epochs=1).fit(CHUNKS).predict_proba, WORDS)
    refused(UnsupportedError, "neighbours", recoded_chunker().predict_proba, INPUTS)
    deep = Tagger("early", epochs=1, template=parse("word[0]\nlabel[-3] label[-1]")).fit(WORDS, TAGS)
    refused(UnsupportedError, r"label\[-3\]", deep.predict_proba, WORDS)
    refused(UnsupportedError, "bits", hashed_chunker().predict_proba, INPUTS)


def test_no_sentences():
    chunker = Chunker("crf", epochs=2).fit(CHUNKS)
    assert chunker.predict_proba([]) == []
    assert chunker.predict_proba([[]])[0].shape == (0, len(chunker.classes_))


def test_lists_with_probabilities_in_files(tmp_path):
    chunker = Chunker("crf", epochs=5, template=parse("word[0]\ntag[0]\nedge")).fit(CHUNKS)
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text(as_text(INPUTS), encoding="utf-8")
    chunker.predict_file(source, target, nbest=2, confidence=True)
    notes = [line.split() for line in target.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    listed = chunker.predict_nbest(INPUTS, 2, probabilities=True)
    assert [float(note[3]) for note in notes] == pytest.approx([p for found in listed for _, p in found], abs=1e-5)
    refused(UnsupportedError, "min_confidence", chunker.predict_file, source, target, nbest=2, min_confidence=0.5)


def test_learners_of_probabilities_need_no_calibration(recwarn):
    chunker = Chunker("crf", epochs=5).fit(CHUNKS)
    recwarn.clear()
    chunker.predict(INPUTS, min_confidence=0.5)
    assert not recwarn.list
    with pytest.raises(UnsupportedError, match="not calibrated"):
        Chunker("perceptron", epochs=2).fit(CHUNKS).predict(INPUTS, min_confidence=0.5)


# --- probabilities under chains that look two labels back ------------------------------------------------------------
BEAM = Decoder("beam", 2**40)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 20.0])
def test_logarithms_and_factors_agree(temperature):
    """What a token's word says for B-A is taken back by the label before it: every labelling scores as without, but factors vanish."""
    case = Case(7, TEMPLATES[0], CHUNK_LABELS, lengths=[5, 1, 2, 6], pairs="all")
    at = point(case, 1)
    shifted, words, much = at.copy(), 9 + 3 * case.features.index.size(0), 2.0**16
    shifted[0:9:3] -= much
    shifted[9:words:3] += much
    shifted[words] -= much
    plain, other = model_at(case, at), model_at(case, shifted)
    for one, two in zip(
        plain.probabilities(case.corpus, temperature), other.probabilities(case.corpus, temperature), strict=True
    ):
        assert two == pytest.approx(one, rel=1e-6, abs=1e-6)
    found, values = plain.confidences(case.corpus, Decoder(), [temperature], chunks=True)
    again, others = other.confidences(case.corpus, Decoder(), [temperature], chunks=True)
    assert found.tolist() == again.tolist()
    assert others == pytest.approx(values, abs=1e-6)
    assert (values < 0.999).any()


@for_each(template=["word[0]\nedge\nlabel[-2] label[-1]", "word[0]\nlabel[-2] tag[0]\nlabel[-1] word[0]"])
def test_an_unbounded_beam_sums_up_the_same(template):
    train, test = embedded()[:30], embedded(split="test")[6:9]
    chunker = Chunker("crf", template=parse(template), epochs=8).fit(train)
    model, corpus = chunker.model_, chunker.columns.input_columns(test)
    for chunks in (True, False):
        found, values = model.confidences(corpus, Decoder(), [1.0, 3.0], chunks=chunks)
        searched, others = model.confidences(corpus, BEAM, [1.0, 3.0], chunks=chunks)
        same = found == searched
        assert same.mean() > 0.99
        assert values[:, :, same] == pytest.approx(others[:, :, same], abs=1e-3)
    rows, _ = model.probabilities(corpus, 1.0)
    assert rows.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert values[0, 0] == pytest.approx(rows[np.arange(len(found)), found], abs=1e-5)


def test_labels_that_are_given_are_conditioned_on():
    """By listing all labellings, and leaving those that have them."""
    tagger = Tagger("crf", epochs=6, template=parse("word[0]\nedge\nlabel[-2] label[-1]")).fit(WORDS, TAGS)
    sentence, truth = WORDS[1][:4], TAGS[1][:4]
    given = [None, truth[1], None, None]
    [every] = tagger.predict_nbest([sentence], 10**6, probabilities=True)
    agree = [(labels, share) for labels, share in every if labels[1] == given[1]]
    total = sum(share for _, share in agree)
    assert 0 < total < 1
    [listed] = tagger.predict_nbest([sentence], 10**6, probabilities=True, given=[given])
    assert {tuple(labels): share for labels, share in listed} == pytest.approx(
        {tuple(labels): share / total for labels, share in agree}, abs=1e-5
    )
    [rows] = tagger.predict_proba([sentence], given=[given])
    for t, row in enumerate(rows):
        for j, label in enumerate(tagger.classes_):
            assert row[j] == pytest.approx(sum(s for labels, s in agree if labels[t] == label) / total, abs=1e-5)


# --- the likelihood of given labels where chunks are learnt in another encoding than that of the data ----------------
SENTENCES = [["a", "b"], ["b", "a"], ["c", "a", "b"], ["a", "c", "b", "b"]]
RECODED = [["B-P", "O"], ["O", "B-Q"], ["B-P", "I-P", "B-P"], ["B-P", "I-P", "I-P", "B-Q"]]
ENCODINGS = ("iob1", "iob2", "bioes", "bilou")
PAIRS = [(data, learnt) for data, learnt in product(ENCODINGS, repeat=2) if data != learnt]


def in_encoding(name):
    return [convert(labels, registry.get("encoding", "iob2"), registry.get("encoding", name)) for labels in RECODED]


@pytest.mark.parametrize(("data", "learnt"), PAIRS, ids=[f"{data} as {learnt}" for data, learnt in PAIRS])
def test_illegal_labels_have_no_likelihood_and_all_labellings_sum_to_one(data, learnt):
    made = Chunker(
        "crf", epochs=3, encoding=data, learn_as=learnt, template=parse("word[0]\nedge"), settings={"c2": 0.1}
    )
    made.fit(SENTENCES, in_encoding(data))
    encoding = registry.get("encoding", data)
    every = list(product(made.classes_, repeat=2))
    found = made.log_likelihood([["a", "b"]] * len(every), every)
    legal = [not list(encoding.violations(labels, np.arange(2, dtype=np.int32), np.array([0, 2]))) for labels in every]
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-5)
    assert (np.isfinite(found) <= np.array(legal)).all()
