"""The recipe `crf` on chains that look two labels back."""

import numpy as np
import pytest

import riata
from checks import refused
from learning.test_crf import fitted
from packed_weights import weights_of
from riata.errors import UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import parse
from samples import CHUNKS, embedded

PAIR = parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]")
HISTORY = parse("word[0]\ntag[0]\nedge\nlabel[-2] label[-1]\nlabel[-2] label[-1] tag[0]\nlabel[-1] word[0]")


def test_what_only_two_labels_back_can_tell_is_learnt():
    X, prior = [["s"] + ["w"] * n for n in range(2, 12)] * 4, {"c2": 0.1}
    y = [["XXYY"[t % 4] for t in range(len(s))] for s in X]  # X X Y Y X X Y Y …
    first = riata.Tagger("crf", template=parse("word[0]\nedge"), settings=prior).fit(X, y)
    second = riata.Tagger("crf", template=parse("word[0]\nedge\nlabel[-2] label[-1]"), settings=prior).fit(X, y)
    assert second.score(X, y) == 1.0 > first.score(X, y)
    assert second.history_[-1]["objective"] < first.history_[-1]["objective"] / 10


@pytest.mark.parametrize("c1, c2", [(0.0, 0.1), (0.1, 0.1)])
def test_the_objective_is_what_it_says(c1, c2):
    """By listing every labelling."""
    data = [s[:3] for s in CHUNKS]
    chunker = fitted(data, template=HISTORY, c1=c1, c2=c2, constrain=True, precision="double")
    total = 0.0
    for sentence in data:
        [listed] = chunker.predict_nbest([[token[:-1] for token in sentence]], 10**6)
        [right] = [score for labels, score in listed if labels == [label for *_, label in sentence]]
        total += np.logaddexp.reduce([score for _, score in listed]) - right
    weights = np.array(list(weights_of(chunker.model_).values()))
    assert any("label" in feature for (feature, _), _ in weights_of(chunker.model_))
    expected = total + c1 * np.abs(weights).sum() + c2 * (weights**2).sum()
    assert chunker.history_[-1]["objective"] == pytest.approx(expected, rel=1e-4)


def test_features_of_two_labels_that_weigh_nothing_leave_the_first_order_as_it_is():
    """Where all pairs of labels before tell no more than the second, both find the same minimum; here,
    by a prior that nothing outweighs.
    """
    data = embedded()[:30]
    first, second = (fitted(data, template=t, c1=3.0, c2=0.1) for t in (parse("word[0]\ntag[0]\nedge"), PAIR))
    assert second.history_[-1]["objective"] <= first.history_[-1]["objective"] * (1 + 1e-4)


def test_threads_and_precision():
    data = embedded()[:40]
    settings = {"c2": 1.0}
    one, two = (
        riata.Chunker("crf", template=HISTORY, epochs=6, threads=n, settings=settings).fit(data) for n in (1, 2)
    )
    assert to_bytes(one) == to_bytes(two)
    double = fitted(data, 6, HISTORY, precision="double", c2=1.0)
    assert double.history_[-1]["objective"] == pytest.approx(one.history_[-1]["objective"], rel=1e-4)


def test_it_goes_on_from_a_perceptron_with_the_same_templates():
    data = embedded()[:15]
    chunker = riata.Chunker("perceptron", template=HISTORY, epochs=3).fit(data)
    chunker.set_params(recipe="crf", warm_start=True, epochs=1, settings={"c2": 0.001, "pairs": "all"})
    start = weights_of(chunker.model_)
    fresh = riata.Chunker("crf", template=HISTORY, epochs=1, settings={"c2": 0.001, "pairs": "all"}).fit(data)
    gone_on = chunker.fit(data)
    assert gone_on.history_[-1]["objective"] < fresh.history_[-1]["objective"]
    now = weights_of(gone_on.model_)
    reading = [key for key in start if "label" in key[0][0] and abs(start[key]) > 0.5]
    assert len(reading) > 20
    assert np.corrcoef([start[key] for key in reading], [now.get(key, 0.0) for key in reading])[0, 1] > 0.5


def test_a_saved_model_predicts_the_same():
    train, test = embedded()[:25], embedded(split="test")[:40]
    chunker = fitted(train, 6, HISTORY)
    loaded = from_bytes(to_bytes(chunker))
    assert loaded.predict(test) == chunker.predict(test)
    assert weights_of(loaded.model_) == weights_of(chunker.model_)


def test_numbers():
    X = [[("w", f"{(-1) ** (t * k) * 0.5}") for t in range(6)] for k in range(6)]
    y = [["N" if number.startswith("-") else "P" for _, number in sentence] for sentence in X]
    tagger = riata.Tagger("crf", template=parse("number(1)[0]\nedge\nlabel[-2]")).fit(X, y)
    assert tagger.score(X, y) == 1.0


def test_what_it_refuses():
    refused(UnsupportedError, "neighbouring", riata.Chunker("memm", template=PAIR).fit, CHUNKS)
    with pytest.raises(UnsupportedError, match="looks back no further"):
        riata.Chunker("crf", template=parse("word[0]\nlabel[-3]")).fit(CHUNKS)
    refused(UnsupportedError, "bits", riata.Chunker("crf", template=PAIR, bits=14).fit, CHUNKS)


def test_a_sentence_that_would_not_fit_into_memory_is_refused():
    X, y = [["a", "b"], [f"w{i}" for i in range(256)] * 80], [["L1", "L2"], [f"L{i}" for i in range(256)] * 80]
    with pytest.raises(UnsupportedError, match=r"sentence 1 .* has 20480 tokens: too many") as caught:
        riata.Tagger("crf", template=parse("word[0]\nlabel[-2]")).fit(X, y)
    assert "label[-2]" in caught.value.remedy
    with pytest.raises(UnsupportedError, match="up to 256 labels"):
        riata.Tagger("crf", template=parse("word[0]\nlabel[-2]")).fit([*X, ["c"]], [*y, ["M"]])
