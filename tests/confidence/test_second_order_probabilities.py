"""Probabilities under chains that look two labels back: their limits, and sentences too long to list what they could be."""

import numpy as np
import pytest

import riata
from likelihood_problems import model_at, point
from riata.features.templates import parse
from riata.inference.decoder import Decoder
from samples import TAGS, WORDS, embedded, for_each
from second_order_problems import CHUNKS, TEMPLATES, Case

BEAM = Decoder("beam", 2**40)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 20.0])
def test_logarithms_and_factors_agree(temperature):
    """What a token's word says for B-A is taken back by the label before it: every labelling scores as without, but factors vanish."""
    case = Case(7, TEMPLATES[0], CHUNKS, lengths=[5, 1, 2, 6], pairs="all")
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
    chunker = riata.Chunker("crf", template=parse(template), epochs=8).fit(train)
    model, corpus = chunker.model_, chunker.input_columns(test)
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
    tagger = riata.Tagger("crf", epochs=6, template=parse("word[0]\nedge\nlabel[-2] label[-1]")).fit(WORDS, TAGS)
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
