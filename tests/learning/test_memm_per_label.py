"""`memm` with one classifier per label before: the twin is that many classifiers, each over its own weights and its own tokens."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from learning.test_memm import Case
from oracle.memm import classifier
from packed_weights import weights_of
from riata.errors import SettingError, TemplateError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.attributes import builtin
from riata.features.language import by_label_before
from riata.features.templates import load, parse
from samples import draws, quietly

TEMPLATES = ["word[0]", "word[0]\nedge", "word[-1]\nword[0] word[1]\nsuffix1[0]\nedge\nedge word[0]"]
PREVIOUS = {"classifiers": "previous"}


def rewritten(text):
    return "\n".join(map(str, by_label_before(parse(text))))


def test_every_line_is_read_after_each_label_and_at_first_tokens():
    expected = (
        "edge word[0]\noutside[-1] word[0]\nedge\nedge word[-1] tag[0]\noutside[-1] word[-1] tag[0]\nedge shape[0]"
    )
    made = by_label_before(parse("word[0]\nedge\nword[-1] tag[0]\nedge shape[0]"))
    assert set(made) == set(parse(expected))
    assert by_label_before(made) == made


cases = st.builds(
    Case,
    st.integers(0, 10**6),
    st.sampled_from([rewritten(template) for template in TEMPLATES]),
    st.sampled_from([None, "iob2", "bioes"]),
    weighted=st.booleans(),
)


@settings(deadline=None, max_examples=draws(40))
@given(cases)
def test_a_step_is_the_classifier_of_the_label_before(case):
    weights = weights_of(case.model)
    for number, corpus, every in case.each():
        for y in every:
            total = 0.0
            for t, label in enumerate(y):
                may = case.allowed(len(y))
                left = [other for other in case.labels if may(list(y[:t]), other, t)]
                total += classifier(weights, case.inputs[number][t], y[t - 1] if t else None, left)[label]
            assert case.score(corpus, y) == pytest.approx(total, abs=1e-6)


@settings(deadline=None, max_examples=draws(40))
@given(cases)
def test_its_value_is_that_of_the_twin_and_its_gradient_that_of_differences(case):
    times = case.weights if len(case.weights) else np.ones(len(case.inputs))
    expected = sum(
        w * -case.log_probability(n, gold) for n, (gold, w) in enumerate(zip(case.problem.gold, times, strict=True))
    )
    value, gradient = case.function(case.at, 1)
    assert value == pytest.approx(expected, abs=1e-7)
    for i in range(0, len(case.at), max(1, len(case.at) // 5)):
        there = np.zeros_like(case.at)
        there[i] = 1e-5
        slope = (case.function(case.at + there, 1)[0] - case.function(case.at - there, 1)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-5)


def tokens(seed=3, sentences=60):
    rng = np.random.default_rng(seed)
    x = [["".join(rng.choice(list("abc"), 1)) for _ in range(rng.integers(1, 6))] for _ in range(sentences)]
    return x, [
        [str(rng.choice(["X", "Y", "Z"], p=[0.2, 0.3, 0.5] if w == "a" else [0.5, 0.3, 0.2])) for w in s] for s in x
    ]


def test_it_learns_what_separate_classifiers_learn_from_the_tokens_after_their_label():
    x, y = tokens()
    options = {"c2": 0.3, "precision": "double", "gain_tolerance": 0, "gradient_tolerance": 1e-9}
    model = quietly(
        riata.Tagger("memm", template=parse("word[0]\nedge"), settings={**options, **PREVIOUS}, calibrated=False), x, y
    )
    apart = {}
    for before in ("X", "Y", "Z"):
        pairs = [
            (w, b)
            for s, labels in zip(x, y, strict=True)
            for w, a, b in zip(s[1:], labels, labels[1:], strict=False)
            if a == before
        ]
        words, labels = [[w] for w, _ in pairs], [[label] for _, label in pairs]
        apart[before] = quietly(
            riata.Tagger("memm", template=parse("word[0]\nbias[0]"), settings=options, calibrated=False), words, labels
        )
    start = quietly(
        riata.Tagger("memm", template=parse("word[0]"), settings=options, calibrated=False),
        [s[:1] for s in x],
        [labels[:1] for labels in y],
    )
    for first, second in itertools.product("abc", repeat=2):
        for one, other in itertools.product("XYZ", repeat=2):
            log_p = model.log_likelihood([[first, second]], [[one, other]])[0]
            expected = start.log_likelihood([[first]], [[one]])[0] + apart[one].log_likelihood([[second]], [[other]])[0]
            assert log_p == pytest.approx(expected, abs=1e-4)


def test_models_survive_their_files_and_give_probabilities():
    x, y = tokens()
    model = quietly(riata.Tagger("memm", template="S2", settings={"c2": 0.1, **PREVIOUS}), x, y)
    again = from_bytes(to_bytes(model))
    assert to_bytes(again) == to_bytes(model)
    assert again.predict(x) == model.predict(x)
    for sentence in x[:5]:
        every = list(itertools.product("XYZ", repeat=len(sentence)))
        log_p = [model.log_likelihood([sentence], [list(labels)])[0] for labels in every]
        assert math.fsum(map(math.exp, log_p)) == pytest.approx(1, abs=1e-5)
        assert model.predict([sentence])[0] == list(every[int(np.argmax(log_p))])
        assert all(0 <= p <= 1 + 1e-6 for p in model.predict_confidence([sentence])[0])


def test_on_real_chunks_it_keeps_to_legal_labels_and_takes_a_dictionary():
    train, test = riata.load("embedded", "train"), riata.load("embedded", "test")
    plain = quietly(riata.Chunker("memm", template="S1", settings={"c2": 0.1}), train)
    model = quietly(riata.Chunker("memm", template="S1", settings={"c2": 0.1, "dictionary": 20, **PREVIOUS}), train)
    assert {str(template) for template in model.model_.features.templates} == {
        "edge",
        "edge word[0]",
        "outside[-1] word[0]",
    }
    assert abs(model.score(test) - plain.score(test)) < 0.2


def test_what_has_no_weights_per_label_before_is_refused(tmp_path):
    path = tmp_path / "my.template"
    path.write_text("word[0]\nnumber(1)[0]\n")
    with pytest.raises(TemplateError, match="numbers have one weight per label") as caught:
        quietly(riata.Tagger("memm", template=path, settings=PREVIOUS), [[("a", "1")]], [["X"]])
    assert (caught.value.file, caught.value.line) == (str(path), 2)
    with pytest.raises(UnsupportedError, match="classifiers is 'previous', which changes templates"):
        quietly(riata.Tagger("memm", settings=PREVIOUS), [[{"a": 1}, {"b": 1}]], [["X", "Y"]])


@pytest.mark.parametrize("values", [("one", "previous"), ("previous", "one")])
def test_training_goes_on_with_the_same_classifiers_only(values):
    x, y = tokens()
    one, other = ({"c2": 0.1, "classifiers": value} for value in values)
    model = quietly(riata.Tagger("memm", template=None, settings=one, warm_start=True), x, y)
    with pytest.raises(SettingError, match=f"classifiers is '{values[1]}', but the model"):
        quietly(model.set_params(settings=other), x, y)


def test_named_sets_can_be_rewritten():
    assert len(by_label_before(load("S3"))) == 2 * (len(load("S3")) - 1) + 1
    assert {read.attribute for t in by_label_before(load("S3")) for read in t.reads} <= set(builtin())
